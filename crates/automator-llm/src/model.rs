//! Model names and the model object of the public interface.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::endpoint;
use crate::error::LlmError;
use crate::secret::Secret;

/// `provider/model`, split at the first `/`.
///
/// ```
/// use automator_llm::ModelName;
///
/// let name: ModelName = "groq/openai/gpt-oss-120b".parse()?;
/// assert_eq!(name.provider(), "groq");
/// assert_eq!(name.model(), "openai/gpt-oss-120b");
/// assert!("gpt-4.1".parse::<ModelName>().is_err());
/// # Ok::<(), automator_llm::LlmError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    full: String,
    provider: String,
    slash: usize,
}

impl ModelName {
    /// The provider, in lower case.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model as the provider calls it.
    pub fn model(&self) -> &str {
        self.full.get(self.slash + 1..).unwrap_or_default()
    }

    /// Both, as the user wrote them.
    pub fn as_str(&self) -> &str {
        &self.full
    }
}

impl FromStr for ModelName {
    type Err = LlmError;

    /// # Errors
    ///
    /// [`LlmError::InvalidModelFormat`] without a `/`, or with nothing before or after it.
    fn from_str(given: &str) -> Result<Self, LlmError> {
        let full = given.trim();
        match full.split_once('/') {
            Some((provider, model)) if !provider.trim().is_empty() && !model.trim().is_empty() => Ok(Self {
                full: full.to_owned(),
                provider: provider.trim().to_lowercase(),
                slash: provider.len(),
            }),
            _ => Err(LlmError::InvalidModelFormat {
                given: given.to_owned(),
            }),
        }
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.full)
    }
}

/// The model object: which model, with which key, where, and how.
///
/// Reads from a string (`"openai/gpt-4.1-mini"`) or an object. Members of the object that are not listed here
/// are provider options: those that a provider's set-up knows (`resourceName`, `apiVersion`, `region`,
/// `project`, `location`, `organization`) are used there, all others go into the request body as they are.
/// Members that are `null` count as absent.
///
/// Keys, header values and secrets among the provider options print and serialise as `***`.
///
/// ```
/// use automator_llm::ModelOptions;
///
/// let options: ModelOptions = serde_json::from_str(
///     r#"{ "modelName": "local/qwen3", "baseURL": "http://127.0.0.1:8080/v1", "top_k": 20 }"#,
/// ).unwrap();
/// assert_eq!(options.model_name, "local/qwen3");
/// assert_eq!(options.extra["top_k"], 20);
/// ```
#[derive(Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelOptions {
    /// `modelName`: the model as `provider/model`.
    pub model_name: String,
    /// `apiKey`: the provider's key. Default: the provider's environment variable.
    pub api_key: Option<Secret>,
    /// `baseURL` (also `baseUrl`): the endpoint. Default: the provider's own. With it, a provider that nobody
    /// knows is taken as compatible with OpenAI's Chat Completions.
    pub base_url: Option<String>,
    /// `openaiEndpointFormat`: which of OpenAI's two interfaces is spoken. Default: `responses` for the
    /// provider `openai`, `chat` for those that only know that.
    pub openai_endpoint_format: Option<OpenAiEndpointFormat>,
    /// `contextWindow`: tokens of prompt and answer together. Default: what is known of the model.
    pub context_window: Option<u32>,
    /// `maxOutputTokens`: output limit that is sent. Default: none is sent, except where the provider
    /// demands one.
    pub max_output_tokens: Option<u32>,
    /// `headers`: further HTTP headers. They win over ours.
    pub headers: BTreeMap<String, Secret>,
    /// `temperature`: sampling temperature. Default: none is sent.
    pub temperature: Option<f64>,
    /// `reasoningEffort`: how much the model should think. Default: none is sent.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// `price`: what a million tokens cost, `{ input, cachedInput, output }`; for limits of cost. Not sent.
    pub price: Option<Value>,
    /// All other members.
    pub extra: Map<String, Value>,
}

impl ModelOptions {
    /// A model without further options.
    pub fn new(model_name: impl Into<String>) -> Self {
        Self {
            model_name: model_name.into(),
            ..Self::default()
        }
    }

    /// The parsed name.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidModelFormat`].
    pub fn name(&self) -> Result<ModelName, LlmError> {
        self.model_name.parse()
    }

