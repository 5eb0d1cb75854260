//! Who is let in and what is let out: keys, tokens, names, addresses, secrets.

mod addresses;
#[path = "../client/mod.rs"]
mod client;
#[path = "../failing/fake.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod fake;
mod keys;
mod names;
mod own_pages;
mod routes;
mod secrets;
#[path = "../session_parameters/setup.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod setup;
mod tokens;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use automator_server::store::SqliteStore;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use fake::Rig;

/// How long anything may take that has to happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that never says that somebody asks too often.
async fn patient() -> Rig {
    let store = Arc::new(SqliteStore::in_memory().expect("a store"));
    Rig::start(store, |options| options.limits.refusal_rate.burst = 100_000).await
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name]
        .as_str()
        .unwrap_or_else(|| panic!("no `{name}` in {value}"))
}

/// Sends a request with all that a WebSocket needs besides, and gives the status and what comes before the connection is
/// closed or becomes a WebSocket.
async fn ask(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let mut request = format!("{method} {path} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request += &format!("host: {address}\r\n");
    }
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!(
        "connection: upgrade, close\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let asking = async {
        let mut stream = TcpStream::connect(address).await.expect("the server");
        // The server may answer, and close, before it has read everything.
        let _ = stream.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let mut part = [0; 4096];
        while !answer.starts_with(b"HTTP/1.1 101") {
            match stream.read(&mut part).await {
                Ok(0) | Err(_) => break,
                Ok(length) => answer.extend_from_slice(&part[..length]),
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    };
    let answer = tokio::time::timeout(PATIENCE, asking).await.expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    (
        status.unwrap_or_else(|| panic!("{method} {path}: {answer}")),
        answer,
    )
}
