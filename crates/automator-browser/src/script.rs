//! JavaScript in a page: values in and out, handles, and what is thrown.

use automator_cdp::Session;
use automator_cdp::protocol::runtime::{CallArgument, ExceptionDetails, ReleaseObject, RemoteObject};
use serde_json::Value;

use crate::BrowserError;

/// Something that is passed to a function in the page.
#[derive(Debug, Clone)]
pub enum Argument<'a> {
    /// A value that JSON can express.
    Value(Value),
    /// An object that is already in the page, in the same frame.
    Handle(&'a Handle),
}

impl From<&str> for Argument<'_> {
    fn from(text: &str) -> Self {
        Self::Value(text.into())
    }
}

impl From<bool> for Argument<'_> {
    fn from(flag: bool) -> Self {
        Self::Value(flag.into())
    }
}

impl From<Value> for Argument<'_> {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> From<&'a Handle> for Argument<'a> {
    fn from(handle: &'a Handle) -> Self {
        Self::Handle(handle)
    }
}

impl Argument<'_> {
    pub(crate) fn to_protocol(&self) -> CallArgument {
        match self {
            Self::Value(value) => CallArgument {
                value: Some(value.clone()),
                ..CallArgument::default()
            },
            Self::Handle(handle) => CallArgument {
                object_id: Some(handle.object_id.clone()),
                ..CallArgument::default()
            },
        }
    }
}

/// An object in the page that the browser keeps for us; dropping it lets go of it.
#[derive(Debug)]
pub struct Handle {
    session: Session,
    object_id: String,
}

impl Handle {
    pub(crate) fn new(session: Session, object_id: String) -> Self {
        Self { session, object_id }
    }

    /// The id for commands that take one (`objectId`).
    pub fn object_id(&self) -> &str {
        &self.object_id
    }

    /// The session that the id belongs to.
    pub fn session(&self) -> &Session {
        &self.session
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let release = ReleaseObject {
            object_id: std::mem::take(&mut self.object_id),
        };
        drop(self.session.send(&release));
    }
}

/// The value of a result that was asked for by value. What JSON cannot express follows `JSON.stringify`:
/// `undefined`, `NaN` and the infinities are null. A `BigInt` is its digits.
pub(crate) fn value(result: RemoteObject) -> Value {
    match result.unserializable_value.as_deref() {
        Some("-0") => Value::from(0),
        Some(text) if text.ends_with('n') => Value::from(text.trim_end_matches('n')),
        Some(_) => Value::Null,
        None => result.value.unwrap_or_default(),
    }
}

/// A place in a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The script's address; empty for one without, as what is evaluated.
    pub url: String,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
}

/// What was thrown, in the page's own words. An error's description carries its stack below the first lines.
pub(crate) fn thrown(details: ExceptionDetails) -> BrowserError {
    let count = |from_zero: i64| u64::try_from(from_zero).unwrap_or_default().saturating_add(1);
    let thrown_at = Place {
        url: details.url.unwrap_or_default(),
        line: count(details.line_number),
        column: count(details.column_number),
    };
    let exception = details.exception.unwrap_or_default();
    let is_error = exception.subtype.as_deref() == Some("error");
    let description = match (&exception.value, exception.description) {
        (_, Some(description)) if is_error => description,
        (Some(Value::String(text)), _) => text.clone(),
        (Some(value), _) => value.to_string(),
        (None, Some(description)) => description,
        // The values that the browser writes as nothing.
        (None, None) if exception.subtype.as_deref() == Some("null") => "null".to_owned(),
        (None, None) if exception.r#type == "undefined" => "undefined".to_owned(),
        (None, None) => exception.unserializable_value.unwrap_or(details.text),
    };
    let (message, stack) = match description.find("\n    at ") {
        Some(at) if is_error => {
            let stack = description.get(at + 1..).map(str::to_owned);
            (description.get(..at).unwrap_or_default().to_owned(), stack)
        }
        _ => (description, None),
    };
    // The first word of what an error is described by, or else the name of its class.
    let first = message.split([':', '\n']).next().unwrap_or_default();
    let is_name = !first.is_empty() && first.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    let name = if is_name {
        Some(first.to_owned())
    } else {
        exception.class_name
    };
    BrowserError::Evaluation {
        name: name.filter(|_| is_error),
        message,
        // The browser leaves out the addresses of scripts that it has told of elsewhere; the stack has them.
        place: stack.as_deref().and_then(first_place).or(Some(thrown_at)),
        stack,
    }
}

