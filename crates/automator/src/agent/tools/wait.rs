//! `wait`: time passes.

use std::time::Duration;

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::agent::plan::PlanStep;
use crate::agent::view::Want;

/// The longest time in one call: an hour. The limit of tools is mostly reached before.
pub(super) const MOST_MILLISECONDS: u32 = 3_600_000;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Input {
    time_ms: f64,
}

pub(super) fn spec() -> Tool {
    tool(
        "wait",
        "Waits. After every call the page is waited for anyway.",
        json!({ "timeMs": { "type": "number", "minimum": 0, "maximum": MOST_MILLISECONDS } }),
        &["timeMs"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let time = Duration::from_secs_f64(input.time_ms / 1000.0);
    place.page.wait_for_timeout(time).await?;
    let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let outcome = Outcome::done("waited").looking(Want::Change);
    Ok(outcome.planned(vec![PlanStep::Wait { time_ms }]))
}
