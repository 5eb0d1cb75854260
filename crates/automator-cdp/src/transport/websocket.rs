//! `ws://` and `wss://`: one text message each way per JSON text.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WebSocketError, Message};
use tokio_tungstenite::{Connector, MaybeTlsStream, WebSocketStream, client_async_tls_with_config};
use url::Url;

use super::{MessageReader, MessageWriter, Transport};
use crate::CdpError;
use crate::error::{ConnectProblem, Told};

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How to connect; the default has no headers and no limit.
#[derive(Clone, Default)]
pub struct WebSocketOptions {
    /// Sent with the handshake, after the standard headers; a header named like one of those replaces it.
    pub headers: Vec<(String, String)>,
    /// How long name resolution, connection, TLS and handshake may take together. `None`: no limit of ours.
    pub connect_timeout: Option<Duration>,
    /// Certificates (DER) to trust besides those of the system.
    pub root_certificates: Vec<Vec<u8>>,
}

impl std::fmt::Debug for WebSocketOptions {
    /// Names the headers without their values, which may be keys.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        formatter
            .debug_struct("WebSocketOptions")
            .field("headers", &names)
            .field("connect_timeout", &self.connect_timeout)
            .finish_non_exhaustive()
    }
}

/// A browser at the other end of a WebSocket. Messages may have any size.
#[derive(Debug)]
pub struct WebSocketTransport {
    stream: Box<Stream>,
}

impl WebSocketTransport {
    /// Connects to a `ws://` or `wss://` address. User and password in the address become a Basic
    /// `Authorization` header. Over TLS only HTTP/1.1 is offered, because a server that picks HTTP/2 cannot
    /// go on with the handshake.
    ///
    /// # Errors
    /// [`CdpError::Connect`], which never repeats the query or the password of the address.
    pub async fn connect(url: &str, options: &WebSocketOptions) -> Result<Self, CdpError> {
        let parsed = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "ws" | "wss"));
        let Some(parsed) = parsed else {
            return Err(CdpError::Connect {
                address: without_secrets(url),
                problem: ConnectProblem::Address,
            });
        };
        let attempt = connect(&parsed, options);
        let outcome = match options.connect_timeout {
            None => attempt.await,
            Some(limit) => match tokio::time::timeout(limit, attempt).await {
                Ok(outcome) => outcome,
                Err(_) => Err(ConnectProblem::Timeout(limit)),
            },
        };
        match outcome {
            Ok(stream) => Ok(Self {
                stream: Box::new(stream),
            }),
            Err(problem) => Err(CdpError::Connect {
                address: without_secrets(url),
                problem,
            }),
        }
    }
}

async fn connect(url: &Url, options: &WebSocketOptions) -> Result<Stream, ConnectProblem> {
    let request = handshake(url, options)?;
    let host = url
        .host_str()
        .ok_or(ConnectProblem::Address)?
        .trim_matches(['[', ']'])
        .to_owned();
    let port = url.port_or_known_default().ok_or(ConnectProblem::Address)?;
    let socket = TcpStream::connect((host, port)).await?;
    socket.set_nodelay(true)?;
    let connector = match url.scheme() {
        "wss" => Connector::Rustls(tls(&options.root_certificates).await?),
        _ => Connector::Plain,
    };
    // The default limits would end the connection at the first page text beyond 16 MiB. The read buffer stays
    // at its default: a larger one is cleared on every read and makes small messages five times dearer.
    let config = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    let (stream, _) = client_async_tls_with_config(request, socket, Some(config), Some(connector))
        .await
        .map_err(|error| match error {
            WebSocketError::Http(response) => ConnectProblem::Status(response.status().as_u16()),
            WebSocketError::Io(error) => ConnectProblem::Io(error),
            other => ConnectProblem::Handshake(Box::new(other)),
        })?;
    Ok(stream)
}

