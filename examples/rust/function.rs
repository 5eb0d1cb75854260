//! What a lamp costs, as an HTTP function that a schedule calls: the twin of `examples/node/function`.
//!
//! ```text
//! CRON_SECRET=… PORT=8080 cargo run -p automator --example function [-- ADDRESS [MODEL]]
//! curl --header "authorization: Bearer $CRON_SECRET" http://127.0.0.1:8080/api/lamp
//! ```
//!
//! | outcome | status | body |
//! |---|---|---|
//! | success | 200 | `{ "ok": true, "data": "Arc lamp: € 49.00" }` |
//! | the secret is missing or wrong | 401 | `{ "ok": false, "error": … }` |
//! | anything else that went wrong | 500 | `{ "ok": false, "error": … }` |
//!
//! With `REMOTE_API_KEY` the browser runs on the remote platform, else on this machine.

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own may read its environment"
)]

mod bundled;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use automator::{Automator, Env, LocalBrowserLaunchOptions, ModelOptions};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;

/// How long all of it may take. Hosts of functions end them after 60 s; closing has its time before that.
const LIMIT: Duration = Duration::from_secs(50);

/// What the function works with.
pub(crate) struct Settings {
    /// What callers have to send, as `authorization: Bearer <secret>`.
    pub(crate) secret: String,
    /// The address of the shop, with a slash at its end.
    pub(crate) shop: String,
    pub(crate) env: Env,
    pub(crate) model: ModelOptions,
    pub(crate) browser: LocalBrowserLaunchOptions,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = std::env::var("CRON_SECRET").unwrap_or_default();
    if secret.len() < 32 {
        return Err("set CRON_SECRET to a secret of 32 characters or more".into());
    }
    let port: u16 = std::env::var("PORT").map_or(Ok(0), |port| port.parse())?;
    let is_remote = std::env::var("REMOTE_API_KEY").is_ok_and(|key| !key.is_empty());
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    let settings = Settings {
        secret,
        shop: place.address.clone(),
        env: if is_remote { Env::Remote } else { Env::Local },
        model: place.model.clone(),
        browser: LocalBrowserLaunchOptions::default(),
    };
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("http://{}/api/lamp", listener.local_addr()?);
    axum::serve(listener, routes(settings)).await?;
    Ok(())
}

/// What is answered where.
pub(crate) fn routes(settings: Settings) -> Router {
    Router::new()
        .route("/api/lamp", get(answer))
        .with_state(Arc::new(settings))
}

/// Answers the host and its scheduler.
async fn answer(State(settings): State<Arc<Settings>>, headers: HeaderMap) -> (StatusCode, Json<Value>) {
    let refused = |status, error: &str| (status, Json(json!({ "ok": false, "error": error })));
    if !is_sent(&settings.secret, &headers) {
        return refused(
            StatusCode::UNAUTHORIZED,
            "the authorization header is not that of CRON_SECRET",
        );
    }
    match lamp(&settings).await {
        Ok(data) => (StatusCode::OK, Json(json!({ "ok": true, "data": data }))),
        Err(error) => refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
    }
}

/// The name and the price of the lamp, from a session that is closed whatever happens.
async fn lamp(settings: &Settings) -> Result<String, Box<dyn Error + Send + Sync>> {
    let automator = Automator::builder(settings.env)
        .model(settings.model.clone())
        .local_browser(settings.browser.clone())
        .build()?;
    let outcome = tokio::time::timeout(LIMIT, read(&automator, &settings.shop)).await;
    automator.close().await?;
    outcome.unwrap_or_else(|_| Err(format!("it took longer than {} s", LIMIT.as_secs()).into()))
}

async fn read(automator: &Automator, shop: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
    automator.init().await?;
    let page = automator.context()?.active_page()?;
    page.goto(&format!("{shop}product/arc-lamp")).await?;
    let done = automator.act("press Only what is needed").await?;
    if !done.success {
        return Err(format!("the cookies could not be answered: {}", done.message).into());
    }
    let lamp = automator
        .extract("name and current price of the lamp, as name: price")
        .schema::<String>()
        .selector("article")
        .await?;
    Ok(lamp)
}

/// Whether a request brings the secret. Digests are compared: how long that takes says nothing about the secret.
fn is_sent(secret: &str, headers: &HeaderMap) -> bool {
    let sent = headers
        .get(header::AUTHORIZATION)
        .map_or(b"".as_slice(), |value| value.as_bytes());
    Sha256::digest(sent) == Sha256::digest(format!("Bearer {secret}"))
}
