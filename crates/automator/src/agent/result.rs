//! What came of a run.

use std::time::Duration;

use automator_llm::Usage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::time_text::time_text;

/// What came of a run of an agent.
///
/// In JSON: `{ success, completed, message, actions, usage, messages, output? }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// Whether the task was done, as the model judges at the end. False when the run could not be brought to its
    /// end, whatever had been done by then.
    pub success: bool,
    /// The same as `success`.
    pub completed: bool,
    /// What came of it, or what stopped it.
    pub message: String,
    /// What was done, in order; the judgement at the end is the last one, of the type `done`.
    pub actions: Vec<AgentAction>,
    /// What the model calls of the agent itself cost: those of its steps and the one at the end. What `act`,
    /// `observe` and `extract` cost inside the run is in their own groups of the metrics.
    pub usage: AgentUsage,
    /// The conversation, for [`AgentExecuteOptions::messages`](crate::AgentExecuteOptions::messages) of a run that
    /// goes on with it. Page texts and pictures are left out.
    pub messages: Vec<Value>,
    /// What the schema asked for; present when there was one and the run came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
}

impl AgentResult {
    /// That of a run which has reached its limit of time, and of which nothing more is known.
    #[must_use]
    pub fn past_deadline(limit: Duration) -> Self {
        Self {
            message: format!("Stopped: the run reached its timeout of {}", time_text(limit)),
            ..Self::default()
        }
    }

    /// That of a run which could not go on.
    pub(crate) fn failed(why: &str) -> Self {
        Self {
            message: format!("Failed to execute task: {why}"),
            ..Self::default()
        }
    }
}

/// One call of a tool.
///
/// In JSON the arguments and what came of the call stand beside the other members:
/// `{ type, reasoning?, taskCompleted, pageUrl, timestamp, action?, success?, … }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentAction {
    /// The tool, as `act`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the model said to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether the task was done with it: only ever true of `done`.
    pub task_completed: bool,
    /// The address of the page afterwards.
    pub page_url: String,
    /// When it was over: milliseconds since 1970.
    pub timestamp: i64,
    /// The arguments, and what came of it: `success` and `message` of every call, and members of its own, as
    /// `extraction` of `extract`.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// Tokens and time of the agent's own model calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentUsage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens written by the model, reasoning included.
    pub output_tokens: u64,
    /// The reasoning among them.
    pub reasoning_tokens: u64,
    /// The tokens sent that the provider had cached.
    pub cached_input_tokens: u64,
    /// Milliseconds spent waiting for the model.
    pub inference_time_ms: u64,
}

impl From<Usage> for AgentUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.tokens.prompt,
            output_tokens: usage.tokens.completion,
            reasoning_tokens: usage.tokens.reasoning,
            cached_input_tokens: usage.tokens.cached_input,
            inference_time_ms: u64::try_from(usage.inference_time.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_action_is_told_with_its_arguments_beside_it() {
        let action = AgentAction {
            kind: "act".to_owned(),
            page_url: "http://a.test/".to_owned(),
            timestamp: 5,
            details: Map::from_iter([("action".to_owned(), json!("press go"))]),
            ..AgentAction::default()
        };
        let told = json!({
            "type": "act", "taskCompleted": false, "pageUrl": "http://a.test/", "timestamp": 5, "action": "press go"
        });
        assert_eq!(serde_json::to_value(&action).unwrap(), told);
        assert_eq!(serde_json::from_value::<AgentAction>(told).unwrap(), action);
    }
}
