//! The loop: ask, do, tell, until the model answers in words or a limit is reached.

use std::time::Instant;

use automator_llm::{GenerateReply, GenerateRequest, RetryPolicy, ToolCall, take_turn};
use serde_json::{Map, Value};

use super::closing::{Closing, Output, close};
use super::conversation::{Pages, Told};
use super::event::AgentEvent;
use super::limits::Budget;
use super::plan::{self, Plan};
use super::progress::Progress;
use super::repeats::{Called, Verdict, hash_of};
use super::replaying::{Replayed, replay};
use super::result::AgentAction;
use super::run::{Run, ends_the_run};
use super::tools::{Outcome, Place, Planned, Toolbox};
use super::view::{Look, Shown, Want, glimpse, short};
use crate::asking::hiding;
use crate::prompts::agent as prompts;
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result};

/// How many times the model decides when the caller does not say.
pub(super) const USUAL_STEPS: u32 = 20;

/// The least pause between two looks at a limit that stands still.
const LEAST_PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// Most characters of arguments that are told of a step in short.
const LONGEST_ARGUMENTS: usize = 100;

/// Most characters of what a tool has read that the model is told.
pub(super) const LONGEST_DATA: usize = 40_000;

/// Most characters of what is told of a call besides what it has read.
const LONGEST_LINE: usize = 2_000;

/// Most characters of a step in short, but for what it has read.
pub(super) const LONGEST_DIGEST: usize = 200;

/// What is told of a call in the midst of which the run has ended.
pub(super) const UNDER_WAY: &str = "it was under way when the run ended, and may have been done";

/// How a run ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// The model has judged it.
    Closed(Closing),
    /// It was over, and the model did not judge it.
    NotClosed(String),
    /// A limit was reached.
    Stopped(String),
    /// It was done as the last time.
    Replayed(Plan),
}

/// What a run needs besides itself.
pub(super) struct Means<'m> {
    pub(super) toolbox: &'m Toolbox,
    pub(super) budget: Budget,
    pub(super) output: Option<&'m Output>,
}

/// Runs to the end.
///
/// # Errors
/// Those of the model and of a browser that is lost.
pub(super) async fn drive(run: &Run<'_>, means: &Means<'_>, progress: &mut Progress) -> Result<Ending> {
    let page = progress.tabs.page(run).await?;
    let question = plan::question(run, means.toolbox, &page.url());
    let mut is_done = false;
    if let Some(mut plan) = plan::known(run, &question).await {
        match Box::pin(replay(run, progress, &plan)).await? {
            Replayed::Whole(changed) => {
                if let Some(steps) = changed {
                    plan.steps = steps;
                    plan::keep(run, &question, plan.clone()).await;
                }
                return Ok(Ending::Replayed(plan));
            }
            Replayed::Done => is_done = true,
            Replayed::Part => {}
        }
    }
    begin(run, progress).await?;
    if !is_done && let Some(stopped) = Box::pin(steps(run, means, progress)).await? {
        return Ok(Ending::Stopped(stopped));
    }
    let closing = match close(run, progress, means.output, None).await {
        Ok(closing) => closing,
        Err(why) => return Ok(Ending::NotClosed(run.mask(&why))),
    };
    let recorder = std::mem::replace(&mut progress.recorder, plan::Recorder::new(false));
    if closing.is_complete && recorder.records() {
        let message = message_of(run, progress, &closing);
        let output = closing.output.clone().map(|output| run.mask_value(output));
        let text = progress.view.text();
        let end = plan::End {
            message,
            output,
            lines: plan::lines_of(run, text),
            last_page: plan::hash_of(run, text),
        };
        if let Some(kept) = recorder.into_plan(end) {
            plan::keep(run, &question, kept).await;
        }
    }
    Ok(Ending::Closed(closing))
}

