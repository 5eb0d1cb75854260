//! A server that is ended while sessions are being created.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_server::Server;
use automator_server::slots::SlotLimits;
use automator_server::store::SqliteStore;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use super::client::{Client, Folder, options, processes_in, start};
use super::fake::Rig;
use super::{create, figure, release, text, until};

/// A browser that takes its time before it starts.
const SLOW: &str = "#!/bin/sh\nsleep 1\nexec chromium \"$@\"\n";

/// A browser that never starts: it opens a pipe that nobody writes to.
const STUCK: &str = "#!/bin/sh\nmkfifo \"$0.pipe\"\nread line < \"$0.pipe\"\n";

async fn server(folder: &Path, browser: &str) -> (Server, Client) {
    let script = folder.join("browser");
    std::fs::write(&script, browser).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let mut options = options(folder);
    options.executable = Some(script);
    start(options).await
}

fn creating(client: &Client, parameters: Value) -> JoinHandle<(u16, Value)> {
    let client = client.clone();
    tokio::spawn(async move { client.post("/v1/sessions", &parameters).await })
}

async fn until_starting(folder: &Path) {
    until("a process of the browser", async || {
        !processes_in(folder).is_empty()
    })
    .await;
}

/// The session that a server has left, as the next one sees it.
async fn left(folder: &Path, client: &Client) -> (Server, Client, Value) {
    let server = Server::start(options(folder)).await.expect("a server");
    let client = Client::new(server.address(), client.key());
    let (_, sessions) = client.get("/v1/sessions").await;
    assert_eq!(sessions.as_array().map(Vec::len), Some(1), "{sessions}");
    let session = sessions[0].clone();
    (server, client, session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_session_that_ends_with_the_server_is_told_and_no_browser_is_left() {
    let folder = Folder::new();
    let (server, client) = server(folder.path(), SLOW).await;
    let creating = creating(&client, json!({}));
    until_starting(folder.path()).await;
    server.stop().await;
    let (status, error) = creating.await.expect("an answer");
    assert_eq!((status, &error["statusCode"]), (503, &json!(503)), "{error}");
    assert!(
        text(&error, "message").contains("the server is ending"),
        "{error}"
    );
    assert!(processes_in(folder.path()).is_empty());
    let (server, _, session) = left(folder.path(), &client).await;
    assert_eq!(session["status"], "COMPLETED", "{session}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_outlives_the_server_is_given_when_it_is_there_in_time() {
    let folder = Folder::new();
    let (server, client) = server(folder.path(), SLOW).await;
    let creating = creating(&client, json!({ "keepAlive": true }));
    until_starting(folder.path()).await;
    server.stop().await;
    let (status, session) = creating.await.expect("an answer");
    assert_eq!((status, text(&session, "status")), (200, "RUNNING"), "{session}");
    let (server, client, again) = left(folder.path(), &client).await;
    assert_eq!(
        (text(&again, "id"), text(&again, "status")),
        (text(&session, "id"), "RUNNING")
    );
    release(&client, &session).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_not_there_in_time_is_broken_off() {
    let folder = Folder::new();
    let (server, client) = server(folder.path(), STUCK).await;
    let creating = creating(&client, json!({ "keepAlive": true }));
    until_starting(folder.path()).await;
    let begun = Instant::now();
    server.stop().await;
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(9), "{took:?}");
    let (status, error) = creating.await.expect("an answer");
    assert_eq!(status, 503, "{error}");
    assert!(processes_in(folder.path()).is_empty());
    let (server, _, session) = left(folder.path(), &client).await;
    assert_eq!(session["status"], "COMPLETED", "{session}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_place_is_told_that_the_server_ends() {
    let store = Arc::new(SqliteStore::in_memory().expect("a store"));
    let rig = Rig::start(store, |options| {
        options.platform.slots = SlotLimits {
            slots: 1,
            per_owner: 1,
            waiting: 10,
        };
    })
    .await;
    create(&rig.client, &json!({ "keepAlive": true })).await;
    let waiting: Vec<_> = [json!({ "keepAlive": true }), json!({})]
        .into_iter()
        .map(|parameters| creating(&rig.client, parameters))
        .collect();
    let start = json!({ "modelName": "openai/gpt-4.1-mini" });
    let client = rig.client.clone();
    let starting = tokio::spawn(async move { client.post("/v1/sessions/start", &start).await });
    until("three wait", async || {
        figure(&rig.client, "automator_queue_length").await == 3.0
    })
    .await;
    rig.server.stop().await;
    for waiting in waiting {
        let (status, error) = waiting.await.expect("an answer");
        assert_eq!(status, 503, "{error}");
    }
    let (status, error) = starting.await.expect("an answer");
    assert_eq!((status, &error["success"]), (503, &json!(false)), "{error}");
    assert_eq!(rig.engine.created().len(), 1);
}
