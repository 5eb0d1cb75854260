//! Doing again what an earlier run did: without a model where the page is as it was, with one question where it is
//! not, and not at all beyond that.

use serde_json::{Map, Value, json};

use super::extracted_text;
use super::plan::{Plan, PlanStep};
use super::progress::Progress;
use super::result::AgentAction;
use super::run::{Run, ends_the_run};
use super::tools::{Planned, go, press, scroll};
use super::view::short;
use crate::act::ActInput;
use crate::asking::hiding_typed;
use crate::cache::KnownAction;
use crate::page::Page;
use crate::reading::{read, scope};
use crate::replay::{find, without_ids};
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result};

/// Most characters of a step that are told.
const LONGEST: usize = 200;

/// How far it came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Replayed {
    /// To the end; with the steps as they are now, if one of them had to be asked about.
    Whole(Option<Vec<PlanStep>>),
    /// Only so far; the model goes on from there.
    Part,
}

/// What came of one step.
enum Again {
    /// It was done: as the last time, or as a model found it anew.
    Done {
        step: PlanStep,
        value: Option<Value>,
        is_new: bool,
    },
    /// The page is not as it was.
    Misfit(String),
}

/// Does the steps of a plan as far as they go.
///
/// # Errors
/// A browser that is lost.
pub(super) async fn replay(run: &Run<'_>, progress: &mut Progress, plan: &Plan) -> Result<Replayed> {
    let mut is_changed = false;
    let mut steps = Vec::new();
    for step in &plan.steps {
        let outcome = match limited(run, Box::pin(hiding_typed(again(run, progress, step)))).await {
            Ok(outcome) => outcome,
            Err(error) if ends_the_run(&error) => return Err(error),
            Err(error) => Again::Misfit(error.to_string()),
        };
        match outcome {
            Again::Done { step, value, is_new } => {
                is_changed |= is_new;
                note(run, progress, &step, value).await;
                progress.recorder.add(Planned::Steps(vec![step.clone()]));
                steps.push(step);
            }
            Again::Misfit(why) => {
                let why = run.mask(&why);
                let details = [("step", in_words(step)), ("why", why.clone())];
                run.session.log.info(
                    "cache",
                    "the page is not as it was; the model goes on from here",
                    &details,
                );
                let failed = format!("{}: failed: {}", in_words(step), short(&why, LONGEST));
                progress.conversation.add_done(&failed);
                return Ok(Replayed::Part);
            }
        }
    }
    run.session.log.info("cache", "done from memory", &[]);
    Ok(Replayed::Whole(is_changed.then_some(steps)))
}

async fn limited<T>(run: &Run<'_>, work: std::pin::Pin<Box<impl Future<Output = Result<T>>>>) -> Result<T> {
    match run.tool_limit() {
        None => work.await,
        Some(limit) => tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let message = format!("timed out after {}", time_text(limit));
            Err(Error::new(ErrorKind::Timeout, message))
        }),
    }
}

async fn again(run: &Run<'_>, progress: &mut Progress, step: &PlanStep) -> Result<Again> {
    let page = progress.tabs.page(run).await?;
    let mut value = None;
    match step {
        PlanStep::Act { instruction, actions } => return act_again(run, &page, instruction, actions).await,
        // What the step before has begun comes to its end first.
        PlanStep::Goto { url } => {
            if let Some(why) = run.refusal_of_address(&page, url).await {
                return Ok(Again::Misfit(why));
            }
            page.settle_briefly().await?;
            go(&page, url).await?;
        }
        PlanStep::Navback => {
            page.settle_briefly().await?;
            page.go_back().await?;
        }
        PlanStep::Scroll {
            direction,
            percentage,
        } => {
            page.settle_briefly().await?;
            scroll(&page, *direction, *percentage).await?;
        }
        PlanStep::Keys { keys } => {
            page.settle().await?;
            if let Some(why) = press(run, &page, keys).await? {
                return Ok(Again::Misfit(why));
            }
        }
        PlanStep::Wait { time_ms } => {
            page.wait_for_timeout(std::time::Duration::from_millis(*time_ms))
                .await?;
        }
        PlanStep::Extract { instruction, schema } => {
            let found = run
                .extract_from_memory(&page, instruction, schema.clone())
                .await?;
            value = found.map(|found| extracted_text(run.mask_value(found), schema.is_some()));
        }
    }
    Ok(Again::Done {
        step: step.clone(),
        value,
        is_new: false,
    })
}

