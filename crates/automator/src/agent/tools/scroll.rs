//! `scroll`: another part of the page into the window.

use automator_llm::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::agent::plan::PlanStep;
use crate::agent::view::Want;
use crate::page::Page;

/// How far without a number, in hundredths of the window.
const USUAL: f64 = 80.0;

/// How far at least in one call.
const LEAST: u32 = 1;

/// How far at most in one call.
const MOST: u32 = 2_000;

/// Where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    direction: Direction,
    #[serde(default)]
    percentage: Option<f64>,
}

pub(super) fn spec() -> Tool {
    tool(
        "scroll",
        "Scrolls by a percentage of the window, 80 by default. Page texts hold all of a page anyway.",
        json!({
            "direction": { "type": "string", "enum": ["up", "down", "left", "right"] },
            "percentage": { "type": "number", "minimum": LEAST, "maximum": MOST },
        }),
        &["direction"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let percentage = input.percentage.unwrap_or(USUAL);
    let line = scroll(place.page, input.direction, percentage).await?;
    let outcome = Outcome::done(line).looking(Want::Change);
    Ok(outcome.planned(vec![PlanStep::Scroll {
        direction: input.direction,
        percentage,
    }]))
}

/// Scrolls by a percentage of the window, and says where the page is then.
///
/// # Errors
/// Those of the wheel.
pub(in crate::agent) async fn scroll(page: &Page, direction: Direction, percentage: f64) -> Result<String> {
    let before = Layout::of(page).await?;
    let share = percentage / 100.0;
    let (across, down) = match direction {
        Direction::Up => (0.0, -before.height * share),
        Direction::Down => (0.0, before.height * share),
        Direction::Left => (-before.width * share, 0.0),
        Direction::Right => (before.width * share, 0.0),
    };
    page.scroll((before.width / 2.0, before.height / 2.0), (across, down))
        .await?;
    Ok(Layout::of(page).await?.in_words())
}

/// The window on its page, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::agent) struct Layout {
    pub(in crate::agent) width: f64,
    pub(in crate::agent) height: f64,
    pub(super) left: f64,
    pub(super) top: f64,
    content: f64,
    /// Pixels of the device for each CSS pixel.
    pub(super) density: f64,
}

impl Layout {
    pub(in crate::agent) async fn of(page: &Page) -> Result<Self> {
        let told = page.send_cdp("Page.getLayoutMetrics", &json!({})).await?;
        let number = |place: &str| told.pointer(place).and_then(Value::as_f64).unwrap_or_default();
        Ok(Self {
            width: number("/cssLayoutViewport/clientWidth"),
            height: number("/cssLayoutViewport/clientHeight"),
            left: number("/cssVisualViewport/pageX"),
            top: number("/cssVisualViewport/pageY"),
            content: number("/cssContentSize/height"),
            density: match (
                number("/layoutViewport/clientWidth"),
                number("/cssLayoutViewport/clientWidth"),
            ) {
                (device, css) if device > 0.0 && css > 0.0 => device / css,
                _ => 1.0,
            },
        })
    }

    fn in_words(self) -> String {
        let below = (self.content - self.top - self.height).max(0.0);
        if self.content <= 0.0 || (below < 1.0 && self.top < 1.0) {
            return "done; all of the page is in the window".to_owned();
        }
        format!(
            "done; {:.0} pixels above the window and {below:.0} below it",
            self.top
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_window_is_is_told() {
        let layout = Layout {
            width: 1280.0,
            height: 700.0,
            left: 0.0,
            top: 560.0,
            content: 3000.0,
            density: 1.0,
        };
        assert_eq!(
            layout.in_words(),
            "done; 560 pixels above the window and 1740 below it"
        );
        let short = Layout {
            top: 0.0,
            content: 300.0,
            ..layout
        };
        assert!(short.in_words().contains("all of the page"));
    }
}
