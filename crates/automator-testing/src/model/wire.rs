//! The four wire forms: a request's body in, a reply's body, stream or error out.

use serde_json::Value;

use super::answer::Reply;
use super::request::{Parts, Request};
use crate::hit::Hit;

mod anthropic;
mod chat;
mod google;
mod responses;

/// The form in which a client talks to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI Responses.
    Responses,
    /// OpenAI Chat Completions, and everything compatible with it.
    Chat,
    /// Anthropic Messages.
    Anthropic,
    /// Google generateContent.
    Google,
}

impl Wire {
    /// The wire form that is spoken at a path.
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        if path.ends_with("/responses") {
            Some(Self::Responses)
        } else if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else if path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent") {
            Some(Self::Google)
        } else {
            None
        }
    }

    pub(crate) fn read(self, body: &Value, hit: &Hit) -> Parts {
        match self {
            Self::Responses => responses::read(body),
            Self::Chat => chat::read(body),
            Self::Anthropic => anthropic::read(body),
            Self::Google => google::read(body, hit),
        }
    }

    /// The whole reply as one document.
    pub(crate) fn body(self, reply: &Reply) -> Value {
        match self {
            Self::Responses => responses::body(reply),
            Self::Chat => chat::body(reply),
            Self::Anthropic => anthropic::body(reply),
            Self::Google => google::body(reply),
        }
    }

    /// The reply as the pieces of a stream.
    pub(crate) fn stream(self, reply: &Reply, request: &Request) -> Vec<String> {
        match self {
            Self::Responses => responses::stream(reply),
            Self::Chat => chat::stream(reply),
            Self::Anthropic => anthropic::stream(reply),
            Self::Google => google::stream(reply, request.server_events),
        }
    }

    /// The body of an error status.
    pub(crate) fn error(self, status: u16, message: &str) -> Value {
        match self {
            Self::Responses | Self::Chat => chat::error(status, message),
            Self::Anthropic => anthropic::error(status, message),
            Self::Google => google::error(status, message),
        }
    }
}

/// The text of a message's content, in whichever form: a string, a list of parts, a part, a tool's output.
fn part_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<String> = parts
                .iter()
                .map(part_text)
                .filter(|text| !text.is_empty())
                .collect();
            texts.join("\n")
        }
        Value::Object(members) => ["text", "content", "output", "parts"]
            .iter()
            .find_map(|key| members.get(*key))
            .map(part_text)
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn text_of(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn list_of<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// Cuts text into pieces of a few characters, as a stream brings them.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(8).map(|piece| piece.iter().collect()).collect()
}

/// One server event: `event:` when it has a name, and `data:`.
fn server_event(name: Option<&str>, data: &Value) -> String {
    match name {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    }
}
