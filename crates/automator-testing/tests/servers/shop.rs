use automator_testing::{SHOP_EMAIL, SHOP_PASSWORD, Shop};
use serde_json::json;

use crate::client::{Reply, get, request};

async fn ask(shop: &Shop, path: &str, cookie: &str) -> Reply {
    request(
        shop.site().port(),
        "GET",
        path,
        &format!("Cookie: {cookie}\r\n"),
        "",
    )
    .await
    .unwrap()
}

async fn post(shop: &Shop, path: &str, headers: &str, form: &str) -> Reply {
    request(shop.site().port(), "POST", path, headers, form)
        .await
        .unwrap()
}

/// The texts between two marks, in order.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start)
        .skip(1)
        .filter_map(|rest| rest.split_once(end))
        .map(|(inner, _)| inner)
        .collect()
}

fn names(reply: &Reply) -> Vec<&str> {
    between(&reply.body, "<h2><a href=\"/product/", "</a>")
        .into_iter()
        .filter_map(|link| link.split_once('>'))
        .map(|(_, name)| name)
        .collect()
}

#[tokio::test]
async fn the_home_page_lists_products_with_price_availability_rating_and_image() {
    let shop = Shop::start().await;
    let home = get(shop.site().port(), "/").await.unwrap();
    assert!(names(&home).len() >= 12);
    for text in [
        "<title>Lamp shop</title>",
        "<p class=\"price\">€ 49.00</p>",
        "<s>Was € 24.90,</s> now € 19.90",
        "4.6 out of 5, 128 reviews",
        "Only 3 left",
        "Back in March",
        "alt=\"Arc lamp in brass\"",
        "id=\"cookie-banner\"",
    ] {
        assert!(home.body.contains(text), "{text}");
    }
    assert!(!home.body.contains("{{"), "a place was not filled");
    assert_eq!(
        home.body,
        get(shop.site().port(), "/").await.unwrap().body,
        "twice the same"
    );
}

#[tokio::test]
async fn categories_stock_and_sorting_change_the_list() {
    let shop = Shop::start().await;
    let desk = ask(&shop, "/?category=desk&sort=price", "").await;
    assert_eq!(
        names(&desk),
        ["Clip light", "Arc lamp", "Beam desk lamp", "Drafting lamp"]
    );
    assert!(
        desk.body
            .contains("<a href=\"/?category=desk\" aria-current=\"page\">Desk lamps</a>")
    );
    assert!(desk.body.contains("<option value=\"price\" selected>"));
    let ceiling = ask(&shop, "/?category=ceiling&stock=yes", "").await;
    assert_eq!(names(&ceiling), ["Nest pendant"]);
    assert_eq!(
        names(&ask(&shop, "/?category=sale", "").await),
        ["Clip light", "Harbour floor lamp"]
    );
    assert_eq!(names(&ask(&shop, "/?sort=newest", "").await)[0], "Sconce No. 4");
}

#[tokio::test]
async fn every_product_has_a_page_and_an_image() {
    let shop = Shop::start().await;
    let home = get(shop.site().port(), "/").await.unwrap();
    for slug in between(&home.body, "<h2><a href=\"/product/", "\"") {
        let page = ask(&shop, &format!("/product/{slug}"), "").await;
        assert!(
            page.status == 200 && page.body.contains("<shop-reviews>") && !page.body.contains("{{"),
            "{slug}"
        );
        let reviews = between(&page.body, "application/json\">", "</script>")[0];
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(reviews)
                .unwrap()
                .as_array()
                .unwrap()
                .len(),
            3
        );
        let image = ask(&shop, &format!("/images/{slug}.svg"), "").await;
        assert_eq!(
            (image.status, image.header("content-type")),
            (200, Some("image/svg+xml")),
            "{slug}"
        );
    }
    assert_eq!(ask(&shop, "/product/none", "").await.status, 404);
}

