//! From a model object and the environment to the place where its requests go.
//!
//! Pure. What is missing (a key, a project id) is remembered and reported by [`Route::ready`], because a
//! session may be built without it.

use std::collections::BTreeMap;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::connections::{ModelConnections, ProxyFailure};
use crate::dialect::Structured;
use crate::endpoint;
use crate::environment::{Environment, first_set};
use crate::error::LlmError;
use crate::model::{ModelName, ModelOptions, OpenAiEndpointFormat, ReasoningEffort};
use crate::models;
use crate::provider::{COMPATIBLE, Provider, Wire, openai_header};
use crate::secret::Secret;

/// Tokens that Ollama keeps of a prompt unless its server is told otherwise. It cuts longer prompts without
/// a word, so a larger window must be stated by the user (`contextWindow`).
const OLLAMA_WINDOW: u32 = 4_096;

/// Output limit for providers that demand one, for models nobody knows.
const OUTPUT_LIMIT_WHEN_DEMANDED: u32 = 8_192;

/// Where and how one model is asked.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) name: ModelName,
    pub(crate) provider: &'static Provider,
    pub(crate) wire: Wire,
    pub(crate) structured: Structured,
    /// The model as it stands in the request.
    pub(crate) wire_model: String,
    pub(crate) context_window: Option<u32>,
    /// The most that the model can write.
    pub(crate) output_ceiling: Option<u32>,
    /// The limit that is sent when a request names none.
    pub(crate) output_limit: Option<u32>,
    pub(crate) accepts_images: bool,
    pub(crate) temperature: Option<f64>,
    pub(crate) reasoning_effort: Option<ReasoningEffort>,
    pub(crate) extra_body: Map<String, Value>,
    /// Whether requests go to the provider's own endpoint.
    pub(crate) own_endpoint: bool,
    endpoint: Option<Url>,
    key: Option<Secret>,
    headers: BTreeMap<String, Secret>,
    missing: Option<LlmError>,
    /// Connections that are not for this route alone.
    shared: Option<ModelConnections>,
}

/// A request's address, ready to be used.
#[derive(Debug)]
pub(crate) struct Address {
    /// The full address of the call.
    pub(crate) url: Url,
    /// The endpoint that it was made from.
    pub(crate) endpoint: Url,
    pub(crate) headers: BTreeMap<String, Secret>,
}

impl Route {
    /// Finds the route of a model.
    pub(crate) fn resolve(options: &ModelOptions, environment: &dyn Environment) -> Result<Self, LlmError> {
        options.check()?;
        let name = options.name()?;
        let provider = match (Provider::lookup(name.provider()), &options.base_url) {
            (Some(provider), _) => provider,
            (None, Some(_)) => &COMPATIBLE,
            (None, None) => return Err(unknown_provider(&name)),
        };
        let wire = wire(provider, options.openai_endpoint_format)?;
        let (settings, extra_body) = endpoint::settings(provider, options, environment);
        let mut missing = None;
        let endpoint = match &options.base_url {
            Some(given) => Some(endpoint::custom(provider, given)?),
            None => endpoint::own(provider, &name, &settings)
                .map_err(|error| missing = Some(error))
                .ok(),
        };
        let key = key(Some(provider), &name, options, environment);
        // Bedrock behind an address of the user's own may be signed by a proxy there.
        let key_needed = provider.key_needed() && !(wire == Wire::Bedrock && options.base_url.is_some());
        if key.is_none() && key_needed && missing.is_none() {
            missing = Some(missing_key(provider, &name));
        }
        let family = models::family(name.model());
        let output_ceiling = options
            .max_output_tokens
            .into_iter()
            .chain(family.map(|family| family.max_output_tokens))
            .max();
        Ok(Self {
            structured: (provider.structured)(name.model()),
            wire_model: wire_model(provider, name.model()),
            context_window: options.context_window.or(match provider.name() {
                "ollama" => Some(OLLAMA_WINDOW),
                _ => family.map(|family| family.context_window),
            }),
            output_limit: options.max_output_tokens.or((wire == Wire::Anthropic
                || wire == Wire::Vertex && name.model().starts_with("claude"))
            .then(|| family.map_or(OUTPUT_LIMIT_WHEN_DEMANDED, |family| family.max_output_tokens))),
            output_ceiling,
            accepts_images: family.map_or(provider.images, |family| family.images),
            temperature: options.temperature,
            reasoning_effort: options.reasoning_effort,
            own_endpoint: options.base_url.is_none(),
            headers: request_headers(provider, options, key.as_ref(), wire),
            endpoint,
            key,
            missing,
            shared: None,
            extra_body,
            name,
            provider,
            wire,
        })
    }

