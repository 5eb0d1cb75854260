//! Anthropic Messages.

use serde_json::{Value, json};

use super::{list_of, part_text, pieces, server_event, text_of};
use crate::model::answer::{Finish, Reply};
use crate::model::request::{Message, Parts, Tool};

pub(super) fn read(body: &Value) -> Parts {
    let mut messages = Vec::new();
    if let Some(system) = body.get("system") {
        messages.push(Message {
            role: "system".to_owned(),
            text: part_text(system),
        });
    }
    let turns = list_of(body, "messages");
    messages.extend(turns.iter().map(|message| Message {
        role: text_of(message, "role"),
        text: part_text(message),
    }));
    let tools: Vec<Tool> = list_of(body, "tools")
        .iter()
        .map(|tool| Tool {
            name: text_of(tool, "name"),
            parameters: tool.get("input_schema").cloned().unwrap_or_default(),
        })
        .collect();
    let choice = body.get("tool_choice");
    let forced_tool = match choice
        .and_then(|choice| choice.get("type"))
        .and_then(Value::as_str)
    {
        Some("tool") => choice.map(|choice| text_of(choice, "name")),
        Some("any") => tools.first().map(|tool| tool.name.clone()),
        _ => None,
    };
    Parts {
        model: text_of(body, "model"),
        messages,
        schema: ["/output_config/format/schema", "/output_format/schema"]
            .iter()
            .find_map(|pointer| body.pointer(pointer))
            .cloned(),
        json_mode: false,
        tools,
        forced_tool,
        tool_results: turns
            .iter()
            .flat_map(|message| list_of(message, "content"))
            .filter(|part| part.get("type") == Some(&json!("tool_result")))
            .map(part_text)
            .collect(),
        stream: body.get("stream") == Some(&Value::Bool(true)),
        server_events: true,
        max_output_tokens: body.get("max_tokens").and_then(Value::as_u64),
        temperature: body.get("temperature").and_then(Value::as_f64),
    }
}

pub(super) fn body(reply: &Reply) -> Value {
    json!({
        "id": format!("msg_{}", reply.id),
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content(reply),
        "stop_reason": stop_reason(reply),
        "stop_sequence": null,
        "usage": usage(reply),
    })
}

fn content(reply: &Reply) -> Vec<Value> {
    let mut blocks = Vec::new();
    if !reply.text.is_empty() {
        blocks.push(json!({ "type": "text", "text": reply.text }));
    }
    for (index, call) in reply.calls.iter().enumerate() {
        let id = format!("toolu_{}_{index}", reply.id);
        blocks.push(json!({ "type": "tool_use", "id": id, "name": call.name, "input": call.arguments }));
    }
    blocks.extend(reply.items.iter().cloned());
    blocks
}

fn stop_reason(reply: &Reply) -> &'static str {
    match reply.finish {
        Finish::Stop => "end_turn",
        Finish::Length => "max_tokens",
        Finish::Refusal => "refusal",
        Finish::ToolCalls => "tool_use",
    }
}

/// This wire counts cached tokens beside the input, not in it.
fn usage(reply: &Reply) -> Value {
    let usage = &reply.usage;
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
        "output_tokens_details": { "thinking_tokens": usage.reasoning },
    })
}

pub(super) fn stream(reply: &Reply) -> Vec<String> {
    let mut message = body(reply);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    let mut events = vec![
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "ping" }),
    ];
    for (index, mut block) in content(reply).into_iter().enumerate() {
        let deltas: Vec<Value> = if block["type"] == "text" {
            let text = text_of(&block, "text");
            block["text"] = json!("");
            pieces(&text)
                .into_iter()
                .map(|piece| json!({ "type": "text_delta", "text": piece }))
                .collect()
        } else {
            let input = block["input"].to_string();
            block["input"] = json!({});
            pieces(&input)
                .into_iter()
                .map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }))
                .collect()
        };
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| json!({ "type": "content_block_delta", "index": index, "delta": delta })),
        );
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(reply), "stop_sequence": null },
        "usage": usage(reply),
    }));
    events.push(json!({ "type": "message_stop" }));
    events
        .iter()
        .map(|event| server_event(event.get("type").and_then(Value::as_str), event))
        .collect()
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_scripted" })
}
