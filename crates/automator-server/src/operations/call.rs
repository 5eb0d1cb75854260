//! Calls as they are asked for; pure.

use std::time::Duration;

use automator::{
    ActInput, ActOptions, Action, AgentConfig, AgentExecuteOptions, AgentResult, ExtractOptions, GotoOptions,
    ModelOptions, ObserveOptions, ReadOptions as _, from_json,
};
use serde_json::{Map, Value, json};

use crate::parameters::kind;
use crate::told_address::without_query;

/// What can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Does something on the page.
    Act,
    /// Extracts from the page.
    Extract,
    /// Finds what can be done on the page.
    Observe,
    /// Brings the page to an address.
    Navigate,
    /// Does a task of many steps.
    Agent,
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub work: Work,
    /// The target id of the page. Default: the active page.
    pub page: Option<String>,
    /// The call as it is kept for looking back: without keys, and without values of variables.
    pub told: Map<String, Value>,
}

/// What a call is to do.
#[derive(Debug, Clone)]
pub enum Work {
    /// [`Kind::Act`].
    Act(ActInput, ActOptions),
    /// [`Kind::Extract`]. Without an instruction the page as text.
    Extract(Option<String>, Option<Value>, ExtractOptions),
    /// [`Kind::Observe`].
    Observe(String, ObserveOptions),
    /// [`Kind::Navigate`].
    Navigate(String, GotoOptions),
    /// [`Kind::Agent`].
    Agent(AgentConfig, Box<AgentExecuteOptions>),
}

/// A call that cannot be made as it is asked for.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// A member is missing, unknown or of the wrong kind.
    #[error("{member}: {problem}")]
    Member {
        /// Which one.
        member: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The core does not take the options.
    #[error(transparent)]
    Options(#[from] automator::Error),
}

impl Kind {
    /// As it is called in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Extract => "extract",
            Self::Observe => "observe",
            Self::Navigate => "navigate",
            Self::Agent => "agent",
        }
    }

    /// The members of its request, beside those of all requests.
    fn members(self) -> &'static [&'static str] {
        match self {
            Self::Act => &["input", "options"],
            Self::Extract => &["instruction", "schema", "options"],
            Self::Observe => &["instruction", "options"],
            Self::Navigate => &["url", "options"],
            Self::Agent => &["agentConfig", "executeOptions", "shouldCache"],
        }
    }
}

/// Members of all requests. `streamResponse` is about the reply.
const COMMON: [&str; 2] = ["frameId", "streamResponse"];

impl Call {
    /// Reads the body of a request.
    ///
    /// # Errors
    /// [`CallError`] for the first member that cannot be read.
    pub fn read(kind: Kind, body: &Map<String, Value>) -> Result<Self, CallError> {
        let known = |name: &str| kind.members().contains(&name) || COMMON.contains(&name);
        if let Some(unknown) = body.keys().find(|name| !known(name)) {
            let members = [kind.members(), &COMMON].concat().join(", ");
            return Err(wrong(
                unknown,
                format!("there is no such member; there are {members}"),
            ));
        }
        let options = options("options", body)?;
        let work = match kind {
            Kind::Act => Work::Act(input(body)?, from_json("options", &options)?),
            Kind::Extract => Work::Extract(
                optional_text(body, "instruction")?,
                body.get("schema").filter(|schema| !schema.is_null()).cloned(),
                from_json("options", &options)?,
            ),
            Kind::Observe => Work::Observe(
                optional_text(body, "instruction")?.unwrap_or_default(),
                from_json("options", &options)?,
            ),
            Kind::Navigate => {
                let url = optional_text(body, "url")?;
                let url = url.ok_or_else(|| wrong("url", "it is missing".to_owned()))?;
                Work::Navigate(url, goto_options(options)?)
            }
            Kind::Agent => {
                let (config, options) = agent(body)?;
                Work::Agent(config, Box::new(options))
            }
        };
        if let Work::Extract(None, Some(_), _) = &work {
            return Err(wrong(
                "instruction",
                "a schema needs one: say what to extract".to_owned(),
            ));
        }
        Ok(Self {
            work,
            page: optional_text(body, "frameId")?,
            told: match kind {
                Kind::Agent => told_of_agent(body),
                _ => told(body),
            },
        })
    }

