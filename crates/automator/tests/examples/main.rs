//! The programs in `examples/rust/`, run against the bundled shop and its stand-in for a model.

#![expect(dead_code, reason = "each example has a `main` that is not called here")]
#![expect(
    clippy::duplicate_mod,
    reason = "each example is a program of its own and brings what it shares with the others"
)]

#[path = "../../../../examples/rust/checkout.rs"]
mod checkout;
#[path = "../../../../examples/rust/download_invoice.rs"]
mod download_invoice;
#[path = "../../../../examples/rust/function.rs"]
mod function;
#[path = "../../../../examples/rust/login.rs"]
mod login;
#[path = "../../../../examples/rust/price_watch.rs"]
mod price_watch;
#[path = "../../../../examples/rust/table_to_csv.rs"]
mod table_to_csv;

use automator::{Automator, Builder, Env, LocalBrowserLaunchOptions};
use automator_testing::{Route, SHOP_EMAIL, SHOP_PASSWORD, ScriptedModel, Shop, Site};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Keeps the browser from calling out; tests only ever reach this computer.
const QUIET: [&str; 4] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

struct Stage {
    shop: Shop,
    model: ScriptedModel,
    automator: Automator,
}

impl Stage {
    async fn set(change: impl FnOnce(Builder) -> Builder) -> Self {
        let model = ScriptedModel::for_shop().await;
        let builder = Automator::builder(Env::Local)
            .model(login::bundled::stand_in(&model))
            .local_browser(quiet());
        let automator = change(builder).build().unwrap();
        automator.init().await.unwrap();
        Self {
            shop: Shop::start().await,
            model,
            automator,
        }
    }

    async fn strike(self) {
        assert_eq!(self.model.failures(), Vec::<String>::new());
        self.automator.close().await.unwrap();
    }
}

fn quiet() -> LocalBrowserLaunchOptions {
    LocalBrowserLaunchOptions {
        args: QUIET.map(str::to_owned).to_vec(),
        ..LocalBrowserLaunchOptions::default()
    }
}

#[tokio::test]
async fn login_signs_in_and_tells_nobody_the_password() {
    let stage = Stage::set(|builder| builder).await;
    let account = login::run(&stage.automator, &stage.shop.url, SHOP_EMAIL, SHOP_PASSWORD).await;
    assert!(account.unwrap().contains(SHOP_EMAIL));
    // The sign-in page itself shows the password of the demo account; nothing else tells it.
    let told = format!("{:?}", stage.automator.history());
    assert!(
        told.contains("%password%") && !told.contains(SHOP_PASSWORD),
        "{told}"
    );
    stage.strike().await;
}

#[tokio::test]
async fn login_says_what_the_site_says_when_the_password_is_wrong() {
    let stage = Stage::set(|builder| builder).await;
    let outcome = login::run(&stage.automator, &stage.shop.url, SHOP_EMAIL, "dim-morning").await;
    let message = outcome.unwrap_err().to_string();
    assert!(message.to_lowercase().contains("password"), "{message}");
    stage.strike().await;
}

#[tokio::test]
async fn table_to_csv_writes_the_specification() {
    let stage = Stage::set(|builder| builder).await;
    let address = format!("{}product/arc-lamp", stage.shop.url);
    let csv = table_to_csv::run(&stage.automator, &address).await.unwrap();
    let expected = "property,value\r\nItem number,LS-501\r\nFinish,brass\r\nPower,7 W\r\nHeight,42 cm\r\n\
                    Light colour,\"2700 K, warm white\"\r\n";
    assert_eq!(csv, expected);
    stage.strike().await;
}

