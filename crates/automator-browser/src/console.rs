//! What the scripts of a page write to the console, and what they throw.

use std::sync::Arc;

use automator_cdp::protocol::log::{EntryAddedEvent, log_entry_source};
use automator_cdp::protocol::runtime::{ExceptionThrownEvent, StackTrace};
use automator_cdp::{CdpError, Event, Session};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::script::thrown;
use crate::{BrowserError, Handle};

/// A line of the console.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConsoleMessage {
    /// The method of `console` that wrote it, with `warning` for `warn`, as the protocol names them: `log`, `info`,
    /// `error`, `debug`, `table`, … For what the browser says about the page (a request that failed, a policy that
    /// was violated) its level: `error`, `warning`, `info` or `verbose`.
    pub kind: String,
    /// The arguments as one text; `%s` and the like are filled in.
    pub text: String,
    /// The arguments. None for what the browser says itself.
    pub args: Vec<ConsoleArgument>,
    /// Where it was written.
    pub location: ScriptLocation,
    /// When, in milliseconds since 1970, by the browser's clock.
    pub timestamp: f64,
}

/// One argument of a [`ConsoleMessage`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConsoleArgument {
    /// The value as JSON. Of an object only what a glance shows: its first members, deeper ones as text.
    pub preview: Value,
    /// The object itself, which the page keeps for as long as this is kept; none for plain values.
    pub handle: Option<Arc<Handle>>,
}

/// Something that a script threw and nobody caught, or a promise that was rejected without a handler.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PageError {
    /// What was thrown, in the page's own words.
    pub message: String,
    /// The stack, when there is one.
    pub stack: Option<String>,
    /// Where it was thrown.
    pub location: ScriptLocation,
    /// When, in milliseconds since 1970, by the browser's clock.
    pub timestamp: f64,
}

/// A place in a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptLocation {
    /// The address of the script or document; empty when there is none.
    pub url: String,
    /// The line, counted from 0.
    pub line: i64,
    /// The column, counted from 0.
    pub column: i64,
}

/// `Runtime.consoleAPICalled`, with the previews that the generated type leaves out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleCalled {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    args: Vec<RemoteValue>,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    stack_trace: Option<StackTrace>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemoteValue {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    subtype: Option<String>,
    #[serde(default)]
    value: Option<Value>,
    #[serde(default)]
    unserializable_value: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    object_id: Option<String>,
    #[serde(default)]
    preview: Option<Preview>,
}

#[derive(Deserialize)]
struct Preview {
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    #[serde(default)]
    name: String,
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    value: Option<String>,
}

/// A call of the page to `console`.
pub(crate) fn message(session: &Session, event: &Event) -> Result<ConsoleMessage, CdpError> {
    let called: ConsoleCalled = event.parse()?;
    let text = text(&called.args);
    let args = called.args.into_iter().map(|value| {
        let preview = preview(&value);
        let handle = value
            .object_id
            .map(|id| Arc::new(Handle::new(session.clone(), id)));
        ConsoleArgument { preview, handle }
    });
    Ok(ConsoleMessage {
        kind: called.r#type,
        text,
        args: args.collect(),
        location: location(called.stack_trace.as_ref()),
        timestamp: called.timestamp,
    })
}

/// What the browser itself says about the page; none when it only repeats what a script has written or thrown.
pub(crate) fn entry(added: EntryAddedEvent) -> Option<ConsoleMessage> {
    let entry = added.entry;
    if matches!(
        entry.source.as_str(),
        log_entry_source::JAVASCRIPT | log_entry_source::WORKER
    ) {
        return None;
    }
    let mut location = location(entry.stack_trace.as_ref());
    if let Some(url) = entry.url {
        location = ScriptLocation {
            url,
            line: entry.line_number.unwrap_or_default(),
            column: 0,
        };
    }
    Some(ConsoleMessage {
        kind: entry.level,
        text: entry.text,
        args: Vec::new(),
        location,
        timestamp: entry.timestamp,
    })
}

/// Something that nobody caught.
pub(crate) fn uncaught(session: &Session, event: ExceptionThrownEvent) -> PageError {
    let details = event.exception_details;
    let mut location = location(details.stack_trace.as_ref());
    if location.url.is_empty() {
        location = ScriptLocation {
            url: details.url.clone().unwrap_or_default(),
            line: details.line_number,
            column: details.column_number,
        };
    }
    // The browser keeps what was thrown until it is let go of.
    let object_id = details
        .exception
        .as_ref()
        .and_then(|exception| exception.object_id.clone());
    drop(object_id.map(|id| Handle::new(session.clone(), id)));
    let (message, stack) = match thrown(details) {
        BrowserError::Evaluation { message, stack, .. } => (message, stack),
        other => (other.to_string(), None),
    };
    PageError {
        message,
        stack,
        location,
        timestamp: event.timestamp,
    }
}

