//! What an entry answers, and the name of its file; pure.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use url::Url;

/// Bytes of the hash in a file name.
const HASHED: usize = 8;

/// Segments of a path that hold a digit and are longer than this are values, not names.
const LONGEST_NAME: usize = 8;

/// What was asked, where. Two equal questions have one answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    operation: String,
    instruction: String,
    /// Of one page: its address. For extractions: the pattern of such addresses.
    url: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    variables: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    selectors: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Value>,
}

impl Question {
    /// About one page.
    pub(crate) fn about_page<'n>(
        operation: &str,
        instruction: &str,
        url: &str,
        variables: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let mut variables: Vec<String> = variables.into_iter().map(str::to_owned).collect();
        variables.sort_unstable();
        Self {
            operation: operation.to_owned(),
            instruction: instruction.trim().to_owned(),
            url: page(url),
            variables,
            selectors: Vec::new(),
            schema: None,
        }
    }

    /// About all pages of a pattern.
    pub(crate) fn about_pattern(
        operation: &str,
        instruction: &str,
        url: &str,
        schema: Option<Value>,
    ) -> Self {
        Self {
            operation: operation.to_owned(),
            instruction: instruction.trim().to_owned(),
            url: pattern(url),
            variables: Vec::new(),
            selectors: Vec::new(),
            schema,
        }
    }

    /// About a part of the page.
    pub(crate) fn within<'n>(mut self, selectors: impl IntoIterator<Item = &'n String>) -> Self {
        self.selectors = selectors.into_iter().cloned().collect();
        self
    }

    /// With what else bears on the answer.
    pub(crate) fn answered_as(mut self, signature: Value) -> Self {
        self.schema = Some(signature);
        self
    }

    /// `<operation>-<16 hex digits>.json`.
    pub(crate) fn file_name(&self) -> String {
        // Members of objects are sorted, so equal questions are written alike.
        let text = serde_json::to_value(self).unwrap_or_default().to_string();
        format!("{}-{}.json", self.operation, digits(&text))
    }
}

/// The beginning of a text's hash: 16 hex digits.
pub(crate) fn digits(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .take(HASHED)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The full address, its query sorted, without a fragment that is only a place on the page.
fn page(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    if route(&parsed).is_none() {
        parsed.set_fragment(None);
    }
    let mut pairs: Vec<(String, String)> = parsed.query_pairs().into_owned().collect();
    if !pairs.is_empty() {
        pairs.sort();
        parsed.query_pairs_mut().clear().extend_pairs(pairs);
    }
    parsed.into()
}

/// A fragment by which a page tells its own pages apart: `#/…` and `#!…`.
fn route(url: &Url) -> Option<&str> {
    url.fragment().filter(|fragment| fragment.starts_with(['/', '!']))
}

/// Origin and path with the segments that are values as `*`, and the sorted names of the query; of a route, as of a
/// path.
fn pattern(url: &str) -> String {
    let Ok(parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    let origin = match parsed.origin() {
        url::Origin::Tuple(..) => parsed.origin().ascii_serialization(),
        url::Origin::Opaque(_) => format!("{}:", parsed.scheme()),
    };
    let path = match parsed.path_segments() {
        Some(segments) => segments.fold(String::new(), |path, segment| {
            format!("{path}/{}", name_or_any(segment))
        }),
        None => parsed.path().to_owned(),
    };
    let route = route(&parsed).map_or_else(String::new, route_pattern);
    let mut names: Vec<String> = parsed.query_pairs().map(|(name, _)| name.into_owned()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        format!("{origin}{path}{route}")
    } else {
        format!("{origin}{path}?{}{route}", names.join("&"))
    }
}

/// A route with the segments that are values as `*`, and without what it is asked with.
fn route_pattern(route: &str) -> String {
    let path = route.split('?').next().unwrap_or_default();
    let segments: Vec<&str> = path.split('/').map(name_or_any).collect();
    format!("#{}", segments.join("/"))
}

fn name_or_any(segment: &str) -> &str {
    if is_value(segment) { "*" } else { segment }
}

/// Numbers, UUIDs, and what holds a digit and is longer than [`LONGEST_NAME`].
fn is_value(segment: &str) -> bool {
    let is_number = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    let holds_digit = segment.bytes().any(|byte| byte.is_ascii_digit());
    // A UUID is longer, and may be without a digit by chance.
    is_number || is_uuid(segment) || (holds_digit && segment.chars().count() > LONGEST_NAME)
}

fn is_uuid(segment: &str) -> bool {
    let lengths: Vec<usize> = segment.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12]
        && segment
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(instruction: &str, url: &str, variables: &[&str]) -> String {
        Question::about_page("act", instruction, url, variables.iter().copied()).file_name()
    }

    #[test]
    fn the_order_of_query_and_variables_does_not_count_nor_does_the_fragment() {
        let one = about(" press go ", "http://a.test/x?b=2&a=1#top", &["u", "p"]);
        assert_eq!(one, about("press go", "http://a.test/x?a=1&b=2", &["p", "u"]));
        assert!(one.starts_with("act-") && one.len() == "act-0123456789abcdef.json".len());
        for other in [
            about("press stop", "http://a.test/x?a=1&b=2", &["p", "u"]),
            about("press go", "http://a.test/x?a=1&b=3", &["p", "u"]),
            about("press go", "http://a.test/x?a=1&b=2", &["p"]),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_fragment_that_is_a_route_is_part_of_the_address() {
        let one = about("buy", "http://a.test/#/p/1", &[]);
        assert_eq!(one, about("buy", "http://a.test/#/p/1", &[]));
        for other in [
            "http://a.test/#/p/2",
            "http://a.test/#!/p/1",
            "http://a.test/#p/1",
        ] {
            assert_ne!(one, about("buy", other, &[]), "{other}");
        }
    }

    #[test]
    fn addresses_of_one_template_share_a_pattern() {
        let cases = [
            (
                "https://a.test/item/17?page=2&sort=up#x",
                "https://a.test/item/*?page&sort",
            ),
            (
                "https://a.test/p/0b8e7c1a-0c3f-4a55-9d3e-1f2a3b4c5d6e/",
                "https://a.test/p/*/",
            ),
            ("https://a.test/p/arc-lamp-2000", "https://a.test/p/*"),
            ("https://a.test/p/mp3/v2", "https://a.test/p/mp3/v2"),
            ("https://a.test:8443", "https://a.test:8443/"),
            ("https://a.test/?b=1#/p/17?page=2", "https://a.test/?b#/p/*"),
            ("https://a.test/#!lamps/arc", "https://a.test/#!lamps/arc"),
            ("about:blank", "about:blank"),
            ("no address", "no address"),
        ];
        for (url, expected) in cases {
            assert_eq!(pattern(url), expected, "{url}");
        }
    }
}
