//! `type`: a text at a place in the picture.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::click::coordinates;
use super::{Outcome, Place, pointing, spec as tool};
use crate::Result;
use crate::page::ClickOptions;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    #[serde(default)]
    describe: String,
    text: String,
    coordinates: Vec<f64>,
}

pub(super) fn spec() -> Tool {
    tool(
        "type",
        "Clicks a place and types.",
        json!({ "describe": { "type": "string" }, "text": { "type": "string" }, "coordinates": coordinates() }),
        &["describe", "text", "coordinates"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let at = pointing::point(place, &input.coordinates).await?;
    let arguments = vec![input.text.clone()];
    let planned = pointing::planned(place, at, &input.describe, "type", arguments).await;
    pointing::highlight(place, at).await;
    let typing = async {
        let refusal = pointing::click(place, at, &ClickOptions::default(), "click").await?;
        if refusal.is_some() {
            return Ok(refusal);
        }
        pointing::type_there(place.run, place.page, &input.text).await
    };
    let typed = typing.await;
    pointing::end_highlight(place).await;
    if let Some(why) = typed? {
        return Ok(Outcome::failed(why));
    }
    pointing::done(place, planned).await
}
