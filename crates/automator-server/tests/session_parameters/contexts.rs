//! Profiles that outlive sessions.

use std::time::{Duration, Instant};

use automator_cdp::Connection;
use automator_server::{Server, create_key};
use serde_json::{Value, json};

use crate::client::Client;
use crate::client::Folder;
use crate::setup::{PATIENCE, Site, Tab, connect, html, options, release, session, start, text};

const WRITE: &str = "document.cookie = 'who=VALUE; max-age=86400'; localStorage.setItem('who', 'VALUE');";
const READ: &str = "document.cookie + ' ' + localStorage.getItem('who')";

fn with_context(id: &str, persist: bool) -> Value {
    json!({ "browserSettings": { "context": { "id": id, "persist": persist } } })
}

async fn home(site: &Site, browser: &Connection) -> Tab {
    let tab = Tab::open(browser).await;
    tab.go(&site.at("127.0.0.1", "/")).await.expect("there");
    tab
}

async fn create(client: &Client) -> String {
    let (status, context) = client.post("/v1/contexts", &json!({})).await;
    assert_eq!(status, 200, "{context}");
    text(&context, "id").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cookies_and_local_storage_are_there_in_the_next_session() {
    let folder = Folder::new();
    let site = Site::start(|_| html("home")).await;
    let (server, client) = start(options(folder.path())).await;
    let id = create(&client).await;
    let (first, browser) = session(&client, &with_context(&id, true)).await;
    assert_eq!(text(&first, "contextId"), id);
    let tab = home(&site, &browser).await;
    assert_eq!(tab.evaluate(READ).await, json!(" null"));
    tab.evaluate(&WRITE.replace("VALUE", "ann")).await;
    let (status, refused) = client.post("/v1/sessions", &with_context(&id, true)).await;
    assert_eq!(status, 409, "one session writes at a time: {refused}");
    assert!(
        text(&refused, "message").contains(text(&first, "id")),
        "{refused}"
    );
    let (reader, browser) = session(&client, &with_context(&id, false)).await;
    let tab = home(&site, &browser).await;
    assert_eq!(
        tab.evaluate(READ).await,
        json!(" null"),
        "nothing is complete yet"
    );
    release(&client, &reader).await;
    release(&client, &first).await;

    // One that does not persist has it, and does not change it.
    let (second, browser) = session(&client, &with_context(&id, false)).await;
    let tab = home(&site, &browser).await;
    assert_eq!(tab.evaluate(READ).await, json!("who=ann ann"));
    tab.evaluate(&WRITE.replace("VALUE", "bob")).await;
    release(&client, &second).await;
    let (third, browser) = session(&client, &with_context(&id, true)).await;
    let tab = home(&site, &browser).await;
    assert_eq!(tab.evaluate(READ).await, json!("who=ann ann"));
    tab.evaluate(&WRITE.replace("VALUE", "eve")).await;
    // Also when the client closes the browser, and with a new server.
    let path = format!("/v1/contexts/{id}");
    let (_, before) = client.get(&path).await;
    drop(browser.root().send_raw("Browser.close", json!({})).await);
    let begun = Instant::now();
    while client.get(&path).await.1["updatedAt"] == before["updatedAt"] {
        assert!(begun.elapsed() < PATIENCE, "{third}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let left = folder.path().join("browsers").join(text(&third, "id"));
    assert!(!left.exists(), "the browser that was closed has gone in whole");
    server.stop().await;

    let server = Server::start(options(folder.path())).await.expect("a server");
    let client = Client::new(server.address(), client.key());
    let (status, after) = client.post("/v1/sessions", &with_context(&id, true)).await;
    assert_eq!(status, 200, "{after}");
    let browser = connect(text(&after, "connectUrl")).await;
    let tab = home(&site, &browser).await;
    assert_eq!(tab.evaluate(READ).await, json!("who=eve eve"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_context_is_its_owners_alone_and_can_be_removed() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let id = create(&client).await;
    let path = format!("/v1/contexts/{id}");
    assert_eq!(text(&client.get(&path).await.1, "id"), id);
    let stranger = create_key(server.store().as_ref(), "stranger")
        .await
        .expect("a key");
    let stranger = Client::new(server.address(), stranger.reveal());
    assert_eq!(stranger.get(&path).await.0, 404);
    assert_eq!(stranger.send_bytes("DELETE", &path, &[], b"").await.0, 404);
    let (status, refused) = stranger.post("/v1/sessions", &with_context(&id, false)).await;
    assert_eq!(status, 404, "{refused}");
    assert_eq!(
        stranger.get("/v1/sessions").await.1,
        json!([]),
        "nothing was begun"
    );

    // A session that writes when it is removed leaves nothing.
    let (writer, browser) = session(&client, &with_context(&id, true)).await;
    browser.close();
    assert_eq!(client.send_bytes("DELETE", &path, &[], b"").await.0, 204);
    assert_eq!(client.get(&path).await.0, 404);
    release(&client, &writer).await;
    assert!(!folder.path().join("contexts").join(&id).exists());
    assert_eq!(
        client.post("/v1/sessions", &with_context(&id, false)).await.0,
        404
    );
    assert_eq!(client.get("/v1/contexts/..%2Fbrowsers").await.0, 404);
    server.stop().await;
}
