//! One question, one checked answer.
//!
//! `request → model → repair → judge`, with at most three further rounds: an empty answer is asked once more, an
//! answer that was cut off once with more room, an answer that does not fit once with what is wrong with it.

use std::sync::Arc;

use serde_json::Value;

use crate::client::LlmClient;
use crate::error::{LlmError, Violation};
use crate::preview::preview;
use crate::repair::{plain_text, repair};
use crate::reply::{FinishReason, GenerateReply};
use crate::request::{GenerateRequest, Message, Part};
use crate::retry::RetryPolicy;
use crate::schema::ResponseSchema;
use crate::usage::{Usage, UsageMeter};

/// Most of a bad reply that is sent back for correction, in characters.
const MOST_SENT_BACK: usize = 20_000;

/// The least output limit of the second try after an answer was cut off.
const LEAST_ROOM: u32 = 16_384;

/// Decides whether an answer is right, and turns it into what the caller wants.
///
/// Gets the model's JSON after repair, still in the shape that was sent; most judges begin with
/// [`ResponseSchema::restore`]. The violations go back to the model once.
pub type Judge<'a, T> = dyn Fn(Value) -> Result<T, Vec<Violation>> + Send + Sync + 'a;

/// What is asked.
pub struct Ask<'a, T> {
    /// The conversation. Its response format is replaced by the schema.
    pub request: GenerateRequest,
    /// A name for the schema: letters, digits, `_`, `-`.
    pub name: &'a str,
    /// The schema of the answer.
    pub schema: &'a ResponseSchema,
    /// Decides whether the answer is right.
    pub judge: &'a Judge<'a, T>,
    /// When failed requests are sent again.
    pub retry: RetryPolicy,
    /// Counts while the calls run; keep a clone to know the cost of a call that was dropped.
    pub meter: UsageMeter,
}

/// A checked answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered<T> {
    /// What the judge made of it.
    pub value: T,
    /// What all calls of this question cost.
    pub usage: Usage,
    /// Answers of the model that it took, 1 to 4. Requests that failed on the way are only in the usage.
    pub attempts: u32,
    /// The text of the answer that was taken.
    pub raw: String,
}

/// Why there is no answer, and what the calls cost all the same.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct AskFailure {
    /// What went wrong.
    pub error: LlmError,
    /// What all calls of this question cost.
    pub usage: Usage,
    /// Answers of the model that came before.
    pub attempts: u32,
    /// The text of the last answer; empty when there was none.
    pub raw: String,
}

/// Asks a model for JSON of a schema.
///
/// There is no limit of time here: wrap the call in a deadline. Dropping it ends everything; nothing is spawned.
///
/// # Errors
///
/// - [`LlmError::SchemaValidation`]: the answer does not fit, also after it was asked to correct it.
/// - [`LlmError::UnusableReply`], [`LlmError::CutOff`], [`LlmError::Refused`]: no usable answer.
/// - what the client reports: [`LlmError::MissingKey`], [`LlmError::Auth`], [`LlmError::RateLimited`],
///   [`LlmError::Provider`], [`LlmError::Connection`], [`LlmError::Client`], [`LlmError::InvalidReply`],
///   [`LlmError::UnsupportedModel`].
///
/// ```
/// # use automator_llm::{GenerateFuture, GenerateReply, LlmClient};
/// # struct Fixed;
/// # impl LlmClient for Fixed {
/// #     fn generate<'a>(&'a self, _: &'a GenerateRequest) -> GenerateFuture<'a> {
/// #         Box::pin(async { Ok(GenerateReply::from_text("{\"value\": 41}")) })
/// #     }
/// #     fn model_name(&self) -> &str { "test/fixed" }
/// # }
/// use automator_llm::{Ask, GenerateRequest, Message, Part, ResponseSchema, RetryPolicy, Urls, UsageMeter, ask_structured};
/// use serde_json::json;
///
/// # async fn example(client: &dyn LlmClient) -> Result<(), Box<dyn std::error::Error>> {
/// let schema = ResponseSchema::new(&json!({ "type": "number" }))?;
/// let answered = ask_structured(
///     client,
///     Ask {
///         request: GenerateRequest::new(vec![Message::user(vec![Part::text("How tall is the lighthouse?")])]),
///         name: "height",
///         schema: &schema,
///         judge: &|value| schema.restore(value, &Urls::NONE),
///         retry: RetryPolicy::default(),
///         meter: UsageMeter::new(),
///     },
/// )
/// .await?;
/// assert_eq!(answered.value, json!(41));
/// # Ok(())
/// # }
/// # fn main() {
/// #     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// #     runtime.block_on(example(&Fixed)).unwrap();
/// # }
/// ```
pub async fn ask_structured<T>(client: &dyn LlmClient, ask: Ask<'_, T>) -> Result<Answered<T>, AskFailure> {
    let meter = ask.meter.part();
    let mut progress = Progress::default();
    let result = converse(client, &ask, &meter, &mut progress).await;
    let usage = meter.total();
    match result {
        Ok(value) => Ok(Answered {
            value,
            usage,
            attempts: progress.attempts,
            raw: progress.raw,
        }),
        Err(error) => Err(AskFailure {
            error,
            usage,
            attempts: progress.attempts,
            raw: progress.raw,
        }),
    }
}

