//! Serves the lamp shop, with one order on its books, and the stand-in for a model until its input ends; for tests
//! and examples in other languages: `cargo run -p automator-testing --example bundled`.
//!
//! The first line of its output is JSON: `{ "site", "email", "password", "model" }`.
#![expect(clippy::print_stdout, reason = "the line is for the program that started it")]

use automator_testing::{SHOP_EMAIL, SHOP_PASSWORD, ScriptedModel, Shop};
use serde_json::json;

#[tokio::main]
async fn main() {
    let shop = Shop::start().await;
    shop.add_order();
    let model = ScriptedModel::for_shop().await;
    let told = json!({
        "site": shop.url,
        "email": SHOP_EMAIL,
        "password": SHOP_PASSWORD,
        "model": {
            "modelName": "openai/gpt-4.1-mini",
            "apiKey": "scripted",
            "baseURL": model.base_url(),
        },
    });
    println!("{told}");
    // A thread of its own: nothing is ever read, so this waits for the other program to end.
    let ended = tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()));
    let _ = ended.await;
}
