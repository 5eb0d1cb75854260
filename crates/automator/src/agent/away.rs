//! A run on the platform of a remote session.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_llm::UsageMeter;
use serde_json::{Map, Value, json};

use super::{AgentRequest, AgentResult};
use crate::deadline::{page_of, under};
use crate::named_files::NamedFiles;
use crate::options::{AgentConfig, AgentExecuteOptions, AgentMode};
use crate::records::OperationGroup;
use crate::remote::{self, Accounts, Away, Told};
use crate::session::Session;
use crate::variables::Variables;
use crate::{Error, ErrorKind, Result};

/// How much later than its deadline the platform may tell what a run came to: until then nobody else knows it.
const ON_ITS_WAY: Duration = Duration::from_secs(1);

/// The platform, when it can run what is asked for: what is a function here, what is remembered here, and files that
/// are here, stay here.
pub(super) fn asked<'s>(
    session: &'s Arc<Session>,
    request: &AgentRequest,
    variables: &Variables,
) -> Option<Away<'s>> {
    let named = NamedFiles {
        words: &request.options.instruction,
        variables,
    };
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
    // Files are looked for only where there is a platform.
    remote::away(session).filter(|_| !stays && !named.is_here())
}

/// Runs it there, and counts here what it cost. What goes wrong from here on is what the run came to, as in a run on
/// this machine.
pub(super) async fn run(
    session: &Arc<Session>,
    away: &Away<'_>,
    request: &AgentRequest,
    variables: &Variables,
    told: &Told,
) -> Result<AgentResult> {
    let limit = request.options.timeout.filter(|limit| !limit.is_zero());
    let until = limit.map(|limit| Instant::now() + limit);
    let meter = UsageMeter::new();
    let running = async {
        let page = page_of(session, "agent", request.options.page.as_ref()).await?;
        session.remember_typed(variables);
        let body = Map::from_iter([
            ("agentConfig".to_owned(), config(session, &request.config)),
            ("executeOptions".to_owned(), options(&request.options, variables)),
        ]);
        let accounts = Accounts { meter: &meter, told };
        let calling = away.send("agentExecute", &page, body, false, accounts);
        let (result, _): (AgentResult, _) = away.acting(&page, until, calling).await?;
        Ok(result)
    };
    let running = Box::pin(running);
    let running = under(
        session,
        "agent",
        Duration::ZERO,
        &request.options.service,
        running,
    );
    let outcome = match (limit, until) {
        (Some(limit), Some(until)) => tokio::time::timeout_at((until + ON_ITS_WAY).into(), running)
            .await
            .unwrap_or_else(|_| Ok(AgentResult::past_deadline(limit))),
        _ => running.await,
    };
    let shares = told.shares();
    let own = shares
        .as_ref()
        .map_or_else(|| meter.total(), |shares| shares.agent);
    match shares {
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
    let outcome = outcome.map_err(|error: Error| {
        error
            .masked(&|text| session.masked_with(variables, text))
            .during("agent")
    });
    match outcome {
        Err(error) if !is_about_the_call(error.kind()) => Ok(AgentResult {
            usage: own.into(),
            ..AgentResult::failed(&error.without_operation())
        }),
        outcome => outcome,
    }
}

/// Whether an error says that the call cannot be made as it is asked for, which no run was begun for.
fn is_about_the_call(kind: ErrorKind) -> bool {
    use ErrorKind as K;
    matches!(
        kind,
        K::InvalidArgument
            | K::InvalidModelFormat
            | K::UnsupportedModel
            | K::MissingLlmConfiguration
            | K::ExperimentalNotConfigured
            | K::McpConnection
            | K::AgentAbort
    )
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
    let milliseconds = |limit: Duration| json!(limit.as_millis());
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
