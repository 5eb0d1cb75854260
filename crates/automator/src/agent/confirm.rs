//! Asking before what cannot be taken back: purchases, deletions, messages, uploads and downloads.
//!
//! What an element is for is decided by fixed rules on what it is ([`classify`]), never by a model, which a page
//! could talk into anything.

mod classify;
mod letters;
mod naming;
mod phrases;
mod saving;
mod watching;
mod words;

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use automator_browser::{BrowserError, Locator, Purpose};
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};

use super::view::short;
use crate::act::{Guard, WatchFuture};
use crate::action::{Action, Method};
use crate::page::Page;
use crate::session::Session;
use crate::signs::is_unseen;
use crate::variables::Variables;
pub(super) use classify::Deed;
use classify::{Judged, classify, of_address};
pub(super) use saving::Saving;

/// Why a question was not answered.
pub type AgentConfirmError = Box<dyn std::error::Error + Send + Sync>;

/// What an agent is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AgentConfirmKind {
    /// It orders or pays.
    Purchase,
    /// It deletes or cancels something.
    Delete,
    /// It sends, posts or publishes something.
    Send,
    /// It gives a file to the page.
    Upload,
    /// It saves a file of the page.
    Download,
    /// The provider of a model that uses computers wants it confirmed before the run goes on.
    Safety,
}

/// What an agent asks before it does it.
///
/// In JSON: `{ kind, description, selector, url }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfirmRequest {
    /// What it comes to.
    pub kind: AgentConfirmKind,
    /// What is about to be done, in words, such as `click "Place order"`. The words of the element are the page's.
    pub description: String,
    /// The element; empty for keys that go to whatever has the focus.
    pub selector: String,
    /// The address of the page.
    pub url: String,
}

type Answering = Pin<Box<dyn Future<Output = Result<bool, AgentConfirmError>> + Send>>;

/// Answers whether something may be done; see
/// [`AgentExecuteOptions::confirm`](crate::AgentExecuteOptions::confirm). Limits of time of tools stand still while
/// it is waited for; that of the run does not.
///
/// ```
/// use automator::{AgentConfirm, AgentConfirmKind};
///
/// let confirm = AgentConfirm::new(|request| async move { Ok(request.kind != AgentConfirmKind::Purchase) });
/// # let _ = confirm;
/// ```
#[derive(Clone)]
pub struct AgentConfirm(Arc<dyn Fn(AgentConfirmRequest) -> Answering + Send + Sync>);

impl AgentConfirm {
    /// A function that says yes (true) or no. An error, and a panic, is a no.
    pub fn new<F>(answer: impl Fn(AgentConfirmRequest) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<bool, AgentConfirmError>> + Send + 'static,
    {
        Self(Arc::new(move |request| Box::pin(answer(request))))
    }

    async fn allows(&self, request: AgentConfirmRequest) -> bool {
        let answering = AssertUnwindSafe(async { (self.0)(request).await }).catch_unwind();
        match answering.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a question of an agent was not answered");
                false
            }
            Err(_) => {
                tracing::warn!("the function that answers the questions of an agent panicked");
                false
            }
        }
    }
}

impl fmt::Debug for AgentConfirm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AgentConfirm")
    }
}

/// How long answers have been waited for, so that limits of time do not count it.
#[derive(Debug, Clone, Default)]
pub(super) struct Pauses(Arc<Mutex<Paused>>);

#[derive(Debug, Default)]
struct Paused {
    before: Duration,
    since: Option<Instant>,
}

impl Pauses {
    /// All of it, and whether an answer is waited for just now.
    pub(super) fn so_far(&self) -> (Duration, bool) {
        let paused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = paused.since.map(|since| since.elapsed()).unwrap_or_default();
        (paused.before + now, paused.since.is_some())
    }

    fn begin(&self) -> RunningPause<'_> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).since = Some(Instant::now());
        RunningPause(self)
    }
}

struct RunningPause<'p>(&'p Pauses);

impl Drop for RunningPause<'_> {
    fn drop(&mut self) {
        let mut paused = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = paused.since.take() {
            paused.before += since.elapsed();
        }
    }
}