/// What has happened so far.
#[derive(Default)]
struct Progress {
    attempts: u32,
    raw: String,
    asked_again: bool,
    given_more_room: bool,
    asked_to_correct: bool,
}

async fn converse<T>(
    client: &dyn LlmClient,
    ask: &Ask<'_, T>,
    meter: &UsageMeter,
    progress: &mut Progress,
) -> Result<T, LlmError> {
    let mut request = ask.request.clone();
    request.response_format = ask.schema.response_format(ask.name);
    loop {
        let reply = ask.retry.run(|| call(client, &request, meter)).await?;
        progress.attempts += 1;
        progress.raw.clone_from(&reply.text);
        let problems = match read(&reply, ask) {
            Reading::Answer(value) => return Ok(value),
            Reading::Refused(message) => {
                return Err(LlmError::Refused {
                    model: client.model_name().to_owned(),
                    message: preview(&message),
                });
            }
            Reading::CutOff => {
                let room = more_room(client, &request, &reply).filter(|_| !progress.given_more_room);
                let Some(room) = room else {
                    return Err(cut_off(client, &request, &reply));
                };
                request.max_output_tokens = Some(room);
                progress.given_more_room = true;
                continue;
            }
            Reading::Empty if !progress.asked_again => {
                progress.asked_again = true;
                continue;
            }
            Reading::Empty => return Err(unusable(client, &reply, "it is empty")),
            Reading::NoJson if progress.asked_to_correct => {
                return Err(unusable(client, &reply, "there is no JSON in it"));
            }
            Reading::NoJson => "- there is no JSON in it".to_owned(),
            Reading::Wrong(violations) if progress.asked_to_correct => {
                return Err(LlmError::SchemaValidation {
                    model: client.model_name().to_owned(),
                    violations,
                    preview: preview(&reply.text),
                });
            }
            Reading::Wrong(violations) => problem_list(ask.schema, &violations),
        };
        progress.asked_to_correct = true;
        request.messages.extend(correction(&reply.text, &problems));
    }
}

/// What an answer turned out to be.
enum Reading<T> {
    Answer(T),
    Refused(String),
    CutOff,
    Empty,
    NoJson,
    Wrong(Vec<Violation>),
}

