//! Taking connections, and serving HTTP/1.1 on them.
//!
//! A loop of our own, since that of the web framework has no limits: who sends the head of a request too slowly, or too
//! much of one, is cut off before anything else looks at it. A connection counts until its socket is closed, also as a
//! WebSocket.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::options::HttpLimits;

/// How long nothing is accepted after the system has refused to: when it has no more descriptors, it will not have one
/// at once.
const PAUSE: Duration = Duration::from_millis(200);

/// The smallest buffer that the HTTP library takes.
const SMALLEST_BUFFER: usize = 8 << 10;

/// What one connection too many is told, in the form of all errors.
const TOO_MANY: &str = r#"{"statusCode":503,"error":"Service Unavailable","message":"too many connections are open; try again in 5 s"}"#;

/// Where a request came from: in its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Takes connections until it is told to stop, or whoever could tell has gone; then waits for the requests that are
/// under way.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Router,
    limits: HttpLimits,
    stopped: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let ending = watch::Sender::new(());
    let mut stopped = std::pin::pin!(stopped);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stopped => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) if is_of_one_connection(&error) => continue,
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            },
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            refuse(stream);
            continue;
        };
        // Small messages of the DevTools protocol go out at once.
        let _ = stream.set_nodelay(true);
        let connection = connection(stream, peer, place, routes.clone(), limits, ending.subscribe());
        tokio::spawn(connection);
    }
    drop(listener);
    ending.send_replace(());
    // Each connection has its other half until it is through.
    ending.closed().await;
}

/// Serves the requests of one connection, one after the other, until it is closed, or becomes a WebSocket, or the server
/// ends.
async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
    routes: Router,
    limits: HttpLimits,
    mut ending: watch::Receiver<()>,
) {
    let io = TokioIo::new(Counted {
        stream,
        _place: place,
    });
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_headers(limits.headers)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes.max(SMALLEST_BUFFER))
        .serve_connection(io, service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        served = &mut connection => served,
        _ = ending.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%peer, %error, "a connection has broken");
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

/// Tells a connection that there is no place for it, if it takes that at once.
fn refuse(stream: TcpStream) {
    tracing::warn!("too many connections are open; one more was refused");
    let length = TOO_MANY.len();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{TOO_MANY}"
    );
    let _ = stream.try_write(answer.as_bytes());
    tokio::spawn(async move {
        let mut stream = stream;
        let _ = tokio::time::timeout(PAUSE, stream.shutdown()).await;
    });
}

/// A connection with its place among those that may be open, which is free when the socket is closed.
struct Counted {
    stream: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