#[tokio::test]
async fn search_finds_and_suggests() {
    let shop = Shop::start().await;
    assert_eq!(names(&ask(&shop, "/search?q=brass+arc", "").await), ["Arc lamp"]);
    assert_eq!(
        ask(&shop, "/suggest?q=orb", "").await.json(),
        json!([{ "name": "Orbit pendant", "link": "/product/orbit-pendant" }])
    );
    assert_eq!(
        ask(&shop, "/suggest?q=lamp", "")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        6
    );
    let hostile = ask(&shop, "/search?q=%3Cscript%3E%22", "").await;
    assert!(hostile.body.contains("&lt;script&gt;&quot;") && !hostile.body.contains("<script>\""));
}

#[tokio::test]
async fn the_basket_adds_changes_and_removes() {
    let shop = Shop::start().await;
    let scripted = post(
        &shop,
        "/basket/add",
        "Accept: application/json\r\n",
        "product=arc-lamp&amount=2",
    )
    .await;
    assert_eq!(
        scripted.json(),
        json!({ "count": 2, "message": "Arc lamp is in your basket" })
    );
    assert_eq!(
        scripted.header("set-cookie"),
        Some("basket=arc-lamp*2; Path=/; SameSite=Lax")
    );
    let plain = post(
        &shop,
        "/basket/add",
        "Cookie: basket=arc-lamp*2\r\n",
        "product=clip-light",
    )
    .await;
    assert_eq!((plain.status, plain.header("location")), (303, Some("/basket")));
    let basket = ask(
        &shop,
        "/basket",
        "basket=arc-lamp*2.clip-light*1.unknown*3.arc-lamp",
    )
    .await;
    assert!(
        basket.body.contains("<td id=\"total\">€ 117.90</td>"),
        "{}",
        basket.body
    );
    assert!(basket.body.contains("<span id=\"basket-count\">3</span>"));
    let update = post(
        &shop,
        "/basket/update",
        "Cookie: basket=arc-lamp*2.clip-light*1\r\n",
        "arc-lamp=4&clip-light=1&remove=clip-light",
    )
    .await;
    assert_eq!(
        update.header("set-cookie"),
        Some("basket=arc-lamp*4; Path=/; SameSite=Lax")
    );
    assert!(
        ask(&shop, "/basket", "basket=arc-lamp*1")
            .await
            .body
            .contains("<td id=\"total\">€ 53.50</td>")
    );
}

#[tokio::test]
async fn no_more_than_the_stock_can_be_ordered() {
    let shop = Shop::start().await;
    let reply = post(
        &shop,
        "/basket/add",
        "Accept: application/json\r\n",
        "product=drafting-lamp&amount=7",
    )
    .await;
    assert_eq!(
        reply.json(),
        json!({ "count": 3, "message": "We only have 3 of Drafting lamp" })
    );
}

const FILLED: &str = "name=Mira+K%C3%B6nig&email=mira%40lamp-shop.test&street=Hafenstr.+1&postcode=20457&city=Hamburg&country=Germany&delivery=express&date=2027-03-01&note=&payment=card&terms=yes";

#[tokio::test]
async fn a_complete_checkout_becomes_an_order_with_an_invoice() {
    let shop = Shop::start().await;
    let placed = post(&shop, "/checkout", "Cookie: basket=arc-lamp*2\r\n", FILLED).await;
    assert_eq!(
        (placed.status, placed.header("location")),
        (303, Some("/order/1001"))
    );
    let orders = shop.orders();
    assert_eq!(
        (orders.len(), orders[0].number, orders[0].total_cents),
        (1, 1001, 10_750)
    );
    assert_eq!(
        (
            orders[0].name.as_str(),
            orders[0].delivery.as_str(),
            orders[0].payment.as_str()
        ),
        ("Mira König", "express", "card")
    );
    assert_eq!(orders[0].lines, [("Arc lamp".to_owned(), 2, 9800)]);
    let confirmation = ask(&shop, "/order/1001", "").await;
    assert!(
        confirmation.body.contains("Thank you, Mira König")
            && confirmation.body.contains("not before 2027-03-01")
    );
    let invoice = ask(&shop, "/order/1001/invoice", "").await;
    assert_eq!(invoice.header("content-type"), Some("application/pdf"));
    assert_eq!(
        invoice.header("content-disposition"),
        Some("attachment; filename=\"invoice-1001.pdf\"")
    );
    assert!(
        invoice.body.starts_with("%PDF-1.4") && invoice.body.contains("(Total with delivery: EUR 107.50)")
    );
    assert_eq!(ask(&shop, "/order/1002", "").await.status, 404);
}

