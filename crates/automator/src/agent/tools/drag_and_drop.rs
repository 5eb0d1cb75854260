//! `dragAndDrop`: from one place in the picture to another.

use automator_browser::DragOptions;
use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::click::coordinates;
use super::{Outcome, Place, Planned, pointing, spec as tool};
use crate::Result;

/// Moves on the way; what watches a drag wants to see some.
pub(in crate::agent) const STEPS: u32 = 5;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Input {
    #[serde(default)]
    describe: String,
    start_coordinates: Vec<f64>,
    end_coordinates: Vec<f64>,
}

pub(super) fn spec() -> Tool {
    tool(
        "dragAndDrop",
        "Drags from one place to another.",
        json!({
            "describe": { "type": "string" }, "startCoordinates": coordinates(), "endCoordinates": coordinates(),
        }),
        &["describe", "startCoordinates", "endCoordinates"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let from = pointing::point(place, &input.start_coordinates).await?;
    let to = pointing::point(place, &input.end_coordinates).await?;
    if let Some(why) = pointing::refusal_of_drag(place, from, to).await {
        return Ok(Outcome::failed(why));
    }
    let planned = if place.run.remembers() {
        let onto = place.page.browser_page().xpath_at(to.0, to.1).await?;
        let arguments = vec![format!("xpath={onto}")];
        pointing::planned(place, from, &input.describe, "dragAndDrop", arguments).await
    } else {
        Planned::Nothing
    };
    pointing::highlight(place, to).await;
    let mut options = DragOptions::default();
    options.steps = STEPS;
    let dragged = place.page.drag_and_drop_with(from, to, &options).await;
    pointing::end_highlight(place).await;
    dragged?;
    pointing::done(place, planned).await
}
