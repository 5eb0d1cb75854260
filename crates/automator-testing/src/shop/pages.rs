//! The pages for looking around.

use serde_json::json;

use super::basket::Basket;
use super::checkout::Order;
use super::products::{self, CATEGORIES, Product};
use super::template::{Slot, escape, fill, html};
use super::{SHOP_EMAIL, SHOP_PASSWORD, euro};
use crate::hit::Hit;
use crate::route::Route;

/// A page inside the shop's frame: header, navigation, footer, cookie banner.
pub(super) fn page(hit: &Hit, port: u16, title: &str, content: String) -> Route {
    // The newsletter comes from the other of the two sites, as such forms do.
    let host = hit.header("host").unwrap_or_default();
    let other = if host.starts_with("localhost") {
        "127.0.0.1"
    } else {
        "localhost"
    };
    let (account_link, account_text) = if user(hit).is_some() {
        ("/account", "Account")
    } else {
        ("/login", "Sign in")
    };
    let banner = if hit.cookie("consent").is_some() {
        ""
    } else {
        include_str!("../../pages/shop/banner.html")
    };
    Route::html(fill(
        include_str!("../../pages/shop/layout.html"),
        &[
            ("title", title.into()),
            ("query", hit.query_value("q").unwrap_or_default().into()),
            ("account_link", account_link.into()),
            ("account_text", account_text.into()),
            ("basket_count", Basket::read(hit).count().to_string().into()),
            ("navigation", html(navigation(hit))),
            ("content", html(content)),
            (
                "newsletter_url",
                format!("http://{other}:{port}/newsletter").into(),
            ),
            ("banner", html(banner)),
        ],
    ))
}

/// Who is signed in.
pub(super) fn user(hit: &Hit) -> Option<&str> {
    hit.cookie("user").filter(|user| *user == "mira")
}

fn navigation(hit: &Hit) -> String {
    let here = if hit.path == "/" {
        hit.query_value("category").unwrap_or_default()
    } else {
        "-".to_owned()
    };
    let mut items = String::new();
    for (word, name) in [("", "All lamps")]
        .into_iter()
        .chain(CATEGORIES.map(|(word, name, _)| (word, name)))
        .chain([("sale", "Sale")])
    {
        let address = if word.is_empty() {
            "/".to_owned()
        } else {
            format!("/?category={word}")
        };
        let current = if word == here {
            " aria-current=\"page\""
        } else {
            ""
        };
        items.push_str(&format!(
            "<li><a href=\"{address}\"{current}>{}</a></li>",
            escape(name)
        ));
    }
    items
}

pub(super) fn home(hit: &Hit, port: u16) -> Route {
    let category = hit.query_value("category").unwrap_or_default();
    let sort = hit.query_value("sort").unwrap_or_default();
    let only_stock = hit.query_value("stock").is_some();
    let (heading, lead) = match CATEGORIES.iter().find(|(word, ..)| *word == category) {
        Some((_, name, lead)) => (*name, *lead),
        None if category == "sale" => ("Sale", "Last pieces for less."),
        None => ("All lamps", "Fourteen lamps, and each of them for a reason."),
    };
    let mut found: Vec<&Product> = products::all()
        .iter()
        .filter(|product| match category.as_str() {
            "" => true,
            "sale" => product.cents_before().is_some(),
            word => product.category == word,
        })
        .filter(|product| !only_stock || product.stock > 0)
        .collect();
    match sort.as_str() {
        "price" => found.sort_by_key(|product| product.cents()),
        "price-down" => found.sort_by_key(|product| std::cmp::Reverse(product.cents())),
        "rating" => found.sort_by(|one, other| other.rating.total_cmp(&one.rating)),
        "newest" => found.sort_by_key(|product| std::cmp::Reverse(product.added)),
        _ => {}
    }
    let categories = [("", "All")]
        .into_iter()
        .chain(CATEGORIES.map(|(word, name, _)| (word, name)))
        .chain([("sale", "Sale")]);
    let sorts = [
        ("", "Name"),
        ("price", "Price, low to high"),
        ("price-down", "Price, high to low"),
        ("rating", "Rating"),
        ("newest", "Newest"),
    ];
    let content = fill(
        include_str!("../../pages/shop/home.html"),
        &[
            ("heading", heading.into()),
            ("lead", lead.into()),
            ("categories", html(options(categories, &category))),
            ("sorts", html(options(sorts.into_iter(), &sort))),
            ("stock_checked", html(checked(only_stock))),
            ("count", count_text(found.len()).into()),
            ("cards", html(cards(&found))),
        ],
    );
    let title = if category.is_empty() {
        "Lamp shop".to_owned()
    } else {
        format!("{heading} – Lamp shop")
    };
    page(hit, port, &title, content)
}

