//! The two doors to `act()`: a request that is awaited, and an options struct.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::ModelOptions;

use super::{ActManner, ActRequest, act};
use crate::action::{ActResult, Action};
use crate::extract::RequestFuture;
use crate::options::ActOptions;
use crate::page::Page;
use crate::session::Session;
use crate::variables::Variable;

/// What [`act`](crate::Automator::act) is told to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActInput {
    /// In words; a model finds the element.
    Instruction(String),
    /// Exactly; no model is needed.
    Action(Action),
}

impl From<&str> for ActInput {
    fn from(instruction: &str) -> Self {
        Self::Instruction(instruction.to_owned())
    }
}

impl From<String> for ActInput {
    fn from(instruction: String) -> Self {
        Self::Instruction(instruction)
    }
}

impl From<&String> for ActInput {
    fn from(instruction: &String) -> Self {
        Self::Instruction(instruction.clone())
    }
}

impl From<Action> for ActInput {
    fn from(action: Action) -> Self {
        Self::Action(action)
    }
}

impl From<&Action> for ActInput {
    fn from(action: &Action) -> Self {
        Self::Action(action.clone())
    }
}

/// Something to do, to be awaited.
///
/// That it could not be done is no error: the result says so, and why.
///
/// # Errors
/// Awaiting it gives [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for an empty instruction or
/// an argument that cannot be used, [`ErrorKind::ActTimeout`](crate::ErrorKind::ActTimeout), the errors of
/// [`Extract`](crate::Extract) for the model, and those of a page that is gone.
#[must_use = "nothing is done until the request is awaited"]
pub struct Act {
    session: Arc<Session>,
    request: ActRequest,
}

impl Act {
    pub(crate) fn new(session: Arc<Session>, input: ActInput) -> Self {
        let request = ActRequest {
            input,
            options: ActOptions::default(),
            manner: ActManner::default(),
        };
        Self { session, request }
    }

    /// All options at once.
    pub fn options(mut self, options: ActOptions) -> Self {
        self.request.options = options;
        self
    }

    /// A value for `%name%`, which only the page gets to see.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<Variable>) -> Self {
        self.request.options.variables.insert(name.into(), value.into());
        self
    }

    /// The model of this call.
    pub fn model(mut self, model: impl Into<ModelOptions>) -> Self {
        self.request.options.model = Some(model.into());
        self
    }

    /// The limit of time for all of it; zero is none.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.options.timeout = Some(limit);
        self
    }

    /// The page to act on.
    pub fn page(mut self, page: &Page) -> Self {
        self.request.options.page = Some(page.clone());
        self
    }
}

impl IntoFuture for Act {
    type Output = crate::Result<ActResult>;
    type IntoFuture = RequestFuture<ActResult>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { act(&self.session, &self.request).await })
    }
}
