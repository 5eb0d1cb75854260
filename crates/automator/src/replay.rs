//! Whether remembered actions still fit the page.

use std::collections::BTreeMap;

use automator_browser::{ElementRef, Matches, Selector};
use automator_snapshot::{Element, ElementId, Line, Snapshot};
use futures_util::future::join_all;

use crate::Result;
use crate::action::Action;
use crate::cache::{KnownAction, digits};
use crate::page::Page;

/// Takes values of variables out of what is kept.
pub(crate) type Mask<'m> = &'m (dyn Fn(&str) -> String + Sync);

/// An action with what its element is now.
pub(crate) fn known(action: &Action, snapshot: &Snapshot, element: &Element, mask: Mask<'_>) -> KnownAction {
    KnownAction {
        action: action.clone(),
        role: element.role.clone(),
        name: mask(&element.name),
        surroundings: surroundings(snapshot, element, mask),
    }
}

/// Actions whose selectors are absolute XPaths, with what their elements are in a snapshot with these paths. None when
/// one of them is not in it.
pub(crate) fn known_at(
    paths: &BTreeMap<ElementId, String>,
    snapshot: &Snapshot,
    actions: &[Action],
    mask: Mask<'_>,
) -> Option<Vec<KnownAction>> {
    let element = |selector: &str| {
        let path = selector.strip_prefix("xpath=")?;
        let (id, _) = paths.iter().find(|(_, known)| *known == path)?;
        snapshot.element(*id)
    };
    let known = actions
        .iter()
        .map(|action| Some(known(action, snapshot, element(&action.selector)?, mask)));
    known
        .collect::<Option<Vec<_>>>()
        .filter(|known| !known.is_empty())
}

/// The element of a snapshot that a remembered action is about: it must still have its role and name, and stand in
/// the same surroundings when others have these, too.
pub(crate) async fn find<'s>(
    page: &Page,
    snapshot: &'s Snapshot,
    known: &KnownAction,
    mask: Mask<'_>,
) -> Result<Option<&'s Element>> {
    let Ok(selector) = Selector::parse(&known.action.selector) else {
        return Ok(None);
    };
    // What is not there is no error here: the model is asked then.
    let Ok(found) = page.browser_page().resolve(&selector, Matches::First, None).await else {
        return Ok(None);
    };
    let Some(reference) = found.first() else {
        return Ok(None);
    };
    let element = snapshot.elements().find(|element| is_node(element, reference));
    Ok(element.filter(|element| {
        element.role == known.role
            && mask(&element.name) == known.name
            && surroundings(snapshot, element, mask) == known.surroundings
    }))
}

/// What sets an element apart from others with its role and name: the largest part of the page around it that holds
/// none of them, as a hash. None when there are no others.
fn surroundings(snapshot: &Snapshot, element: &Element, mask: Mask<'_>) -> Option<String> {
    let twins: Vec<String> = snapshot
        .elements()
        .filter(|other| other.role == element.role && other.name == element.name && other.id != element.id)
        .map(marked)
        .collect();
    if twins.is_empty() {
        return None;
    }
    let lines = snapshot.lines();
    let text = |line: &Line| snapshot.text().get(line.start..line.end).unwrap_or_default();
    let own = marked(element);
    let at = lines.iter().position(|line| text(line).contains(&own))?;
    let mut part = at..at + 1;
    let mut top = at;
    loop {
        let depth = lines.get(top)?.depth;
        let below = lines
            .iter()
            .skip(top + 1)
            .take_while(|line| line.depth > depth)
            .count();
        let wider = top..top + 1 + below;
        let has_twin = lines.get(wider.clone())?.iter().any(|line| {
            let line = text(line);
            twins.iter().any(|twin| line.contains(twin))
        });
        if has_twin {
            break;
        }
        part = wider;
        match lines.get(..top)?.iter().rposition(|line| line.depth < depth) {
            Some(parent) => top = parent,
            None => break,
        }
    }
    let words: Vec<String> = lines
        .get(part)?
        .iter()
        .map(|line| without_ids(text(line)))
        .collect();
    Some(digits(&mask(&words.join("\n"))))
}

/// The id as it stands in the text of the page.
fn marked(element: &Element) -> String {
    format!("[{}]", element.id)
}

/// A line without the ids in it, which change from one load to the next.
pub(crate) fn without_ids(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        let (before, at) = rest.split_at(start);
        out.push_str(before);
        let id = at.get(1..).and_then(|inner| inner.find(']')).filter(|end| {
            at.get(1..=*end).is_some_and(|id| {
                id.contains('-') && id.chars().all(|sign| sign.is_ascii_digit() || sign == '-')
            })
        });
        let skipped = id.map_or(1, |end| end + 2);
        if id.is_none() {
            out.push('[');
        }
        rest = at.get(skipped..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Whether the elements of all these actions are on the page as they were.
pub(crate) async fn still_there(
    page: &Page,
    snapshot: &Snapshot,
    known: &[KnownAction],
    mask: Mask<'_>,
) -> Result<bool> {
    let found = join_all(known.iter().map(|known| find(page, snapshot, known, mask))).await;
    let found: Vec<Option<&Element>> = found.into_iter().collect::<Result<_>>()?;
    Ok(found.iter().all(Option::is_some))
}

fn is_node(element: &Element, reference: &ElementRef) -> bool {
    element.node.backend_node_id == reference.backend_node_id
        && element.node.frame_id == reference.frame.id()
        && element.node.document_id == reference.loader_id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_left_out_and_other_brackets_stay() {
        assert_eq!(without_ids("  [0-12] row: [a] [1-2] x [3]"), "   row: [a]  x [3]");
        assert_eq!(without_ids("[x"), "[x");
    }
}
