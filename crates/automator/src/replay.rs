//! Whether remembered actions still fit the page.

use automator_browser::{ElementRef, Matches, Selector};
use automator_snapshot::{Element, Snapshot};
use futures_util::future::join_all;

use crate::Result;
use crate::action::Action;
use crate::cache::KnownAction;
use crate::page::Page;
use crate::variables::Variables;

/// An action with what its element is now.
pub(crate) fn known(action: &Action, element: &Element, variables: &Variables) -> KnownAction {
    KnownAction {
        action: action.clone(),
        role: element.role.clone(),
        name: variables.mask(&element.name),
    }
}

/// The element of a snapshot that a remembered action is about: it must still have its role and name.
pub(crate) async fn find<'s>(
    page: &Page,
    snapshot: &'s Snapshot,
    known: &KnownAction,
    variables: &Variables,
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
    Ok(element.filter(|element| element.role == known.role && variables.mask(&element.name) == known.name))
}

/// Whether the elements of all these actions are on the page as they were.
pub(crate) async fn still_there(
    page: &Page,
    snapshot: &Snapshot,
    known: &[KnownAction],
    variables: &Variables,
) -> Result<bool> {
    let found = join_all(known.iter().map(|known| find(page, snapshot, known, variables))).await;
    let found: Vec<Option<&Element>> = found.into_iter().collect::<Result<_>>()?;
    Ok(found.iter().all(Option::is_some))
}

fn is_node(element: &Element, reference: &ElementRef) -> bool {
    element.node.backend_node_id == reference.backend_node_id
        && element.node.frame_id == reference.frame.id()
        && element.node.document_id == reference.loader_id
}
