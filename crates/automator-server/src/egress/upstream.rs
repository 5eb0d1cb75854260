//! The proxies that a session asked for.
//!
//! A session has a list of them; the first whose pattern matches the host is used, and hosts that none matches are
//! reached directly.
//!
//! # What is judged on the way through a proxy
//!
//! A name is resolved and judged here as if it were dialled from here, and every address that it leads to has to be
//! allowed. The proxy is then given the **name**, not the address: proxies choose their way, their certificates and
//! their own permissions by name, and many refuse addresses. What the name leads to over there may differ, but that
//! is a place in the network of the proxy and not of this server. So a name that does not resolve here, or leads to
//! anything that is not allowed, is not handed on, and nobody reaches the server's own network by way of a proxy
//! that stands in it.
//!
//! The proxy's own address is judged like any other target: a session cannot name `http://127.0.0.1:3128` under
//! `public`, unless the operator has listed it.

use std::fmt;

use serde::Deserialize;
use url::{Host, Url};

use super::pattern::DomainPattern;
pub use super::pattern::InvalidPattern;
use super::target::Target;

/// One entry of a session's `proxies`, as it is asked for.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum ProxySettings {
    /// A proxy of the session's owner.
    External {
        /// Its address, as `http://proxy.example:3128` or `socks5://proxy.example:1080`; without a scheme it is
        /// `http`. The port is 80 or 1080 when there is none.
        server: String,
        /// The user name, when it asks for one.
        #[serde(default)]
        username: Option<String>,
        /// The password that belongs to it. Default: an empty one.
        #[serde(default)]
        password: Option<String>,
        /// The hosts it is for, as [`UpstreamProxy`] reads them. Default: all.
        #[serde(default)]
        domain_pattern: Option<String>,
    },
    /// No proxy.
    None {
        /// The hosts this is for, as [`UpstreamProxy`] reads them. Default: all.
        #[serde(default)]
        domain_pattern: Option<String>,
    },
}

/// One entry of a session's `proxies`, ready for use.
///
/// Its pattern is one of
/// - `*`: every host;
/// - `example.com`: this host, and those below it;
/// - `*.example.com`: the hosts below it, but not it;
/// - anything else: a regular expression that is searched for in the host, as `(^|\.)example\.(com|org)$`.
///
/// Hosts are in lower case and ASCII, without a port and without a dot at the end.
#[derive(Debug, Clone)]
pub struct UpstreamProxy {
    pattern: DomainPattern,
    /// None connects directly.
    server: Option<Server>,
}

/// Why an entry of a session's `proxies` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// The address cannot be read. It is not repeated: it may have a password in it.
    #[error("the server of a proxy is an address like `http://proxy.example:3128`, and no more")]
    Server,
    /// The address has a scheme that is not supported.
    #[error("proxies are `http` or `socks5`, and not `{0}`")]
    Scheme(String),
    /// The user name or the password is in the address.
    #[error("give the user name and the password of a proxy as `username` and `password`")]
    CredentialsInServer,
    /// They cannot be sent: a user name with a colon, a password alone, or more than 255 bytes for a SOCKS proxy.
    #[error("the user name and the password of a proxy cannot be sent: {0}")]
    Credentials(&'static str),
    /// The pattern cannot be read.
    #[error(transparent)]
    Pattern(#[from] InvalidPattern),
}

/// A proxy to connect through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub(super) kind: ProxyKind,
    pub(super) target: Target,
    pub(super) credentials: Option<Credentials>,
}

/// What a proxy speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProxyKind {
    Http,
    Socks5,
}

/// What a proxy asks for.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) username: String,
    pub(super) password: String,
}

