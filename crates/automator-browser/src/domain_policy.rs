//! Which hosts pages may show.

use automator_cdp::Session;
use automator_cdp::protocol::fetch::{ContinueRequest, FailRequest, RequestPattern, RequestPausedEvent};
use automator_cdp::protocol::network::{error_reason, resource_type};
use url::Url;

use crate::{BrowserError, Context};

/// Which hosts documents may come from. It holds for addresses that are gone to, links, redirects (every step),
/// frames and pop-ups; what a document loads besides (pictures, scripts, data) is not asked about.
///
/// An entry is
/// - a host, as `example.com`: it, and every host below it;
/// - a host with `*.` in front, as `*.example.com`: the hosts below it, but not it;
/// - either with a port, as `localhost:3000`: on this port only;
/// - `*`: every host;
/// - `file`: files of this machine; any other scheme without hosts, as `chrome`, stands for its addresses likewise.
///
/// `about:` and `data:` addresses are always allowed. A host that is both allowed and blocked is blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DomainPolicy {
    /// The only hosts that are allowed; `None` allows all.
    pub allowed_domains: Option<Vec<String>>,
    /// Hosts that are not allowed.
    pub blocked_domains: Vec<String>,
}

/// A policy that has been read.
#[derive(Debug)]
pub(crate) struct Rules {
    allowed: Option<Vec<Rule>>,
    blocked: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    /// As it was given, for error texts.
    text: String,
    host: String,
    port: Option<u16>,
    only_below: bool,
}

impl Context {
    /// Sets the policy for all pages, in place of the one before; `None` ends it. Documents that are there already
    /// stay. A navigation that is forbidden does not begin: the page stays where it is, and
    /// [`goto`](crate::Page::goto) says so with [`BrowserError::ForbiddenAddress`].
    ///
    /// # Errors
    /// [`BrowserError::InvalidDomain`], and then nothing is changed; a protocol error.
    pub async fn set_domain_policy(&self, policy: Option<&DomainPolicy>) -> Result<(), BrowserError> {
        let rules = policy.map(Rules::new).transpose()?;
        self.browser().inner().set_rules(rules).await
    }
}

impl Rules {
    pub(crate) fn new(policy: &DomainPolicy) -> Result<Self, BrowserError> {
        let read = |entries: &[String]| {
            entries
                .iter()
                .map(|entry| Rule::new(entry))
                .collect::<Result<Vec<_>, _>>()
        };
        Ok(Self {
            allowed: policy.allowed_domains.as_deref().map(read).transpose()?,
            blocked: read(&policy.blocked_domains)?,
        })
    }

    /// Why the address is forbidden; `None` when it is not.
    pub(crate) fn forbids(&self, url: &str) -> Option<String> {
        let url = url.strip_prefix("view-source:").unwrap_or(url);
        let url = url.strip_prefix("blob:").unwrap_or(url);
        let Ok(url) = Url::parse(url) else {
            return Some("it cannot be read".to_owned());
        };
        if matches!(url.scheme(), "about" | "data" | "javascript") {
            return None;
        }
        let host = match url.host_str() {
            Some(host) if matches!(url.scheme(), "http" | "https" | "ws" | "wss" | "ftp") => {
                host.trim_end_matches('.')
            }
            _ => url.scheme(),
        };
        let port = url.port_or_known_default();
        if let Some(rule) = self.blocked.iter().find(|rule| rule.matches(host, port)) {
            return Some(format!("`{}` is blocked", rule.text));
        }
        let allowed = self.allowed.as_ref()?;
        let is_allowed = allowed.iter().any(|rule| rule.matches(host, port));
        (!is_allowed).then(|| {
            let texts: Vec<&str> = allowed.iter().map(|rule| rule.text.as_str()).collect();
            format!("`{host}` is not among the allowed domains ({})", texts.join(", "))
        })
    }
}

impl Rule {
    fn new(text: &str) -> Result<Self, BrowserError> {
        let invalid = |problem: &'static str| BrowserError::InvalidDomain {
            domain: text.to_owned(),
            problem,
        };
        let trimmed = text.trim();
        if trimmed == "*" {
            return Ok(Self {
                text: text.to_owned(),
                host: String::new(),
                port: None,
                only_below: false,
            });
        }
        if trimmed.contains(['/', '@', '?', '#']) {
            return Err(invalid("give the host alone, as `example.com`"));
        }
        let (only_below, rest) = match trimmed.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        if rest.contains('*') {
            return Err(invalid(
                "`*` stands at the beginning, followed by a dot, or alone",
            ));
        }
        let Ok(url) = Url::parse(&format!("ws://{rest}/")) else {
            return Err(invalid("it is no host"));
        };
        let Some(host) = url
            .host_str()
            .map(|host| host.trim_end_matches('.'))
            .filter(|host| !host.is_empty())
        else {
            return Err(invalid("it is no host"));
        };
        // The parser leaves out a port that is the scheme's own.
        let port = url.port().or_else(|| rest.ends_with(":80").then_some(80));
        Ok(Self {
            text: text.to_owned(),
            host: host.to_owned(),
            port,
            only_below,
        })
    }

    fn matches(&self, host: &str, port: Option<u16>) -> bool {
        if self.host.is_empty() {
            return true;
        }
        let is_below = host
            .strip_suffix(self.host.as_str())
            .is_some_and(|rest| rest.ends_with('.'));
        let is_host = is_below || (!self.only_below && host == self.host);
        is_host && (self.port.is_none() || self.port == port)
    }
}

