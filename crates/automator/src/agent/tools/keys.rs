//! `keys`: keys and text for whatever has the focus.

use std::time::Duration;

use automator_browser::Performed;
use automator_llm::Tool;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::pointing::{press_there, type_there};
use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::agent::plan::PlanStep;
use crate::agent::run::Run;
use crate::agent::view::Want;
use crate::page::Page;

/// Most times that one key is pressed in one call.
const MOST_REPEATS: u32 = 100;

/// How long a navigation that a key has begun is waited for.
pub(in crate::agent) const FOLLOW: Duration = Duration::from_secs(5);

/// How keys are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Method {
    /// A key or a combination by its name.
    Press,
    /// A text, key by key.
    Type,
}

/// Keys, as a model gives them and a plan keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Keys {
    method: Method,
    /// May hold `%name%` where it is typed.
    value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<u32>,
}

pub(super) fn spec() -> Tool {
    tool(
        "keys",
        "Presses a key such as Control+A, or types a text, where the focus is.",
        json!({
            "method": { "type": "string", "enum": ["press", "type"] },
            "value": { "type": "string" },
            "repeat": { "type": "integer", "minimum": 1, "maximum": MOST_REPEATS },
        }),
        &["method", "value"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Keys) -> Result<Outcome> {
    if let Some(why) = press(place.run, place.page, &input).await? {
        return Ok(Outcome::failed(why));
    }
    let outcome = Outcome::done("done").looking(Want::Change);
    Ok(outcome.planned(vec![PlanStep::Keys { keys: input }]))
}

/// Presses them; gives why not, when the user does not want it.
///
/// # Errors
/// Those of the keyboard.
pub(in crate::agent) async fn press(run: &Run<'_>, page: &Page, keys: &Keys) -> Result<Option<String>> {
    run.session.remember_typed(&run.variables);
    for _ in 0..keys.repeat.unwrap_or(1) {
        let refusal = match keys.method {
            Method::Press => press_there(run, page, &keys.value, Duration::ZERO).await?,
            Method::Type => type_there(run, page, &keys.value).await?,
        };
        if refusal.is_some() {
            return Ok(refusal);
        }
    }
    page.browser_page().follow(&Performed::default(), FOLLOW).await;
    Ok(None)
}
