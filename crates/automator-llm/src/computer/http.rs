//! The client of all models that use computers: one request, one answer, over the route of the model.

use std::sync::OnceLock;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use super::{ComputerClient, ComputerFuture, ComputerReply, ComputerRequest, anthropic, openai};
use crate::connections::{self, ModelConnections};
use crate::error::LlmError;
use crate::failure;
use crate::provider::Wire;
use crate::route::{Address, Route};
use crate::usage::TokenCounts;

/// The form in which a model is asked to use a computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Anthropic(anthropic::Version),
    OpenAi(openai::Version),
}

impl Dialect {
    /// The form of the model at the end of a route; none for one that does not use computers there.
    pub(super) fn of(route: &Route) -> Option<Self> {
        let model = route.name.model();
        match route.wire {
            Wire::Anthropic => anthropic::Version::of(model).map(Self::Anthropic),
            Wire::Responses => openai::Version::of(model).map(Self::OpenAi),
            Wire::Chat | Wire::Google | Wire::Vertex | Wire::Bedrock => None,
        }
    }

    fn body(self, route: &Route, request: &ComputerRequest) -> Map<String, Value> {
        match self {
            Self::Anthropic(version) => anthropic::body(route, version, request),
            Self::OpenAi(version) => openai::body(route, version, request),
        }
    }

    fn read(self, route: &Route, body: &Value) -> Result<ComputerReply, LlmError> {
        match self {
            Self::Anthropic(_) => anthropic::read(route, body),
            Self::OpenAi(_) => openai::read(route, body),
        }
    }
}

/// A model that uses computers behind a provider's HTTP interface.
pub(super) struct HttpComputerClient {
    route: Route,
    dialect: Dialect,
    /// Built by the first call, as its connections belong to the runtime of the caller.
    web: OnceLock<reqwest::Client>,
}

impl HttpComputerClient {
    pub(super) fn new(route: Route, dialect: Dialect, shared: Option<ModelConnections>) -> Self {
        Self {
            route: route.over(shared),
            dialect,
            web: OnceLock::new(),
        }
    }

    async fn send(&self, request: &ComputerRequest) -> Result<ComputerReply, LlmError> {
        let route = &self.route;
        let address = route.ready()?;
        let mut body = self.dialect.body(route, request);
        route.add_own(&mut body);
        let sending = self
            .web()?
            .post(address.url.clone())
            .headers(self.headers(&address)?)
            .json(&body)
            .send();
        let answer = sending
            .await
            .map_err(|error| failure::of_connection(route, error))?;
        let (status, headers) = (answer.status(), answer.headers().clone());
        let text = answer
            .text()
            .await
            .map_err(|error| failure::of_connection(route, error))?;
        if !status.is_success() {
            return Err(failure::of_status(route, status.as_u16(), &text, &headers));
        }
        let body: Value = serde_json::from_str(&text).map_err(|_| {
            let shown = Value::from(text.as_str());
            failure::invalid_reply(route, "it is not valid JSON", &shown, TokenCounts::default())
        })?;
        if let Some(error) = failure::inside(route, &body) {
            return Err(error);
        }
        self.dialect.read(route, &body)
    }

    /// The route's own, and what a version that is still tried out wants said, unless the user says it.
    fn headers(&self, address: &Address) -> Result<HeaderMap, LlmError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &address.headers {
            let wrong =
                |_| LlmError::invalid_option("headers", "are nothing that a request can be made from");
            let name = HeaderName::try_from(name.as_str()).map_err(|_| wrong(()))?;
            let mut value = HeaderValue::try_from(value.expose()).map_err(|_| wrong(()))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        if let Dialect::Anthropic(version) = self.dialect
            && let Some(beta) = version.beta()
        {
            let told = headers
                .get(anthropic::BETA_HEADER)
                .and_then(|told| told.to_str().ok());
            let whole = match told {
                Some(told) if told.split(',').any(|part| part.trim() == beta) => told.to_owned(),
                Some(told) => format!("{told},{beta}"),
                None => beta.to_owned(),
            };
            if let Ok(value) = HeaderValue::try_from(whole) {
                headers.insert(anthropic::BETA_HEADER, value);
            }
        }
        Ok(headers)
    }

    fn web(&self) -> Result<&reqwest::Client, LlmError> {
        if let Some(web) = self.web.get() {
            return Ok(web);
        }
        let web = match self.route.shared() {
            Some(shared) => shared.client(),
            None => connections::for_route(&self.route)?,
        };
        Ok(self.web.get_or_init(|| web))
    }
}

impl ComputerClient for HttpComputerClient {
    fn step<'a>(&'a self, request: &'a ComputerRequest) -> ComputerFuture<'a> {
        Box::pin(self.send(request))
    }

    fn model_name(&self) -> &str {
        self.route.name.as_str()
    }

    fn turns_in_full(&self) -> usize {
        match self.dialect {
            Dialect::Anthropic(_) => anthropic::TURNS_IN_FULL,
            Dialect::OpenAi(_) => openai::TURNS_IN_FULL,
        }
    }
}
