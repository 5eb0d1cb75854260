//! What an agent does, told on standard error while it does it: one line for each call of a tool.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use automator::{AgentCallbacks, AgentEvent};
use serde_json::Value;

use crate::output::on_one_line;
use crate::progress::Progress;

/// Most characters of what a tool was given, and of why it did not work.
const LONGEST: usize = 120;

/// Tells the steps. Where nothing but errors is to be told, nobody hears of them.
pub(super) fn telling(progress: &Progress) -> AgentCallbacks {
    let progress = progress.clone();
    let calls: Mutex<HashMap<String, String>> = Mutex::default();
    AgentCallbacks::new(move |event| {
        let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            AgentEvent::StartStep { step } => progress.step(&format!("Step {step}: asking the model")),
            AgentEvent::ToolCall {
                step,
                tool_call_id,
                tool_name,
                input,
            } => {
                let call = described(tool_name, input);
                progress.step(&format!("Step {step}: {call}"));
                calls.insert(tool_call_id.clone(), call);
            }
            AgentEvent::ToolResult {
                step,
                tool_call_id,
                tool_name,
                action,
                is_error,
            } => {
                let call = calls.remove(tool_call_id).unwrap_or_else(|| tool_name.clone());
                let why = action.details.get("message").and_then(Value::as_str);
                let line = match why.filter(|_| *is_error) {
                    Some(why) => format!("step {step}: {call}: not done: {}", short(why)),
                    None => format!("step {step}: {call}"),
                };
                write(&progress, &line);
            }
            _ => {}
        }
    })
}

/// A line on standard error, which may be closed.
pub(super) fn write(progress: &Progress, line: &str) {
    if progress.is_quiet() {
        return;
    }
    let line = on_one_line(line);
    let _ = progress.suspend(|| writeln!(io::stderr().lock(), "{line}"));
}

/// A call in words: the tool, and what it was given.
fn described(tool: &str, input: &Value) -> String {
    let members = input.as_object();
    let given = match members
        .map(|members| members.iter().collect::<Vec<_>>())
        .as_deref()
    {
        None | Some([]) => return tool.to_owned(),
        Some([(_, Value::String(text))]) => text.clone(),
        Some(_) => input.to_string(),
    };
    format!("{tool} {}", short(&given))
}

fn short(text: &str) -> String {
    let text = on_one_line(text);
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_told_in_one_line() {
        assert_eq!(described("navback", &json!({})), "navback");
        assert_eq!(
            described("act", &json!({ "action": "press\ngo" })),
            "act press go"
        );
        assert_eq!(
            described("scroll", &json!({ "direction": "down", "percentage": 80 })),
            r#"scroll {"direction":"down","percentage":80}"#
        );
        let long = described("think", &json!({ "reasoning": "ü".repeat(500) }));
        assert_eq!(long.chars().count(), "think ".len() + LONGEST + 1);
    }
}
