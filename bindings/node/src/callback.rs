//! Functions of JavaScript that the core calls: the logger, the user's own model client, listeners.
//!
//! All are weak: waiting for a call keeps no process alive.

use std::sync::Arc;

use automator::{JsonClient, JsonClientError, Logger};
use napi::Status;
use napi::bindgen_prelude::Promise;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
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

/// A client whose answers are given by JavaScript.
pub(crate) fn client(traits: ClientTraits, answering: Answering) -> JsonClient {
    let answering = Arc::new(answering);
    let client = JsonClient::new(traits.model_name, move |request| {
        let answering = Arc::clone(&answering);
        Box::pin(async move {
            let text = answering.call_async_catch(request.to_string()).await?.await?;
            let answer: Value = serde_json::from_str(&text)?;
            Ok::<Value, JsonClientError>(answer)
        })
    });
    let client = client.accepting_images(traits.accepts_images.unwrap_or(true));
    match traits.context_window {
        Some(tokens) => client.with_context_window(tokens),
        None => client,
    }
}
