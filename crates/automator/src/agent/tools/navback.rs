//! `navback`: the page before.

use automator_llm::Tool;
use serde_json::json;

use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::agent::plan::PlanStep;
use crate::agent::view::Want;

pub(super) fn spec() -> Tool {
    tool(
        "navback",
        "Goes back to the page before.",
        json!({ "reasoningText": { "type": "string" } }),
        &["reasoningText"],
    )
}

pub(super) async fn run(place: &Place<'_>) -> Result<Outcome> {
    let went = back(place).await?;
    if !went.is_success {
        return Ok(went);
    }
    let outcome = went.looking(Want::Change);
    Ok(outcome.planned(vec![PlanStep::Navback]))
}

/// Goes back; says so when there is no page before.
///
/// # Errors
/// Those of a navigation.
pub(in crate::agent) async fn back(place: &Place<'_>) -> Result<Outcome> {
    let before = place.page.url();
    let response = place.page.go_back().await?;
    if response.is_none() && place.page.url() == before {
        return Ok(Outcome::failed("there is no page before this one"));
    }
    Ok(Outcome::done("done"))
}
