//! Doing again what an earlier run did: without a model where the page is as it was, with one question where it is
//! not, and not at all beyond that.
//!
//! What was said at the end is said again only where it still holds: every extraction has to give what it gave then.
//! Where none follows the last deed, the page has to say at the end what that had brought about then, or nobody knows
//! what has come of it; and an output that no extraction vouches for needs all pages to say what they said.

use automator_llm::ToolCall;
use serde_json::{Map, Value, json};

use super::driving::{action, address_now, begin_call, end_call, finish_step, limited};
use super::event::AgentEvent;
use super::extracted_text;
use super::plan::{Before, KeptStep, Plan, PlanStep, hash_of};
use super::progress::Progress;
use super::run::{Run, ends_the_run};
use super::tools::{Planned, go, press, scroll};
use super::view::{at_rest, read_now, short};
use super::vouching::is_same;
use crate::Result;
use crate::act::ActInput;
use crate::asking::hiding;
use crate::cache::KnownAction;
use crate::page::Page;
use crate::reading::{read, scope};
use crate::replay::{find, without_ids};

/// Most characters of a step that are told.
const LONGEST: usize = 200;

/// How far it came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Replayed {
    /// To the end, where all is as it was; with the steps as they are now, if one of them had to be asked about.
    Whole(Option<Vec<KeptStep>>),
    /// To the end, where what was said then may not hold any more.
    Done,
    /// Only so far; the model goes on from there.
    Part,
}

/// What came of one step.
enum Again {
    /// It was done: as the last time, or as a model found it anew.
    Done { step: PlanStep, is_new: bool },
    /// The page is not as it was.
    Misfit(String),
}

/// Does the steps of a plan as far as they go.
///
/// # Errors
/// A browser that is lost.
pub(super) async fn replay(run: &Run<'_>, progress: &mut Progress, plan: &Plan) -> Result<Replayed> {
    let rests_on_pages = plan.rests_on_pages();
    let mut holds = true;
    let mut is_changed = false;
    let mut steps = Vec::new();
    for (then, number) in plan.steps.iter().zip(1..) {
        let mut page = then.page.clone();
        // A plan that does not know its pages comes to know them.
        if rests_on_pages && (then.page.is_some() || !plan.knows_pages()) {
            page = page_before(run, progress, then).await?;
            holds &= page == then.page;
        }
        let (step, is_new) = match told_again(run, progress, then, number).await? {
            Again::Done { step, is_new } => (step, is_new),
            Again::Misfit(_) => return Ok(Replayed::Part),
        };
        let is_as_then = reads_the_same(&then.step, &step);
        let kept = KeptStep {
            step,
            // Nobody has looked at what the page says where it gives something else.
            page: page.filter(|_| is_as_then || rests_on_pages),
        };
        progress.recorder.add(
            Planned::Steps(vec![kept.step.clone()]),
            Before {
                hash: kept.page.clone(),
                lines: None,
            },
        );
        steps.push(kept);
        is_changed |= is_new;
        holds &= is_as_then;
        // What was done next may have been decided by what was read.
        if !is_as_then
            && plan
                .steps
                .iter()
                .skip(steps.len())
                .any(|next| !next.step.only_reads())
        {
            tell(
                run,
                "the page says something else than then; the model goes on from here",
                &then.step,
            );
            return Ok(Replayed::Part);
        }
    }
    if rests_on_pages {
        holds = holds && plan.last_page.is_some() && hash_now(run, progress).await? == plan.last_page;
    } else if !plan.reads_what_came() {
        holds = holds && ends_as_then(run, progress, plan).await?;
    }
    if holds {
        run.session.log.info("cache", "done from memory", &[]);
        return Ok(Replayed::Whole(is_changed.then_some(steps)));
    }
    let message =
        "done from memory; the pages say something else than then, so the model says what came of it";
    run.session.log.info("cache", message, &[]);
    Ok(Replayed::Done)
}

/// What the page says before a step, as a hash. What is not as it was then is told: the end may be about it.
async fn page_before(run: &Run<'_>, progress: &mut Progress, then: &KeptStep) -> Result<Option<String>> {
    let Some(text) = text_now(run, progress).await? else {
        return Ok(None);
    };
    let hash = Some(hash_of(run, &text));
    if hash != then.page {
        let said = run.mask(&without_ids(&text));
        progress
            .conversation
            .add_done_again(&format!("the page said: {said}"));
    }
    Ok(hash)
}

/// Whether the last page says what the last deed had brought about then. What it says else is told: the end may be
/// about it.
async fn ends_as_then(run: &Run<'_>, progress: &mut Progress, plan: &Plan) -> Result<bool> {
    let page = progress.tabs.page(run).await?;
    // What is there already needs no page at rest.
    match text_soon(&page).await {
        Ok(text) if plan.ends_on(run, &text) => return Ok(true),
        Err(error) if ends_the_run(&error) => return Err(error),
        _ => {}
    }
    let Some(text) = text_now(run, progress).await? else {
        return Ok(false);
    };
    let is_as_then = plan.ends_on(run, &text);
    if !is_as_then {
        let said = run.mask(&without_ids(&text));
        progress
            .conversation
            .add_done_again(&format!("the page said at the end: {said}"));
    }
    Ok(is_as_then)
}

/// What the page says once what has begun is through, at rest or not.
async fn text_soon(page: &Page) -> Result<String> {
    page.settle_briefly().await?;
    Ok(read_now(page).await?.text().to_owned())
}

async fn hash_now(run: &Run<'_>, progress: &mut Progress) -> Result<Option<String>> {
    let text = text_now(run, progress).await?;
    Ok(text.map(|text| hash_of(run, &text)))
}

