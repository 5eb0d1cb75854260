//! Functions of Python that the core calls: the logger, the user's own model client, tools of agents.
//!
//! All only take what they are given and come back at once; what they start runs in threads or on an event loop of
//! Python's.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use automator::{AutomatorOptions, ClientFailure, JsonClient, JsonClientError, Logger, RetryAdvice};
use pyo3::prelude::*;
use tokio::sync::oneshot;

use crate::messenger::deliver;

/// A logger that hands its lines over as JSON.
pub(crate) fn logger(listener: Py<PyAny>) -> Logger {
    let listener = Arc::new(listener);
    Logger::new(move |line| {
        let Ok(text) = serde_json::to_string(line) else {
            return;
        };
        let listener = Arc::clone(&listener);
        deliver(move |py| tell(py, &listener, (text,)));
    })
}

/// Calls a function of the Python half, which guards what it calls itself.
pub(crate) fn tell<'py>(py: Python<'py>, listener: &Py<PyAny>, arguments: impl pyo3::call::PyCallArgs<'py>) {
    if let Err(failure) = listener.bind(py).call1(arguments) {
        failure.write_unraisable(py, None);
    }
}

/// A model client of the user's own.
pub(crate) fn client(
    model_name: String,
    accepts_images: bool,
    context_window: Option<u32>,
    ask: Py<PyAny>,
    options: &AutomatorOptions,
) -> JsonClient {
    let ask = Arc::new(ask);
    let client = JsonClient::new(model_name, move |request| {
        let ask = Arc::clone(&ask);
        Box::pin(async move { Ok(serde_json::from_str(&asked(&ask, request.to_string()).await?)?) })
    });
    let client = client.logging_as(options).accepting_images(accepts_images);
    match context_window {
        Some(tokens) => client.with_context_window(tokens),
        None => client,
    }
}

/// Asks a function of the Python half, which gives back what ends the work on it, and takes its answer.
pub(crate) async fn asked(ask: &Arc<Py<PyAny>>, request: String) -> Result<String, JsonClientError> {
    let ask = Arc::clone(ask);
    let (sender, receiver) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let (begun, beginning) = oneshot::channel();
    deliver(move |py| {
        let answer = Py::new(py, NativeAnswer { sender });
        let running = answer.and_then(|answer| ask.call1(py, (request, answer)));
        let running = running
            .map(|end| Running(Some(end)))
            .map_err(|failure| failure.to_string());
        // The call may have ended meanwhile; then what was begun ends here.
        let _ = begun.send(running);
    });
    let _running = beginning.await.map_err(|_| "the program has ended")??;
    Ok(receiver.await.map_err(|_| "no answer was given")??)
}

/// What the Python half gave for a request: a function that ends the work on it. It is called in any case, and does
/// nothing when there is an answer.
struct Running(Option<Py<PyAny>>);

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            deliver(move |py| tell(py, &end, ()));
        }
    }
}

/// Where the Python half puts an answer.
#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeAnswer {
    sender: Mutex<Option<oneshot::Sender<Result<String, ClientFailure>>>>,
}

/// What the client has raised; it comes back to Python as the cause of the error.
#[derive(Debug)]
pub(crate) struct Raised(pub(crate) Py<PyAny>);

impl fmt::Display for Raised {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("raised in Python")
    }
}

impl std::error::Error for Raised {}

#[pymethods]
impl NativeAnswer {
    /// `text` is JSON.
    fn give(&self, text: String) {
        self.send(Ok(text));
    }

    /// Why there is no answer, and whether the request may be sent again: by the HTTP status, because the connection
    /// broke, and after which pause.
    #[pyo3(signature = (reason, error, status, is_connection, retry_after_ms))]
    fn fail(
        &self,
        reason: String,
        error: Option<Py<PyAny>>,
        status: Option<u16>,
        is_connection: bool,
        retry_after_ms: Option<u64>,
    ) {
        let mut failure = ClientFailure::new(reason);
        if let Some(status) = status {
            failure = failure.with_status(status);
        }
        if is_connection {
            failure.retry = RetryAdvice::Backoff;
        }
        if let (RetryAdvice::Backoff, Some(pause)) = (failure.retry, retry_after_ms) {
            failure.retry = RetryAdvice::After(Duration::from_millis(pause));
        }
        self.send(Err(match error {
            Some(error) => failure.caused_by(Raised(error)),
            None => failure,
        }));
    }
}

impl NativeAnswer {
    fn send(&self, answer: Result<String, ClientFailure>) {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(sender) = sender {
            // The call may have ended meanwhile.
            let _ = sender.send(answer);
        }
    }
}