    /// Reads a model: a string (`"openai/gpt-4.1-mini"`) or an object. As `Deserialize`, with an error that has
    /// the member apart from what is wrong with it.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidModelOption`] for a member that cannot be read.
    pub fn from_value(value: Value) -> Result<Self, LlmError> {
        match value {
            Value::String(model_name) => Ok(Self::new(model_name)),
            Value::Object(members) => read_members(members),
            other => Err(LlmError::InvalidModelOption {
                option: "model".to_owned(),
                reason: format!(
                    "must be a string \"provider/model\" or an object with modelName, not {}",
                    kind(&other)
                ),
            }),
        }
    }

    /// Whether a model can be asked with these options, as far as that shows without the environment.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidModelFormat`]; [`LlmError::InvalidModelOption`] for a key that is empty and a `baseURL`
    /// that is no address.
    pub fn check(&self) -> Result<(), LlmError> {
        self.name()?;
        if self
            .api_key
            .as_ref()
            .is_some_and(|key| key.expose().trim().is_empty())
        {
            return Err(invalid(
                "apiKey",
                "must not be empty; a variable that is not set is the usual cause, and without apiKey the \
                 provider's own variable is read",
            ));
        }
        match &self.base_url {
            Some(given) => endpoint::parse(given).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The options of one call, completed from those of the session.
    ///
    /// A model of the same provider that brings neither key nor `baseURL` of its own takes the session's key,
    /// `baseURL`, headers, endpoint form and provider options; settings of its own win. Window and output
    /// limit belong to a model and are taken only for the same one. Another provider takes nothing.
    #[must_use]
    pub fn inheriting(self, session: &Self) -> Self {
        let (Ok(own), Ok(theirs)) = (self.name(), session.name()) else {
            return self;
        };
        if own.provider() != theirs.provider() || self.api_key.is_some() || self.base_url.is_some() {
            return self;
        }
        let same_model = own.model() == theirs.model();
        let mut headers = session.headers.clone();
        headers.extend(self.headers);
        let mut extra = session.extra.clone();
        extra.extend(self.extra);
        Self {
            model_name: self.model_name,
            api_key: session.api_key.clone(),
            base_url: session.base_url.clone(),
            openai_endpoint_format: self.openai_endpoint_format.or(session.openai_endpoint_format),
            context_window: self
                .context_window
                .or(session.context_window.filter(|_| same_model)),
            max_output_tokens: self
                .max_output_tokens
                .or(session.max_output_tokens.filter(|_| same_model)),
            headers,
            temperature: self.temperature.or(session.temperature),
            reasoning_effort: self.reasoning_effort.or(session.reasoning_effort),
            price: self
                .price
                .or_else(|| session.price.clone().filter(|_| same_model)),
            extra,
        }
    }

    /// The form that may be printed: secrets are `***`, addresses lose user, password and query.
    fn printable(&self) -> Value {
        let mut shown = Map::new();
        let mut show = |name: &str, value: Value| {
            if !value.is_null() {
                shown.insert(name.to_owned(), value);
            }
        };
        let stars = || Value::from("***");
        show("modelName", Value::from(self.model_name.as_str()));
        show("apiKey", self.api_key.as_ref().map_or(Value::Null, |_| stars()));
        show("baseURL", self.base_url.as_deref().map(printable_address).into());
        show(
            "openaiEndpointFormat",
            self.openai_endpoint_format
                .map(OpenAiEndpointFormat::as_str)
                .into(),
        );
        show("contextWindow", self.context_window.into());
        show("maxOutputTokens", self.max_output_tokens.into());
        if !self.headers.is_empty() {
            let names = self.headers.keys().map(|name| (name.clone(), stars())).collect();
            show("headers", Value::Object(names));
        }
        show("temperature", self.temperature.into());
        show(
            "reasoningEffort",
            self.reasoning_effort.map(ReasoningEffort::to_value).into(),
        );
        show("price", self.price.clone().unwrap_or_default());
        for (name, value) in &self.extra {
            let hidden = (value.is_string() || value.is_object()) && is_secret_name(name);
            show(name, if hidden { stars() } else { value.clone() });
        }
        Value::Object(shown)
    }
}

impl From<&str> for ModelOptions {
    fn from(model_name: &str) -> Self {
        Self::new(model_name)
    }
}

impl From<String> for ModelOptions {
    fn from(model_name: String) -> Self {
        Self::new(model_name)
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ModelOptions{}", self.printable())
    }
}

impl Serialize for ModelOptions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.printable().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ModelOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// Which of OpenAI's interfaces is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpenAiEndpointFormat {
    /// `POST …/responses`
    Responses,
    /// `POST …/chat/completions`
    Chat,
}

impl OpenAiEndpointFormat {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Responses => "responses",
            Self::Chat => "chat",
        }
    }
}

