//! What a page holds before anything is left out: for tests that hold us against other readers of the page.

use crate::role::Role;
use crate::snapshot::{CapturedTarget, NodeRef, SnapshotError, with_parsed};
use crate::state::is_disabled;
use crate::tree::{Kind, flag};
use crate::usable::is_usable;

/// A shown element with its role and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InspectedElement {
    /// The node.
    pub node: NodeRef,
    /// The frame that shows it.
    pub frame_id: String,
    /// Its role.
    pub role: Role,
    /// Its name; empty when it has none.
    pub name: String,
    /// Whether people can act on it: a control, an editable region, or something that answers to a click.
    pub is_usable: bool,
    /// Whether it is enabled, neither disabled nor inert.
    pub is_enabled: bool,
}

/// Every shown element of a page, in page order, before pruning.
///
/// # Errors
/// As [`Snapshot::read`](crate::Snapshot::read).
pub fn shown_elements(captured: &[CapturedTarget]) -> Result<Vec<InspectedElement>, SnapshotError> {
    with_parsed(captured, |page| {
        let tree = &page.tree;
        let names = page.names();
        let shown = page.order.iter().filter(|&&index| {
            let node = tree.node(index);
            matches!(node.kind, Kind::Element | Kind::Document) && node.is(flag::SHOWN)
        });
        let inspected = shown.map(|&index| {
            let node = tree.node(index);
            let role = tree.roles[index as usize];
            InspectedElement {
                node: NodeRef {
                    target: tree.documents[node.document as usize].target,
                    backend_node_id: node.backend_node_id,
                },
                frame_id: tree.document_key(node.document).0.to_owned(),
                role,
                name: names.of(index, role),
                is_usable: is_usable(tree, index, role),
                is_enabled: !is_disabled(tree, index) && !node.is(flag::INERT | flag::BEHIND_MODAL),
            }
        });
        inspected.collect()
    })
}
