//! `agent()`: task → page → model → tool → what has changed → model → … → judgement.
//!
//! The model gets the page once and then what changes; each step is one model call, and every tool is an operation of
//! the session. [`driving`] is the loop, [`cua`] that of models that use computers, [`conversation`] what the model is
//! sent, [`view`] what it knows of the page, [`tools`] what it can call, [`closing`] the last question, [`replaying`]
//! doing it again without a model, [`vouching`] whether what was said then still holds, [`away`] a run on the platform of
//! a remote session.

mod abort;
mod away;
mod closing;
mod confirm;
mod conversation;
mod coordinates;
mod cua;
mod driving;
mod event;
mod gates;
#[cfg(feature = "mcp")]
mod integrations;
#[cfg(not(feature = "mcp"))]
#[path = "agent/no_integrations.rs"]
mod integrations;
mod limits;
mod messages;
mod mode;
mod own_tool;
mod plan;
mod progress;
mod repeats;
mod replaying;
mod request;
mod result;
mod run;
mod stream;
mod tabs;
mod tools;
mod view;
mod vouching;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::{LlmClient, ModelOptions};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

pub use abort::AbortSignal;
pub use confirm::{AgentConfirm, AgentConfirmError, AgentConfirmKind, AgentConfirmRequest};
pub use event::{AgentCallbacks, AgentEvent};
pub use own_tool::{AgentTool, AgentToolError, AgentToolFuture, AgentToolOutput, FunctionTool};
pub(crate) use plan::Plan;
pub use request::{Agent, AgentRun};
pub use result::{AgentAction, AgentResult, AgentUsage};
pub use stream::AgentStream;

use closing::{Closing, Output};
use confirm::{Confirming, Pauses, Saving};
use conversation::Conversation;
use coordinates::Unit;
use driving::{Ending, Means, UNDER_WAY, drive, message_of};
use event::Listeners;
use gates::Asked;
use integrations::Integrations;
use limits::Budget;
pub(crate) use limits::Price;
use messages::Earlier;
use plan::Recorder;
use progress::Progress;
use repeats::Repeats;
use run::{Inner, Run};
use tabs::Tabs;
use tools::{DONE, Toolbox, extracted as extracted_text};
use view::View;

use crate::deadline::under;
use crate::named_files::NamedFiles;
use crate::options::{AgentConfig, AgentExecuteOptions, AgentMode, DEFAULT_MODEL};
use crate::prompts::agent as prompts;
use crate::reading::naming;
use crate::records::OperationGroup;
use crate::remote::Told;
use crate::session::Session;
use crate::variables::Variables;
use crate::{Error, ErrorKind, Result};

/// How long it may take at the end to see what the last step has saved.
const CLOSING: Duration = Duration::from_secs(2);

/// What the log says at the end of a run.
const OVER: &str = "the run is over";

/// What is asked for.
pub(crate) struct AgentRequest {
    config: Arc<AgentConfig>,
    options: AgentExecuteOptions,
    /// Who reads the run as a stream.
    stream: Option<UnboundedSender<AgentEvent>>,
}

/// A run on its way to its end.
type Driving<'r> = Pin<Box<dyn Future<Output = Result<Ending>> + Send + 'r>>;

/// What ended a run from outside, or what it came to.
enum Halt {
    Ended(Result<Ending>),
    Aborted(String),
    TimedOut(Duration),
}

/// Runs one task, records what it cost, and tells those who listen how it ended.
pub(crate) async fn execute(session: &Arc<Session>, request: &AgentRequest) -> Result<AgentResult> {
    let listeners = Listeners {
        callbacks: request.options.callbacks.clone(),
        stream: request.stream.clone(),
    };
    let told = Told::default();
    let outcome = Box::pin(checked(session, request, &listeners, &told)).await;
    match &outcome {
        Ok(result) => {
            let details = [
                ("success", result.success.to_string()),
                ("message", result.message.clone()),
            ];
            if !told.is_last("agent", OVER) {
                session.log.info("agent", OVER, &details);
            }
            listeners.tell(AgentEvent::Finish {
                result: Box::new(result.clone()),
            });
        }
        Err(error) => {
            let message = error.to_string();
            session.log.error("agent", message.clone(), &[]);
            listeners.tell(if error.kind() == ErrorKind::AgentAbort {
                AgentEvent::Abort { message }
            } else {
                AgentEvent::Error { message }
            });
        }
    }
    outcome
}

