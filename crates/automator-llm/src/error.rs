//! What can go wrong between a prompt and a checked answer.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::retry::is_passing;
use crate::usage::TokenCounts;

/// One place where a value does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// JSON pointer to the value, in the caller's own shape; empty for the whole.
    pub pointer: String,
    /// The schema keyword that refused it, for example `type`, `required`, `format`.
    pub keyword: String,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pointer.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.pointer, self.message)
        }
    }
}

/// Whether the same request may be sent again after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAdvice {
    /// The same request would fail again.
    Never,
    /// Worth another try after a pause of our choice.
    Backoff,
    /// Worth another try, not before this much time.
    After(Duration),
}

/// Why a client of the user's own gave no answer, and whether it may be asked again.
///
/// ```
/// use automator_llm::{ClientFailure, RetryAdvice};
///
/// assert_eq!(ClientFailure::new("busy").with_status(503).retry, RetryAdvice::Backoff);
/// assert_eq!(ClientFailure::new("no such model").with_status(404).retry, RetryAdvice::Never);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientFailure {
    /// What happened, in one line.
    pub message: String,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// Whether another try makes sense.
    pub retry: RetryAdvice,
    /// What the client itself failed with.
    pub cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl ClientFailure {
    /// A failure that another try would not cure.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            status: None,
            retry: RetryAdvice::Never,
            cause: None,
        }
    }

    /// With an HTTP status, which says whether the failure may pass.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        if is_passing(status) {
            self.retry = RetryAdvice::Backoff;
        }
        self
    }

    /// With what the client itself failed with, which becomes the source of the error.
    #[must_use]
    pub fn caused_by(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }
}

impl std::fmt::Display for ClientFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for ClientFailure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// Two are the same when they say the same; what they were caused by cannot be compared.
impl PartialEq for ClientFailure {
    fn eq(&self, other: &Self) -> bool {
        (&self.message, self.status, self.retry) == (&other.message, other.status, other.retry)
    }
}

/// Everything that this crate reports.
///
/// `model` is always `provider/model` as the user wrote it. Texts that came from a provider are shortened to
/// [`PREVIEW_CHARACTERS`](crate::PREVIEW_CHARACTERS) and cleaned of keys. No variant but
/// [`Client`](Self::Client) carries an error of another library.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LlmError {
    /// The model name is not `provider/model`. (`InvalidAISDKModelFormatError`)
    #[error("model \"{given}\" must have the form provider/model, for example openai/gpt-4.1-mini")]
    InvalidModelFormat {
        /// What was given.
        given: String,
    },

    /// A member of the model object has a value that cannot be used.
    #[error("{option} {reason}")]
    InvalidModelOption {
        /// The path of the member, such as `model.apiKey`.
        option: String,
        /// What is wrong with it, as in `must be a string, not a number`.
        reason: String,
    },

    /// Nobody knows the provider, or the model cannot do what is asked (images). (`UnsupportedModelError`)
    #[error("model {model} cannot be used: {reason}")]
    UnsupportedModel {
        /// The model.
        model: String,
        /// Why not, and what to do.
        reason: String,
    },

    /// A key, or a setting like a project or resource name, is neither among the options nor in the
    /// environment. Reported by the first call. (`MissingLLMConfigurationError`)
    #[error(
        "no {what} for model {model}: set {} in the environment or {option} on the model",
        variables.join(" or ")
    )]
    MissingKey {
        /// The model.
        model: String,
        /// What is missing, for example `API key`.
        what: String,
        /// The environment variables that were looked at, best first.
        variables: Vec<String>,
        /// The member of the model object that holds it.
        option: String,
    },

    /// The caller's JSON Schema is not valid or cannot be used.
    #[error("the schema is not valid at {}: {reason}", place(pointer))]
    InvalidSchema {
        /// JSON pointer into the schema.
        pointer: String,
        /// What is wrong there.
        reason: String,
    },

    /// The provider refused the key (HTTP 401 or 403).
    #[error("{model} refused the API key (HTTP {status}): {message}")]
    Auth {
        /// The model.
        model: String,
        /// 401 or 403.
        status: u16,
        /// The provider's words.
        message: String,
    },

    /// The provider asks to slow down (HTTP 429).
    #[error("{model} limits the rate of requests: {message}")]
    RateLimited {
        /// The model.
        model: String,
        /// The provider's words.
        message: String,
        /// How long the provider wants us to wait.
        retry_after: Option<Duration>,
    },

    /// The provider answered with another error.
    #[error("{model} answered with an error{}: {message}", status_text(*status))]
    Provider {
        /// The model.
        model: String,
        /// The HTTP status, when there was one.
        status: Option<u16>,
        /// The provider's words.
        message: String,
        /// Whether another try makes sense.
        retry: RetryAdvice,
    },

    /// The provider could not be reached, or the connection broke.
    #[error("no answer from {endpoint} for {model}: {message}")]
    Connection {
        /// The model.
        model: String,
        /// Scheme, host and port.
        endpoint: String,
        /// What happened to the connection.
        message: String,
        /// Whether the request may have reached the provider.
        reached: bool,
    },

    /// A client of the user's own gave no answer.
    #[error("the client of {model} failed{}: {failure}", status_text(failure.status))]
    Client {
        /// The model.
        model: String,
        /// What the client reports.
        #[source]
        failure: ClientFailure,
    },

    /// The provider's answer is not of the form that its interface promises. (`LLMResponseError`)
    #[error("the answer of {model} cannot be read: {message}{}", shown(preview))]
    InvalidReply {
        /// The model.
        model: String,
        /// What is wrong with it.
        message: String,
        /// The beginning of the answer.
        preview: String,
        /// Tokens that were counted all the same.
        tokens: TokenCounts,
    },

    /// The model declined, or a content filter held the answer back. (`LLMResponseError`)
    #[error("{model} declined to answer: {message}")]
    Refused {
        /// The model.
        model: String,
        /// The model's words or the filter's reason.
        message: String,
    },

    /// The answer reached the output limit twice. (`LLMResponseError`)
    #[error("the answer of {model} was cut off at {}: {preview}", limit_text(*limit))]
    CutOff {
        /// The model.
        model: String,
        /// The output limit of the last try, when one was set.
        limit: Option<u32>,
        /// The beginning of the answer.
        preview: String,
    },

    /// The model answered with nothing that could be the wanted JSON. (`LLMResponseError`)
    #[error("the answer of {model} is of no use: {reason}{}", quoted(preview))]
    UnusableReply {
        /// The model.
        model: String,
        /// Empty, or no JSON in it.
        reason: String,
        /// The beginning of the answer.
        preview: String,
    },

    /// The model's JSON does not fit the schema, also after it was asked to correct it.
    /// (`SchemaValidationError`)
    #[error(
        "the answer of {model} does not fit the schema: {}{}",
        list(violations),
        quoted(preview)
    )]
    SchemaValidation {
        /// The model.
        model: String,
        /// Each place, at least one.
        violations: Vec<Violation>,
        /// The beginning of the answer.
        preview: String,
    },
}

