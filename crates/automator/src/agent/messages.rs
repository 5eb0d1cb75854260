//! A conversation as JSON, for runs that go on with an earlier one. Pure.
//!
//! A message is `{ role, content }` with a text or a list of `{ type: "text", text }`,
//! `{ type: "toolCall", id, name, arguments, signatures? }`, `{ type: "toolResult", id, name, content }` and
//! `{ type: "reasoning", … }`. The names that the AI SDK has for calls and results are understood, too.

use automator_llm::{Message, Part, Reasoning, Role, ToolCall, ToolResult};
use serde_json::{Map, Value, json};

use crate::{Error, Result};

/// A message as JSON; none for one of which nothing is left. Pictures are left out.
pub(super) fn to_json(message: &Message) -> Option<Value> {
    let role = match message.role {
        Role::System => return None,
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let content: Vec<Value> = message.parts.iter().filter_map(part_to_json).collect();
    (!content.is_empty()).then(|| json!({ "role": role, "content": content }))
}

fn part_to_json(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(text) => json!({ "type": "text", "text": &**text }),
        Part::ToolCall(call) => {
            let mut told = json!({
                "type": "toolCall", "id": call.id, "name": call.name, "arguments": call.arguments
            });
            if !call.signatures.is_empty() {
                told["signatures"] = json!(call.signatures);
            }
            told
        }
        Part::ToolResult(result) => json!({
            "type": "toolResult", "id": result.call_id, "name": result.name, "content": result.content
        }),
        Part::Reasoning(Reasoning::Text(text)) => json!({ "type": "reasoning", "text": text }),
        Part::Reasoning(Reasoning::Signature(text)) => json!({ "type": "reasoning", "signature": text }),
        Part::Reasoning(Reasoning::Block(block)) => json!({ "type": "reasoning", "block": block }),
        Part::Image(_) | Part::CachePoint => return None,
    })
}

/// Reads messages. What an earlier run's system text said is left out: this run has its own.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) with the place of what is no message.
pub(super) fn read(given: &[Value]) -> Result<Vec<Message>> {
    let mut messages = Vec::new();
    for (index, value) in given.iter().enumerate() {
        let wrong = |why: &str| Error::invalid_argument(format!("messages[{index}] {why}"));
        let role = match value.get("role").and_then(Value::as_str) {
            Some("system") => continue,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => return Err(wrong("must have the role user, assistant or tool")),
        };
        let parts = match value.get("content") {
            Some(Value::String(text)) => vec![Part::text(text.as_str())],
            Some(Value::Array(parts)) => {
                let read: Option<Vec<Option<Part>>> = parts.iter().map(part_from_json).collect();
                let read = read.ok_or_else(|| wrong("has a part that cannot be read"))?;
                read.into_iter().flatten().collect()
            }
            _ => return Err(wrong("must have a content: a text, or a list of parts")),
        };
        if !parts.is_empty() {
            messages.push(Message { role, parts });
        }
    }
    Ok(messages)
}

/// None for what is no part; nothing in it for one that is left out.
fn part_from_json(part: &Value) -> Option<Option<Part>> {
    let members = part.as_object()?;
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| members.get(*name)?.as_str());
        found.map(str::to_owned)
    };
    Some(match members.get("type")?.as_str()? {
        "text" => Some(Part::text(text(&["text"])?)),
        "toolCall" | "tool-call" => Some(Part::ToolCall(ToolCall {
            id: text(&["id", "toolCallId"])?,
            name: text(&["name", "toolName"])?,
            arguments: ["arguments", "input", "args"]
                .iter()
                .find_map(|name| members.get(*name).cloned())
                .unwrap_or_else(|| Value::Object(Map::new())),
            signatures: members
                .get("signatures")
                .and_then(|signatures| serde_json::from_value(signatures.clone()).ok())
                .unwrap_or_default(),
        })),
        "toolResult" | "tool-result" => Some(Part::ToolResult(ToolResult {
            call_id: text(&["id", "toolCallId"])?,
            name: text(&["name", "toolName"])?,
            content: ["content", "output", "result"]
                .iter()
                .find_map(|name| members.get(*name))
                .map_or_else(String::new, words),
        })),
        "reasoning" => reasoning(members),
        // Pictures, files and whatever other programs keep there.
        _ => None,
    })
}

fn reasoning(members: &Map<String, Value>) -> Option<Part> {
    let text = |name: &str| members.get(name)?.as_str().map(str::to_owned);
    let reasoning = if let Some(block) = members.get("block") {
        Reasoning::Block(block.clone())
    } else if let Some(signature) = text("signature") {
        Reasoning::Signature(signature)
    } else {
        Reasoning::Text(text("text")?)
    };
    Some(Part::Reasoning(reasoning))
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_read_as_it_was_written() {
        let call = ToolCall {
            id: "c1".to_owned(),
            name: "goto".to_owned(),
            arguments: json!({ "url": "http://a.test/" }),
            signatures: vec!["s".to_owned()],
        };
        let messages = [
            Message::user(vec![Part::text("go there"), Part::CachePoint, Part::png([1])]),
            Message {
                role: Role::Assistant,
                parts: vec![
                    Part::Reasoning(Reasoning::Text("hm".to_owned())),
                    Part::ToolCall(call),
                ],
            },
            Message::tool(vec![ToolResult {
                call_id: "c1".to_owned(),
                name: "goto".to_owned(),
                content: "done".to_owned(),
            }]),
        ];
        let written: Vec<Value> = messages.iter().filter_map(to_json).collect();
        let read = read(&written).unwrap();
        assert_eq!(read[0].parts, [Part::text("go there")]);
        assert_eq!(read[1..], messages[1..]);
    }

    #[test]
    fn the_names_of_the_ai_sdk_are_understood() {
        let given = [
            json!({ "role": "system", "content": "left out" }),
            json!({ "role": "user", "content": "hello" }),
            json!({ "role": "assistant", "content": [
                { "type": "tool-call", "toolCallId": "a", "toolName": "wait", "input": { "timeMs": 5 } }, { "type": "file" }] }),
            json!({ "role": "tool", "content": [
                { "type": "tool-result", "toolCallId": "a", "toolName": "wait", "output": { "type": "text", "value": "x" } }] }),
        ];
        let read = read(&given).unwrap();
        assert_eq!(read.len(), 3);
        assert!(matches!(&read[1].parts[..], [Part::ToolCall(call)] if call.arguments["timeMs"] == 5));
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_place() {
        for odd in [
            json!(5),
            json!({ "role": "robot", "content": "x" }),
            json!({ "role": "user" }),
            json!({ "role": "user", "content": [5] }),
            json!({ "role": "user", "content": [{ "type": "text" }] }),
        ] {
            let error = read(&[json!({ "role": "user", "content": "a" }), odd.clone()]).unwrap_err();
            assert!(error.message().starts_with("messages[1]"), "{odd}: {error}");
        }
    }
}
