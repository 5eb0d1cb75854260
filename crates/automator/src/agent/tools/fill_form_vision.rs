//! `fillFormVision`: several fields at places in the picture.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::click::coordinates;
use super::{Outcome, Place, Planned, act, pointing, spec as tool};
use crate::Result;
use crate::act::ActInput;
use crate::action::Action;

/// Roles of elements that a field is made of.
const ROLES_OF_FIELDS: [&str; 5] = ["textbox", "searchbox", "combobox", "spinbutton", "slider"];

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
    if input.fields.is_empty() {
        return Ok(Outcome::failed("fields is empty"));
    }
    let mut steps = Vec::new();
    let mut is_known = true;
    for (index, field) in input.fields.iter().enumerate() {
        let at = pointing::point(place, &field.coordinates).await?;
        let path = place.page.browser_page().xpath_at(at.0, at.1).await?;
        if !is_field(place, &path).await? {
            let why = format!(
                "{}: there is no field at this place, so nothing was filled in",
                index + 1
            );
            let mut outcome = Outcome::failed(why);
            if index > 0 {
                outcome.planned = Planned::Unknown;
            }
            return Ok(outcome);
        }
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

/// Whether what is at a place is written in or chosen from: filling an element that only stands around a field would
/// fill that one, wherever it is.
async fn is_field(place: &Place<'_>, path: &str) -> Result<bool> {
    if path.is_empty() {
        return Ok(false);
    }
    let locator = place.page.browser_page().deep_locator(&format!("xpath={path}"));
    let purpose = locator.purpose(false).await?;
    Ok(purpose.is_editor
        || matches!(purpose.tag.as_str(), "input" | "select" | "textarea" | "option")
        || ROLES_OF_FIELDS.contains(&purpose.role.as_str()))
}
