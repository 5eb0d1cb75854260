//! Requests to the HTTP interface of a platform.

use std::time::Duration;

use automator_llm::Secret;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::Value;
use url::{Host, Url};

use crate::error::ToldError;
use crate::{Error, ErrorKind, Result};

/// How long the platform may take to take a connection.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// After how long without a word the other machine is asked whether it is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The header of the key.
const KEY_HEADER: &str = "x-bb-api-key";

/// How much of a text that is no answer of a platform is told.
const TOLD: usize = 200;

/// One HTTP interface.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    client: Client,
    address: String,
    key: Secret,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Nothing was reached.
    #[error("nothing answers at {address}: {problem}")]
    Unreachable { address: String, problem: String },
    /// The connection ended before the answer had come.
    #[error("{address} broke off: {problem}")]
    BrokenOff { address: String, problem: String },
    /// It was refused.
    #[error("{message} (status {status})")]
    Refused {
        status: u16,
        message: String,
        /// The error of the library, when it is one.
        error: Option<Box<ToldError>>,
    },
    /// What came is no answer of a platform.
    #[error("{address} does not answer as a platform does: {problem}")]
    Unreadable { address: String, problem: String },
}

impl Endpoint {
    /// The interface at an address, which has no slash at its end.
    pub(crate) fn new(address: &str, key: Secret) -> Result<Self> {
        // Someone else in the process may have installed a provider already; then theirs is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .connect_timeout(CONNECT_LIMIT)
            .tcp_nodelay(true)
            // A network that swallows everything is noticed within a minute, also while the platform has nothing to say.
            .tcp_keepalive(KEEP_ALIVE)
            .tcp_keepalive_interval(KEEP_ALIVE)
            .tcp_keepalive_retries(3)
            // Redirects of a POST lose its body, and those to others would give them the key.
            .redirect(reqwest::redirect::Policy::none());
        let url = Url::parse(address).ok();
        if url.as_ref().is_some_and(is_loopback) {
            builder = builder.no_proxy();
        }
        if url.is_some_and(|url| url.scheme() == "http") {
            // Loading the system's certificates takes time, and fails on machines that have none.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| {
            Error::new(
                ErrorKind::Init,
                format!("the HTTP client cannot be set up: {error}"),
            )
        })?;
        Ok(Self {
            client,
            address: address.to_owned(),
            key,
        })
    }

    /// A request with the key.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.address))
            .header(KEY_HEADER, self.key.expose())
    }

    /// Sends a request, and gives the head of a good answer.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let answer = request.send().await.map_err(|error| self.broken(error))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let text = answer.text().await.unwrap_or_default();
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        let said = body
            .get("message")
            .and_then(Value::as_str)
            .map_or_else(|| text.chars().take(TOLD).collect(), str::to_owned);
        let message = match said.trim() {
            "" => status.canonical_reason().unwrap_or("refused").to_owned(),
            said => said.to_owned(),
        };
        let error = body.get("error").filter(|error| error.get("automator").is_some());
        let error = error.and_then(|error| serde_json::from_value(error.clone()).ok());
        Err(Failure::Refused {
            status: status.as_u16(),
            message,
            error,
        })
    }

    /// Sends a request whose answer is JSON.
    pub(crate) async fn ask(&self, request: RequestBuilder) -> Result<Value, Failure> {
        let answer = self.send(request).await?;
        let bytes = answer.bytes().await.map_err(|error| self.broken(error))?;
        serde_json::from_slice(&bytes).map_err(|error| self.unreadable(error.to_string()))
    }

    /// The error of a file that the platform does not hand over; `all` is where all files of its session are.
    pub(crate) fn not_handed_over(&self, name: &str, all: &str, failure: &Failure) -> Error {
        let message = format!("`{name}` stays on the platform: {failure}");
        let hint = format!("what the session has downloaded is at {}{all}", self.address);
        Error::new(ErrorKind::Download, message).hint(hint)
    }

    pub(crate) fn unreadable(&self, problem: impl Into<String>) -> Failure {
        Failure::Unreadable {
            address: self.address.clone(),
            problem: problem.into(),
        }
    }

    /// The platform has been silent for this long.
    pub(crate) fn silent(&self, limit: Duration) -> Failure {
        Failure::BrokenOff {
            address: self.address.clone(),
            problem: format!("nothing came for {} s", limit.as_secs()),
        }
    }

    /// What a failed transfer is: the address is told without what may be secret in it.
    pub(crate) fn broken(&self, error: reqwest::Error) -> Failure {
        let is_unreached = error.is_connect() || error.is_timeout() || error.is_builder();
        let address = self.address.clone();
        let problem = innermost(&error.without_url());
        match is_unreached {
            true => Failure::Unreachable { address, problem },
            false => Failure::BrokenOff { address, problem },
        }
    }
}

impl Failure {
    /// As the error of `init()`.
    pub(crate) fn on_init(self) -> Error {
        let message = self.to_string();
        match self {
            Self::Unreachable { .. } => Error::new(ErrorKind::Init, message).hint(
                "start a platform there with `automator serve`, or say where one is with remoteBaseURL or \
                 REMOTE_BASE_URL",
            ),
            Self::Refused {
                status: 401, message, ..
            } => {
                let message = format!("the platform does not accept the API key: {message}");
                Error::new(ErrorKind::Environment, message).hint("check apiKey or REMOTE_API_KEY")
            }
            Self::Refused {
                status: 404 | 410,
                message,
                ..
            } => Error::new(ErrorKind::RemoteSessionNotFound, message)
                .hint("leave remoteSessionID out to create a session"),
            Self::Refused {
                status: 400 | 422,
                message,
                ..
            } => Error::new(ErrorKind::InvalidArgument, message),
            Self::Refused {
                status: 429, message, ..
            } => Error::new(ErrorKind::Init, message).hint("try again later"),
            Self::BrokenOff { .. } | Self::Refused { .. } | Self::Unreadable { .. } => {
                Error::new(ErrorKind::Init, message)
            }
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The cause of all causes, which says the most.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