    /// Which one it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.work {
            Work::Act(..) => Kind::Act,
            Work::Extract(..) => Kind::Extract,
            Work::Observe(..) => Kind::Observe,
            Work::Navigate(..) => Kind::Navigate,
            Work::Agent(..) => Kind::Agent,
        }
    }

    /// The limit of time that the call sets, and that holds for all of it, finding the browser and the page included.
    #[must_use]
    pub fn limit(&self) -> Option<Duration> {
        let limit = match &self.work {
            Work::Act(_, options) => options.timeout,
            Work::Extract(_, _, options) => options.timeout,
            Work::Observe(_, options) => options.timeout,
            Work::Navigate(_, options) => Some(options.timeout),
            Work::Agent(_, options) => options.timeout,
        };
        limit.filter(|limit| !limit.is_zero())
    }

    /// What comes of a call whose limit of time has passed before the core could begin with it: the same as when it
    /// passes later.
    ///
    /// # Errors
    /// The core's own, for all but a run of an agent, which such an end is no error of.
    pub fn past_deadline(&self) -> automator::Result<Value> {
        let limit = self.limit().unwrap_or_default();
        match &self.work {
            Work::Navigate(url, options) => Err(options.past_deadline(url)),
            Work::Agent(..) => Ok(json!(AgentResult::past_deadline(limit))),
            Work::Act(..) | Work::Extract(..) | Work::Observe(..) => {
                Err(automator::Error::past_deadline(self.kind().name(), limit))
            }
        }
    }

    /// What came of the call as it is kept for looking back: of a navigation its status, and its address without what
    /// may be a secret in it.
    #[must_use]
    pub fn told_result(&self, result: &Value) -> Value {
        let (Work::Navigate(..), Value::Object(response)) = (&self.work, result) else {
            return result.clone();
        };
        let mut told = Map::new();
        for name in ["url", "status", "statusText", "ok"] {
            let value = response.get(name).cloned();
            told.extend(value.map(|value| (name.to_owned(), value)));
        }
        if let Some(Value::String(url)) = told.get_mut("url") {
            *url = without_query(url);
        }
        Value::Object(told)
    }

    /// Why the call failed as it is kept for looking back: without what may be a secret in the address that it names.
    #[must_use]
    pub fn told_error(&self, error: &str) -> String {
        let Work::Navigate(url, _) = &self.work else {
            return error.to_owned();
        };
        let shown = without_query(url);
        let parsed = url::Url::parse(url).map(String::from).unwrap_or_default();
        let told = error.replace(url.as_str(), &shown);
        if parsed.is_empty() {
            told
        } else {
            told.replace(&parsed, &shown)
        }
    }

    /// The model of the call; none for calls without one.
    pub fn model_mut(&mut self) -> Option<&mut Option<ModelOptions>> {
        match &mut self.work {
            Work::Act(_, options) => Some(&mut options.model),
            Work::Extract(_, _, options) => Some(&mut options.model),
            Work::Observe(_, options) => Some(&mut options.model),
            Work::Navigate(..) => None,
            Work::Agent(config, _) => Some(&mut config.model),
        }
    }

    /// The model of operations inside the call, if that is another one.
    pub fn inner_model_mut(&mut self) -> Option<&mut ModelOptions> {
        match &mut self.work {
            Work::Agent(config, _) => config.execution_model.as_mut(),
            _ => None,
        }
    }

    /// Whether the call itself does without kept answers.
    #[must_use]
    pub fn refuses_cache(&self) -> bool {
        let wanted = match &self.work {
            Work::Act(_, options) => options.server_cache,
            Work::Extract(_, _, options) => options.server_cache,
            Work::Observe(_, options) => options.server_cache,
            // What a run comes to is no answer that fits another page.
            Work::Navigate(..) | Work::Agent(..) => Some(false),
        };
        wanted == Some(false)
    }
}

