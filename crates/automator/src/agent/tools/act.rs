//! `act`: one thing to one element, by its id at once, in words by way of a model.

use automator_browser::{Matches, Selector};
use automator_llm::Tool;
use automator_snapshot::{Element, Snapshot};
use serde::Deserialize;
use serde_json::json;

use super::direct::{self, Direct};
use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::act::ActInput;
use crate::action::{ActResult, Action};
use crate::agent::plan::PlanStep;
use crate::agent::tools::Planned;
use crate::agent::view::Want;
use crate::cache::KnownAction;
use crate::reading::selectors_of;
use crate::replay;

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    action: String,
}

pub(super) fn spec() -> Tool {
    tool(
        "act",
        "Does one thing on the page.",
        json!({ "action": { "type": "string" } }),
        &["action"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let action = input.action.trim();
    if let Some(direct) = direct::read(action)
        && let Some(outcome) = by_id(place, &direct).await?
    {
        return Ok(outcome);
    }
    let (result, known) = place.run.act(place.page, ActInput::from(action)).await?;
    Ok(outcome(action, result, known))
}

/// Does it to the element of an id that the model has seen. None when only a model can tell how.
pub(super) async fn by_id(place: &Place<'_>, direct: &Direct) -> Result<Option<Outcome>> {
    let gone = |why: String| Ok(Some(Outcome::failed(why).looking(Want::Whole)));
    let Some(snapshot) = place.view.seen(place.page) else {
        return gone("the page is another one by now".to_owned());
    };
    let Some(element) = snapshot.element(direct.id) else {
        return gone(format!("there is no element [{}] on the page", direct.id));
    };
    if direct.method == "selectOptionFromDropdown" && element.role != "select" {
        return Ok(None);
    }
    let onto = match direct.onto {
        None => None,
        Some(id) => match snapshot.element(id) {
            Some(element) => Some(element),
            None => return gone(format!("there is no element [{id}] on the page")),
        },
    };
    let Some(selector) = selector_of(place, snapshot, element).await? else {
        return gone(format!("[{}] is not on the page any more", direct.id));
    };
    let mut arguments = direct.arguments.clone();
    if let Some(onto) = onto {
        match selector_of(place, snapshot, onto).await? {
            Some(selector) => arguments.push(selector),
            None => return gone(format!("[{}] is not on the page any more", onto.id)),
        }
    }
    let done = Action {
        selector,
        description: place.run.mask(&format!("{}: {}", element.role, element.name)),
        method: Some(direct.method.to_owned()),
        arguments,
    };
    let known = replay::known(&done, snapshot, element, &|text| place.run.mask(text));
    let (result, _) = place.run.act(place.page, ActInput::Action(done.clone())).await?;
    let instruction = in_words(&done);
    // One that was looked for anew is not the one that is known.
    let known = (result.actions == [done]).then(|| vec![known]);
    Ok(Some(outcome(&instruction, result, known)))
}

/// The selector of an element, if it still leads to it.
async fn selector_of(place: &Place<'_>, snapshot: &Snapshot, element: &Element) -> Result<Option<String>> {
    let mut selectors = selectors_of(place.page, snapshot, &[element]).await?;
    let Some(selector) = selectors.pop().flatten() else {
        return Ok(None);
    };
    // The page as a whole.
    if element.tag.is_empty() {
        return Ok(Some(selector));
    }
    let parsed = Selector::parse(&selector)?;
    let found = place
        .page
        .browser_page()
        .resolve(&parsed, Matches::First, None)
        .await;
    let is_it = found.is_ok_and(|found| {
        found
            .first()
            .is_some_and(|found| found.backend_node_id == element.node.backend_node_id)
    });
    Ok(is_it.then_some(selector))
}

/// The action without ids, which are others the next time.
fn in_words(action: &Action) -> String {
    let method = action.method.as_deref().unwrap_or_default();
    let what = &action.description;
    match (method, action.arguments.first()) {
        ("fill", Some(text)) => format!("type \"{text}\" into {what}"),
        ("selectOptionFromDropdown", Some(option)) => format!("select \"{option}\" in {what}"),
        ("press", Some(key)) => format!("press {key} in {what}"),
        ("click", Some(button)) => format!("{button} click {what}"),
        _ => format!("{method} {what}"),
    }
}

/// What is told of an action.
pub(super) fn outcome(action: &str, result: ActResult, known: Option<Vec<KnownAction>>) -> Outcome {
    let mut outcome = if result.success {
        Outcome::done("done")
    } else {
        Outcome::failed(result.message.as_str())
    };
    outcome.planned = match (result.success, known) {
        (true, Some(actions)) => Planned::Steps(vec![PlanStep::Act {
            instruction: action.to_owned(),
            actions,
        }]),
        // It may have had a part of its effect.
        (false, _) if result.actions.is_empty() => Planned::Nothing,
        _ => Planned::Unknown,
    };
    outcome
        .looking(Want::Change)
        .detail("message", result.message)
        .detail("actions", json!(result.actions))
}
