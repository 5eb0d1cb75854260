//! Which hosts an entry of a session's `proxies` is for.

use regex::bytes::{Regex, RegexBuilder};
use url::Host;

use super::target::relative_name;

/// Bytes that an expression may take up when it is compiled.
const SIZE_LIMIT: usize = 256 * 1024;

/// A `domainPattern` that has been read.
#[derive(Debug, Clone)]
pub(super) enum DomainPattern {
    /// Every host.
    Every,
    /// The hosts below this one, and itself unless only they are meant.
    Host { name: String, only_below: bool },
    /// Where it is found in the host.
    Expression(Regex),
}

/// A `domainPattern` that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is no domain pattern: {problem}")]
pub struct InvalidPattern {
    /// What was given.
    pub pattern: String,
    /// What is wrong with it: it is no regular expression, or a large one.
    pub problem: String,
}

impl DomainPattern {
    /// Reads a pattern. What looks like a host with a dot is one, and what begins with `*` would be no expression.
    pub(super) fn new(text: &str) -> Result<Self, InvalidPattern> {
        let invalid = |problem: String| InvalidPattern {
            pattern: text.to_owned(),
            problem,
        };
        if text == "*" {
            return Ok(Self::Every);
        }
        let below = text.strip_prefix("*.");
        let name = below.unwrap_or(text);
        let is_name = name.contains('.')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        if is_name || below.is_some() {
            let host = Host::parse(name).map_err(|error| invalid(error.to_string()))?;
            return Ok(Self::Host {
                name: relative_name(&host.to_string()).to_owned(),
                only_below: below.is_some(),
            });
        }
        RegexBuilder::new(text)
            .case_insensitive(true)
            // Hosts are ASCII, and the tables of other scripts are large.
            .unicode(false)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .build()
            .map(Self::Expression)
            .map_err(|error| invalid(error.to_string()))
    }

    /// Whether it is for this host.
    pub(super) fn matches(&self, host: &Host) -> bool {
        let host = host.to_string();
        let host = relative_name(&host);
        match self {
            Self::Every => true,
            Self::Host { name, only_below } => match host.strip_suffix(name.as_str()) {
                Some("") => !only_below,
                Some(rest) => rest.ends_with('.'),
                None => false,
            },
            Self::Expression(expression) => expression.is_match(host.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_hosts_or_expressions() {
        let cases = [
            ("*", "a.test", true),
            ("*", "127.0.0.1", true),
            ("example.com", "example.com", true),
            ("example.com", "WWW.example.com.", true),
            ("example.com", "badexample.com", false),
            ("example.com", "example.com.evil.test", false),
            ("EXAMPLE.com.", "example.com", true),
            ("*.example.com", "example.com", false),
            ("*.example.com", "www.example.com", true),
            ("*.bücher.test", "a.bücher.test", true),
            ("127.0.0.1", "127.1", true),
            (r"example\.com", "www.example.com", true),
            (r"example\.com", "example.com.test", true),
            (r"EXAMPLE\.com$", "www.example.com", true),
            (r".*\.gov", "www.x.gov", true),
            (r"^([a-z-]+\.)*(a\.test|b\.test)$", "x.b.test", true),
            (r"^([a-z-]+\.)*(a\.test|b\.test)$", "c.test", false),
            (r"^(?:[\w-]+\.){1,3}(?:a|b)\.test$", "x.y.b.test", true),
            ("wiki", "en.wiki.test", true),
            ("localhost", "localhost", true),
            (r"^\[::1\]$", "[::1]", true),
        ];
        for (pattern, host, expected) in cases {
            let actual = DomainPattern::new(pattern)
                .unwrap()
                .matches(&Host::parse(host).unwrap());
            assert_eq!(actual, expected, "{pattern} {host}");
        }
    }

    #[test]
    fn patterns_that_cannot_be_read_are_refused() {
        for pattern in ["(", "*.", "*.a b", "a{100000}{100000}", "**"] {
            let error = DomainPattern::new(pattern).unwrap_err();
            assert_eq!(error.pattern, pattern);
        }
    }
}
