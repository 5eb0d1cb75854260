use super::*;

/// Names that say what they do, the gravest of it.
const GRAVE: &[(Kind, &[&str])] = &[
    (
        Kind::Purchase,
        &[
            "Buy now",
            "Charge card",
            "Add funds",
            "Complete checkout",
            "Upgrade to Pro",
            "Jetzt zahlen",
            "Bestellung aufgeben",
            "Kauf abschließen",
            "Passer votre commande",
            "Compra subito",
            "Tramitar pedido",
            "Cómpralo ya",
            "Koop nu",
            "Zamawiam z obowiązkiem zapłaty",
            "Ödeme yap",
            "SATIN AL",
            "Замовити",
            "Поръчай",
            "ثبت سفارش",
            "今すぐ買う",
            "立即抢购",
            "ऑर्डर करें",
            "Buy with 1-Click",
            "1-Click order",
            "Order",
            "Order now",
            "Order & pay",
            "Order 2 pizzas",
            "Pre-order",
            "Preorder now",
            "Pay $49.00",
            "Pay later",
            "Pay by card",
            "Apple Pay",
            "Pay with PayPal",
            "Place order",
            "Place order (see terms)",
            "Place your order",
            "Place bet",
            "Place a bid",
            "Bid $50",
            "Confirm payment",
            "Confirm your order",
            "Confirm order",
            "Confirm and pay",
            "Confirm my hotel booking",
            "Complete booking",
            "Complete your purchase",
            "Complete order",
            "Submit your order",
            "Submit payment",
            "Make a payment",
            "Make an offer",
            "Authorize payment",
            "Authorise payment",
            "Approve transaction",
            "Finalize order",
            "Finish and pay",
            "Proceed to payment",
            "Continue to pay",
            "Continue to payment",
            "Reserve",
            "Reserve now",
            "Reserve this room",
            "Book",
            "Book now",
            "Book this flight",
            "Book a table",
            "Subscribe",
            "Subscribe now",
            "Start free trial",
            "Rent now",
            "Rent for €3.99",
            "Donate $5",
            "Top up",
            "Invest",
            "Get it for $5",
            "Yes, order",
            "Please book it",
            "Click here to order",
            // A harmless word beside it takes nothing away.
            "View and buy",
            "Buy & close",
            "Buy (see terms)",
            "Pay – terms apply",
            "Pay, no way back",
            "I accept the terms and pay",
            "Agree to terms & buy",
            "Learn more, buy now",
            "Buy now – cancel anytime",
            "Purchase, back to top",
            "Buy with help of Klarna",
            "Buy shopping voucher",
            "Don't wait, buy now",
            "Don't wait buy now",
            "Close and pay now",
            "Order history: buy now",
            "Search or pay",
            // However it is written.
            "8uy n0w",
            "Вuу nоw",
            "B u y n o w",
            "Ｂｕｙ ｎｏｗ",
            "BUY NOW!",
            "Jetzt kaufen",
            "Zahlungspflichtig bestellen",
            "Acheter",
            "Comprar ahora",
            "Acquista ora",
            "Kup teraz",
            "Tilaa nyt",
            "Bestil nu",
            "Bestill nå",
            "Beställ",
            "Megrendelés",
            "Megrendelem",
            "Cumpără acum",
            "Plasează comanda",
            "קנה עכשיו",
            "Αγορά",
            "ΑΓΟΡΑ",
            "Ολοκλήρωση παραγγελίας",
            "Оплатить",
            "立即购买",
        ],
    ),
    (
        Kind::Delete,
        &[
            "Delete",
            "Delete history",
            "Delete all comments",
            "Delete policy",
            "Delete posts",
            "Delete my orders",
            "Delete & close",
            "Delete, then close",
            "Delete, then view list",
            "Remove settings",
            "Remove item",
            "Erase everything about me",
            "Clear all",
            "Clear history",
            "Empty trash",
            "Drop database",
            "Reset to factory settings",
            "Close my account",
            "Close account",
            "Cancel my booking",
            "Cancel order",
            "Cancel the hotel reservation",
            "Cancel subscription",
            "End membership",
            "Terminate contract",
            "Unsubscribe",
            "Revoke access",
            "View or delete",
            "De1ete",
            "Uninstall",
            "Törlés",
            "Șterge",
            "Διαγραφή",
            "מחק",
            "Poista",
            "Slet",
        ],
    ),
    (
        Kind::Send,
        &[
            "Send",
            "Send and close",
            "Send and view",
            "Post",
            "Post & view",
            "Post comment",
            "Post reply",
            "Share",
            "Share document",
            "Comment",
            "Forward",
            "Transfer money",
            "Message seller",
            "Message the seller",
            "Contact the host",
            "Email this",
            "Submit",
            "Submit review",
            "Retweet",
            "Sign the document",
            "Reply all",
            "Αποστολή",
            "שלח",
            "Küldés",
            "Trimite",
            "Lähetä",
        ],
    ),
    (
        Kind::Download,
        &["Download", "Save as PDF", "Export CSV", "Letöltés", "הורד"],
    ),
    (Kind::Upload, &["Upload", "Attach file", "Feltöltés"]),
];

