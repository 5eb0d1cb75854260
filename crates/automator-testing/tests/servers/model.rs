//! The scripted model in its four wire forms.

mod faults;
mod reading;
mod replies;

use automator_testing::{ScriptedModel, Wire};
use serde_json::{Value, json};

use crate::client::{Reply, request};

const WIRES: [Wire; 4] = [Wire::Responses, Wire::Chat, Wire::Anthropic, Wire::Google];

const PAGE: &str = "[0-0] RootWebArea: Shop\n  - [0-1] link: Alpha [current]\n  row: Arc | 9 | [0-2] link: PDF\n  [0-3] textbox: Amount = 1 [required]";

fn extract_schema() -> Value {
    json!({ "type": "object", "properties": { "link": { "type": "string" } }, "required": ["link"] })
}

/// A request with a system text, a user text, an image and a schema.
fn structured(wire: Wire, schema: &Value, text: &str) -> Value {
    match wire {
        Wire::Responses => json!({
            "model": "model-x", "instructions": "Be exact.", "max_output_tokens": 500,
            "input": [{ "role": "user", "content": [
                { "type": "input_text", "text": text }, { "type": "input_image", "image_url": "data:image/png;base64,AAAA" },
            ] }],
            "text": { "format": { "type": "json_schema", "name": "answer", "strict": true, "schema": schema } },
        }),
        Wire::Chat => json!({
            "model": "model-x", "max_tokens": 500,
            "messages": [
                { "role": "system", "content": "Be exact." },
                { "role": "user", "content": [
                    { "type": "text", "text": text },
                    { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } },
                ] },
            ],
            "response_format": { "type": "json_schema", "json_schema": { "name": "answer", "schema": schema } },
        }),
        Wire::Anthropic => json!({
            "model": "model-x", "max_tokens": 500,
            "system": [{ "type": "text", "text": "Be exact.", "cache_control": { "type": "ephemeral" } }],
            "messages": [{ "role": "user", "content": [
                { "type": "text", "text": text },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } },
            ] }],
            "output_config": { "format": { "type": "json_schema", "schema": schema } },
        }),
        _ => json!({
            "systemInstruction": { "parts": [{ "text": "Be exact." }] },
            "contents": [{ "role": "user", "parts": [
                { "text": text }, { "inlineData": { "mimeType": "image/png", "data": "AAAA" } },
            ] }],
            "generationConfig": {
                "maxOutputTokens": 500, "responseMimeType": "application/json", "responseJsonSchema": schema,
            },
        }),
    }
}

/// A request that offers one tool, and forces it when asked.
fn with_tool(wire: Wire, name: &str, schema: &Value, forced: bool) -> Value {
    let mut body = structured(wire, schema, PAGE);
    match wire {
        Wire::Responses => {
            body["text"] = Value::Null;
            body["tools"] = json!([{ "type": "function", "name": name, "parameters": schema }]);
            if forced {
                body["tool_choice"] = json!({ "type": "function", "name": name });
            }
        }
        Wire::Chat => {
            body["response_format"] = Value::Null;
            body["tools"] =
                json!([{ "type": "function", "function": { "name": name, "parameters": schema } }]);
            if forced {
                body["tool_choice"] = json!({ "type": "function", "function": { "name": name } });
            }
        }
        Wire::Anthropic => {
            body["output_config"] = Value::Null;
            body["tools"] = json!([{ "name": name, "input_schema": schema }]);
            if forced {
                body["tool_choice"] = json!({ "type": "tool", "name": name });
            }
        }
        _ => {
            body["generationConfig"] = json!({});
            body["tools"] = json!([{ "functionDeclarations": [{ "name": name, "parameters": schema }] }]);
            if forced {
                body["toolConfig"] =
                    json!({ "functionCallingConfig": { "mode": "ANY", "allowedFunctionNames": [name] } });
            }
        }
    }
    body
}

fn path(wire: Wire, stream: bool) -> &'static str {
    match (wire, stream) {
        (Wire::Responses, _) => "/v1/responses",
        (Wire::Chat, _) => "/v1/chat/completions",
        (Wire::Anthropic, _) => "/v1/messages",
        (_, false) => "/v1/models/model-x:generateContent",
        (_, true) => "/v1/models/model-x:streamGenerateContent?alt=sse",
    }
}

async fn post(model: &ScriptedModel, wire: Wire, body: &Value, stream: bool) -> std::io::Result<Reply> {
    let mut body = body.clone();
    if stream && wire != Wire::Google {
        body["stream"] = json!(true);
    }
    let port = model
        .base_url()
        .trim_end_matches("/v1")
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    request(
        port,
        "POST",
        path(wire, stream),
        "X-Mark: yes\r\n",
        &body.to_string(),
    )
    .await
}

/// Posts the usual extract request.
async fn ask(model: &ScriptedModel, wire: Wire, stream: bool) -> std::io::Result<Reply> {
    post(model, wire, &structured(wire, &extract_schema(), PAGE), stream).await
}

/// What a client reads out of a reply: its text, the first tool call, and why it ended.
#[derive(Debug, Default, PartialEq)]
struct Said {
    text: String,
    refusal: String,
    tool: Option<(String, Value)>,
    finish: String,
    /// Input, output, reasoning and cached tokens as this wire counts them.
    usage: [u64; 4],
}

