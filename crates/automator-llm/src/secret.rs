//! Text that must not be printed: keys, tokens, header values.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A key or another value that prints, logs and serialises as `***`.
///
/// ```
/// use automator_llm::Secret;
///
/// let key = Secret::new("sk-123456");
/// assert_eq!(format!("{key} {key:?}"), "*** ***");
/// assert_eq!(key.expose(), "sk-123456");
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself, for the one place that puts it into a request.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

/// Replaces every occurrence of the secrets in a text that came from outside.
///
/// A provider may quote the key in its error message. Values shorter than six characters are left alone,
/// because replacing them would garble ordinary words.
pub(crate) fn scrub<'a>(text: &str, secrets: impl IntoIterator<Item = &'a Secret>) -> String {
    let mut clean = text.to_owned();
    for secret in secrets {
        if secret.0.len() >= 6 && clean.contains(&secret.0) {
            clean = clean.replace(&secret.0, "***");
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_serialises_as_stars_and_reads_back_the_given_value() {
        let read: Secret = serde_json::from_str("\"sk-abc\"").unwrap();
        assert_eq!(read.expose(), "sk-abc");
        assert_eq!(serde_json::to_string(&read).unwrap(), "\"***\"");
    }

    #[test]
    fn scrub_replaces_every_occurrence_and_leaves_short_values() {
        let secrets = [Secret::new("sk-secret-1"), Secret::new("a")];
        assert_eq!(
            scrub("key sk-secret-1 (sk-secret-1) a", &secrets),
            "key *** (***) a"
        );
    }
}