/// What the page says now; none when it cannot be read.
async fn text_now(run: &Run<'_>, progress: &mut Progress) -> Result<Option<String>> {
    let page = progress.tabs.page(run).await?;
    // As the model has seen it: an empty page says nothing.
    if page.url() == "about:blank" {
        return Ok(Some(String::new()));
    }
    match at_rest(&page, run.tool_limit()).await {
        Ok(snapshot) => Ok(Some(snapshot.text().to_owned())),
        Err(error) if ends_the_run(&error) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether a step has read what it read then.
fn reads_the_same(then: &PlanStep, now: &PlanStep) -> bool {
    match (then, now) {
        (PlanStep::Extract { value: then, .. }, PlanStep::Extract { value: now, .. }) => is_same(then, now),
        _ => true,
    }
}

/// Does one step, and tells of it as of a call of its tool.
async fn told_again(run: &Run<'_>, progress: &mut Progress, then: &KeptStep, number: u32) -> Result<Again> {
    let (kind, arguments) = told(&then.step);
    let call = ToolCall {
        id: format!("memory_{number}"),
        name: kind.to_owned(),
        arguments: Value::Object(arguments),
        signatures: Vec::new(),
    };
    run.listeners.tell(AgentEvent::ToolCall {
        step: number,
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        input: run.mask_value(call.arguments.clone()),
    });
    begin_call(run, progress, &call, "").await;
    let doing = Box::pin(hiding(&run.variables, again(run, progress, then)));
    let outcome = match limited(run, kind, doing).await {
        Ok(outcome) => outcome,
        Err(error) if ends_the_run(&error) => return Err(error),
        Err(error) => Again::Misfit(error.to_string()),
    };
    let mut more = Map::from_iter([("fromMemory".to_owned(), true.into())]);
    let (is_success, line) = match &outcome {
        Again::Done { step, .. } => {
            let mut digest = format!("{}: done", in_words(step));
            if let PlanStep::Extract { value, .. } = step {
                digest = format!("{digest}: {value}");
            }
            more.extend(came_of(step));
            progress.conversation.add_done_again(&run.mask(&digest));
            (true, "done".to_owned())
        }
        Again::Misfit(why) => {
            let why = run.mask(why);
            tell(
                run,
                &format!("the page is not as it was; the model goes on from here: {why}"),
                &then.step,
            );
            let line = format!("failed: {}", short(&why, LONGEST));
            let digest = format!("{}: {line}", in_words(&then.step));
            progress.conversation.add_done(&digest);
            (false, line)
        }
    };
    let page_url = address_now(run, progress).await;
    let action = action(run, &call, is_success, &line, more, "", page_url);
    end_call(progress, action.clone());
    run.listeners.tell(AgentEvent::ToolResult {
        step: number,
        tool_call_id: call.id,
        tool_name: call.name,
        action,
        is_error: !is_success,
    });
    finish_step(run, number, String::new());
    Ok(outcome)
}

fn tell(run: &Run<'_>, message: &str, step: &PlanStep) {
    run.session
        .log
        .info("cache", message, &[("step", in_words(step))]);
}

async fn again(run: &Run<'_>, progress: &mut Progress, then: &KeptStep) -> Result<Again> {
    let page = progress.tabs.page(run).await?;
    match &then.step {
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
        PlanStep::Extract {
            instruction,
            schema,
            value,
        } => {
            let found = run
                .extract_from_memory(&page, instruction, schema.clone())
                .await?;
            let value = match found {
                Some(found) => extracted_text(run.mask_value(found), schema.is_some()),
                // How it was taken is not known; what says the same gives the same.
                None if then.page.is_some() && hash_now(run, progress).await? == then.page => value.clone(),
                None => {
                    let found = run.extract(&page, instruction, schema.clone()).await?;
                    extracted_text(run.mask_value(found), schema.is_some())
                }
            };
            return Ok(Again::Done {
                step: PlanStep::Extract {
                    instruction: instruction.clone(),
                    schema: schema.clone(),
                    value,
                },
                is_new: false,
            });
        }
    }
    Ok(Again::Done {
        step: then.step.clone(),
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
            is_new: true,
        },
        _ => Again::Misfit(result.message),
    })
}

/// The tool of a step, and its arguments.
fn told(step: &PlanStep) -> (&'static str, Map<String, Value>) {
    let (kind, arguments) = match step {
        PlanStep::Act { instruction, .. } => ("act", json!({ "action": instruction })),
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
        PlanStep::Extract {
            instruction, schema, ..
        } => match schema {
            Some(schema) => ("extract", json!({ "instruction": instruction, "schema": schema })),
            None => ("extract", json!({ "instruction": instruction })),
        },
    };
    match arguments {
        Value::Object(arguments) => (kind, arguments),
        _ => (kind, Map::new()),
    }
}

/// What a tool tells of its call besides.
fn came_of(step: &PlanStep) -> Option<(String, Value)> {
    match step {
        PlanStep::Act { actions, .. } => {
            let actions: Vec<_> = actions.iter().map(|known| &known.action).collect();
            Some(("actions".to_owned(), json!(actions)))
        }
        PlanStep::Extract { value, .. } => Some(("extraction".to_owned(), value.clone())),
        _ => None,
    }
}

fn in_words(step: &PlanStep) -> String {
    let (kind, arguments) = told(step);
    let arguments = short(&Value::Object(arguments).to_string(), LONGEST);
    // Ids of that time are none of this one.
    without_ids(&format!("{kind} {arguments}"))
}