/// Does actions whose elements are as they were; when the first one's is not, asks once what it is now.
async fn act_again(run: &Run<'_>, page: &Page, instruction: &str, actions: &[KnownAction]) -> Result<Again> {
    for (index, known) in actions.iter().enumerate() {
        let is_there = is_there(run, page, known).await?;
        if !is_there && index == 0 {
            return asked_anew(run, page, instruction).await;
        }
        if !is_there {
            return Ok(Again::Misfit(format!(
                "the element of `{}` is not there as it was",
                known.action.description
            )));
        }
        let result = run.act_again(page, known.action.clone()).await?;
        if !result.success {
            return Ok(Again::Misfit(result.message));
        }
    }
    Ok(Again::Done {
        step: PlanStep::Act {
            instruction: instruction.to_owned(),
            actions: actions.to_vec(),
        },
        value: None,
        is_new: false,
    })
}

/// Whether the element of an action is as it was. What is there already needs no page at rest, and no frame that it is
/// not in; what is not may come until then.
async fn is_there(run: &Run<'_>, page: &Page, known: &KnownAction) -> Result<bool> {
    if is_in_frame(&known.action.selector) {
        page.settle_briefly().await?;
        if finds(run, page, known, true).await? {
            return Ok(true);
        }
    } else {
        page.settle_scripts().await?;
        if finds(run, page, known, false).await? {
            return Ok(true);
        }
    }
    page.settle().await?;
    finds(run, page, known, true).await
}

/// Whether a path leads into a frame.
fn is_in_frame(selector: &str) -> bool {
    ["/iframe", "/frame"].iter().any(|step| selector.contains(step))
}

async fn finds(run: &Run<'_>, page: &Page, known: &KnownAction, with_frames: bool) -> Result<bool> {
    let mut scope = scope(None, &[], std::time::Duration::ZERO)?;
    scope.without_frames = !with_frames;
    let snapshot = read(page, &scope).await?;
    let found = find(page, &snapshot, known, &|text| run.mask(text)).await?;
    Ok(found.is_some())
}

async fn asked_anew(run: &Run<'_>, page: &Page, instruction: &str) -> Result<Again> {
    let (result, known) = run.act(page, ActInput::from(instruction)).await?;
    Ok(match known {
        Some(actions) if result.success => Again::Done {
            step: PlanStep::Act {
                instruction: instruction.to_owned(),
                actions,
            },
            value: None,
            is_new: true,
        },
        _ => Again::Misfit(result.message),
    })
}

/// Tells of a step as of a call of its tool.
async fn note(run: &Run<'_>, progress: &mut Progress, step: &PlanStep, value: Option<Value>) {
    let page_url = match progress.tabs.page(run).await {
        Ok(page) => run.mask(&page.url()),
        Err(_) => String::new(),
    };
    let (kind, mut details) = told(step);
    details.insert("success".to_owned(), true.into());
    details.insert("fromMemory".to_owned(), true.into());
    let mut digest = format!("{}: done", in_words(step));
    if let Some(value) = value {
        digest = format!("{digest}: {value}");
        details.insert("extraction".to_owned(), value);
    }
    progress.conversation.add_done(&digest);
    let details = match run.mask_value(Value::Object(details)) {
        Value::Object(details) => details,
        _ => Map::new(),
    };
    progress.actions.push(AgentAction {
        kind: kind.to_owned(),
        reasoning: None,
        task_completed: false,
        page_url,
        timestamp: jiff::Timestamp::now().as_millisecond(),
        details,
    });
}

fn told(step: &PlanStep) -> (&'static str, Map<String, Value>) {
    let (kind, details) = match step {
        PlanStep::Act { instruction, actions } => {
            let actions: Vec<_> = actions.iter().map(|known| &known.action).collect();
            ("act", json!({ "action": instruction, "actions": actions }))
        }
        PlanStep::Goto { url } => ("goto", json!({ "url": url })),
        PlanStep::Navback => ("navback", json!({})),
        PlanStep::Scroll {
            direction,
            percentage,
        } => (
            "scroll",
            json!({ "direction": direction, "percentage": percentage }),
        ),
        PlanStep::Keys { keys } => ("keys", json!(keys)),
        PlanStep::Wait { time_ms } => ("wait", json!({ "timeMs": time_ms })),
        PlanStep::Extract { instruction, schema } => {
            ("extract", json!({ "instruction": instruction, "schema": schema }))
        }
    };
    match details {
        Value::Object(details) => (kind, details),
        _ => (kind, Map::new()),
    }
}

fn in_words(step: &PlanStep) -> String {
    let (kind, mut details) = told(step);
    details.remove("actions");
    let arguments = short(&Value::Object(details).to_string(), LONGEST);
    // Ids of that time are none of this one.
    without_ids(&format!("{kind} {arguments}"))
}
