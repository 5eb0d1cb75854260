//! Connections to providers that many clients share, through a proxy that decides where they may go.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::error::LlmError;
use crate::failure::innermost;
use crate::route::Route;

/// How long a connection may take to be made.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection that nobody uses is held.
const IDLE: Duration = Duration::from_secs(60);

/// Connections that clients share; a cheap clone.
///
/// They hold no key: keys are in the requests. So a program that asks models in the name of others makes a client for
/// each call, and drops it with the key afterwards, without opening a connection each time.
#[derive(Clone, Debug)]
pub struct ModelConnections {
    client: reqwest::Client,
    proxy: Arc<dyn ModelProxy>,
}

/// An HTTP proxy that models are reached through. What it fails at is told as without it: that the provider was not
/// reached, and not that it has answered.
pub trait ModelProxy: Send + Sync + Debug {
    /// Its address, as `http://127.0.0.1:3128`.
    fn address(&self) -> String;

    /// The header that its own answers have, and those of providers have not; its value says in words what happened.
    fn own_answers(&self) -> &'static str;

    /// What the last connection to a host and port has failed with; none when it was made.
    fn failure(&self, host: &str, port: u16) -> Option<ProxyFailure>;
}

/// What a connection through a proxy has failed with. The texts say what happened, and name no address that an error
/// names anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProxyFailure {
    /// The proxy does not go there.
    Refused(String),
    /// There was no connection.
    Unreached(String),
    /// There was one, and no answer.
    BrokenOff(String),
}

impl ModelConnections {
    /// Connections that all go through this proxy; those to the same machine, too. Proxies that the environment names
    /// are left out of account.
    ///
    /// # Errors
    /// [`LlmError::Connection`] when the address is none, or the certificates of the system cannot be read.
    pub fn through_proxy(proxy: Arc<dyn ModelProxy>) -> Result<Self, LlmError> {
        let address = proxy.address();
        let built = reqwest::Proxy::all(&address)
            .and_then(|through| builder().proxy(through).pool_idle_timeout(IDLE).build());
        match built {
            Ok(client) => Ok(Self { client, proxy }),
            Err(error) => Err(LlmError::Connection {
                model: String::new(),
                endpoint: address,
                message: error.to_string(),
                reached: false,
            }),
        }
    }

    pub(crate) fn client(&self) -> reqwest::Client {
        self.client.clone()
    }

    pub(crate) fn proxy(&self) -> &dyn ModelProxy {
        self.proxy.as_ref()
    }
}

/// What all connections have in common. No limit of time on a whole call: that is the caller's deadline.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    // Someone else in the process may have installed a provider already; then theirs is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30))
        .tcp_nodelay(true)
        // Redirects of a POST lose its body or its key.
        .redirect(reqwest::redirect::Policy::none())
}

/// Connections for this route alone.
pub(crate) fn for_route(route: &Route) -> Result<reqwest::Client, LlmError> {
    let mut builder = builder();
    if route.is_loopback() {
        builder = builder.no_proxy();
    }
    if route.is_loopback() && !route.is_encrypted() {
        // Loading the system's certificates takes time, and fails on machines that have none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| LlmError::Connection {
        model: route.name.to_string(),
        endpoint: route.origin(),
        message: innermost(&error),
        reached: false,
    })
}
