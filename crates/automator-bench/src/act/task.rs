//! What each contender is told to do, and how it is known that it did it.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::pages::{BUTTON, BUTTON_XPATH, HEADING};

/// A measured operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Observe,
    ActInstruction,
    ActAction,
    Extract,
}

/// The action of [`Task::ActAction`], in the JSON form that both libraries read.
pub(crate) fn action() -> Value {
    json!({ "selector": BUTTON_XPATH, "description": BUTTON, "method": "click", "arguments": [] })
}

impl Task {
    pub(crate) const ALL: [Task; 4] = [
        Task::Observe,
        Task::ActInstruction,
        Task::ActAction,
        Task::Extract,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Task::Observe => "observe",
            Task::ActInstruction => "act(instruction)",
            Task::ActAction => "act(action)",
            Task::Extract => "extract",
        }
    }

    /// The words of the instruction; for the action, what it is about.
    pub(crate) fn instruction(self) -> &'static str {
        match self {
            Task::Observe => "find the button that sends the answers",
            Task::ActInstruction | Task::ActAction => "press the button that sends the answers",
            Task::Extract => "the heading of the page",
        }
    }

    /// The most that ours may take, as a share of the peer's time.
    pub(crate) fn limit(self) -> f64 {
        match self {
            Task::Observe => 0.35,
            Task::ActInstruction | Task::Extract => 0.3,
            Task::ActAction => 0.6,
        }
    }

    /// Whether it presses the button.
    pub(crate) fn presses(self) -> bool {
        matches!(self, Task::ActInstruction | Task::ActAction)
    }

    /// Refuses a result that is not the one asked for.
    pub(crate) fn judge(self, value: &Value) -> Result<()> {
        let right = match self {
            Task::Observe => {
                value.as_array().map(Vec::len) == Some(1)
                    && value.pointer("/0/selector").and_then(Value::as_str) == Some(BUTTON_XPATH)
            }
            Task::ActInstruction | Task::ActAction => value.get("success") == Some(&Value::Bool(true)),
            Task::Extract => value.get("extraction").and_then(Value::as_str) == Some(HEADING),
        };
        ensure!(right, "{} gave {value}", self.name());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_results_pass() {
        assert!(Task::Observe.judge(&json!([action()])).is_ok());
        assert!(Task::Observe.judge(&json!([])).is_err());
        assert!(Task::ActAction.judge(&json!({ "success": true })).is_ok());
        assert!(Task::ActInstruction.judge(&json!({ "success": false })).is_err());
        assert!(Task::Extract.judge(&json!({ "extraction": HEADING })).is_ok());
        assert!(Task::Extract.judge(&json!({ "extraction": "text" })).is_err());
    }
}
