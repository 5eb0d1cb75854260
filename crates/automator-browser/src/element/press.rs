//! The pointer on elements: clicks, moves and taps that are seen to arrive.
//!
//! The page is asked for a point of the element that nothing covers; the point is taken through the frames around
//! it; a guard in each of these documents watches the press. A press that would go astray is kept from the page,
//! so it can be tried again. A press that the page has seen is never repeated, with one exception: where it began, and
//! then the focus that it took from another field had the page move the element, so that no click came of it.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use automator_cdp::protocol::dom::GetFrameOwner;
use futures_util::future::{Either, join_all, select};
use futures_util::poll;
use serde_json::{Value, json};

use crate::element::reach::{Limits, Outcome, Problem, Reached, read_outcome};
use crate::input::keys::Modifiers;
use crate::input::watch::Watch;
use crate::input::{InputTurn, mouse, touch};
use crate::locator::{ElementClickOptions, ElementPosition, Locator, Performed, PointerOptions};
use crate::resolve::resolve_node;
use crate::{BrowserError, Frame, Handle, Page};

/// How often a press that would go astray is tried again, should the page not let the time run out.
const ATTEMPTS: u32 = 50;

/// A point of an element that can be pressed.
pub(crate) struct Aim {
    /// In the page's viewport.
    pub(crate) at: (f64, f64),
    /// The frame of the element, and the point in it.
    frame: Frame,
    document: u64,
    /// The frames around it, with guards of their own.
    around: Vec<Frame>,
    guard: String,
}

/// What was found instead of a point.
pub(crate) enum Aimed {
    Point(Aim),
    /// The element is an option of a closed native list, which has no place of its own.
    Option(usize),
}

/// A press that a guard is to watch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Press {
    /// How many belong together.
    pub(crate) presses: u32,
    /// Whether a finger does it.
    pub(crate) is_tap: bool,
}

/// What is done at the point.
enum Gesture {
    Click(mouse::ClickOptions),
    Tap(Modifiers),
}

impl Gesture {
    fn name(&self) -> &'static str {
        match self {
            Self::Click(_) => "click",
            Self::Tap(_) => "tap",
        }
    }

    fn press(&self) -> Press {
        match self {
            Self::Click(options) => Press {
                presses: options.click_count,
                is_tap: false,
            },
            Self::Tap(_) => Press {
                presses: 1,
                is_tap: true,
            },
        }
    }

    async fn send(&self, page: &Page, (x, y): (f64, f64), watch: Option<&Watch>) -> Result<(), BrowserError> {
        match self {
            Self::Click(options) => mouse::click_at(page, (x, y), options, watch).await,
            Self::Tap(modifiers) => touch::tap_at(page, page.session(), x, y, *modifiers).await,
        }
    }
}

/// What became of a press.
enum Verdict {
    Delivered {
        has_left: bool,
        is_set_back: bool,
        has_told: bool,
    },
    /// The page has not seen it.
    Blocked(Problem),
    Missed,
    /// It began well, and then the page moved the element for another reason, so that no click came of it.
    Lost,
}

fn click_of(options: &ElementClickOptions) -> Result<Gesture, BrowserError> {
    mouse::check_click_count(options.click_count)?;
    Ok(Gesture::Click(mouse::ClickOptions {
        button: options.button,
        click_count: options.click_count,
        modifiers: options.modifiers,
        delay: options.delay,
        ..mouse::ClickOptions::default()
    }))
}

