//! What happens in a run, told while it happens.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::result::{AgentAction, AgentResult, AgentUsage};

/// Something that happened in a run. Values of variables are told by their names.
///
/// In JSON each has a `type` and the members in `camelCase`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum AgentEvent {
    /// The model is about to be asked. `start-step`.
    StartStep {
        /// Counted from 1.
        step: u32,
    },
    /// A piece of what the model says. `text-delta`.
    TextDelta {
        /// Which step it belongs to.
        step: u32,
        /// The piece.
        text: String,
    },
    /// The model calls a tool, or what it did in an earlier run is done again from memory: then no `start-step` comes
    /// before. `tool-call`.
    ToolCall {
        /// Which step it belongs to.
        step: u32,
        /// Tells the call from others.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// The arguments.
        input: Value,
    },
    /// The call is over. `tool-result`.
    ToolResult {
        /// Which step it belongs to.
        step: u32,
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// What came of it.
        action: AgentAction,
        /// Whether it did not work.
        is_error: bool,
    },
    /// All calls of a step are over. `finish-step`.
    FinishStep {
        /// Counted from 1.
        step: u32,
        /// What the model said.
        text: String,
        /// What the model calls of the agent have cost so far.
        usage: AgentUsage,
    },
    /// The run is over. `finish`.
    Finish {
        /// What came of it.
        result: Box<AgentResult>,
    },
    /// The run broke off, or could not begin: `execute()` fails with this. A model that fails, and an end that nobody
    /// has judged, come as [`Finish`](Self::Finish) with a result that says so. `error`.
    Error {
        /// What went wrong.
        message: String,
    },
    /// The run was ended by its caller. `abort`.
    Abort {
        /// Why.
        message: String,
    },
}

/// Receives what happens in a run. One that panics harms nothing but itself. It must not wait for anything: the run
/// stands still meanwhile.
///
/// ```
/// use automator::{AgentCallbacks, AgentEvent};
///
/// let callbacks = AgentCallbacks::new(|event| {
///     if let AgentEvent::ToolCall { tool_name, .. } = event {
///         eprintln!("{tool_name}");
///     }
/// });
/// # let _ = callbacks;
/// ```
#[derive(Clone)]
pub struct AgentCallbacks(Arc<dyn Fn(&AgentEvent) + Send + Sync>);

impl AgentCallbacks {
    /// A receiver of all events.
    pub fn new(receive: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }
}

impl fmt::Debug for AgentCallbacks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AgentCallbacks")
    }
}

/// Those who are told.
#[derive(Debug, Clone, Default)]
pub(super) struct Listeners {
    pub(super) callbacks: Option<AgentCallbacks>,
    pub(super) stream: Option<UnboundedSender<AgentEvent>>,
}

impl Listeners {
    pub(super) fn tell(&self, event: AgentEvent) {
        if let Some(AgentCallbacks(receive)) = &self.callbacks
            && catch_unwind(AssertUnwindSafe(|| receive(&event))).is_err()
        {
            tracing::warn!("a callback of an agent panicked");
        }
        if let Some(stream) = &self.stream {
            // Nobody reads it any more: then nobody is to be told.
            drop(stream.send(event));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_told_by_type() {
        let event = AgentEvent::ToolCall {
            step: 2,
            tool_call_id: "c1".to_owned(),
            tool_name: "goto".to_owned(),
            input: json!({ "url": "http://a.test/" }),
        };
        assert_eq!(
            serde_json::to_value(event).unwrap(),
            json!({
                "type": "tool-call", "step": 2, "toolCallId": "c1", "toolName": "goto",
                "input": { "url": "http://a.test/" }
            })
        );
    }

    #[test]
    fn a_callback_that_panics_harms_nobody() {
        let listeners = Listeners {
            callbacks: Some(AgentCallbacks::new(|_| panic!("no"))),
            stream: None,
        };
        listeners.tell(AgentEvent::StartStep { step: 1 });
    }
}