/// What the browser itself says against a script or its value.
pub(crate) fn refused(message: String) -> BrowserError {
    BrowserError::Evaluation {
        message,
        name: None,
        stack: None,
        place: None,
    }
}

/// The place in the first line of a stack: `    at name (address:line:column)`, or without the name.
fn first_place(stack: &str) -> Option<Place> {
    let line = stack.lines().next()?.trim().strip_prefix("at ")?;
    let place = match line.rsplit_once('(') {
        Some((_, inside)) => inside.strip_suffix(')')?,
        None => line,
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (url, line) = rest.rsplit_once(':')?;
    Some(Place {
        url: if url == "<anonymous>" {
            String::new()
        } else {
            url.to_owned()
        },
        line: line.parse().ok()?,
        column: column.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(subtype: Option<&str>, description: Option<&str>, value: Option<Value>) -> ExceptionDetails {
        ExceptionDetails {
            text: "Uncaught".to_owned(),
            exception: Some(RemoteObject {
                subtype: subtype.map(str::to_owned),
                description: description.map(str::to_owned),
                value,
                ..RemoteObject::default()
            }),
            ..ExceptionDetails::default()
        }
    }

    #[test]
    fn thrown_things_keep_their_message_and_stack() {
        let cases = [
            (
                exception(
                    Some("error"),
                    Some("TypeError: a\nb\n    at f (x:1:2)\n    at g"),
                    None,
                ),
                "TypeError: a\nb",
                Some("    at f (x:1:2)\n    at g"),
            ),
            (
                exception(None, None, Some("text\n    at no stack".into())),
                "text\n    at no stack",
                None,
            ),
            (
                exception(None, None, Some(serde_json::json!({ "code": 1 }))),
                "{\"code\":1}",
                None,
            ),
            (exception(None, Some("Object"), None), "Object", None),
            (exception(Some("null"), None, None), "null", None),
            (
                ExceptionDetails {
                    text: "Uncaught".to_owned(),
                    ..ExceptionDetails::default()
                },
                "Uncaught",
                None,
            ),
        ];
        for (details, expected, expected_stack) in cases {
            let BrowserError::Evaluation { message, stack, .. } = thrown(details) else {
                panic!()
            };
            assert_eq!((message.as_str(), stack.as_deref()), (expected, expected_stack));
        }
    }

    #[test]
    fn errors_have_a_name_and_a_place_and_other_things_only_a_place() {
        let named = |details| match thrown(details) {
            BrowserError::Evaluation { name, place, .. } => (name, place),
            other => panic!("{other:?}"),
        };
        let stacked = exception(
            Some("error"),
            Some("TypeError: a\n    at f (http://a.test/y.js:1:2)"),
            None,
        );
        let (_, place) = named(stacked);
        assert_eq!(
            place.map(|place| (place.url, place.line, place.column)),
            Some(("http://a.test/y.js".to_owned(), 1, 2))
        );
        let mut details = exception(Some("error"), Some("TypeError: a\n    at native"), None);
        details.line_number = 4;
        details.column_number = 7;
        details.url = Some("http://a.test/x.js".to_owned());
        let place = Place {
            url: "http://a.test/x.js".to_owned(),
            line: 5,
            column: 8,
        };
        assert_eq!(named(details), (Some("TypeError".to_owned()), Some(place)));
        let mut own = exception(Some("error"), Some("a b"), None);
        own.exception.as_mut().unwrap().class_name = Some("Own".to_owned());
        assert_eq!(named(own).0.as_deref(), Some("Own"));
        assert_eq!(named(exception(None, None, Some("text".into()))).0, None);
    }

    #[test]
    fn values_that_json_lacks_follow_stringify() {
        let unserializable = |text: &str| RemoteObject {
            unserializable_value: Some(text.to_owned()),
            ..RemoteObject::default()
        };
        assert_eq!(value(unserializable("NaN")), Value::Null);
        assert_eq!(value(unserializable("-Infinity")), Value::Null);
        assert_eq!(value(unserializable("-0")), 0);
        assert_eq!(
            value(unserializable("12345678901234567890n")),
            "12345678901234567890"
        );
        assert_eq!(value(RemoteObject::default()), Value::Null);
    }
}
