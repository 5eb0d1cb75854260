//! `observe()`: session → page at rest → snapshot → prompt → model → actions with selectors.

mod away;
mod request;

use std::sync::Arc;
use std::time::Duration;

use automator_snapshot::{Element, ElementId, Snapshot};
use serde_json::{Value, json};

use away::observe_away;
pub use request::{Observe, ObserveWithCacheStatus};

use crate::Result;
use crate::action::Action;
use crate::asking::Asking;
use crate::cache::{Cache, KnownAction, Question};
use crate::choice::{Choice, Shape};
use crate::deadline::{page_of, under};
use crate::extract::{CacheStatus, parts};
use crate::named_files::NamedFiles;
use crate::options::ObserveOptions;
use crate::page::Page;
use crate::prompts::{self, Task};
use crate::reading::{naming, read, scope, selectors_of};
use crate::records::{HistoryMethod, OperationGroup};
use crate::remote::{self, Accounts, Told};
use crate::replay;
use crate::service::{Answer, Asked};
use crate::session::Session;
use crate::variables::Variables;

/// The limit of a call that sets none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(60);

/// What the log says of a search that went well.
const DONE: &str = "observed";

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct ObserveRequest {
    /// Empty for anything that can be used.
    pub(crate) instruction: String,
    pub(crate) options: ObserveOptions,
    /// The task that it is a part of, which names the files; the instruction does where there is none.
    pub(crate) task: Option<String>,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) actions: Vec<Action>,
    pub(crate) cache_status: Option<CacheStatus>,
}

impl From<Vec<Action>> for Found {
    fn from(actions: Vec<Action>) -> Self {
        Self {
            actions,
            cache_status: None,
        }
    }
}

/// Runs one search under its deadline and records it.
pub(crate) async fn observe(session: &Arc<Session>, request: &ObserveRequest) -> Result<Found> {
    let meter = request.options.service.meter.part();
    let limit = request.options.timeout.unwrap_or(DEFAULT_LIMIT);
    let told = Told::default();
    let accounts = Accounts {
        meter: &meter,
        told: &told,
    };
    let outcome = under(
        session,
        "observe",
        limit,
        &request.options.service,
        run(session, request, accounts, limit),
    )
    .await;
    session.records.count(OperationGroup::Observe, meter.total());
    let result = match &outcome {
        Ok(found) => {
            let details = [
                ("instruction", request.instruction.clone()),
                ("elements", found.actions.len().to_string()),
            ];
            if !told.is_last("observation", DONE) {
                session.log.info("observation", DONE, &details);
            }
            json!(found.actions)
        }
        Err(error) => {
            let text = error.to_string();
            if !told.is_last("observation", &text) {
                session.log.error("observation", text, &[]);
            }
            Value::Null
        }
    };
    session
        .records
        .add_history(HistoryMethod::Observe, parameters_of(request), result);
    outcome
}

async fn run(
    session: &Arc<Session>,
    request: &ObserveRequest,
    accounts: Accounts<'_>,
    limit: Duration,
) -> Result<Found> {
    let options = &request.options;
    let variables = Variables::new(&options.variables)?;
    session.tell_unmasked(&variables);
    let instruction = request.instruction.trim();
    let mut scope = scope(options.selector.as_deref(), &options.ignore_selectors, limit)?;
    scope.tells_scrolling = true;
    let page = page_of(session, "observe", options.page.as_ref()).await?;
    let away = remote::away(session);
    if let (Some(away), None) = (&away, Cache::of(session)) {
        return observe_away(away, &page, request, &variables, accounts).await;
    }
    page.settle().await?;
    let mask = |text: &str| session.masked_with(&variables, text);
    let scoped = options.selector.iter().chain(&options.ignore_selectors);
    let memory = Cache::of(session).map(|cache| {
        let question = Question::about_page("observe", instruction, &mask(&page.url()), variables.names())
            .within(scoped);
        (cache, question)
    });
    let snapshot = naming(&variables, Box::pin(read(&page, &scope))).await?;
    if let Some((cache, question)) = &memory
        && let Some(remembered) = cache.actions(question).await
        && replay::still_there(&page, &snapshot, &remembered, &mask).await?
    {
        session.log.info("cache", "observed from memory", &[]);
        return Ok(found_before(remembered));
    }
    if let Some(away) = &away {
        let paths = page.xpaths(&snapshot).await?;
        let found = observe_away(away, &page, request, &variables, accounts).await?;
        if let Some((cache, question)) = &memory
            && let Some(known) = replay::known_at(&paths, &snapshot, &found.actions, &mask)
        {
            cache.keep_actions(question, known).await;
        }
        return Ok(found);
    }
    let answer = answer_of(session, request, &page, &snapshot, &variables);
    if let Some(answer) = &answer {
        let kept = answer.actions().await;
        if !kept.is_empty() && replay::still_there(&page, &snapshot, &kept, &mask).await? {
            return Ok(found_before(kept));
        }
        if !kept.is_empty() {
            answer.forget();
        }
    }
    let choices = choose(session, request, accounts, &snapshot, &variables).await?;
    let (actions, elements) = actions_of(&page, &snapshot, choices).await?;
    if !actions.is_empty() && (memory.is_some() || answer.is_some()) {
        let known: Vec<KnownAction> = actions
            .iter()
            .zip(elements)
            .map(|(action, element)| replay::known(action, &snapshot, element, &mask))
            .collect();
        if let Some(answer) = &answer {
            answer.keep_actions(&known);
        }
        if let Some((cache, question)) = &memory {
            cache.keep_actions(question, known).await;
        }
    }
    Ok(actions.into())
}

