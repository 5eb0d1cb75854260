//! A raw HTTP client: what it sends and reads is what stands here, nothing more.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    /// With a chunked transfer coding removed.
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {}", self.body))
    }
}

/// Sends text to `127.0.0.1` and reads until the server closes.
pub(crate) async fn exchange(port: u16, request: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await?;
    Ok(String::from_utf8(bytes).unwrap())
}

pub(crate) async fn get(port: u16, path: &str) -> io::Result<Reply> {
    request(port, "GET", path, "", "").await
}

/// `headers` are whole lines, each with its line break.
pub(crate) async fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> io::Result<Reply> {
    let text = exchange(
        port,
        &format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        ),
    )
    .await?;
    read_reply(&text)
        .ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, format!("no reply in {text:?}")))
}

fn read_reply(text: &str) -> Option<Reply> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut reply = Reply {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    };
    if reply.header("transfer-encoding") == Some("chunked") {
        reply.body = join_chunks(body)?;
    }
    Some(reply)
}

fn join_chunks(mut rest: &str) -> Option<String> {
    let mut body = String::new();
    loop {
        let (size, after) = rest.split_once("\r\n")?;
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.push_str(after.get(..size)?);
        rest = after.get(size + 2..)?;
    }
}
