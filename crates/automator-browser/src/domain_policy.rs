//! Which hosts pages may show, and which they may ask for anything.

use automator_cdp::Session;
use automator_cdp::protocol::fetch::{ContinueRequest, FailRequest, RequestPattern, RequestPausedEvent};
use automator_cdp::protocol::network::{error_reason, resource_type};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use url::Url;

use crate::{BrowserError, Context, Page};

/// The stage at which a request is held that has been answered.
const ANSWERED: &str = "Response";

/// Which hosts documents may come from. It holds for addresses that are gone to, links, redirects (every step),
/// frames and pop-ups. What a document loads and sends besides (pictures, scripts, data) may not come from, or go to,
/// blocked hosts; whether it is held to the allowed ones, too, says [`all_requests`](Self::all_requests).
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
    /// Hosts that are not allowed, for any request but those of WebSockets, which the browser lets nobody hold.
    pub blocked_domains: Vec<String>,
    /// Whether `allowed_domains` holds for every request of a document and its workers, WebSockets included, and not
    /// for documents alone. Pages that load parts of themselves from hosts that are not listed are incomplete then.
    /// Documents that are there already may go on opening WebSockets. WebRTC is not covered. Default: false.
    pub all_requests: bool,
}

/// A policy that has been read.
#[derive(Debug)]
pub(crate) struct Rules {
    allowed: Option<Vec<Rule>>,
    blocked: Vec<Rule>,
    all_requests: bool,
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

impl Page {
    /// Where the policy has not let the page go since this was asked for last, as
    /// [`BrowserError::ForbiddenAddress`]: by a link, a form, a script, or as the address that it was opened with. Of
    /// several the last one. What [`goto`](Page::goto) and its like have said themselves is not among it.
    pub fn take_forbidden_address(&self) -> Option<BrowserError> {
        let interception = self.browser().inner().interception();
        interception.take_forbidden(self.id()).map(BrowserError::from)
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
            all_requests: policy.all_requests,
        })
    }

    /// Why the address is forbidden for a document; `None` when it is not.
    pub(crate) fn forbids(&self, url: &str) -> Option<String> {
        self.judge(url, true)
    }

    /// As [`forbids`](Self::forbids), for what a document asks for besides.
    fn forbids_part(&self, url: &str) -> Option<String> {
        self.judge(url, self.all_requests)
    }

    fn judge(&self, url: &str, only_allowed: bool) -> Option<String> {
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
        let allowed = self.allowed.as_ref().filter(|_| only_allowed)?;
        let is_allowed = allowed.iter().any(|rule| rule.matches(host, port));
        (!is_allowed).then(|| {
            let texts: Vec<&str> = allowed.iter().map(|rule| rule.text.as_str()).collect();
            format!("`{host}` is not among the allowed domains ({})", texts.join(", "))
        })
    }

    /// Whether the allowed hosts are the only ones for whatever is asked for.
    fn restricts_parts(&self) -> bool {
        self.all_requests && self.allowed.is_some()
    }

    /// What is to be intercepted so that the policy holds: the requests for documents, frames' and pop-ups' included;
    /// those that may be for a blocked host; and where it holds for all, all, and what documents and workers come with.
    pub(crate) fn patterns(&self) -> Vec<RequestPattern> {
        let pattern = |url: String, kind: Option<&str>, stage: Option<&str>| RequestPattern {
            url_pattern: Some(url),
            resource_type: kind.map(str::to_owned),
            request_stage: stage.map(str::to_owned),
        };
        let every = || "*".to_owned();
        if !self.restricts_parts() {
            let documents = pattern(every(), Some(resource_type::DOCUMENT), None);
            // These are wider than the rules, which decide in the end.
            let blocked = self
                .blocked
                .iter()
                .map(|rule| pattern(rule.text_of_addresses(), None, None));
            return std::iter::once(documents).chain(blocked).collect();
        }
        let answered = [
            resource_type::DOCUMENT,
            resource_type::SCRIPT,
            resource_type::OTHER,
        ];
        let answered = answered.map(|kind| pattern(every(), Some(kind), Some(ANSWERED)));
        std::iter::once(pattern(every(), None, None))
            .chain(answered)
            .collect()
    }

    /// The security policy that keeps documents and workers from WebSockets to other hosts; `None` where all hosts are
    /// allowed. Everything else is held as a request, so it is allowed here.
    fn content_security_policy(&self) -> Option<String> {
        let allowed = self.allowed.as_ref().filter(|_| self.all_requests)?;
        if allowed.iter().any(|rule| rule.host.is_empty()) {
            return None;
        }
        let mut sources: Vec<String> = ["http:", "https:", "data:", "blob:", "filesystem:"]
            .map(str::to_owned)
            .to_vec();
        for rule in allowed {
            let port = rule.port.map_or_else(|| "*".to_owned(), |port| port.to_string());
            let is_name = rule.host.parse::<std::net::Ipv4Addr>().is_err() && !rule.host.starts_with('[');
            for scheme in ["ws", "wss"] {
                if !rule.only_below {
                    sources.push(format!("{scheme}://{}:{port}", rule.host));
                }
                if is_name {
                    sources.push(format!("{scheme}://*.{}:{port}", rule.host));
                }
            }
        }
        Some(format!("connect-src {}", sources.join(" ")))
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

    /// What addresses of its hosts hold, as the browser compares them.
    fn text_of_addresses(&self) -> String {
        if self.host.is_empty() {
            return "*".to_owned();
        }
        format!("*{}*", self.host)
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

/// What became of a request that was held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// It goes on.
    Continued,
    /// A document was not let go to its address, for this reason.
    Document(String),
    /// Something that a document asks for besides was not, for this reason.
    Part(String),
}

/// Lets a request go on, or ends it. A document that is ended as if the user had stopped it leaves the page where it is;
/// any other way shows a page of the browser in its place.
pub(crate) fn decide(rules: Option<&Rules>, root: &Session, paused: &RequestPausedEvent) -> Decided {
    if paused.response_status_code.is_some() || paused.response_error_reason.is_some() {
        go_on(rules, root, paused);
        return Decided::Continued;
    }
    let url = paused.request.url.as_str();
    let decided = match rules {
        None => Decided::Continued,
        Some(rules) if paused.resource_type == resource_type::DOCUMENT => {
            rules.forbids(url).map_or(Decided::Continued, Decided::Document)
        }
        Some(rules) => rules.forbids_part(url).map_or(Decided::Continued, Decided::Part),
    };
    let fail = |reason: &str| {
        drop(root.send(&FailRequest {
            request_id: paused.request_id.clone(),
            error_reason: reason.to_owned(),
        }));
    };
    match &decided {
        Decided::Document(_) => fail(error_reason::ABORTED),
        Decided::Part(_) => fail(error_reason::BLOCKED_BY_CLIENT),
        Decided::Continued => drop(root.send(&ContinueRequest {
            request_id: paused.request_id.clone(),
            ..ContinueRequest::default()
        })),
    }
    decided
}

/// Lets what was answered come to the page, with one security policy more.
fn go_on(rules: Option<&Rules>, root: &Session, paused: &RequestPausedEvent) {
    let policy = rules.and_then(Rules::content_security_policy);
    let mut parameters = json!({ "requestId": paused.request_id });
    if let (Some(policy), Some(status)) = (policy, paused.response_status_code) {
        let mut headers: Vec<Value> = paused
            .response_headers
            .iter()
            .map(|header| json!({ "name": header.name, "value": header.value }))
            .collect();
        headers.push(json!({ "name": "Content-Security-Policy", "value": policy }));
        parameters["responseCode"] = status.into();
        parameters["responseHeaders"] = headers.into();
        if let Some(text) = paused
            .response_status_text
            .as_deref()
            .filter(|text| !text.is_empty())
        {
            parameters["responsePhrase"] = text.into();
        }
    }
    if parameters.get("responseHeaders").is_some() && is_shown(paused) {
        // The browser takes the policies of a document from what came over the network, unless all of it is given anew.
        tokio::spawn(give_anew(root.clone(), parameters));
        return;
    }
    drop(root.send_raw("Fetch.continueResponse", parameters));
}

/// Whether an answer becomes a document, and is no redirect, file or anything else without a page of its own.
fn is_shown(paused: &RequestPausedEvent) -> bool {
    let header = |name: &str| {
        let found = paused
            .response_headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        found
            .map(|header| header.value.to_lowercase())
            .unwrap_or_default()
    };
    let kind = header("content-type");
    let is_page = kind.is_empty()
        || ["html", "xml", "svg"]
            .iter()
            .any(|kind_of_page| kind.contains(kind_of_page));
    paused.resource_type == resource_type::DOCUMENT
        && paused
            .response_status_code
            .is_some_and(|status| !(300..400).contains(&status) && status != 204)
        && is_page
        && !header("content-disposition").starts_with("attachment")
}

/// Gives the browser a document with the headers in the parameters.
async fn give_anew(root: Session, mut parameters: Value) {
    let id = json!({ "requestId": parameters["requestId"] });
    let body = match root.send_raw("Fetch.getResponseBody", id).await {
        Ok(reply) => serde_json::from_str::<Value>(reply.get()).unwrap_or_default(),
        // It goes on as it is when it has no body.
        Err(_) => return drop(root.send_raw("Fetch.continueResponse", parameters)),
    };
    let text = body["body"].as_str().unwrap_or_default();
    parameters["body"] = if body["base64Encoded"] == true {
        text.into()
    } else {
        STANDARD.encode(text).into()
    };
    if let Some(headers) = parameters["responseHeaders"].as_array_mut() {
        // The body is plain by now, and may be longer.
        let is_of_body = |header: &Value| {
            let name = header["name"].as_str().unwrap_or_default().to_lowercase();
            matches!(
                name.as_str(),
                "content-encoding" | "content-length" | "transfer-encoding"
            )
        };
        headers.retain(|header| !is_of_body(header));
    }
    drop(root.send_raw("Fetch.fulfillRequest", parameters));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allowed: Option<&[&str]>, blocked: &[&str]) -> Rules {
        let owned = |list: &[&str]| list.iter().map(|entry| (*entry).to_owned()).collect::<Vec<_>>();
        Rules::new(&DomainPolicy {
            allowed_domains: allowed.map(owned),
            blocked_domains: owned(blocked),
            all_requests: false,
        })
        .unwrap()
    }

    fn rules_for_all(allowed: &[&str]) -> Rules {
        Rules {
            all_requests: true,
            ..rules(Some(allowed), &[])
        }
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

    #[test]
    fn parts_of_pages_are_held_to_what_is_blocked_and_to_the_rest_when_that_is_asked_for() {
        let policy = rules(Some(&["a.test"]), &["ads.a.test", "b.test"]);
        assert!(policy.forbids("https://cdn.test/x").is_some());
        assert_eq!(policy.forbids_part("https://cdn.test/x"), None);
        assert!(policy.forbids_part("https://x.b.test/x").is_some());
        assert!(policy.forbids_part("https://ads.a.test/x").is_some());
        assert!(
            rules_for_all(&["a.test"])
                .forbids_part("https://cdn.test/x")
                .is_some()
        );
        assert_eq!(
            rules_for_all(&["a.test"]).forbids_part("https://x.a.test/x"),
            None
        );
        assert_eq!(rules_for_all(&["a.test"]).forbids_part("data:,x"), None);
    }

    #[test]
    fn no_more_is_held_than_has_to_be() {
        let told = |rules: &Rules| {
            let patterns = rules.patterns();
            let told = patterns.iter().map(|pattern| {
                let part = |text: &Option<String>| text.clone().unwrap_or_default();
                format!(
                    "{} {} {}",
                    part(&pattern.url_pattern),
                    part(&pattern.resource_type),
                    part(&pattern.request_stage)
                )
            });
            told.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(told(&rules(Some(&["a.test"]), &[])), "* Document ");
        assert_eq!(
            told(&rules(None, &["*.bücher.test:80"])),
            "* Document ; *xn--bcher-kva.test*  "
        );
        assert_eq!(told(&rules(None, &["*"])), "* Document ; *  ");
        assert_eq!(
            told(&rules_for_all(&["a.test"])),
            "*  ; * Document Response; * Script Response; * Other Response"
        );
    }

    #[test]
    fn web_sockets_are_left_to_the_allowed_hosts() {
        let policy = |allowed: &[&str]| rules_for_all(allowed).content_security_policy();
        assert_eq!(rules(Some(&["a.test"]), &[]).content_security_policy(), None);
        assert_eq!(policy(&["a.test", "*"]), None);
        assert_eq!(
            policy(&["a.test", "*.b.test:8443", "127.0.0.1"]).unwrap(),
            "connect-src http: https: data: blob: filesystem: ws://a.test:* ws://*.a.test:* wss://a.test:* \
             wss://*.a.test:* ws://*.b.test:8443 wss://*.b.test:8443 ws://127.0.0.1:* wss://127.0.0.1:*"
        );
    }
}
