//! Keys for an element.

use serde_json::{Value, json};

use crate::element::reach::Limits;
use crate::input::keyboard;
use crate::input::keys::{self, Platform};
use crate::input::watch::Watch;
use crate::locator::{Locator, Performed, TypeOptions};
use crate::{BrowserError, Frame};

impl Locator {
    /// Puts the focus on the element.
    ///
    /// # Errors
    /// [`BrowserError::NotActionable`] when it takes no focus; else see [`Locator`].
    pub async fn focus(&self) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(None);
        let _turn = self.turn(&limits).await?;
        self.focus_in_turn(true, &mut limits).await?;
        Ok(Performed {
            attempts: 1,
            ..Performed::default()
        })
    }

    /// Types a text behind what is in the field, key by key, as [`Page::type_text`](crate::Page::type_text). What
    /// is no field is focused and gets the keys as well; dates, times, colours and ranges are set as by
    /// [`fill`](Self::fill).
    ///
    /// # Errors
    /// [`BrowserError::NoEffect`] when no key arrived, and when the field is as it was after a single word; else see
    /// [`Locator`].
    pub async fn type_text(&self, text: &str, options: &TypeOptions) -> Result<Performed, BrowserError> {
        self.type_by(text, options, None).await
    }

    /// As [`type_text`](Self::type_text), with somebody who looks at what has the focus before each key that presses
    /// it.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`type_text`](Self::type_text).
    pub async fn type_text_watched(
        &self,
        text: &str,
        options: &TypeOptions,
        watch: &Watch,
    ) -> Result<Performed, BrowserError> {
        self.type_by(text, options, Some(watch)).await
    }

    async fn type_by(
        &self,
        text: &str,
        options: &TypeOptions,
        watch: Option<&Watch>,
    ) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let field = match self.start_filling(text, true, &mut limits).await {
            // A date and the like has no text to type in.
            Ok(started) if started.is_set() => {
                return self
                    .end_filling(&started, text, false)
                    .await?
                    .performed(self, "type");
            }
            Ok(started) => Some(started),
            Err(BrowserError::Unsuitable { .. }) => None,
            Err(error) => return Err(error),
        };
        // Its keys are counted as of anything that has the focus.
        let focused = self.focus_in_turn(false, &mut limits).await?;
        let typing = keyboard::type_text(self.page(), text, options.delay, watch).await;
        typing.map_err(|error| self.broken_off("type", error))?;
        if text.is_empty() {
            return Ok(Performed::default());
        }
        let performed = self.keys_arrived("type", &focused).await?;
        match field {
            // A page may take words out of the field at a separator, as of what is sent or becomes a tag.
            Some(started) if !text.contains(['\n', '\t', ',', ';', ' ']) && !performed.has_left => self
                .end_filling(&started, text, true)
                .await?
                .performed(self, "type"),
            _ => Ok(performed),
        }
    }

    /// Presses a key or a combination, as [`Page::press`](crate::Page::press), with the focus on the element. What
    /// cannot take the focus leaves it where it is.
    ///
    /// # Errors
    /// [`BrowserError::UnknownKey`]; [`BrowserError::NoEffect`] when the key did not arrive; else see [`Locator`].
    pub async fn press(&self, key: &str, options: &TypeOptions) -> Result<Performed, BrowserError> {
        self.press_by(key, options, None).await
    }

    /// As [`press`](Self::press), with somebody who looks at what has the focus before each part of a key that presses
    /// it.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`press`](Self::press).
    pub async fn press_watched(
        &self,
        key: &str,
        options: &TypeOptions,
        watch: &Watch,
    ) -> Result<Performed, BrowserError> {
        self.press_by(key, options, Some(watch)).await
    }

    async fn press_by(
        &self,
        key: &str,
        options: &TypeOptions,
        watch: Option<&Watch>,
    ) -> Result<Performed, BrowserError> {
        let chord = keys::parse(key, Platform::here())?;
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        let focused = self.focus_in_turn(false, &mut limits).await?;
        match keyboard::press_chord(self.page(), &chord, options.delay, watch).await {
            Ok(()) => self.keys_arrived("press", &focused).await,
            Err(BrowserError::PageClosed) => Ok(Performed {
                attempts: 1,
                has_left: true,
                ..Performed::default()
            }),
            Err(error) => Err(self.broken_off("press", error)),
        }
    }

    async fn focus_in_turn(&self, must_take: bool, limits: &mut Limits) -> Result<Focused, BrowserError> {
        let options = json!({ "mustTake": must_take });
        let reached = self.reach("focus", "focus", options, limits).await?;
        Ok(Focused {
            has_focus: reached.outcome.value.get("hasFocus") == Some(&Value::Bool(true)),
            document: reached.frame.document()?,
            frame: reached.frame,
        })
    }

    async fn keys_arrived(&self, action: &'static str, focused: &Focused) -> Result<Performed, BrowserError> {
        let left = Ok(Performed {
            attempts: 1,
            has_left: true,
            ..Performed::default()
        });
        if focused.frame.document().ok() != Some(focused.document) {
            return left;
        }
        match focused.frame.ask_afterwards("keysArrived", &[]).await {
            // Without the focus the keys go to wherever it is, maybe in another frame.
            Ok(Some(count)) if count.as_i64().is_some_and(|count| count != 0) || !focused.has_focus => {
                Ok(Performed {
                    attempts: 1,
                    ..Performed::default()
                })
            }
            Ok(Some(_)) => Err(BrowserError::NoEffect {
                selector: self.to_string(),
                action,
                found: "no key arrived in its document".to_owned(),
                may_have_happened: true,
            }),
            Ok(None) | Err(BrowserError::FrameGone | BrowserError::PageClosed) => left,
            Err(error) => Err(self.broken_off(action, error)),
        }
    }
}

/// An element that keys are about to go to.
struct Focused {
    frame: Frame,
    document: u64,
    has_focus: bool,
}