impl LlmError {
    /// For a member of the model object.
    pub(crate) fn invalid_option(member: &str, reason: impl Into<String>) -> Self {
        Self::InvalidModelOption {
            option: format!("model.{member}"),
            reason: reason.into(),
        }
    }

    /// Whether the same request may be sent again, and when.
    pub fn retry_advice(&self) -> RetryAdvice {
        match self {
            Self::RateLimited { retry_after, .. } => {
                retry_after.map_or(RetryAdvice::Backoff, RetryAdvice::After)
            }
            Self::Provider { retry, .. } => *retry,
            Self::Client { failure, .. } => failure.retry,
            Self::Connection { .. } => RetryAdvice::Backoff,
            Self::InvalidModelFormat { .. }
            | Self::InvalidModelOption { .. }
            | Self::UnsupportedModel { .. }
            | Self::MissingKey { .. }
            | Self::InvalidSchema { .. }
            | Self::Auth { .. }
            | Self::InvalidReply { .. }
            | Self::Refused { .. }
            | Self::CutOff { .. }
            | Self::UnusableReply { .. }
            | Self::SchemaValidation { .. } => RetryAdvice::Never,
        }
    }

    /// Whether the provider got the request, so that the call counts in the usage.
    pub fn reached_provider(&self) -> bool {
        match self {
            Self::Connection { reached, .. } => *reached,
            Self::InvalidModelFormat { .. }
            | Self::InvalidModelOption { .. }
            | Self::UnsupportedModel { .. }
            | Self::MissingKey { .. }
            | Self::InvalidSchema { .. } => false,
            Self::Auth { .. }
            | Self::RateLimited { .. }
            | Self::Provider { .. }
            | Self::Client { .. }
            | Self::InvalidReply { .. }
            | Self::Refused { .. }
            | Self::CutOff { .. }
            | Self::UnusableReply { .. }
            | Self::SchemaValidation { .. } => true,
        }
    }

    /// Tokens that the provider counted although the call failed.
    pub(crate) fn tokens(&self) -> TokenCounts {
        match self {
            Self::InvalidReply { tokens, .. } => *tokens,
            _ => TokenCounts::default(),
        }
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "its root" } else { pointer }
}

fn status_text(status: Option<u16>) -> String {
    status.map_or_else(String::new, |status| format!(" (HTTP {status})"))
}

fn limit_text(limit: Option<u32>) -> String {
    limit.map_or_else(
        || "the provider's output limit".to_owned(),
        |limit| format!("{limit} output tokens"),
    )
}

fn shown(preview: &str) -> String {
    if preview.is_empty() {
        String::new()
    } else {
        format!(" ({preview})")
    }
}

fn quoted(preview: &str) -> String {
    if preview.is_empty() {
        String::new()
    } else {
        format!(" (answer: {preview})")
    }
}

/// At most three violations; the rest is counted.
fn list(violations: &[Violation]) -> String {
    let shown: Vec<String> = violations.iter().take(3).map(ToString::to_string).collect();
    let mut text = shown.join("; ");
    if violations.len() > 3 {
        text.push_str(&format!("; and {} more", violations.len() - 3));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_key_names_the_variables_and_the_option() {
        let error = LlmError::MissingKey {
            model: "google/gemini-2.5-flash".into(),
            what: "API key".into(),
            variables: vec!["GEMINI_API_KEY".into(), "GOOGLE_API_KEY".into()],
            option: "apiKey".into(),
        };
        assert_eq!(
            error.to_string(),
            "no API key for model google/gemini-2.5-flash: set GEMINI_API_KEY or GOOGLE_API_KEY in the \
             environment or apiKey on the model"
        );
    }

    #[test]
    fn schema_error_shows_three_places_and_counts_the_rest() {
        let violations = (0..5)
            .map(|index| Violation {
                pointer: format!("/{index}"),
                keyword: "type".into(),
                message: "wrong".into(),
            })
            .collect();
        let error = LlmError::SchemaValidation {
            model: "a/b".into(),
            violations,
            preview: String::new(),
        };
        assert_eq!(
            error.to_string(),
            "the answer of a/b does not fit the schema: /0: wrong; /1: wrong; /2: wrong; and 2 more"
        );
    }
}
