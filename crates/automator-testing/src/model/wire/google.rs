//! Google generateContent.

use serde_json::{Value, json};

use super::{list_of, part_text, pieces, server_event, text_of};
use crate::hit::Hit;
use crate::model::answer::{Finish, Reply};
use crate::model::request::{Message, Parts, Tool};

pub(super) fn read(body: &Value, hit: &Hit) -> Parts {
    let contents = list_of(body, "contents");
    let mut messages = Vec::new();
    if let Some(system) = first(body, &["systemInstruction", "system_instruction"]) {
        messages.push(Message {
            role: "system".to_owned(),
            text: part_text(system),
        });
    }
    messages.extend(contents.iter().map(|content| {
        Message {
            role: content
                .get("role")
                .and_then(Value::as_str)
                .unwrap_or("user")
                .to_owned(),
            text: part_text(content),
        }
    }));
    let config = first(body, &["generationConfig", "generation_config"]).unwrap_or(&Value::Null);
    let tools: Vec<Tool> = list_of(body, "tools")
        .iter()
        .filter_map(|tool| first(tool, &["functionDeclarations", "function_declarations"]))
        .filter_map(Value::as_array)
        .flatten()
        .map(|function| Tool {
            name: text_of(function, "name"),
            parameters: first(function, &["parametersJsonSchema", "parameters"])
                .cloned()
                .unwrap_or_default(),
        })
        .collect();
    let calling = body.pointer("/toolConfig/functionCallingConfig");
    let must_call = calling.and_then(|calling| calling.get("mode")) == Some(&json!("ANY"));
    let allowed = calling
        .map(|calling| list_of(calling, "allowedFunctionNames"))
        .unwrap_or_default();
    let forced_tool = match (must_call, allowed, tools.as_slice()) {
        (true, [name], _) => name.as_str().map(str::to_owned),
        (true, [], [tool]) => Some(tool.name.clone()),
        _ => None,
    };
    let stream = hit.path.ends_with(":streamGenerateContent");
    Parts {
        model: model_of_path(&hit.path),
        messages,
        schema: first(config, &["responseJsonSchema", "responseSchema"]).cloned(),
        json_mode: config.get("responseMimeType") == Some(&json!("application/json")),
        tools,
        forced_tool,
        tool_results: contents
            .iter()
            .flat_map(|content| list_of(content, "parts"))
            .filter_map(|part| first(part, &["functionResponse", "function_response"]))
            .filter_map(|response| response.get("response"))
            .map(ToString::to_string)
            .collect(),
        stream,
        server_events: hit.query_value("alt").as_deref() == Some("sse"),
        max_output_tokens: config.get("maxOutputTokens").and_then(Value::as_u64),
        temperature: config.get("temperature").and_then(Value::as_f64),
    }
}

/// The first of several spellings of a member; the service takes camel and snake case.
fn first<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().find_map(|key| value.get(*key))
}

/// `gemini-x` of `/v1beta/models/gemini-x:generateContent`.
fn model_of_path(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default().to_owned()
}

pub(super) fn body(reply: &Reply) -> Value {
    document(reply, &parts(reply), Some(finish_reason(reply)))
}

fn document(reply: &Reply, parts: &[Value], finish_reason: Option<&str>) -> Value {
    let mut candidate = json!({ "index": 0 });
    // A blocked answer has no content at all.
    if reply.finish == Finish::Refusal {
        candidate["safetyRatings"] = json!([{ "category": "HARM_CATEGORY_DANGEROUS_CONTENT", "probability": "HIGH", "blocked": true }]);
    } else {
        candidate["content"] = json!({ "role": "model", "parts": parts });
    }
    if let Some(reason) = finish_reason {
        candidate["finishReason"] = json!(reason);
    }
    let usage = &reply.usage;
    json!({
        "candidates": [candidate],
        // This wire counts thinking beside the candidates, not in them.
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "cachedContentTokenCount": usage.cached,
            "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
            "thoughtsTokenCount": usage.reasoning,
            "totalTokenCount": usage.input + usage.output,
        },
        "modelVersion": reply.model,
        "responseId": format!("response-{}", reply.id),
    })
}

fn parts(reply: &Reply) -> Vec<Value> {
    let mut parts = Vec::new();
    if !reply.text.is_empty() {
        parts.push(json!({ "text": reply.text }));
    }
    parts.extend(call_parts(reply));
    parts
}

fn call_parts(reply: &Reply) -> impl Iterator<Item = Value> + '_ {
    reply
        .calls
        .iter()
        .map(|call| json!({ "functionCall": { "name": call.name, "args": call.arguments } }))
}

fn finish_reason(reply: &Reply) -> &'static str {
    match reply.finish {
        Finish::Stop | Finish::ToolCalls => "STOP",
        Finish::Length => "MAX_TOKENS",
        Finish::Refusal => "SAFETY",
    }
}

pub(super) fn stream(reply: &Reply, server_events: bool) -> Vec<String> {
    let mut groups: Vec<Vec<Value>> = pieces(&reply.text)
        .into_iter()
        .map(|piece| vec![json!({ "text": piece })])
        .collect();
    groups.extend(call_parts(reply).map(|part| vec![part]));
    if groups.is_empty() || reply.finish == Finish::Refusal {
        groups = vec![Vec::new()];
    }
    let last = groups.len() - 1;
    let documents: Vec<Value> = groups
        .iter()
        .enumerate()
        .map(|(index, group)| document(reply, group, (index == last).then(|| finish_reason(reply))))
        .collect();
    if server_events {
        return documents
            .iter()
            .map(|document| server_event(None, document))
            .collect();
    }
    // The older form is one JSON array, sent element by element.
    let mut texts: Vec<String> = documents
        .iter()
        .enumerate()
        .map(|(index, document)| format!("{}{document}", if index == 0 { "[" } else { ",\n" }))
        .collect();
    texts.push("]".to_owned());
    texts
}

pub(super) fn error(status: u16, message: &str) -> Value {
    let word = match status {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": status, "message": message, "status": word } })
}
