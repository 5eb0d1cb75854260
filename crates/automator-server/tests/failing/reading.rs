//! A client that does not read what it has asked for.

use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::{Message, protocol::WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::child::ServerProcess;
use super::client::Folder;
use super::fake::FakeBrowser;
use super::{connect, create, figure, text, until};

/// How large a reply is, and how many are asked for.
const REPLY: usize = 20 << 20;
const REPLIES: u64 = 40;

/// How much more memory the server may take for them, in kB: that of some replies, of 800 MB in all.
const MOST_GROWTH: u64 = 150_000;

/// How long a message may be left unread here.
const READING: Duration = Duration::from_millis(2_500);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn raw(url: &str) -> Socket {
    let unlimited = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    let connecting = tokio_tungstenite::connect_async_with_config(url, Some(unlimited), true);
    connecting.await.expect("a connection").0
}

/// The median of how long a small command takes, during a while.
async fn median(browser: &automator_cdp::Connection, during: Duration) -> Duration {
    let begun = Instant::now();
    let mut times = Vec::new();
    while begun.elapsed() < during {
        let asked = Instant::now();
        let answer = browser.root().send_raw("Browser.getVersion", json!({})).await;
        answer.expect("an answer");
        times.push(asked.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replies_that_nobody_reads_take_no_memory_slow_down_nobody_and_end_the_connection() {
    let folder = Folder::new();
    let fake = FakeBrowser::start().await;
    let reading = u64::try_from(READING.as_millis()).expect("a number");
    let settings = json!({ "browser": fake.address, "reading": reading });
    let server = ServerProcess::start(folder.path(), &settings).await;
    let client = server.client();
    let slow = create(&client, &json!({ "keepAlive": true })).await;
    let neighbour = create(&client, &json!({ "keepAlive": true })).await;
    let neighbour = connect(text(&neighbour, "connectUrl")).await;
    let alone = median(&neighbour, Duration::from_secs(1)).await;
    let before = server.resident();

    let mut socket = raw(text(&slow, "connectUrl")).await;
    for id in 1..=REPLIES {
        let command = json!({ "id": id, "method": "Test.large", "params": { "bytes": REPLY } });
        socket
            .send(Message::text(command.to_string()))
            .await
            .expect("sent");
    }
    until("the first reply is on its way", async || {
        server.most_resident() > before + 20_000
    })
    .await;
    // Longer than the client has for one message.
    let beside = median(&neighbour, READING + Duration::from_millis(500)).await;
    let grown = server.most_resident() - before;
    eprintln!("{grown} kB more; a neighbour's command took {alone:?} before and {beside:?} beside it");
    assert!(grown < MOST_GROWTH, "{grown} kB");
    assert!(beside < alone * 2, "{alone:?} alone, {beside:?} beside it");

    let mut read = 0;
    let told = loop {
        match socket.next().await {
            Some(Ok(Message::Text(_))) => read += 1,
            Some(Ok(Message::Close(told))) => break told,
            Some(Ok(_)) => {}
            other => panic!("cut off without a word after {read} replies: {other:?}"),
        }
    };
    let told = told.expect("a code");
    assert_eq!(u16::from(told.code), 4008, "{}", told.reason);
    assert!(read < 5, "{read} replies have come");
    until("it is not connected any more", async || {
        figure(&client, "automator_cdp_sockets").await == 1.0
    })
    .await;
    // Its session goes on, and whoever comes next is served.
    let again = connect(text(&slow, "connectUrl")).await;
    let answer = again.root().send_raw("Browser.getVersion", json!({})).await;
    answer.expect("an answer");
}
