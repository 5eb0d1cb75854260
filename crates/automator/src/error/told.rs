//! An error as it is told to another program, and as another program tells it.

use std::error::Error as _;
use std::{fmt, iter};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{Error, ErrorKind, ToJson};

/// The members of an error in JSON, as the interfaces of other languages have them, too.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ToldError {
    /// The name of its kind.
    automator: String,
    message: String,
    operation: Option<String>,
    hint: Option<String>,
    context: Map<String, Value>,
    /// What caused it, the nearest first.
    causes: Vec<String>,
}

/// Members: `automator` (the name of its kind), `message`, `operation`, `hint`, `context`, `causes` (the nearest first).
impl ToJson for Error {
    fn to_json(&self) -> Value {
        let context: Map<String, Value> = self
            .context()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        let causes: Vec<String> = iter::successors(self.source(), |cause| (*cause).source())
            .map(ToString::to_string)
            .collect();
        json!({
            "automator": self.kind().name(),
            "message": self.message(),
            "operation": self.operation(),
            "hint": self.hint_text(),
            "context": context,
            "causes": causes,
        })
    }
}

/// A cause of which only the words are known.
#[derive(Debug)]
struct Cause {
    words: String,
    source: Option<Box<Cause>>,
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.words)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

impl From<ToldError> for Error {
    fn from(told: ToldError) -> Self {
        // A kind that a later version knows is at least told by its words.
        let kind = ErrorKind::from_name(&told.automator).unwrap_or(ErrorKind::Protocol);
        let mut error = Error::new(kind, told.message);
        error.inner.operation = told.operation.map(Into::into);
        error.inner.hint = told.hint;
        error.inner.context = told
            .context
            .into_iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                (name.into(), value)
            })
            .collect();
        let cause = told
            .causes
            .into_iter()
            .rev()
            .fold(None, |source, words| Some(Box::new(Cause { words, source })));
        match cause {
            Some(cause) => error.caused_by(*cause),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_that_is_told_is_the_same_error() {
        let told: ToldError = serde_json::from_value(json!({
            "automator": "XPathResolutionError", "message": "the XPath matches nothing", "operation": "extract",
            "hint": "look again", "context": { "selector": "//p" }, "causes": ["outer", "inner"], "thrown": null,
        }))
        .unwrap();
        let error = Error::from(told);
        assert_eq!(error.kind(), ErrorKind::XPathResolution);
        assert_eq!(
            error.to_string(),
            "extract: the XPath matches nothing (look again)"
        );
        assert_eq!(error.context().next(), Some(("selector", "//p")));
        let outer = error.source().unwrap();
        assert_eq!(outer.to_string(), "outer");
        assert_eq!(outer.source().unwrap().to_string(), "inner");
        assert_eq!(
            error.to_json(),
            json!({
                "automator": "XPathResolutionError", "message": "the XPath matches nothing", "operation": "extract",
                "hint": "look again", "context": { "selector": "//p" }, "causes": ["outer", "inner"],
            })
        );
    }
}
