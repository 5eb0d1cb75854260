//! Text into fields, and a look whether it has stayed there.

use std::time::Duration;

use serde_json::{Value, json};

use crate::element::reach::{Limits, Outcome, read_outcome};
use crate::input::keyboard;
use crate::input::keys::{self, Platform};
use crate::input::watch::Watch;
use crate::locator::{Locator, Performed};
use crate::{BrowserError, Frame};

/// How much of a field's content an error shows.
const SHOWN: usize = 100;

impl Locator {
    /// Replaces the text of a field: of text-like inputs, text areas and editable elements by real text input; of
    /// dates, times, colours and ranges by their value in its HTML form, as `2024-02-29`. An empty text empties
    /// the field. A label, or a wrapper with just one field in it, stands for the field. `timeout` is the time to
    /// appear and to become ready (default: 2 s and 5 s).
    ///
    /// A field that reformats what is typed (a mask) is accepted when the letters and digits are there, and a number
    /// when it is the same one.
    ///
    /// # Errors
    /// [`BrowserError::Unsuitable`] for what takes no text, or not this one; [`BrowserError::NotActionable`];
    /// [`BrowserError::NoEffect`] when the field does not keep the text; else see [`Locator`].
    pub async fn fill(&self, text: &str, timeout: Option<Duration>) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(timeout);
        let _turn = self.turn(&limits).await?;
        self.fill_in_turn(text, None, &mut limits).await
    }

    /// As [`fill`](Self::fill), with somebody who looks at what has the focus before each key that presses it, where the
    /// field takes its text key by key.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`fill`](Self::fill).
    pub async fn fill_watched(
        &self,
        text: &str,
        timeout: Option<Duration>,
        watch: &Watch,
    ) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(timeout);
        let _turn = self.turn(&limits).await?;
        self.fill_in_turn(text, Some(watch), &mut limits).await
    }

    /// As [`fill`](Self::fill), for those who have the turn.
    pub(crate) async fn fill_in_turn(
        &self,
        text: &str,
        watch: Option<&Watch>,
        limits: &mut Limits,
    ) -> Result<Performed, BrowserError> {
        let mut is_by_key = false;
        loop {
            let started = self.start_filling(text, false, limits).await?;
            if started.is_set {
                return self
                    .end_filling(&started, text, false)
                    .await?
                    .performed(self, "fill");
            }
            let typed = match is_by_key {
                true if !text.is_empty() => {
                    keyboard::type_text(self.page(), text, Duration::ZERO, watch).await
                }
                _ => self.put(&started, text).await,
            };
            typed.map_err(|error| self.broken_off("fill", error))?;
            let filled = self.end_filling(&started, text, false).await?;
            if let Filled::Other {
                may_repeat, is_empty, ..
            } = filled
                && !is_by_key
                && (may_repeat || (is_empty && self.listens_to_keys_only(text, watch, limits).await?))
            {
                is_by_key = true;
                continue;
            }
            return filled.performed(self, "fill");
        }
    }

    /// Whether an empty field takes keys and nothing else: a mask that draws itself does the work of a key before
    /// the browser could. A field that takes a key as any other does has taken the text before as well, and the page
    /// has emptied it. The key is taken back.
    async fn listens_to_keys_only(
        &self,
        text: &str,
        watch: Option<&Watch>,
        limits: &mut Limits,
    ) -> Result<bool, BrowserError> {
        if text.chars().nth(1).is_none() {
            return Ok(false);
        }
        let first: String = text.chars().take(1).collect();
        let started = self.start_filling(&first, false, limits).await?;
        if started.is_set || !started.is_empty {
            return Ok(false);
        }
        let typing = keyboard::type_text(self.page(), &first, Duration::ZERO, watch).await;
        typing.map_err(|error| self.broken_off("fill", error))?;
        let answer = started
            .frame
            .ask_afterwards("fillEnd", &[first.as_str().into(), false.into()])
            .await;
        let Ok(Some(value)) = answer else {
            return Ok(false);
        };
        let is_heard = is_heard(&read_outcome(value)?);
        let taking_back = self.press_backspace().await;
        taking_back.map_err(|error| self.broken_off("fill", error))?;
        Ok(!is_heard)
    }

    async fn press_backspace(&self) -> Result<(), BrowserError> {
        let chord = keys::parse("Backspace", Platform::here())?;
        keyboard::press_chord(self.page(), &chord, Duration::ZERO, None).await
    }

    async fn put(&self, started: &Started, text: &str) -> Result<(), BrowserError> {
        let page = self.page();
        if text.is_empty() {
            if started.is_empty {
                return Ok(());
            }
            self.press_backspace().await
        } else {
            keyboard::insert_text(page, text).await?;
            if started.is_editor {
                return Ok(());
            }
            // Old pages look at a field when a key goes up, and never at its input.
            keyboard::end_of_text(page).await
        }
    }

    pub(crate) async fn start_filling(
        &self,
        text: &str,
        keep_text: bool,
        limits: &mut Limits,
    ) -> Result<Started, BrowserError> {
        let options = json!({ "text": text, "keepText": keep_text });
        let reached = self.reach("fillStart", "fill", options, limits).await?;
        let value = &reached.outcome.value;
        let is = |name: &str| value.get(name).and_then(Value::as_bool) == Some(true);
        let has_left = reached.outcome.is == "left";
        Ok(Started {
            document: reached.frame.document().unwrap_or_default(),
            is_set: has_left || value.get("mode").and_then(Value::as_str) == Some("set"),
            has_left,
            is_empty: is("isEmpty"),
            is_password: is("isPassword"),
            is_editor: is("isEditor"),
            limit: value
                .get("limit")
                .and_then(Value::as_i64)
                .filter(|limit| *limit >= 0),
            frame: reached.frame,
        })
    }

    /// Looks at the field once the page had time to answer to the input.
    pub(crate) async fn end_filling(
        &self,
        started: &Started,
        text: &str,
        keep_text: bool,
    ) -> Result<Filled, BrowserError> {
        if started.has_left || started.frame.document().ok() != Some(started.document) {
            return Ok(Filled::Left);
        }
        let arguments = [text.into(), keep_text.into()];
        let outcome = match started.frame.ask_afterwards("fillEnd", &arguments).await {
            Ok(Some(value)) => read_outcome(value)?,
            Ok(None) | Err(BrowserError::FrameGone | BrowserError::PageClosed) => return Ok(Filled::Left),
            Err(error) => return Err(self.broken_off("fill", error)),
        };
        let is_heard = is_heard(&outcome);
        let outcome = if outcome.is == "unseen" {
            // The page has drawn the field anew; what stands in its place has the text now.
            let options = json!({ "text": text, "keepText": keep_text });
            let mut limits = Self::limits(None);
            match self.reach("heldText", "fill", options, &mut limits).await {
                Ok(reached) => reached.outcome,
                Err(_) => return Ok(Filled::Left),
            }
        } else {
            outcome
        };
        Ok(if outcome.is == "done" {
            Filled::Kept
        } else {
            let is_empty = outcome.value.get("text").and_then(Value::as_str) == Some("");
            // A row of fields with a place for each digit goes on from one to the next by key.
            let is_cut = started.limit == Some(1) && text.chars().nth(1).is_some();
            Filled::Other {
                shown: shown(&outcome, started),
                is_empty,
                may_repeat: !is_heard || (!is_empty && (started.is_editor || is_cut)),
            }
        })
    }

    pub(crate) fn broken_off(&self, action: &'static str, source: BrowserError) -> BrowserError {
        if matches!(source, BrowserError::KeptBack { .. }) {
            return source;
        }
        BrowserError::Interrupted {
            selector: self.to_string(),
            action,
            source: Box::new(source),
        }
    }
}