/// Looks at what is asked for, and runs it.
async fn checked(
    session: &Arc<Session>,
    request: &AgentRequest,
    listeners: &Listeners,
    told: &Told,
) -> Result<AgentResult> {
    let (config, options) = (&*request.config, &request.options);
    let wrong = |error: Error| error.during("agent");
    let model = session.models.name(config.model.as_ref());
    let mode = config.mode.unwrap_or_else(|| mode::default_for(&model));
    let asked = Asked {
        is_streamed: request.stream.is_some(),
        is_experimental: session.options.experimental,
        mode,
    };
    gates::check(asked, config, options).map_err(wrong)?;
    let models = Models::of(session, config);
    let computer = match mode {
        AgentMode::Cua => Some(cua::client(session, config).map_err(wrong)?),
        AgentMode::Dom | AgentMode::Hybrid => None,
    };
    let variables = Variables::new(&options.variables).map_err(wrong)?;
    session.tell_unmasked(&variables);
    variables.check_named_in(&options.instruction).map_err(wrong)?;
    let budget =
        Budget::new(options.max_tokens, options.max_cost, &models.own, &models.inner).map_err(wrong)?;
    let mut toolbox = Toolbox::new(mode, config, &options.exclude_tools).map_err(wrong)?;
    let output = options
        .output
        .as_ref()
        .map(Output::new)
        .transpose()
        .map_err(wrong)?;
    let earlier = messages::read(options.messages.as_deref().unwrap_or_default()).map_err(wrong)?;
    earlier.check_pairs().map_err(wrong)?;
    let earlier = earlier.masked(&variables);
    check_page(session, options).map_err(wrong)?;
    session.live("agent")?;
    if let Some(away) = away::asked(session, request, &variables) {
        return away::run(session, &away, request, &variables, told).await;
    }
    let client = client(session, config, mode, &earlier).map_err(wrong)?;
    let pauses = Pauses::default();
    let run = Run {
        session,
        config,
        options,
        mode,
        unit: Unit::of(&model),
        confirming: confirming(session, options, &variables, &pauses),
        variables,
        client,
        meter: options.service.meter.part(),
        inner: Inner::part_of(&options.service.meter),
        listeners: listeners.clone(),
        pauses,
    };
    let mut progress = beginning(&run, earlier);
    let mut integrations = Integrations::default();
    // Of one type for all modes, so that what it is made of is looked at here and not by all who wait for it.
    let driving: Driving<'_> = Box::pin(async {
        integrations
            .connect(&config.integrations, toolbox.names())
            .await?;
        toolbox.add(&integrations.tools, &options.exclude_tools);
        let means = Means {
            toolbox: &toolbox,
            budget,
            output: output.as_ref(),
        };
        match &computer {
            Some(client) => cua::drive(&run, &means, client.as_ref(), &mut progress).await,
            None => drive(&run, &means, &mut progress).await,
        }
    });
    let halt = naming(&run.variables, Box::pin(halted(&run, driving))).await;
    last_look_at_downloads(&run, &mut progress).await;
    integrations.end().await;
    session.records.count(OperationGroup::Agent, run.meter.total());
    options.service.shares.keep(run.inner.shares(run.meter.total()));
    concluded(&run, progress, halt)
}

