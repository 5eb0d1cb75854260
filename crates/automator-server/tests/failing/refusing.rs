//! Requests that are refused before anything is done: always by JSON of the same form.

use std::sync::Arc;

use automator_server::store::SqliteStore;
use serde_json::Value;

use super::client::Client;
use super::fake::Rig;
use super::text;

async fn start(change: impl FnOnce(&mut automator_server::ServerOptions)) -> Rig {
    let store = SqliteStore::in_memory().expect("a store");
    Rig::start(Arc::new(store), change).await
}

type Headers<'a> = &'a [(&'a str, &'a str)];

/// Checks the form of an error, and gives its message.
fn message(status: u16, head: &str, body: &[u8]) -> String {
    let head = head.to_ascii_lowercase();
    assert!(head.contains("content-type: application/json"), "{head}");
    let body: Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(body["statusCode"], status, "{body}");
    assert!(!text(&body, "error").is_empty(), "{body}");
    text(&body, "message").to_owned()
}

async fn refused(
    client: &Client,
    method: &str,
    path: &str,
    headers: Headers<'_>,
    sent: &[u8],
) -> (u16, String) {
    let (status, head, body) = client.send_bytes(method, path, headers, sent).await;
    (status, message(status, &head, &body))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_members_of_queries_are_refused_where_they_would_be_ignored() {
    let rig = start(|_| {}).await;
    let id = "7c9d0a52-0000-4000-8000-000000000000";
    for (method, path, known) in [
        ("GET", "/v1/sessions?statuz=RUNNING".to_owned(), "`status`, `q`"),
        (
            "GET",
            "/v1/sessions?status=RUNNING&statuz=".to_owned(),
            "`status`, `q`",
        ),
        ("POST", "/v1/sessions?statuz=1".to_owned(), "none"),
        ("GET", format!("/v1/sessions/{id}?statuz=1"), "none"),
        ("POST", format!("/v1/sessions/{id}/act?statuz=1"), "none"),
        ("GET", format!("/v1/sessions/{id}/debug?statuz=60"), "`expiresIn`"),
        (
            "POST",
            format!("/v1/sessions/{id}/uploads?statuz=a.txt"),
            "`name`, `token`",
        ),
        ("GET", format!("/v1/sessions/{id}/downloads?statuz=1"), "`token`"),
        ("DELETE", format!("/v1/contexts/{id}?statuz=1"), "none"),
    ] {
        let (status, message) = refused(&rig.client, method, &path, &[], b"").await;
        assert_eq!(status, 400, "{method} {path}: {message}");
        assert!(
            message.contains("`statuz`") && message.ends_with(known),
            "{message}"
        );
    }
    // As the clients of the hosted contract ask.
    let (status, list) = rig
        .client
        .get("/v1/sessions?q=user_metadata%5B%27a%27%5D&status=RUNNING")
        .await;
    assert_eq!((status, list), (200, serde_json::json!([])));
    for open in [
        "/docs?a=1",
        "/healthz?a=1",
        "/readyz?a=1",
        "/sessions?a=1",
        "/sessions/assets/view.css?v=2",
        "/metrics?a=1",
    ] {
        let (status, _, _) = rig.client.send_bytes("GET", open, &[], b"").await;
        assert_eq!(status, 200, "{open}");
    }
    // Clients add to the addresses of WebSockets.
    let session = super::create(&rig.client, &serde_json::json!({ "keepAlive": true })).await;
    let address = format!("{}&more=1", text(&session, "connectUrl"));
    super::connect(&address).await.close();
    rig.server.stop().await;
}
