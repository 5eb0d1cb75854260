//! Scrolling to, by and into view.

use serde_json::{Value, json};

use crate::BrowserError;
use crate::locator::{Locator, Performed};

impl Locator {
    /// Scrolls the element to a part of its whole way down: 0 is the top, 100 the bottom. For `html` and `body` it
    /// is the page. Returns once scrolling has stopped.
    ///
    /// # Errors
    /// [`BrowserError::NotActionable`] when there is nothing to scroll; [`BrowserError::NoEffect`] when the page
    /// does not let it be scrolled; [`BrowserError::InvalidArgument`] for a percentage outside of 0 to 100.
    pub async fn scroll_to(&self, percent: f64) -> Result<Performed, BrowserError> {
        if !(0.0..=100.0).contains(&percent) {
            return Err(BrowserError::InvalidArgument {
                argument: "percent",
                problem: format!("{percent} is not between 0 and 100"),
            });
        }
        self.scroll(json!({ "percent": percent })).await
    }

    /// Scrolls down by the height of the element, for `html` and `body` by that of the viewport.
    ///
    /// # Errors
    /// As [`scroll_to`](Self::scroll_to).
    pub async fn next_chunk(&self) -> Result<Performed, BrowserError> {
        self.scroll(json!({ "chunks": 1 })).await
    }

    /// Scrolls up by the height of the element, for `html` and `body` by that of the viewport.
    ///
    /// # Errors
    /// As [`scroll_to`](Self::scroll_to).
    pub async fn previous_chunk(&self) -> Result<Performed, BrowserError> {
        self.scroll(json!({ "chunks": -1 })).await
    }

    /// Scrolls by CSS pixels, to the right and down.
    ///
    /// # Errors
    /// As [`scroll_to`](Self::scroll_to).
    pub async fn scroll_by(&self, across: f64, down: f64) -> Result<Performed, BrowserError> {
        self.scroll(json!({ "across": across, "down": down })).await
    }

    /// Brings the element into view, in all scrollable boxes and frames around it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn scroll_into_view(&self) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(None);
        let _turn = self.turn(&limits).await?;
        let reached = self.reach("intoView", "scroll", Value::Null, &mut limits).await?;
        self.bring_into_view(&reached).await?;
        Ok(Performed {
            attempts: 1,
            ..Performed::default()
        })
    }

    async fn scroll(&self, options: Value) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(None);
        let _turn = self.turn(&limits).await?;
        let reached = self.reach("scroll", "scroll", options, &mut limits).await?;
        if reached.outcome.is == "done" {
            return Ok(Performed {
                attempts: 1,
                ..Performed::default()
            });
        }
        Err(BrowserError::NoEffect {
            selector: self.to_string(),
            action: "scroll",
            found: "it stays where it is".to_owned(),
            may_have_happened: false,
        })
    }
}

/// Reads a percentage as people write it: `50%` or `50`.
///
/// # Errors
/// [`BrowserError::InvalidArgument`].
///
/// ```
/// assert_eq!(automator_browser::percentage("50%")?, 50.0);
/// assert!(automator_browser::percentage("half").is_err());
/// # Ok::<(), automator_browser::BrowserError>(())
/// ```
pub fn percentage(text: &str) -> Result<f64, BrowserError> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<f64>();
    match number {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err(BrowserError::InvalidArgument {
            argument: "percent",
            problem: format!("`{text}` is not a percentage from 0% to 100%"),
        }),
    }
}
