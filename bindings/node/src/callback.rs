//! Functions of JavaScript that the core calls: the logger, the user's own model client, listeners.
//!
//! All are weak: waiting for a call keeps no process alive.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use automator::{AutomatorOptions, ClientFailure, JsonClient, JsonClientError, Logger, RetryAdvice};
use napi::Status;
use napi::bindgen_prelude::Promise;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::Value;

use crate::event::NativeEvent;

/// Takes a line of JSON and gives nothing.
pub(crate) type Listener = ThreadsafeFunction<String, (), String, Status, false, true>;

/// Takes an event of a page and gives nothing.
pub(crate) type EventListener = ThreadsafeFunction<NativeEvent, (), NativeEvent, Status, false, true>;

/// Takes a request as JSON and promises an answer as JSON.
pub(crate) type Answering = ThreadsafeFunction<String, Promise<String>, String, Status, false, true>;

/// A model client of the user's own, without its function.
#[napi(object)]
pub struct ClientTraits {
    pub model_name: String,
    pub accepts_images: Option<bool>,
    pub context_window: Option<u32>,
}

/// A logger that hands its lines over as JSON.
pub(crate) fn logger(listener: Listener) -> Logger {
    Logger::new(move |line| tell(&listener, line))
}

/// Calls a listener without waiting for it.
pub(crate) fn tell(listener: &Listener, value: &impl serde::Serialize) {
    if let Ok(text) = serde_json::to_string(value) {
        listener.call(text, ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// What `llm-client.ts` makes of a call: it never rejects.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Outcome {
    Answer(Value),
    Failure(Failure),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failure {
    message: String,
    status: Option<u16>,
    /// Whether there was no connection, or it broke.
    is_connection: bool,
    retry_after_ms: Option<u64>,
    /// Under which number the TypeScript half has what was thrown.
    thrown: Option<u32>,
}

impl Failure {
    fn read(self) -> ClientFailure {
        let mut failure = ClientFailure::new(self.message);
        if let Some(status) = self.status {
            failure = failure.with_status(status);
        }
        if self.is_connection {
            failure.retry = RetryAdvice::Backoff;
        }
        if let (RetryAdvice::Backoff, Some(pause)) = (failure.retry, self.retry_after_ms) {
            failure.retry = RetryAdvice::After(Duration::from_millis(pause));
        }
        match self.thrown {
            Some(number) => failure.caused_by(Thrown(number)),
            None => failure,
        }
    }
}

/// What JavaScript has thrown. It stays there, under this number.
#[derive(Debug)]
pub(crate) struct Thrown(pub(crate) u32);

impl fmt::Display for Thrown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("thrown in JavaScript")
    }
}

impl std::error::Error for Thrown {}

/// A client whose answers are given by JavaScript.
pub(crate) fn client(traits: ClientTraits, answering: Answering, options: &AutomatorOptions) -> JsonClient {
    let answering = Arc::new(answering);
    let client = JsonClient::new(traits.model_name, move |request| {
        let answering = Arc::clone(&answering);
        Box::pin(async move {
            let text = answering.call_async_catch(request.to_string()).await?.await?;
            match serde_json::from_str(&text)? {
                Outcome::Answer(answer) => Ok(answer),
                Outcome::Failure(failure) => Err(JsonClientError::from(failure.read())),
            }
        })
    });
    let client = client.logging_as(options);
    let client = client.accepting_images(traits.accepts_images.unwrap_or(true));
    match traits.context_window {
        Some(tokens) => client.with_context_window(tokens),
        None => client,
    }
}
