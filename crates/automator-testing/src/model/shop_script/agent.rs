//! Answers agents: the sentences of the task, one call of `act` each, and then the judgement.

use serde_json::json;

use super::super::answer::Answer;
use super::super::request::Request;
use super::{Product, SCHEMA_DEPTH, fill_object_or_list};

/// What stands before the task.
const TASK: &str = "The task: ";

pub(super) fn answer(request: &Request, products: &[Product]) -> Answer {
    if let [tool] = &request.tools[..]
        && tool.name == "done"
    {
        let mut judgement = json!({ "reasoning": "All of it was done.", "taskComplete": true });
        if let Some(schema) = tool.parameters.pointer("/properties/output") {
            let value = fill_object_or_list(schema, &tool.parameters, products, SCHEMA_DEPTH);
            judgement["output"] = value.unwrap_or_else(|| json!({}));
        }
        return Answer::tool("done", judgement);
    }
    let task = task(&request.text);
    match sentences(task).nth(request.tool_results.len()) {
        Some(sentence) => Answer::tool("act", json!({ "action": sentence })),
        None => Answer::text("All of it was done."),
    }
}

/// The line that the task stands on.
fn task(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.strip_prefix(TASK));
    line.unwrap_or_default()
}

fn sentences(task: &str) -> impl Iterator<Item = &str> {
    task.split(". ")
        .map(|sentence| sentence.trim().trim_end_matches('.'))
        .filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_its_sentences() {
        let text = "You carry out a task.\nThe task: Press Add. Open the basket.\nThe page:";
        let found: Vec<&str> = sentences(task(text)).collect();
        assert_eq!(found, ["Press Add", "Open the basket"]);
    }
}