/// Names that hold a grave word, or nearly, and do nothing grave.
const HARMLESS: &[&str] = &[
    "",
    "Add to basket",
    "Next",
    "Continue",
    "Search",
    "Log in",
    "Sign in",
    "Cancel",
    "Close",
    "Back",
    "Menu",
    "Checkout",
    "Proceed to checkout",
    "Books",
    "Order history",
    "View orders",
    "Show orders",
    "Order by date",
    "Sort order",
    "Order status",
    "Order #1234 details",
    "Bid history",
    "Book reviews",
    "Buy again list",
    "Pay slips",
    "Post code",
    "Share price",
    "Share prices",
    "Comment settings",
    "Download center",
    "Upload limits",
    "How to buy",
    "How to buy and sell",
    "Learn how to pay",
    "About paying",
    "View deleted items",
    "Payments explained",
    "Payment methods",
    "Shipping & payment",
    "Don't delete",
    "Do not cancel my booking",
    "Never send",
    "Undo delete",
    "Cancel upload",
    "Close preview",
    "Next post",
    "Current bid",
    "Clear all filters",
    "Remove filter",
    "Continue to order history",
    "Find a post",
    "My orders",
    "Suche",
    "Weiter",
    "Οι παραγγελίες μου",
];

#[test]
fn names_say_what_they_do() {
    let mut wrong = Vec::new();
    for (kind, names) in GRAVE {
        for name in *names {
            let found = kind_of(name, true);
            if found != Some(*kind) {
                wrong.push(format!("{name:?} is {found:?}, not {kind:?}"));
            }
        }
    }
    for name in HARMLESS {
        if let Some(kind) = kind_of(name, true) {
            wrong.push(format!("{name:?} is {kind:?}, and should be nothing"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn nothing_beside_a_grave_name_takes_it_away() {
    let grave = [
        "Buy now",
        "Confirm your order",
        "Delete",
        "Cancel my booking",
        "Send",
    ];
    let harmless = [
        "close",
        "view history",
        "see terms",
        "how to",
        "about us",
        "don't worry",
        "order history",
        "search",
    ];
    for name in grave {
        let alone = kind_of(name, true);
        for other in harmless {
            for both in [
                format!("{name} & {other}"),
                format!("{name}, {other}"),
                format!("{name} ({other})"),
                format!("{name} and {other}"),
                format!("{name} – {other}"),
                format!("{other}, {name}"),
                format!("{other}: {name}"),
            ] {
                assert_eq!(kind_of(&both, true), alone, "{both}");
            }
        }
    }
}

#[test]
fn nothing_grave_is_said_by_looking_explaining_and_negating() {
    for grave in ["buy", "pay", "delete", "send", "order", "download"] {
        for before in [
            "how to", "about", "view", "show", "undo", "don't", "do not", "never", "cancel",
        ] {
            let name = format!("{before} {grave}");
            let is_deed = name == "cancel order";
            assert_eq!(kind_of(&name, true).is_some(), is_deed, "{name}");
        }
    }
}

#[test]
fn the_gravest_counts() {
    assert_eq!(kind_of("Delete and buy", true), Some(Kind::Purchase));
    assert_eq!(kind_of("Send, download", true), Some(Kind::Download));
    assert_eq!(gravest([].into_iter()), None);
}

#[test]
fn of_long_names_the_beginning_counts_where_it_is_a_button() {
    let long = "Buy now and get one more lamp for free, only today and only for you";
    assert_eq!(kind_of(long, true), Some(Kind::Purchase));
    assert_eq!(kind_of(long, false), None);
    let late = "The quick brown fox will buy now or delete the whole of this very long text";
    assert_eq!(kind_of(late, true), None);
}
