//! The mode `cua`: a model that was made for using computers sees the window, and says what to do there.
//!
//! picture → model → mouse and keyboard → picture → … → judgement. [`doing`] is what is done, [`dialogue`] what the
//! model is sent of it. Limits, questions to the user and the result are those of the other modes.

mod dialogue;
mod doing;
mod size;

use std::sync::Arc;

use automator_llm::{
    ComputerCall, ComputerClient, ComputerReply, ComputerResult, ComputerTurn, Message, RetryPolicy, Screen,
    ToolCall, Wanted, use_computer,
};
use serde_json::json;

use super::closing::close;
use super::driving::{
    Ending, LONGEST_DATA, LONGEST_DIGEST, Means, USUAL_STEPS, action, add_what_else_came, begin_call,
    circles, digest, end_call, finish_step, in_bounds, limited, refuse_downloads, tell_unkept, words_of,
};
use super::event::AgentEvent;
use super::progress::Progress;
use super::repeats::{Called, Verdict, hash_of};
use super::run::{Run, ends_the_run};
use super::tools::screenshot::{picture, scale_of};
use super::tools::scroll::Layout;
use super::tools::{Outcome, Place};
use super::view::short;
use crate::asking::hiding;
use crate::options::AgentConfig;
use crate::page::Page;
use crate::prompts::agent as prompts;
use crate::session::Session;
use crate::{Error, Result};
use dialogue::Dialogue;

/// Most characters of an address that are told.
const LONGEST_ADDRESS: usize = 300;

/// How often a picture is tried, since a page may go away meanwhile.
const TRIES: usize = 2;

/// What is told of everything after something that did not work.
const AFTER_A_FAILURE: &str = "it was not done, since what came before it failed";

/// The client of the agent's model.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a model that does not use computers, and for
/// a client of the user's own; those of the model object.
pub(super) fn client(session: &Session, config: &AgentConfig) -> Result<Arc<dyn ComputerClient>> {
    session.models.computer(config.model.as_ref())?.ok_or_else(|| {
        let name = session.models.name(config.model.as_ref());
        Error::invalid_argument(format!("{name} does not use computers here, as mode \"cua\" wants"))
            .hint(
                "use a model such as \"anthropic/claude-sonnet-4-5\" or \"openai/gpt-5.4\" (by the Responses interface), \
                 or mode \"dom\" or \"hybrid\"",
            )
    })
}

/// The window as the model is shown it.
struct Sight {
    screen: Screen,
    layout: Layout,
    /// Pixels of the picture for each CSS pixel.
    scale: f64,
    url: String,
}

impl Sight {
    /// Looks at the window once the page is at rest.
    async fn of(run: &Run<'_>, page: &Page) -> Result<Self> {
        let mut failure = None;
        for _ in 0..TRIES {
            match Self::once(run, page).await {
                Err(error) if !ends_the_run(&error) => failure = Some(error),
                looked => return looked,
            }
        }
        Err(failure.unwrap_or_else(|| Error::invalid_argument("the window was not looked at")))
    }

    async fn once(run: &Run<'_>, page: &Page) -> Result<Self> {
        page.settle().await?;
        let layout = Layout::of(page).await?;
        let scale = scale_of(layout);
        let picture = picture(page).await?;
        // Bars that scroll are in the picture, and not in the layout.
        let (width, height) = size::of_jpeg(&picture.bytes)
            .unwrap_or_else(|| (pixels(layout.width * scale), pixels(layout.height * scale)));
        let screen = Screen {
            picture,
            width,
            height,
        };
        Ok(Self {
            screen,
            layout,
            scale,
            url: short(&run.mask_address(&page.url()), LONGEST_ADDRESS),
        })
    }

    /// A place of the window, in CSS pixels.
    fn place(&self, run: &Run<'_>, (x, y): (f64, f64)) -> Result<(f64, f64)> {
        let window = (self.layout.width, self.layout.height);
        run.unit.place(&[x, y], window, self.scale)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides of pictures are small whole numbers"
)]
fn pixels(side: f64) -> u32 {
    side.round().clamp(1.0, 65_535.0) as u32
}

/// Runs to the end.
///
/// # Errors
/// Those of the model, of looking at the window, and of a browser that is lost.
pub(super) async fn drive(
    run: &Run<'_>,
    means: &Means<'_>,
    client: &dyn ComputerClient,
    progress: &mut Progress,
) -> Result<Ending> {
    if let Some(stopped) = Box::pin(steps(run, means, client, progress)).await? {
        return Ok(Ending::Stopped(stopped));
    }
    let page = progress.tabs.page(run).await?;
    let sight = Sight::of(run, &page).await.ok();
    let shown = sight
        .map(|sight| sight.screen.picture)
        .filter(|_| run.client.accepts_images());
    match close(run, progress, None, shown).await {
        Ok(closing) => Ok(Ending::Closed(closing)),
        Err(why) => Ok(Ending::NotClosed(run.mask(&why))),
    }
}

