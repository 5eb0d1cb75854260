//! `clickAndHold`: a place in the picture, for a while.

use std::time::Duration;

use automator_browser::ClickOptions;
use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::click::coordinates;
use super::wait::MOST_MILLISECONDS;
use super::{Outcome, Place, Planned, pointing, spec as tool};
use crate::Result;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    coordinates: Vec<f64>,
    duration: f64,
}

pub(super) fn spec() -> Tool {
    tool(
        "clickAndHold",
        "Holds the mouse button down at a place, for so many milliseconds.",
        json!({
            "describe": { "type": "string" },
            "duration": { "type": "number", "minimum": 0, "maximum": MOST_MILLISECONDS },
            "coordinates": coordinates(),
        }),
        &["describe", "duration", "coordinates"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let at = pointing::point(place, &input.coordinates).await?;
    pointing::highlight(place, at).await;
    let mut options = ClickOptions::default();
    options.delay = Duration::from_secs_f64(input.duration / 1000.0);
    let clicked = pointing::click(place, at, &options, "click and hold").await;
    pointing::end_highlight(place).await;
    if let Some(why) = clicked? {
        return Ok(Outcome::failed(why));
    }
    // No action of a plan holds.
    pointing::done(place, Planned::Unknown).await
}