pub(super) fn search(hit: &Hit, port: u16) -> Route {
    let query = hit.query_value("q").unwrap_or_default();
    let found = products::matching(&query);
    let content = fill(
        include_str!("../../pages/shop/search.html"),
        &[
            (
                "count",
                format!("{} for “{query}”", count_text(found.len())).into(),
            ),
            ("cards", html(cards(&found))),
        ],
    );
    page(hit, port, "Search – Lamp shop", content)
}

/// Up to six names for what has been typed so far.
pub(super) fn suggestions(hit: &Hit) -> Route {
    let query = hit.query_value("q").unwrap_or_default();
    let found: Vec<_> = products::matching(&query)
        .into_iter()
        .take(6)
        .map(|product| json!({ "name": product.name, "link": format!("/product/{}", product.slug) }))
        .collect();
    Route::json(&json!(found))
}

pub(super) fn product(hit: &Hit, port: u16, product: &Product) -> Route {
    let order = if product.stock == 0 {
        "<p><button disabled>Add to basket</button></p>".to_owned()
    } else {
        fill(
            include_str!("../../pages/shop/order.html"),
            &[
                ("slug", (&product.slug).into()),
                ("stock_left", product.stock.to_string().into()),
            ],
        )
    };
    let more: String = products::all()
        .iter()
        .filter(|other| other.category == product.category && other.slug != product.slug)
        .map(|other| {
            format!(
                "<li><a href=\"/product/{}\">{}</a></li>",
                escape(&other.slug),
                escape(&other.name)
            )
        })
        .collect();
    let mut slots = card_slots(product);
    slots.extend([
        ("category", Slot::from(&product.category)),
        ("category_name", product.category_name().into()),
        ("summary", (&product.summary).into()),
        ("order", html(order)),
        ("item_number", format!("LS-{}", product.number()).into()),
        ("watt", product.watt.to_string().into()),
        ("height", product.height.to_string().into()),
        ("reviews_json", html(reviews(product))),
        ("more", html(more)),
    ]);
    let content = fill(include_str!("../../pages/shop/product.html"), &slots);
    page(hit, port, &format!("{} – Lamp shop", product.name), content)
}

/// Three reviews, as the reviews element reads them.
fn reviews(product: &Product) -> String {
    let best = if product.rating >= 4.5 { 5 } else { 4 };
    let list = json!([
        { "author": "Ida", "stars": best, "text": format!("The {} looks even better in real life.", product.name.to_lowercase()), "helpful": product.reviews % 17 },
        { "author": "Jonas", "stars": 4, "text": format!("Nice light at {} watts. The cable could be longer.", product.watt), "helpful": product.reviews % 11 },
        { "author": "Samira", "stars": 3, "text": format!("Well made. With its {} cm it is just right for our room.", product.height), "helpful": product.reviews % 5 },
    ]);
    // Inside a script element only this would end it.
    list.to_string().replace("</", "<\\/")
}

fn cards(found: &[&Product]) -> String {
    found
        .iter()
        .map(|product| {
            let mut slots = card_slots(product);
            let button = if product.stock == 0 {
                "<button disabled>Add to basket</button>".to_owned()
            } else {
                format!(
                    "<form method=\"post\" action=\"/basket/add\" data-add><input type=\"hidden\" name=\"product\" value=\"{}\"><button>Add to basket</button></form>",
                    escape(&product.slug)
                )
            };
            slots.push(("button", html(button)));
            fill(include_str!("../../pages/shop/card.html"), &slots)
        })
        .collect()
}

