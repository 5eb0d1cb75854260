//! From a model object and the environment to the place where its requests go.
//!
//! Pure. What is missing (a key, a project id) is remembered and reported by [`Route::ready`], because a
//! session may be built without it.

use std::collections::BTreeMap;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::dialect::Structured;
use crate::environment::{Environment, first_set};
use crate::error::LlmError;
use crate::model::{ModelName, ModelOptions, OpenAiEndpointFormat, ReasoningEffort};
use crate::models;
use crate::provider::{COMPATIBLE, Provider, Wire};
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
        let name = options.name()?;
        let provider = match (Provider::lookup(name.provider()), &options.base_url) {
            (Some(provider), _) => provider,
            (None, Some(_)) => &COMPATIBLE,
            (None, None) => return Err(unknown_provider(&name)),
        };
        let wire = wire(provider, options.openai_endpoint_format)?;
        let (settings, extra_body) = settings(provider, options, environment);
        let mut missing = None;
        let endpoint = match &options.base_url {
            Some(given) => Some(custom_endpoint(provider, given)?),
            None => default_endpoint(provider, &name, &settings)
                .map_err(|error| missing = Some(error))
                .ok(),
        };
        let key = key(provider, &name, options, environment);
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
        let url = self
            .call_address(&endpoint)
            .ok_or_else(|| LlmError::InvalidModelOption {
                option: "baseURL".to_owned(),
                reason: "no address of a call can be made from it".to_owned(),
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

    /// Whether requests stay on this computer, where no proxy must be asked.
    pub(crate) fn is_loopback(&self) -> bool {
        self.endpoint.as_ref().is_some_and(is_loopback)
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.endpoint.as_ref().is_none_or(|url| url.scheme() == "https")
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
        (_, Some(_)) => Err(LlmError::InvalidModelOption {
            option: "openaiEndpointFormat".to_owned(),
            reason: format!(
                "the provider {} does not speak OpenAI's interfaces",
                provider.name()
            ),
        }),
    }
}

/// Explicit key, else the environment. A provider nobody knows has its name in the variable.
fn key(
    provider: &Provider,
    name: &ModelName,
    options: &ModelOptions,
    environment: &dyn Environment,
) -> Option<Secret> {
    if let Some(key) = options.api_key.clone().filter(|key| !key.is_empty()) {
        return Some(key);
    }
    let own_variable = variable_name(name.provider());
    let variables: Vec<&str> = match provider.key_variables() {
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

/// Values of the provider's settings (absent where nothing is known), and the options left for the body.
fn settings(
    provider: &'static Provider,
    options: &ModelOptions,
    environment: &dyn Environment,
) -> (BTreeMap<&'static str, String>, Map<String, Value>) {
    let mut values = BTreeMap::new();
    for setting in provider.settings {
        let given = options
            .extra
            .get(setting.option)
            .and_then(Value::as_str)
            .map(str::to_owned);
        let value = given
            .or_else(|| first_set(environment, setting.variables.iter().copied()).map(|(_, value)| value))
            .or_else(|| setting.default.map(str::to_owned));
        if let Some(value) = value {
            values.insert(setting.option, value);
        }
    }
    let used = |name: &str| {
        provider.settings.iter().any(|setting| setting.option == name)
            || openai_header(provider, name).is_some()
    };
    let rest = options
        .extra
        .iter()
        .filter(|(name, _)| !used(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (values, rest)
}

fn default_endpoint(
    provider: &'static Provider,
    name: &ModelName,
    settings: &BTreeMap<&'static str, String>,
) -> Result<Url, LlmError> {
    let mut address = provider.endpoint.to_owned();
    for setting in provider.settings {
        let place = format!("{{{}}}", setting.option);
        if !address.contains(&place) {
            continue;
        }
        let value = settings.get(setting.option).ok_or_else(|| LlmError::MissingKey {
            model: name.to_string(),
            what: setting.what.to_owned(),
            variables: setting.variables.iter().map(ToString::to_string).collect(),
            option: setting.option.to_owned(),
        })?;
        if !value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':'))
        {
            return Err(invalid_option(
                setting.option,
                "holds characters that an address cannot have",
            ));
        }
        // The place without a region has a host without one.
        if provider.wire == Wire::Vertex && value == "global" {
            address = address.replace("{location}-aiplatform", "aiplatform");
        }
        address = address.replace(&place, value);
    }
    let mut url = Url::parse(&address)
        .map_err(|error| invalid_option("baseURL", &format!("{address} is no address: {error}")))?;
    add_api_version(&mut url, settings);
    Ok(url)
}

fn add_api_version(url: &mut Url, settings: &BTreeMap<&'static str, String>) {
    if let Some(version) = settings.get("apiVersion").filter(|version| !version.is_empty()) {
        url.query_pairs_mut().append_pair("api-version", version);
    }
}

/// A `baseURL` of the user's, with a path that ends in `/`.
fn custom_endpoint(provider: &Provider, given: &str) -> Result<Url, LlmError> {
    let mut url = Url::parse(given.trim())
        .map_err(|error| invalid_option("baseURL", &format!("is not an address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(invalid_option("baseURL", "must begin with http:// or https://"));
    }
    let mut path = url.path().trim_end_matches('/').to_owned();
    // The address of a call is often given instead of the base.
    for call in ["/chat/completions", "/responses", "/messages"] {
        if let Some(base) = path.strip_suffix(call) {
            path = base.to_owned();
        }
    }
    match (provider.name(), path.as_str()) {
        ("ollama", "" | "/api") => path = "/v1".to_owned(),
        ("azure", "") => path = "/openai/v1".to_owned(),
        ("azure", "/openai") => path = "/openai/v1".to_owned(),
        _ => {}
    }
    path.push('/');
    url.set_path(&path);
    Ok(url)
}

fn invalid_option(option: &str, reason: &str) -> LlmError {
    LlmError::InvalidModelOption {
        option: option.to_owned(),
        reason: reason.to_owned(),
    }
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

/// Options of OpenAI that travel as headers.
fn openai_header(provider: &Provider, option: &str) -> Option<&'static str> {
    match (provider.name(), option) {
        ("openai", "organization") => Some("openai-organization"),
        ("openai", "project") => Some("openai-project"),
        _ => None,
    }
}

fn is_loopback(url: &Url) -> bool {
    // An IPv6 host stands in brackets.
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn options(value: Value) -> ModelOptions {
        serde_json::from_value(value).unwrap()
    }

    fn nothing(_: &str) -> Option<String> {
        None
    }

    fn route(value: Value, environment: &[(&str, &str)]) -> Route {
        let owned: BTreeMap<String, String> = environment
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        Route::resolve(&options(value), &move |name: &str| owned.get(name).cloned()).unwrap()
    }

    fn address(value: Value, environment: &[(&str, &str)]) -> String {
        route(value, environment).ready().unwrap().url.to_string()
    }

    #[test]
    fn each_provider_has_its_address() {
        for (model, expected) in [
            ("openai/gpt-5", "https://api.openai.com/v1/responses"),
            (
                "anthropic/claude-sonnet-4-5",
                "https://api.anthropic.com/v1/messages",
            ),
            (
                "google/gemini-2.5-flash",
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
            ),
            (
                "groq/openai/gpt-oss-120b",
                "https://api.groq.com/openai/v1/chat/completions",
            ),
            (
                "cerebras/llama-3.3-70b",
                "https://api.cerebras.ai/v1/chat/completions",
            ),
            (
                "mistral/mistral-medium",
                "https://api.mistral.ai/v1/chat/completions",
            ),
            (
                "deepseek/deepseek-chat",
                "https://api.deepseek.com/v1/chat/completions",
            ),
            ("xai/grok-4", "https://api.x.ai/v1/chat/completions"),
            ("togetherai/m/n", "https://api.together.xyz/v1/chat/completions"),
            ("openrouter/a/b", "https://openrouter.ai/api/v1/chat/completions"),
            ("perplexity/sonar", "https://api.perplexity.ai/chat/completions"),
            (
                "fireworks/m",
                "https://api.fireworks.ai/inference/v1/chat/completions",
            ),
            ("ollama/llama3.2", "http://127.0.0.1:11434/v1/chat/completions"),
        ] {
            assert_eq!(address(json!({"modelName": model, "apiKey": "k"}), &[]), expected);
        }
    }

    #[test]
    fn cloud_endpoints_are_made_from_settings() {
        let azure = [("AZURE_API_KEY", "k"), ("AZURE_RESOURCE_NAME", "acme")];
        assert_eq!(
            address(json!("azure/my-deployment"), &azure),
            "https://acme.openai.azure.com/openai/v1/chat/completions"
        );
        assert_eq!(
            address(
                json!({"modelName": "azure/d", "apiKey": "k", "resourceName": "other", "apiVersion": "preview"}),
                &azure
            ),
            "https://other.openai.azure.com/openai/v1/chat/completions?api-version=preview"
        );
        let vertex = [("VERTEX_API_KEY", "t"), ("GOOGLE_VERTEX_PROJECT", "p1")];
        assert_eq!(
            address(json!("vertex/gemini-2.5-pro"), &vertex),
            "https://aiplatform.googleapis.com/v1/projects/p1/locations/global/publishers/google/models/\
             gemini-2.5-pro:generateContent"
        );
        assert_eq!(
            address(
                json!({"modelName": "vertex/claude-sonnet-4-5", "location": "europe-west1"}),
                &vertex
            ),
            "https://europe-west1-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west1/publishers/\
             anthropic/models/claude-sonnet-4-5:rawPredict"
        );
        assert_eq!(
            address(
                json!("bedrock/anthropic.claude-sonnet-4-5-v1:0"),
                &[("AWS_BEARER_TOKEN_BEDROCK", "t"), ("AWS_REGION", "eu-central-1")]
            ),
            "https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-v1:0/converse"
        );
    }

    #[test]
    fn model_name_cannot_leave_its_place_in_the_address() {
        let url = address(json!({"modelName": "google/../../x?y#z", "apiKey": "k"}), &[]);
        assert!(
            url.starts_with("https://generativelanguage.googleapis.com/v1beta/models/"),
            "{url}"
        );
        assert!(url.contains("%3Fy%23z") && !url.contains("/../"), "{url}");
    }

    #[test]
    fn custom_base_may_end_anyhow_and_keeps_its_query() {
        for base in [
            "http://h:1/v1",
            "http://h:1/v1/",
            "http://h:1/v1/responses",
            " http://h:1/v1// ",
        ] {
            assert_eq!(
                address(
                    json!({"modelName": "openai/m", "apiKey": "k", "baseURL": base}),
                    &[]
                ),
                "http://h:1/v1/responses"
            );
        }
        assert_eq!(
            address(
                json!({"modelName": "x/m", "baseURL": "https://h/deployments/d/chat/completions?api-version=1"}),
                &[]
            ),
            "https://h/deployments/d/chat/completions?api-version=1"
        );
        assert_eq!(
            address(
                json!({"modelName": "ollama/m", "baseURL": "http://127.0.0.1:1"}),
                &[]
            ),
            "http://127.0.0.1:1/v1/chat/completions"
        );
    }

    #[test]
    fn base_that_is_no_address_names_the_option() {
        for base in ["localhost:8080", "ftp://h/", "not an address", ""] {
            let error = Route::resolve(&options(json!({"modelName": "a/m", "baseURL": base})), &nothing);
            let Err(LlmError::InvalidModelOption { option, .. }) = error else {
                panic!("{base}: {error:?}")
            };
            assert_eq!(option, "baseURL");
        }
    }

    #[test]
    fn unknown_provider_needs_a_base() {
        let error = Route::resolve(&options(json!("nosuchprovider/model-1")), &nothing).unwrap_err();
        assert!(matches!(error, LlmError::UnsupportedModel { .. }));
        assert!(error.to_string().contains("nosuchprovider"));
        let route = route(
            json!({"modelName": "my-gateway/m", "baseURL": "http://h/v1"}),
            &[],
        );
        assert_eq!(route.wire, Wire::Chat);
        assert!(route.ready().unwrap().headers.is_empty(), "no key is demanded");
    }

    #[test]
    fn unknown_provider_reads_the_variable_of_its_name() {
        let route = route(
            json!({"modelName": "my-gateway/m", "baseURL": "http://h/v1"}),
            &[("MY_GATEWAY_API_KEY", "k9")],
        );
        assert_eq!(
            route.ready().unwrap().headers["authorization"].expose(),
            "Bearer k9"
        );
    }

    #[test]
    fn keys_come_from_the_option_then_from_the_variables_in_order() {
        let google = |environment: &[(&str, &str)], given: Value| {
            route(given, environment).ready().unwrap().headers["x-goog-api-key"]
                .expose()
                .to_owned()
        };
        let both = [
            ("GOOGLE_API_KEY", "third"),
            ("GOOGLE_GENERATIVE_AI_API_KEY", "second"),
        ];
        assert_eq!(google(&both, json!("google/gemini-2.5-pro")), "second");
        assert_eq!(
            google(&both, json!({"modelName": "google/g", "apiKey": "own"})),
            "own"
        );
        assert_eq!(
            google(&both, json!({"modelName": "google/g", "apiKey": ""})),
            "second"
        );
    }

    #[test]
    fn missing_key_is_reported_when_the_route_is_used() {
        let route = route(json!("togetherai/m"), &[]);
        let LlmError::MissingKey { variables, .. } = route.ready().unwrap_err() else {
            panic!()
        };
        assert_eq!(variables, ["TOGETHER_AI_API_KEY", "TOGETHER_API_KEY"]);
    }

    #[test]
    fn missing_setting_is_reported_like_a_missing_key() {
        let route = route(json!("azure/d"), &[("AZURE_API_KEY", "k")]);
        let LlmError::MissingKey {
            variables, option, ..
        } = route.ready().unwrap_err()
        else {
            panic!()
        };
        assert_eq!(
            (variables[0].as_str(), option.as_str()),
            ("AZURE_RESOURCE_NAME", "resourceName")
        );
    }

    #[test]
    fn known_provider_needs_its_key_also_at_another_address() {
        let route = route(
            json!({"modelName": "openai/m", "baseURL": "http://127.0.0.1:1/v1"}),
            &[],
        );
        assert!(matches!(route.ready(), Err(LlmError::MissingKey { .. })));
    }

    #[test]
    fn own_headers_win_whatever_their_case() {
        let route = route(
            json!({"modelName": "openai/m", "apiKey": "k", "headers": {"Authorization": "Custom 1", "X-A": "2"},
                   "organization": "org-1"}),
            &[],
        );
        let headers = route.ready().unwrap().headers;
        assert_eq!(headers["authorization"].expose(), "Custom 1");
        assert_eq!(headers["x-a"].expose(), "2");
        assert_eq!(headers["openai-organization"].expose(), "org-1");
        assert!(route.extra_body.is_empty());
    }

    #[test]
    fn endpoint_format_switches_openai_and_is_refused_elsewhere() {
        let chat = json!({"modelName": "openai/m", "apiKey": "k", "openaiEndpointFormat": "chat"});
        assert_eq!(route(chat, &[]).wire, Wire::Chat);
        let wrong = json!({"modelName": "anthropic/m", "openaiEndpointFormat": "chat"});
        assert!(matches!(
            Route::resolve(&options(wrong), &nothing),
            Err(LlmError::InvalidModelOption { .. })
        ));
    }

    #[test]
    fn limits_come_from_the_options_then_from_what_is_known() {
        let known = route(json!("anthropic/claude-sonnet-4-5"), &[]);
        assert_eq!(known.context_window, Some(200_000));
        assert_eq!(known.output_limit, Some(64_000), "Anthropic demands a limit");
        let given = route(
            json!({"modelName": "openai/gpt-4.1", "contextWindow": 9000, "maxOutputTokens": 500}),
            &[],
        );
        assert_eq!(
            (given.context_window, given.output_limit),
            (Some(9000), Some(500))
        );
        assert_eq!(given.output_ceiling, Some(32_768));
        assert_eq!(route(json!("ollama/llama3.1"), &[]).context_window, Some(4_096));
    }

    #[test]
    fn settings_with_foreign_characters_are_refused() {
        let error = route(
            json!({"modelName": "azure/d", "apiKey": "k", "resourceName": "evil.com/#"}),
            &[],
        )
        .ready()
        .unwrap_err();
        assert!(matches!(error, LlmError::InvalidModelOption { .. }), "{error:?}");
    }

    #[test]
    fn loopback_is_recognised() {
        for (base, expected) in [
            ("http://localhost:1/", true),
            ("http://127.1.2.3/", true),
            ("http://[::1]:8/", true),
            ("http://127.0.0.1.example.com/", false),
            ("https://api.openai.com/", false),
        ] {
            let route = route(json!({"modelName": "x/m", "baseURL": base}), &[]);
            assert_eq!(route.is_loopback(), expected, "{base}");
        }
    }
}
