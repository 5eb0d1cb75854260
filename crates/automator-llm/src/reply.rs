//! What a model answered, free of any provider's form.

use crate::request::{Message, Part, Reasoning, Role, ToolCall};
use crate::usage::TokenCounts;

/// One answer of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GenerateReply {
    /// The text; empty when there is none.
    pub text: String,
    /// Calls of tools, in order.
    pub tool_calls: Vec<ToolCall>,
    /// Reasoning that the provider wants back on the next turn.
    pub reasoning: Vec<Reasoning>,
    /// What the call cost.
    pub tokens: TokenCounts,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// The model that answered, in the provider's words; it may be a dated version of the one asked.
    pub model: String,
}

impl GenerateReply {
    /// An answer of text alone, for clients of one's own.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// The answer as a message for the next turn.
    pub fn to_message(&self) -> Message {
        let mut parts: Vec<Part> = self.reasoning.iter().cloned().map(Part::Reasoning).collect();
        if !self.text.is_empty() {
            parts.push(Part::text(self.text.as_str()));
        }
        parts.extend(self.tool_calls.iter().cloned().map(Part::ToolCall));
        Message {
            role: Role::Assistant,
            parts,
        }
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FinishReason {
    /// It was done.
    #[default]
    Stop,
    /// The output limit, or the end of the context window, cut it off.
    Length,
    /// It declined or a content filter stepped in; with the words given.
    Refused(String),
    /// It waits for the results of tool calls.
    ToolCalls,
    /// Something else, in the provider's words.
    Other(String),
}