fn wrong(member: &str, problem: String) -> CallError {
    CallError::Member {
        member: member.to_owned(),
        problem,
    }
}

fn optional_text(body: &Map<String, Value>, name: &str) -> Result<Option<String>, CallError> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(wrong(name, format!("{} is no text", kind(other)))),
    }
}

fn input(body: &Map<String, Value>) -> Result<ActInput, CallError> {
    match body.get("input") {
        Some(Value::String(instruction)) => Ok(instruction.as_str().into()),
        Some(Value::Object(members)) => {
            let mut members = members.clone();
            // Clients of the hosted contract hand on what they were told, which may be more than is needed.
            members.retain(|name, value| name != "backendNodeId" && !value.is_null());
            let action: Action = serde_json::from_value(Value::Object(members))
                .map_err(|error| wrong("input", error.to_string()))?;
            Ok(action.into())
        }
        _ => Err(wrong(
            "input",
            "it is neither an instruction nor an action".to_owned(),
        )),
    }
}

/// The options, without members that say nothing: what a client leaves out may come as `null`. `model.provider`
/// repeats the first half of the model's name.
fn options(member: &str, body: &Map<String, Value>) -> Result<Value, CallError> {
    let mut options = match body.get(member) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(options)) => options.clone(),
        Some(other) => return Err(wrong(member, format!("{} is no object", kind(other)))),
    };
    options.retain(|_, value| !value.is_null());
    for name in ["model", "executionModel"] {
        if let Some(Value::Object(model)) = options.get_mut(name) {
            model.retain(|name, value| name != "provider" && !value.is_null());
        }
    }
    Ok(Value::Object(options))
}

/// What an agent is made of, over the wire.
const AGENT_CONFIG: [&str; 6] = [
    "provider",
    "model",
    "executionModel",
    "systemPrompt",
    "mode",
    "cua",
];

/// An agent and its task, as clients of the hosted contract write them.
fn agent(body: &Map<String, Value>) -> Result<(AgentConfig, AgentExecuteOptions), CallError> {
    if let Some(other) = body
        .get("shouldCache")
        .filter(|value| !value.is_null() && !value.is_boolean())
    {
        return Err(wrong(
            "shouldCache",
            format!("{} is neither true nor false", kind(other)),
        ));
    }
    let mut config = options("agentConfig", body)?;
    if let Value::Object(members) = &mut config {
        if let Some(unknown) = members.keys().find(|name| !AGENT_CONFIG.contains(&name.as_str())) {
            let problem = format!("there is no such member; there are {}", AGENT_CONFIG.join(", "));
            return Err(wrong(&format!("agentConfig.{unknown}"), problem));
        }
        let is_cua = match members.remove("cua") {
            None => false,
            Some(Value::Bool(is_cua)) => is_cua,
            Some(other) => {
                return Err(wrong(
                    "agentConfig.cua",
                    format!("{} is neither true nor false", kind(&other)),
                ));
            }
        };
        if is_cua {
            members.entry("mode").or_insert_with(|| "cua".into());
        }
        // The first half of the model's name, from before it was a half of it.
        let provider = members.remove("provider");
        if let (Some(Value::String(provider)), Some(Value::String(model))) =
            (&provider, members.get_mut("model"))
            && !model.contains('/')
        {
            *model = format!("{provider}/{model}");
        }
    }
    let mut options = options("executeOptions", body)?;
    if let Value::Object(members) = &mut options
        && let Some(steps) = members.get_mut("maxSteps")
        && let Some(whole) = whole_number(steps)
    {
        *steps = whole.into();
    }
    Ok((
        from_json("agentConfig", &config)?,
        from_json("executeOptions", &options)?,
    ))
}

/// A whole number that is written with a fraction of nothing, as languages do that have one kind of number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is looked at before"
)]
fn whole_number(value: &Value) -> Option<u32> {
    let number = value.as_f64()?;
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    is_whole.then_some(number as u32)
}

