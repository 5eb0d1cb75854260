//! The model that answers at once, the same for every contender.

use automator_testing::{Answer, Kind, Request, ScriptedModel};
use serde_json::{Value, json};

use super::pages::{BUTTON, HEADING};
use crate::score::Scorer;

/// What one operation sends to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) calls: usize,
    /// Of the messages' texts and the schemas of all calls, in the o200k encoding.
    pub(crate) tokens: usize,
}

/// Starts a model that presses the button and reads the heading.
pub(crate) async fn start() -> ScriptedModel {
    let model = ScriptedModel::start().await;
    model.script(answer);
    model
}

fn answer(request: &Request) -> Answer {
    let button =
        || json!({ "elementId": request.id_of(&format!("button: {BUTTON}")), "description": BUTTON });
    Answer::value(match request.kind {
        Kind::Act => button(),
        Kind::Observe => json!([button()]),
        // The peer's second question about an extraction.
        _ if asks_for(request, "completed") => json!({ "progress": "done", "completed": true }),
        _ => json!({ "extraction": HEADING }),
    })
}

/// Whether the answer shall have a member of this name.
pub(crate) fn asks_for(request: &Request, member: &str) -> bool {
    let schema = request.schema.as_ref();
    schema.is_some_and(|schema| schema.pointer(&format!("/properties/{member}")).is_some())
}

/// Sums up requests.
pub(crate) fn sent(requests: &[Request], scorer: &Scorer) -> Sent {
    let tokens_of = |request: &Request| {
        let texts: usize = request
            .messages
            .iter()
            .map(|message| scorer.tokens(&message.text))
            .sum();
        let schema = request.schema.as_ref().map(Value::to_string);
        texts + schema.map_or(0, |schema| scorer.tokens(&schema))
    };
    Sent {
        calls: requests.len(),
        tokens: requests.iter().map(tokens_of).sum(),
    }
}
