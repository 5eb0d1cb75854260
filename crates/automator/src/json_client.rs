//! A model client that is written in another language: it gets requests and gives answers as JSON.

use std::future::Future;
use std::pin::Pin;

use automator_llm::{
    FinishReason, GenerateFuture, GenerateReply, GenerateRequest, LlmClient, LlmError, Message, Part,
    ResponseFormat, RetryAdvice, Role, TokenCounts, ToolCall,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// Why a client of another language gave no answer.
pub type JsonClientError = Box<dyn std::error::Error + Send + Sync>;

type Answering = Pin<Box<dyn Future<Output = Result<Value, JsonClientError>> + Send>>;

/// A client of one's own that takes and gives JSON; for the bindings to other languages.
///
/// A request is `{ messages, responseFormat, tools, maxOutputTokens, temperature }`. A message is
/// `{ role, content }` with a list of `{ type: "text", text }`, `{ type: "image", mediaType, data }` (base64),
/// `{ type: "toolCall", id, name, arguments }` and `{ type: "toolResult", id, name, content }`. `responseFormat` is
/// `{ name, schema }`, or null for text.
///
/// An answer is a text, or `{ text, toolCalls, tokens, finish, model }` of which every member may be left out;
/// `tokens` is `{ prompt, completion, reasoning, cachedInput }` and `finish` is `stop`, `length` or `refused`.
///
/// ```
/// use automator::{JsonClient, LlmClient};
///
/// let client = JsonClient::new("test/fixed", |_request| {
///     Box::pin(async { Ok(serde_json::json!({ "text": "{}", "tokens": { "prompt": 5 } })) })
/// });
/// assert_eq!(client.model_name(), "test/fixed");
/// ```
pub struct JsonClient {
    name: String,
    accepts_images: bool,
    context_window: Option<u32>,
    answer: Box<dyn Fn(Value) -> Answering + Send + Sync>,
}

impl JsonClient {
    /// A client under this name, as `provider/model`, that answers with this function.
    pub fn new(name: impl Into<String>, answer: impl Fn(Value) -> Answering + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            accepts_images: true,
            context_window: None,
            answer: Box::new(answer),
        }
    }

    /// Whether pictures may be sent. Default: yes.
    #[must_use]
    pub fn accepting_images(mut self, accepts: bool) -> Self {
        self.accepts_images = accepts;
        self
    }

    /// How many tokens prompt and answer may have together. Default: nobody knows.
    #[must_use]
    pub fn with_context_window(mut self, tokens: u32) -> Self {
        self.context_window = Some(tokens);
        self
    }
}

impl LlmClient for JsonClient {
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
        let answering = (self.answer)(request_to_json(request));
        Box::pin(async move {
            let answer = answering.await.map_err(|error| LlmError::Provider {
                model: self.name.clone(),
                status: None,
                message: automator_llm::preview(&error.to_string()),
                retry: RetryAdvice::Never,
            })?;
            reply_from_json(&self.name, answer)
        })
    }

    fn model_name(&self) -> &str {
        &self.name
    }

    fn accepts_images(&self) -> bool {
        self.accepts_images
    }

    fn context_window(&self) -> Option<u32> {
        self.context_window
    }
}

fn request_to_json(request: &GenerateRequest) -> Value {
    let tools = request.tools.iter().map(
        |tool| json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters }),
    );
    json!({
        "messages": request.messages.iter().map(message_to_json).collect::<Vec<Value>>(),
        "responseFormat": match &request.response_format {
            ResponseFormat::Text => Value::Null,
            ResponseFormat::Json { name, schema } => json!({ "name": name, "schema": **schema }),
        },
        "tools": tools.collect::<Vec<Value>>(),
        "maxOutputTokens": request.max_output_tokens,
        "temperature": request.temperature,
    })
}

fn message_to_json(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let content: Vec<Value> = message.parts.iter().filter_map(part_to_json).collect();
    json!({ "role": role, "content": content })
}

/// None for what only the providers that are built in understand.
fn part_to_json(part: &Part) -> Option<Value> {
    Some(match part {
        Part::Text(text) => json!({ "type": "text", "text": &**text }),
        Part::Image(image) => json!({
            "type": "image",
            "mediaType": image.format.media_type(),
            "data": STANDARD.encode(&image.bytes),
        }),
        Part::ToolCall(call) => json!({
            "type": "toolCall", "id": call.id, "name": call.name, "arguments": call.arguments
        }),
        Part::ToolResult(result) => json!({
            "type": "toolResult", "id": result.call_id, "name": result.name, "content": result.content
        }),
        Part::Reasoning(_) | Part::CachePoint => return None,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Answer {
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool_calls: Vec<CallAnswer>,
    #[serde(default)]
    tokens: TokenCounts,
    #[serde(default)]
    finish: Option<String>,
    #[serde(default)]
    model: String,
}

#[derive(Deserialize)]
struct CallAnswer {
    #[serde(default)]
    id: String,
    name: String,
    #[serde(default)]
    arguments: Value,
}

fn reply_from_json(model: &str, answer: Value) -> Result<GenerateReply, LlmError> {
    if let Value::String(text) = answer {
        return Ok(GenerateReply::from_text(text));
    }
    let preview = automator_llm::preview(&answer.to_string());
    let answer: Answer = serde_json::from_value(answer).map_err(|error| LlmError::InvalidReply {
        model: model.to_owned(),
        message: error.to_string(),
        preview,
        tokens: TokenCounts::default(),
    })?;
    let calls = answer.tool_calls.into_iter().map(|call| ToolCall {
        id: call.id,
        name: call.name,
        arguments: call.arguments,
        signatures: Vec::new(),
    });
    let finish = match answer.finish.as_deref() {
        None | Some("stop") => FinishReason::Stop,
        Some("length") => FinishReason::Length,
        Some("refused") => FinishReason::Refused(answer.text.clone()),
        Some("toolCalls") => FinishReason::ToolCalls,
        Some(other) => FinishReason::Other(other.to_owned()),
    };
    Ok(GenerateReply {
        text: answer.text,
        tool_calls: calls.collect(),
        reasoning: Vec::new(),
        tokens: answer.tokens,
        finish,
        model: answer.model,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_told_in_full() {
        let mut request = GenerateRequest::new(vec![
            Message::system("rules"),
            Message::user(vec![Part::text("page"), Part::CachePoint, Part::png([1, 2, 3])]),
        ]);
        request.response_format = ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: std::sync::Arc::new(json!({ "type": "object" })),
        };
        let told = request_to_json(&request);
        assert_eq!(told["messages"][0]["role"], "system");
        assert_eq!(told["messages"][1]["content"].as_array().map(Vec::len), Some(2));
        assert_eq!(told["messages"][1]["content"][1]["data"], "AQID");
        assert_eq!(told["responseFormat"]["schema"]["type"], "object");
    }

    #[test]
    fn an_answer_is_a_text_or_a_reply() {
        let text = |answer| reply_from_json("a/b", answer).map(|reply| reply.text);
        assert_eq!(text(json!("words")).unwrap(), "words");
        assert!(text(json!({ "price": 5 })).is_err());
        let reply = json!({ "text": "", "tokens": { "prompt": 7 }, "finish": "length" });
        let reply = reply_from_json("a/b", reply).unwrap();
        assert_eq!((reply.tokens.prompt, reply.finish), (7, FinishReason::Length));
        assert!(text(json!({ "text": "a", "tokens": 5 })).is_err());
    }
}