    /// The address of a call, or what is missing for it.
    pub(crate) fn ready(&self) -> Result<Address, LlmError> {
        if let Some(missing) = &self.missing {
            return Err(missing.clone());
        }
        let endpoint = self
            .endpoint
            .clone()
            .ok_or_else(|| unknown_provider(&self.name))?;
        let url = self.call_address(&endpoint).ok_or_else(|| {
            LlmError::invalid_option(
                "baseURL",
                "is nothing that the address of a call can be made from",
            )
        })?;
        Ok(Address {
            url,
            endpoint,
            headers: self.headers.clone(),
        })
    }

    /// Scheme, host and port, for errors.
    pub(crate) fn origin(&self) -> String {
        self.endpoint
            .as_ref()
            .map_or_else(String::new, |url| url.origin().ascii_serialization())
    }

    /// The same over connections that others have, too.
    pub(crate) fn over(self, shared: Option<ModelConnections>) -> Self {
        Self { shared, ..self }
    }

    pub(crate) fn shared(&self) -> Option<&ModelConnections> {
        self.shared.as_ref()
    }

    /// What the proxy in between has failed with, if there is one and it has.
    pub(crate) fn proxy_failure(&self) -> Option<ProxyFailure> {
        let (shared, endpoint) = (self.shared.as_ref()?, self.endpoint.as_ref()?);
        shared
            .proxy()
            .failure(endpoint.host_str()?, endpoint.port_or_known_default()?)
    }

    /// Whether requests stay on this computer, where no proxy must be asked.
    pub(crate) fn is_loopback(&self) -> bool {
        self.endpoint.as_ref().is_some_and(endpoint::is_loopback)
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.endpoint.as_ref().is_none_or(|url| url.scheme() == "https")
    }

    /// Adds the members of the model object that are nobody's but the provider's.
    pub(crate) fn add_own(&self, body: &mut Map<String, Value>) {
        merge(body, &self.extra_body);
    }

    /// Everything that must not show up in a message.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &Secret> {
        self.key.iter().chain(self.headers.values())
    }

    /// Joins the path of the call to the endpoint; the endpoint's query stays.
    fn call_address(&self, endpoint: &Url) -> Option<Url> {
        let mut url = endpoint.clone();
        let model = self.wire_model.as_str();
        {
            let mut path = url.path_segments_mut().ok()?;
            path.pop_if_empty();
            match self.wire {
                Wire::Responses => path.push("responses"),
                Wire::Chat => path.extend(["chat", "completions"]),
                Wire::Anthropic => path.push("messages"),
                Wire::Google => path.extend(google_path(model)),
                Wire::Vertex if model.starts_with("claude") => path
                    .extend(["publishers", "anthropic", "models"])
                    .push(&format!("{model}:rawPredict")),
                Wire::Vertex => path
                    .extend(["publishers", "google", "models"])
                    .push(&format!("{model}:generateContent")),
                Wire::Bedrock => path.extend(["model", model, "converse"]),
            };
        }
        Some(url)
    }
}

/// Adds the user's own members; theirs win, objects are merged.
fn merge(body: &mut Map<String, Value>, own: &Map<String, Value>) {
    for (name, value) in own {
        match (body.get_mut(name), value) {
            (Some(Value::Object(present)), Value::Object(more)) => merge(present, more),
            _ => {
                body.insert(name.clone(), value.clone());
            }
        }
    }
}

