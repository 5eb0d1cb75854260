//! Who is let in: by the names that the server is called by, and by API keys.

use std::collections::BTreeSet;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Shared;
use super::failure::Failure;
use super::limits::count_request;
use super::remote::remote;
use crate::audit::AuditEvent;
use crate::key::ApiKey;
use crate::metrics::Refused;

/// The header that the key is in, unless it is a bearer token.
const KEY_HEADER: &str = "x-bb-api-key";

/// The names that the server may be called by, and the origins whose pages may call it.
///
/// A page in somebody's browser can reach a server on their machine. It cannot choose the `Origin` that its browser
/// sends, nor the `Host` when a name of its own is made to point here (DNS rebinding), so both are looked at first.
#[derive(Debug, Clone, Default)]
pub struct AllowedNames {
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
}

impl AllowedNames {
    /// No names.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a value of `Host`: a name with its port, where that is not the usual one.
    #[must_use]
    pub fn host(mut self, host: &str) -> Self {
        self.hosts.insert(host.to_ascii_lowercase());
        self
    }

    /// The same with a value of `Origin`.
    #[must_use]
    pub fn origin(mut self, origin: &str) -> Self {
        self.origins.insert(origin.to_ascii_lowercase());
        self
    }

    /// What is wrong with the names of a request: with `Host`, with the host of an address that is written out in its
    /// first line, which counts for more, and with `Origin`.
    fn problem(&self, target: &Uri, headers: &HeaderMap) -> Option<(StatusCode, String)> {
        let texts = |name| {
            let values = headers.get_all(name).into_iter();
            values.map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
        };
        let hosts = texts(header::HOST).count();
        if hosts != 1 {
            let problem = if hosts == 0 {
                "the request names no host"
            } else {
                "the request has more than one `host` header"
            };
            return Some((StatusCode::BAD_REQUEST, problem.to_owned()));
        }
        let written_out = target.authority().map(|host| host.as_str().to_ascii_lowercase());
        let mut named = texts(header::HOST).chain(written_out);
        if let Some(host) = named.find(|host| !self.hosts.contains(host)) {
            let problem = format!(
                "`{host}` is no name of this server; it is called {}",
                quoted(&self.hosts)
            );
            return Some((StatusCode::MISDIRECTED_REQUEST, problem));
        }
        let origin = texts(header::ORIGIN).find(|origin| !self.origins.contains(origin))?;
        Some((
            StatusCode::FORBIDDEN,
            format!("pages of `{origin}` may not call this server"),
        ))
    }
}

fn quoted(names: &BTreeSet<String>) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Lets requests through that call the server by one of its names.
pub(super) async fn check_names(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    match shared.names.problem(request.uri(), request.headers()) {
        None => next.run(request).await,
        Some((status, problem)) => Failure::new(status, problem).into_response(),
    }
}

/// Whose key the request has: the public part.
#[derive(Debug)]
pub(super) struct Owner(pub(super) String);

impl FromRequestParts<Shared> for Owner {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Failure> {
        let refused = |problem: &str| Failure::new(StatusCode::UNAUTHORIZED, problem);
        let note = |key: Option<&str>| {
            shared.platform.metrics().refused(Refused::Key);
            shared.platform.audit().record(AuditEvent::KeyRefused {
                key,
                remote: remote(&parts.extensions, &parts.headers, &shared.trusted_proxies),
            });
        };
        let Some(given) = given_key(&parts.headers) else {
            note(None);
            return Err(refused(
                "no API key: give it as `x-bb-api-key` or as `Authorization: Bearer`",
            ));
        };
        // Whether there is none, or another one, or one that is revoked, is nobody's business.
        let unknown = || refused("the API key is not valid");
        let Ok(key) = given.parse::<ApiKey>() else {
            note(None);
            return Err(unknown());
        };
        let stored = shared.store.key(key.public()).await?;
        // As much is done for a key that is not there.
        let hash = stored.as_ref().map_or(&[][..], |stored| &stored.hash);
        let is_right = key.has_hash(&shared.key_secret, hash);
        match stored {
            Some(stored) if is_right && stored.revoked_at.is_none() => {
                count_request(shared, &stored.id)?;
                Ok(Self(stored.id))
            }
            _ => {
                note(Some(key.public()));
                Err(unknown())
            }
        }
    }
}

/// Whether a request has a key, right or wrong.
pub(super) fn has_key(headers: &HeaderMap) -> bool {
    given_key(headers).is_some()
}

fn given_key(headers: &HeaderMap) -> Option<&str> {
    let own = headers.get(KEY_HEADER).and_then(|value| value.to_str().ok());
    own.or_else(|| {
        let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    })
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(values: &[(HeaderName, &'static str)]) -> HeaderMap {
        let values = values.iter().cloned();
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(name, value.parse().expect("a value"));
        }
        headers
    }

    #[test]
    fn only_its_names_and_allowed_origins_come_through() {
        let names = AllowedNames::new()
            .host("localhost:4800")
            .origin("http://localhost:4800");
        let target = |target: &'static str, values: &[(HeaderName, &'static str)]| {
            let problem = names.problem(&Uri::from_static(target), &headers(values));
            problem.map(|(status, _)| status.as_u16())
        };
        let status = |values: &[(HeaderName, &'static str)]| target("/v1/sessions", values);
        let host = (header::HOST, "LocalHost:4800");
        assert_eq!(status(std::slice::from_ref(&host)), None);
        assert_eq!(
            status(&[host.clone(), (header::ORIGIN, "http://localhost:4800")]),
            None
        );
        assert_eq!(
            status(&[host.clone(), (header::ORIGIN, "http://evil.example")]),
            Some(403)
        );
        let own = (header::ORIGIN, "http://localhost:4800");
        assert_eq!(
            status(&[host.clone(), own, (header::ORIGIN, "null")]),
            Some(403),
            "each of them counts"
        );
        assert_eq!(status(&[host.clone(), (header::ORIGIN, "null")]), Some(403));
        let (named, twice) = ([host.clone()], [host.clone(), host]);
        assert_eq!(status(&twice), Some(400));
        for (written, expected) in [
            ("http://LOCALHOST:4800/v1/sessions", None),
            ("http://evil.example/v1/sessions", Some(421)),
            ("http://localhost:4800@evil.example/", Some(421)),
            ("http://user@localhost:4800/", Some(421)),
            ("evil.example:443", Some(421)),
            ("localhost:4800", None),
            ("*", None),
        ] {
            assert_eq!(target(written, &named), expected, "{written}");
        }
        assert_eq!(status(&[(header::HOST, "evil.example:4800")]), Some(421));
        assert_eq!(status(&[(header::HOST, "localhost")]), Some(421));
        assert_eq!(status(&[]), Some(400));
    }

    #[test]
    fn a_key_comes_in_its_own_header_or_as_a_bearer() {
        let own = headers(&[(HeaderName::from_static(KEY_HEADER), "a")]);
        let bearer = headers(&[(header::AUTHORIZATION, "bearer  b")]);
        let basic = headers(&[(header::AUTHORIZATION, "Basic b")]);
        assert_eq!(given_key(&own), Some("a"));
        assert_eq!(given_key(&bearer), Some("b"));
        assert_eq!(given_key(&basic), None);
    }
}