fn goto_options(options: Value) -> Result<GotoOptions, CallError> {
    let mut options = options;
    if let Value::Object(members) = &mut options {
        // No model is asked, and clients give theirs with every call.
        members.remove("model");
        if let Some(timeout) = members.remove("timeout") {
            members.insert("timeoutMs".to_owned(), timeout);
        }
    }
    Ok(GotoOptions::read("options", &options)?)
}

/// What is kept of a call: names of variables and models only.
fn told(body: &Map<String, Value>) -> Map<String, Value> {
    let mut told: Map<String, Value> = ["input", "instruction", "schema", "url"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), body.get(name)?.clone())))
        .collect();
    let options = body.get("options").and_then(Value::as_object);
    for (name, value) in options.into_iter().flatten() {
        let kept = match name.as_str() {
            "variables" => json!(
                value
                    .as_object()
                    .map(|variables| variables.keys().collect::<Vec<_>>())
            ),
            "model" => value.get("modelName").unwrap_or(value).clone(),
            "selector" | "ignoreSelectors" | "screenshot" | "timeout" | "waitUntil" => value.clone(),
            _ => continue,
        };
        told.insert(name.clone(), kept);
    }
    if let Some(Value::String(url)) = told.get_mut("url") {
        *url = without_query(url);
    }
    told
}

