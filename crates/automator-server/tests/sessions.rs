//! Sessions over HTTP, with real browsers.

mod client;

use std::path::Path;
use std::time::{Duration, Instant};

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::{CloseReason, Connection, WebSocketOptions, WebSocketTransport};
use automator_server::slots::SlotLimits;
use automator_server::{Server, ServerOptions, create_key};
use client::{Client, Folder, start};
use serde_json::{Value, json};

fn options(folder: &Path) -> ServerOptions {
    let mut options = client::options(folder);
    options.platform.grace = Duration::from_secs(2);
    options
}

async fn connect(url: &str) -> Connection {
    let transport = WebSocketTransport::connect(url, &WebSocketOptions::default())
        .await
        .expect("a connection");
    Connection::new(transport)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Waits until a session is in a state, and gives it.
async fn until(client: &Client, id: &str, status: &str) -> Value {
    let begun = Instant::now();
    loop {
        let (_, session) = client.get(&format!("/v1/sessions/{id}")).await;
        if session["status"] == status {
            return session;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{session}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_created_used_listed_and_released() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let body = json!({ "timeout": 120, "userMetadata": { "order": "5" } });
    let (status, session) = client.post("/v1/sessions", &body).await;
    assert_eq!((status, text(&session, "status")), (200, "RUNNING"), "{session}");
    let id = text(&session, "id").to_owned();
    let (_, again) = client.get(&format!("/v1/sessions/{id}")).await;
    assert_eq!(again["userMetadata"], json!({ "order": "5" }));
    let (_, list) = client.get("/v1/sessions?status=RUNNING").await;
    assert_eq!(list.as_array().map(Vec::len), Some(1));

    let browser = connect(text(&session, "connectUrl")).await;
    let version = browser.root().send(&GetVersion {}).await.expect("an answer");
    assert!(version.product.contains("Chrome"));
    let opened = browser
        .root()
        .send_raw("Target.createTarget", json!({ "url": "file:///etc/passwd" }))
        .await;
    let refusal = opened.expect_err("files are out of reach").to_string();
    assert!(refusal.contains("file:"), "{refusal}");

    let (status, released) = client
        .post(
            &format!("/v1/sessions/{id}"),
            &json!({ "status": "REQUEST_RELEASE" }),
        )
        .await;
    assert_eq!((status, text(&released, "status")), (200, "COMPLETED"));
    assert!(released.get("connectUrl").is_none());
    let reason = browser.closed().await;
    assert!(format!("{reason:?}").contains("ended"), "{reason:?}");
    let (_, list) = client.get("/v1/sessions?status=RUNNING").await;
    assert_eq!(list, json!([]));
    let left = std::fs::read_dir(folder.path().join("browsers")).expect("the folder");
    assert_eq!(left.count(), 0, "its folder has gone");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_valid_keys_and_names_of_the_server_come_through() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (_, session) = client.post("/v1/sessions", &json!({})).await;
    let id = text(&session, "id");
    let path = format!("/v1/sessions/{id}");
    let stranger = create_key(server.store().as_ref(), "stranger")
        .await
        .expect("a key");
    let stranger = Client::new(server.address(), stranger.reveal());
    assert_eq!(stranger.get(&path).await.0, 404);
    let release = json!({ "status": "REQUEST_RELEASE" });
    assert_eq!(stranger.post(&path, &release).await.0, 404);
    assert_eq!(stranger.get("/v1/sessions").await, (200, json!([])));

    let key = client.key().to_owned();
    let (last, other) = (
        key.chars().next_back(),
        if key.ends_with('A') { 'E' } else { 'A' },
    );
    let forged = format!("{}{other}", key.trim_end_matches(|letter| Some(letter) == last));
    for wrong in ["", "amk_", &forged, &key.to_uppercase()] {
        let (status, body) = Client::new(server.address(), wrong).get(&path).await;
        assert_eq!(status, 401, "{wrong}: {body}");
        assert!(!text(&body, "message").contains(wrong) || wrong.len() < 5);
    }
    server
        .store()
        .revoke_key(stranger.key().split('_').nth(1).unwrap_or_default())
        .await
        .expect("revoked");
    assert_eq!(stranger.get("/v1/sessions").await.0, 401);

    let (status, body) = client.get_with(&path, &[("host", "evil.example")]).await;
    assert_eq!(status, 421, "{body}");
    let (status, body) = client.get_with(&path, &[("origin", "http://evil.example")]).await;
    assert_eq!(status, 403, "{body}");

    let url = text(&session, "connectUrl");
    let forged = url.replacen(".cdp.", ".view.", 1);
    for wrong in [
        forged,
        url.replace(id, "another"),
        url[..url.len() - 4].to_owned(),
    ] {
        let refused = WebSocketTransport::connect(&wrong, &WebSocketOptions::default()).await;
        assert!(refused.is_err(), "{wrong}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_connected_hears_that_the_browser_has_gone() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    for close in [true, false] {
        let (_, session) = client.post("/v1/sessions", &json!({ "keepAlive": true })).await;
        let id = text(&session, "id").to_owned();
        let browser = connect(text(&session, "connectUrl")).await;
        let begun = Instant::now();
        if close {
            drop(browser.root().send_raw("Browser.close", json!({})).await);
        } else {
            let file = folder.path().join("browsers").join(&id).join("browser.json");
            let kept: Value = serde_json::from_slice(&std::fs::read(file).expect("the file")).expect("JSON");
            let process = kept["processId"].as_i64().and_then(|id| i32::try_from(id).ok());
            let process = process
                .and_then(rustix::process::Pid::from_raw)
                .expect("a process");
            rustix::process::kill_process(process, rustix::process::Signal::KILL).expect("killed");
        }
        let closed = tokio::time::timeout(Duration::from_secs(5), browser.closed()).await;
        let reason: CloseReason = closed.expect("the connection is closed");
        let expected = if close { "COMPLETED" } else { "ERROR" };
        let ended = until(&client, &id, expected).await;
        assert!(begun.elapsed() < Duration::from_secs(5), "{reason:?}, {ended}");
        assert!(!text(&ended, "endReason").is_empty());
        // The connection that asked for it went in the middle of that.
        let begun = Instant::now();
        while folder.path().join("browsers").join(&id).exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(20),
                "the browser is left over"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_wait_for_a_place_and_are_refused_past_the_bound() {
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.platform.slots = SlotLimits {
        slots: 1,
        per_owner: 1,
        waiting: 1,
    };
    let (server, client) = start(options).await;
    let (_, first) = client.post("/v1/sessions", &json!({})).await;
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.post("/v1/sessions", &json!({})).await }
    });
    let begun = Instant::now();
    while client.get("/v1/sessions?status=PENDING").await.1 == json!([]) {
        assert!(begun.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (status, refused) = client.post("/v1/sessions", &json!({})).await;
    assert_eq!(status, 429, "{refused}");
    // Who hangs up leaves the queue.
    waiting.abort();
    let begun = Instant::now();
    while client.get("/v1/sessions?status=PENDING").await.1 != json!([]) {
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "the request that was given up"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let next = tokio::spawn({
        let client = client.clone();
        async move { client.post("/v1/sessions", &json!({})).await }
    });
    let path = format!("/v1/sessions/{}", text(&first, "id"));
    let _ = client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await;
    let (status, next) = next.await.expect("an answer");
    assert_eq!((status, text(&next, "status")), (200, "RUNNING"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_started_again_goes_on_with_its_sessions() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (_, kept) = client.post("/v1/sessions", &json!({ "keepAlive": true })).await;
    let (_, unkept) = client.post("/v1/sessions", &json!({})).await;
    let browser = connect(text(&kept, "connectUrl")).await;
    browser
        .root()
        .send_raw(
            "Target.createTarget",
            json!({ "url": "data:text/html,<title>kept</title>" }),
        )
        .await
        .expect("a tab");
    // Not stopped: gone, as if it was killed.
    drop(server);

    let server = Server::start(options(folder.path())).await.expect("a server");
    assert!(
        server.first_key().await.expect("an answer").is_none(),
        "its keys are there"
    );
    let client = Client::new(server.address(), client.key());
    let (_, again) = client.get(&format!("/v1/sessions/{}", text(&kept, "id"))).await;
    assert_eq!(text(&again, "status"), "RUNNING");
    let browser = connect(text(&again, "connectUrl")).await;
    let targets = browser.root().send_raw("Target.getTargets", json!({})).await;
    let targets = targets.expect("the tabs").get().to_owned();
    assert!(targets.contains("kept"), "{targets}");
    until(&client, text(&unkept, "id"), "COMPLETED").await;
    server.stop().await;
    // What is kept goes on without the server, until the next one ends it.
    let server = Server::start(options(folder.path())).await.expect("a server");
    let client = Client::new(server.address(), client.key());
    let path = format!("/v1/sessions/{}", text(&kept, "id"));
    let (_, released) = client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await;
    assert_eq!(text(&released, "status"), "COMPLETED");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_left_ends_after_the_grace_and_the_same_request_is_one_session() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let header = [("idempotency-key", "order 5")];
    let (_, first) = client.post_with("/v1/sessions", &json!({}), &header).await;
    let (_, second) = client.post_with("/v1/sessions", &json!({}), &header).await;
    assert_eq!(first["id"], second["id"]);
    let (status, _) = client
        .post_with("/v1/sessions", &json!({ "timeout": 99 }), &header)
        .await;
    assert_eq!(status, 409);
    let id = text(&first, "id");
    let browser = connect(text(&first, "connectUrl")).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (_, held) = client.get(&format!("/v1/sessions/{id}")).await;
    assert_eq!(text(&held, "status"), "RUNNING", "somebody is connected");
    browser.close();
    let ended = until(&client, id, "COMPLETED").await;
    assert!(text(&ended, "endReason").contains("connected"), "{ended}");
    let (status, wrong) = client.post("/v1/sessions", &json!({ "timeout": 5 })).await;
    assert_eq!(status, 400);
    assert!(text(&wrong, "message").starts_with("timeout: 5 "), "{wrong}");
    server.stop().await;
}
