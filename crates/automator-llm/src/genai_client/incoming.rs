//! An answer in our form. Pure.
//!
//! `genai` reads text, tool calls and reasoning. The raw body tells what it leaves out: refusals, why an answer
//! is incomplete, errors inside an answer, and counts that it adds up differently.

use genai::chat::{ChatResponse, ContentPart, StopReason, Usage};
use serde_json::Value;

use super::ANSWER_TOOL;
use crate::error::LlmError;
use crate::failure;
use crate::provider::Wire;
use crate::reply::{FinishReason, GenerateReply};
use crate::request::{Reasoning, ToolCall};
use crate::route::Route;
use crate::usage::TokenCounts;

/// Reads an answer that `genai` could read.
pub(super) fn read(route: &Route, response: ChatResponse) -> Result<GenerateReply, LlmError> {
    let body = response.captured_raw_body.unwrap_or_default();
    if let Some(error) = failure::inside(route, &body) {
        return Err(error);
    }
    let tokens = token_counts(route, &response.usage, &body);
    if !has_answer(route.wire, &body) {
        return Err(failure::invalid_reply(
            route,
            "the answer's own member is missing",
            &body,
            tokens,
        ));
    }
    let mut reply = GenerateReply {
        tokens,
        model: response.provider_model_iden.model_name.to_string(),
        ..GenerateReply::default()
    };
    for part in response.content.into_parts() {
        match part {
            ContentPart::Text(text) => reply.text.push_str(&text),
            ContentPart::ToolCall(call) => reply.tool_calls.push(ToolCall {
                id: call.call_id,
                name: call.fn_name,
                arguments: call.fn_arguments,
                signatures: call.thought_signatures.unwrap_or_default(),
            }),
            ContentPart::ReasoningContent(text) => reply.reasoning.push(Reasoning::Text(text)),
            ContentPart::ThoughtSignature(text) => reply.reasoning.push(Reasoning::Signature(text)),
            ContentPart::Custom(custom) => reply.reasoning.push(Reasoning::Block(custom.data)),
            ContentPart::Binary(_) | ContentPart::ToolResponse(_) => {}
        }
    }
    reply.finish = finish(response.stop_reason.as_ref(), &body, &reply);
    Ok(reply)
}

/// Reads an answer that `genai` could not read, as far as it can be.
///
/// That is: tool calls whose arguments are no JSON, and answers that were held back.
pub(super) fn read_body(route: &Route, body: &Value) -> Option<GenerateReply> {
    let calls = loose_tool_calls(route.wire, body);
    let refusal = refusal(body);
    if calls.is_empty() && refusal.is_none() {
        return None;
    }
    let reply = GenerateReply {
        tool_calls: calls,
        tokens: token_counts(route, &Usage::default(), body),
        model: text_at(body, "/model").unwrap_or_default().to_owned(),
        finish: refusal.map_or(FinishReason::ToolCalls, FinishReason::Refused),
        ..GenerateReply::default()
    };
    Some(reply)
}

/// Where the answer came as the arguments of a tool: as text.
pub(super) fn answer_of_tool(mut reply: GenerateReply) -> GenerateReply {
    let Some(at) = reply.tool_calls.iter().position(|call| call.name == ANSWER_TOOL) else {
        return reply;
    };
    let call = reply.tool_calls.swap_remove(at);
    reply.text = match call.arguments {
        Value::String(text) => text,
        other => other.to_string(),
    };
    if reply.finish == FinishReason::ToolCalls {
        reply.finish = FinishReason::Stop;
    }
    reply
}

/// Whether the member that holds answers is there at all. It may be empty.
fn has_answer(wire: Wire, body: &Value) -> bool {
    let places: &[&str] = match wire {
        Wire::Responses => &["/output"],
        Wire::Chat => &["/choices/0"],
        Wire::Anthropic => &["/content"],
        Wire::Google => &["/candidates", "/promptFeedback"],
        Wire::Vertex => &["/candidates", "/promptFeedback", "/content"],
        Wire::Bedrock => &["/output"],
    };
    places.iter().any(|place| body.pointer(place).is_some())
}

fn finish(stop: Option<&StopReason>, body: &Value, reply: &GenerateReply) -> FinishReason {
    if let Some(words) = refusal(body) {
        return FinishReason::Refused(words);
    }
    match stop {
        Some(StopReason::MaxTokens(_)) => match text_at(body, "/incomplete_details/reason") {
            Some("content_filter") => {
                FinishReason::Refused("the content filter held the answer back".to_owned())
            }
            _ => FinishReason::Length,
        },
        Some(StopReason::ContentFilter(reason)) => {
            let words = if reply.text.is_empty() {
                reason
            } else {
                &reply.text
            };
            FinishReason::Refused(words.clone())
        }
        Some(StopReason::Other(reason))
            if matches!(reason.as_str(), "guardrail_intervened" | "content_filtered") =>
        {
            FinishReason::Refused(reason.clone())
        }
        Some(StopReason::ToolCall(_)) => FinishReason::ToolCalls,
        Some(StopReason::Other(reason)) => FinishReason::Other(reason.clone()),
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) | None => {
            if reply.tool_calls.is_empty() {
                FinishReason::Stop
            } else {
                FinishReason::ToolCalls
            }
        }
    }
}