impl Locator {
    /// Clicks: the mouse moves to the element, presses and releases. A hidden checkbox is clicked by its label; an
    /// option of a closed native list is selected.
    ///
    /// # Errors
    /// [`BrowserError::NotActionable`]; [`BrowserError::NoEffect`] when the click did not arrive at the element;
    /// else see [`Locator`].
    pub async fn click(&self, options: &ElementClickOptions) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        self.click_in_turn(options, &mut limits).await
    }

    /// As [`click`](Self::click), with somebody who looks at what is at the point before each press and each release.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`click`](Self::click).
    pub async fn click_watched(
        &self,
        options: &ElementClickOptions,
        watch: &Watch,
    ) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let gesture = click_of(options)?;
        self.gesture(&gesture, options.position, Some(watch), &mut limits)
            .await
    }

    /// Clicks twice, as one gesture.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn double_click(&self, options: &ElementClickOptions) -> Result<Performed, BrowserError> {
        let mut twice = options.clone();
        twice.click_count = 2;
        self.click(&twice).await
    }

    /// Moves the mouse over the element.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn hover(&self, options: &PointerOptions) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let Aimed::Point(aim) = self.aim(options.position, None, &mut limits).await? else {
            return Err(self.hidden());
        };
        let page = self.page();
        mouse::move_to(page, page.session(), aim.at.0, aim.at.1, options.modifiers).await?;
        Ok(Performed {
            attempts: 1,
            ..Performed::default()
        })
    }

    /// Taps with one finger.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn tap(&self, options: &PointerOptions) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let gesture = Gesture::Tap(options.modifiers);
        self.gesture(&gesture, options.position, None, &mut limits).await
    }

    /// As [`click`](Self::click), for those who have the turn.
    pub(crate) async fn click_in_turn(
        &self,
        options: &ElementClickOptions,
        limits: &mut Limits,
    ) -> Result<Performed, BrowserError> {
        let gesture = click_of(options)?;
        self.gesture(&gesture, options.position, None, limits).await
    }

    /// Waits for the turn to send input, within the time of the operation.
    pub(crate) async fn turn(&self, limits: &Limits) -> Result<InputTurn<'_>, BrowserError> {
        match tokio::time::timeout(
            limits.whole().max(Duration::from_secs(1)),
            self.page().input_turn(),
        )
        .await
        {
            Ok(turn) => turn,
            Err(_) => Err(BrowserError::NotAnswering {
                selector: self.to_string(),
                waited: limits.elapsed(),
            }),
        }
    }

    async fn gesture(
        &self,
        gesture: &Gesture,
        position: Option<ElementPosition>,
        watch: Option<&Watch>,
        limits: &mut Limits,
    ) -> Result<Performed, BrowserError> {
        let action = gesture.name();
        let press = gesture.press();
        let mut attempts = 0;
        let mut was_lost = false;
        loop {
            attempts += 1;
            let aim = match self.aim(position, Some(press), limits).await? {
                Aimed::Point(aim) => aim,
                Aimed::Option(index) => return self.select_as_click(index, limits).await,
            };
            let sending = gesture.send(self.page(), aim.at, watch);
            let verdict = self.verdict(&aim, press.is_tap, sending).await;
            if matches!(verdict, Err(BrowserError::KeptBack { .. })) {
                unwatch(&aim.frame, &aim.guard).await;
            }
            match verdict.map_err(|error| self.broken_off(action, error))? {
                Verdict::Delivered {
                    has_left,
                    is_set_back,
                    has_told,
                } => {
                    return Ok(Performed {
                        attempts,
                        has_left,
                        is_set_back,
                        has_told,
                    });
                }
                Verdict::Blocked(problem) if limits.is_over() || attempts >= ATTEMPTS => {
                    return Err(self.obstructed(&problem, limits));
                }
                Verdict::Blocked(_) => {}
                Verdict::Lost if !was_lost => was_lost = true,
                Verdict::Missed | Verdict::Lost => {
                    return Err(BrowserError::NoEffect {
                        selector: self.to_string(),
                        action,
                        found: "the press did not arrive at the element".to_owned(),
                        may_have_happened: true,
                    });
                }
            }
        }
    }

    /// Waits for a point of the element that can be pressed, in the page's viewport. `press`: what is to come, and to
    /// be guarded.
    pub(crate) async fn aim(
        &self,
        position: Option<ElementPosition>,
        press: Option<Press>,
        limits: &mut Limits,
    ) -> Result<Aimed, BrowserError> {
        static GUARDS: AtomicU64 = AtomicU64::new(0);
        let guard = format!("guard {}", GUARDS.fetch_add(1, Ordering::Relaxed));
        let coming = press
            .map(|Press { presses, is_tap }| json!({ "name": guard, "presses": presses, "isTap": is_tap }));
        loop {
            let position = position.map(|at| json!({ "x": at.x, "y": at.y }));
            let options = json!({ "position": position, "guard": coming });
            let reached = self.reach("aim", "click", options, limits).await?;
            if reached.outcome.is == "option" {
                let index = reached.outcome.value.get("index").and_then(Value::as_u64);
                let index = index.and_then(|index| usize::try_from(index).ok());
                return Ok(Aimed::Option(index.unwrap_or_default()));
            }
            let frame = reached.frame;
            let document = frame.document()?;
            let inner = point(&reached.outcome)?;
            match lift(&frame, inner, coming.as_ref()).await? {
                Lifted::At(at) => {
                    return Ok(Aimed::Point(Aim {
                        at,
                        around: ancestors(&frame),
                        frame,
                        document,
                        guard,
                    }));
                }
                Lifted::Obstructed(problem) => {
                    if coming.is_some() {
                        unwatch(&frame, &guard).await;
                    }
                    if limits.is_over() {
                        return Err(self.obstructed(&problem, limits));
                    }
                    self.page()
                        .main_frame()
                        .call_library_once("pause", &[json!(50).into()])
                        .await?;
                }
            }
        }
    }

    /// Sends a press, and finds out what became of it. The page tells as soon as it has seen it all, which is before
    /// the browser says that it has delivered it: that waits for a drawn frame.
    async fn verdict(
        &self,
        aim: &Aim,
        is_tap: bool,
        sending: impl Future<Output = Result<(), BrowserError>>,
    ) -> Result<Verdict, BrowserError> {
        let delivering = async {
            sending.await?;
            end_press(&aim.frame, &aim.guard).await;
            Ok(())
        };
        let seeing = async {
            let arguments = [aim.guard.as_str().into(), is_tap.into()];
            let answer = aim.frame.ask_afterwards("seen", &arguments).await?;
            answer.map(read_outcome).transpose()
        };
        // What comes of it in other processes is told by them.
        let session = aim.frame.session().ok();
        let has_told = session.is_some_and(|session| session.id() == self.page().session().id());
        let (delivering, mut seeing) = (pin!(delivering), pin!(seeing));
        // It is asked about before it is sent, so that the page answers in the midst of the press, and not only when
        // it has drawn what came of it.
        let inner = match poll!(seeing.as_mut()) {
            Poll::Ready(early) => delivering.await.and(early),
            Poll::Pending => match select(delivering, seeing).await {
                Either::Left((Ok(()), seeing)) => seeing.await,
                Either::Left((Err(error), _)) => Err(error),
                // Where the guard has gone, that says nothing about how far the press is; and one that went astray may
                // have been kept back.
                Either::Right((Ok(Some(other)), delivering)) if other.is != "done" => {
                    delivering.await.and(Ok(Some(other)))
                }
                Either::Right((seen, _)) => seen,
            },
        };
        let left = Verdict::Delivered {
            has_left: true,
            is_set_back: false,
            has_told,
        };
        if self.page().is_closed() || aim.frame.document().ok() != Some(aim.document) {
            return Ok(left);
        }
        let around = aim.around.iter().map(|frame| unwatch(frame, &aim.guard));
        let around = join_all(around).await;
        let inner = match inner {
            Ok(Some(outcome)) => outcome,
            Ok(None) | Err(BrowserError::FrameGone | BrowserError::PageClosed) => return Ok(left),
            Err(error) => return Err(error),
        };
        let was_pressed = inner.value.get("pressed") == Some(&Value::Bool(true));
        let around: Vec<Outcome> = around.into_iter().flatten().collect();
        let has_strayed = !was_pressed && around.iter().any(|outcome| outcome.is == "missed");
        let blocking = around.into_iter().find(|outcome| outcome.is == "blocked");
        let blocking = blocking.and_then(|outcome| outcome.problem);
        Ok(match (inner.is.as_str(), blocking, inner.problem) {
            ("blocked", _, Some(problem)) => Verdict::Blocked(problem),
            (_, Some(problem), _) if !was_pressed => Verdict::Blocked(problem),
            ("lost", ..) => Verdict::Lost,
            ("done" | "unseen", ..) if !has_strayed => Verdict::Delivered {
                has_left: false,
                is_set_back: inner.value.get("isSetBack") == Some(&Value::Bool(true)),
                has_told,
            },
            _ => Verdict::Missed,
        })
    }

    /// Fails when a press that was sent was kept from the page.
    pub(crate) async fn must_hold(&self, aim: &Aim) -> Result<(), BrowserError> {
        match self.verdict(aim, false, async { Ok(()) }).await? {
            Verdict::Delivered { .. } => Ok(()),
            Verdict::Blocked(problem) => Err(self.obstructed(&problem, &Self::limits(None))),
            Verdict::Missed | Verdict::Lost => Ok(()),
        }
    }

    /// Brings a point that was reached into view through all frames around it, and gives it in the page's
    /// viewport.
    pub(crate) async fn bring_into_view(&self, reached: &Reached) -> Result<(f64, f64), BrowserError> {
        let at = point(&reached.outcome)?;
        match lift(&reached.frame, at, None).await? {
            Lifted::At(at) => Ok(at),
            Lifted::Obstructed(_) => self.lift_quietly(&reached.frame, at).await,
        }
    }

    /// A point of a frame in the page's viewport, whether it can be pressed or not.
    pub(crate) async fn lift_quietly(
        &self,
        frame: &Frame,
        at: (f64, f64),
    ) -> Result<(f64, f64), BrowserError> {
        let mut at = at;
        for (parent, child) in steps(frame) {
            let owner = owner(&parent, &child).await?;
            let arguments = [(&owner).into(), json!(at.0).into(), json!(at.1).into()];
            let value = parent.call_library("around", &arguments).await?;
            at = point(&Outcome {
                is: String::new(),
                value,
                problem: None,
            })?;
        }
        Ok(at)
    }

    /// The error for an element without a box.
    pub(crate) fn hidden(&self) -> BrowserError {
        let problem = Problem::Obstacle {
            why: "hidden".to_owned(),
            by: None,
            offered: Vec::new(),
        };
        self.obstructed(&problem, &Self::limits(None))
    }
}

