//! The forward proxy that all traffic of one browser goes through.
//!
//! It speaks HTTP/1.1: `CONNECT` for `https` and for websockets of both kinds, and requests with a whole address for
//! `http`. Of each connection it asks the resolver once, judges every address, and dials one that is allowed, so a
//! name that leads elsewhere a moment later changes nothing. Redirects need no special care: the browser follows
//! them with a request of its own, which passes here like the first. What goes through a tunnel is not looked at:
//! whoever is allowed to reach a host and a port may speak any protocol there.
//!
//! | what happens | answer |
//! |---|---|
//! | the policy refuses | 403 |
//! | the request is malformed, or its `Host` names another host | 400 |
//! | the header is longer than [`HEADER_LIMIT`], or has more than 256 lines | 431 |
//! | a name cannot be resolved, a server or a proxy of the session not be used | 502 |
//! | nothing answers in time | 504 |
//!
//! Answers of its own have the reason in words in the header `x-automator-egress` and in the body. It adds no `Via`:
//! sites treat what comes from proxies differently.
//!
//! The browser has to be told to use it for everything. By itself, Chromium reaches loopback and link-local addresses
//! directly, whatever its proxy (`--proxy-bypass-list=<-loopback>` ends that), and WebRTC uses UDP
//! (`--webrtc-ip-handling-policy=disable_non_proxied_udp`, in older versions `--force-webrtc-…`). A browser context
//! that is created with a proxy of its own goes past this one, and addresses like `file:` never come here.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use super::connection::serve;
use super::dial::Dialer;
use super::failures::Failures;
use super::hosts::HostList;
use super::policy::EgressPolicy;
use super::resolver::{Resolver, SystemResolver};
use super::traffic::Counters;
pub use super::traffic::Traffic;
use super::upstream::UpstreamProxy;

/// Bytes of one header, with the line before it: 64 kB.
pub const HEADER_LIMIT: usize = 64 * 1024;

/// How a proxy is to be.
#[derive(Debug, Clone)]
pub struct EgressOptions {
    /// Where browsers may connect to.
    pub policy: EgressPolicy,
    /// The proxies that the session asked for. Default: none.
    pub upstreams: Vec<UpstreamProxy>,
    /// Hosts that are refused whatever the policy says. Default: none.
    pub blocked: Option<Arc<HostList>>,
    /// Where it listens: a loopback address, because it asks nobody who they are. Default: 127.0.0.1, and a port
    /// that is free; with the port of an earlier one, a browser that still runs goes on.
    pub listen: SocketAddr,
    /// How many connections it has at a time; further ones wait until one of them ends. Default: 256.
    pub connection_limit: usize,
    /// How long a connection may take until it can be used. Default: 10 s.
    pub connect_timeout: Duration,
    /// What turns names into addresses. Default: the system.
    pub resolver: Arc<dyn Resolver>,
    /// Where the failures of connections are noted. Default: nowhere.
    pub failures: Option<Arc<Failures>>,
}

impl EgressOptions {
    /// The defaults, with this policy.
    #[must_use]
    pub fn new(policy: EgressPolicy) -> Self {
        Self {
            policy,
            upstreams: Vec::new(),
            blocked: None,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            connection_limit: 256,
            connect_timeout: Duration::from_secs(10),
            resolver: Arc::new(SystemResolver),
            failures: None,
        }
    }
}

/// A forward proxy that is running. It stops when it is dropped, and all its connections are closed.
#[derive(Debug)]
pub struct EgressProxy {
    address: SocketAddr,
    counters: Arc<Counters>,
    accepting: JoinHandle<()>,
}

impl EgressProxy {
    /// Starts a proxy with the default limits.
    ///
    /// # Errors
    /// As of [`start_with`](Self::start_with).
    pub async fn start(
        policy: EgressPolicy,
        upstreams: Vec<UpstreamProxy>,
        listen: SocketAddr,
    ) -> io::Result<Self> {
        Self::start_with(EgressOptions {
            upstreams,
            listen,
            ..EgressOptions::new(policy)
        })
        .await
    }

    /// Starts a proxy.
    ///
    /// # Errors
    /// When it cannot listen there, or the address is not a loopback one ([`io::ErrorKind::InvalidInput`]).
    pub async fn start_with(options: EgressOptions) -> io::Result<Self> {
        if !options.listen.ip().is_loopback() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the egress proxy listens on loopback addresses only",
            ));
        }
        let listener = TcpListener::bind(options.listen).await?;
        let address = listener.local_addr()?;
        let counters = Arc::new(Counters::default());
        let dialer = Arc::new(Dialer {
            policy: options.policy,
            upstreams: options.upstreams,
            blocked: options.blocked,
            resolver: options.resolver,
            own_address: address,
            connect_timeout: options.connect_timeout,
            counters: Arc::clone(&counters),
            failures: options.failures,
        });
        let accepting = tokio::spawn(accept(listener, dialer, options.connection_limit));
        Ok(Self {
            address,
            counters,
            accepting,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What has gone over the network so far.
    #[must_use]
    pub fn bytes(&self) -> Traffic {
        self.counters.traffic()
    }

    /// Stops it, and waits until its port is free.
    pub async fn stop(mut self) {
        self.accepting.abort();
        // It was cancelled, or had panicked; both are ends.
        (&mut self.accepting).await.ok();
    }
}

impl Drop for EgressProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts connections until it is dropped, and all of them with it.
async fn accept(listener: TcpListener, dialer: Arc<Dialer>, connection_limit: usize) {
    /// The usual cause of a failure is that there are too many open files, which passes.
    const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(100);
    let places = Arc::new(Semaphore::new(connection_limit.min(Semaphore::MAX_PERMITS)));
    let mut connections = JoinSet::new();
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let dialer = Arc::clone(&dialer);
                connections.spawn(async move {
                    serve(stream, dialer).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "the egress proxy could not accept a connection");
                sleep(PAUSE_AFTER_FAILURE).await;
            }
        }
    }
}