fn handshake(url: &Url, options: &WebSocketOptions) -> Result<Request, ConnectProblem> {
    let mut bare = url.clone();
    bare.set_username("")
        .and_then(|()| bare.set_password(None))
        .map_err(|()| ConnectProblem::Address)?;
    let mut request = bare
        .as_str()
        .into_client_request()
        .map_err(|error| ConnectProblem::Handshake(Box::new(error)))?;
    if !url.username().is_empty() || url.password().is_some() {
        let credentials = format!(
            "{}:{}",
            decoded(url.username()),
            decoded(url.password().unwrap_or_default())
        );
        let value = format!("Basic {}", BASE64_STANDARD.encode(credentials));
        insert(&mut request, "authorization", &value)?;
    }
    for (name, value) in &options.headers {
        insert(&mut request, name, value)?;
    }
    Ok(request)
}

fn insert(request: &mut Request, name: &str, value: &str) -> Result<(), ConnectProblem> {
    let invalid = || ConnectProblem::Header(name.to_owned());
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
    value.set_sensitive(true);
    request.headers_mut().insert(key, value);
    Ok(())
}

/// Undoes the percent-encoding of user and password.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escape = (first == b'%').then(|| tail.get(..2)).flatten();
        let value = escape.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(value.unwrap_or(first));
        rest = if value.is_some() {
            tail.get(2..).unwrap_or_default()
        } else {
            tail
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn tls(extra: &[Vec<u8>]) -> Result<Arc<ClientConfig>, ConnectProblem> {
    let mut roots = RootCertStore::empty();
    let system = tokio::task::spawn_blocking(rustls_native_certs::load_native_certs);
    let system = system
        .await
        .map_err(|error| ConnectProblem::Handshake(Box::new(error)))?;
    for error in &system.errors {
        tracing::debug!(%error, "reading the certificates of the system");
    }
    roots.add_parsable_certificates(system.certs);
    roots.add_parsable_certificates(extra.iter().map(|der| CertificateDer::from(der.clone())));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ConnectProblem::Handshake(Box::new(error)))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The address for error messages: without user, password, query and fragment.
fn without_secrets(url: &str) -> String {
    match Url::parse(url) {
        Ok(parsed) if parsed.has_host() => {
            let port = parsed.port().map(|port| format!(":{port}")).unwrap_or_default();
            let host = parsed.host_str().unwrap_or_default();
            format!("{}://{host}{port}{}", parsed.scheme(), parsed.path())
        }
        _ => "the given address".to_owned(),
    }
}

impl Transport for WebSocketTransport {
    type Reader = WebSocketReader;
    type Writer = WebSocketWriter;

    fn split(self) -> (Self::Reader, Self::Writer) {
        let (sink, stream) = (*self.stream).split();
        (WebSocketReader { stream }, WebSocketWriter { sink })
    }
}

/// Hands on the text of text and binary messages. Pings are answered underneath.
#[derive(Debug)]
pub struct WebSocketReader {
    stream: SplitStream<Stream>,
}

impl MessageReader for WebSocketReader {
    async fn read(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(Some(text.into())),
                Some(Ok(Message::Binary(bytes))) => return Ok(Some(bytes)),
                Some(Ok(Message::Close(Some(frame)))) if !frame.reason.is_empty() => {
                    return Err(io::Error::other(Told {
                        code: frame.code.into(),
                        reason: frame.reason.to_string(),
                    }));
                }
                Some(Ok(Message::Close(_))) => return Ok(None),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Err(error)) => return ended(error).map(|()| None),
                None => return Ok(None),
            }
        }
    }
}

/// Sends each message as one text frame.
#[derive(Debug)]
pub struct WebSocketWriter {
    sink: SplitSink<Stream, Message>,
}

impl MessageWriter for WebSocketWriter {
    async fn write(&mut self, messages: &mut Vec<String>) -> io::Result<()> {
        for message in messages.drain(..) {
            self.sink.feed(Message::text(message)).await.or_else(ended)?;
        }
        self.sink.flush().await.or_else(ended)
    }

    async fn close(&mut self) {
        if let Err(error) = self.sink.close().await {
            tracing::debug!(%error, "closing the browser's socket");
        }
    }
}

/// An end without a closing handshake is how a browser that exits says good-bye; it is no failure.
fn ended(error: WebSocketError) -> io::Result<()> {
    match error {
        WebSocketError::ConnectionClosed
        | WebSocketError::AlreadyClosed
        | WebSocketError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => Ok(()),
        WebSocketError::Io(error) => Err(error),
        other => Err(io::Error::other(other)),
    }
}
