//! Mouse, keyboard and touch by coordinates and keys, as a person has them.

use std::time::Duration;

pub use automator_browser::{ClickOptions, DragOptions, HoverOptions, ScrollOptions, TapOptions};

use super::{Page, limited, limited_by};
use crate::Result;

/// How [`Page::type_text_with`] types.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct TypingOptions {
    /// How long to wait after each character. Default: not at all.
    pub delay: Duration,
    /// Hits a neighbouring key now and then and takes that back with the Backspace key, as people do. The same text
    /// always gets the same mistakes. Default: false.
    pub with_mistakes: bool,
}

/// How [`Page::press_with`] presses.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct KeyPressOptions {
    /// How long the key stays down. Default: not at all.
    pub delay: Duration,
}

/// Coordinates are CSS pixels of the viewport, frames included. What sends input to one page waits for its turn.
impl Page {
    /// Clicks with the left button, once.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn click(&self, x: f64, y: f64) -> Result<()> {
        self.click_with(x, y, &ClickOptions::default()).await.map(drop)
    }

    /// Clicks. Gives the absolute XPath of the element that was under the point, with that of the frames it is in,
    /// when [`return_xpath`](ClickOptions::return_xpath) is set and there is one; else an empty text.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for coordinates and counts that cannot be
    /// used; [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed),
    /// [`ErrorKind::DomProcess`](crate::ErrorKind::DomProcess) when the page crashes;
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) after 30 s, besides the pauses that were asked for.
    pub async fn click_with(&self, x: f64, y: f64, options: &ClickOptions) -> Result<String> {
        let pauses = options.delay.saturating_mul(options.click_count);
        let clicking = self.browser_page.click(x, y, options);
        limited_by(&self.session, Some(pauses), "click", clicking).await
    }

    /// Moves the mouse to a point.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn hover(&self, x: f64, y: f64) -> Result<()> {
        self.hover_with(x, y, &HoverOptions::default()).await.map(drop)
    }

    /// As [`hover`](Self::hover), with options; gives what [`click_with`](Self::click_with) gives.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn hover_with(&self, x: f64, y: f64, options: &HoverOptions) -> Result<String> {
        limited(&self.session, "hover", self.browser_page.hover(x, y, options)).await
    }

    /// Turns the wheel at a point: `by` pixels to the right and down. Returns when scrolling has stopped.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn scroll(&self, at: (f64, f64), by: (f64, f64)) -> Result<()> {
        self.scroll_with(at, by, &ScrollOptions::default())
            .await
            .map(drop)
    }

    /// As [`scroll`](Self::scroll), with options; gives what [`click_with`](Self::click_with) gives.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn scroll_with(
        &self,
        at: (f64, f64),
        by: (f64, f64),
        options: &ScrollOptions,
    ) -> Result<String> {
        let scrolling = self.browser_page.scroll(at, by, options);
        limited(&self.session, "scroll", scrolling).await
    }

    /// Drags from one point to another, with native drag and drop where the page has it.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn drag_and_drop(&self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        let options = DragOptions::default();
        self.drag_and_drop_with(from, to, &options).await.map(drop)
    }

    /// As [`drag_and_drop`](Self::drag_and_drop), with options; gives for both points what
    /// [`click_with`](Self::click_with) gives for one.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn drag_and_drop_with(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        options: &DragOptions,
    ) -> Result<(String, String)> {
        // One pause after the press, one after each move and the last one, one before the release.
        let pauses = options.delay.saturating_mul(options.steps.saturating_add(3));
        let dragging = self.browser_page.drag_and_drop(from, to, options);
        limited_by(&self.session, Some(pauses), "drag_and_drop", dragging).await
    }

    /// Touches a point with one finger.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn tap(&self, x: f64, y: f64) -> Result<()> {
        self.tap_with(x, y, &TapOptions::default()).await.map(drop)
    }

    /// As [`tap`](Self::tap), with options; gives what [`click_with`](Self::click_with) gives.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn tap_with(&self, x: f64, y: f64, options: &TapOptions) -> Result<String> {
        limited(&self.session, "tap", self.browser_page.tap(x, y, options)).await
    }

    /// Types where the focus is, key by key. A line break is the Enter key, a tab the Tab key.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn type_text(&self, text: &str) -> Result<()> {
        self.type_text_with(text, &TypingOptions::default()).await
    }

    /// As [`type_text`](Self::type_text), with options.
    ///
    /// # Errors
    /// As [`click_with`](Self::click_with).
    pub async fn type_text_with(&self, text: &str, options: &TypingOptions) -> Result<()> {
        let TypingOptions { delay, with_mistakes } = *options;
        let characters = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        // At worst there is a mistake for every character.
        let keys = characters.saturating_mul(if with_mistakes { 2 } else { 1 });
        let typing = async {
            if with_mistakes {
                self.browser_page.type_text_with_mistakes(text, delay).await
            } else {
                self.browser_page.type_text(text, delay).await
            }
        };
        limited_by(
            &self.session,
            Some(delay.saturating_mul(keys)),
            "type_text",
            typing,
        )
        .await
    }

    /// Presses a key or a combination: `Enter`, `F5`, `Control+Shift+A`, `cmd+c`. The names are those of key events
    /// and the usual short ones, in any case. All keys are up again afterwards.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a key that nobody knows, with the
    /// nearest that exist; else as [`click_with`](Self::click_with).
    pub async fn press(&self, key: &str) -> Result<()> {
        self.press_with(key, &KeyPressOptions::default()).await
    }

    /// As [`press`](Self::press), with options.
    ///
    /// # Errors
    /// As [`press`](Self::press).
    pub async fn press_with(&self, key: &str, options: &KeyPressOptions) -> Result<()> {
        let pressing = self.browser_page.press(key, options.delay);
        limited_by(&self.session, Some(options.delay), "press", pressing).await
    }
}