/// How much a reasoning model should think: `"none"`, `"minimal"`, `"low"`, `"medium"`, `"high"`, `"xhigh"`,
/// `"max"`, or a number of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReasoningEffort {
    /// No reasoning.
    None,
    /// The least that the model knows.
    Minimal,
    /// Little.
    Low,
    /// The middle.
    Medium,
    /// Much.
    High,
    /// More than high.
    ExtraHigh,
    /// The most that the model knows.
    Max,
    /// At most this many tokens, where the provider takes a number.
    Budget(u32),
}

impl ReasoningEffort {
    const WORDS: [(&'static str, Self); 7] = [
        ("none", Self::None),
        ("minimal", Self::Minimal),
        ("low", Self::Low),
        ("medium", Self::Medium),
        ("high", Self::High),
        ("xhigh", Self::ExtraHigh),
        ("max", Self::Max),
    ];

    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Budget(tokens) => tokens.into(),
            word => Self::WORDS
                .iter()
                .find(|(_, effort)| *effort == word)
                .map_or(Value::Null, |(name, _)| Value::from(*name)),
        }
    }

    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(word) => Self::WORDS
                .iter()
                .find(|(name, _)| name == word)
                .map(|(_, effort)| *effort),
            Value::Number(number) => number.as_u64()?.try_into().ok().map(Self::Budget),
            _ => None,
        }
    }
}

fn read_members(members: Map<String, Value>) -> Result<ModelOptions, LlmError> {
    let mut options = ModelOptions::default();
    let mut named = false;
    for (name, value) in members {
        if value.is_null() {
            continue;
        }
        match name.as_str() {
            "modelName" => {
                options.model_name = text(&name, value)?;
                named = true;
            }
            "apiKey" => options.api_key = Some(Secret::new(text(&name, value)?)),
            "baseURL" | "baseUrl" => options.base_url = Some(text(&name, value)?),
            "openaiEndpointFormat" => {
                options.openai_endpoint_format = Some(match value.as_str() {
                    Some("responses") => OpenAiEndpointFormat::Responses,
                    Some("chat") => OpenAiEndpointFormat::Chat,
                    _ => return Err(invalid(&name, "must be \"responses\" or \"chat\"")),
                });
            }
            "contextWindow" => options.context_window = Some(token_count(&name, &value)?),
            "maxOutputTokens" => options.max_output_tokens = Some(token_count(&name, &value)?),
            "headers" => options.headers = headers(&name, value)?,
            "temperature" => {
                let temperature = value.as_f64().filter(|number| (0.0..=2.0).contains(number));
                options.temperature =
                    Some(temperature.ok_or_else(|| invalid(&name, "must be a number from 0 to 2"))?);
            }
            "reasoningEffort" => {
                options.reasoning_effort = Some(ReasoningEffort::from_value(&value).ok_or_else(|| {
                    invalid(
                        &name,
                        "must be none, minimal, low, medium, high, xhigh, max or a number of tokens",
                    )
                })?);
            }
            "price" => options.price = Some(value),
            _ => {
                options.extra.insert(name, value);
            }
        }
    }
    if !named || options.model_name.trim().is_empty() {
        return Err(invalid("modelName", "is missing: it must be \"provider/model\""));
    }
    Ok(options)
}

fn text(name: &str, value: Value) -> Result<String, LlmError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(invalid(name, &format!("must be a string, not {}", kind(&other)))),
    }
}

fn token_count(name: &str, value: &Value) -> Result<u32, LlmError> {
    value
        .as_u64()
        .and_then(|count| u32::try_from(count).ok())
        .filter(|count| *count > 0)
        .ok_or_else(|| invalid(name, "must be a number of tokens from 1 to 4294967295"))
}

fn headers(name: &str, value: Value) -> Result<BTreeMap<String, Secret>, LlmError> {
    let Value::Object(members) = value else {
        return Err(invalid(name, "must be an object of strings"));
    };
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(header, value)| {
            let value = text(&format!("{name}.{header}"), value)?;
            Ok((header, Secret::new(value)))
        })
        .collect()
}

fn invalid(member: &str, reason: &str) -> LlmError {
    LlmError::invalid_option(member, reason)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// An address without what may be secret in it.
fn printable_address(address: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(address) else {
        return "***".to_owned();
    };
    // Both fail only for addresses that have no host, where there is nothing to hide.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// Provider options that hold credentials (`secretAccessKey`, `sessionToken`, `credentials` …).
fn is_secret_name(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "key",
        "secret",
        "token",
        "password",
        "credential",
        "auth",
        "cookie",
    ]
    .iter()
    .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests;
