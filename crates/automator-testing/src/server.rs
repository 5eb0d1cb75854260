use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use tokio::io::{AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};

use crate::hit::{Hit, read_hit};
use crate::route::{Ending, Route, write_route};

/// How often a new port is tried when the IPv6 half of one is taken.
const PORT_ATTEMPTS: usize = 20;

/// Answers requests. `gone` is called when the other side hung up before it had its whole answer.
pub(crate) trait Handler: Send + Sync + 'static {
    fn answer(&self, hit: &Hit) -> Route;
    fn gone(&self, _hit: &Hit) {}
}

/// A running HTTP/1.1 server on both loopback addresses; dropping it stops it and cuts its connections.
#[derive(Debug)]
pub(crate) struct Server {
    port: u16,
    accepting: Vec<AbortHandle>,
}

impl Server {
    pub(crate) async fn start(handler: Arc<dyn Handler>) -> Self {
        Self::start_with(move |stream| {
            let handler = Arc::clone(&handler);
            async move { serve_connection(stream, handler.as_ref()).await }
        })
        .await
    }

    /// A server whose connections are served by `serve`.
    pub(crate) async fn start_with<F, S>(serve: S) -> Self
    where
        S: Fn(TcpStream) -> F + Clone + Send + 'static,
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listeners = listen().await.expect("a free port on the loopback interface");
        let port = listeners
            .first()
            .and_then(|listener| listener.local_addr().ok())
            .map_or(0, |address| address.port());
        let accepting = listeners
            .into_iter()
            .map(|listener| tokio::spawn(accept(listener, serve.clone())).abort_handle())
            .collect();
        Self { port, accepting }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for task in &self.accepting {
            task.abort();
        }
    }
}

/// Listens on `127.0.0.1` and, where the computer has it, on `::1` with the same port: browsers try
/// both addresses for `localhost`, and another process on the IPv6 half would answer for us.
async fn listen() -> io::Result<Vec<TcpListener>> {
    let mut last_error = None;
    for _ in 0..PORT_ATTEMPTS {
        let ipv4 = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = ipv4.local_addr()?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await {
            Ok(ipv6) => return Ok(vec![ipv4, ipv6]),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last_error = Some(error),
            Err(_no_ipv6) => return Ok(vec![ipv4]),
        }
    }
    Err(last_error.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()))
}

async fn accept<F, S>(listener: TcpListener, serve: S)
where
    S: Fn(TcpStream) -> F,
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    // Held here so that aborting this task ends every connection too.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream));
                }
                // Out of descriptors, or the other side is gone already: give other tasks a turn.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(_ended) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(stream: TcpStream, handler: &dyn Handler) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufStream::new(stream);
    loop {
        let hit = match read_hit(&mut stream).await {
            Ok(Some(hit)) => hit,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                let route = Route {
                    status: 400,
                    ..Route::text(error.to_string())
                };
                write_route(&mut stream, &route, false, true).await?;
                return stream.shutdown().await;
            }
            Err(error) => return Err(error),
        };
        let route = handler.answer(&hit);
        if !send(&mut stream, &hit, &route).await.unwrap_or(false) {
            handler.gone(&hit);
            return Ok(());
        }
        match route.ending {
            Ending::Complete if !hit.wants_close() => {}
            // A shutdown would send an orderly end before the reset.
            Ending::Reset => return Ok(()),
            _ => return stream.shutdown().await,
        }
    }
}

/// Sends the answer; false when the other side hung up before it was complete.
async fn send(stream: &mut BufStream<TcpStream>, hit: &Hit, route: &Route) -> io::Result<bool> {
    if !route.delay.is_zero() {
        tokio::select! {
            () = tokio::time::sleep(route.delay) => {}
            () = hung_up(stream.get_ref()) => return Ok(false),
        }
    }
    match route.ending {
        Ending::Never => {
            hung_up(stream.get_ref()).await;
            return Ok(false);
        }
        Ending::Reset => {
            stream.get_ref().set_zero_linger()?;
            return Ok(true);
        }
        Ending::Complete | Ending::Stalled | Ending::CutOff => {}
    }
    let keep_alive = !hit.wants_close() && route.ending != Ending::CutOff;
    write_route(stream, route, keep_alive, hit.method != "HEAD").await?;
    if route.ending == Ending::Stalled {
        hung_up(stream.get_ref()).await;
        return Ok(false);
    }
    Ok(true)
}

/// Returns when the other side has closed the connection.
async fn hung_up(stream: &TcpStream) {
    let mut byte = [0];
    match stream.peek(&mut byte).await {
        Ok(0) | Err(_) => {}
        // The next request is here already; its bytes hide a later end of the connection.
        Ok(_) => std::future::pending().await,
    }
}
