//! `act()`: session → page at rest → snapshot → prompt → model → done and looked at → result.
//!
//! An instruction takes one model call, a second for an action in two steps or for one whose element was not
//! there any more. A remembered or given action takes none.

mod away;
mod manner;
mod perform;
mod request;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::{LlmClient, Message, UsageMeter};
use automator_snapshot::{Element, Snapshot};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

pub(crate) use manner::{ActManner, Guard, WatchFuture};
pub use request::{Act, ActInput};

use crate::action::{ActResult, Action, Method};
use crate::asking::Asking;
use crate::brief::{asks_by_place, brief, names_something, without_alike, words_of};
use crate::cache::{Cache, KnownAction, Question};
use crate::choice::{Decision, Shape};
use crate::deadline::{page_of, under};
use crate::extract::parts;
use crate::named_files::NamedFiles;
use crate::observe::actions_of;
use crate::options::ActOptions;
use crate::page::Page;
use crate::prompts::{self, Task};
use crate::reading::{naming, read, scope};
use crate::records::{HistoryMethod, OperationGroup};
use crate::remote::{self, Accounts, Told};
use crate::replay;
use crate::service::{Answer, Asked};
use crate::session::Session;
use crate::variables::Variables;
use crate::{Error, ErrorKind, Result};
use perform::{Outcome, Target, Way, perform};

/// The limit of a call that sets none.
const DEFAULT_LIMIT: Duration = Duration::from_secs(60);

/// Most characters of a text that is told in brief.
const LONGEST_BRIEF: usize = 40;

/// What is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ActRequest {
    pub(crate) input: ActInput,
    pub(crate) options: ActOptions,
    pub(crate) manner: ActManner,
}

/// Runs one call under its deadline and records it.
pub(crate) async fn act(session: &Arc<Session>, request: &ActRequest) -> Result<ActResult> {
    let meter = request.options.service.meter.part();
    let limit = request.options.timeout.unwrap_or(DEFAULT_LIMIT);
    let variables = Variables::new(&request.options.variables).map_err(|error| error.during("act"))?;
    session.tell_unmasked(&variables);
    let told = Told::default();
    let accounts = Accounts {
        meter: &meter,
        told: &told,
    };
    let running = Box::pin(run(session, request, &variables, accounts, limit));
    let running = naming(&variables, running);
    let outcome = under(session, "act", limit, &request.options.service, running)
        .await
        .map(|result| masked(result, session, &variables))
        .map_err(|error| error.masked(&|text| session.masked_with(&variables, text)));
    session.records.count(OperationGroup::Act, meter.total());
    let result = match &outcome {
        Ok(result) => {
            let details = [
                ("success", result.success.to_string()),
                ("action", result.action_description.clone()),
            ];
            if !told.is_last("action", &result.message) {
                session.log.info("action", result.message.clone(), &details);
            }
            json!(ActResult {
                cache_status: None,
                ..result.clone()
            })
        }
        Err(error) => {
            let text = error.to_string();
            if !told.is_last("action", &text) {
                session.log.error("action", text, &[]);
            }
            Value::Null
        }
    };
    session
        .records
        .add_history(HistoryMethod::Act, parameters_of(request, &variables), result);
    outcome
}

async fn run(
    session: &Arc<Session>,
    request: &ActRequest,
    variables: &Variables,
    accounts: Accounts<'_>,
    limit: Duration,
) -> Result<ActResult> {
    let page = page_of(session, "act", request.options.page.as_ref()).await?;
    let named_in = match (&request.manner.task, &request.input) {
        (Some(task), _) => Some(task.as_str()),
        (None, ActInput::Instruction(instruction)) => Some(instruction.as_str()),
        (None, ActInput::Action(_)) => None,
    };
    let named = named_in.map(|words| NamedFiles { words, variables });
    let run = Run {
        session,
        page,
        options: &request.options,
        manner: &request.manner,
        variables,
        told: variables.told(),
        meter: accounts.meter,
        limit,
        client: OnceCell::new(),
        gives_files: named.is_some_and(NamedFiles::is_some),
        named,
    };
    // What somebody looks at before it is done is done here, and what gives the page a file of this machine.
    let is_of_here = || request.manner.guard.is_some() || run.gives_files_of_here(&request.input);
    if let Some(away) = remote::away(session).filter(|_| !is_of_here())
        && let Some(result) = run.away(&away, request, accounts).await?
    {
        return Ok(result);
    }
    match &request.input {
        ActInput::Instruction(text) => {
            let instruction = text.trim();
            if instruction.is_empty() {
                return Err(Error::invalid_argument("the instruction is empty").hint("say what to do"));
            }
            variables.check_named_in(instruction)?;
            run.instruction(instruction).await
        }
        ActInput::Action(action) => {
            for argument in &action.arguments {
                variables.check_argument(argument)?;
            }
            run.action(action).await
        }
    }
}

