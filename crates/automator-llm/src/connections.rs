//! Connections to providers that many clients share, through a proxy that decides where they may go.

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
pub struct ModelConnections(reqwest::Client);

impl ModelConnections {
    /// Connections that all go through this HTTP proxy, as `http://127.0.0.1:3128`; those to the same machine, too.
    /// Proxies that the environment names are left out of account.
    ///
    /// # Errors
    /// [`LlmError::Connection`] when the address is none, or the certificates of the system cannot be read.
    pub fn through_proxy(proxy: &str) -> Result<Self, LlmError> {
        let built = reqwest::Proxy::all(proxy)
            .and_then(|proxy| builder().proxy(proxy).pool_idle_timeout(IDLE).build());
        built.map(Self).map_err(|error| LlmError::Connection {
            model: String::new(),
            endpoint: proxy.to_owned(),
            message: error.to_string(),
            reached: false,
        })
    }

    pub(crate) fn client(&self) -> reqwest::Client {
        self.0.clone()
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
