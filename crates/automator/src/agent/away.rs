//! A run on the platform of a remote session.

use std::sync::Arc;

use automator_llm::UsageMeter;
use serde_json::{Map, Value, json};

use super::{AgentRequest, AgentResult};
use crate::deadline::page_of;
use crate::options::{AgentConfig, AgentExecuteOptions, AgentMode};
use crate::records::OperationGroup;
use crate::remote::{self, Accounts, Away, Told};
use crate::session::Session;
use crate::variables::Variables;
use crate::{Error, Result};

/// The platform, when it can run what is asked for: what is a function here, and what is remembered here, stays here.
pub(super) fn asked<'s>(session: &'s Arc<Session>, request: &AgentRequest) -> Option<Away<'s>> {
    let (config, options) = (&request.config, &request.options);
    let stays = request.stream.is_some()
        || config.stream
        || !config.tools.is_empty()
        || !config.integrations.is_empty()
        || options.callbacks.is_some()
        || options.signal.is_some()
        || options.messages.is_some()
        || options.confirm.is_some()
        || session.options.cache_dir.is_some();
    remote::away(session).filter(|_| !stays)
}

/// Runs it there, and counts here what it cost.
pub(super) async fn run(
    session: &Arc<Session>,
    away: &Away<'_>,
    request: &AgentRequest,
    variables: &Variables,
    told: &Told,
) -> Result<AgentResult> {
    let page = page_of(session, "agent", request.options.page.as_ref()).await?;
    session.remember_typed(variables);
    let body = Map::from_iter([
        ("agentConfig".to_owned(), config(session, &request.config)),
        ("executeOptions".to_owned(), options(&request.options, variables)),
    ]);
    let meter = UsageMeter::new();
    let accounts = Accounts { meter: &meter, told };
    let calling = away.send("agentExecute", &page, body, false, accounts);
    let outcome = away.acting(&page, calling).await;
    match told.shares() {
        Some(shares) => {
            for (group, usage) in [
                (OperationGroup::Agent, shares.agent),
                (OperationGroup::Act, shares.act),
                (OperationGroup::Extract, shares.extract),
                (OperationGroup::Observe, shares.observe),
            ] {
                session.records.count(group, usage);
            }
        }
        None => session.records.count(OperationGroup::Agent, meter.total()),
    }
    let (result, _): (AgentResult, _) = outcome.map_err(|error: Error| {
        error
            .masked(&|text| session.masked_with(variables, text))
            .during("agent")
    })?;
    Ok(result)
}

fn config(session: &Session, config: &AgentConfig) -> Value {
    let mut told = Map::new();
    let mut tell = |name: &str, value: Option<Value>| {
        told.extend(value.map(|value| (name.to_owned(), value)));
    };
    tell("model", session.models.revealed(config.model.as_ref()));
    let inner = config.execution_model.as_ref();
    tell(
        "executionModel",
        inner.and_then(|model| session.models.revealed(Some(model))),
    );
    tell(
        "systemPrompt",
        config.system_prompt.as_ref().map(|text| json!(text)),
    );
    tell("mode", config.mode.map(|mode: AgentMode| json!(mode)));
    Value::Object(told)
}

fn options(options: &AgentExecuteOptions, variables: &Variables) -> Value {
    let mut told = Map::from_iter([("instruction".to_owned(), json!(options.instruction))]);
    let mut tell = |name: &str, value: Option<Value>| {
        told.extend(value.map(|value| (name.to_owned(), value)));
    };
    let milliseconds = |limit: std::time::Duration| json!(limit.as_millis());
    tell("maxSteps", options.max_steps.map(|steps| json!(steps)));
    tell("toolTimeout", options.tool_timeout.map(milliseconds));
    tell("timeout", options.timeout.map(milliseconds));
    tell("maxTokens", options.max_tokens.map(|tokens| json!(tokens)));
    tell("maxCost", options.max_cost.map(|cost| json!(cost)));
    tell(
        "highlightCursor",
        options.highlight_cursor.map(|shown| json!(shown)),
    );
    tell("variables", (!variables.is_empty()).then(|| variables.revealed()));
    Value::Object(told)
}