/// One call.
struct Run<'r> {
    session: &'r Arc<Session>,
    page: Page,
    options: &'r ActOptions,
    manner: &'r ActManner,
    variables: &'r Variables,
    told: String,
    meter: &'r UsageMeter,
    limit: Duration,
    client: OnceCell<Arc<dyn LlmClient>>,
    /// Only these are given to pages. None when the caller gives the action itself.
    named: Option<NamedFiles<'r>>,
    /// Whether the model is told how pages get files.
    gives_files: bool,
}

/// Something that was tried.
struct Step {
    action: Action,
    outcome: Outcome,
    /// What it was done to, for the memory; none when that is not in the snapshot.
    known: Option<KnownAction>,
}

impl Run<'_> {
    /// Does what a person would say.
    async fn instruction(&self, instruction: &str) -> Result<ActResult> {
        self.page.settle().await?;
        let memory = self.cache().map(|cache| (cache, self.question(instruction)));
        let snapshot = self.read().await?;
        let answer = self.answer(instruction, &snapshot);
        let remembered = match (&memory, &answer) {
            (Some((cache, question)), _) => cache.actions(question).await.unwrap_or_default(),
            (None, Some(answer)) => answer.actions().await,
            (None, None) => Vec::new(),
        };
        let first = match self.again(&snapshot, remembered.first()).await? {
            Some(step) => Some((step, remembered.len() > 1)),
            None => {
                if let Some(answer) = answer.as_ref().filter(|_| !remembered.is_empty()) {
                    answer.forget();
                }
                self.first(&snapshot, instruction).await?
            }
        };
        let Some((step, two_steps)) = first else {
            return Ok(failure(instruction, "nothing on the page fits the instruction"));
        };
        let mut steps = vec![self.healed(step, instruction).await?];
        if two_steps && steps.iter().all(Step::is_done) {
            self.page.settle().await?;
            let second_snapshot = self.read().await?;
            let second = match self.again(&second_snapshot, remembered.get(1)).await? {
                Some(step) => Some(step),
                None => {
                    self.second(&snapshot, &second_snapshot, instruction, &steps)
                        .await?
                }
            };
            let Some(second) = second else {
                let message = "the first step was done, but nothing that it opened fits the instruction";
                return Ok(result(steps, Some(message)));
            };
            steps.push(self.healed(second, instruction).await?);
        }
        let known = all_known(&steps);
        if let Some(known) = &known {
            self.options.service.steps.keep(known);
        }
        if let Some(known) = known.filter(|known| *known != remembered) {
            if let Some((cache, question)) = &memory {
                cache.keep_actions(question, known.clone()).await;
            }
            if let Some(answer) = &answer {
                answer.keep_actions(&known);
            }
        }
        Ok(result(steps, None))
    }

    /// Does an action as it is given: no model unless its element is not there, no waiting for the page.
    async fn action(&self, action: &Action) -> Result<ActResult> {
        if action.selector.trim().is_empty() {
            return Err(Error::invalid_argument("the action has no selector"));
        }
        let outcome = self
            .perform(&Target::selector(&self.page, &action.selector)?, action)
            .await?;
        let step = Step {
            action: action.clone(),
            outcome,
            known: None,
        };
        let healed = match &step.outcome {
            Outcome::NotThere(problem) if self.session.options.self_heal => {
                self.find_again(action, problem).await?
            }
            _ => None,
        };
        Ok(result(vec![healed.unwrap_or(step)], None))
    }

    /// What was done the last time, if its element is as it was.
    async fn again(&self, snapshot: &Snapshot, known: Option<&KnownAction>) -> Result<Option<Step>> {
        let Some(known) = known else {
            return Ok(None);
        };
        let Some(element) = replay::find(&self.page, snapshot, known, &|text| self.mask(text)).await? else {
            return Ok(None);
        };
        self.session.log.info(
            "cache",
            "acting from memory",
            &[("action", known.action.description.clone())],
        );
        let step = self.step(snapshot, known.action.clone(), element).await?;
        // What the page does not let happen any more is asked about anew, as nothing has happened.
        Ok((!matches!(step.outcome, Outcome::Refused(_))).then_some(step))
    }

    /// What the model chooses, done, and whether a second step has to follow.
    async fn first(&self, snapshot: &Snapshot, instruction: &str) -> Result<Option<(Step, bool)>> {
        let client = self.client().await?;
        let shape = Shape::decision(self.gives_files)?;
        let mut texts = parts::texts(client.as_ref(), snapshot, &shape.sent);
        if let [whole] = &texts[..]
            && self.manner.is_brief
        {
            let brief = in_brief(whole, instruction);
            // Else it is not worth the risk of a second question.
            if brief.len() < whole.len() / 8 * 7 {
                texts.insert(0, brief);
            }
        }
        for text in texts {
            let messages = prompts::act(self.task(instruction), &text);
            let decision = self.decide(client.as_ref(), &shape, messages).await?;
            let two_step = decision.two_step;
            if let Some(step) = self.carry_out(snapshot, decision).await? {
                return Ok(Some((step, two_step)));
            }
        }
        Ok(None)
    }

    /// What the model chooses among the lines that are new since the first step, done.
    async fn second(
        &self,
        before: &Snapshot,
        now: &Snapshot,
        instruction: &str,
        done: &[Step],
    ) -> Result<Option<Step>> {
        let client = self.client().await?;
        let shape = Shape::decision(self.gives_files)?;
        let difference = now.difference_from(before);
        let mut lines = difference.added;
        lines.extend(difference.changed);
        let text = if lines.is_empty() {
            now.text().to_owned()
        } else {
            lines.join("\n")
        };
        let done: Vec<String> = done.iter().map(|step| in_words(&step.action)).collect();
        let messages = prompts::act_second(self.task(instruction), &text, &done.join(", "));
        let decision = self.decide(client.as_ref(), &shape, messages).await?;
        self.carry_out(now, decision).await
    }

    /// When an action did not reach its element, asks once more on the page as it is now. Never repeats what may
    /// have had its effect.
    async fn healed(&self, step: Step, instruction: &str) -> Result<Step> {
        let Outcome::NotThere(problem) = &step.outcome else {
            return Ok(step);
        };
        if !self.session.options.self_heal {
            return Ok(step);
        }
        let client = self.client().await?;
        let (snapshot, decision) = self.ask_again(client.as_ref(), instruction, problem).await?;
        Ok(self.carry_out(&snapshot, decision).await?.unwrap_or(step))
    }

    /// Looks for the element of a given action anew, and does the same thing to it.
    async fn find_again(&self, action: &Action, problem: &str) -> Result<Option<Step>> {
        let client = match self.client().await {
            Ok(client) => client,
            // Nobody to ask: the first failure says what went wrong.
            Err(error) if error.kind() == ErrorKind::MissingLlmConfiguration => return Ok(None),
            Err(error) => return Err(error),
        };
        let instruction = in_words(action);
        let (snapshot, mut decision) = self.ask_again(client.as_ref(), &instruction, problem).await?;
        if let Some(choice) = &mut decision.action {
            choice.method = action.method.clone().unwrap_or_default();
            choice.arguments.clone_from(&action.arguments);
            choice.description.clone_from(&action.description);
        }
        self.carry_out(&snapshot, decision).await
    }

    /// What the model chooses on the page as it is now, after something did not work.
    async fn ask_again(
        &self,
        client: &dyn LlmClient,
        instruction: &str,
        problem: &str,
    ) -> Result<(Snapshot, Decision)> {
        let shape = Shape::decision(self.gives_files)?;
        self.page.settle().await?;
        let snapshot = self.read().await?;
        let text = parts::texts(client, &snapshot, &shape.sent).swap_remove(0);
        let messages = prompts::act_again(self.task(instruction), &text, &self.mask(problem));
        let decision = self.decide(client, &shape, messages).await?;
        Ok((snapshot, decision))
    }

    async fn decide(
        &self,
        client: &dyn LlmClient,
        shape: &Shape,
        messages: Vec<Message>,
    ) -> Result<Decision> {
        let asking = Asking {
            session: self.session,
            client,
            operation: "act",
            meter: self.meter,
        };
        asking
            .ask("action", &shape.sent, messages, &|answer| {
                shape.to_decision(answer)
            })
            .await
    }

    /// Does what was decided; none when nothing was, or when its id is not on the page.
    async fn carry_out(&self, snapshot: &Snapshot, decision: Decision) -> Result<Option<Step>> {
        let choices = decision.action.into_iter().collect();
        let (mut actions, elements) = actions_of(&self.page, snapshot, choices).await?;
        match (actions.pop(), elements.first()) {
            (Some(action), Some(element)) => self.step(snapshot, action, element).await.map(Some),
            _ => Ok(None),
        }
    }

    async fn step(&self, snapshot: &Snapshot, action: Action, element: &Element) -> Result<Step> {
        let target = Target::element(&self.page, element, &action.selector)?;
        let known = replay::known(&action, snapshot, element, &|text| self.mask(text));
        let outcome = self.perform(&target, &action).await?;
        Ok(Step {
            action,
            outcome,
            known: Some(known),
        })
    }

    async fn perform(&self, target: &Target, action: &Action) -> Result<Outcome> {
        // Where files come from one folder only, which the caller has filled for this, all of it may.
        if self.session.options.file_folder.is_none()
            && let Some(named) = self.named
            && let Some(why) = named.refusal(action.method.as_deref().unwrap_or_default(), &action.arguments)
        {
            return Ok(Outcome::Refused(why));
        }
        if self.manner.guard.is_some()
            && let Some(outcome) = self.pointed(target, action).await?
        {
            return Ok(outcome);
        }
        let watch = match &self.manner.guard {
            None => None,
            Some(guard) => match Arc::clone(guard)
                .watch(&self.page, target.locator(), action)
                .await
            {
                Ok(watch) => Some(watch),
                Err(why) => return Ok(Outcome::Refused(why)),
            },
        };
        self.session.remember_typed(self.variables);
        let way = Way {
            limit: self.waiting(),
            leaves_frames: self.manner.leaves_frames,
            watch,
        };
        perform(&self.page, target, action, self.variables, &way).await
    }

    /// Waits until what is to be clicked can be, and moves the pointer there, so that it is judged as it is when it is
    /// pressed; gives what came of it when that does not work.
    async fn pointed(&self, target: &Target, action: &Action) -> Result<Option<Outcome>> {
        let method = action.method.as_deref().and_then(Method::from_name);
        if !matches!(method, Some(Method::Click | Method::DoubleClick)) {
            return Ok(None);
        }
        let hovering = Action {
            method: Some("hover".to_owned()),
            arguments: Vec::new(),
            ..action.clone()
        };
        let way = Way {
            limit: self.waiting(),
            ..Way::default()
        };
        let outcome = perform(&self.page, target, &hovering, self.variables, &way).await?;
        Ok((!matches!(outcome, Outcome::Done(_))).then_some(outcome))
    }

    /// How long an element is waited for when the call has a limit of its own: so long that it can still be told
    /// what was in the way.
    fn waiting(&self) -> Option<Duration> {
        let limit = self.options.timeout.filter(|limit| !limit.is_zero())?;
        Some(limit / 4 * 3)
    }

    async fn read(&self) -> Result<Snapshot> {
        let mut scope = scope(None, &[], self.limit)?;
        scope.tells_scrolling = true;
        read(&self.page, &scope).await
    }

    fn cache(&self) -> Option<Cache<'_>> {
        Cache::of(self.session).filter(|_| !self.manner.without_memory)
    }

    async fn client(&self) -> Result<Arc<dyn LlmClient>> {
        let make = || async { self.session.models.client(self.options.model.as_ref()) };
        self.client.get_or_try_init(make).await.cloned()
    }

    fn task<'t>(&'t self, instruction: &'t str) -> Task<'t> {
        Task {
            system_prompt: self.session.options.system_prompt.as_deref(),
            instruction,
            variables: &self.told,
            gives_files: self.gives_files,
        }
    }

    /// Whether files of this machine are to be given to the page.
    fn gives_files_of_here(&self, input: &ActInput) -> bool {
        match input {
            ActInput::Instruction(_) => self.named.is_some_and(NamedFiles::is_here),
            ActInput::Action(action) => {
                let method = action.method.as_deref().and_then(Method::from_name);
                let mut files = action.arguments.iter().map(|file| self.variables.fill(file));
                method == Some(Method::SetInputFiles) && files.any(|file| Path::new(&file).is_file())
            }
        }
    }

    fn mask(&self, text: &str) -> String {
        self.session.masked_with(self.variables, text)
    }

    fn question(&self, instruction: &str) -> Question {
        let url = self.mask(&self.page.url());
        Question::about_page("act", instruction, &url, self.variables.names())
    }

    /// The answer that a server keeps for the next call.
    fn answer(&self, instruction: &str, snapshot: &Snapshot) -> Option<Answer> {
        let asked = Asked {
            operation: "act",
            instruction,
            url: &self.page.url(),
            snapshot,
            selector: None,
            ignore_selectors: &[],
            schema: None,
            model: &self.session.models.name(self.options.model.as_ref()),
            system_prompt: self.session.options.system_prompt.as_deref(),
            variables: self.variables.names().collect(),
        };
        self.options.service.answer(&asked, &|text| self.mask(text))
    }
}