/// What the model says of the end; what it has said last, when it says nothing then.
pub(super) fn message_of(run: &Run<'_>, progress: &Progress, closing: &Closing) -> String {
    if closing.reasoning.trim().is_empty() {
        progress.last_words.clone()
    } else {
        run.mask(&closing.reasoning)
    }
}

/// Shows the model the page that the task begins on.
async fn begin(run: &Run<'_>, progress: &mut Progress) -> Result<()> {
    let page = progress.tabs.page(run).await?;
    // An empty page says nothing.
    if page.url() == "about:blank" {
        return Ok(());
    }
    let mask = |text: &str| run.mask(text);
    match progress
        .view
        .look(&page, Want::Whole, run.tool_limit(), &mask)
        .await
    {
        Ok(look) => progress.conversation.begin_on(look.shown.map(Shown::in_brief)),
        Err(error) if ends_the_run(&error) => return Err(error),
        Err(error) => run.session.log.error("agent", run.mask(&error.to_string()), &[]),
    }
    Ok(())
}

/// The steps until the model answers in words or has none left; gives which limit was reached.
async fn steps(run: &Run<'_>, means: &Means<'_>, progress: &mut Progress) -> Result<Option<String>> {
    let reached = || means.budget.reached(run.meter.total(), run.inner.total());
    // Those from memory have been told by numbers, too.
    let before = u32::try_from(progress.actions.len()).unwrap_or(u32::MAX);
    for step in 1..=run.options.max_steps.unwrap_or(USUAL_STEPS) {
        let step = step.saturating_add(before);
        if let Some(limit) = reached() {
            return Ok(Some(limit));
        }
        run.listeners.tell(AgentEvent::StartStep { step });
        let request = GenerateRequest {
            tools: means.toolbox.specs().to_vec(),
            ..GenerateRequest::new(
                progress
                    .conversation
                    .messages(Pages::Current, progress.view.epoch()),
            )
        };
        run.session.log.debug(
            "llm",
            "asking the model",
            &[("model", run.client.model_name().to_owned())],
        );
        let mut reply = take_turn(run.client.as_ref(), &request, RetryPolicy::default(), &run.meter).await?;
        if step == before.saturating_add(1) {
            tell_unkept(run, &means.budget);
        }
        name_calls(&mut reply, step);
        let text = words_of(run, progress, step, &reply.text);
        if reply.tool_calls.is_empty() {
            progress
                .conversation
                .add_turn(reply.to_message(), Vec::new(), None);
            finish_step(run, step, text);
            return Ok(None);
        }
        progress.data_room = progress.view.room_in_characters();
        let mut told = Vec::new();
        let mut note = None;
        let mut limit = None;
        for call in &reply.tool_calls {
            limit = limit.or_else(reached);
            if let Some(limit) = &limit {
                told.push(not_called(call, limit));
                continue;
            }
            let (answer, verdict) = Box::pin(one_call(run, means, progress, call, step, &text)).await?;
            told.push(answer);
            match verdict {
                Verdict::New => {}
                Verdict::Repeated => note = Some(prompts::repeated(&call.name)),
                Verdict::Circles => return Ok(Some(circles(&call.name))),
            }
        }
        progress.conversation.add_turn(reply.to_message(), told, note);
        finish_step(run, step, text);
        if limit.is_some() {
            return Ok(limit);
        }
    }
    Ok(None)
}

/// Tells after the first call of limits that cannot be kept.
pub(super) fn tell_unkept(run: &Run<'_>, budget: &Budget) {
    if let Some(message) = budget.unkept(run.meter.total()) {
        run.session.log.error("agent", message, &[]);
    }
}

/// A call that a limit has kept from being made.
fn not_called(call: &ToolCall, limit: &str) -> Told {
    let line = format!("not done: {limit}");
    Told {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        digest: digest(call, &line, false),
        line,
        shown: None,
        picture: None,
    }
}

