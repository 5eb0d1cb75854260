//! The trait that every model client implements, and the way to a ready-made one.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::connections::ModelConnections;
use crate::environment::Environment;
use crate::error::LlmError;
use crate::genai_client::GenaiClient;
use crate::model::ModelOptions;
use crate::reply::GenerateReply;
use crate::request::GenerateRequest;
use crate::route::Route;

/// The future of one call. Dropping it ends the call.
pub type GenerateFuture<'a> = Pin<Box<dyn Future<Output = Result<GenerateReply, LlmError>> + Send + 'a>>;

/// Something that answers requests: a provider, or a client of the user's own.
///
/// A client sends one request and reports one answer. It does not retry, does not repair and does not check
/// the answer against a schema: [`ask_structured`](crate::ask_structured) does that for every client alike.
///
/// ```
/// use automator_llm::{GenerateFuture, GenerateReply, GenerateRequest, LlmClient};
///
/// /// Answers everything with the same JSON.
/// struct Fixed(String);
///
/// impl LlmClient for Fixed {
///     fn generate<'a>(&'a self, _request: &'a GenerateRequest) -> GenerateFuture<'a> {
///         Box::pin(async move { Ok(GenerateReply::from_text(self.0.clone())) })
///     }
///
///     fn model_name(&self) -> &str {
///         "test/fixed"
///     }
/// }
/// ```
pub trait LlmClient: Send + Sync {
    /// Sends one request.
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a>;

    /// The model as `provider/model`, for errors and logs.
    fn model_name(&self) -> &str;

    /// Whether pictures may be sent. Default: yes.
    fn accepts_images(&self) -> bool {
        true
    }

    /// How many tokens prompt and answer may have together; `None` when nobody knows.
    fn context_window(&self) -> Option<u32> {
        None
    }

    /// How many tokens an answer may have at most; `None` when nobody knows.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }
}

/// Builds the client of a model.
///
/// Nothing is sent and no connection is opened. A missing key is not an error here: the first call reports
/// it, so that a session without a key can do all that needs no model.
///
/// # Errors
///
/// [`LlmError::InvalidModelFormat`] when the name has no `/`, [`LlmError::UnsupportedModel`] for a provider
/// nobody knows without a `baseURL`, [`LlmError::InvalidModelOption`] for an option that cannot be used.
///
/// ```
/// use automator_llm::{ModelOptions, connect};
///
/// let options = ModelOptions::new("openai/gpt-4.1-mini");
/// let client = connect(&options, &|_: &str| None)?;
/// assert_eq!(client.context_window(), Some(1_047_576));
/// # Ok::<(), automator_llm::LlmError>(())
/// ```
pub fn connect(
    options: &ModelOptions,
    environment: &dyn Environment,
) -> Result<Arc<dyn LlmClient>, LlmError> {
    let route = Route::resolve(options, environment)?;
    Ok(Arc::new(GenaiClient::new(route, None)))
}

/// As [`connect`], on connections that others use, too.
///
/// # Errors
///
/// As [`connect`].
pub fn connect_through(
    options: &ModelOptions,
    environment: &dyn Environment,
    connections: &ModelConnections,
) -> Result<Arc<dyn LlmClient>, LlmError> {
    let route = Route::resolve(options, environment)?;
    Ok(Arc::new(GenaiClient::new(route, Some(connections.clone()))))
}
