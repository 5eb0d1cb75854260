//! A model client that is written in another language: it gets requests and gives answers as JSON.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};

use automator_llm::{
    ClientFailure, FinishReason, GenerateFuture, GenerateReply, GenerateRequest, LlmClient, LlmError,
    Message, Part, ResponseFormat, Role, TokenCounts, ToolCall,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::log::Log;
use crate::options::AutomatorOptions;

/// Why a client of another language gave no answer; a [`ClientFailure`] says whether it may be asked again.
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
/// `tokens` is `{ prompt, completion, reasoning, cachedInput }` and `finish` is `stop`, `length`, `refused` or
/// `toolCalls`. A count of tokens that is no number from zero on is taken for 0: what was answered counts more.
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
    log: Option<Log>,
    has_warned: AtomicBool,
    answer: Box<dyn Fn(Value) -> Answering + Send + Sync>,
}

impl JsonClient {
    /// A client under this name, as `provider/model`, that answers with this function.
    pub fn new(name: impl Into<String>, answer: impl Fn(Value) -> Answering + Send + Sync + 'static) -> Self {
        Self {
            name: name.into(),
            accepts_images: true,
            context_window: None,
            log: None,
            has_warned: AtomicBool::new(false),
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

    /// Says once what is odd about its answers where a session with these options logs. Default: nowhere.
    #[must_use]
    pub fn logging_as(mut self, options: &AutomatorOptions) -> Self {
        self.log = Some(Log::of(options));
        self
    }

    fn warn(&self, message: &str) {
        if let Some(log) = &self.log
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            log.notice("llm", message);
        }
    }
}

impl LlmClient for JsonClient {
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
        let answering = (self.answer)(request_to_json(request));
        Box::pin(async move {
            let answer = answering.await.map_err(|error| LlmError::Client {
                model: self.name.clone(),
                failure: failure_of(error),
            })?;
            let preview = automator_llm::preview(&answer.to_string());
            let (reply, odd) = reply_from_json(answer).map_err(|message| LlmError::InvalidReply {
                model: self.name.clone(),
                message,
                preview,
                tokens: TokenCounts::default(),
            })?;
            if let Some(odd) = odd {
                self.warn(&format!("{odd} in an answer of {}", self.name));
            }
            Ok(reply)
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

fn failure_of(error: JsonClientError) -> ClientFailure {
    let mut failure = match error.downcast::<ClientFailure>() {
        Ok(failure) => *failure,
        Err(error) => {
            let mut failure = ClientFailure::new(error.to_string());
            failure.cause = Some(error.into());
            failure
        }
    };
    failure.message = automator_llm::preview(&failure.message);
    failure
}

/// The reply, and what is odd about it although it can be used.
fn reply_from_json(answer: Value) -> Result<(GenerateReply, Option<String>), String> {
    let mut members = match answer {
        Value::String(text) => return Ok((GenerateReply::from_text(text), None)),
        Value::Object(members) => members,
        other => {
            return Err(format!(
                "it is {}, not a text or an object with a text",
                kind_of(&other)
            ));
        }
    };
    let (tokens, odd) = tokens_from_json(members.remove("tokens"));
    let text = text_member(&mut members, "text")?;
    let finish = text_member(&mut members, "finish")?;
    let reply = GenerateReply {
        tool_calls: calls_from_json(members.remove("toolCalls"))?,
        reasoning: Vec::new(),
        tokens,
        finish: match finish.as_str() {
            "" | "stop" => FinishReason::Stop,
            "length" => FinishReason::Length,
            "refused" => FinishReason::Refused(text.clone()),
            "toolCalls" => FinishReason::ToolCalls,
            _ => FinishReason::Other(finish),
        },
        model: text_member(&mut members, "model")?,
        text,
    };
    match members.keys().next() {
        None => Ok((reply, odd)),
        Some(unknown) => Err(format!(
            "it has a member \"{unknown}\"; an answer has text, toolCalls, tokens, finish and model"
        )),
    }
}

/// A text of an object; empty when there is none.
fn text_member(members: &mut Map<String, Value>, name: &str) -> Result<String, String> {
    match members.remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(format!("its {name} is {}, not a text", kind_of(&other))),
    }
}

fn calls_from_json(calls: Option<Value>) -> Result<Vec<ToolCall>, String> {
    let calls = match calls {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(calls)) => calls,
        Some(other) => return Err(format!("its toolCalls are {}, not a list", kind_of(&other))),
    };
    let read = calls.into_iter().map(|call| match call {
        Value::Object(mut members) => Ok(ToolCall {
            id: text_member(&mut members, "id")?,
            name: text_member(&mut members, "name")?,
            arguments: members.remove("arguments").unwrap_or_default(),
            signatures: Vec::new(),
        }),
        other => Err(format!(
            "one of its toolCalls is {}, not an object",
            kind_of(&other)
        )),
    });
    read.collect()
}

/// The counts that can be used, and what is wrong with the first that cannot.
fn tokens_from_json(given: Option<Value>) -> (TokenCounts, Option<String>) {
    let mut tokens = TokenCounts::default();
    let members = match given {
        None | Some(Value::Null) => return (tokens, None),
        Some(Value::Object(members)) => members,
        Some(other) => {
            return (
                tokens,
                Some(format!("tokens are {}, not an object,", kind_of(&other))),
            );
        }
    };
    let mut odd = None;
    for (name, value) in members {
        let place = match name.as_str() {
            "prompt" => &mut tokens.prompt,
            "completion" => &mut tokens.completion,
            "reasoning" => &mut tokens.reasoning,
            "cachedInput" => &mut tokens.cached_input,
            "cacheWrite" => &mut tokens.cache_write,
            _ => {
                odd.get_or_insert_with(|| format!("tokens.{name} is not known and was left out"));
                continue;
            }
        };
        match count_from_json(&value) {
            Some(count) => *place = count,
            None => {
                odd.get_or_insert_with(|| {
                    format!(
                        "tokens.{name} was {}, not a number from 0 on, and counted as 0",
                        kind_of(&value)
                    )
                });
            }
        }
    }
    (tokens, odd)
}

/// A count, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounding down is what is wanted, and what is below zero is left out before"
)]
fn count_from_json(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value
            .as_f64()
            .filter(|number| number.is_finite() && *number >= 0.0)?;
        Some(number as u64)
    })
}

