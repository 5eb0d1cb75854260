//! One connection of a browser to the proxy: requests for `http` one after the other, or a tunnel.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1 as client;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, TRANSFER_ENCODING};
use hyper::server::conn::http1 as server;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::dial::{DialError, Dialer};
use super::headers::{REASON, host_agrees, request_headers, response_headers};
use super::policy::Refusal;
use super::proxy::HEADER_LIMIT;
use super::target::{Target, TargetError};
use super::tunnel::{Stream, relay};

/// How long a connection may be idle between requests, and how long the header of a request may take.
const IDLE_LIMIT: Duration = Duration::from_secs(120);

/// Headers of one message.
const HEADER_COUNT_LIMIT: usize = 256;

/// Bytes that are held for one direction of one connection.
const BUFFER_LIMIT: usize = 2 * HEADER_LIMIT;

/// How long a connection to a server may take to be ready again, once its answer has been read.
const READY_AGAIN_WITHIN: Duration = Duration::from_millis(200);

/// A body that is passed on, or one of the proxy's own.
type AnswerBody = Either<Incoming, Full<Bytes>>;

/// Serves one connection until it ends.
pub(super) async fn serve(stream: TcpStream, dialer: Arc<Dialer>) {
    // A failure here costs speed only.
    stream.set_nodelay(true).ok();
    let connection = Arc::new(Connection {
        dialer,
        kept: Mutex::default(),
        tunnel: Mutex::default(),
    });
    let served = server::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_LIMIT)
        .max_header_size(HEADER_LIMIT)
        .max_headers(HEADER_COUNT_LIMIT)
        .max_buf_size(BUFFER_LIMIT)
        .preserve_header_case(true)
        .auto_date_header(false)
        .serve_connection(
            TokioIo::new(stream),
            service_fn(|request| {
                let connection = Arc::clone(&connection);
                async move { connection.answer(request).await }
            }),
        )
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection of a browser ended");
    }
    let tunnel = take(&connection.tunnel);
    if let Some(tunnel) = tunnel
        && let Err(error) = tunnel.run().await
    {
        tracing::debug!(%error, "a tunnel of a browser ended");
    }
}

/// What one connection of a browser has.
struct Connection {
    dialer: Arc<Dialer>,
    /// The connection to the server of the last request.
    kept: Mutex<Option<ServerConnection>>,
    /// What the connection turns into when it has been answered.
    tunnel: Mutex<Option<Tunnel>>,
}

/// A connection to a server that speaks HTTP.
struct ServerConnection {
    target: Target,
    sender: client::SendRequest<Incoming>,
    /// Drives it; it ends when this is dropped.
    _driver: JoinSet<()>,
}

struct Tunnel {
    browser: OnUpgrade,
    server: Box<dyn Stream>,
}

