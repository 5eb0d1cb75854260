//! What can go wrong between a client and a model, on demand.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use super::answer::{Finish, Reply};
use super::outline::{elements, is_id};
use super::request::Request;

/// One thing that goes wrong with one reply, in the form the wire has for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The right answer after a wait.
    Slow(Duration),
    /// The first half of the answer, ended by the output limit (`length`, `max_tokens`, …).
    CutOff,
    /// Status 429, with `retry-after` in whole seconds (rounded up) when a wait is given.
    RateLimited {
        /// The wait asked for.
        retry_after: Option<Duration>,
    },
    /// An error status, for example 500, 503, 529 or 401, with an error body.
    ServerError(u16),
    /// The model refuses, in the wire's own form for it.
    Refusal,
    /// The right answer in a Markdown code fence.
    Fenced,
    /// The right answer with a sentence before and one after it.
    Prose,
    /// The right answer after `<think>…</think>`, with a wrong answer inside the tags.
    ReasoningTags,
    /// The right answer, but every element id in it is one that the page text does not have.
    WrongIds,
    /// A reply that ends normally and says nothing.
    Empty,
    /// Status 200 and a body that breaks off in the middle, in well-formed HTTP.
    MalformedBody,
    /// The connection is closed in the middle of the body.
    ConnectionCut,
    /// The connection is reset in place of an answer.
    ConnectionReset,
    /// No answer at all; the connection stays open until the client gives up.
    Hang,
}

impl Fault {
    /// Changes a right reply into the wrong one. Faults of the connection change nothing here.
    pub(crate) fn spoil(&self, reply: &mut Reply, request: &Request) {
        match self {
            Self::CutOff => {
                let whole = take_text(reply);
                reply.text = whole.chars().take(whole.chars().count() / 2).collect();
                reply.finish = Finish::Length;
            }
            Self::Refusal => {
                take_text(reply);
                reply.text = "I cannot help with this.".to_owned();
                reply.finish = Finish::Refusal;
            }
            Self::Fenced => reply.text = format!("```json\n{}\n```", take_text(reply)),
            Self::Prose => {
                let whole = take_text(reply);
                reply.text = format!(
                    "This is what I found on the page:\n\n{whole}\n\nTell me {{if}} you need something else."
                );
            }
            Self::ReasoningTags => {
                let whole = take_text(reply);
                reply.text = format!(
                    "<think>\nThe user may want {{\"answer\": \"something else\"}}, but [0] says no.\n</think>\n\n{whole}"
                );
            }
            Self::WrongIds => replace_ids(reply, request),
            Self::Empty => {
                take_text(reply);
                reply.finish = Finish::Stop;
            }
            Self::Slow(_)
            | Self::RateLimited { .. }
            | Self::ServerError(_)
            | Self::MalformedBody
            | Self::ConnectionCut
            | Self::ConnectionReset
            | Self::Hang => {}
        }
    }
}

/// Takes what the model says as text. A model that was forced to call a tool and misbehaves says in
/// text what it should have said in the call.
fn take_text(reply: &mut Reply) -> String {
    let mut text = std::mem::take(&mut reply.text);
    for call in std::mem::take(&mut reply.calls) {
        text.push_str(&call.arguments.to_string());
    }
    if reply.finish == Finish::ToolCalls {
        reply.finish = Finish::Stop;
    }
    text
}

fn replace_ids(reply: &mut Reply, request: &Request) {
    let known: HashSet<String> = elements(&request.text)
        .into_iter()
        .map(|element| element.id)
        .collect();
    let mut number = 9000;
    let mut unknown_id = move || loop {
        number += 1;
        let id = format!("0-{number}");
        if !known.contains(&id) {
            return id;
        }
    };
    for call in &mut reply.calls {
        replace_in(&mut call.arguments, &mut unknown_id);
    }
    // An answer in prose holds no ids that could be told from other numbers.
    if let Ok(mut value) = serde_json::from_str::<Value>(&reply.text) {
        replace_in(&mut value, &mut unknown_id);
        reply.text = value.to_string();
    }
}

fn replace_in(value: &mut Value, unknown_id: &mut impl FnMut() -> String) {
    match value {
        Value::String(text) if is_id(text) => *text = unknown_id(),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_in(item, unknown_id)),
        Value::Object(members) => members
            .values_mut()
            .for_each(|member| replace_in(member, unknown_id)),
        _ => {}
    }
}