/// Tells what the model has said in a step, and gives it.
pub(super) fn words_of(run: &Run<'_>, progress: &mut Progress, step: u32, said: &str) -> String {
    let text = run.mask(said.trim());
    if !text.is_empty() {
        progress.last_words.clone_from(&text);
        run.listeners.tell(AgentEvent::TextDelta {
            step,
            text: text.clone(),
        });
    }
    text
}

pub(super) fn finish_step(run: &Run<'_>, step: u32, text: String) {
    let usage = run.meter.total().into();
    run.listeners.tell(AgentEvent::FinishStep { step, text, usage });
}

pub(super) fn circles(tool: &str) -> String {
    format!("the run went in circles: `{tool}` was called again and again, and came to nothing new")
}

/// Gives calls without an id one, since their results are told by it.
fn name_calls(reply: &mut GenerateReply, step: u32) {
    for (index, call) in reply.tool_calls.iter_mut().enumerate() {
        if call.id.is_empty() {
            call.id = format!("call_{step}_{index}");
        }
    }
}

/// Calls one tool, looks at the page, and says what came of it.
async fn one_call(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    call: &ToolCall,
    step: u32,
    words: &str,
) -> Result<(Told, Verdict)> {
    run.listeners.tell(AgentEvent::ToolCall {
        step,
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        input: run.mask_value(call.arguments.clone()),
    });
    begin_call(run, progress, call, words).await;
    let page_before = page_before(run, progress);
    let mut outcome = called(run, means, progress, call).await?;
    if let Some(tab) = &outcome.turns_to {
        progress.tabs.turn_to(run, tab)?;
    }
    let (look, url) = looked(run, progress, &mut outcome).await?;
    refuse_downloads(run, progress, &mut outcome).await;
    add_what_else_came(run, means, progress, &call.name, &mut outcome);
    let mut line = prompts::line(&short(&std::mem::take(&mut outcome.line), LONGEST_LINE));
    let is_as_it_was = look.as_ref().is_some_and(|look| look.shown.is_none());
    let shown = look.and_then(|look| look.shown);
    if is_as_it_was {
        line.push_str("; the page is as it was");
        if !outcome.is_success && outcome.planned == Planned::Unknown {
            outcome.planned = Planned::Nothing;
        }
    }
    if let Some(data) = &outcome.data {
        let shown = in_bounds(&run.mask(data), progress.data_room);
        progress.data_room = progress.data_room.saturating_sub(shown.chars().count());
        line = format!("{line}\n{}", prompts::data(&shown));
    }
    let came = Came {
        step,
        line: &line,
        url: &url,
        is_as_it_was,
    };
    let verdict = Box::pin(judged(run, means, progress, call, &outcome, came)).await;
    progress.recorder.add(outcome.planned, page_before);
    let details = [
        ("tool", call.name.clone()),
        ("outcome", short(&line, LONGEST_DIGEST)),
    ];
    run.session.log.info("agent", "called a tool", &details);
    let action = action(run, call, outcome.is_success, &line, outcome.details, words, url);
    end_call(progress, action.clone());
    run.listeners.tell(AgentEvent::ToolResult {
        step,
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        action,
        is_error: !outcome.is_success,
    });
    let digest = digest(call, &line, outcome.data.is_some());
    let told = Told {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        line,
        shown,
        picture: outcome.picture,
        digest,
    };
    Ok((told, verdict))
}

/// Asks about what pages have begun to save during a call.
pub(super) async fn refuse_downloads(run: &Run<'_>, progress: &mut Progress, outcome: &mut Outcome) {
    if let Ok(page) = progress.tabs.page(run).await
        && let Some(why) = run.refusal_of_downloads(&page).await
    {
        outcome.fail(&why);
    }
}

/// The page that a call is made on, for the plan.
fn page_before(run: &Run<'_>, progress: &Progress) -> plan::Before {
    if !progress.recorder.records() {
        return plan::Before::default();
    }
    let text = progress.view.text();
    plan::Before {
        hash: Some(plan::hash_of(run, text)),
        lines: Some(plan::lines_of(run, text)),
    }
}