/// Why a request gets an answer of the proxy's own.
#[derive(Debug, thiserror::Error)]
enum RequestError {
    #[error("this is a proxy: ask for an address with `http://`, or for a tunnel")]
    NoAddress,
    #[error("an address with `https://` needs a tunnel")]
    NoTunnel,
    #[error("the address cannot be used: {0}")]
    Target(#[from] TargetError),
    #[error("the header `Host` does not name {0}")]
    Host(Target),
    #[error(transparent)]
    Dial(#[from] DialError),
    #[error("{target} broke off: {source}")]
    Server { target: Target, source: hyper::Error },
    #[error("{target} answered 101, and nobody asked for that")]
    Switched { target: Target },
    /// The server has closed a connection that was kept. The browser is told in the same way, so that it decides by
    /// its own rules whether to ask again.
    #[error("the connection to the server was closed")]
    Closed,
}

impl Connection {
    /// An error ends the connection without an answer.
    async fn answer(&self, request: Request<Incoming>) -> Result<Response<AnswerBody>, RequestError> {
        let answered = if request.method() == Method::CONNECT {
            self.open_tunnel(request).await
        } else {
            self.forward(request).await
        };
        match answered {
            Err(error) if !matches!(error, RequestError::Closed) => {
                tracing::debug!(%error, "a request of a browser was not let through");
                Ok(own_answer(&error))
            }
            answered => answered,
        }
    }

    async fn open_tunnel(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<AnswerBody>, RequestError> {
        let authority = request.uri().authority().ok_or(RequestError::NoAddress)?;
        let target = Target::parse(authority.as_str(), None)?;
        if !host_agrees(request.headers(), &target, target.port, false) {
            return Err(RequestError::Host(target));
        }
        let server = self.dialer.dial(&target).await?;
        let browser = hyper::upgrade::on(&mut request);
        put(&self.tunnel, Tunnel { browser, server });
        Ok(Response::new(Either::Right(Full::default())))
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<AnswerBody>, RequestError> {
        let (mut request, target) = to_server(request)?;
        let kept = take(&self.kept).filter(|kept| kept.target == target);
        if let Some(mut kept) = kept
            && matches!(timeout(READY_AGAIN_WITHIN, kept.sender.ready()).await, Ok(Ok(())))
        {
            match kept.sender.try_send_request(request).await {
                Ok(response) => {
                    put(&self.kept, kept);
                    return to_browser(response, target);
                }
                // It comes back when nothing of it was sent.
                Err(mut error) => request = error.take_message().ok_or(RequestError::Closed)?,
            }
        }
        let mut fresh = self.connect(&target).await?;
        let response = fresh.sender.send_request(request).await;
        let response = response.map_err(|source| self.broke_off(&target, source))?;
        put(&self.kept, fresh);
        to_browser(response, target)
    }

    fn broke_off(&self, target: &Target, source: hyper::Error) -> RequestError {
        if let Some(failures) = &self.dialer.failures {
            failures.broke_off(target, &source);
        }
        RequestError::Server {
            target: target.clone(),
            source,
        }
    }

    async fn connect(&self, target: &Target) -> Result<ServerConnection, RequestError> {
        let stream = self.dialer.dial(target).await?;
        let (sender, connection) = client::Builder::new()
            .max_header_size(HEADER_LIMIT)
            .max_headers(HEADER_COUNT_LIMIT)
            .max_buf_size(BUFFER_LIMIT)
            .preserve_header_case(true)
            // Browsers bear with both.
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|source| self.broke_off(target, source))?;
        let mut driver = JoinSet::new();
        driver.spawn(async move {
            // Whoever waits for an answer or a body gets the error.
            connection.await.ok();
        });
        Ok(ServerConnection {
            target: target.clone(),
            sender,
            _driver: driver,
        })
    }
}

impl Tunnel {
    async fn run(self) -> io::Result<()> {
        let browser = self.browser.await.map_err(io::Error::other)?;
        relay(TokioIo::new(browser), self.server).await
    }
}

impl RequestError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoAddress | Self::NoTunnel | Self::Target(_) | Self::Host(_) => StatusCode::BAD_REQUEST,
            Self::Dial(error) => status_of(error),
            Self::Server { .. } | Self::Switched { .. } | Self::Closed => StatusCode::BAD_GATEWAY,
        }
    }
}

fn status_of(error: &DialError) -> StatusCode {
    match error {
        DialError::Refused(_) => StatusCode::FORBIDDEN,
        DialError::Proxy { source, .. } => status_of(source),
        DialError::TimedOut { .. } => StatusCode::GATEWAY_TIMEOUT,
        DialError::Unresolvable { .. } | DialError::Unreachable { .. } | DialError::Chain { .. } => {
            StatusCode::BAD_GATEWAY
        }
    }
}

/// The request as the server gets it, and the server.
fn to_server(request: Request<Incoming>) -> Result<(Request<Incoming>, Target), RequestError> {
    let (mut parts, body) = request.into_parts();
    match parts.uri.scheme_str() {
        Some("http") => {}
        Some("https") => return Err(RequestError::NoTunnel),
        Some(scheme) => return Err(DialError::from(Refusal::Scheme(scheme.to_owned())).into()),
        None => return Err(RequestError::NoAddress),
    }
    let authority = parts.uri.authority().ok_or(RequestError::NoAddress)?;
    let target = Target::parse(authority.as_str(), Some(80))?;
    if !host_agrees(&parts.headers, &target, 80, parts.version == Version::HTTP_11) {
        return Err(RequestError::Host(target));
    }
    parts.headers = request_headers(&parts.headers, &target);
    if body.size_hint().exact().is_none() {
        // Without it, the body of a GET would be left out.
        parts
            .headers
            .insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    parts.uri = parts
        .uri
        .path_and_query()
        .map_or_else(Uri::default, |path| Uri::from(path.clone()));
    parts.version = Version::HTTP_11;
    Ok((Request::from_parts(parts, body), target))
}

/// The response as the browser gets it.
fn to_browser(response: Response<Incoming>, target: Target) -> Result<Response<AnswerBody>, RequestError> {
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        return Err(RequestError::Switched { target });
    }
    let (mut parts, body) = response.into_parts();
    parts.headers = response_headers(&parts.headers);
    parts.version = Version::HTTP_11;
    Ok(Response::from_parts(parts, Either::Left(body)))
}

fn own_answer(error: &RequestError) -> Response<AnswerBody> {
    let text = error.to_string();
    let reason = HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("refused"));
    let mut response = Response::new(Either::Right(Full::from(format!("{text}\n"))));
    *response.status_mut() = error.status();
    let headers = response.headers_mut();
    headers.insert(REASON, reason);
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn put<T>(slot: &Mutex<Option<T>>, value: T) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
