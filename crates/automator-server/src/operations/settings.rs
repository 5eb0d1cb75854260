//! How the operations of a session are to be done, by the request that started it; pure.

use std::time::Duration;

use automator::{AutomatorOptions, Env, ModelOptions, Verbosity};
use serde_json::{Map, Value, json};

/// A client that says this decides about dialogs itself. Others may not even know of them.
const ANSWERS_DIALOGS: &str = "answersDialogs";

/// How the operations of a session are to be done. Holds no key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationSettings(Map<String, Value>);

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{member}: {problem}")]
pub struct SettingError {
    /// Which one.
    pub member: String,
    /// What is wrong with it.
    pub problem: String,
}

impl OperationSettings {
    /// Reads the members of a request that are settings; `null` is as if it were not there. The name of a model may
    /// come as an object, whose key is dropped: it belongs to each call.
    ///
    /// # Errors
    /// [`SettingError`].
    pub fn read(body: &Map<String, Value>) -> Result<Self, SettingError> {
        let mut settings = Map::new();
        for (name, value) in body.iter().filter(|(_, value)| !value.is_null()) {
            let kept = match name.as_str() {
                "modelName" => json!(model_name(value)?),
                "domSettleTimeoutMs" => {
                    checked(name, value, value.as_u64().is_some(), "no number of milliseconds")?
                }
                "verbose" => checked(
                    name,
                    value,
                    value.as_u64().is_some_and(|level| level <= 2),
                    "none of 0, 1, 2",
                )?,
                "systemPrompt" => checked(name, value, value.is_string(), "no text")?,
                "selfHeal" | "experimental" | ANSWERS_DIALOGS => {
                    checked(name, value, value.is_boolean(), "neither true nor false")?
                }
                _ => continue,
            };
            settings.insert(name.clone(), kept);
        }
        Ok(Self(settings))
    }

    /// As they were stored.
    #[must_use]
    pub fn stored(settings: Map<String, Value>) -> Self {
        Self(settings)
    }

    /// As they are stored.
    #[must_use]
    pub fn members(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The model of calls that name none.
    #[must_use]
    pub fn model_name(&self) -> Option<&str> {
        self.0.get("modelName")?.as_str()
    }

    /// Whether the client answers the dialogs of pages as long as it is connected with the browser.
    #[must_use]
    pub fn client_answers_dialogs(&self) -> bool {
        self.0
            .get(ANSWERS_DIALOGS)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// The options of the session's [`Automator`](automator::Automator), on the browser at this address.
    #[must_use]
    pub fn options(&self, address: &str) -> AutomatorOptions {
        let mut options = AutomatorOptions::new(Env::Local);
        options.local_browser_launch_options.cdp_url = Some(address.to_owned());
        options.model = self.model_name().map(ModelOptions::new);
        let member = |name: &str| self.0.get(name);
        if let Some(milliseconds) = member("domSettleTimeoutMs").and_then(Value::as_u64) {
            options.dom_settle_timeout = Duration::from_millis(milliseconds);
        }
        options.verbose = match member("verbose").and_then(Value::as_u64) {
            Some(0) => Verbosity::Minimal,
            Some(2) => Verbosity::Detailed,
            _ => Verbosity::Standard,
        };
        options.system_prompt = member("systemPrompt").and_then(Value::as_str).map(str::to_owned);
        options.self_heal = member("selfHeal").and_then(Value::as_bool).unwrap_or(true);
        options.experimental = member("experimental").and_then(Value::as_bool).unwrap_or(false);
        options
    }
}

fn model_name(value: &Value) -> Result<String, SettingError> {
    let wrong = |problem: String| SettingError {
        member: "modelName".to_owned(),
        problem,
    };
    let model = ModelOptions::from_value(value.clone()).map_err(|error| wrong(error.to_string()))?;
    let name = model.name().map_err(|error| wrong(error.to_string()))?;
    Ok(name.to_string())
}

fn checked(name: &str, value: &Value, is_right: bool, wrong: &str) -> Result<Value, SettingError> {
    if is_right {
        return Ok(value.clone());
    }
    Err(SettingError {
        member: name.to_owned(),
        problem: format!("{value} is {wrong}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value) -> Result<OperationSettings, SettingError> {
        OperationSettings::read(body.as_object().expect("an object"))
    }

    #[test]
    fn settings_are_options_and_hold_no_key() {
        let body = json!({
            "modelName": { "modelName": "openai/gpt-4.1-mini", "apiKey": "a secret" },
            "domSettleTimeoutMs": 500, "verbose": 2, "systemPrompt": "Be brief.", "selfHeal": false,
            "experimental": null, "remoteSessionID": "another member",
        });
        let settings = read(&body).expect("settings");
        assert!(!json!(settings.members()).to_string().contains("secret"));
        let options = OperationSettings::stored(settings.members().clone()).options("ws://127.0.0.1:1/");
        assert_eq!(
            options.model.map(|model| model.model_name).as_deref(),
            Some("openai/gpt-4.1-mini")
        );
        assert_eq!(options.dom_settle_timeout, Duration::from_millis(500));
        assert_eq!((options.verbose, options.self_heal), (Verbosity::Detailed, false));
        assert_eq!(options.system_prompt.as_deref(), Some("Be brief."));
    }

    #[test]
    fn what_cannot_be_a_setting_is_named() {
        for (body, member) in [
            (json!({ "modelName": "gpt" }), "modelName"),
            (json!({ "modelName": 5 }), "modelName"),
            (json!({ "verbose": 3 }), "verbose"),
            (json!({ "selfHeal": "yes" }), "selfHeal"),
            (json!({ "domSettleTimeoutMs": -1 }), "domSettleTimeoutMs"),
        ] {
            let error = read(&body).expect_err(member);
            assert_eq!(error.member, member);
        }
    }
}