/// Adds to the answer of a call where the page was not let go, and what has become of tabs.
pub(super) fn add_what_else_came(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    tool: &str,
    outcome: &mut Outcome,
) {
    if let Some(why) = progress.tabs.take_refused(run) {
        if outcome.is_success && !means.toolbox.only_looks(tool) {
            outcome.fail(&why);
        } else if !outcome.line.contains(&why) {
            outcome.line.push_str("; the page was not let go on: ");
            outcome.line.push_str(&why);
        }
    }
    for told in progress.tabs.take_told() {
        outcome.line.push_str("; ");
        outcome.line.push_str(&told);
    }
}

/// Where a call has led to, and what it said.
#[derive(Clone, Copy)]
struct Came<'a> {
    step: u32,
    line: &'a str,
    url: &'a str,
    is_as_it_was: bool,
}

/// Whether a call has come to something new.
async fn judged(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    call: &ToolCall,
    outcome: &Outcome,
    came: Came<'_>,
) -> Verdict {
    let is_to_be_repeated = means.toolbox.is_to_be_repeated(&call.name);
    let picture = outcome.picture.as_ref().map(|picture| hash_of(&picture.bytes));
    let mut seen = None;
    if came.is_as_it_was
        && !is_to_be_repeated
        && picture.is_none()
        && let Ok(page) = progress.tabs.page(run).await
    {
        seen = glimpse(&page, run.tool_limit()).await;
    }
    progress.repeats.note(Called {
        step: came.step,
        tool: &call.name,
        arguments: &call.arguments,
        line: came.line,
        is_to_be_repeated,
        state: progress.view.state(came.url),
        picture,
        glimpse: seen,
    })
}

/// What came of the call itself; what goes wrong in it is for the model to read.
async fn called(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    call: &ToolCall,
) -> Result<Outcome> {
    let calling = async {
        let page = progress.tabs.page(run).await?;
        progress.tabs.begin_call(run, &page);
        let place = Place {
            run,
            page: &page,
            view: &progress.view,
        };
        means.toolbox.call(&place, &call.name, &call.arguments).await
    };
    match limited(run, &call.name, Box::pin(hiding(&run.variables, calling))).await {
        Ok(outcome) => Ok(outcome),
        Err(error) if ends_the_run(&error) => Err(error),
        Err(error) => {
            let mut outcome = Outcome::failed(run.mask(&error.without_operation()));
            // Arguments that could not be read have done nothing.
            if error.kind() != ErrorKind::InvalidArgument {
                outcome.look = Some(Want::Change);
                outcome.planned = Planned::Unknown;
            }
            Ok(outcome)
        }
    }
}

/// Runs a call under its limit of time, which stands still while the user is asked.
pub(super) async fn limited<T>(
    run: &Run<'_>,
    name: &str,
    mut work: std::pin::Pin<Box<impl Future<Output = Result<T>>>>,
) -> Result<T> {
    let Some(limit) = run.tool_limit() else {
        return work.await;
    };
    let started = Instant::now();
    let (before, _) = run.pauses.so_far();
    loop {
        let (paused, is_waiting) = run.pauses.so_far();
        let used = started.elapsed().saturating_sub(paused.saturating_sub(before));
        if used >= limit && !is_waiting {
            let message = format!("{name} timed out after {}", time_text(limit));
            return Err(Error::new(ErrorKind::Timeout, message));
        }
        let left = limit.saturating_sub(used).max(LEAST_PAUSE);
        if let Ok(outcome) = tokio::time::timeout(left, &mut work).await {
            return outcome;
        }
    }
}