#[tokio::test]
async fn checkout_corrects_the_postcode_and_places_the_order() {
    let stage = Stage::set(|builder| builder).await;
    let (number, lines) = checkout::run(&stage.automator, &stage.shop.url).await.unwrap();
    let line = checkout::OrderLine {
        product: "Arc lamp".to_owned(),
        amount: 1,
        sum: 49.0,
    };
    assert_eq!((number.as_str(), lines), ("1001", vec![line]));
    let orders = stage.shop.orders();
    assert_eq!(orders.len(), 1);
    let order = &orders[0];
    assert_eq!(
        (
            order.postcode.as_str(),
            order.country.as_str(),
            order.delivery.as_str()
        ),
        ("1015", "Netherlands", "express")
    );
    stage.strike().await;
}

#[tokio::test]
async fn price_watch_asks_the_model_once() {
    let folder = tempfile::tempdir().unwrap();
    let stage = Stage::set(|builder| builder.cache_dir(folder.path())).await;
    let (automator, site) = (&stage.automator, &stage.shop.url);
    let first = price_watch::run(automator, site, &[501]).await.unwrap();
    assert_eq!((first[0].name.as_str(), first[0].price), ("Arc lamp", 49.0));
    let second = price_watch::run(automator, site, &[501, 502]).await.unwrap();
    assert_eq!(second[0], first[0]);
    assert_eq!(
        (second[1].name.as_str(), second[1].price),
        ("Beam desk lamp", 64.5)
    );
    assert_eq!(stage.model.requests().len(), 1);
    stage.strike().await;
}

#[tokio::test]
async fn download_invoice_saves_the_file_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let launch = LocalBrowserLaunchOptions {
        downloads_path: Some(folder.path().to_owned()),
        ..quiet()
    };
    let stage = Stage::set(|builder| builder.local_browser(launch)).await;
    let order = stage.shop.add_order().number.to_string();
    let path = download_invoice::run(&stage.automator, &stage.shop.url, &order).await;
    let path = path.unwrap();
    assert_eq!(path, folder.path().join("invoice-1001.pdf"));
    assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF"));
    stage.strike().await;
}

const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Serves the function over a shop, and calls it once with an `authorization` header; its status and its body.
async fn call_function(shop: &str, model: &ScriptedModel, authorization: &str) -> (u16, Value) {
    let settings = function::Settings {
        secret: SECRET.to_owned(),
        shop: shop.to_owned(),
        env: Env::Local,
        model: login::bundled::stand_in(model),
        browser: quiet(),
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, function::routes(settings)).await });
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("host: {address}\r\nauthorization: {authorization}\r\nconnection: close");
    let request = format!("GET /api/lamp HTTP/1.1\r\n{head}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    server.abort();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap())
}

#[tokio::test]
async fn function_answers_with_what_it_read() {
    let (shop, model) = (Shop::start().await, ScriptedModel::for_shop().await);
    let answer = call_function(&shop.url, &model, &format!("Bearer {SECRET}")).await;
    assert_eq!(answer, (200, json!({ "ok": true, "data": "Arc lamp: € 49.00" })));
    assert_eq!(model.failures(), Vec::<String>::new());
}

#[tokio::test]
async fn function_does_nothing_without_the_secret() {
    let (site, model) = (Site::start().await, ScriptedModel::for_shop().await);
    for wrong in ["", "Bearer", "Bearer 0123456789abcdef", SECRET] {
        let (status, body) = call_function(&site.url("/"), &model, wrong).await;
        assert_eq!((status, &body["ok"]), (401, &json!(false)), "{wrong:?}");
    }
    assert!(site.hits().is_empty());
}

#[tokio::test]
async fn function_tells_what_went_wrong_on_the_page() {
    let (site, model) = (Site::start().await, ScriptedModel::for_shop().await);
    site.route(
        "/product/arc-lamp",
        Route::html("<main><h1>Closed for repairs</h1></main>"),
    );
    let (status, body) = call_function(&site.url("/"), &model, &format!("Bearer {SECRET}")).await;
    assert_eq!((status, &body["ok"]), (500, &json!(false)));
    let error = body["error"].as_str().unwrap();
    assert!(error.contains("the cookies could not be answered"), "{error}");
}