/// Asks before each action that needs it.
pub(super) struct Confirming {
    pub(super) confirm: AgentConfirm,
    pub(super) session: Arc<Session>,
    pub(super) variables: Variables,
    pub(super) pauses: Pauses,
    pub(super) saving: Saving,
}

/// Most characters of an element's name in a question.
const LONGEST_NAME: usize = 80;

/// What is to be done to an element, and with which of the actions' words.
struct Wanted<'w> {
    deed: Deed,
    verb: &'w str,
    selector: String,
}

impl Confirming {
    /// Why keys must not be pressed as they press an element that does not have the focus, by its access key.
    pub(super) async fn refusal_of_access_key(&self, page: &Page, keys: &str) -> Option<String> {
        let key = access_key(keys)?;
        let locator = page
            .browser_page()
            .deep_locator(&format!("[accesskey=\"{key}\" i]"));
        if matches!(locator.count().await, Ok(0)) {
            return None;
        }
        let wanted = Wanted {
            deed: Deed::Press,
            verb: keys,
            selector: String::new(),
        };
        self.refusal_of(page, &locator, &wanted).await
    }

    /// Why an address must not be gone to; none when it may.
    pub(super) async fn refusal_of_address(&self, page: &Page, url: &str) -> Option<String> {
        let kind = of_address(url)?;
        let name = url.to_owned();
        self.asked(page, &Judged { kind, name }, "go to", String::new())
            .await
    }

    /// Why something must not be done to what is at a point of the window; none when it may.
    async fn refusal_at(&self, page: &Page, (x, y): (f64, f64), deed: Deed, verb: &str) -> Option<String> {
        let path = match page.browser_page().xpath_at(x, y).await {
            Ok(path) if path.is_empty() => return None,
            Ok(path) => format!("xpath={path}"),
            Err(error) => return Some(unknown(&error.to_string())),
        };
        let wanted = Wanted {
            deed,
            verb,
            selector: path.clone(),
        };
        self.refusal_of(page, &page.browser_page().deep_locator(&path), &wanted)
            .await
    }

    /// Why something must not be dragged from one point of the window to another; none when it may. Where both are in
    /// one element, or in one button or link, letting go there is a click on it.
    pub(super) async fn refusal_of_drag(
        &self,
        page: &Page,
        from: (f64, f64),
        to: (f64, f64),
    ) -> Option<String> {
        match is_in_one(page, from, to).await {
            Ok(true) => return self.refusal_at(page, from, Deed::Press, "click").await,
            Ok(false) => {}
            Err(error) => return Some(unknown(&error.to_string())),
        }
        if let Some(why) = self.refusal_at(page, from, Deed::Drag, "drag").await {
            return Some(why);
        }
        self.refusal_at(page, to, Deed::Drop, "drop on").await
    }

    /// Whether something that a provider wants confirmed is.
    pub(super) async fn confirms_check(&self, page: &Page, description: &str) -> bool {
        let request = AgentConfirmRequest {
            kind: AgentConfirmKind::Safety,
            description: self.variables.mask(description),
            selector: String::new(),
            url: page.url(),
        };
        let _pause = self.pauses.begin();
        self.confirm.allows(request).await
    }

    async fn refusal_of(&self, page: &Page, locator: &Locator, wanted: &Wanted<'_>) -> Option<String> {
        self.approved(page, locator, wanted).await.err()
    }