/// What a card and a product page have in common.
fn card_slots(product: &Product) -> Vec<(&'static str, Slot)> {
    let price = match product.cents_before() {
        Some(before) => format!("<s>Was {},</s> now {}", euro(before), euro(product.cents())),
        None => euro(product.cents()),
    };
    let (stock, class) = product.availability();
    vec![
        ("slug", (&product.slug).into()),
        ("name", (&product.name).into()),
        ("finish", (&product.finish).into()),
        ("price", html(format!("<p class=\"price\">{price}</p>"))),
        ("rating", format!("{:.1}", product.rating).into()),
        ("reviews", product.reviews.to_string().into()),
        (
            "stock",
            html(format!("<p class=\"{class}\">{}</p>", escape(&stock))),
        ),
    ]
}

pub(super) fn image(product: &Product) -> String {
    let drawing = match product.category.as_str() {
        "desk" => include_str!("../../pages/shop/images/desk.svg"),
        "floor" => include_str!("../../pages/shop/images/floor.svg"),
        "ceiling" => include_str!("../../pages/shop/images/ceiling.svg"),
        "wall" => include_str!("../../pages/shop/images/wall.svg"),
        _ => include_str!("../../pages/shop/images/table.svg"),
    };
    fill(drawing, &[("colour", (&product.colour).into())])
}

pub(super) fn delivery(hit: &Hit, port: u16) -> Route {
    page(
        hit,
        port,
        "Delivery and returns – Lamp shop",
        include_str!("../../pages/shop/delivery.html").to_owned(),
    )
}

/// The sign-in; `email` is what was tried without success, or nothing.
pub(super) fn login(hit: &Hit, port: u16, email: &str) -> Route {
    let problem = "<div class=\"problems\" role=\"alert\">Email or password is wrong.</div>";
    let content = fill(
        include_str!("../../pages/shop/login.html"),
        &[
            ("problems", html(if hit.method == "POST" { problem } else { "" })),
            ("email", email.into()),
            ("demo_email", SHOP_EMAIL.into()),
            ("demo_password", SHOP_PASSWORD.into()),
        ],
    );
    page(hit, port, "Sign in – Lamp shop", content)
}

pub(super) fn account(hit: &Hit, port: u16, orders: &[Order]) -> Route {
    let items: String = orders
        .iter()
        .map(|order| {
            format!(
                "<li><a href=\"/order/{0}\">Order {0}</a>, {1}</li>",
                order.number,
                euro(order.total_cents)
            )
        })
        .collect();
    let list = if items.is_empty() {
        "<p>No orders yet.</p>".to_owned()
    } else {
        format!("<ul>{items}</ul>")
    };
    let content = fill(
        include_str!("../../pages/shop/account.html"),
        &[("email", SHOP_EMAIL.into()), ("orders", html(list))],
    );
    page(hit, port, "Your account – Lamp shop", content)
}

/// The page in the newsletter frame; with an address it thanks.
pub(super) fn newsletter(email: Option<&str>) -> Route {
    let content = match email {
        Some(email) => fill(
            include_str!("../../pages/shop/newsletter_done.html"),
            &[("email", email.into())],
        ),
        None => include_str!("../../pages/shop/newsletter_form.html").to_owned(),
    };
    Route::html(fill(
        include_str!("../../pages/shop/newsletter.html"),
        &[("content", html(content))],
    ))
}

pub(super) fn not_found(hit: &Hit, port: u16) -> Route {
    Route {
        status: 404,
        ..message(hit, port, "Not found", "There is nothing here.")
    }
}

/// A page that says one thing.
pub(super) fn message(hit: &Hit, port: u16, heading: &str, text: &str) -> Route {
    let content = fill(
        include_str!("../../pages/shop/message.html"),
        &[("heading", heading.into()), ("text", text.into())],
    );
    page(hit, port, &format!("{heading} – Lamp shop"), content)
}

/// The options of a select.
pub(super) fn options<'a>(choices: impl Iterator<Item = (&'a str, &'a str)>, chosen: &str) -> String {
    choices
        .map(|(value, text)| {
            let selected = if value == chosen { " selected" } else { "" };
            format!(
                "<option value=\"{}\"{selected}>{}</option>",
                escape(value),
                escape(text)
            )
        })
        .collect()
}

pub(super) fn checked(is_checked: bool) -> &'static str {
    if is_checked { " checked" } else { "" }
}

fn count_text(count: usize) -> String {
    if count == 1 {
        "1 lamp".to_owned()
    } else {
        format!("{count} lamps")
    }
}
