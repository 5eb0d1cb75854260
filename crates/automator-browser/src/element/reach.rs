//! The way to an element: waits for it, and then until an action on it can be done.

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::closed_roots::{ClosedRoots, closed_roots};
use crate::error::{Obstacle, ObstacleKind};
use crate::locator::{Locator, Target};
use crate::resolve::{Resolution, Scope, is_missing, resolve_node};
use crate::selector::Query;
use crate::{Argument, BrowserError, ElementRef, Frame, Handle, Matches, Selector};

/// How long an element may take to appear.
const APPEAR: Duration = Duration::from_secs(2);

/// How long it may then take to become ready for an action.
const READY: Duration = Duration::from_secs(5);

/// How much longer than that the page may take to answer.
const GRACE: Duration = Duration::from_secs(5);

/// The same where the caller has said how long it may take: for the way there and back.
const SHORT_GRACE: Duration = Duration::from_secs(2);

/// The longest that one call into the page waits for an element to appear. In between, closed shadow roots are
/// looked for anew.
const LONGEST_SLICE: Duration = Duration::from_millis(800);

/// The times that an operation has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    appear: Duration,
    ready: Duration,
    /// One time for all, as the caller gave it.
    is_given: bool,
    begun: Instant,
    found: Option<Instant>,
}

impl Limits {
    /// The times for an action: the usual ones, or that which the caller gave for everything.
    pub(crate) fn new(timeout: Option<Duration>) -> Self {
        Self {
            appear: timeout.unwrap_or(APPEAR),
            ready: timeout.unwrap_or(READY),
            is_given: timeout.is_some(),
            begun: Instant::now(),
            found: None,
        }
    }

    fn appear_left(&self) -> Duration {
        self.appear.saturating_sub(self.begun.elapsed())
    }

    fn ready_left(&self) -> Duration {
        let since = if self.is_given {
            self.begun
        } else {
            self.found.unwrap_or_else(Instant::now)
        };
        self.ready.saturating_sub(since.elapsed())
    }

    /// Whether the time to become ready is over.
    pub(crate) fn is_over(&self) -> bool {
        self.ready_left().is_zero()
    }

    /// How long all of it may take.
    pub(crate) fn whole(&self) -> Duration {
        if self.is_given {
            self.ready
        } else {
            self.appear + self.ready
        }
    }

    /// How long the page may take to answer in all: its scripts may be busy.
    fn answer(&self) -> Duration {
        self.whole() + if self.is_given { SHORT_GRACE } else { GRACE }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

/// What a function of the page library says about an action.
#[derive(Debug, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) is: String,
    #[serde(default)]
    pub(crate) value: Value,
    #[serde(default)]
    pub(crate) problem: Option<Problem>,
}

/// Why an action cannot be done.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Problem {
    Reason(String),
    Obstacle {
        why: String,
        #[serde(default)]
        by: Option<String>,
        #[serde(default)]
        offered: Vec<String>,
    },
}

/// An element that was reached.
#[derive(Debug)]
pub(crate) struct Reached {
    /// Its frame.
    pub(crate) frame: Frame,
    /// What came of the action: `done`, `missed`, `left` when its document went away over it, or something of the
    /// action's own.
    pub(crate) outcome: Outcome,
}

/// Where one call looks.
struct Place {
    frame: Frame,
    query: Value,
    index: usize,
    tag: Option<String>,
    element: Option<Handle>,
    roots: Vec<Handle>,
    has_root: bool,
}