impl UpstreamProxy {
    /// Reads an entry.
    ///
    /// # Errors
    /// What is wrong with it, without its password.
    pub fn new(settings: &ProxySettings) -> Result<Self, UpstreamError> {
        let (pattern, server) = match settings {
            ProxySettings::None { domain_pattern } => (domain_pattern, None),
            ProxySettings::External {
                server,
                username,
                password,
                domain_pattern,
            } => {
                let (kind, target) = read_server(server)?;
                let credentials = read_credentials(kind, username.as_deref(), password.as_deref())?;
                let server = Server {
                    kind,
                    target,
                    credentials,
                };
                (domain_pattern, Some(server))
            }
        };
        Ok(Self {
            pattern: DomainPattern::new(pattern.as_deref().unwrap_or("*"))?,
            server,
        })
    }
}

/// The proxy for a host; none connects directly.
pub(super) fn server_for<'a>(upstreams: &'a [UpstreamProxy], host: &Host) -> Option<&'a Server> {
    upstreams
        .iter()
        .find(|upstream| upstream.pattern.matches(host))?
        .server
        .as_ref()
}

fn read_server(text: &str) -> Result<(ProxyKind, Target), UpstreamError> {
    let text = text.trim();
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let kind = match scheme.to_ascii_lowercase().as_str() {
        "http" => ProxyKind::Http,
        "socks5" | "socks5h" => ProxyKind::Socks5,
        scheme if Url::parse(&format!("{scheme}://host")).is_ok() => {
            return Err(UpstreamError::Scheme(scheme.to_owned()));
        }
        _ => return Err(UpstreamError::Server),
    };
    if rest.contains('@') {
        return Err(UpstreamError::CredentialsInServer);
    }
    let default_port = match kind {
        ProxyKind::Http => 80,
        ProxyKind::Socks5 => 1080,
    };
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    let target = Target::parse(authority, Some(default_port)).map_err(|_| UpstreamError::Server)?;
    Ok((kind, target))
}

