//! Headers that go out with every request.

use std::collections::BTreeMap;
use std::sync::Arc;

use reqwest::header::{HeaderName, HeaderValue};

use crate::{BrowserError, Context, Page};

/// What the browser says by itself about each connection; it refuses every request that says it too.
const REFUSED: [&str; 8] = [
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Context {
    /// Sends these headers with every request of every page, also of later ones, pop-ups and frames in other
    /// processes. They replace the ones given before; an empty set ends it. A page's [own](Page::set_extra_headers)
    /// go before these.
    ///
    /// # Errors
    /// [`BrowserError::InvalidHeader`], and then nothing is changed.
    pub async fn set_extra_headers(&self, headers: &BTreeMap<String, String>) -> Result<(), BrowserError> {
        let headers = checked(headers)?;
        let inner = self.browser().inner();
        inner.wishes().headers = headers;
        inner.bring_up_to_date(&inner.pages()).await;
        Ok(())
    }
}

impl Page {
    /// As [`Context::set_extra_headers`], for this page only.
    ///
    /// # Errors
    /// [`BrowserError::InvalidHeader`], and then nothing is changed.
    pub async fn set_extra_headers(&self, headers: &BTreeMap<String, String>) -> Result<(), BrowserError> {
        let headers = checked(headers)?;
        self.shared().state().wishes.headers = headers;
        self.browser()
            .inner()
            .bring_up_to_date(&[Arc::clone(self.shared())])
            .await;
        Ok(())
    }
}

/// The headers with their names in lower case.
fn checked(headers: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, BrowserError> {
    let mut checked = BTreeMap::new();
    for (name, value) in headers {
        let invalid = |problem: &'static str| {
            let name = name.clone();
            Err(BrowserError::InvalidHeader { name, problem })
        };
        let Ok(key) = HeaderName::from_bytes(name.as_bytes()) else {
            return invalid("a name is made of letters, digits and hyphens");
        };
        if REFUSED.contains(&key.as_str()) {
            return invalid("the browser sets it itself");
        }
        if HeaderValue::from_str(value).is_err() {
            return invalid("its value holds a line break or another control character");
        }
        if checked.insert(key.as_str().to_owned(), value.clone()).is_some() {
            return invalid("it is given twice, in different spelling");
        }
    }
    Ok(checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(pairs: &[(&str, &str)]) -> Result<BTreeMap<String, String>, BrowserError> {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        checked(&owned.collect())
    }

    #[test]
    fn names_are_compared_without_case_and_bad_ones_are_refused_by_name() {
        assert_eq!(outcome(&[("X-One", "1")]).unwrap()["x-one"], "1");
        let bad = [
            [("", "1"), ("b", "1")],
            [("a b", "1"), ("b", "1")],
            [("x", "1\r\ny: 2"), ("b", "1")],
            [("Host", "a.test"), ("b", "1")],
            [("x-one", "1"), ("X-One", "2")],
        ];
        for pairs in bad {
            assert!(
                matches!(outcome(&pairs), Err(BrowserError::InvalidHeader { .. })),
                "{pairs:?}"
            );
        }
    }
}