/// `models/M:generateContent`; tuned models bring their own folder.
fn google_path(model: &str) -> Vec<String> {
    let mut path: Vec<String> = match model.split_once('/') {
        Some((folder @ ("models" | "tunedModels"), name)) => vec![folder.to_owned(), name.to_owned()],
        _ => vec!["models".to_owned(), model.to_owned()],
    };
    if let Some(last) = path.last_mut() {
        last.push_str(":generateContent");
    }
    path
}

fn unknown_provider(name: &ModelName) -> LlmError {
    let known: Vec<&str> = Provider::all().map(Provider::name).collect();
    LlmError::UnsupportedModel {
        model: name.to_string(),
        reason: format!(
            "the provider \"{}\" is not known; give a baseURL if it is compatible with OpenAI, or use one \
             of {}",
            name.provider(),
            known.join(", ")
        ),
    }
}

fn missing_key(provider: &Provider, name: &ModelName) -> LlmError {
    LlmError::MissingKey {
        model: name.to_string(),
        what: "API key".to_owned(),
        variables: provider.key_variables().iter().map(ToString::to_string).collect(),
        option: "apiKey".to_owned(),
    }
}

fn wire(provider: &Provider, format: Option<OpenAiEndpointFormat>) -> Result<Wire, LlmError> {
    match (provider.wire, format) {
        (wire, None) => Ok(wire),
        (Wire::Responses | Wire::Chat, Some(OpenAiEndpointFormat::Responses)) => Ok(Wire::Responses),
        (Wire::Responses | Wire::Chat, Some(OpenAiEndpointFormat::Chat)) => Ok(Wire::Chat),
        (_, Some(_)) => Err(LlmError::invalid_option(
            "openaiEndpointFormat",
            format!(
                "is of no use: the provider {} does not speak OpenAI's interfaces",
                provider.name()
            ),
        )),
    }
}

/// Explicit key, else the environment. A provider nobody knows has its name in the variable.
/// The key of a provider; of one that nobody knows, the variable is named after it.
pub(crate) fn key(
    provider: Option<&Provider>,
    name: &ModelName,
    options: &ModelOptions,
    environment: &dyn Environment,
) -> Option<Secret> {
    if let Some(key) = options.api_key.clone() {
        return Some(key);
    }
    let own_variable = variable_name(name.provider());
    let known = provider.map_or(&[][..], Provider::key_variables);
    let variables: Vec<&str> = match known {
        [] => vec![&own_variable],
        known => known.to_vec(),
    };
    first_set(environment, variables).map(|(_, key)| Secret::new(key))
}

/// `my-gateway` → `MY_GATEWAY_API_KEY`
fn variable_name(provider: &str) -> String {
    let mut name: String = provider
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    name.push_str("_API_KEY");
    name
}

/// The name of the model in the request, where it differs from the name the user writes.
fn wire_model(provider: &Provider, model: &str) -> String {
    if provider.name() == "fireworks" && !model.contains('/') {
        format!("accounts/fireworks/models/{model}")
    } else {
        model.to_owned()
    }
}

/// Key and further headers. The user's own headers win.
fn request_headers(
    provider: &Provider,
    options: &ModelOptions,
    key: Option<&Secret>,
    wire: Wire,
) -> BTreeMap<String, Secret> {
    let mut headers = BTreeMap::new();
    let mut set = |name: &str, value: Secret| {
        headers.insert(name.to_lowercase(), value);
    };
    if let Some(key) = key {
        match (provider.name(), wire) {
            ("azure", _) => set("api-key", key.clone()),
            (_, Wire::Anthropic) => set("x-api-key", key.clone()),
            (_, Wire::Google) => set("x-goog-api-key", key.clone()),
            _ => set("authorization", Secret::new(format!("Bearer {}", key.expose()))),
        }
    }
    if wire == Wire::Anthropic {
        set("anthropic-version", Secret::new("2023-06-01"));
    }
    for (name, value) in &options.extra {
        if let (Some(header), Some(value)) = (openai_header(provider, name), value.as_str()) {
            set(header, Secret::new(value));
        }
    }
    for (name, value) in &options.headers {
        set(name, value.clone());
    }
    headers
}

#[cfg(test)]
mod tests;
