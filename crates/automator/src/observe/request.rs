//! The two doors to `observe()`: a request that is awaited, and an options struct.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::ModelOptions;

use super::{ObserveRequest, observe};
use crate::action::Action;
use crate::extract::{RequestFuture, WithCacheStatus};
use crate::options::ObserveOptions;
use crate::page::Page;
use crate::session::Session;
use crate::variables::Variable;

/// A search for elements, to be awaited: what could be done, each as an [`Action`] that `act()` takes.
///
/// # Errors
/// Awaiting it gives [`ErrorKind::LlmResponse`](crate::ErrorKind::LlmResponse) and
/// [`ErrorKind::SchemaValidation`](crate::ErrorKind::SchemaValidation) for bad answers, the errors of
/// [`Extract`](crate::Extract) for the model and the selector, and
/// [`ErrorKind::ObserveTimeout`](crate::ErrorKind::ObserveTimeout).
#[must_use = "nothing is searched until the request is awaited"]
pub struct Observe {
    session: Arc<Session>,
    request: ObserveRequest,
}

impl Observe {
    pub(crate) fn new(session: Arc<Session>, instruction: &str) -> Self {
        let request = ObserveRequest {
            instruction: instruction.to_owned(),
            ..ObserveRequest::default()
        };
        Self { session, request }
    }

    /// All options at once.
    pub fn options(mut self, options: ObserveOptions) -> Self {
        self.request.options = options;
        self
    }

    /// A value for `%name%`, which the model does not see.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<Variable>) -> Self {
        self.request.options.variables.insert(name.into(), value.into());
        self
    }

    /// Limits the search to one part of the page; see [`ObserveOptions::selector`].
    pub fn selector(mut self, selector: impl Into<String>) -> Self {
        self.request.options.selector = Some(selector.into());
        self
    }

    /// Leaves out all that the selector matches. Can be called several times.
    pub fn ignore_selector(mut self, selector: impl Into<String>) -> Self {
        self.request.options.ignore_selectors.push(selector.into());
        self
    }

    /// The model of this call.
    pub fn model(mut self, model: impl Into<ModelOptions>) -> Self {
        self.request.options.model = Some(model.into());
        self
    }

    /// The limit of time; zero is none.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.options.timeout = Some(limit);
        self
    }

    /// Says also whether the remote platform answered from its cache.
    pub fn with_cache_status(self) -> ObserveWithCacheStatus {
        ObserveWithCacheStatus(self)
    }

    /// The page to search.
    pub fn page(mut self, page: &Page) -> Self {
        self.request.options.page = Some(page.clone());
        self
    }
}

impl IntoFuture for Observe {
    type Output = crate::Result<Vec<Action>>;
    type IntoFuture = RequestFuture<Vec<Action>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(observe(&self.session, &self.request).await?.actions) })
    }
}

/// A search that says also whether the platform answered from its cache; see [`Observe::with_cache_status`].
#[must_use = "nothing is searched until the request is awaited"]
pub struct ObserveWithCacheStatus(Observe);

impl IntoFuture for ObserveWithCacheStatus {
    type Output = crate::Result<WithCacheStatus<Vec<Action>>>;
    type IntoFuture = RequestFuture<WithCacheStatus<Vec<Action>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let found = observe(&self.0.session, &self.0.request).await?;
            Ok(WithCacheStatus {
                value: found.actions,
                cache_status: found.cache_status,
            })
        })
    }
}
