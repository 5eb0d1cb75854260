//! Who carries an id: what people can use, and what a reader must be able to point at.

use crate::attribute::{Attribute, Tag};
use crate::role::Role;
use crate::tree::{Kind, Namespace, NodeIndex, Tree, flag};

/// Whether people can act on the element: a control, an editable region, or something that answers to a click.
pub(crate) fn is_usable(tree: &Tree<'_>, index: NodeIndex, role: Role) -> bool {
    let node = tree.node(index);
    node.kind == Kind::Element
        && (is_control(tree, index, role) || node.is(flag::EDITABLE_ROOT) || is_clickable(tree, index))
}

/// A control by its role; players only when they show their controls.
pub(crate) fn is_control(tree: &Tree<'_>, index: NodeIndex, role: Role) -> bool {
    match role {
        Role::Audio | Role::Video => tree.has_attribute(index, Attribute::Controls),
        Role::ListBox => !tree.node(index).is_html(Tag::DataList),
        role => role.is_control() || is_native_control(tree, index),
    }
}

/// Whatever role an author gives it, a native control answers to people.
fn is_native_control(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    node.namespace == Namespace::Html
        && match node.tag {
            Tag::Button | Tag::Select | Tag::TextArea => true,
            Tag::Input => tree
                .attribute(index, Attribute::Type)
                .is_none_or(|kind| !kind.eq_ignore_ascii_case("hidden")),
            Tag::A | Tag::Area => tree.has_attribute(index, Attribute::Href),
            _ => false,
        }
}

/// A click listener on anything but the root elements, or a pointer cursor that starts here.
///
/// The protocol's `isClickable` also holds for every node of an editable region and for labels, which answer to
/// clicks without a listener of their own; neither makes an element clickable here.
pub(crate) fn is_clickable(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    if node.kind != Kind::Element || matches!(node.tag, Tag::Html | Tag::Body) {
        return false;
    }
    let listens = node.is(flag::LISTENS)
        && !node.is(flag::EDITABLE_INSIDE | flag::EDITABLE_ROOT)
        && !node.is_html(Tag::Label);
    listens || node.is(flag::POINTER_STARTS)
}