/// A value in words.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
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
        let text = |answer| reply_from_json(answer).map(|(reply, _)| reply.text);
        assert_eq!(text(json!("words")).unwrap(), "words");
        assert_eq!(
            text(json!({ "price": 5 })).unwrap_err(),
            "it has a member \"price\"; an answer has text, toolCalls, tokens, finish and model"
        );
        assert_eq!(
            text(json!({ "text": 5 })).unwrap_err(),
            "its text is 5, not a text"
        );
        assert_eq!(
            text(json!(null)).unwrap_err(),
            "it is null, not a text or an object with a text"
        );
        assert!(text(json!({ "toolCalls": [5] })).is_err());
        let reply = json!({ "text": "", "tokens": { "prompt": 7 }, "finish": "length" });
        let (reply, odd) = reply_from_json(reply).unwrap();
        assert_eq!((reply.tokens.prompt, reply.finish), (7, FinishReason::Length));
        assert_eq!(odd, None);
    }

    #[test]
    fn counts_that_are_none_do_not_cost_the_answer() {
        let read = |tokens: Value| {
            let (reply, odd) = reply_from_json(json!({ "text": "a", "tokens": tokens })).unwrap();
            (reply.tokens.prompt, reply.tokens.completion, odd.is_some())
        };
        assert_eq!(read(json!({ "prompt": 7.9, "completion": 2 })), (7, 2, false));
        assert_eq!(read(json!({ "prompt": null, "completion": 2 })), (0, 2, true));
        assert_eq!(read(json!({ "prompt": -1, "completion": "2" })), (0, 0, true));
        assert_eq!(read(json!({ "prompt": 7, "total": 2 })), (7, 0, true));
        assert_eq!(read(json!(5)), (0, 0, true));
        assert_eq!(read(json!(null)), (0, 0, false));
    }

    #[tokio::test]
    async fn a_failure_says_whether_to_ask_again_and_what_caused_it() {
        use automator_llm::RetryAdvice;
        use std::error::Error as _;

        let failing = |status: Option<u16>| {
            JsonClient::new("a/b", move |_| {
                Box::pin(async move {
                    let failure = ClientFailure::new("busy").caused_by(std::fmt::Error);
                    Err(match status {
                        Some(status) => failure.with_status(status).into(),
                        None => JsonClientError::from("boom"),
                    })
                })
            })
        };
        let request = GenerateRequest::new(Vec::new());
        let busy = failing(Some(503)).generate(&request).await.unwrap_err();
        assert_eq!(busy.retry_advice(), RetryAdvice::Backoff);
        assert_eq!(busy.to_string(), "the client of a/b failed (HTTP 503): busy");
        let innermost = busy.source().and_then(|failure| failure.source());
        let innermost = innermost.and_then(|cause| cause.downcast_ref::<std::fmt::Error>());
        assert!(innermost.is_some());
        let other = failing(None).generate(&request).await.unwrap_err();
        assert_eq!(other.retry_advice(), RetryAdvice::Never);
        assert_eq!(other.to_string(), "the client of a/b failed: boom");
    }
}
