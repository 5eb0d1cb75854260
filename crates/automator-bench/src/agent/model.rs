//! The model of a run: it answers at once, by what it is asked.
//!
//! The next call of the list when tools are offered, the judgement when only `done` is, and the element or the value
//! when an operation asks for one. It reads ids off the page text of the very request, so the same list serves
//! contenders whose page texts, ids and prompts differ.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use automator_testing::{Answer, Kind, Request, ScriptedModel};
use serde_json::{Value, json};

use super::script::{self, Manner, STEPS, SUMMARY};
use crate::act::model::asks_for;
use crate::score::Scorer;

/// A model, and how far the run has come that it decides about.
pub(super) struct RunModel {
    pub(super) server: ScriptedModel,
    calls: Arc<AtomicUsize>,
}

/// What model calls were sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// Calls in which the agent decides, the judgement among them.
    pub(super) deciding: Calls,
    /// Calls of the operations inside.
    pub(super) inside: Calls,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pub(super) count: usize,
    /// Of the whole request bodies without pictures, in the o200k encoding.
    pub(super) tokens: usize,
}

impl RunModel {
    pub(super) async fn start(manner: Manner, shop: &str) -> Self {
        let server = ScriptedModel::start().await;
        let calls = Arc::new(AtomicUsize::new(0));
        let (counter, shop) = (Arc::clone(&calls), shop.to_owned());
        server.script(move |request| answer(request, manner, &shop, &counter));
        Self { server, calls }
    }

    /// Begins the list anew.
    pub(super) fn begin(&self) {
        self.calls.store(0, Ordering::Relaxed);
    }
}

fn answer(request: &Request, manner: Manner, shop: &str, calls: &AtomicUsize) -> Answer {
    match request.kind {
        Kind::Agent if is_judgement(request) => {
            Answer::tool("done", json!({ "reasoning": SUMMARY, "taskComplete": true }))
        }
        Kind::Agent => match STEPS.get(calls.fetch_add(1, Ordering::Relaxed)) {
            Some(step) => {
                let (tool, arguments) = step.call(manner, request, shop);
                Answer::tool(tool, arguments)
            }
            None => Answer::text(SUMMARY),
        },
        Kind::Act => Answer::value(script::act(request)),
        Kind::Observe => Answer::value(script::form(request)),
        // The peer's second question about an extraction.
        _ if asks_for(request, "completed") => {
            Answer::value(json!({ "progress": "done", "completed": true }))
        }
        _ => Answer::value(script::extracted()),
    }
}

fn is_judgement(request: &Request) -> bool {
    matches!(&request.tools[..], [only] if only.name == "done")
}

/// Sums up requests.
pub(super) fn sent(requests: &[Request], scorer: &Scorer) -> Sent {
    let mut sent = Sent::default();
    for request in requests {
        let calls = match request.kind {
            Kind::Agent => &mut sent.deciding,
            _ => &mut sent.inside,
        };
        calls.count += 1;
        calls.tokens += scorer.tokens(&without_pictures(&request.body).to_string());
    }
    sent
}

/// The body with every picture made empty: what one costs is counted in no text.
fn without_pictures(value: &Value) -> Value {
    match value {
        Value::String(text) if text.starts_with("data:image/") => Value::String(String::new()),
        Value::Array(items) => items.iter().map(without_pictures).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), without_pictures(member)))
            .collect(),
        other => other.clone(),
    }
}

impl Sent {
    pub(super) fn tokens(&self) -> usize {
        self.deciding.tokens + self.inside.tokens
    }

    pub(super) fn calls(&self) -> usize {
        self.deciding.count + self.inside.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_left_out_of_a_body_and_nothing_else_is() {
        let body = json!({ "input": [{ "text": "data" }, { "image_url": "data:image/png;base64,AAAA" }] });
        let expected = json!({ "input": [{ "text": "data" }, { "image_url": "" }] });
        assert_eq!(without_pictures(&body), expected);
    }
}
