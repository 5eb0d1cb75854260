//! The client of all providers, on the `genai` crate.
//!
//! `genai` is seen in this module alone. It writes each provider's messages and reads each provider's answers;
//! addresses, keys, schema options and errors are ours, because there it reads the environment, guesses from
//! names, or leaves out what we need:
//! - `outgoing.rs`: our request to its request and options;
//! - `incoming.rs`: its answer, and the raw body beside it, to our reply;
//! - `failure.rs`: its errors to ours.

mod failure;
mod incoming;
mod outgoing;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use genai::Client;

use crate::client::{GenerateFuture, LlmClient};
use crate::connections::{self, ModelConnections};
use crate::dialect::{self, Form, Plan, Structured};
use crate::error::LlmError;
use crate::reply::GenerateReply;
use crate::request::{GenerateRequest, ResponseFormat};
use crate::route::Route;

/// Name of the tool that carries the answer where there is no other way.
const ANSWER_TOOL: &str = "answer";

/// A model behind a provider's HTTP interface.
pub(crate) struct GenaiClient {
    route: Route,
    /// Built by the first call: it loads certificates, and its connections belong to the runtime of the caller.
    web: OnceLock<Client>,
    /// The server has refused the schema option, so it is not sent again.
    form_refused: AtomicBool,
}

impl GenaiClient {
    pub(crate) fn new(route: Route, shared: Option<ModelConnections>) -> Self {
        Self {
            route: route.over(shared),
            web: OnceLock::new(),
            form_refused: AtomicBool::new(false),
        }
    }

    async fn send(&self, request: &GenerateRequest) -> Result<GenerateReply, LlmError> {
        if request.has_images() && !self.route.accepts_images {
            return Err(LlmError::UnsupportedModel {
                model: self.route.name.to_string(),
                reason: "it takes no images".to_owned(),
            });
        }
        let refused_before = self.form_refused.load(Ordering::Relaxed);
        let structured = if refused_before {
            Structured::PROMPT
        } else {
            self.route.structured
        };
        let (result, may_be_the_form) = self.send_as(request, structured).await;
        match result {
            // Many compatible servers do not know the schema option and say so with these.
            Err(LlmError::Provider {
                status: Some(400 | 404 | 415 | 422 | 501),
                ..
            }) if may_be_the_form => {
                let (again, _) = self.send_as(request, Structured::PROMPT).await;
                if again.is_ok() {
                    self.form_refused.store(true, Ordering::Relaxed);
                    return again;
                }
                result
            }
            result => result,
        }
    }

    /// Sends the request in one form; also says whether the form itself may be unknown to the server.
    async fn send_as(
        &self,
        request: &GenerateRequest,
        structured: Structured,
    ) -> (Result<GenerateReply, LlmError>, bool) {
        let plan = self.plan(request, structured);
        let may_be_the_form =
            structured.may_be_unknown && plan.as_ref().is_some_and(|plan| plan.form != Form::Plain);
        let result = async {
            let call = outgoing::call(&self.route, request, plan.as_ref())?;
            let outcome = self
                .web()?
                .exec_chat(call.target, call.messages, Some(&call.options))
                .await;
            let reply = match outcome {
                Ok(response) => incoming::read(&self.route, response),
                Err(error) => failure::read(&self.route, error),
            }?;
            Ok(match plan.map(|plan| plan.form) {
                Some(Form::ForcedTool(_)) => incoming::answer_of_tool(reply),
                _ => reply,
            })
        };
        (result.await, may_be_the_form)
    }

    fn plan(&self, request: &GenerateRequest, structured: Structured) -> Option<Plan> {
        match &request.response_format {
            ResponseFormat::Text => None,
            ResponseFormat::Json { schema, .. } => {
                // A forced tool and reasoning exclude one another at Anthropic.
                let tools_free = request.tools.is_empty() && self.route.reasoning_effort.is_none();
                Some(dialect::plan(structured, schema, tools_free))
            }
        }
    }

    fn web(&self) -> Result<&Client, LlmError> {
        if let Some(client) = self.web.get() {
            return Ok(client);
        }
        let http = match self.route.shared() {
            Some(shared) => shared.client(),
            None => connections::for_route(&self.route)?,
        };
        let client = client_on(http, &self.route)?;
        Ok(self.web.get_or_init(|| client))
    }
}

impl LlmClient for GenaiClient {
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
        Box::pin(self.send(request))
    }

    fn model_name(&self) -> &str {
        self.route.name.as_str()
    }

    fn accepts_images(&self) -> bool {
        self.route.accepts_images
    }

    fn context_window(&self) -> Option<u32> {
        self.route.context_window
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.route.output_ceiling
    }
}

impl std::fmt::Debug for GenaiClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "GenaiClient({})", self.route.name)
    }
}

fn client_on(http: reqwest::Client, route: &Route) -> Result<Client, LlmError> {
    Client::builder()
        .with_reqwest(http)
        .build()
        .map_err(|_| LlmError::Provider {
            model: route.name.to_string(),
            status: None,
            message: "the HTTP client could not be built".to_owned(),
            retry: crate::error::RetryAdvice::Never,
        })
}
