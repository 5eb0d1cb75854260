//! Finding and joining a browser that is already running.

use std::time::Duration;

use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use url::Url;

use crate::{BrowserError, LaunchOptions};

/// How long a browser may take to answer, when the user sets no limit.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// A connection to a browser that is not ours.
pub(crate) struct Attached {
    pub(crate) connection: Connection,
    /// The WebSocket address.
    pub(crate) url: String,
}

/// Connects to `cdp_url`: a WebSocket address as it is, an HTTP address by asking it for one. The limit holds
/// for all of it together.
pub(crate) async fn attach(cdp_url: &str, options: &LaunchOptions) -> Result<Attached, BrowserError> {
    let limit = options.connect_timeout.unwrap_or(CONNECT_LIMIT);
    let parsed = Url::parse(cdp_url).map_err(|_| not_an_address(cdp_url))?;
    let connect = async {
        let url = match parsed.scheme() {
            "ws" | "wss" => cdp_url.to_owned(),
            "http" | "https" => discover(&parsed, &options.cdp_headers).await?,
            _ => return Err(not_an_address(cdp_url)),
        };
        let web_socket = WebSocketOptions {
            headers: options.cdp_headers.clone(),
            // The limit here is for all of it together.
            connect_timeout: None,
            ..WebSocketOptions::default()
        };
        let transport = WebSocketTransport::connect(&url, &web_socket).await?;
        Ok(Attached {
            connection: Connection::new(transport),
            url,
        })
    };
    match tokio::time::timeout(limit, connect).await {
        Ok(outcome) => outcome,
        Err(_) => Err(BrowserError::ConnectTimeout {
            address: shown(&parsed),
            limit,
        }),
    }
}

fn not_an_address(cdp_url: &str) -> BrowserError {
    BrowserError::InvalidUrl {
        url: cdp_url.to_owned(),
        hint: Some("cdpUrl takes a ws://, wss://, http:// or https:// address".to_owned()),
    }
}

/// The part of `/json/version` that is needed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Version {
    web_socket_debugger_url: String,
}

async fn discover(base: &Url, headers: &[(String, String)]) -> Result<String, BrowserError> {
    // Every user of TLS in this process shares one provider; whoever comes first sets it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let failed = |problem: String| discovery(base, problem);
    let mut builder = reqwest::Client::builder();
    if is_local(base) {
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|error| failed(error.to_string()))?;
    let mut address = base.clone();
    let path = format!("{}/json/version", base.path().trim_end_matches('/'));
    address.set_path(&path);
    let request = client
        .get(address)
        .headers(header_map(headers).map_err(|error| failed(error.to_string()))?);
    let reply = request.send().await.map_err(|error| failed(without_url(error)))?;
    if !reply.status().is_success() {
        return Err(failed(format!(
            "/json/version answered with status {}",
            reply.status()
        )));
    }
    let version: Version = reply.json().await.map_err(|error| failed(without_url(error)))?;
    endpoint(base, &version.web_socket_debugger_url)
        .ok_or_else(|| failed("/json/version names no WebSocket address".to_owned()))
}

/// The address to connect to: path and query of what the browser says, reached as the user reached it. The
/// browser names itself as it sees itself, which behind a tunnel or in a container is of no use outside.
fn endpoint(base: &Url, said: &str) -> Option<String> {
    let said = Url::parse(said).ok()?;
    let mut url = base.clone();
    url.set_scheme(if base.scheme() == "https" { "wss" } else { "ws" })
        .ok()?;
    url.set_path(said.path());
    url.set_query(said.query().or(base.query()));
    url.set_fragment(None);
    Some(url.into())
}

/// Whether the host of an address is this machine.
pub(crate) fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Which of the given headers cannot be sent. Its value is not told: it may be a key.
#[derive(Debug, thiserror::Error)]
enum HeaderError {
    #[error("`{name}` is no header name")]
    Name { name: String },
    #[error("the value of the header `{name}` cannot be sent")]
    Value { name: String },
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, HeaderError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let key =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name { name: name.clone() })?;
        let mut value =
            HeaderValue::from_str(value).map_err(|_| HeaderError::Value { name: name.clone() })?;
        value.set_sensitive(true);
        map.insert(key, value);
    }
    Ok(map)
}

/// The address may hold a key, in its query or before the host.
fn without_url(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

fn discovery(url: &Url, problem: String) -> BrowserError {
    BrowserError::Discovery {
        address: shown(url),
        problem,
    }
}

/// An address without user, password and query.
fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint_of(base: &str, said: &str) -> Option<String> {
        endpoint(&Url::parse(base).unwrap(), said)
    }

    #[test]
    fn headers_that_cannot_be_sent_are_named_without_their_value() {
        let problem = |name: &str, value: &str| {
            let headers = [(name.to_owned(), value.to_owned())];
            header_map(&headers).unwrap_err().to_string()
        };
        assert_eq!(problem("two words", "secret"), "`two words` is no header name");
        let text = problem("x-key", "secret\n");
        assert!(text.contains("`x-key`") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn endpoint_is_reached_as_the_http_address_was() {
        let said = "ws://127.0.0.1:9222/devtools/browser/1-2";
        let cases = [
            (
                "http://localhost:9222",
                "ws://localhost:9222/devtools/browser/1-2",
            ),
            ("http://container:80/", "ws://container/devtools/browser/1-2"),
            (
                "https://user:key@grid.test/x?token=k#f",
                "wss://user:key@grid.test/devtools/browser/1-2?token=k",
            ),
        ];
        for (base, expected) in cases {
            assert_eq!(endpoint_of(base, said).as_deref(), Some(expected));
        }
        let own_query = endpoint_of("http://h/?a=1", "ws://x/devtools/browser/9?b=2");
        assert_eq!(own_query.as_deref(), Some("ws://h/devtools/browser/9?b=2"));
        assert_eq!(endpoint_of("http://h/", "nonsense"), None);
    }
}
