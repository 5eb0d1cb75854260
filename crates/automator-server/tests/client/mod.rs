//! A client of the server's HTTP interface: one request on each connection.

#![allow(dead_code, unused_imports, reason = "each test program uses a part of it")]

mod folder;
mod server;

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) use folder::{Folder, browser_of, processes_in};
pub(crate) use server::{options, start};

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
        let (status, _, body) = self.send_bytes(method, path, headers, body.as_bytes()).await;
        let text = String::from_utf8_lossy(&body);
        let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text));
        (status, body)
    }

    /// Gives the status, the head and the body.
    pub(crate) async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, String, Vec<u8>) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        let mut put = |name: &str, value: &str| {
            if !headers.iter().any(|(given, _)| *given == name) {
                head += &format!("{name}: {value}\r\n");
            }
        };
        put("host", &self.address.to_string());
        put("x-bb-api-key", &self.key);
        put("content-length", &body.len().to_string());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += "\r\n";
        let mut stream = TcpStream::connect(self.address).await.expect("the server");
        stream.write_all(head.as_bytes()).await.expect("sent");
        stream.write_all(body).await.expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("an answer");
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        let body = answer.split_off(end.expect("a head") + 4);
        let head = String::from_utf8(answer).expect("a head in ASCII");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), head, body)
    }
}
