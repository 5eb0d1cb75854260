//! `think`: words that the model keeps for itself.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::{Outcome, spec as tool};

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    reasoning: String,
}

pub(super) fn spec() -> Tool {
    tool(
        "think",
        "Notes a thought; does nothing.",
        json!({ "reasoning": { "type": "string" } }),
        &["reasoning"],
    )
}

pub(super) fn run(input: &Input) -> Outcome {
    Outcome::done("noted").detail("acknowledged", !input.reasoning.is_empty())
}