#[tokio::test]
async fn an_incomplete_checkout_says_what_is_wrong_and_keeps_the_rest() {
    let shop = Shop::start().await;
    let form = FILLED
        .replace("postcode=20457", "postcode=x")
        .replace("&terms=yes", "")
        .replace("2027-03-01", "2027-02-30");
    let reply = post(&shop, "/checkout", "Cookie: basket=arc-lamp*2\r\n", &form).await;
    assert_eq!(reply.status, 422);
    assert_eq!(
        between(&reply.body, "<li>", "</li>")
            .into_iter()
            .filter(|item| item.contains("lease") || item.contains("digits"))
            .collect::<Vec<_>>(),
        [
            "A postcode has four to six digits.",
            "Please check the delivery date.",
            "Please accept the terms of sale."
        ]
    );
    assert!(
        reply.body.contains("value=\"Mira König\"")
            && reply.body.contains("<option value=\"Germany\" selected>")
    );
    assert!(shop.orders().is_empty());
    assert_eq!(
        ask(&shop, "/checkout", "").await.header("location"),
        Some("/basket"),
        "an empty basket"
    );
}

#[tokio::test]
async fn signing_in_needs_the_right_password() {
    let shop = Shop::start().await;
    let wrong = post(&shop, "/login", "", "email=a%40b.c&password=x").await;
    assert!(
        wrong.status == 422
            && wrong.body.contains("role=\"alert\"")
            && wrong.body.contains("value=\"a@b.c\"")
    );
    let right = post(
        &shop,
        "/login",
        "",
        &format!("email={SHOP_EMAIL}&password={SHOP_PASSWORD}"),
    )
    .await;
    assert_eq!((right.status, right.header("location")), (303, Some("/account")));
    let cookie = right
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    assert!(
        ask(&shop, "/account", &cookie)
            .await
            .body
            .contains("No orders yet.")
    );
    assert_eq!(
        ask(&shop, "/account", "").await.header("location"),
        Some("/login")
    );
    assert!(
        post(&shop, "/logout", "", "")
            .await
            .header("set-cookie")
            .unwrap()
            .contains("Max-Age=0")
    );
}

#[tokio::test]
async fn the_newsletter_comes_from_the_other_site_and_keeps_addresses() {
    let shop = Shop::start().await;
    let port = shop.site().port();
    let home = get(port, "/").await.unwrap();
    assert!(
        home.body
            .contains(&format!("src=\"http://localhost:{port}/newsletter\""))
    );
    let done = post(&shop, "/newsletter", "", "email=me%40home.test").await;
    assert!(
        done.body
            .contains("Welcome! The next letter goes to me@home.test")
    );
    assert_eq!(shop.newsletter(), ["me@home.test"]);
}

#[tokio::test]
async fn consent_hides_the_cookie_banner() {
    let shop = Shop::start().await;
    assert!(
        !ask(&shop, "/", "consent=all")
            .await
            .body
            .contains("cookie-banner")
    );
}

#[tokio::test]
async fn a_product_is_found_by_its_item_number_too() {
    let shop = Shop::start().await;
    let reply = ask(&shop, "/item/502", "").await;
    assert!(reply.body.contains("<h1>Beam desk lamp</h1>"));
    assert!(reply.body.contains("LS-502"));
    assert_eq!(ask(&shop, "/item/499", "").await.status, 404);
}

#[tokio::test]
async fn an_order_of_before_stands_in_the_account_with_its_invoice() {
    let shop = Shop::start().await;
    let order = shop.add_order();
    assert_eq!((order.number, shop.orders()), (1001, vec![order]));
    assert!(
        ask(&shop, "/account", "user=mira")
            .await
            .body
            .contains("/order/1001")
    );
    assert!(
        ask(&shop, "/order/1001/invoice", "")
            .await
            .body
            .starts_with("%PDF")
    );
}
