//! The model object as another program needs it, which asks the model in the place of this one.

use serde_json::{Map, Value};

use crate::environment::{Environment, first_set};
use crate::model::{ModelOptions, OpenAiEndpointFormat, ReasoningEffort};
use crate::provider::Provider;
use crate::route;

impl ModelOptions {
    /// The model object with its secrets in plain text, completed by what the environment says of its provider: the key,
    /// and settings such as a region. Reads back as the same options. Only for a program that is trusted with the key.
    ///
    /// ```
    /// use automator_llm::ModelOptions;
    ///
    /// let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "sk-1".to_owned());
    /// let object = ModelOptions::new("openai/gpt-4.1-mini").revealed(&environment);
    /// assert_eq!(object["apiKey"], "sk-1");
    /// ```
    #[must_use]
    pub fn revealed(&self, environment: &dyn Environment) -> Value {
        let mut members = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                members.insert(name.to_owned(), value);
            }
        };
        put("modelName", self.model_name.as_str().into());
        let name = self.name().ok();
        let provider = name.as_ref().and_then(|name| Provider::lookup(name.provider()));
        let key = match (&self.api_key, &name) {
            (Some(key), _) => Some(key.clone()),
            (None, Some(name)) => route::key(provider, name, self, environment),
            (None, None) => None,
        };
        put("apiKey", key.map(|key| key.expose().to_owned()).into());
        put("baseURL", self.base_url.clone().into());
        put(
            "openaiEndpointFormat",
            self.openai_endpoint_format
                .map(OpenAiEndpointFormat::as_str)
                .into(),
        );
        put("contextWindow", self.context_window.into());
        put("maxOutputTokens", self.max_output_tokens.into());
        put("temperature", self.temperature.into());
        put(
            "reasoningEffort",
            self.reasoning_effort.map(ReasoningEffort::to_value).into(),
        );
        put("price", self.price.clone().unwrap_or_default());
        if !self.headers.is_empty() {
            let headers = self.headers.iter();
            let headers = headers.map(|(name, value)| (name.clone(), Value::from(value.expose())));
            put("headers", Value::Object(headers.collect()));
        }
        for setting in provider.map_or(&[][..], |provider| provider.settings) {
            let found = first_set(environment, setting.variables.iter().copied());
            put(setting.option, found.map(|(_, value)| value).into());
        }
        members.extend(self.extra.clone());
        Value::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Secret;
    use serde_json::json;

    #[test]
    fn what_is_revealed_reads_back_as_the_same_options() {
        let object = json!({
            "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-1", "baseURL": "http://127.0.0.1:1/v1",
            "openaiEndpointFormat": "chat", "contextWindow": 9_000, "maxOutputTokens": 900, "temperature": 0.5,
            "reasoningEffort": "low", "price": { "input": 1 }, "headers": { "x-team": "a" }, "top_k": 3,
        });
        let options = ModelOptions::from_value(object.clone()).unwrap();
        assert_eq!(options.revealed(&|_: &str| None), object);
    }

    #[test]
    fn the_environment_completes_it_and_what_is_given_counts() {
        let environment = |name: &str| match name {
            "AWS_BEARER_TOKEN_BEDROCK" => Some("from-environment".to_owned()),
            "AWS_REGION" => Some("eu-west-1".to_owned()),
            _ => None,
        };
        let mut options = ModelOptions::new("bedrock/some.model");
        let object = options.revealed(&environment);
        assert_eq!(
            object,
            json!({ "modelName": "bedrock/some.model", "apiKey": "from-environment", "region": "eu-west-1" })
        );
        options.api_key = Some(Secret::new("given"));
        options.extra.insert("region".to_owned(), "us-east-2".into());
        let object = options.revealed(&environment);
        assert_eq!(
            (&object["apiKey"], &object["region"]),
            (&json!("given"), &json!("us-east-2"))
        );
    }
}