/// The answer that a server keeps for the next call.
fn answer_of(
    session: &Session,
    request: &ObserveRequest,
    page: &Page,
    snapshot: &Snapshot,
    variables: &Variables,
) -> Option<Answer> {
    let options = &request.options;
    let asked = Asked {
        operation: "observe",
        instruction: request.instruction.trim(),
        url: &page.url(),
        snapshot,
        selector: options.selector.as_deref(),
        ignore_selectors: &options.ignore_selectors,
        schema: None,
        model: &session.models.name(options.model.as_ref()),
        system_prompt: session.options.system_prompt.as_deref(),
        variables: variables.names().collect(),
    };
    let mask = |text: &str| session.masked_with(variables, text);
    options.service.answer(&asked, &mask)
}

fn found_before(known: Vec<KnownAction>) -> Found {
    let actions = known.into_iter().map(|known| known.action);
    actions.collect::<Vec<_>>().into()
}

/// What the model chooses on a page.
async fn choose(
    session: &Session,
    request: &ObserveRequest,
    accounts: Accounts<'_>,
    snapshot: &Snapshot,
    variables: &Variables,
) -> Result<Vec<Choice>> {
    let instruction = request.instruction.trim();
    let client = session.models.client(request.options.model.as_ref())?;
    let asking = Asking {
        session,
        client: client.as_ref(),
        operation: "observe",
        meter: accounts.meter,
    };
    let named = NamedFiles {
        words: request.task.as_deref().unwrap_or(instruction),
        variables,
    };
    let told = variables.told();
    let task = Task {
        system_prompt: session.options.system_prompt.as_deref(),
        instruction,
        variables: &told,
        gives_files: named.is_some(),
    };
    let mut choices = ask(&asking, task, snapshot).await?;
    // What is found is done later as the caller's own, without a look at who has named the files.
    if session.options.file_folder.is_none() {
        choices.retain(|choice| named.refusal(&choice.method, &choice.arguments).is_none());
    }
    Ok(choices)
}

/// The question, asked at once or part by part.
async fn ask(asking: &Asking<'_>, task: Task<'_>, snapshot: &Snapshot) -> Result<Vec<Choice>> {
    let shape = Shape::found(task.gives_files)?;
    let mut choices = Vec::new();
    for text in parts::texts(asking.client, snapshot, &shape.sent) {
        let messages = prompts::observe(task, &text);
        let found = asking
            .ask("elements", &shape.sent, messages, &|answer| {
                shape.to_elements(answer)
            })
            .await?;
        choices.extend(found);
    }
    Ok(choices)
}

/// The actions of a model's choices, with the elements that they are about. Ids that the page does not hold, and
/// elements that have gone meanwhile, are left out; so is the second of two choices of one element and method.
pub(crate) async fn actions_of<'s>(
    page: &Page,
    snapshot: &'s Snapshot,
    choices: Vec<Choice>,
) -> Result<(Vec<Action>, Vec<&'s Element>)> {
    let element = |id: &str| snapshot.element(id.parse::<ElementId>().ok()?);
    let mut wanted: Vec<(Choice, &Element)> = Vec::new();
    for choice in choices {
        let Some(found) = element(&choice.element_id) else {
            continue;
        };
        if !wanted
            .iter()
            .any(|(other, known)| known.id == found.id && other.method == choice.method)
        {
            wanted.push((choice, found));
        }
    }
    // The arguments of a drag are ids, too.
    let targets: Vec<Option<&Element>> = wanted
        .iter()
        .map(|(choice, _)| {
            let argument = choice
                .arguments
                .first()
                .filter(|_| choice.method == "dragAndDrop")?;
            element(argument)
        })
        .collect();
    let all: Vec<&Element> = wanted
        .iter()
        .map(|(_, element)| *element)
        .chain(targets.iter().copied().flatten())
        .collect();
    let mut selectors = selectors_of(page, snapshot, &all).await?;
    let mut target_selectors = selectors.split_off(wanted.len()).into_iter();
    let mut actions = Vec::new();
    let mut elements = Vec::new();
    for (((mut choice, element), selector), target) in wanted.into_iter().zip(selectors).zip(targets) {
        if target.is_some()
            && let (Some(argument), Some(selector)) =
                (choice.arguments.first_mut(), target_selectors.next().flatten())
        {
            *argument = selector;
        }
        let Some(selector) = selector else {
            continue;
        };
        actions.push(Action {
            selector,
            description: choice.description,
            method: Some(choice.method),
            arguments: choice.arguments,
        });
        elements.push(element);
    }
    Ok((actions, elements))
}

fn parameters_of(request: &ObserveRequest) -> Value {
    let options = &request.options;
    let mut parameters = serde_json::Map::new();
    if !request.instruction.is_empty() {
        parameters.insert("instruction".to_owned(), request.instruction.clone().into());
    }
    if let Some(selector) = &options.selector {
        parameters.insert("selector".to_owned(), selector.clone().into());
    }
    if !options.ignore_selectors.is_empty() {
        parameters.insert("ignoreSelectors".to_owned(), json!(options.ignore_selectors));
    }
    if !options.variables.is_empty() {
        let names: Vec<&String> = options.variables.keys().collect();
        parameters.insert("variables".to_owned(), json!(names));
    }
    if let Some(model) = &options.model {
        parameters.insert("model".to_owned(), model.model_name.clone().into());
    }
    Value::Object(parameters)
}