/// A field that is ready for text.
pub(crate) struct Started {
    frame: Frame,
    document: u64,
    /// It has been set already.
    is_set: bool,
    /// The document went away over that.
    has_left: bool,
    is_empty: bool,
    is_password: bool,
    is_editor: bool,
    limit: Option<i64>,
}

impl Started {
    /// Whether the field has its value already: it is one that takes no typing.
    pub(crate) fn is_set(&self) -> bool {
        self.is_set
    }
}

/// What became of a text.
pub(crate) enum Filled {
    /// It is there.
    Kept,
    /// The field has gone with its document.
    Left,
    /// Something else is there. The text may be put in once more when the page has not heard of it (some fields
    /// listen to keys only), and when an editor has taken apart, or a field for one character cut off, what came at once. A page
    /// that has heard may have sent it off.
    Other {
        shown: String,
        is_empty: bool,
        may_repeat: bool,
    },
}

impl Filled {
    pub(crate) fn performed(
        self,
        locator: &Locator,
        action: &'static str,
    ) -> Result<Performed, BrowserError> {
        match self {
            Self::Kept => Ok(Performed {
                attempts: 1,
                ..Performed::default()
            }),
            Self::Left => Ok(Performed {
                attempts: 1,
                has_left: true,
                ..Performed::default()
            }),
            Self::Other { shown, .. } => Err(BrowserError::NoEffect {
                selector: locator.to_string(),
                action,
                found: shown,
                may_have_happened: true,
            }),
        }
    }
}

/// Whether the page has heard of the input: what is not said counts as heard.
fn is_heard(outcome: &Outcome) -> bool {
    outcome.value.get("isHeard") != Some(&Value::Bool(false))
}

/// What is in the field, for the error; never a password.
fn shown(outcome: &Outcome, started: &Started) -> String {
    let limit = started
        .limit
        .map(|limit| format!(" (it takes at most {limit} characters)"))
        .unwrap_or_default();
    if started.is_password {
        return format!("the password field holds something else{limit}");
    }
    let text = outcome
        .value
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    if short.is_empty() {
        return format!("the field is empty: the page has refused the text, or has taken it{limit}");
    }
    format!("the field holds `{short}`{limit}")
}
