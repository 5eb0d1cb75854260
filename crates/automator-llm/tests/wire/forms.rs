//! The forms of interface: how each writes an answer.

use serde_json::{Value, json};

/// One form of interface, by an example model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Responses,
    Chat,
    Anthropic,
    Google,
}

pub(crate) const ALL: [Form; 4] = [Form::Responses, Form::Chat, Form::Anthropic, Form::Google];

impl Form {
    pub(crate) fn model(self) -> Value {
        match self {
            Self::Responses => json!({"modelName": "openai/gpt-4.1-mini"}),
            Self::Chat => json!({"modelName": "openai/gpt-4.1-mini", "openaiEndpointFormat": "chat"}),
            Self::Anthropic => json!({"modelName": "anthropic/claude-sonnet-4-5"}),
            Self::Google => json!({"modelName": "google/gemini-2.5-flash"}),
        }
    }

    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Responses => "/v1/responses",
            Self::Chat => "/v1/chat/completions",
            Self::Anthropic => "/v1/messages",
            Self::Google => "/v1/models/gemini-2.5-flash:generateContent",
        }
    }

    /// 100 tokens in, 90 of them cached; 20 out, 3 of them reasoning.
    fn usage(self) -> Value {
        match self {
            Self::Responses => json!({
                "input_tokens": 100, "input_tokens_details": {"cached_tokens": 90},
                "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 120
            }),
            Self::Chat => json!({
                "prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 90},
                "completion_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 3}, "total_tokens": 120
            }),
            Self::Anthropic => json!({
                "input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 0,
                "output_tokens": 20, "output_tokens_details": {"thinking_tokens": 3}
            }),
            Self::Google => json!({
                "promptTokenCount": 100, "cachedContentTokenCount": 90, "candidatesTokenCount": 17,
                "thoughtsTokenCount": 3, "totalTokenCount": 120
            }),
        }
    }

    /// An answer of one text.
    pub(crate) fn text(self, text: &str) -> Value {
        match self {
            Self::Responses => responses(
                &json!([{"type": "output_text", "text": text, "annotations": []}]),
                "completed",
                &Value::Null,
                &self.usage(),
            ),
            Self::Chat => chat(
                &json!({"role": "assistant", "content": text}),
                "stop",
                &self.usage(),
            ),
            Self::Anthropic => anthropic(
                &json!([{"type": "text", "text": text}]),
                "end_turn",
                &self.usage(),
            ),
            Self::Google => google(text, "STOP", &self.usage()),
        }
    }

    /// An answer that reached the output limit.
    pub(crate) fn cut_off(self, text: &str) -> Value {
        match self {
            Self::Responses => responses(
                &json!([{"type": "output_text", "text": text, "annotations": []}]),
                "incomplete",
                &json!({"reason": "max_output_tokens"}),
                &self.usage(),
            ),
            Self::Chat => chat(
                &json!({"role": "assistant", "content": text}),
                "length",
                &self.usage(),
            ),
            Self::Anthropic => anthropic(
                &json!([{"type": "text", "text": text}]),
                "max_tokens",
                &self.usage(),
            ),
            Self::Google => google(text, "MAX_TOKENS", &self.usage()),
        }
    }

    /// The model declines.
    pub(crate) fn refusal(self, words: &str) -> Value {
        match self {
            Self::Responses => responses(
                &json!([{"type": "refusal", "refusal": words}]),
                "completed",
                &Value::Null,
                &self.usage(),
            ),
            Self::Chat => chat(
                &json!({"role": "assistant", "content": null, "refusal": words}),
                "stop",
                &self.usage(),
            ),
            Self::Anthropic => anthropic(
                &json!([{"type": "text", "text": words}]),
                "refusal",
                &self.usage(),
            ),
            Self::Google => json!({"promptFeedback": {"blockReason": words}, "usageMetadata": self.usage()}),
        }
    }

    /// An answer in the right form with nothing in it.
    pub(crate) fn empty(self) -> Value {
        match self {
            Self::Responses => {
                json!({"id": "r", "status": "completed", "model": "m", "output": [], "usage": self.usage()})
            }
            Self::Chat => chat(
                &json!({"role": "assistant", "content": null}),
                "stop",
                &self.usage(),
            ),
            Self::Anthropic => anthropic(&json!([]), "end_turn", &self.usage()),
            Self::Google => json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": self.usage()}),
        }
    }

    /// All texts of a request, and the schema it asks for.
    pub(crate) fn texts(self, body: &Value) -> String {
        match self {
            Self::Responses => text_of(&body["input"]),
            Self::Chat => text_of(&body["messages"]),
            Self::Anthropic => format!("{}\n{}", text_of(&body["system"]), text_of(&body["messages"])),
            Self::Google => format!(
                "{}\n{}",
                text_of(&body["systemInstruction"]),
                text_of(&body["contents"])
            ),
        }
    }
}

pub(crate) fn responses(content: &Value, status: &str, incomplete: &Value, usage: &Value) -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": status, "error": null, "incomplete_details": incomplete,
        "model": "gpt-4.1-mini-2025-04-14",
        "output": [{"type": "message", "id": "m1", "role": "assistant", "status": status, "content": content}],
        "usage": usage
    })
}

pub(crate) fn chat(message: &Value, finish: &str, usage: &Value) -> Value {
    json!({
        "id": "c1", "object": "chat.completion", "model": "served-model",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage
    })
}

pub(crate) fn anthropic(content: &Value, stop: &str, usage: &Value) -> Value {
    json!({"id": "m1", "type": "message", "role": "assistant", "model": "served-model", "content": content,
           "stop_reason": stop, "usage": usage})
}

pub(crate) fn google(text: &str, finish: &str, usage: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": finish}],
           "usageMetadata": usage, "modelVersion": "served-model"})
}

/// Every `text` and `content` string below a value, in order.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => ["text", "content", "parts"]
            .iter()
            .filter_map(|name| members.get(*name))
            .map(text_of)
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}