fn read<T>(reply: &GenerateReply, ask: &Ask<'_, T>) -> Reading<T> {
    if let FinishReason::Refused(message) = &reply.finish {
        return Reading::Refused(message.clone());
    }
    let cut_off = reply.finish == FinishReason::Length;
    if reply.text.trim().is_empty() {
        return if cut_off { Reading::CutOff } else { Reading::Empty };
    }
    let value = match repair(&reply.text, ask.schema) {
        Some(value) if value.is_object() || value.is_array() => Some(value),
        other => plain_text(&reply.text, ask.schema).filter(|_| !cut_off).or(other),
    };
    match value.map(|value| (ask.judge)(value)) {
        // A complete answer may still end exactly at the limit.
        Some(Ok(value)) => Reading::Answer(value),
        _ if cut_off => Reading::CutOff,
        Some(Err(violations)) => Reading::Wrong(violations),
        None => Reading::NoJson,
    }
}

/// One request, counted.
pub(crate) async fn call(
    client: &dyn LlmClient,
    request: &GenerateRequest,
    meter: &UsageMeter,
) -> Result<GenerateReply, LlmError> {
    let running = meter.start();
    let result = client.generate(request).await;
    match &result {
        Ok(reply) => running.finish(reply.tokens),
        Err(error) if error.reached_provider() => running.finish(error.tokens()),
        Err(_) => running.discard(),
    }
    if let Ok(reply) = &result {
        tracing::debug!(
            target: "automator_llm",
            model = client.model_name(),
            prompt_tokens = reply.tokens.prompt,
            completion_tokens = reply.tokens.completion,
            cached_input_tokens = reply.tokens.cached_input,
            finish = ?reply.finish,
            "model answered"
        );
    }
    result
}

/// A larger output limit, unless the model is known to write no more: four times a limit that we set, else all
/// that the model can.
fn more_room(client: &dyn LlmClient, request: &GenerateRequest, reply: &GenerateReply) -> Option<u32> {
    let written = u32::try_from(reply.tokens.completion).unwrap_or(u32::MAX);
    let most = client.max_output_tokens();
    let (had, room) = match (request.max_output_tokens, most) {
        (Some(limit), _) => (
            limit,
            limit
                .saturating_mul(4)
                .max(LEAST_ROOM)
                .min(most.unwrap_or(u32::MAX)),
        ),
        (None, Some(most)) => (written, most),
        (None, None) => (written, written.saturating_mul(4).max(LEAST_ROOM)),
    };
    (room > had).then_some(room)
}

pub(crate) fn cut_off(client: &dyn LlmClient, request: &GenerateRequest, reply: &GenerateReply) -> LlmError {
    LlmError::CutOff {
        model: client.model_name().to_owned(),
        limit: request.max_output_tokens,
        preview: preview(&reply.text),
    }
}

pub(crate) fn unusable(client: &dyn LlmClient, reply: &GenerateReply, reason: &str) -> LlmError {
    LlmError::UnusableReply {
        model: client.model_name().to_owned(),
        reason: reason.to_owned(),
        preview: preview(&reply.text),
    }
}

/// The violations as the model should read them: with places in its own shape.
fn problem_list(schema: &ResponseSchema, violations: &[Violation]) -> String {
    let lines: Vec<String> = violations
        .iter()
        .map(|violation| {
            let place = schema.reply_pointer(&violation.pointer);
            let place = if place.is_empty() {
                "the whole value"
            } else {
                place.as_str()
            };
            format!("- {place}: {}", violation.message)
        })
        .collect();
    if lines.is_empty() {
        "- it is not what was asked for".to_owned()
    } else {
        lines.join("\n")
    }
}

/// The bad reply and what is wrong with it. What came before stays as it was, so that the provider's cache
/// still serves.
fn correction(reply: &str, problems: &str) -> [Message; 2] {
    let sent_back: String = reply.chars().take(MOST_SENT_BACK).collect();
    let text = include_str!("../prompts/repair.md").replacen("{problems}", problems, 1);
    [
        Message::assistant(sent_back),
        Message::user(vec![Part::Text(Arc::from(text.trim_end()))]),
    ]
}

#[cfg(test)]
mod tests;
