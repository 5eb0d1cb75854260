//! A client of the server's HTTP interface: one request on each connection.

#![allow(dead_code, reason = "each test program uses a part of it")]

mod folder;

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) use folder::Folder;

#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    key: String,
}

impl Client {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Self {
        Self {
            address,
            key: key.to_owned(),
        }
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
        self.send("GET", path, headers, "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_with(path, body, &[]).await
    }

    pub(crate) async fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        self.send("POST", path, headers, &body.to_string()).await
    }

    /// Gives the status and the body; a body that is no JSON as a text.
    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, Value) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!(
            "x-bb-api-key: {}\r\ncontent-length: {}\r\n\r\n",
            self.key,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address).await.expect("the server");
        stream.write_all(head.as_bytes()).await.expect("sent");
        stream.write_all(body.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        (status.expect("a status"), body)
    }
}