impl Locator {
    /// Waits for the element and until the action can be done, and does it: a function of the page library that
    /// takes an element and these options.
    pub(crate) async fn reach(
        &self,
        action: &str,
        verb: &'static str,
        options: Value,
        limits: &mut Limits,
    ) -> Result<Reached, BrowserError> {
        let mut closed: Option<ClosedRoots> = None;
        let mut slice = Duration::ZERO;
        let mut is_lost = false;
        loop {
            let left = limits.appear_left();
            let known = closed.clone().unwrap_or_default();
            let missing = match self.place(&known, is_lost).await {
                Ok(place) => {
                    let request = json!({
                        "query": place.query,
                        "index": place.index,
                        "tag": place.tag,
                        "appear": milliseconds(left.min(slice)),
                        "ready": milliseconds(limits.ready_left()),
                        "action": action,
                        "options": options,
                    });
                    match self.call(&place, "reach", &[request.into()], limits).await {
                        Err(error) => error,
                        Ok(Some(outcome)) if outcome.is == "missing" => {
                            is_lost = true;
                            self.missing()
                        }
                        Ok(Some(outcome)) => {
                            limits.found.get_or_insert_with(Instant::now);
                            let outcome = if outcome.is == "ready" {
                                self.carry_out(&place.frame, verb, outcome).await?
                            } else {
                                Some(outcome)
                            };
                            match outcome {
                                Some(outcome) => return self.judge(verb, place.frame, outcome, limits),
                                None if limits.elapsed() > limits.answer() => self.missing(),
                                None => continue,
                            }
                        }
                        // The document went away meanwhile; the next one may have the element.
                        Ok(None) if limits.elapsed() > limits.answer() => self.missing(),
                        Ok(None) => continue,
                    }
                }
                Err(error) => error,
            };
            let may_return = self.has_fallback() && matches!(missing, BrowserError::ElementGone { .. });
            if !may_appear(&missing) && !may_return {
                return Err(missing);
            }
            if left.is_zero() && closed.is_some() {
                return Err(missing);
            }
            if closed.is_some() && is_passing(&missing) {
                self.frame()
                    .call_library_once("pause", &[json!(50).into()])
                    .await?;
            }
            slice = (slice * 2).clamp(Duration::from_millis(100), LONGEST_SLICE);
            closed = Some(closed_roots(self.page()).await?);
        }
    }

    /// Does what the page library has put off, once. When the document goes away over it, the outcome is `left`.
    /// None when another document has come before that, so that nothing has happened.
    async fn carry_out(
        &self,
        frame: &Frame,
        verb: &'static str,
        ready: Outcome,
    ) -> Result<Option<Outcome>, BrowserError> {
        match frame.ask_afterwards("carryOut", &[]).await {
            Ok(Some(done)) => {
                let outcome = read_outcome(done)?;
                Ok((outcome.is != "replaced").then_some(outcome))
            }
            Ok(None) | Err(BrowserError::FrameGone | BrowserError::PageClosed) => Ok(Some(Outcome {
                is: "left".to_owned(),
                ..ready
            })),
            Err(error) => Err(self.broken_off(verb, error)),
        }
    }