/// Tells the guard in a document that nothing more comes of a press.
async fn end_press(frame: &Frame, guard: &str) {
    // A document that has gone needs not be told.
    let _ = frame.ask_afterwards("endPress", &[guard.into()]).await;
}

/// Takes away the guard of a press that is over, or does not come, and gives what it has seen.
async fn unwatch(frame: &Frame, guard: &str) -> Option<Outcome> {
    end_press(frame, guard).await;
    let arguments = [guard.into(), false.into()];
    let answer = frame.ask_afterwards("seen", &arguments).await.ok()??;
    read_outcome(answer).ok()
}

enum Lifted {
    At((f64, f64)),
    Obstructed(Problem),
}

/// Takes a point of a frame through the frames around it.
async fn lift(frame: &Frame, at: (f64, f64), coming: Option<&Value>) -> Result<Lifted, BrowserError> {
    let mut at = at;
    for (parent, child) in steps(frame) {
        let owner = owner(&parent, &child).await?;
        let arguments = [
            (&owner).into(),
            json!(at.0).into(),
            json!(at.1).into(),
            json!(coming).into(),
        ];
        let outcome = read_outcome(parent.call_library("through", &arguments).await?)?;
        match outcome.problem {
            Some(problem) => return Ok(Lifted::Obstructed(problem)),
            None => at = point(&outcome)?,
        }
    }
    Ok(Lifted::At(at))
}

