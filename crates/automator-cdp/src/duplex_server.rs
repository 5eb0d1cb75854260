//! The browser's end of an in-memory connection, for tests with scripted answers.

use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf, split};

use crate::transport::pipe::{PipeReader, PipeWriter};
use crate::{MessageReader as _, MessageWriter as _, PipeTransport, Transport as _};

/// The client's end of [`DuplexServer::pair`].
pub type DuplexTransport = PipeTransport<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

/// Plays the browser: takes commands, and sends whatever a test wants, well-formed or not.
#[derive(Debug)]
pub struct DuplexServer {
    reader: PipeReader<ReadHalf<DuplexStream>>,
    writer: PipeWriter<WriteHalf<DuplexStream>>,
}

/// A command as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerMessage {
    /// Its number, for the reply.
    pub id: u64,
    /// Its method.
    pub method: String,
    /// The session it went to.
    pub session_id: Option<String>,
    /// Its parameters.
    pub params: Value,
}

impl DuplexServer {
    /// Both ends of a connection.
    pub fn pair() -> (DuplexTransport, Self) {
        let (client, server) = tokio::io::duplex(64 * 1024);
        let transport = |stream| {
            let (reader, writer) = split(stream);
            PipeTransport::new(reader, writer)
        };
        let (reader, writer) = transport(server).split();
        (transport(client), Self { reader, writer })
    }

    /// The next command; `None` when the client has closed.
    pub async fn receive(&mut self) -> Option<ServerMessage> {
        let text = self.reader.read().await.ok()??;
        let message: Value = serde_json::from_slice(&text).ok()?;
        Some(ServerMessage {
            id: message.get("id")?.as_u64()?,
            method: message.get("method")?.as_str()?.to_owned(),
            session_id: message
                .get("sessionId")
                .and_then(Value::as_str)
                .map(str::to_owned),
            params: message.get("params").cloned().unwrap_or_default(),
        })
    }

    /// Answers a command.
    pub async fn reply(&mut self, to: &ServerMessage, result: impl Serialize) {
        self.send(&json!({ "id": to.id, "sessionId": to.session_id, "result": result }))
            .await;
    }

    /// Refuses a command.
    pub async fn refuse(&mut self, to: &ServerMessage, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "id": to.id, "sessionId": to.session_id, "error": error }))
            .await;
    }

    /// Sends an event.
    pub async fn event(&mut self, session_id: Option<&str>, method: &str, params: impl Serialize) {
        let mut message = json!({ "method": method, "params": params });
        if let (Some(id), Some(members)) = (session_id, message.as_object_mut()) {
            members.insert("sessionId".to_owned(), id.into());
        }
        self.send(&message).await;
    }

    /// Sends any text as one message.
    pub async fn send_text(&mut self, text: &str) {
        if let Err(error) = self.writer.write(&mut vec![text.to_owned()]).await {
            tracing::debug!(%error, "the client has gone");
        }
    }

    async fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }
}
