//! From a target to a connection: resolve once, judge, and dial what was judged.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use url::Host;

use super::address::AddressClass;
use super::chain::{self, ChainError};
use super::failures::Failures;
use super::hosts::HostList;
use super::policy::{EgressPolicy, Refusal};
use super::resolver::Resolver;
use super::target::Target;
use super::traffic::{CountedStream, Counters};
use super::tunnel::Stream;
use super::upstream::{UpstreamProxy, server_for};

/// How long one address has before the next is tried beside it (RFC 8305).
const NEXT_ADDRESS_AFTER: Duration = Duration::from_millis(250);

/// How many addresses of a name are tried.
const ADDRESSES_TRIED: usize = 8;

/// Makes the connections of one browser.
#[derive(Debug)]
pub(super) struct Dialer {
    pub(super) policy: EgressPolicy,
    pub(super) upstreams: Vec<UpstreamProxy>,
    /// Hosts that are refused whatever the policy says.
    pub(super) blocked: Option<Arc<HostList>>,
    pub(super) resolver: Arc<dyn Resolver>,
    /// Where the proxy itself listens.
    pub(super) own_address: SocketAddr,
    /// For resolving, connecting, and what is said to a proxy of the session, together.
    pub(super) connect_timeout: Duration,
    pub(super) counters: Arc<Counters>,
    /// Where failures are noted.
    pub(super) failures: Option<Arc<Failures>>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum DialError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("{host} cannot be resolved")]
    Unresolvable { host: Host, source: io::Error },
    #[error("{target} cannot be reached: {}", source.kind())]
    Unreachable { target: Target, source: io::Error },
    #[error("{target} did not answer within {} s", after.as_secs_f32())]
    TimedOut { target: Target, after: Duration },
    #[error("the proxy of the session, {proxy}, cannot be used: {source}")]
    Proxy { proxy: Target, source: Box<DialError> },
    #[error("the proxy of the session, {proxy}, does not connect to {target}: {source}")]
    Chain {
        proxy: Target,
        target: Target,
        source: ChainError,
    },
}

/// What a host leads to.
#[derive(Debug, Default)]
struct Judged {
    allowed: Vec<SocketAddr>,
    /// Of the first address that is not allowed.
    refusal: Option<Refusal>,
}

impl Dialer {
    /// Connects to a target, directly or through the proxy that the session asked for.
    pub(super) async fn dial(&self, target: &Target) -> Result<Box<dyn Stream>, DialError> {
        let connected = timeout(self.connect_timeout, self.dial_without_end(target)).await;
        let connected = connected.unwrap_or_else(|_| {
            Err(DialError::TimedOut {
                target: target.clone(),
                after: self.connect_timeout,
            })
        });
        if let Some(failures) = &self.failures {
            failures.dialled(target, &connected);
        }
        connected
    }

    async fn dial_without_end(&self, target: &Target) -> Result<Box<dyn Stream>, DialError> {
        let blocked = self.blocked.as_ref();
        if blocked.is_some_and(|blocked| blocked.contains(&borrowed(&target.host))) {
            return Err(Refusal::Blocked(target.host.clone()).into());
        }
        let Some(server) = server_for(&self.upstreams, &target.host) else {
            return Ok(Box::new(self.connect(target).await?));
        };
        // The name is handed on, and which of its addresses is dialled then is not decided here.
        if let Some(refusal) = self.judge(target).await?.refusal {
            return Err(refusal.into());
        }
        let stream = self
            .connect(&server.target)
            .await
            .map_err(|error| DialError::Proxy {
                proxy: server.target.clone(),
                source: Box::new(error),
            })?;
        chain::open(stream, server, target)
            .await
            .map_err(|source| DialError::Chain {
                proxy: server.target.clone(),
                target: target.clone(),
                source,
            })
    }

    /// Connects to one of the allowed addresses of a target.
    async fn connect(&self, target: &Target) -> Result<CountedStream, DialError> {
        let judged = self.judge(target).await?;
        if let (true, Some(refusal)) = (judged.allowed.is_empty(), judged.refusal) {
            return Err(refusal.into());
        }
        let connected = connect_to_first(judged.allowed).await;
        let stream = connected.map_err(|source| DialError::Unreachable {
            target: target.clone(),
            source,
        })?;
        // A failure here costs speed only.
        stream.set_nodelay(true).ok();
        Ok(CountedStream::new(stream, Arc::clone(&self.counters)))
    }

    async fn judge(&self, target: &Target) -> Result<Judged, DialError> {
        self.policy.judge_host(&target.host, target.port)?;
        let unresolvable = |source: io::Error| DialError::Unresolvable {
            host: target.host.clone(),
            source,
        };
        let addresses = match &target.host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => self.resolver.resolve(name).await.map_err(unresolvable)?,
        };
        let mut judged = Judged::default();
        for address in addresses {
            match self.judge_address(target, address) {
                Ok(()) => judged.allowed.push(SocketAddr::new(address, target.port)),
                Err(refusal) => drop(judged.refusal.get_or_insert(refusal)),
            }
        }
        if judged.allowed.is_empty() && judged.refusal.is_none() {
            return Err(unresolvable(io::Error::new(
                io::ErrorKind::NotFound,
                "the name has no address",
            )));
        }
        Ok(judged)
    }

    fn judge_address(&self, target: &Target, address: IpAddr) -> Result<(), Refusal> {
        let (host, port) = (&target.host, target.port);
        self.policy.judge_address(host, port, address)?;
        // A session whose proxy is this one would go round in circles.
        let is_this_machine = matches!(
            AddressClass::of(address),
            AddressClass::Loopback | AddressClass::Unspecified
        );
        if is_this_machine && port == self.own_address.port() {
            return Err(Refusal::ProxyItself {
                host: host.clone(),
                port,
            });
        }
        Ok(())
    }
}

fn borrowed(host: &Host) -> Host<&str> {
    match host {
        Host::Domain(name) => Host::Domain(name.as_str()),
        Host::Ipv4(address) => Host::Ipv4(*address),
        Host::Ipv6(address) => Host::Ipv6(*address),
    }
}

/// Dials the addresses one after the other, each beside those before it that have not answered yet; the first
/// connection wins.
async fn connect_to_first(addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
    let mut addresses = addresses.into_iter().take(ADDRESSES_TRIED);
    let mut attempts = JoinSet::new();
    let mut error = io::Error::from(io::ErrorKind::AddrNotAvailable);
    while let Some(address) = addresses.next() {
        attempts.spawn(TcpStream::connect(address));
        let is_last = addresses.len() == 0;
        while !attempts.is_empty() {
            let attempted = tokio::select! {
                attempted = attempts.join_next() => attempted,
                () = sleep(NEXT_ADDRESS_AFTER), if !is_last => break,
            };
            match attempted {
                Some(Ok(Ok(stream))) => return Ok(stream),
                Some(Ok(Err(failure))) => error = failure,
                Some(Err(failure)) => error = failure.into(),
                None => {}
            }
            if !is_last {
                break;
            }
        }
    }
    Err(error)
}