/// The steps until the model answers in words or has none left; gives what stopped it.
async fn steps(
    run: &Run<'_>,
    means: &Means<'_>,
    client: &dyn ComputerClient,
    progress: &mut Progress,
) -> Result<Option<String>> {
    let reached = || means.budget.reached(run.meter.total(), run.inner.total());
    let mut dialogue = Dialogue::new(client.turns_in_full());
    let mut mouse = None;
    for step in 1..=run.options.max_steps.unwrap_or(USUAL_STEPS) {
        if let Some(limit) = reached() {
            return Ok(Some(limit));
        }
        let page = progress.tabs.page(run).await?;
        let sight = Sight::of(run, &page).await?;
        if let Some(stopped) = looked_after(means, progress, &mut dialogue, &sight, step) {
            return Ok(Some(stopped));
        }
        let reply = ask(run, means, client, progress, &mut dialogue, &sight, step).await?;
        if step == 1 {
            tell_unkept(run, &means.budget);
        }
        let text = words_of(run, progress, step, &reply.text);
        if reply.calls.is_empty() {
            let said = Message::assistant(text.as_str());
            progress.conversation.add_turn(said, Vec::new(), None);
            finish_step(run, step, text);
            return Ok(None);
        }
        if let Some(limit) = reached() {
            return Ok(Some(limit));
        }
        if let Some(refused) = unconfirmed(run, &page, &reply.calls).await {
            return Ok(Some(refused));
        }
        let mut done = Done::default();
        for call in &reply.calls {
            let at = At {
                sight: &sight,
                step,
                words: &text,
            };
            Box::pin(one_call(run, means, progress, call, at, &mut mouse, &mut done)).await?;
        }
        let turn = ComputerTurn {
            said: reply.said,
            results: done.results,
            note: None,
        };
        dialogue.add(turn, done.digests, done.named);
        finish_step(run, step, text);
    }
    Ok(None)
}

/// Notes what the last turn has come to, now that it can be seen; says when the run goes in circles.
fn looked_after(
    means: &Means<'_>,
    progress: &mut Progress,
    dialogue: &mut Dialogue,
    sight: &Sight,
    step: u32,
) -> Option<String> {
    let (names, told) = dialogue.last_done()?;
    let mut each = names.split(", ");
    let verdict = progress.repeats.note(Called {
        step,
        tool: &names,
        arguments: &json!(told),
        line: "",
        is_to_be_repeated: each.all(|name| means.toolbox.is_to_be_repeated(name)),
        state: hash_of(&(&sight.url, &sight.screen.picture.bytes)),
        picture: None,
        glimpse: None,
    });
    match verdict {
        Verdict::New => None,
        Verdict::Repeated => {
            dialogue.note(prompts::repeated(&names));
            None
        }
        Verdict::Circles => Some(circles(&names)),
    }
}

async fn ask(
    run: &Run<'_>,
    means: &Means<'_>,
    client: &dyn ComputerClient,
    progress: &Progress,
    dialogue: &mut Dialogue,
    sight: &Sight,
    step: u32,
) -> Result<ComputerReply> {
    run.listeners.tell(AgentEvent::StartStep { step });
    let specs = means.toolbox.specs().to_vec();
    let beginning = progress.conversation.beginning();
    let request = dialogue.request(beginning, &sight.url, &sight.screen, specs);
    let details = [("model", client.model_name().to_owned())];
    run.session.log.debug("llm", "asking the model", &details);
    let mut reply = use_computer(client, &request, RetryPolicy::default(), &run.meter).await?;
    // The results are told by the ids.
    for (index, call) in reply
        .calls
        .iter_mut()
        .enumerate()
        .filter(|(_, call)| call.id.is_empty())
    {
        call.id = format!("call_{step}_{index}");
    }
    Ok(reply)
}

/// What the provider wants confirmed and nobody has.
async fn unconfirmed(run: &Run<'_>, page: &Page, calls: &[ComputerCall]) -> Option<String> {
    for check in calls.iter().flat_map(|call| &call.checks) {
        let words = [check.code.trim(), check.message.trim()];
        let told: Vec<&str> = words.into_iter().filter(|words| !words.is_empty()).collect();
        let told = short(&told.join(": "), LONGEST_ADDRESS);
        let is_confirmed = match &run.confirming {
            Some(confirming) => confirming.confirms_check(page, &told).await,
            None => false,
        };
        if !is_confirmed {
            let told = run.mask(&told);
            return Some(format!(
                "the model's provider wants a confirmation, and nobody has given it: {told}"
            ));
        }
    }
    None
}