fn read_credentials(
    kind: ProxyKind,
    username: Option<&str>,
    password: Option<&str>,
) -> Result<Option<Credentials>, UpstreamError> {
    let password = password.unwrap_or_default();
    let Some(username) = username.filter(|username| !username.is_empty()) else {
        return match password {
            "" => Ok(None),
            _ => Err(UpstreamError::Credentials("the user name is missing")),
        };
    };
    match kind {
        ProxyKind::Http if username.contains(':') => {
            Err(UpstreamError::Credentials("a user name has no colon"))
        }
        ProxyKind::Socks5 if username.len() > 255 || !(1..=255).contains(&password.len()) => Err(
            UpstreamError::Credentials("a SOCKS proxy takes 1 to 255 bytes of each"),
        ),
        ProxyKind::Http | ProxyKind::Socks5 => Ok(Some(Credentials {
            username: username.to_owned(),
            password: password.to_owned(),
        })),
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::External {
                server: _,
                username,
                password,
                domain_pattern,
            } => formatter
                .debug_struct("External")
                .field("username", username)
                .field("password", &password.as_ref().map(|_| "***"))
                .field("domain_pattern", domain_pattern)
                // The address may have a password in it, as long as it has not been read.
                .finish_non_exhaustive(),
            Self::None { domain_pattern } => formatter
                .debug_struct("None")
                .field("domain_pattern", domain_pattern)
                .finish(),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Credentials")
            .field("username", &self.username)
            .field("password", &"***")
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn external(server: &str, username: Option<&str>, password: Option<&str>) -> ProxySettings {
        ProxySettings::External {
            server: server.to_owned(),
            username: username.map(str::to_owned),
            password: password.map(str::to_owned),
            domain_pattern: None,
        }
    }

    fn upstreams(text: &str) -> Vec<UpstreamProxy> {
        let settings: Vec<ProxySettings> = serde_json::from_str(text).unwrap();
        settings
            .iter()
            .map(|settings| UpstreamProxy::new(settings).unwrap())
            .collect()
    }

    fn server(text: &str) -> Result<String, UpstreamError> {
        let upstream = UpstreamProxy::new(&external(text, None, None))?;
        let server = upstream.server.unwrap();
        Ok(format!("{:?} {}", server.kind, server.target))
    }

    #[test]
    fn servers_are_read() {
        assert_eq!(server("http://proxy.test:3128/").unwrap(), "Http proxy.test:3128");
        assert_eq!(server("Proxy.test:3128").unwrap(), "Http proxy.test:3128");
        assert_eq!(server("HTTP://proxy.test").unwrap(), "Http proxy.test:80");
        assert_eq!(server("socks5://[::1]").unwrap(), "Socks5 [::1]:1080");
        for text in [
            "",
            "http://",
            "http://proxy.test:0",
            "http://proxy.test/path",
            "http://a b",
        ] {
            assert_eq!(server(text), Err(UpstreamError::Server), "{text}");
        }
        assert_eq!(
            server("https://proxy.test"),
            Err(UpstreamError::Scheme("https".to_owned()))
        );
        let error = server("http://me:secret@proxy.test").unwrap_err();
        assert_eq!(error, UpstreamError::CredentialsInServer);
        assert!(!error.to_string().contains("secret"));
    }

    #[test]
    fn credentials_that_cannot_be_sent_are_refused() {
        let long = "x".repeat(256);
        for (server, username, password) in [
            ("http://p.test", Some("a:b"), Some("c")),
            ("http://p.test", None, Some("c")),
            ("socks5://p.test", Some("a"), None),
            ("socks5://p.test", Some("a"), Some(long.as_str())),
            ("socks5://p.test", Some(long.as_str()), Some("a")),
        ] {
            let result = UpstreamProxy::new(&external(server, username, password));
            assert!(matches!(result, Err(UpstreamError::Credentials(_))));
        }
        let empty = UpstreamProxy::new(&external("http://p.test", Some(""), None)).unwrap();
        assert_eq!(empty.server.unwrap().credentials, None);
    }

    #[test]
    fn debug_output_has_no_password() {
        let settings = external("http://p.test", Some("me"), Some("secret"));
        let upstream = UpstreamProxy::new(&settings).unwrap();
        let in_server = external("http://me:secret@p.test", None, None);
        let text = format!("{settings:?} {upstream:?} {in_server:?}");
        assert!(text.contains("***") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn the_first_pattern_that_matches_wins_and_otherwise_it_is_direct() {
        let settings = r#"[
            {"type": "none", "domainPattern": "^internal\\.example\\.com$"},
            {"type": "external", "server": "http://a", "domainPattern": "example.com"},
            {"type": "external", "server": "http://b", "domainPattern": "*.example.org"}
        ]"#;
        let upstreams = upstreams(settings);
        let cases = [
            ("internal.example.com", None),
            ("INTERNAL.example.com.", None),
            ("www.example.com", Some("a:80")),
            ("www.example.org", Some("b:80")),
            ("example.org", None),
            ("10.0.0.1", None),
        ];
        for (host, expected) in cases {
            let server = server_for(&upstreams, &Host::parse(host).unwrap());
            let actual = server.map(|server| server.target.to_string());
            assert_eq!(actual.as_deref(), expected, "{host}");
        }
    }

    #[test]
    fn an_entry_without_a_pattern_is_for_every_host() {
        let upstreams = upstreams(r#"[{"type": "external", "server": "http://a"}, {"type": "none"}]"#);
        let server = server_for(&upstreams, &Host::parse("x.test").unwrap()).unwrap();
        assert_eq!(server.target.to_string(), "a:80");
    }

    #[test]
    fn settings_are_read_as_the_interface_has_them() {
        let text = r#"[
            {"type": "none", "domainPattern": "a.test"},
            {"type": "external", "server": "http://p.test", "username": "me", "password": "x"}
        ]"#;
        let settings: Vec<ProxySettings> = serde_json::from_str(text).unwrap();
        assert_eq!(settings[1], external("http://p.test", Some("me"), Some("x")));
        for wrong in [
            r#"{"type": "other"}"#,
            r#"{"type": "external"}"#,
            r#"{"type": "none", "domain": "x"}"#,
        ] {
            assert!(serde_json::from_str::<ProxySettings>(wrong).is_err(), "{wrong}");
        }
    }
}