    /// Calls a function of the page library that takes a request, an element, a root and the closed roots.
    async fn call(
        &self,
        place: &Place,
        function: &str,
        first: &[Argument<'_>],
        limits: &Limits,
    ) -> Result<Option<Outcome>, BrowserError> {
        let mut arguments = first.to_vec();
        arguments.push(match &place.element {
            Some(element) => element.into(),
            None => Value::Null.into(),
        });
        if !place.has_root {
            arguments.push(Value::Null.into());
        }
        arguments.extend(place.roots.iter().map(Argument::from));
        let limit = limits.answer();
        match tokio::time::timeout(limit, place.frame.call_library_once(function, &arguments)).await {
            Ok(value) => value?.map(read_outcome).transpose(),
            Err(_) => Err(BrowserError::NotAnswering {
                selector: self.to_string(),
                waited: limits.elapsed(),
            }),
        }
    }

    /// Waits until the element is in one of the states that `awaitState` knows.
    pub(crate) async fn reach_state(
        &self,
        state: &'static str,
        limit: Duration,
    ) -> Result<bool, BrowserError> {
        let wants_nothing = matches!(state, "detached" | "hidden");
        let limits = Limits::new(Some(limit));
        let mut slice = Duration::ZERO;
        let mut closed: Option<ClosedRoots> = None;
        loop {
            let left = limits.appear_left();
            let place = match (
                self.place(&closed.clone().unwrap_or_default(), closed.is_some())
                    .await,
                &closed,
            ) {
                (Ok(place), _) => Some(place),
                (Err(BrowserError::FrameGone | BrowserError::ElementGone { .. }), _) => None,
                (Err(error), _) if may_appear(&error) => None,
                (Err(error), _) => return Err(error),
            };
            let is_sure = closed.is_some();
            match place {
                Some(place) if is_sure || !wants_nothing => {
                    let request = json!({
                        "query": place.query,
                        "index": place.index,
                        "tag": place.tag,
                        "appear": milliseconds(left.min(slice)),
                    });
                    let first = [request.into(), Argument::from(state)];
                    match self.call(&place, "awaitState", &first, &limits).await? {
                        Some(outcome) if outcome.is == "done" => return Ok(true),
                        Some(outcome) if outcome.is == "invalid" => return Err(self.invalid(&outcome)),
                        _ => {}
                    }
                }
                Some(_) => {}
                None if wants_nothing && is_sure => return Ok(true),
                None if is_sure && !left.is_zero() => {
                    self.page()
                        .main_frame()
                        .call_library_once("pause", &[json!(50).into()])
                        .await?;
                }
                None => {}
            }
            if left.is_zero() && is_sure {
                return Ok(false);
            }
            slice = (slice * 2).clamp(Duration::from_millis(100), LONGEST_SLICE);
            closed = Some(closed_roots(self.page()).await?);
        }
    }

    /// Where to look. `is_lost`: the node itself has gone, so only what has come in its place can be found.
    async fn place(&self, closed: &ClosedRoots, is_lost: bool) -> Result<Place, BrowserError> {
        match self.target()? {
            Target::Selector(selector) => self.place_of_selector(selector, self.frame(), closed, None).await,
            Target::Element { element, fallback } => {
                self.place_of_element(element, fallback.as_ref(), closed, is_lost)
                    .await
            }
        }
    }

    async fn place_of_selector(
        &self,
        selector: &Selector,
        start: &Frame,
        closed: &ClosedRoots,
        tag: Option<String>,
    ) -> Result<Place, BrowserError> {
        let resolution = Resolution {
            start,
            selector,
            matches: Matches::All,
        };
        let query = match selector.parts().last() {
            Some(part) => query_value(&part.query)?,
            None => return Err(self.missing()),
        };
        let mut scopes = resolution.scopes(closed).await?;
        let mut index = self.index();
        let scope = if scopes.len() == 1 {
            scopes.pop()
        } else {
            nth_scope(&resolution, scopes, &mut index, closed).await?
        };
        let scope = scope.ok_or_else(|| self.missing())?;
        let ids = scope
            .root
            .iter()
            .chain(closed.of_frame(scope.frame.id()))
            .map(|id| resolve_node(&scope.frame, *id));
        let resolved = futures_util::future::join_all(ids).await;
        let roots: Vec<Option<Handle>> = resolved.into_iter().collect::<Result<_, _>>()?;
        let has_root = scope.root.is_some();
        if has_root && roots.first().is_none_or(Option::is_none) {
            return Err(self.missing());
        }
        Ok(Place {
            frame: scope.frame,
            query,
            index,
            tag,
            element: None,
            roots: roots.into_iter().flatten().collect(),
            has_root,
        })
    }

    async fn place_of_element(
        &self,
        element: &ElementRef,
        fallback: Option<&Selector>,
        closed: &ClosedRoots,
        is_lost: bool,
    ) -> Result<Place, BrowserError> {
        // Another document in the frame is another page: nothing in it is the element.
        if element.frame.loader_id() != element.loader_id {
            return Err(BrowserError::PageChanged { id: self.to_string() });
        }
        if !is_lost && let Some(handle) = resolve_node(&element.frame, element.backend_node_id).await? {
            return Ok(Place {
                frame: element.frame.clone(),
                query: Value::Null,
                index: 0,
                tag: None,
                element: Some(handle),
                roots: Vec::new(),
                has_root: false,
            });
        }
        let fallback = fallback.ok_or_else(|| self.missing())?;
        let main = self.page().main_frame();
        self.place_of_selector(fallback, &main, closed, Some(element.tag.clone()))
            .await
    }

    fn judge(
        &self,
        verb: &'static str,
        frame: Frame,
        outcome: Outcome,
        limits: &Limits,
    ) -> Result<Reached, BrowserError> {
        match (outcome.is.as_str(), &outcome.problem) {
            ("invalid", _) => Err(self.invalid(&outcome)),
            ("refused", Some(Problem::Reason(reason))) => Err(BrowserError::Unsuitable {
                selector: self.to_string(),
                action: verb,
                reason: reason.clone(),
            }),
            ("wait", Some(problem)) => Err(self.obstructed(problem, limits)),
            _ => Ok(Reached { frame, outcome }),
        }
    }

    /// The error for what was in the way until the time was over.
    pub(crate) fn obstructed(&self, problem: &Problem, limits: &Limits) -> BrowserError {
        let selector = self.to_string();
        let Problem::Obstacle { why, by, offered } = problem else {
            return BrowserError::Unreadable { what: "the obstacle" };
        };
        let kind = match why.as_str() {
            "noOption" => {
                return BrowserError::OptionNotFound {
                    selector,
                    wanted: by.clone().unwrap_or_default(),
                    offered: offered.clone(),
                };
            }
            "disabled" => ObstacleKind::Disabled,
            "inert" => ObstacleKind::Inert,
            "moving" => ObstacleKind::Moving,
            "covered" => ObstacleKind::Covered,
            "noPointer" => ObstacleKind::TakesNoPointer,
            "outOfView" => ObstacleKind::OutOfView,
            "readOnly" => ObstacleKind::ReadOnly,
            "noFocus" => ObstacleKind::TakesNoFocus,
            "notScrollable" => ObstacleKind::NothingToScroll,
            "optionDisabled" => ObstacleKind::OptionDisabled,
            "gone" => ObstacleKind::Gone,
            _ => ObstacleKind::Hidden,
        };
        BrowserError::NotActionable {
            selector,
            obstacle: Obstacle { kind, by: by.clone() },
            waited: limits.elapsed(),
        }
    }

    fn invalid(&self, outcome: &Outcome) -> BrowserError {
        let problem = match &outcome.problem {
            Some(Problem::Reason(reason)) => reason.clone(),
            _ => "the page cannot read it".to_owned(),
        };
        BrowserError::InvalidSelector {
            selector: self.to_string(),
            problem,
        }
    }

    fn has_fallback(&self) -> bool {
        matches!(
            self.target(),
            Ok(Target::Element {
                fallback: Some(_),
                ..
            })
        )
    }

    /// The error for an element that is not there.
    pub(crate) fn missing(&self) -> BrowserError {
        let selector = self.to_string();
        match self.target() {
            Ok(Target::Selector(written)) if written.is_xpath() => BrowserError::XPathNotFound { selector },
            Ok(Target::Selector(_)) => BrowserError::ElementNotFound { selector },
            Ok(Target::Element { .. }) => BrowserError::ElementGone { selector },
            Err(error) => error,
        }
    }
}

/// Of several places, the one that has the element with this number; the first one when none has.
async fn nth_scope(
    resolution: &Resolution<'_>,
    scopes: Vec<Scope>,
    index: &mut usize,
    closed: &ClosedRoots,
) -> Result<Option<Scope>, BrowserError> {
    let mut first = None;
    for scope in scopes {
        let count = resolution.count_in(&scope, closed).await?;
        if *index < count {
            return Ok(Some(scope));
        }
        *index -= count;
        first.get_or_insert(scope);
    }
    Ok(first)
}

pub(crate) fn read_outcome(value: Value) -> Result<Outcome, BrowserError> {
    serde_json::from_value(value).map_err(|_| BrowserError::Unreadable {
        what: "the outcome of an action",
    })
}

fn query_value(query: &Query) -> Result<Value, BrowserError> {
    serde_json::to_value(query).map_err(|_| BrowserError::Unreadable { what: "the selector" })
}

/// Failures that a moment later may be none: a frame is between two documents or processes.
fn is_passing(error: &BrowserError) -> bool {
    matches!(
        error,
        BrowserError::FrameWithoutDocument { .. } | BrowserError::FrameGone
    )
}

/// Failures that an element which appears would end.
fn may_appear(error: &BrowserError) -> bool {
    is_missing(error) || is_passing(error)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