/// The words with which a model declines, or the reason of a filter, where they stand beside the text.
fn refusal(body: &Value) -> Option<String> {
    let said = |words: &str| (!words.trim().is_empty()).then(|| words.to_owned());
    // Chat Completions
    if let Some(words) = text_at(body, "/choices/0/message/refusal").and_then(said) {
        return Some(words);
    }
    // Responses
    for item in list_at(body, "/output") {
        for part in list_at(item, "/content") {
            if let Some(words) = text_at(part, "/refusal").and_then(said) {
                return Some(words);
            }
        }
    }
    // Google
    text_at(body, "/promptFeedback/blockReason").map(|reason| format!("the prompt was blocked: {reason}"))
}

/// Tool calls with arguments as they came.
fn loose_tool_calls(wire: Wire, body: &Value) -> Vec<ToolCall> {
    let call = |id: Option<&str>, name: Option<&str>, arguments: Option<&Value>| -> Option<ToolCall> {
        let arguments = match arguments? {
            Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
            other => other.clone(),
        };
        Some(ToolCall {
            id: id.unwrap_or_default().to_owned(),
            name: name?.to_owned(),
            arguments,
            signatures: Vec::new(),
        })
    };
    match wire {
        Wire::Chat => list_at(body, "/choices/0/message/tool_calls")
            .iter()
            .filter_map(|item| {
                call(
                    text_at(item, "/id"),
                    text_at(item, "/function/name"),
                    item.pointer("/function/arguments"),
                )
            })
            .collect(),
        Wire::Responses => list_at(body, "/output")
            .iter()
            .filter(|item| text_at(item, "/type") == Some("function_call"))
            .filter_map(|item| {
                call(
                    text_at(item, "/call_id"),
                    text_at(item, "/name"),
                    item.get("arguments"),
                )
            })
            .collect(),
        Wire::Anthropic | Wire::Google | Wire::Vertex | Wire::Bedrock => Vec::new(),
    }
}

/// Counts as this crate means them. Where `genai` read nothing, the body is asked.
pub(super) fn token_counts(route: &Route, usage: &Usage, body: &Value) -> TokenCounts {
    let count = |value: Option<i32>| value.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    let input = usage.prompt_tokens_details.as_ref();
    let output = usage.completion_tokens_details.as_ref();
    let mut tokens = TokenCounts {
        prompt: count(usage.prompt_tokens),
        completion: count(usage.completion_tokens),
        reasoning: count(output.and_then(|details| details.reasoning_tokens)),
        cached_input: count(input.and_then(|details| details.cached_tokens)),
        cache_write: count(input.and_then(|details| details.cache_creation_tokens)),
    };
    if tokens.prompt == 0 && tokens.completion == 0 {
        tokens.prompt = number_at(
            body,
            &[
                "/usage/prompt_tokens",
                "/usage/input_tokens",
                "/usageMetadata/promptTokenCount",
            ],
        );
        tokens.completion = number_at(
            body,
            &[
                "/usage/completion_tokens",
                "/usage/output_tokens",
                "/usageMetadata/candidatesTokenCount",
            ],
        );
    }
    let total = number_at(body, &["/usage/total_tokens", "/usage/totalTokens"]);
    match route.provider.name() {
        // `genai` adds the reasoning of xAI to its answer. Where the total says that it was in already, it was.
        "xai" => {
            let written = number_at(body, &["/usage/completion_tokens"]);
            if total == tokens.prompt.saturating_add(written) {
                tokens.completion = written;
            }
        }
        // Bedrock counts what it caches beside the input.
        "bedrock" => {
            let beside = tokens.cached_input.saturating_add(tokens.cache_write);
            if total
                == tokens
                    .prompt
                    .saturating_add(tokens.completion)
                    .saturating_add(beside)
            {
                tokens.prompt = tokens.prompt.saturating_add(beside);
            }
        }
        _ => {}
    }
    // Thinking that led to no answer.
    tokens.completion = tokens.completion.max(tokens.reasoning);
    tokens
}

fn number_at(body: &Value, places: &[&str]) -> u64 {
    places
        .iter()
        .find_map(|place| body.pointer(place)?.as_u64())
        .unwrap_or(0)
}

fn text_at<'a>(body: &'a Value, place: &str) -> Option<&'a str> {
    body.pointer(place)?.as_str()
}

fn list_at<'a>(body: &'a Value, place: &str) -> &'a [Value] {
    body.pointer(place)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}
