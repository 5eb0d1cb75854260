//! Which headers of a message go on to the other side.

use hyper::HeaderMap;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

use super::target::Target;

/// The header that says why the proxy itself has answered.
pub(crate) const OWN_ANSWERS: &str = "x-automator-egress";

pub(super) const REASON: HeaderName = HeaderName::from_static(OWN_ANSWERS);

/// Headers between two neighbours. `Expect` is among them: the proxy has asked for the body by then.
const HOP_BY_HOP: [HeaderName; 10] = [
    CONNECTION,
    EXPECT,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The headers that go on to the server. `Host` is written anew, at its place, so it always names the target.
pub(super) fn request_headers(headers: &HeaderMap, target: &Target) -> HeaderMap {
    let authority = HeaderValue::from_str(&target.authority(80)).ok();
    let mut result = HeaderMap::with_capacity(headers.len());
    if let Some(authority) = authority.clone().filter(|_| !headers.contains_key(HOST)) {
        result.insert(HOST, authority);
    }
    for (name, value) in end_to_end(headers) {
        match &authority {
            Some(authority) if name == HOST => result.append(name, authority.clone()),
            _ => result.append(name, value.clone()),
        };
    }
    result
}

/// The headers that go on to the browser. A server cannot speak in the name of the proxy.
pub(super) fn response_headers(headers: &HeaderMap) -> HeaderMap {
    let mut result = HeaderMap::with_capacity(headers.len());
    for (name, value) in end_to_end(headers).filter(|(name, _)| name != REASON) {
        result.append(name, value.clone());
    }
    result
}

/// Whether the `Host` header names the target; one is needed where the version of HTTP says so.
pub(super) fn host_agrees(headers: &HeaderMap, target: &Target, default_port: u16, is_needed: bool) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    match (first, second) {
        (None, _) => !is_needed,
        (Some(host), None) => host
            .to_str()
            .ok()
            .and_then(|host| Target::parse(host, Some(default_port)).ok())
            .is_some_and(|host| host.is_same_as(target)),
        (Some(_), Some(_)) => false,
    }
}

/// In the order in which they came. A body without a length has its length left out by whoever sends it on, so a
/// length beside `Transfer-Encoding` is never believed.
fn end_to_end(headers: &HeaderMap) -> impl Iterator<Item = (HeaderName, &HeaderValue)> {
    let is_encoded = headers.contains_key(TRANSFER_ENCODING);
    let named: Vec<String> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    headers
        .iter()
        .filter(move |(name, _)| {
            let is_length = is_encoded && **name == CONTENT_LENGTH;
            !is_length && !HOP_BY_HOP.contains(name) && !named.iter().any(|other| other == name.as_str())
        })
        .map(|(name, value)| (name.clone(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut result = HeaderMap::new();
        for (name, value) in lines {
            result.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        result
    }

    fn lines(headers: &HeaderMap) -> Vec<String> {
        headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect()
    }

    fn target(text: &str) -> Target {
        Target::parse(text, Some(80)).unwrap()
    }

    #[test]
    fn headers_between_neighbours_stay_behind_and_the_order_stays() {
        let given = headers(&[
            ("accept", "*/*"),
            ("host", "A.test:80"),
            ("connection", "close, X-Private"),
            ("x-private", "1"),
            ("proxy-connection", "keep-alive"),
            ("proxy-authorization", "Basic x"),
            ("te", "trailers"),
            ("upgrade", "websocket"),
            ("expect", "100-continue"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
            ("content-length", "5"),
        ]);
        assert_eq!(
            lines(&request_headers(&given, &target("a.test"))),
            [
                "accept: */*",
                "host: a.test",
                "cookie: a=1",
                "cookie: b=2",
                "content-length: 5"
            ]
        );
    }

    #[test]
    fn a_length_beside_an_encoding_and_words_in_the_name_of_the_proxy_are_left_out() {
        let given = headers(&[
            ("transfer-encoding", "chunked"),
            ("content-length", "5"),
            ("proxy-authenticate", "Basic"),
            ("x-automator-egress", "all is well"),
            ("set-cookie", "a=1"),
        ]);
        assert_eq!(lines(&response_headers(&given)), ["set-cookie: a=1"]);
    }

    #[test]
    fn a_host_is_added_when_there_is_none() {
        assert_eq!(
            lines(&request_headers(&HeaderMap::new(), &target("[::1]:8080"))),
            ["host: [::1]:8080"]
        );
    }

    #[test]
    fn the_host_has_to_be_the_target() {
        let cases = [
            ("a.test", "a.test", true),
            ("A.TEST.:80", "a.test", true),
            ("a.test:8080", "a.test:8080", true),
            ("127.1", "127.0.0.1", true),
            ("a.test", "a.test:8080", false),
            ("b.test", "a.test", false),
            ("", "a.test", false),
            ("me@a.test", "a.test", false),
        ];
        for (host, wanted, expected) in cases {
            let given = headers(&[("host", host)]);
            assert_eq!(
                host_agrees(&given, &target(wanted), 80, true),
                expected,
                "{host:?} {wanted}"
            );
        }
        let twice = headers(&[("host", "a.test"), ("host", "a.test")]);
        assert!(!host_agrees(&twice, &target("a.test"), 80, true));
        assert!(!host_agrees(&HeaderMap::new(), &target("a.test"), 80, true));
        assert!(host_agrees(&HeaderMap::new(), &target("a.test"), 80, false));
    }
}