/// The same of an agent's task.
fn told_of_agent(body: &Map<String, Value>) -> Map<String, Value> {
    let member = |name: &str| body.get(name).and_then(Value::as_object);
    let mut told = Map::new();
    for (name, value) in member("executeOptions").into_iter().flatten() {
        let kept = match name.as_str() {
            "variables" => json!(
                value
                    .as_object()
                    .map(|variables| variables.keys().collect::<Vec<_>>())
            ),
            "instruction" | "maxSteps" | "toolTimeout" | "timeout" | "maxTokens" | "maxCost" => value.clone(),
            _ => continue,
        };
        told.insert(name.clone(), kept);
    }
    for (name, value) in member("agentConfig").into_iter().flatten() {
        let kept = match name.as_str() {
            "model" | "executionModel" => value.get("modelName").unwrap_or(value).clone(),
            "mode" => value.clone(),
            _ => continue,
        };
        told.insert(name.clone(), kept);
    }
    told.retain(|_, value| !value.is_null());
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, body: &Value) -> Result<Call, CallError> {
        Call::read(kind, body.as_object().expect("an object"))
    }

    #[test]
    fn calls_are_read_as_clients_write_them() {
        let act = json!({ "input": "press go", "options": { "model": { "modelName": "openai/gpt-4.1-mini",
            "apiKey": "a secret", "provider": "openai" }, "variables": { "code": "another secret" }, "timeout": null },
            "frameId": "F1" });
        let mut call = read(Kind::Act, &act).expect("a call");
        assert_eq!(call.page.as_deref(), Some("F1"));
        assert_eq!(call.told["variables"], json!(["code"]));
        assert_eq!(call.told["model"], "openai/gpt-4.1-mini");
        assert!(!json!(call.told).to_string().contains("secret"));
        let model = call
            .model_mut()
            .and_then(|model| model.as_ref())
            .expect("a model");
        assert!(model.extra.is_empty() && model.api_key.is_some());

        let action =
            json!({ "input": { "selector": "#go", "description": "the go button", "backendNodeId": 7 } });
        assert!(matches!(
            read(Kind::Act, &action).expect("a call").work,
            Work::Act(ActInput::Action(_), _)
        ));
        let text = read(Kind::Extract, &json!({ "instruction": null })).expect("a call");
        assert!(matches!(text.work, Work::Extract(None, None, _)));
        let goto = json!({ "url": "https://shop.example/?token=1", "options": { "waitUntil": "load", "timeout": 500,
            "model": "x/y" }, "streamResponse": true });
        let goto = read(Kind::Navigate, &goto).expect("a call");
        assert_eq!(goto.told["url"], "https://shop.example/");
        assert!(matches!(&goto.work, Work::Navigate(_, options) if options.timeout.as_millis() == 500));
        let result = json!({ "url": "https://shop.example/?token=1", "status": 200, "headers": { "set-cookie": "a" } });
        assert_eq!(
            goto.told_result(&result),
            json!({ "url": "https://shop.example/", "status": 200 })
        );
        assert_eq!(
            goto.told_error("https://shop.example/?token=1 was not reached"),
            "https://shop.example/ was not reached"
        );
    }

    #[test]
    fn tasks_are_read_as_clients_write_them() {
        let body = json!({ "agentConfig": { "model": { "modelName": "openai/gpt-4.1-mini", "apiKey": "a secret",
                "provider": "openai" }, "executionModel": "openai/gpt-5-nano", "systemPrompt": null, "mode": "dom",
                "cua": true },
            "executeOptions": { "instruction": "buy it", "maxSteps": 7.0, "toolTimeout": 20000.0, "useSearch": false,
                "highlightCursor": null, "variables": { "code": "another secret" } },
            "frameId": "F1", "shouldCache": true, "streamResponse": false });
        let mut call = read(Kind::Agent, &body).expect("a call");
        assert!(
            !json!(call.told).to_string().contains("secret"),
            "{:?}",
            call.told
        );
        assert_eq!(call.told["model"], "openai/gpt-4.1-mini");
        assert_eq!(call.told["variables"], json!(["code"]));
        assert!(
            call.inner_model_mut()
                .is_some_and(|model| model.model_name == "openai/gpt-5-nano")
        );
        let Work::Agent(config, options) = call.work else {
            panic!("a task")
        };
        assert_eq!(config.mode, Some(automator::AgentMode::Dom));
        assert_eq!(
            (
                options.max_steps,
                options.tool_timeout.map(|limit| limit.as_secs())
            ),
            (Some(7), Some(20))
        );

        let old = json!({ "agentConfig": { "provider": "openai", "model": "gpt-5-nano", "cua": true },
            "executeOptions": { "instruction": "buy it" } });
        let Work::Agent(config, _) = read(Kind::Agent, &old).expect("a call").work else {
            panic!("a task")
        };
        assert_eq!(config.mode, Some(automator::AgentMode::Cua));
        assert_eq!(
            config.model.map(|model| model.model_name).as_deref(),
            Some("openai/gpt-5-nano")
        );
    }

    #[test]
    fn what_cannot_be_called_is_named() {
        for (kind, body, words) in [
            (Kind::Act, json!({}), "input:"),
            (Kind::Act, json!({ "input": 5 }), "input:"),
            (
                Kind::Act,
                json!({ "input": "go", "instruction": "go" }),
                "instruction:",
            ),
            (
                Kind::Act,
                json!({ "input": "go", "options": { "patience": 5 } }),
                "patience",
            ),
            (Kind::Extract, json!({ "schema": {} }), "instruction:"),
            (Kind::Extract, json!({ "options": [] }), "options:"),
            (Kind::Navigate, json!({}), "url:"),
            (Kind::Observe, json!({ "frameId": 7 }), "frameId:"),
            (Kind::Agent, json!({}), "instruction"),
            (
                Kind::Agent,
                json!({ "agentConfig": { "tools": [] } }),
                "agentConfig.tools:",
            ),
            (
                Kind::Agent,
                json!({ "agentConfig": { "cua": 1 } }),
                "agentConfig.cua:",
            ),
            (
                Kind::Agent,
                json!({ "executeOptions": { "instruction": "go", "patience": 1 } }),
                "patience",
            ),
            (
                Kind::Agent,
                json!({ "executeOptions": { "instruction": "go", "maxSteps": 1.5 } }),
                "maxSteps",
            ),
            (Kind::Agent, json!({ "options": {} }), "options:"),
            (Kind::Agent, json!({ "shouldCache": 1 }), "shouldCache:"),
        ] {
            let error = read(kind, &body).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
