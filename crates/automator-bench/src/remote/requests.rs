//! Requests to the server, each on a connection of its own.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A client with a key.
#[derive(Debug, Clone)]
pub(super) struct Requests {
    address: SocketAddr,
    key: String,
}

/// What came back, and how long it took from the connection on.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) took: Duration,
    pub(super) body: Value,
}

impl Requests {
    pub(super) fn new(address: SocketAddr, key: &str) -> Self {
        Self {
            address,
            key: key.to_owned(),
        }
    }

    /// Posts a body, with more headers if need be; another status than 200 is an error.
    pub(super) async fn post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Result<Reply> {
        let body = body.to_string();
        let mut request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-bb-api-key: {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n",
            self.address,
            self.key,
            body.len()
        );
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request = request + "\r\n" + &body;
        let begun = Instant::now();
        let mut stream = TcpStream::connect(self.address)
            .await
            .context("the server cannot be reached")?;
        stream.set_nodelay(true)?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        let took = begun.elapsed();
        let (head, body) = answer.split_once("\r\n\r\n").context("no HTTP answer")?;
        ensure!(head.starts_with("HTTP/1.1 200 "), "{path}: {head}\n{body}");
        let body = serde_json::from_str(body).with_context(|| format!("{path}: no JSON"))?;
        Ok(Reply { took, body })
    }
}
