//! The doors to an agent: a run that is awaited, a run as a stream, and an options struct.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde_json::Value;

use super::abort::AbortSignal;
use super::confirm::AgentConfirm;
use super::event::AgentCallbacks;
use super::result::AgentResult;
use super::stream::AgentStream;
use super::{AgentRequest, execute};
use crate::Result;
use crate::extract::{RequestFuture, schema_of};
use crate::options::{AgentConfig, AgentExecuteOptions};
use crate::page::Page;
use crate::session::Session;
use crate::variables::Variable;

/// An agent: it does tasks of many steps on its own; a cheap clone. See [`Automator::agent`](crate::Automator::agent).
#[derive(Debug, Clone)]
pub struct Agent {
    session: Arc<Session>,
    config: Arc<AgentConfig>,
}

impl Agent {
    pub(crate) fn new(session: Arc<Session>, config: AgentConfig) -> Self {
        Self {
            session,
            config: Arc::new(config),
        }
    }

    /// What it was made of.
    #[must_use]
    pub fn config(&self) -> &AgentConfig {
        &self.config
    }

    /// Does a task: words, or [`AgentExecuteOptions`]. Await the run, or make it a [`stream`](AgentRun::stream).
    ///
    /// ```no_run
    /// # async fn example(automator: automator::Automator) -> automator::Result<()> {
    /// use automator::{AgentConfig, AgentExecuteOptions};
    ///
    /// let agent = automator.agent(AgentConfig::default());
    /// let result = agent.execute("put the cheapest desk lamp into the basket").max_steps(12).await?;
    /// println!("{}: {}", result.success, result.message);
    ///
    /// let options = AgentExecuteOptions { max_tokens: Some(50_000), ..AgentExecuteOptions::new("find the opening hours") };
    /// let result = agent.execute(options).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn execute(&self, options: impl Into<AgentExecuteOptions>) -> AgentRun {
        AgentRun {
            session: Arc::clone(&self.session),
            request: AgentRequest {
                config: Arc::clone(&self.config),
                options: options.into(),
                stream: None,
            },
        }
    }
}

/// A run of an agent, to be awaited. That the task could not be done, and that a limit was reached, is no error: the
/// result says so. A run that is dropped ends; what it has begun in the page is not undone.
///
/// # Errors
/// Awaiting it gives [`ErrorKind::NotInitialized`](crate::ErrorKind::NotInitialized) before `init()`,
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for options that cannot be used,
/// [`ErrorKind::ExperimentalNotConfigured`](crate::ErrorKind::ExperimentalNotConfigured) for experimental ones when the
/// session does not accept these, [`ErrorKind::MissingLlmConfiguration`](crate::ErrorKind::MissingLlmConfiguration),
/// [`ErrorKind::InvalidModelFormat`](crate::ErrorKind::InvalidModelFormat) and
/// [`ErrorKind::UnsupportedModel`](crate::ErrorKind::UnsupportedModel) for the model,
/// [`ErrorKind::McpConnection`](crate::ErrorKind::McpConnection) for an integration that cannot be used, and
/// [`ErrorKind::AgentAbort`](crate::ErrorKind::AgentAbort) when the signal was given. All else that goes wrong is a
/// result without success whose message begins with "Failed to execute task".
#[must_use = "nothing is done until the run is awaited"]
pub struct AgentRun {
    session: Arc<Session>,
    request: AgentRequest,
}

impl AgentRun {
    /// How many times the model may decide.
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.request.options.max_steps = Some(steps);
        self
    }

    /// The page to begin on.
    pub fn page(mut self, page: &Page) -> Self {
        self.request.options.page = Some(page.clone());
        self
    }

    /// A value for `%name%`, which only pages get to see.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<Variable>) -> Self {
        self.request.options.variables.insert(name.into(), value.into());
        self
    }

    /// The limit of time of each call of a tool; zero is none.
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.request.options.tool_timeout = Some(limit);
        self
    }

    /// The limit of time of the whole run; zero is none.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.request.options.timeout = Some(limit);
        self
    }

    /// The most tokens that all model calls of the run may take together.
    pub fn max_tokens(mut self, tokens: u64) -> Self {
        self.request.options.max_tokens = Some(tokens);
        self
    }

    /// The most that all model calls of the run may cost together, by the prices of the models.
    pub fn max_cost(mut self, cost: f64) -> Self {
        self.request.options.max_cost = Some(cost);
        self
    }

    /// Asked before what cannot be taken back.
    pub fn confirm(mut self, confirm: AgentConfirm) -> Self {
        self.request.options.confirm = Some(confirm);
        self
    }

    /// Leaves a tool out. Can be called several times. Needs `experimental`.
    pub fn exclude_tool(mut self, name: impl Into<String>) -> Self {
        self.request.options.exclude_tools.push(name.into());
        self
    }

    /// Asks for data at the end, as `T` has it, for [`AgentResult::output`]. Needs `experimental`.
    pub fn output<T: JsonSchema>(self) -> Self {
        self.output_schema(schema_of::<T>())
    }

    /// Asks for data at the end that fits this JSON Schema. Needs `experimental`.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.request.options.output = Some(schema);
        self
    }

    /// Ends the run when the signal is given. Needs `experimental`.
    pub fn signal(mut self, signal: &AbortSignal) -> Self {
        self.request.options.signal = Some(signal.clone());
        self
    }

    /// Told what happens while it happens. Needs `experimental`.
    pub fn callbacks(mut self, callbacks: AgentCallbacks) -> Self {
        self.request.options.callbacks = Some(callbacks);
        self
    }

    /// The messages of an earlier run, which this one goes on with. Needs `experimental`.
    pub fn messages(mut self, messages: Vec<Value>) -> Self {
        self.request.options.messages = Some(messages);
        self
    }

    /// The run as a stream of what happens in it. Needs `experimental`, which is looked at when it is read.
    pub fn stream(mut self) -> AgentStream {
        let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
        self.request.stream = Some(sender);
        let running = async move { execute(&self.session, &self.request).await };
        AgentStream::new(Box::pin(running), receiver)
    }
}

impl IntoFuture for AgentRun {
    type Output = Result<AgentResult>;
    type IntoFuture = RequestFuture<AgentResult>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { execute(&self.session, &self.request).await })
    }
}