/// What is to be intercepted so that the policy holds: the requests for documents, frames' and pop-ups' included.
pub(crate) fn pattern() -> RequestPattern {
    RequestPattern {
        url_pattern: Some("*".to_owned()),
        resource_type: Some(resource_type::DOCUMENT.to_owned()),
        request_stage: None,
    }
}

/// Lets a request go on, or ends it. Returns why it was ended. One that is ended as if the user had stopped it leaves
/// the page where it is; any other way shows a page of the browser in its place.
pub(crate) fn decide(rules: Option<&Rules>, root: &Session, paused: &RequestPausedEvent) -> Option<String> {
    let is_document = paused.resource_type == resource_type::DOCUMENT;
    let reason = rules
        .filter(|_| is_document)
        .and_then(|rules| rules.forbids(&paused.request.url));
    if reason.is_some() {
        drop(root.send(&FailRequest {
            request_id: paused.request_id.clone(),
            error_reason: error_reason::ABORTED.to_owned(),
        }));
    } else {
        drop(root.send(&ContinueRequest {
            request_id: paused.request_id.clone(),
            ..ContinueRequest::default()
        }));
    }
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allowed: Option<&[&str]>, blocked: &[&str]) -> Rules {
        let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        Rules::new(&DomainPolicy {
            allowed_domains: allowed.map(owned),
            blocked_domains: owned(blocked),
        })
        .unwrap()
    }

    #[test]
    fn hosts_cover_those_below_and_wildcards_only_those() {
        let cases = [
            ("example.com", "https://example.com/", true),
            ("example.com", "https://a.b.EXAMPLE.com./x", true),
            ("example.com", "https://badexample.com/", false),
            ("example.com", "https://example.com.evil.test/", false),
            ("*.example.com", "https://example.com/", false),
            ("*.example.com", "https://a.example.com/", true),
            ("localhost:3000", "http://localhost:3000/", true),
            ("localhost:3000", "http://localhost:3001/", false),
            ("a.test:443", "https://a.test/", true),
            ("a.test:80", "http://a.test/", true),
            ("a.test:80", "https://a.test/", false),
            ("bücher.test", "https://xn--bcher-kva.test/", true),
            ("127.0.0.1", "http://127.0.0.1:8080/", true),
            ("[::1]", "http://[::1]:8080/", true),
            ("example.com", "http://user:x@evil.test/example.com", false),
            ("*", "https://anything.test/", true),
            ("file", "file:///etc/hostname", true),
            ("example.com", "file:///etc/hostname", false),
            ("example.com", "chrome://settings/", false),
            ("chrome", "chrome://settings/", true),
            ("example.com", "about:blank", true),
            ("example.com", "data:text/html,x", true),
            ("example.com", "blob:https://evil.test/1", false),
            ("example.com", "view-source:https://evil.test/", false),
        ];
        for (entry, url, expected) in cases {
            let forbids = rules(Some(&[entry]), &[]).forbids(url);
            assert_eq!(forbids.is_none(), expected, "{entry} {url}: {forbids:?}");
        }
    }

    #[test]
    fn blocked_goes_before_allowed_and_no_list_allows_all() {
        let policy = rules(Some(&["example.com"]), &["ads.example.com"]);
        assert_eq!(
            policy.forbids("https://ads.example.com/").unwrap(),
            "`ads.example.com` is blocked"
        );
        assert!(policy.forbids("https://www.example.com/").is_none());
        assert!(
            policy
                .forbids("https://other.test/")
                .unwrap()
                .contains("not among the allowed domains (example.com)")
        );
        assert!(rules(None, &["x.test"]).forbids("https://other.test/").is_none());
        assert!(rules(Some(&[]), &[]).forbids("https://other.test/").is_some());
    }

    #[test]
    fn entries_that_are_no_hosts_are_refused() {
        for entry in [
            "",
            "https://example.com",
            "example.com/x",
            "a*b.test",
            "*.",
            "a b",
            "x@y.test",
        ] {
            assert!(
                matches!(Rule::new(entry), Err(BrowserError::InvalidDomain { .. })),
                "{entry:?}"
            );
        }
    }
}
