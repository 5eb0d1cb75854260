//! The endpoint of a model: the provider's own, made from its settings, or the `baseURL` of the user. Pure.

use std::collections::BTreeMap;

use reqwest::Url;
use serde_json::{Map, Value};

use crate::environment::{Environment, first_set};
use crate::error::LlmError;
use crate::model::{ModelName, ModelOptions};
use crate::provider::{Provider, Wire, openai_header};

/// Values of the provider's settings (absent where nothing is known), and the options left for the body.
pub(crate) fn settings(
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

/// The provider's own endpoint, made from its settings.
pub(crate) fn own(
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
            return Err(LlmError::invalid_option(
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
        .map_err(|error| LlmError::invalid_option("baseURL", format!("{address} is no address: {error}")))?;
    add_api_version(&mut url, settings);
    Ok(url)
}

fn add_api_version(url: &mut Url, settings: &BTreeMap<&'static str, String>) {
    if let Some(version) = settings.get("apiVersion").filter(|version| !version.is_empty()) {
        url.query_pairs_mut().append_pair("api-version", version);
    }
}

/// A `baseURL` of the user's, with a path that ends in `/`.
pub(crate) fn custom(provider: &Provider, given: &str) -> Result<Url, LlmError> {
    let mut url = parse(given)?;
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

/// Reads a `baseURL`.
pub(crate) fn parse(given: &str) -> Result<Url, LlmError> {
    let url = Url::parse(given.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some())
        .ok_or_else(|| {
            // What may hold a password or a key is not repeated.
            let shown = if given.contains(['@', '?']) {
                "what was given".to_owned()
            } else {
                format!("\"{}\"", crate::preview(given))
            };
            let reason = format!("must be an address such as http://127.0.0.1:8080/v1, not {shown}");
            LlmError::invalid_option("baseURL", reason)
        })
}

/// Whether an address leads to this computer.
pub(crate) fn is_loopback(url: &Url) -> bool {
    // An IPv6 host stands in brackets.
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}
