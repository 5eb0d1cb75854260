use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncWriteExt, BufStream, copy, copy_bidirectional};
use tokio::net::TcpStream;

use crate::hit::{Hit, read_hit};
use crate::route::{Route, write_route};
use crate::server::Server;

/// An HTTP proxy that asks for a user name and a password (Basic).
///
/// It forwards plain requests and opens tunnels (`CONNECT`), but only to this computer: to a loopback
/// address as it is named, or to a made-up host name that [`map_host`](Self::map_host) gave a port.
/// Everything else is answered 502. Browsers bypass a proxy for loopback addresses unless they are
/// told otherwise, so made-up names are the easy way to test one. Dropping the handle stops it.
#[derive(Debug)]
pub struct ProxyServer {
    server: Server,
    state: Arc<State>,
}

impl ProxyServer {
    /// Starts a proxy that lets requests with these credentials through and answers others 407.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn start(user: &str, password: &str) -> Self {
        Self::start_with(Some(format!(
            "Basic {}",
            BASE64_STANDARD.encode(format!("{user}:{password}"))
        )))
        .await
    }

    /// Starts a proxy that lets everyone through.
    ///
    /// # Panics
    /// When no port is free on the loopback interface.
    pub async fn start_open() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(credentials: Option<String>) -> Self {
        let state = Arc::new(State {
            credentials,
            ..State::default()
        });
        let serving = Arc::clone(&state);
        let server = Server::start_with(move |stream| {
            let state = Arc::clone(&serving);
            async move { serve_connection(stream, &state).await }
        })
        .await;
        Self { server, state }
    }

    /// The address to give to a browser, `http://127.0.0.1:port`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.server.port())
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.server.port()
    }

    /// Makes a host name, for example `shop.test`, lead to a port of this computer, whatever port the
    /// request names.
    pub fn map_host(&self, host: &str, port: u16) {
        self.state.log().hosts.insert(host.to_ascii_lowercase(), port);
    }

    /// The requests that were let through, oldest first. [`Hit::path`] is `host:port` for a tunnel and
    /// an absolute address otherwise.
    pub fn accepted(&self) -> Vec<Hit> {
        self.state.log().accepted.clone()
    }

    /// The requests that were answered 407, oldest first.
    pub fn refused(&self) -> Vec<Hit> {
        self.state.log().refused.clone()
    }
}

#[derive(Debug, Default)]
struct State {
    /// The one value of `proxy-authorization` that is let through; `None` lets everyone through.
    credentials: Option<String>,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    hosts: HashMap<String, u16>,
    accepted: Vec<Hit>,
    refused: Vec<Hit>,
}

impl State {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs the request; whether its credentials are right.
    fn admit(&self, hit: &Hit) -> bool {
        let right = self
            .credentials
            .as_deref()
            .is_none_or(|wanted| hit.header("proxy-authorization") == Some(wanted));
        let mut log = self.log();
        let list = if right {
            &mut log.accepted
        } else {
            &mut log.refused
        };
        list.push(hit.clone());
        right
    }

    /// The port of this computer that `host:port` leads to.
    fn target_port(&self, authority: &str) -> Option<u16> {
        let (host, port) = authority.rsplit_once(':').unwrap_or((authority, "80"));
        let host = host.to_ascii_lowercase();
        if let Some(port) = self.log().hosts.get(&host) {
            return Some(*port);
        }
        if matches!(host.as_str(), "localhost" | "127.0.0.1" | "[::1]") {
            port.parse::<u16>().ok()
        } else {
            None
        }
    }
}

async fn serve_connection(stream: TcpStream, state: &State) -> io::Result<()> {
    let mut client = BufStream::new(stream);
    while let Some(hit) = read_hit(&mut client).await? {
        if !state.admit(&hit) {
            let refusal = Route::status(407).header("proxy-authenticate", "Basic realm=\"test proxy\"");
            write_route(&mut client, &refusal, true, true).await?;
            continue;
        }
        let (authority, path) = split_address(&hit);
        let target = match state.target_port(authority) {
            Some(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok(),
            None => None,
        };
        let Some(mut target) = target else {
            write_route(&mut client, &Route::status(502), true, true).await?;
            continue;
        };
        if hit.method == "CONNECT" {
            client
                .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
                .await?;
            client.flush().await?;
            copy_bidirectional(&mut client, &mut target).await?;
        } else {
            target.write_all(&forwarded(&hit, path)).await?;
            copy(&mut target, &mut client).await?;
        }
        return client.shutdown().await;
    }
    Ok(())
}

/// `host:port` and the path of a request to a proxy.
fn split_address(hit: &Hit) -> (&str, &str) {
    if hit.method == "CONNECT" {
        return (&hit.path, "");
    }
    let rest = hit.path.strip_prefix("http://").unwrap_or(&hit.path);
    match rest.find('/') {
        Some(slash) => rest.split_at(slash),
        None => (rest, "/"),
    }
}

/// The request as the target gets it: a bare path, no proxy headers, one request for one connection.
fn forwarded(hit: &Hit, path: &str) -> Vec<u8> {
    let query = if hit.query.is_empty() {
        String::new()
    } else {
        format!("?{}", hit.query)
    };
    let mut text = format!("{} {path}{query} HTTP/1.1\r\n", hit.method);
    for (name, value) in &hit.headers {
        let name_lower = name.to_ascii_lowercase();
        let dropped = name_lower.starts_with("proxy-")
            || matches!(
                name_lower.as_str(),
                "connection" | "transfer-encoding" | "content-length" | "expect"
            );
        if !dropped {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    text.push_str(&format!(
        "Connection: close\r\nContent-Length: {}\r\n\r\n",
        hit.body.len()
    ));
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(&hit.body);
    bytes
}
