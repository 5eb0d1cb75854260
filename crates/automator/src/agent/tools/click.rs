//! `click`: a place in the picture.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, Place, pointing, spec as tool};
use crate::Result;
use crate::page::ClickOptions;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    #[serde(default)]
    describe: String,
    coordinates: Vec<f64>,
}

/// The schema of a place.
pub(super) fn coordinates() -> Value {
    json!({ "type": "array", "items": { "type": "number" } })
}

pub(super) fn spec() -> Tool {
    tool(
        "click",
        "Clicks a place.",
        json!({ "describe": { "type": "string" }, "coordinates": coordinates() }),
        &["describe", "coordinates"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let at = pointing::point(place, &input.coordinates).await?;
    let planned = pointing::planned(place, at, &input.describe, "click", Vec::new()).await;
    pointing::highlight(place, at).await;
    let clicked = pointing::click(place, at, &ClickOptions::default(), "click").await;
    pointing::end_highlight(place).await;
    if let Some(why) = clicked? {
        return Ok(Outcome::failed(why));
    }
    pointing::done(place, planned).await
}