/// Looks at the page when the call asks for it; gives the address, too.
async fn looked(
    run: &Run<'_>,
    progress: &mut Progress,
    outcome: &mut Outcome,
) -> Result<(Option<Look>, String)> {
    let page = match progress.tabs.page(run).await {
        Ok(page) => page,
        Err(error) if ends_the_run(&error) => return Err(error),
        // The last page was closed; the next call says so.
        Err(_) => return Ok((None, String::new())),
    };
    let url = run.mask_address(&page.url());
    let Some(want) = outcome.look else {
        return Ok((None, url));
    };
    let mask = |text: &str| run.mask(text);
    match progress.view.look(&page, want, run.tool_limit(), &mask).await {
        Ok(look) => Ok((Some(look), run.mask_address(&page.url()))),
        Err(error) if ends_the_run(&error) => Err(error),
        Err(error) => {
            // Reading was all that was asked for.
            if want == Want::Whole {
                outcome.fail("the page cannot be read now");
            } else {
                outcome.line.push_str("; the page cannot be read now");
            }
            run.session.log.error(
                "agent",
                run.mask(&format!("the page cannot be read: {error}")),
                &[],
            );
            Ok((None, url))
        }
    }
}

/// As much of what a tool has read as a model can be shown; the result of the run has all of it.
pub(super) fn in_bounds(data: &str, most: usize) -> String {
    let most = most.min(LONGEST_DATA);
    let rest = data.chars().count().saturating_sub(most);
    if rest == 0 {
        return data.to_owned();
    }
    let shown: String = data.chars().take(most).collect();
    format!("{shown}… ({rest} more characters)")
}

/// The call as the result of the run tells it.
pub(super) fn action(
    run: &Run<'_>,
    call: &ToolCall,
    is_success: bool,
    line: &str,
    more: Map<String, Value>,
    words: &str,
    page_url: String,
) -> AgentAction {
    let mut details = match run.mask_value(call.arguments.clone()) {
        Value::Object(arguments) => arguments,
        _ => Map::new(),
    };
    let reasoning = match details.remove("reasoning") {
        Some(Value::String(reasoning)) => Some(reasoning),
        _ => Some(words.to_owned()).filter(|words| !words.is_empty()),
    };
    // They would hide the members of the same names.
    for name in ["type", "taskCompleted", "pageUrl", "timestamp"] {
        if let Some(value) = details.remove(name) {
            details.insert(format!("{name}Argument"), value);
        }
    }
    details.insert("success".to_owned(), is_success.into());
    details.insert("message".to_owned(), run.mask(line).into());
    if let Value::Object(more) = run.mask_value(Value::Object(more)) {
        details.extend(more);
    }
    AgentAction {
        kind: call.name.clone(),
        reasoning,
        task_completed: false,
        page_url,
        timestamp: jiff::Timestamp::now().as_millisecond(),
        details,
    }
}

/// The address of the page that the run is on; empty when there is none.
pub(super) async fn address_now(run: &Run<'_>, progress: &mut Progress) -> String {
    match progress.tabs.page(run).await {
        Ok(page) => run.mask_address(&page.url()),
        Err(_) => String::new(),
    }
}

/// Notes a call that begins, for when the run ends in the midst of it.
pub(super) async fn begin_call(run: &Run<'_>, progress: &mut Progress, call: &ToolCall, words: &str) {
    let page_url = address_now(run, progress).await;
    progress.under_way = Some(action(run, call, false, UNDER_WAY, Map::new(), words, page_url));
}

/// Notes what came of a call.
pub(super) fn end_call(progress: &mut Progress, action: AgentAction) {
    progress.under_way = None;
    progress.actions.push(action);
}

/// The call in short, for when it is long ago.
pub(super) fn digest(call: &ToolCall, line: &str, has_data: bool) -> String {
    let arguments = short(&call.arguments.to_string(), LONGEST_ARGUMENTS);
    let told = format!("{} {arguments}: {line}", call.name);
    if has_data {
        told.replace("<page>", "").replace("</page>", "")
    } else {
        short(&told, LONGEST_DIGEST)
    }
}
