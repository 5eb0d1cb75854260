//! What tests with sessions share: a server, a web site, and pages driven over the session's address.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use automator_cdp::{CdpError, Connection, Events, Session, WebSocketOptions, WebSocketTransport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::client::Client;
pub(crate) use crate::client::{options, start};

/// How long anything may take that has to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// A session, and a connection to its browser.
pub(crate) async fn session(client: &Client, parameters: &Value) -> (Value, Connection) {
    let (status, session) = client.post("/v1/sessions", parameters).await;
    assert_eq!(status, 200, "{session}");
    let connection = connect(text(&session, "connectUrl")).await;
    (session, connection)
}

pub(crate) async fn connect(url: &str) -> Connection {
    let transport = WebSocketTransport::connect(url, &WebSocketOptions::default())
        .await
        .expect("a connection");
    Connection::new(transport)
}

pub(crate) async fn release(client: &Client, session: &Value) -> Value {
    let path = format!("/v1/sessions/{}", text(session, "id"));
    let (status, released) = client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await;
    assert_eq!(status, 200, "{released}");
    released
}

/// A tab.
pub(crate) struct Tab {
    pub(crate) session: Session,
}

impl Tab {
    pub(crate) async fn open(browser: &Connection) -> Self {
        let created = send(
            &browser.root(),
            "Target.createTarget",
            json!({ "url": "about:blank" }),
        )
        .await;
        let target = json!({ "targetId": created.expect("a tab")["targetId"], "flatten": true });
        let attached = send(&browser.root(), "Target.attachToTarget", target).await;
        Self::of(browser, text(&attached.expect("a session"), "sessionId")).await
    }

    pub(crate) async fn of(browser: &Connection, session: &str) -> Self {
        let session = browser.session(session);
        for method in ["Page.enable", "Network.enable", "Runtime.enable"] {
            send(&session, method, json!({})).await.expect("enabled");
        }
        Self { session }
    }

    pub(crate) async fn send(&self, method: &str, parameters: Value) -> Result<Value, CdpError> {
        send(&self.session, method, parameters).await
    }

    /// Goes to an address, and waits until it is loaded. Gives why the browser did not go there.
    pub(crate) async fn go(&self, address: &str) -> Result<(), String> {
        let mut loaded = self.session.subscribe(["Page.loadEventFired"]);
        let gone = self.send("Page.navigate", json!({ "url": address })).await;
        let gone = gone.map_err(|error| error.to_string())?;
        match gone["errorText"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => {
                next(&mut loaded).await;
                Ok(())
            }
        }
    }

    pub(crate) async fn evaluate(&self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
        });
        let reply = self.send("Runtime.evaluate", parameters).await.expect("a value");
        reply["result"]["value"].clone()
    }
}

pub(crate) async fn send(session: &Session, method: &str, parameters: Value) -> Result<Value, CdpError> {
    let reply = tokio::time::timeout(PATIENCE, session.send_raw(method, parameters)).await;
    let reply = reply.unwrap_or_else(|_| panic!("no answer to {method}"))?;
    Ok(serde_json::from_str(reply.get()).expect("JSON"))
}

/// The parameters of the next event.
pub(crate) async fn next(events: &mut Events) -> Value {
    let event = tokio::time::timeout(PATIENCE, events.next()).await;
    let event = event.expect("an event in time").expect("an event");
    serde_json::from_str(event.params().get()).expect("JSON")
}

/// What a site answers to a path: a status, headers, and a body.
pub(crate) type Answer = (u16, Vec<(&'static str, String)>, Vec<u8>);

pub(crate) fn html(body: &str) -> Answer {
    let kind = ("content-type", "text/html; charset=utf-8".to_owned());
    (200, vec![kind], body.as_bytes().to_vec())
}

/// A web site on this machine, which notes what it is asked for.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Site {
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (noted, answer) = (Arc::clone(&asked), Arc::new(answer));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (noted, answer) = (Arc::clone(&noted), Arc::clone(&answer));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let mut line = String::new();
                    stream.read_line(&mut line).await.ok()?;
                    let path = line.split(' ').nth(1)?.to_owned();
                    while stream.read_line(&mut line).await.ok()? > 2 {}
                    noted.lock().expect("no panic").push(path.clone());
                    let (status, headers, body) = answer(&path);
                    let mut head = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
                    for (name, value) in headers {
                        head += &format!("{name}: {value}\r\n");
                    }
                    head += "connection: close\r\n\r\n";
                    stream.write_all(head.as_bytes()).await.ok()?;
                    stream.write_all(&body).await.ok()
                });
            }
        });
        Self {
            address,
            asked,
            serving,
        }
    }

    /// An address of it, under a name of this machine.
    pub(crate) fn at(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    pub(crate) fn was_asked_for(&self, path: &str) -> bool {
        self.asked
            .lock()
            .expect("no panic")
            .iter()
            .any(|asked| asked == path)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
