use serde_json::{Value, json};

use super::*;

fn purpose(members: Value) -> Purpose {
    serde_json::from_value(members).unwrap()
}

fn button(name: &str) -> Purpose {
    purpose(json!({ "tag": "button", "kind": "button", "name": name, "ownName": name }))
}

fn pressed(name: &str) -> Option<Kind> {
    kind_of(&button(name), Deed::Press)
}

#[test]
fn buttons_are_told_by_their_words_in_many_languages() {
    let cases = [
        (
            Kind::Purchase,
            vec![
                "Buy now",
                "Place order",
                "Pay €49.00",
                "Zahlungspflichtig bestellen",
                "Payer",
                "Comprar ahora",
                "Acquista",
                "Kup teraz",
                "Satın al",
                "Оформить заказ",
                "立即购买",
                "注文を確定する",
                "결제하기",
                "ادفع الآن",
            ],
        ),
        (
            Kind::Delete,
            vec![
                "Delete",
                "Remove item",
                "🗑 Delete account",
                "🗑\u{fe0f}",
                "Löschen",
                "Supprimer",
                "Eliminar",
                "Elimina",
                "Usuń",
                "Удалить",
                "删除",
                "削除",
                "삭제",
                "حذف",
                "Cancel order",
            ],
        ),
        (
            Kind::Send,
            vec![
                "Send",
                "Post comment",
                "Reply",
                "Nachricht senden",
                "Envoyer",
                "Enviar",
                "Invia",
                "Wyślij",
                "Отправить",
                "发送",
                "送信",
                "보내기",
                "Submit",
            ],
        ),
        (
            Kind::Upload,
            vec!["Upload", "Attach file", "Hochladen", "上传", "アップロード"],
        ),
        (
            Kind::Download,
            vec![
                "Download",
                "Export",
                "Herunterladen",
                "Télécharger",
                "Скачать",
                "下载",
            ],
        ),
    ];
    for (kind, names) in cases {
        for name in names {
            assert_eq!(pressed(name), Some(kind), "{name}");
        }
    }
}

#[test]
fn other_buttons_need_no_question() {
    for name in [
        "",
        "Go",
        "Add to basket",
        "Next",
        "Menu",
        "Checkout",
        "Show orders",
        "Cancel",
        "Sign in",
        "Search",
        "Payments explained",
        "View deleted items",
        "How to pay",
        "Order history",
        "Suche",
        "Weiter",
        "下一步",
        "The quick brown fox will buy now or delete the whole of this very long text",
    ] {
        assert_eq!(pressed(name), None, "{name}");
    }
}

#[test]
fn all_names_count_and_however_they_are_written() {
    let called = |names: &[&str]| {
        let all = json!({ "tag": "button", "name": "Next", "ownName": "Next", "names": names });
        classify(&purpose(all), Deed::Press)
    };
    assert_eq!(called(&["Next", "Go on"]), None);
    let judged = called(&["Next", "Delete", "Buy now"]).unwrap();
    assert_eq!((judged.kind, judged.name.as_str()), (Kind::Purchase, "Buy now"));
    for name in [
        "Buy now, see more",
        "Close and pay now",
        "Вuу now",
        "Ｂｕｙ now",
        "B u y n o w",
        "P-a-y",
        "Buy now and get one more lamp for free, only today and only for you",
    ] {
        assert_eq!(pressed(name), Some(Kind::Purchase), "{name}");
    }
    let card = json!({ "tag": "div", "name": "Buy now and get one more lamp for free, only today and only for you" });
    assert_eq!(kind_of(&purpose(card), Deed::Press), None);
}

#[test]
fn the_text_of_a_whole_page_is_no_name() {
    for tag in ["html", "body"] {
        let place = purpose(json!({ "tag": tag, "name": "Go Buy now Other", "names": ["Buy now"] }));
        assert_eq!(kind_of(&place, Deed::Press), None);
        assert_eq!(kind_of(&place, Deed::Enter), None);
    }
}

#[test]
fn addresses_are_told_by_what_they_say_is_to_be_done() {
    for (address, kind) in [
        ("https://a.test/buy?item=3", Some(Kind::Purchase)),
        ("https://a.test/item.php?action=delete&id=3", Some(Kind::Delete)),
        ("https://a.test/tool.exe", Some(Kind::Download)),
        ("https://a.test/search?q=delete", None),
        ("https://a.test/buyers", None),
        ("about:blank", None),
    ] {
        assert_eq!(of_address(address), kind, "{address}");
    }
}

#[test]
fn fields_are_no_buttons_whatever_they_are_called() {
    let field = purpose(json!({ "tag": "input", "kind": "text", "name": "Delete", "ownName": "Delete" }));
    assert_eq!(kind_of(&field, Deed::Press), None);
    assert_eq!(kind_of(&field, Deed::Space), None);
    assert_eq!(kind_of(&button("Delete"), Deed::Space), Some(Kind::Delete));
}