/// What the last step has saved may still have to be refused. A browser that does not answer does not hold up the end
/// of the run.
async fn last_look_at_downloads(run: &Run<'_>, progress: &mut Progress) {
    if run.confirming.is_none() {
        return;
    }
    let looking = async {
        if let Ok(page) = progress.tabs.page(run).await {
            run.refusal_of_downloads(&page).await;
        }
    };
    drop(tokio::time::timeout(CLOSING, looking).await);
}

/// The model that decides. That of the operations inside is looked at here, too, and not when they are called.
fn client(
    session: &Session,
    config: &AgentConfig,
    mode: AgentMode,
    earlier: &Earlier,
) -> Result<Arc<dyn LlmClient>> {
    let client = session.models.client(config.model.as_ref())?;
    if let (Some(model), false) = (&config.execution_model, mode == AgentMode::Cua) {
        session.models.client(Some(model))?;
    }
    if !client.accepts_images() {
        earlier.check_without_pictures(client.model_name())?;
    }
    Ok(client)
}

fn confirming(
    session: &Arc<Session>,
    options: &AgentExecuteOptions,
    variables: &Variables,
    pauses: &Pauses,
) -> Option<Arc<Confirming>> {
    let confirm = options.confirm.clone()?;
    Some(Arc::new(Confirming {
        confirm,
        session: Arc::clone(session),
        variables: variables.clone(),
        pauses: pauses.clone(),
        saving: Saving::beginning(session, options.page.as_ref()),
    }))
}

fn check_page(session: &Arc<Session>, options: &AgentExecuteOptions) -> Result<()> {
    match &options.page {
        Some(page) if !page.belongs_to(session) => {
            Err(Error::invalid_argument("the page belongs to another session"))
        }
        _ => Ok(()),
    }
}

/// A run that has not done anything yet.
fn beginning(run: &Run<'_>, earlier: Earlier) -> Progress {
    Progress {
        conversation: conversation(run, earlier),
        view: View::new(run.client.context_window(), &run.options.instruction),
        actions: Vec::new(),
        repeats: Repeats::default(),
        recorder: Recorder::new(run.remembers()),
        tabs: Tabs::new(run),
        last_words: String::new(),
        data_room: 0,
        under_way: None,
    }
}

/// The models of a run, with what they take over from the session's.
struct Models {
    own: ModelOptions,
    inner: ModelOptions,
}

impl Models {
    fn of(session: &Session, config: &AgentConfig) -> Self {
        let whole = session
            .options
            .model
            .clone()
            .unwrap_or_else(|| ModelOptions::new(DEFAULT_MODEL));
        let complete = |model: Option<&ModelOptions>| {
            model.map_or_else(|| whole.clone(), |model| model.clone().inheriting(&whole))
        };
        Self {
            own: complete(config.model.as_ref()),
            inner: complete(config.execution_model.as_ref().or(config.model.as_ref())),
        }
    }
}

/// The conversation before anything is known of the page.
fn conversation(run: &Run<'_>, earlier: Earlier) -> Conversation {
    let own: Vec<String> = [&run.session.options.system_prompt, &run.config.system_prompt]
        .into_iter()
        .filter_map(|prompt| prompt.as_deref())
        .map(|prompt| run.mask(prompt))
        .chain(earlier.system)
        .collect();
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let unit = (run.mode == AgentMode::Hybrid).then(|| run.unit.in_words());
    let task = run.options.instruction.trim();
    let named = NamedFiles {
        words: task,
        variables: &run.variables,
    };
    let gives_files = run.mode != AgentMode::Cua && named.is_some();
    let task = prompts::task(&run.mask(task), &run.mask(&run.variables.told()), gives_files);
    let system = match run.mode {
        AgentMode::Cua => prompts::system_of_cua(&own),
        AgentMode::Dom | AgentMode::Hybrid => prompts::system(unit, &own),
    };
    Conversation::new(system, earlier.messages, task)
}