fn location(stack: Option<&StackTrace>) -> ScriptLocation {
    let frame = stack.and_then(|stack| stack.call_frames.first());
    frame.map_or_else(ScriptLocation::default, |frame| ScriptLocation {
        url: frame.url.clone(),
        line: frame.line_number,
        column: frame.column_number,
    })
}

fn preview(value: &RemoteValue) -> Value {
    if let Some(value) = &value.value {
        return value.clone();
    }
    if let Some(text) = &value.unserializable_value {
        return Value::from(text.trim_end_matches('n'));
    }
    let is_plain = value.subtype.as_deref().is_none_or(|subtype| subtype == "array");
    match (&value.preview, value.subtype.as_deref()) {
        (Some(preview), Some("array")) => preview.properties.iter().map(property).collect(),
        (Some(preview), _) if is_plain && value.r#type == "object" => {
            let members = preview.properties.iter();
            Value::Object(
                members
                    .map(|member| (member.name.clone(), property(member)))
                    .collect::<Map<_, _>>(),
            )
        }
        _ => value.description.clone().map_or(Value::Null, Value::from),
    }
}

fn property(property: &Property) -> Value {
    let text = property.value.clone().unwrap_or_default();
    match property.r#type.as_str() {
        "number" | "boolean" => serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text)),
        "undefined" => Value::Null,
        "object" if text == "null" => Value::Null,
        _ => Value::from(text),
    }
}

/// The arguments as one text, as the console shows them.
fn text(args: &[RemoteValue]) -> String {
    let mut rest = args.iter();
    let mut out = String::new();
    if let Some(first) = args.first() {
        rest.next();
        match first.value.as_ref().and_then(Value::as_str) {
            Some(format) if args.len() > 1 => fill(format, &mut rest, &mut out),
            _ => out.push_str(&shown(first)),
        }
    }
    for value in rest {
        out.push(' ');
        out.push_str(&shown(value));
    }
    out
}

/// Fills the places of a format; `%c` takes a style and shows nothing.
fn fill<'a>(format: &str, values: &mut impl Iterator<Item = &'a RemoteValue>, out: &mut String) {
    let mut characters = format.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '%' {
            out.push(character);
            continue;
        }
        match characters.peek() {
            Some('%') => {
                characters.next();
                out.push('%');
            }
            Some(place @ ('s' | 'd' | 'i' | 'f' | 'o' | 'O' | 'c')) => {
                let is_style = *place == 'c';
                let place = *place;
                characters.next();
                match values.next() {
                    Some(_) if is_style => {}
                    Some(value) => out.push_str(&shown(value)),
                    None => out.extend(['%', place]),
                }
            }
            _ => out.push('%'),
        }
    }
}

fn shown(value: &RemoteValue) -> String {
    if value.r#type == "undefined" {
        return "undefined".to_owned();
    }
    if let Some(text) = &value.unserializable_value {
        return text.clone();
    }
    match preview(value) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn values(args: Value) -> Vec<RemoteValue> {
        serde_json::from_value(args).unwrap()
    }

    #[test]
    fn arguments_become_one_text_with_the_places_of_a_format_filled() {
        let string = |text: &str| json!({ "type": "string", "value": text });
        let number = json!({ "type": "number", "value": 7 });
        let cases = [
            (json!([string("a"), number]), "a 7"),
            (json!([string("%s is %d%%"), string("x"), number]), "x is 7%"),
            (
                json!([string("%cred"), string("color: red"), string("tail")]),
                "red tail",
            ),
            (json!([string("100% %s")]), "100% %s"),
            (json!([string("%s %s %"), string("x")]), "x %s %"),
            (
                json!([{ "type": "undefined" }, { "type": "object", "subtype": "null", "value": null }]),
                "undefined null",
            ),
            (json!([{ "type": "number", "unserializableValue": "NaN" }]), "NaN"),
            (json!([]), ""),
        ];
        for (args, expected) in cases {
            assert_eq!(text(&values(args)), expected);
        }
    }

    #[test]
    fn objects_are_shown_by_a_glance_at_their_members() {
        let object = json!([{ "type": "object", "description": "Object", "objectId": "1", "preview": { "properties": [
            { "name": "a", "type": "number", "value": "1" },
            { "name": "b", "type": "string", "value": "x" },
            { "name": "c", "type": "object", "value": "Object" },
            { "name": "d", "type": "object", "subtype": "null", "value": "null" },
        ] } }]);
        let array = json!([{ "type": "object", "subtype": "array", "preview": { "properties": [
            { "name": "0", "type": "boolean", "value": "true" },
        ] } }]);
        let error =
            json!([{ "type": "object", "subtype": "error", "description": "TypeError: x\n    at f" }]);
        assert_eq!(
            preview(&values(object)[0]),
            json!({ "a": 1, "b": "x", "c": "Object", "d": null })
        );
        assert_eq!(preview(&values(array)[0]), json!([true]));
        assert_eq!(preview(&values(error)[0]), "TypeError: x\n    at f");
    }
}
