//! What goes wrong, and what becomes of everything else then: killed servers and browsers, clients that do not read,
//! crowds, full disks, sessions whose time is over.

mod ageing;
mod child;
#[path = "../client/mod.rs"]
mod client;
mod crowding;
mod enduring;
mod fake;
mod filling;
mod killing;
mod reading;
mod refusing;
mod stopping;

use std::time::{Duration, Instant};

use automator_cdp::{CloseReason, Connection, WebSocketOptions, WebSocketTransport};
use serde_json::{Value, json};

use client::Client;

/// How long anything may take that has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether the long runs are asked for.
fn is_soak() -> bool {
    std::env::var_os("AUTOMATOR_SOAK").is_some()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no `{name}` in {value}"))
}

async fn connect(url: &str) -> Connection {
    let transport = WebSocketTransport::connect(url, &WebSocketOptions::default())
        .await
        .expect("a connection");
    Connection::new(transport)
}

/// Creates a session, which must succeed.
async fn create(client: &Client, parameters: &Value) -> Value {
    let (status, session) = client.post("/v1/sessions", parameters).await;
    assert_eq!(status, 200, "{session}");
    session
}

async fn release(client: &Client, session: &Value) -> (u16, Value) {
    let path = format!("/v1/sessions/{}", text(session, "id"));
    client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await
}

async fn retrieve(client: &Client, session: &Value) -> Value {
    let path = format!("/v1/sessions/{}", text(session, "id"));
    client.get(&path).await.1
}

/// Waits until something is so.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn until_status(client: &Client, session: &Value, status: &str) -> Value {
    until(status, async || {
        retrieve(client, session).await["status"] == status
    })
    .await;
    retrieve(client, session).await
}

/// The value of a figure of the server.
async fn figure(client: &Client, sample: &str) -> f64 {
    let (status, text) = client.get("/metrics").await;
    assert_eq!(status, 200, "{text}");
    let text = text.as_str().unwrap_or_default();
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    value
        .unwrap_or_else(|| panic!("no {sample} in {text}"))
        .parse()
        .expect("a number")
}

/// The close code and the reason that a connection has heard.
async fn closed(connection: &Connection) -> (Option<u16>, String) {
    let reason = tokio::time::timeout(PATIENCE, connection.closed())
        .await
        .expect("the connection is closed");
    match reason {
        CloseReason::Told { code, reason } => (Some(code), reason),
        other => (None, format!("{other:?}")),
    }
}
