//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{list_of, part_text, pieces, server_event, text_of};
use crate::model::answer::{Finish, Reply};
use crate::model::request::{Message, Parts, Tool};

pub(super) fn read(body: &Value) -> Parts {
    let messages = list_of(body, "messages");
    let format = body.get("response_format");
    let tools: Vec<Tool> = list_of(body, "tools")
        .iter()
        .filter_map(|tool| tool.get("function"))
        .map(|function| Tool {
            name: text_of(function, "name"),
            parameters: function.get("parameters").cloned().unwrap_or_default(),
        })
        .collect();
    let forced_tool = match body.get("tool_choice") {
        Some(Value::String(word)) if word == "required" => tools.first().map(|tool| tool.name.clone()),
        Some(choice) => choice.get("function").map(|function| text_of(function, "name")),
        None => None,
    };
    Parts {
        model: text_of(body, "model"),
        messages: messages
            .iter()
            .map(|message| Message {
                role: text_of(message, "role"),
                text: part_text(message),
            })
            .collect(),
        schema: body.pointer("/response_format/json_schema/schema").cloned(),
        json_mode: format.and_then(|format| format.get("type")) == Some(&json!("json_object")),
        tools,
        forced_tool,
        tool_results: messages
            .iter()
            .filter(|message| message.get("role") == Some(&json!("tool")))
            .map(part_text)
            .collect(),
        stream: body.get("stream") == Some(&Value::Bool(true)),
        server_events: true,
        max_output_tokens: ["max_completion_tokens", "max_tokens"]
            .iter()
            .find_map(|key| body.get(*key))
            .and_then(Value::as_u64),
        temperature: body.get("temperature").and_then(Value::as_f64),
    }
}

pub(super) fn body(reply: &Reply) -> Value {
    let (content, refusal) = content(reply);
    let mut message = json!({ "role": "assistant", "content": content, "refusal": refusal });
    if !reply.calls.is_empty() {
        message["tool_calls"] = json!(tool_calls(reply));
    }
    json!({
        "id": format!("chatcmpl-{}", reply.id),
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": reply.model,
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(reply) }],
        "usage": usage(reply),
    })
}

/// What stands in `content` and what in `refusal`.
fn content(reply: &Reply) -> (Value, Value) {
    match reply.finish {
        Finish::Refusal => (Value::Null, json!(reply.text)),
        Finish::ToolCalls if reply.text.is_empty() => (Value::Null, Value::Null),
        _ => (json!(reply.text), Value::Null),
    }
}

fn tool_calls(reply: &Reply) -> Vec<Value> {
    reply
        .calls
        .iter()
        .enumerate()
        .map(|(index, call)| {
            json!({
                "id": format!("call_{}_{index}", reply.id),
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments.to_string() },
            })
        })
        .collect()
}

fn finish_reason(reply: &Reply) -> &'static str {
    match reply.finish {
        Finish::Stop | Finish::Refusal => "stop",
        Finish::Length => "length",
        Finish::ToolCalls => "tool_calls",
    }
}

fn usage(reply: &Reply) -> Value {
    let usage = &reply.usage;
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cached },
        "completion_tokens_details": { "reasoning_tokens": usage.reasoning },
    })
}

pub(super) fn stream(reply: &Reply) -> Vec<String> {
    let chunk = |choices: Value, usage: Value| {
        server_event(
            None,
            &json!({
                "id": format!("chatcmpl-{}", reply.id),
                "object": "chat.completion.chunk",
                "created": 1_700_000_000,
                "model": reply.model,
                "choices": choices,
                "usage": usage,
            }),
        )
    };
    let delta = |delta: Value, reason: Value| {
        chunk(
            json!([{ "index": 0, "delta": delta, "finish_reason": reason }]),
            Value::Null,
        )
    };
    let mut events = vec![delta(json!({ "role": "assistant", "content": "" }), Value::Null)];
    let key = if reply.finish == Finish::Refusal {
        "refusal"
    } else {
        "content"
    };
    for piece in pieces(&reply.text) {
        events.push(delta(json!({ key: piece }), Value::Null));
    }
    for (index, mut call) in tool_calls(reply).into_iter().enumerate() {
        let arguments = text_of(&call["function"], "arguments");
        call["index"] = json!(index);
        call["function"]["arguments"] = json!("");
        events.push(delta(json!({ "tool_calls": [call] }), Value::Null));
        for piece in pieces(&arguments) {
            let part = json!({ "index": index, "function": { "arguments": piece } });
            events.push(delta(json!({ "tool_calls": [part] }), Value::Null));
        }
    }
    events.push(delta(json!({}), json!(finish_reason(reply))));
    events.push(chunk(json!([]), usage(reply)));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let (kind, code) = match status {
        401 => ("invalid_request_error", json!("invalid_api_key")),
        404 => ("invalid_request_error", json!("model_not_found")),
        429 => ("requests", json!("rate_limit_exceeded")),
        500.. => ("server_error", Value::Null),
        _ => ("invalid_request_error", Value::Null),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": code } })
}