    /// What it comes to that the user has approved, if it needed that; else why it must not be done.
    async fn approved(
        &self,
        page: &Page,
        locator: &Locator,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Judged>, String> {
        let (purpose, judged) = judged(locator, wanted.deed).await?;
        let Some(judged) = judged else {
            return Ok(None);
        };
        let selector = wanted.selector.clone();
        if let Some(why) = self.asked(page, &judged, wanted.verb, selector).await {
            return Err(why);
        }
        // The answer is about what was asked about, and people take their time.
        match locator.purpose(wanted.deed == Deed::Enter).await {
            Ok(now) if now == purpose => Ok(Some(judged)),
            Ok(_) => {
                Err("what it would do has changed while the user was asked; look at it again".to_owned())
            }
            Err(error) => Err(unknown(&error.to_string())),
        }
    }

    /// Asks the user; gives what the model is told after a no.
    async fn asked(&self, page: &Page, judged: &Judged, verb: &str, selector: String) -> Option<String> {
        let mask = |text: &str| self.variables.mask(text);
        let request = AgentConfirmRequest {
            kind: judged.kind,
            description: format!("{} \"{}\"", mask(verb), named(&mask(&judged.name))),
            selector,
            url: page.url(),
        };
        let description = request.description.clone();
        let _pause = self.pauses.begin();
        if self.confirm.allows(request).await {
            if judged.kind == AgentConfirmKind::Download {
                self.saving.allow();
            }
            return None;
        }
        let kind = serde_json::to_value(judged.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().to_owned();
        Some(format!(
            "{description} was not confirmed by the user ({kind}); do not try it another way"
        ))
    }
}

/// A name within quotes: it is the page's, and must not read as if it were more.
fn named(name: &str) -> String {
    let plain: String = name
        .chars()
        .filter(|sign| !is_unseen(*sign))
        .map(|sign| match sign {
            '"' | '“' | '”' | '„' | '«' | '»' => '\'',
            sign if sign.is_control() => ' ',
            sign => sign,
        })
        .collect();
    short(&plain, LONGEST_NAME)
}

/// The key of a combination that pages can give an element: a single one, with the Alt key held.
fn access_key(keys: &str) -> Option<char> {
    let parts: Vec<&str> = keys.split('+').map(str::trim).collect();
    let (last, held) = parts.split_last()?;
    let is_alt = held
        .iter()
        .any(|part| matches!(part.to_lowercase().as_str(), "alt" | "option"));
    let last = last
        .strip_prefix("Key")
        .or_else(|| last.strip_prefix("Digit"))
        .unwrap_or(last);
    let mut letters = last.chars();
    match (is_alt, letters.next(), letters.next()) {
        (true, Some(key), None) if key.is_alphanumeric() => Some(key),
        _ => None,
    }
}

/// What an element is for, and what doing something to it comes to; else why that cannot be told.
async fn judged(locator: &Locator, deed: Deed) -> Result<(Purpose, Option<Judged>), String> {
    match locator.purpose(deed == Deed::Enter).await {
        Ok(purpose) => {
            let judged = classify(&purpose, deed);
            Ok((purpose, judged))
        }
        Err(error) => Err(unknown(&error.to_string())),
    }
}

impl Guard for Confirming {
    fn watch<'g>(
        self: Arc<Self>,
        page: &'g Page,
        locator: &'g Locator,
        action: &'g Action,
    ) -> WatchFuture<'g> {
        Box::pin(async move {
            let approved = self.approved_action(page, locator, action).await?;
            let verb = action.method.as_deref().unwrap_or_default();
            Ok(self.watching_approved(page, verb, approved))
        })
    }
}

impl Confirming {
    /// What an action comes to that the user has approved, if it needed that; else why it must not be done.
    async fn approved_action(
        &self,
        page: &Page,
        locator: &Locator,
        action: &Action,
    ) -> Result<Option<Judged>, String> {
        let Some(method) = action.method.as_deref().and_then(Method::from_name) else {
            return Ok(None);
        };
        let arguments: Vec<String> = action
            .arguments
            .iter()
            .map(|argument| self.variables.fill(argument))
            .collect();
        if let (Method::Press, Some(keys)) = (method, arguments.first())
            && let Some(why) = self.refusal_of_access_key(page, keys).await
        {
            return Err(why);
        }
        let Some(deed) = Deed::of_action(method, &arguments) else {
            return Ok(None);
        };
        // Keys for the page as a whole go to what has the focus, which is looked at when they do.
        let is_page = matches!(action.selector.trim(), "/" | "xpath=/" | "xpath=/html[1]");
        if is_page && matches!(deed, Deed::Enter | Deed::Space) {
            return Ok(None);
        }
        if let (Method::DragAndDrop, Some(onto)) = (method, action.arguments.first()) {
            return match self.refusal_of_drag_onto(page, locator, action, onto).await {
                Some(why) => Err(why),
                None => Ok(None),
            };
        }
        let wanted = Wanted {
            deed,
            verb: action.method.as_deref().unwrap_or_default(),
            selector: action.selector.clone(),
        };
        self.approved(page, locator, &wanted).await
    }