fn read(wire: Wire, reply: &Reply, stream: bool) -> Said {
    assert_eq!(reply.status, 200, "{}", reply.body);
    if stream {
        read_stream(wire, &reply.body)
    } else {
        read_body(wire, &reply.json())
    }
}

fn read_body(wire: Wire, body: &Value) -> Said {
    let text = |pointer: &str| {
        body.pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let numbers =
        |pointers: [&str; 4]| pointers.map(|pointer| body.pointer(pointer).and_then(Value::as_u64).unwrap());
    match wire {
        Wire::Responses => Said {
            text: text("/output/0/content/0/text"),
            refusal: text("/output/0/content/0/refusal"),
            tool: body.pointer("/output/0/name").map(|name| {
                (
                    name.as_str().unwrap().to_owned(),
                    parse(&text("/output/0/arguments")),
                )
            }),
            finish: format!("{} {}", text("/status"), text("/incomplete_details/reason"))
                .trim()
                .to_owned(),
            usage: numbers([
                "/usage/input_tokens",
                "/usage/output_tokens",
                "/usage/output_tokens_details/reasoning_tokens",
                "/usage/input_tokens_details/cached_tokens",
            ]),
        },
        Wire::Chat => Said {
            text: text("/choices/0/message/content"),
            refusal: text("/choices/0/message/refusal"),
            tool: body
                .pointer("/choices/0/message/tool_calls/0/function")
                .map(|call| {
                    (
                        call["name"].as_str().unwrap().to_owned(),
                        parse(call["arguments"].as_str().unwrap()),
                    )
                }),
            finish: text("/choices/0/finish_reason"),
            usage: numbers([
                "/usage/prompt_tokens",
                "/usage/completion_tokens",
                "/usage/completion_tokens_details/reasoning_tokens",
                "/usage/prompt_tokens_details/cached_tokens",
            ]),
        },
        Wire::Anthropic => Said {
            text: text("/content/0/text"),
            refusal: String::new(),
            tool: body.pointer("/content/0/name").map(|name| {
                (
                    name.as_str().unwrap().to_owned(),
                    body["content"][0]["input"].clone(),
                )
            }),
            finish: text("/stop_reason"),
            usage: numbers([
                "/usage/input_tokens",
                "/usage/output_tokens",
                "/usage/output_tokens_details/thinking_tokens",
                "/usage/cache_read_input_tokens",
            ]),
        },
        _ => Said {
            text: text("/candidates/0/content/parts/0/text"),
            refusal: String::new(),
            tool: body
                .pointer("/candidates/0/content/parts/0/functionCall")
                .map(|call| (call["name"].as_str().unwrap().to_owned(), call["args"].clone())),
            finish: text("/candidates/0/finishReason"),
            usage: numbers([
                "/usageMetadata/promptTokenCount",
                "/usageMetadata/candidatesTokenCount",
                "/usageMetadata/thoughtsTokenCount",
                "/usageMetadata/cachedContentTokenCount",
            ]),
        },
    }
}

/// Puts a stream together again from its deltas, then compares it with the whole where the wire sends one.
fn read_stream(wire: Wire, text: &str) -> Said {
    let events: Vec<Value> = text
        .split("\n\n")
        .filter_map(|event| event.lines().find_map(|line| line.strip_prefix("data: ")))
        .filter(|data| *data != "[DONE]")
        .map(parse)
        .collect();
    let joined = |pointer: &str| -> String {
        events
            .iter()
            .filter_map(|event| event.pointer(pointer))
            .filter_map(Value::as_str)
            .collect()
    };
    let last = |pointer: &str| {
        events
            .iter()
            .rev()
            .find_map(|event| event.pointer(pointer))
            .cloned()
    };
    match wire {
        Wire::Responses => {
            let whole = read_body(wire, &last("/response").unwrap());
            assert_eq!(
                joined("/delta"),
                format!("{}{}{}", whole.text, whole.refusal, tool_text(&whole))
            );
            whole
        }
        Wire::Chat => {
            assert!(text.ends_with("data: [DONE]\n\n"), "{text}");
            let name = joined("/choices/0/delta/tool_calls/0/function/name");
            let arguments = joined("/choices/0/delta/tool_calls/0/function/arguments");
            let usage = events.last().unwrap()["usage"].clone();
            Said {
                text: joined("/choices/0/delta/content"),
                refusal: joined("/choices/0/delta/refusal"),
                tool: (!name.is_empty()).then(|| (name, parse(&arguments))),
                finish: joined("/choices/0/finish_reason"),
                ..read_body(wire, &json!({ "usage": usage }))
            }
        }
        Wire::Anthropic => {
            assert_eq!(events.first().unwrap()["type"], "message_start");
            assert_eq!(events.last().unwrap()["type"], "message_stop");
            let name = joined("/content_block/name");
            Said {
                text: joined("/delta/text"),
                tool: (!name.is_empty()).then(|| (name, parse(&joined("/delta/partial_json")))),
                finish: joined("/delta/stop_reason"),
                ..read_body(
                    wire,
                    events
                        .iter()
                        .rev()
                        .find(|event| event["type"] == "message_delta")
                        .unwrap(),
                )
            }
        }
        _ => Said {
            text: joined("/candidates/0/content/parts/0/text"),
            finish: joined("/candidates/0/finishReason"),
            ..read_body(wire, events.last().unwrap())
        },
    }
}

fn tool_text(said: &Said) -> String {
    said.tool
        .as_ref()
        .map(|(_, arguments)| arguments.to_string())
        .unwrap_or_default()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
}