/// Each frame around a frame with the one inside of it, the innermost first.
fn steps(frame: &Frame) -> Vec<(Frame, Frame)> {
    let mut steps = Vec::new();
    let mut child = frame.clone();
    while let Some(parent) = child.parent() {
        steps.push((parent.clone(), child));
        child = parent;
    }
    steps
}

fn ancestors(frame: &Frame) -> Vec<Frame> {
    steps(frame).into_iter().map(|(parent, _)| parent).collect()
}

/// The element that shows a frame.
async fn owner(parent: &Frame, child: &Frame) -> Result<Handle, BrowserError> {
    let session = parent.session()?;
    let command = GetFrameOwner {
        frame_id: child.id().to_owned(),
    };
    let asking = async { Ok(session.send(&command).await?) };
    match parent.page().or_end(asking).await {
        Ok(owner) => resolve_node(parent, owner.backend_node_id)
            .await?
            .ok_or(BrowserError::FrameGone),
        Err(BrowserError::Protocol(_)) => Err(BrowserError::FrameGone),
        Err(error) => Err(error),
    }
}

fn point(outcome: &Outcome) -> Result<(f64, f64), BrowserError> {
    let number = |name: &str| outcome.value.get(name).and_then(Value::as_f64);
    number("x")
        .zip(number("y"))
        .ok_or(BrowserError::Unreadable { what: "a point" })
}