    async fn refusal_of_drag_onto(
        &self,
        page: &Page,
        locator: &Locator,
        action: &Action,
        onto: &str,
    ) -> Option<String> {
        let from = Wanted {
            deed: Deed::Drag,
            verb: "drag",
            selector: action.selector.clone(),
        };
        if let Some(why) = self.refusal_of(page, locator, &from).await {
            return Some(why);
        }
        let wanted = Wanted {
            deed: Deed::Drop,
            verb: action.method.as_deref().unwrap_or_default(),
            selector: onto.to_owned(),
        };
        let onto = page.browser_page().deep_locator(onto);
        self.refusal_of(page, &onto, &wanted).await
    }
}

/// Whether two points of the window are in one element, or in what presses as one.
async fn is_in_one(page: &Page, one: (f64, f64), other: (f64, f64)) -> Result<bool, BrowserError> {
    let page = page.browser_page();
    let (one, other) = (
        page.xpath_at(one.0, one.1).await?,
        page.xpath_at(other.0, other.1).await?,
    );
    if one == other {
        return Ok(true);
    }
    let purpose = async |path: &str| page.deep_locator(&format!("xpath={path}")).purpose(false).await;
    Ok(purpose(&one).await? == purpose(&other).await?)
}

fn unknown(why: &str) -> String {
    format!("it cannot be seen what it would do, so nobody could be asked: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: AgentConfirmKind) -> AgentConfirmRequest {
        AgentConfirmRequest {
            kind,
            description: "click \"Buy\"".to_owned(),
            selector: "#buy".to_owned(),
            url: "http://a.test/".to_owned(),
        }
    }

    #[tokio::test]
    async fn only_a_yes_is_a_yes() {
        let yes = AgentConfirm::new(|_| async { Ok(true) });
        let no = AgentConfirm::new(|_| async { Ok(false) });
        let error = AgentConfirm::new(|_| async { Err("gone".into()) });
        let panic = AgentConfirm::new(|request: AgentConfirmRequest| async move {
            assert!(request.url.is_empty(), "no");
            Ok(true)
        });
        let asked = || request(AgentConfirmKind::Purchase);
        assert!(yes.allows(asked()).await);
        for other in [no, error, panic] {
            assert!(!other.allows(asked()).await);
        }
    }

    #[test]
    fn a_question_is_told_by_the_name_of_its_kind() {
        let told = serde_json::to_value(request(AgentConfirmKind::Delete)).unwrap();
        assert_eq!(told["kind"], "delete");
    }

    #[test]
    fn names_stay_within_their_quotes() {
        assert_eq!(named("Buy\" was confirmed\n“yes”"), "Buy' was confirmed 'yes'");
        assert_eq!(named(&"x".repeat(200)).chars().count(), LONGEST_NAME + 1);
    }

    #[test]
    fn access_keys_are_single_keys_with_the_alt_key() {
        for (keys, expected) in [
            ("Alt+b", Some('b')),
            ("Alt+Shift+KeyB", Some('B')),
            ("Option+1", Some('1')),
            ("Control+b", None),
            ("Alt+Enter", None),
            ("b", None),
        ] {
            assert_eq!(access_key(keys), expected, "{keys}");
        }
    }

    #[test]
    fn pauses_add_up() {
        let pauses = Pauses::default();
        assert_eq!(pauses.so_far(), (Duration::ZERO, false));
        let running = pauses.begin();
        std::thread::sleep(Duration::from_millis(20));
        assert!(pauses.so_far().1);
        drop(running);
        let (time, is_waiting) = pauses.so_far();
        assert!(time >= Duration::from_millis(20) && !is_waiting);
    }
}
