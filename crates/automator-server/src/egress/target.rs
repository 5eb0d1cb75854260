//! What a request is for: a host and a port.

use std::fmt;

use url::Host;

/// A host and a port, as they are dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// As the URL standard reads it: in lower case and ASCII, and an address whenever it can be read as one, as
    /// `2130706433` and `0x7f.1`. A dot at the end stays: it keeps the resolver from trying search domains.
    pub(super) host: Host,
    pub(super) port: u16,
}

/// Why a text names no target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum TargetError {
    #[error("it has no host that can be read")]
    Host,
    #[error("it needs a port")]
    NoPort,
    #[error("its port is no number from 1 to 65535")]
    Port,
    #[error("it has a user name")]
    UserName,
}

impl Target {
    /// Reads `host`, `host:port` and `[address]:port`.
    pub(super) fn parse(authority: &str, default_port: Option<u16>) -> Result<Self, TargetError> {
        if authority.contains('@') {
            return Err(TargetError::UserName);
        }
        let (host, port) = split_port(authority).ok_or(TargetError::Host)?;
        let port = match port {
            None | Some("") => default_port.ok_or(TargetError::NoPort)?,
            Some(port) => parse_port(port).ok_or(TargetError::Port)?,
        };
        let host = Host::parse(host).map_err(|_| TargetError::Host)?;
        let has_empty_label =
            matches!(&host, Host::Domain(name) if relative_name(name).split('.').any(str::is_empty));
        if has_empty_label {
            return Err(TargetError::Host);
        }
        Ok(Self { host, port })
    }

    /// Whether both are the same place. A dot at the end makes no difference here.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let hosts_agree = match (&self.host, &other.host) {
            (Host::Domain(one), Host::Domain(other)) => relative_name(one) == relative_name(other),
            (one, other) => one == other,
        };
        hosts_agree && self.port == other.port
    }

    /// As a `Host` header has it: without the port when it is this one.
    pub(super) fn authority(&self, default_port: u16) -> String {
        if self.port == default_port {
            self.host.to_string()
        } else {
            self.to_string()
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

/// Splits `host:port`; brackets stay with the host. None when there are several colons outside of brackets.
pub(super) fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    let end_of_host = if authority.starts_with('[') {
        authority.find(']')? + 1
    } else {
        authority.find(':').unwrap_or(authority.len())
    };
    let (host, rest) = authority.split_at(end_of_host);
    match rest.strip_prefix(':') {
        Some(port) if !port.contains(':') => Some((host, Some(port))),
        None if rest.is_empty() => Some((host, None)),
        _ => None,
    }
}

/// Reads a port: digits alone, from 1 to 65535.
pub(super) fn parse_port(text: &str) -> Option<u16> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_number && *port != 0)
}

/// A name without the dot that may end it.
pub(super) fn relative_name(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_as_the_url_standard_does() {
        let cases = [
            ("EXAMPLE.com:80", "example.com:80"),
            ("example.com.", "example.com.:443"),
            ("bücher.test:8443", "xn--bcher-kva.test:8443"),
            ("0x7f.1:80", "127.0.0.1:80"),
            ("2130706433", "127.0.0.1:443"),
            ("017700000001", "127.0.0.1:443"),
            ("127.0.0.1.", "127.0.0.1:443"),
            ("１２７.1", "127.0.0.1:443"),
            ("[::1]:80", "[::1]:80"),
            ("[0:0:0:0:0:ffff:7f00:1]", "[::ffff:7f00:1]:443"),
            ("a.test:", "a.test:443"),
        ];
        for (text, expected) in cases {
            assert_eq!(Target::parse(text, Some(443)).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn texts_that_are_no_targets_are_refused() {
        let cases = [
            ("", TargetError::Host),
            (".", TargetError::Host),
            ("a..test", TargetError::Host),
            ("a.test..", TargetError::Host),
            ("a b", TargetError::Host),
            ("::1", TargetError::Host),
            ("a:80:80", TargetError::Host),
            ("[::1", TargetError::Host),
            ("[::1]80", TargetError::Host),
            ("[fe80::1%25eth0]", TargetError::Host),
            ("256.1.1.1", TargetError::Host),
            ("me@a.test:80", TargetError::UserName),
            ("a.test:0", TargetError::Port),
            ("a.test:65536", TargetError::Port),
            ("a.test:+80", TargetError::Port),
            ("a.test:http", TargetError::Port),
        ];
        for (text, expected) in cases {
            assert_eq!(Target::parse(text, Some(443)), Err(expected), "{text:?}");
        }
        assert_eq!(Target::parse("a.test", None), Err(TargetError::NoPort));
    }
}