/// Runs until the end, the limit of time, or the signal.
async fn halted(run: &Run<'_>, driving: Driving<'_>) -> Halt {
    // Its own limits are looked at here, where what has been done by then is still known.
    let service = &run.options.service;
    let driving = under(run.session, "agent", Duration::ZERO, service, driving);
    let limit = run.options.timeout.filter(|limit| !limit.is_zero());
    let limited = async {
        match limit {
            None => Halt::Ended(driving.await),
            Some(limit) => match tokio::time::timeout(service.left_of(limit), driving).await {
                Ok(outcome) => Halt::Ended(outcome),
                Err(_) => Halt::TimedOut(limit),
            },
        }
    };
    match &run.options.signal {
        None => limited.await,
        Some(signal) => tokio::select! {
            biased;
            reason = signal.aborted() => Halt::Aborted(reason),
            halt = limited => halt,
        },
    }
}

/// What came of it, for the caller.
fn concluded(run: &Run<'_>, mut progress: Progress, halt: Halt) -> Result<AgentResult> {
    let mut result = AgentResult::default();
    tell_under_way(&mut progress);
    match halt {
        Halt::Aborted(reason) => {
            let message = if reason.is_empty() {
                "the run was aborted".to_owned()
            } else {
                format!("the run was aborted: {reason}")
            };
            return Err(Error::new(ErrorKind::AgentAbort, message).during("agent"));
        }
        Halt::TimedOut(limit) => {
            result = AgentResult::past_deadline(limit);
        }
        Halt::Ended(Err(error)) => {
            // Nothing was asked, and nothing can be.
            if matches!(
                error.kind(),
                ErrorKind::MissingLlmConfiguration | ErrorKind::McpConnection
            ) {
                return Err(error);
            }
            result = AgentResult::failed(&run.mask(&error.without_operation()));
        }
        Halt::Ended(Ok(Ending::Stopped(limit))) => result.message = format!("Stopped: {limit}"),
        Halt::Ended(Ok(Ending::NotClosed(why))) => {
            result.message = format!("Failed to execute task: what came of it was not judged: {why}");
        }
        Halt::Ended(Ok(Ending::Replayed(plan))) => {
            let closing = Closing {
                reasoning: plan.message,
                is_complete: true,
                output: plan.output,
            };
            judged(run, &mut progress, &mut result, closing);
            if let Some(done) = progress.actions.last_mut() {
                done.details.insert("fromMemory".to_owned(), true.into());
            }
        }
        Halt::Ended(Ok(Ending::Closed(closing))) => judged(run, &mut progress, &mut result, closing),
    }
    result.completed = result.success;
    result.usage = run.meter.total().into();
    let mut said = progress.conversation.to_go_on_with(&result.message);
    for message in &mut said {
        messages::mask(message, &run.variables);
    }
    result.messages = said.iter().filter_map(messages::to_json).collect();
    result.actions = progress.actions;
    Ok(result)
}

/// A call in the midst of which the run has ended may have been done, so it is told with the others.
fn tell_under_way(progress: &mut Progress) {
    if let Some(action) = progress.under_way.take() {
        let digest = format!("{}: {UNDER_WAY}", action.kind);
        progress.conversation.add_done(&digest);
        progress.actions.push(action);
    }
}

/// The model's own judgement as the result.
fn judged(run: &Run<'_>, progress: &mut Progress, result: &mut AgentResult, closing: Closing) {
    result.success = closing.is_complete;
    result.message = message_of(run, progress, &closing);
    result.output = closing.output.map(|output| run.mask_value(output));
    let page_url = progress
        .actions
        .last()
        .map(|action| action.page_url.clone())
        .unwrap_or_default();
    let mut action = AgentAction {
        kind: DONE.to_owned(),
        reasoning: Some(result.message.clone()),
        task_completed: closing.is_complete,
        page_url,
        timestamp: jiff::Timestamp::now().as_millisecond(),
        ..AgentAction::default()
    };
    if let Some(output) = &result.output {
        action.details.insert("output".to_owned(), output.clone());
    }
    action
        .details
        .insert("taskComplete".to_owned(), Value::Bool(closing.is_complete));
    progress.actions.push(action);
}