#[test]
fn links_do_something_only_when_name_or_address_say_so() {
    let link = |name: &str, href: &str| {
        kind_of(
            &purpose(json!({ "tag": "a", "name": name, "ownName": name, "href": href })),
            Deed::Press,
        )
    };
    assert_eq!(
        link("Report", "https://a.test/files/report.zip"),
        Some(Kind::Download)
    );
    assert_eq!(link("Report", "https://a.test/report"), None);
    assert_eq!(link("x", "https://a.test/items/5/delete"), Some(Kind::Delete));
    assert_eq!(link("Delete", "https://a.test/items/5"), Some(Kind::Delete));
    for (href, expected) in [
        ("https://a.test/items?delete=5", Some(Kind::Delete)),
        ("https://a.test/items?delete=0", None),
        ("https://a.test/cart/remove_item/5", Some(Kind::Delete)),
        ("https://a.test/items/5/remove-all", Some(Kind::Delete)),
        ("https://a.test/delete-all-my-items", Some(Kind::Delete)),
        ("https://a.test/item_delete.php?id=5", Some(Kind::Delete)),
        ("https://a.test/blog/delete-your-old-files", None),
        ("https://a.test/help/delete-cookies", None),
        ("https://a.test/tools/remove-background", None),
        ("https://a.test/lamps?remove=color", None),
        ("https://a.test/lamps?remove_filter=5", None),
        ("https://a.test/deleted", None),
        ("https://a.test/shop/buy-iphone", None),
        ("https://a.test/help/payment-methods", None),
        ("https://a.test/lamps?payment=visa", None),
        ("https://a.test/contact-us", None),
        ("https://a.test/contact", None),
    ] {
        assert_eq!(link("x", href), expected, "{href}");
    }
    let by_method = json!({ "tag": "a", "name": "Item 5", "href": "https://a.test/5", "method": "delete" });
    assert_eq!(kind_of(&purpose(by_method), Deed::Press), Some(Kind::Delete));
    assert_eq!(link("Comment", "https://a.test/thread#comments"), None);
    let saved = json!({ "tag": "a", "name": "Invoice", "href": "https://a.test/i/5", "downloads": true });
    assert_eq!(kind_of(&purpose(saved), Deed::Press), Some(Kind::Download));
    for (href, role, expected) in [
        ("https://a.test/#", "", Some(Kind::Send)),
        ("javascript:send()", "", Some(Kind::Send)),
        ("https://a.test/x", "button", Some(Kind::Send)),
        ("https://a.test/#end", "", None),
    ] {
        let link = json!({ "tag": "a", "name": "Send", "href": href, "role": role });
        assert_eq!(kind_of(&purpose(link), Deed::Press), expected, "{href} {role}");
    }
}

fn form(name: &str, more: &Value) -> Purpose {
    let mut members = json!({
        "tag": "button", "kind": "submit", "name": name, "ownName": name, "submits": true, "method": "post",
        "action": "https://a.test/x", "fields": ["input text  name name text"],
    });
    for (name, value) in more.as_object().unwrap() {
        members[name] = value.clone();
    }
    purpose(members)
}

#[test]
fn forms_are_told_by_what_is_in_them_and_where_they_go() {
    let press = |purpose: &Purpose| kind_of(purpose, Deed::Press);
    let card = json!({ "fields": ["input text cc-number card card text", "button submit"] });
    assert_eq!(press(&form("Continue", &card)), Some(Kind::Purchase));
    assert_eq!(press(&form("Submit", &card)), Some(Kind::Purchase));
    assert_eq!(
        press(&form(
            "Yes",
            &json!({ "action": "https://a.test/items/5/delete" })
        )),
        Some(Kind::Delete)
    );
    assert_eq!(
        press(&form(
            "OK",
            &json!({ "fields": ["textarea textarea  message m text"] })
        )),
        Some(Kind::Send)
    );
    assert_eq!(press(&form("OK", &json!({}))), None);
    assert_eq!(
        press(&form("OK", &json!({ "method": "delete" }))),
        Some(Kind::Delete)
    );
    for (field, expected) in [
        ("input text  card[number] c", Some(Kind::Purchase)),
        ("input text  security_code c", None),
        ("input text  pan pan", None),
    ] {
        assert_eq!(
            press(&form("OK", &json!({ "fields": [field] }))),
            expected,
            "{field}"
        );
    }
    let pays = json!({ "method": "get", "action": "https://a.test/pay" });
    assert_eq!(press(&form("Go", &pays)), Some(Kind::Purchase));
    let leaves = json!({ "action": "https://a.test/delete", "fields": ["input password  p p"] });
    assert_eq!(press(&form("Go", &leaves)), Some(Kind::Delete));
    let log_in = json!({ "fields": ["input text username user u", "input password current-password p p", "button submit"] });
    assert_eq!(press(&form("Submit", &log_in)), None);
    assert_eq!(press(&form("Send", &json!({ "method": "get" }))), None);
    assert_eq!(press(&form("Send", &json!({ "formName": "search" }))), None);
    assert_eq!(press(&form("Send", &json!({}))), Some(Kind::Send));
    // Pages that send by themselves have forms without a method, and what looks like a log-in or a search.
    for more in [
        json!({ "method": "get" }),
        json!({ "fields": ["input password  p p", "input text  pin pin"] }),
        json!({ "fields": ["input search  q q"] }),
        json!({ "formName": "research" }),
    ] {
        for name in ["Send message", "Post", "Publish", "Invite", "Reply"] {
            assert_eq!(press(&form(name, &more)), Some(Kind::Send), "{name} {more}");
        }
    }
    assert_eq!(
        press(&form("Absenden", &json!({ "formName": "searchform" }))),
        None
    );
}

