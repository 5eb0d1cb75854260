//! What looking on costs, and that it keeps nothing alive: viewers without a page.

use std::time::Duration;

use automator_server::Server;
use automator_testing::Site;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::client::{Client, options, start};
use crate::{Folder, PATIENCE};

/// A page that is drawn all the time, and says so.
const RESTLESS: &str = "<!doctype html><title>0</title><body><script>
    let drawn = 0;
    (function draw() {
        drawn += 1;
        document.body.style.background = `rgb(${drawn % 256}, 0, 0)`;
        document.title = drawn;
        requestAnimationFrame(draw);
    })();
    </script>";

type Viewer = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A server, and a session on it without `keepAlive` that nobody connects to.
async fn serve(folder: &std::path::Path, idle: Duration) -> (Server, Client, Value) {
    let mut options = options(folder);
    options.platform.idle = idle;
    let (server, client) = start(options).await;
    let (status, session) = client.post("/v1/sessions", &json!({})).await;
    assert_eq!(status, 200, "{session}");
    (server, client, session)
}

/// Connects as the page of an address does.
async fn view(url: &str) -> Viewer {
    let url = url
        .replacen("http", "ws", 1)
        .replacen("/sessions/", "/v1/sessions/", 1);
    let (viewer, _) = connect_async(url.replacen('?', "/view?", 1))
        .await
        .expect("a connection");
    viewer
}

async fn send(viewer: &mut Viewer, message: &Value) {
    viewer
        .send(Message::text(message.to_string()))
        .await
        .expect("sent");
}

/// The next picture or message.
async fn next(viewer: &mut Viewer) -> Result<Value, Vec<u8>> {
    loop {
        let message = tokio::time::timeout(PATIENCE, viewer.next()).await;
        match message
            .expect("something in time")
            .expect("a message")
            .expect("no error")
        {
            Message::Text(text) => return Ok(serde_json::from_str(&text).expect("JSON")),
            Message::Binary(picture) => return Err(picture.to_vec()),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_show_pictures_gets_no_more_of_them() {
    let folder = Folder::new();
    let (server, client, session) = serve(folder.path(), Duration::from_secs(600)).await;
    let site = Site::start().await;
    let restless = site.put_at("/restless", RESTLESS);
    let path = format!("/v1/sessions/{}/debug", session["id"].as_str().expect("an id"));
    let (_, debug) = client.get(&path).await;
    let mut viewer = view(debug["debuggerUrl"].as_str().expect("an address")).await;
    send(
        &mut viewer,
        &json!({ "type": "navigate", "address": restless.url }),
    )
    .await;
    // The titles go on, so the page is drawn all the time; the pictures do not.
    let (mut pictures, mut titles) = (0, 0);
    while titles < 4 {
        match next(&mut viewer).await {
            Ok(message) if message["type"] == "tabs" && message["tabs"][0]["url"] == restless.url => {
                titles += 1;
            }
            Ok(_) => {}
            Err(picture) => {
                assert_eq!(picture.get(4..7), Some(&[0xff, 0xd8, 0xff][..]), "a JPEG file");
                pictures += 1;
            }
        }
    }
    // Two of the empty page, and two of this one after the browser began again.
    assert!((1..=4).contains(&pictures), "{pictures} pictures");
    for _ in 0..pictures {
        send(&mut viewer, &json!({ "type": "shown" })).await;
    }
    let mut more = 0;
    while more < 5 {
        if next(&mut viewer).await.is_err() {
            more += 1;
            send(&mut viewer, &json!({ "type": "shown" })).await;
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_looks_on_does_not_keep_a_session_alive() {
    let folder = Folder::new();
    let (server, _, session) = serve(folder.path(), Duration::from_secs(3)).await;
    let mut viewer = view(session["sessionUrl"].as_str().expect("an address")).await;
    let ended = loop {
        match next(&mut viewer).await {
            Ok(message) if message["type"] == "ended" => break message,
            Ok(_) => {}
            Err(_) => send(&mut viewer, &json!({ "type": "shown" })).await,
        }
    };
    assert_eq!(ended["state"], "COMPLETED");
    assert_eq!(ended["reason"], "nobody used it any more");
    let close = tokio::time::timeout(PATIENCE, viewer.next())
        .await
        .expect("something in time");
    let Some(Ok(Message::Close(Some(frame)))) = close else {
        panic!("{close:?}");
    };
    assert_eq!(u16::from(frame.code), 4000);
    server.stop().await;
}