/// The page with long texts cut; when the instruction names something on it, also without the items of long lists that
/// it has nothing to do with.
fn in_brief(page: &str, instruction: &str) -> String {
    let words = words_of(instruction);
    let is_named = names_something(page, &words) && !asks_by_place(&words);
    if is_named {
        brief(&without_alike(page, &words), LONGEST_BRIEF)
    } else {
        brief(page, LONGEST_BRIEF)
    }
}

/// What was done, for the memory: all of it has worked, and all of it is known.
fn all_known(steps: &[Step]) -> Option<Vec<KnownAction>> {
    if !steps.iter().all(Step::is_done) {
        return None;
    }
    steps.iter().map(|step| step.known.clone()).collect()
}

impl Step {
    fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done(_))
    }
}

/// `click: the go button`.
fn in_words(action: &Action) -> String {
    let method = action.method.as_deref().unwrap_or("act on");
    let what = if action.description.is_empty() {
        &action.selector
    } else {
        &action.description
    };
    format!("{method}: {what}")
}

fn failure(instruction: &str, message: &str) -> ActResult {
    ActResult {
        success: false,
        message: message.to_owned(),
        action_description: instruction.to_owned(),
        actions: Vec::new(),
        cache_status: None,
    }
}

fn result(steps: Vec<Step>, problem: Option<&str>) -> ActResult {
    let success = problem.is_none() && steps.iter().all(Step::is_done);
    let messages = steps.iter().map(|step| step.outcome.message());
    let message = messages.chain(problem).collect::<Vec<_>>().join(" → ");
    let action_description = steps
        .first()
        .map(|step| step.action.description.clone())
        .unwrap_or_default();
    ActResult {
        success,
        message,
        action_description,
        actions: steps.into_iter().map(|step| step.action).collect(),
        cache_status: None,
    }
}

/// The result without values: a message may say what a field holds, which an earlier call has typed; a description says
/// what the page calls an element.
fn masked(mut result: ActResult, session: &Session, variables: &Variables) -> ActResult {
    result.message = session.masked_with(variables, &result.message);
    result.action_description = variables.mask(&result.action_description);
    result
}

fn parameters_of(request: &ActRequest, variables: &Variables) -> Value {
    let mut parameters = match &request.input {
        ActInput::Instruction(instruction) => json!({ "instruction": instruction }),
        ActInput::Action(action) => json!({ "action": action }),
    };
    if let Value::Object(members) = &mut parameters {
        if !variables.is_empty() {
            members.insert("variables".to_owned(), variables.names().collect());
        }
        if let Some(model) = &request.options.model {
            members.insert("model".to_owned(), model.model_name.clone().into());
        }
    }
    parameters
}