#[test]
fn forms_that_go_to_where_orders_are_taken_order() {
    let sent = |method: &str, path: &str, form_name: &str| {
        let more =
            json!({ "method": method, "action": format!("https://a.test{path}"), "formName": form_name });
        let mut field = form("", &more);
        field.tag = "input".to_owned();
        field.kind = "text".to_owned();
        kind_of(&field, Deed::Enter)
    };
    assert_eq!(sent("get", "/order", ""), Some(Kind::Purchase));
    assert_eq!(sent("post", "/shop/orders/", ""), Some(Kind::Purchase));
    assert_eq!(sent("post", "/api/orders/create", ""), Some(Kind::Purchase));
    assert_eq!(sent("post", "/checkout/complete", ""), Some(Kind::Purchase));
    assert_eq!(sent("post", "/checkout", ""), None);
    assert_eq!(sent("get", "/orders/new", ""), None);
    assert_eq!(sent("get", "/orders", ""), None);
    assert_eq!(sent("get", "/order", "search"), None);
    assert_eq!(sent("get", "/order/search", ""), None);
    let link = json!({ "tag": "a", "name": "Mine", "href": "https://a.test/orders" });
    assert_eq!(kind_of(&purpose(link), Deed::Press), None);
}

#[test]
fn enter_in_a_field_sends_its_form_and_elsewhere_presses() {
    let mut field = form("Place order", &json!({}));
    field.tag = "input".to_owned();
    field.kind = "text".to_owned();
    assert_eq!(kind_of(&field, Deed::Enter), Some(Kind::Purchase));
    field.submits = false;
    assert_eq!(kind_of(&field, Deed::Enter), None);
    assert_eq!(kind_of(&button("Delete"), Deed::Enter), Some(Kind::Delete));
    assert_eq!(kind_of(&field, Deed::Erase), None);
    assert_eq!(kind_of(&button("Mail of today"), Deed::Erase), Some(Kind::Delete));
    let chat = purpose(json!({ "tag": "div", "isEditor": true, "ownName": "Write a message" }));
    assert_eq!(kind_of(&chat, Deed::Enter), Some(Kind::Send));
    let line = purpose(json!({ "tag": "input", "kind": "text", "ownName": "Write a message" }));
    assert_eq!(kind_of(&line, Deed::Enter), Some(Kind::Send));
    let notes = purpose(json!({ "tag": "textarea", "isEditor": true, "ownName": "Notes" }));
    assert_eq!(kind_of(&notes, Deed::Enter), None);
}

#[test]
fn files_and_drops() {
    assert_eq!(kind_of(&button("x"), Deed::Files), Some(Kind::Upload));
    let chooser = purpose(json!({ "tag": "input", "kind": "file", "takesFiles": true }));
    assert_eq!(kind_of(&chooser, Deed::Press), Some(Kind::Upload));
    assert_eq!(kind_of(&button("Trash"), Deed::Drop), Some(Kind::Delete));
    assert_eq!(kind_of(&button("Done"), Deed::Drop), None);
    assert_eq!(kind_of(&button("Slide to pay"), Deed::Drag), Some(Kind::Purchase));
    assert_eq!(kind_of(&button("Delete"), Deed::Drag), None);
    assert_eq!(kind_of(&button("Send"), Deed::Drop), None);
}

#[test]
fn actions_and_keys_are_known_by_what_they_do() {
    let arguments = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let deed = |method, texts: &[&str]| Deed::of_action(method, &arguments(texts));
    assert_eq!(deed(Method::Click, &[]), Some(Deed::Press));
    assert_eq!(deed(Method::Click, &["right"]), Some(Deed::Press));
    assert_eq!(deed(Method::Type, &["a b"]), Some(Deed::Space));
    assert_eq!(deed(Method::Fill, &["a\n"]), None);
    assert_eq!(deed(Method::Type, &["a\n"]), Some(Deed::Enter));
    assert_eq!(deed(Method::Type, &["a"]), None);
    assert_eq!(deed(Method::Press, &["Enter"]), Some(Deed::Enter));
    assert_eq!(deed(Method::SetInputFiles, &["a.txt"]), Some(Deed::Files));
    for (keys, expected) in [
        ("Enter", Some(Deed::Enter)),
        ("ctrl+Return", Some(Deed::Enter)),
        ("Space", Some(Deed::Space)),
        ("Control+A", None),
        ("e", None),
        (" ", Some(Deed::Space)),
        ("\n", Some(Deed::Enter)),
        ("Enter+Shift", Some(Deed::Enter)),
        ("+", None),
    ] {
        assert_eq!(Deed::of_keys(keys), expected, "{keys}");
    }
}
