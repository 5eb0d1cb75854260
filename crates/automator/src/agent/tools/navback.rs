//! `navback`: the page before.

use automator_llm::Tool;
use serde_json::json;

use super::{Outcome, Place, Planned, spec as tool};
use crate::Result;
use crate::agent::plan::PlanStep;
use crate::agent::view::Want;

pub(super) fn spec() -> Tool {
    tool(
        "navback",
        "Goes back to the page before, or to the tab that opened this one.",
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
    if outcome.turns_to.is_some() {
        return Ok(outcome);
    }
    Ok(outcome.planned(vec![PlanStep::Navback]))
}

/// Goes back; from a tab that has no page before, to the tab that opened it. Says so when there is neither.
///
/// # Errors
/// Those of a navigation.
pub(in crate::agent) async fn back(place: &Place<'_>) -> Result<Outcome> {
    let before = place.page.url();
    let response = place.page.go_back().await?;
    if response.is_none() && place.page.url() == before {
        let Some(opener) = place.page.opener() else {
            return Ok(Outcome::failed("there is no page before this one"));
        };
        let mut outcome =
            Outcome::done("done: back in the tab that opened this one, which has no page before");
        outcome.turns_to = Some(opener);
        outcome.planned = Planned::Unknown;
        return Ok(outcome);
    }
    Ok(Outcome::done("done"))
}