/// What has been done in a turn so far.
#[derive(Default)]
struct Done {
    results: Vec<ComputerResult>,
    digests: Vec<String>,
    /// The name and the arguments of each call.
    named: Vec<(String, String)>,
    has_failed: bool,
}

/// When something is done, and on what sight.
#[derive(Clone, Copy)]
struct At<'a> {
    sight: &'a Sight,
    step: u32,
    words: &'a str,
}

/// Does one thing, and says what came of it.
async fn one_call(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    call: &ComputerCall,
    at: At<'_>,
    mouse: &mut Option<(f64, f64)>,
    done: &mut Done,
) -> Result<()> {
    let told = told(call, done);
    run.listeners.tell(AgentEvent::ToolCall {
        step: at.step,
        tool_call_id: told.id.clone(),
        tool_name: told.name.clone(),
        input: run.mask_value(told.arguments.clone()),
    });
    begin_call(run, progress, &told, at.words).await;
    let mut outcome = if done.has_failed {
        Outcome::failed(AFTER_A_FAILURE)
    } else {
        called(run, means, progress, call, at.sight, mouse).await?
    };
    if let Some(tab) = &outcome.turns_to {
        progress.tabs.turn_to(run, tab)?;
    }
    let url = match progress.tabs.page(run).await {
        Ok(page) => run.mask_address(&page.url()),
        Err(error) if ends_the_run(&error) => return Err(error),
        Err(_) => String::new(),
    };
    refuse_downloads(run, progress, &mut outcome).await;
    add_what_else_came(run, means, progress, &told.name, &mut outcome);
    done.has_failed |= !outcome.is_success;
    let mut line = outcome.line;
    if let Some(data) = &outcome.data {
        line = format!(
            "{line}\n{}",
            prompts::data(&in_bounds(&run.mask(data), LONGEST_DATA))
        );
    }
    let details = [
        ("tool", told.name.clone()),
        ("outcome", short(&line, LONGEST_DIGEST)),
    ];
    run.session.log.info("agent", "called a tool", &details);
    let is_success = outcome.is_success;
    let action = action(run, &told, is_success, &line, outcome.details, at.words, url);
    end_call(progress, action.clone());
    run.listeners.tell(AgentEvent::ToolResult {
        step: at.step,
        tool_call_id: told.id.clone(),
        tool_name: told.name.clone(),
        action,
        is_error: !is_success,
    });
    let digest = run.mask(&digest(&told, &line, outcome.data.is_some()));
    progress.conversation.add_done(&digest);
    done.digests.push(digest);
    done.named.push((told.name, format!("{} {line}", told.arguments)));
    done.results.push(ComputerResult {
        call_id: call.id.clone(),
        // The picture says that it is done.
        text: if line == doing::DONE { String::new() } else { line },
        is_error: !is_success,
    });
    Ok(())
}

/// The call as it is told to those who listen, and in the result. Of several actions of one call each has an id of its
/// own there.
fn told(call: &ComputerCall, done: &Done) -> ToolCall {
    let (name, arguments) = match &call.wanted {
        Wanted::Action(action) => {
            let (name, arguments) = doing::told(action);
            (name.to_owned(), arguments)
        }
        Wanted::Tool { name, arguments } => (name.clone(), arguments.clone()),
        Wanted::Unusable { name, .. } => (name.clone(), json!({})),
    };
    let before = done
        .results
        .iter()
        .filter(|result| result.call_id == call.id)
        .count();
    let id = match before {
        0 => call.id.clone(),
        number => format!("{}_{number}", call.id),
    };
    ToolCall {
        id,
        name,
        arguments,
        signatures: Vec::new(),
    }
}

/// What came of the call itself; what goes wrong in it is for the model to read.
async fn called(
    run: &Run<'_>,
    means: &Means<'_>,
    progress: &mut Progress,
    call: &ComputerCall,
    sight: &Sight,
    mouse: &mut Option<(f64, f64)>,
) -> Result<Outcome> {
    let name = match &call.wanted {
        Wanted::Action(action) => doing::told(action).0,
        Wanted::Tool { name, .. } | Wanted::Unusable { name, .. } => name,
    };
    let calling = async {
        let page = progress.tabs.page(run).await?;
        progress.tabs.begin_call(run, &page);
        let place = Place {
            run,
            page: &page,
            view: &progress.view,
        };
        match &call.wanted {
            Wanted::Action(action) => doing::act(&place, sight, action, mouse).await,
            Wanted::Tool { name, arguments } => means.toolbox.call(&place, name, arguments).await,
            Wanted::Unusable { problem, .. } => Ok(Outcome::failed(problem.as_str())),
        }
    };
    match limited(run, name, Box::pin(hiding(&run.variables, calling))).await {
        Ok(outcome) => Ok(outcome),
        Err(error) if ends_the_run(&error) => Err(error),
        Err(error) => Ok(Outcome::failed(run.mask(&error.without_operation()))),
    }
}
