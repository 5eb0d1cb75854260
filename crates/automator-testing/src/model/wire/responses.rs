//! OpenAI Responses.

use serde_json::{Value, json};

use super::{list_of, part_text, pieces, server_event, text_of};
use crate::model::answer::{Finish, Reply};
use crate::model::request::{Message, Parts, Tool};

pub(super) fn read(body: &Value) -> Parts {
    let mut parts = Parts {
        model: text_of(body, "model"),
        stream: body.get("stream") == Some(&Value::Bool(true)),
        server_events: true,
        max_output_tokens: body.get("max_output_tokens").and_then(Value::as_u64),
        temperature: body.get("temperature").and_then(Value::as_f64),
        ..Parts::default()
    };
    if let Some(instructions) = body.get("instructions").and_then(Value::as_str) {
        parts.messages.push(Message {
            role: "system".to_owned(),
            text: instructions.to_owned(),
        });
    }
    match body.get("input") {
        Some(Value::String(text)) => {
            parts.messages.push(Message {
                role: "user".to_owned(),
                text: text.clone(),
            });
        }
        Some(Value::Array(items)) => items.iter().for_each(|item| read_item(item, &mut parts)),
        _ => {}
    }
    let format = body.pointer("/text/format");
    parts.schema = format.and_then(|format| format.get("schema")).cloned();
    parts.json_mode = format.and_then(|format| format.get("type")) == Some(&json!("json_object"));
    parts.tools = list_of(body, "tools")
        .iter()
        .map(|tool| Tool {
            name: text_of(tool, "name"),
            parameters: tool.get("parameters").cloned().unwrap_or_default(),
        })
        .collect();
    parts.forced_tool = match body.get("tool_choice") {
        Some(Value::String(word)) if word == "required" => parts.tools.first().map(|tool| tool.name.clone()),
        Some(choice @ Value::Object(_)) => Some(text_of(choice, "name")),
        _ => None,
    };
    parts
}

fn read_item(item: &Value, parts: &mut Parts) {
    let kind = item.get("type").and_then(Value::as_str);
    let role = match (item.get("role").and_then(Value::as_str), kind) {
        (Some(role), _) => role,
        (None, Some(kind)) => kind,
        (None, None) => "user",
    };
    let text = part_text(item);
    if kind == Some("function_call_output") {
        parts.tool_results.push(text.clone());
    }
    parts.messages.push(Message {
        role: role.to_owned(),
        text,
    });
}

pub(super) fn body(reply: &Reply) -> Value {
    let usage = &reply.usage;
    let incomplete = if reply.is_cut_off() {
        json!({ "reason": "max_output_tokens" })
    } else {
        Value::Null
    };
    json!({
        "id": format!("resp_{}", reply.id),
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status(reply),
        "error": null,
        "incomplete_details": incomplete,
        "model": reply.model,
        "output": output(reply),
        "parallel_tool_calls": true,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": { "cached_tokens": usage.cached },
            "output_tokens": usage.output,
            "output_tokens_details": { "reasoning_tokens": usage.reasoning },
            "total_tokens": usage.input + usage.output,
        },
    })
}

fn status(reply: &Reply) -> &'static str {
    if reply.is_cut_off() {
        "incomplete"
    } else {
        "completed"
    }
}

fn output(reply: &Reply) -> Vec<Value> {
    let mut items = Vec::new();
    if !reply.text.is_empty() {
        let content = if reply.finish == Finish::Refusal {
            json!({ "type": "refusal", "refusal": reply.text })
        } else {
            json!({ "type": "output_text", "text": reply.text, "annotations": [] })
        };
        items.push(json!({
            "type": "message",
            "id": format!("msg_{}", reply.id),
            "role": "assistant",
            "status": status(reply),
            "content": [content],
        }));
    }
    for (index, call) in reply.calls.iter().enumerate() {
        items.push(json!({
            "type": "function_call",
            "id": format!("fc_{}_{index}", reply.id),
            "call_id": format!("call_{}_{index}", reply.id),
            "name": call.name,
            "arguments": call.arguments.to_string(),
            "status": "completed",
        }));
    }
    items.extend(reply.items.iter().cloned());
    items
}

pub(super) fn stream(reply: &Reply) -> Vec<String> {
    let whole = body(reply);
    let mut started = whole.clone();
    started["status"] = json!("in_progress");
    started["output"] = json!([]);
    started["usage"] = Value::Null;
    started["incomplete_details"] = Value::Null;
    let mut events = vec![json!({ "type": "response.created", "response": started })];
    for (index, item) in output(reply).iter().enumerate() {
        push_item_events(&mut events, index, item);
    }
    let last = if reply.is_cut_off() {
        "response.incomplete"
    } else {
        "response.completed"
    };
    events.push(json!({ "type": last, "response": whole }));
    events
        .into_iter()
        .enumerate()
        .map(|(number, mut event)| {
            event["sequence_number"] = json!(number);
            server_event(event.get("type").and_then(Value::as_str), &event)
        })
        .collect()
}

fn push_item_events(events: &mut Vec<Value>, index: usize, item: &Value) {
    let mut started = item.clone();
    started["status"] = json!("in_progress");
    let id = text_of(item, "id");
    if let Some(arguments) = item.get("arguments") {
        started["arguments"] = json!("");
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": started }));
        for delta in pieces(arguments.as_str().unwrap_or_default()) {
            events.push(json!({ "type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": delta }));
        }
        events.push(json!({ "type": "response.function_call_arguments.done", "item_id": id, "output_index": index, "arguments": arguments }));
    } else {
        started["content"] = json!([]);
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": started }));
        let part = &item["content"][0];
        let (kind, key) = if part["type"] == "refusal" {
            ("refusal", "refusal")
        } else {
            ("output_text", "text")
        };
        let place = json!({ "item_id": id, "output_index": index, "content_index": 0 });
        let event = |name: String, key: &str, value: Value| {
            let mut event = place.clone();
            event["type"] = json!(name);
            event[key] = value;
            event
        };
        let mut empty = part.clone();
        empty[key] = json!("");
        events.push(event("response.content_part.added".to_owned(), "part", empty));
        for delta in pieces(part[key].as_str().unwrap_or_default()) {
            events.push(event(format!("response.{kind}.delta"), "delta", json!(delta)));
        }
        events.push(event(format!("response.{kind}.done"), key, part[key].clone()));
        events.push(event(
            "response.content_part.done".to_owned(),
            "part",
            part.clone(),
        ));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
}
