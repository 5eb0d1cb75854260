//! `fillForm`: several fields of a form, found with one question.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::json;

use super::{Outcome, Place, Planned, act, direct, spec as tool};
use crate::Result;
use crate::act::ActInput;
use crate::agent::plan::PlanStep;
use crate::agent::view::Want;
use crate::prompts::agent as prompts;
use crate::reading::{read, scope};
use crate::replay;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    fields: Vec<Field>,
}

#[derive(Debug, Deserialize)]
struct Field {
    action: String,
}

pub(super) fn spec() -> Tool {
    let field =
        json!({ "type": "object", "properties": { "action": { "type": "string" } }, "required": ["action"] });
    tool(
        "fillForm",
        "Does several things to a form, each as `act` would.",
        json!({ "fields": { "type": "array", "items": field } }),
        &["fields"],
    )
}

/// What came of each field.
#[derive(Default)]
struct Filled {
    done: usize,
    problems: Vec<String>,
    steps: Vec<PlanStep>,
    is_known: bool,
    actions: Vec<serde_json::Value>,
}

impl Filled {
    fn add(&mut self, number: usize, outcome: Outcome) {
        if outcome.is_success {
            self.done += 1;
        } else {
            self.problems.push(format!("{number}: {}", outcome.line));
        }
        match outcome.planned {
            Planned::Steps(steps) => self.steps.extend(steps),
            Planned::Unknown => self.is_known = false,
            Planned::Nothing => {}
        }
        if let Some(serde_json::Value::Array(actions)) = outcome.details.get("actions") {
            self.actions.extend(actions.iter().cloned());
        }
    }
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let actions: Vec<&str> = input.fields.iter().map(|field| field.action.trim()).collect();
    if actions.is_empty() {
        return Ok(Outcome::failed("fields is empty"));
    }
    let mut filled = Filled {
        is_known: true,
        ..Filled::default()
    };
    let read: Option<Vec<direct::Direct>> = actions.iter().map(|action| direct::read(action)).collect();
    match read {
        Some(directs) => by_ids(place, &actions, &directs, &mut filled).await?,
        None => by_question(place, &actions, &mut filled).await?,
    }
    let line = if filled.problems.is_empty() {
        "done".to_owned()
    } else {
        format!(
            "failed: {} of {} done; {}",
            filled.done,
            actions.len(),
            filled.problems.join("; ")
        )
    };
    let mut outcome = Outcome {
        is_success: filled.problems.is_empty(),
        line,
        ..Outcome::default()
    };
    outcome.planned = if filled.is_known {
        Planned::Steps(filled.steps)
    } else {
        Planned::Unknown
    };
    Ok(outcome.looking(Want::Change).detail("actions", filled.actions))
}

async fn by_ids(
    place: &Place<'_>,
    actions: &[&str],
    directs: &[direct::Direct],
    filled: &mut Filled,
) -> Result<()> {
    for (index, (action, direct)) in actions.iter().zip(directs).enumerate() {
        let outcome = match act::by_id(place, direct).await? {
            Some(outcome) => outcome,
            None => {
                let (result, known) = place.run.act(place.page, ActInput::from(*action)).await?;
                act::outcome(action, result, known)
            }
        };
        filled.add(index + 1, outcome);
    }
    Ok(())
}

/// Finds all fields with one question, and does to each what the model says.
async fn by_question(place: &Place<'_>, actions: &[&str], filled: &mut Filled) -> Result<()> {
    let found = place.run.observe(place.page, prompts::fill_form(actions)).await?;
    if found.len() < actions.len() {
        let missing = format!("only {} of {} were found", found.len(), actions.len());
        filled.problems.push(missing);
    }
    // What the elements are before anything is done to them, for the plan.
    let before = if place.run.remembers() {
        let snapshot = read(place.page, &scope(None, &[], std::time::Duration::ZERO)?).await?;
        let paths = place.page.xpaths(&snapshot).await?;
        Some((snapshot, paths))
    } else {
        None
    };
    for (index, action) in found.into_iter().enumerate() {
        let known = before.as_ref().and_then(|(snapshot, paths)| {
            let actions = std::slice::from_ref(&action);
            replay::known_at(paths, snapshot, actions, &|text| place.run.mask(text))
        });
        let instruction = actions
            .get(index)
            .copied()
            .unwrap_or(&action.description)
            .to_owned();
        let (result, _) = place
            .run
            .act(place.page, ActInput::Action(action.clone()))
            .await?;
        let known = known.filter(|_| result.actions == [action]);
        filled.add(index + 1, act::outcome(&instruction, result, known));
    }
    Ok(())
}
