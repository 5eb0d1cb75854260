//! `fillFormVision`: several fields at places in the picture.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::click::coordinates;
use super::{Outcome, Place, Planned, act, pointing, spec as tool};
use crate::Result;
use crate::act::ActInput;
use crate::action::Action;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    fields: Vec<Field>,
}

#[derive(Debug, Deserialize)]
struct Field {
    #[serde(default)]
    action: String,
    value: String,
    coordinates: Vec<f64>,
}

pub(super) fn spec() -> Tool {
    let field = json!({
        "type": "object",
        "properties": {
            "action": { "type": "string" }, "value": { "type": "string" }, "coordinates": coordinates(),
        },
        "required": ["action", "value", "coordinates"],
    });
    tool(
        "fillFormVision",
        "Fills fields at places.",
        json!({ "fields": { "type": "array", "items": field } }),
        &["fields"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let mut steps = Vec::new();
    let mut is_known = true;
    for (index, field) in input.fields.iter().enumerate() {
        let at = pointing::point(place, &field.coordinates).await?;
        let path = place.page.browser_page().xpath_at(at.0, at.1).await?;
        let arguments = vec![field.value.clone()];
        match pointing::planned(place, at, &field.action, "fill", arguments.clone()).await {
            Planned::Steps(more) => steps.extend(more),
            Planned::Unknown => is_known = false,
            Planned::Nothing => {}
        }
        pointing::highlight(place, at).await;
        let action = Action {
            selector: format!("xpath={path}"),
            description: field.action.clone(),
            method: Some("fill".to_owned()),
            arguments,
        };
        let filled = place.run.act(place.page, ActInput::Action(action)).await;
        pointing::end_highlight(place).await;
        let (result, _) = filled?;
        if !result.success {
            let mut outcome = act::outcome(&field.action, result, None);
            outcome.line = format!("{}: {}", index + 1, outcome.line);
            outcome.planned = Planned::Unknown;
            return Ok(outcome);
        }
    }
    let planned = if is_known {
        Planned::Steps(steps)
    } else {
        Planned::Unknown
    };
    pointing::done(place, planned).await
}
