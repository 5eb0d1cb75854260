//! A DevTools client that does nothing but send and receive: a reply is not read, only told apart from an event.
//!
//! Any work of its own would be the same on both sides of a comparison, and hide what lies in between.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// How long one reply may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection with one tab.
pub(super) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    last: u64,
}

impl Socket {
    /// Connects with a browser.
    pub(super) async fn connect(address: &str) -> Result<Self> {
        let unlimited = WebSocketConfig::default()
            .max_message_size(None)
            .max_frame_size(None);
        let connecting = connect_async_with_config(address, Some(unlimited), true);
        let (stream, _) = timeout(PATIENCE, connecting)
            .await?
            .context("cannot connect with the browser")?;
        Ok(Self {
            stream,
            session: None,
            last: 0,
        })
    }

    /// Opens a tab, and gives its id.
    pub(super) async fn open_tab(&mut self) -> Result<String> {
        let created = self
            .ask("Target.createTarget", &json!({ "url": "about:blank" }))
            .await?;
        text_at(&created, "/result/targetId")
    }

    /// From now on, commands go to this tab.
    pub(super) async fn attach(&mut self, tab: &str) -> Result<()> {
        let parameters = json!({ "targetId": tab, "flatten": true });
        let attached = self.ask("Target.attachToTarget", &parameters).await?;
        self.session = Some(text_at(&attached, "/result/sessionId")?);
        Ok(())
    }

    /// Has the tab evaluate an expression, and gives how long that took and how long the reply is.
    pub(super) async fn evaluate(&mut self, expression: &str) -> Result<(Duration, usize)> {
        let begun = Instant::now();
        let id = self.send("Runtime.evaluate", &evaluation(expression)).await?;
        let reply = self.reply(id).await?;
        Ok((begun.elapsed(), reply.len()))
    }

    /// Sends so many evaluations before it reads the first reply, and gives how long all took.
    pub(super) async fn evaluate_at_once(&mut self, expression: &str, times: usize) -> Result<Duration> {
        let parameters = evaluation(expression);
        let begun = Instant::now();
        let mut id = 0;
        for _ in 0..times {
            let message = self.command("Runtime.evaluate", &parameters);
            self.stream.feed(message).await?;
            id = self.last;
        }
        self.stream.flush().await?;
        let first = id + 1 - u64::try_from(times)?;
        for id in first..=id {
            self.reply(id).await?;
        }
        Ok(begun.elapsed())
    }

    pub(super) async fn close(mut self) -> Result<()> {
        self.stream.close(None).await?;
        // Until the other side has closed as well.
        while let Some(Ok(_)) = timeout(PATIENCE, self.stream.next()).await? {}
        Ok(())
    }

    async fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        let id = self.send(method, parameters).await?;
        Ok(serde_json::from_str(&self.reply(id).await?)?)
    }

    async fn send(&mut self, method: &str, parameters: &Value) -> Result<u64> {
        let message = self.command(method, parameters);
        self.stream.send(message).await?;
        Ok(self.last)
    }

    fn command(&mut self, method: &str, parameters: &Value) -> Message {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": parameters });
        if let (Some(session), Some(members)) = (&self.session, command.as_object_mut()) {
            members.insert("sessionId".to_owned(), session.as_str().into());
        }
        Message::text(command.to_string())
    }

    /// Waits for the reply to a command; events before it are dropped.
    async fn reply(&mut self, id: u64) -> Result<Utf8Bytes> {
        let begin = format!("{{\"id\":{id},");
        loop {
            let message = timeout(PATIENCE, self.stream.next())
                .await
                .context("the browser does not answer")?
                .context("the connection has ended")??;
            match message {
                Message::Text(text) => {
                    if let Some(rest) = text.strip_prefix(&begin) {
                        ensure!(!rest.starts_with("\"error\""), "the browser refused: {text}");
                        return Ok(text);
                    }
                }
                Message::Close(frame) => bail!("the connection was closed: {frame:?}"),
                _ => {}
            }
        }
    }
}

fn evaluation(expression: &str) -> Value {
    json!({ "expression": expression, "returnByValue": true })
}

fn text_at(value: &Value, pointer: &str) -> Result<String> {
    let text = value.pointer(pointer).and_then(Value::as_str);
    Ok(text
        .with_context(|| format!("no {pointer} in {value}"))?
        .to_owned())
}
