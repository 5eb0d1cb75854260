//! What becomes of one element: told as a line, as structure, or only its content.

use std::borrow::Cow;

use crate::attribute::{Attribute, Tag};
use crate::role::Role;
use crate::tree::{Display, Kind, NodeIndex, Tree, flag};
use crate::usable::{is_clickable, is_control, is_usable};

/// What an element does to the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    None,
    Space,
    Break,
}

impl Edge {
    pub(super) fn of(display: Display) -> Edge {
        match display {
            Display::None | Display::Inline => Edge::None,
            Display::InlineBox => Edge::Space,
            Display::Block | Display::Table | Display::TableRow | Display::TableCell => Edge::Break,
        }
    }
}

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    /// Nothing of it is told.
    Skip,
    /// It ends a line.
    Line,
    /// One line with an id, whatever is inside.
    Leaf,
    /// A line with an id, and its content below.
    Element,
    /// A line without an id, when there is something below.
    Structure,
    Bullet,
    Row,
    Cell,
    /// A row of a layout table.
    LayoutRow,
    /// Only its content is told.
    Through(Edge),
}

pub(super) fn of(tree: &Tree<'_>, index: NodeIndex, is_covered: bool) -> Plan {
    let node = tree.node(index);
    if node.kind == Kind::Document {
        return Plan::Element;
    }
    match node.tag {
        Tag::Script | Tag::Style | Tag::NoScript | Tag::Template | Tag::Head if !node.is(flag::SHOWN) => {
            return Plan::Skip;
        }
        Tag::Br | Tag::Hr => return Plan::Line,
        _ => {}
    }
    let through = Plan::Through(Edge::of(node.display));
    if !node.is(flag::SHOWN) {
        return Plan::Through(Edge::Break);
    }
    let role = tree.roles[index as usize];
    if is_usable(tree, index, role) && !node.is(flag::INERT)
        || node.is(flag::SCROLLS)
        || shows_document(tree, index)
    {
        return plan_of_usable(tree, index, role);
    }
    if node.is(flag::ARIA_HIDDEN | flag::INERT) && !node.is(flag::TOLD) {
        return through;
    }
    match role {
        Role::Heading if is_covered => through,
        Role::Heading => Plan::Element,
        Role::Image => Plan::Leaf,
        Role::ListItem => Plan::Bullet,
        Role::Row => Plan::Row,
        Role::Cell | Role::GridCell | Role::ColumnHeader | Role::RowHeader | Role::LayoutTableCell => {
            Plan::Cell
        }
        Role::LayoutTableRow => Plan::LayoutRow,
        role if is_structure(tree, index, role) => Plan::Structure,
        _ => through,
    }
}

fn plan_of_usable(tree: &Tree<'_>, index: NodeIndex, role: Role) -> Plan {
    let node = tree.node(index);
    if matches!(role, Role::Row) && !node.is(flag::SCROLLS) {
        return Plan::Row;
    }
    let is_field = matches!(node.tag, Tag::Input | Tag::TextArea) || role == Role::Image;
    if is_field && !node.is(flag::EDITABLE_ROOT) {
        Plan::Leaf
    } else {
        Plan::Element
    }
}

/// Whether the element's line helps to understand what is below.
fn is_structure(tree: &Tree<'_>, index: NodeIndex, role: Role) -> bool {
    match role {
        Role::Group | Role::Figure | Role::Form => {
            crate::name::has_author_name(tree, index) || has_caption(tree, index)
        }
        role => role.is_structure(),
    }
}

fn has_caption(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    match node.tag {
        Tag::FieldSet => tree
            .children(index)
            .any(|child| tree.node(child).is_html(Tag::Legend)),
        Tag::OptGroup => tree.has_attribute(index, Attribute::Label),
        _ => false,
    }
}

/// Whether the element is a frame, or an `object` or `embed` that works as one.
pub(super) fn shows_document(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    match node.tag {
        Tag::Object | Tag::Embed => {
            let holds = |child| tree.node(child).kind == Kind::Document;
            tree.children(index).any(holds) || tree.unread_frames.contains(&index)
        }
        _ => tree.roles[index as usize] == Role::Iframe,
    }
}

/// Whether an image is worth a line: people can act on it, or it has a name that nothing around it says already.
pub(super) fn tells_image(tree: &Tree<'_>, index: NodeIndex, name: &str, is_repeated: bool) -> bool {
    is_clickable(tree, index) || (!name.is_empty() && !is_repeated)
}

/// The word that stands for the element: its role, or its tag where the role says nothing.
pub(super) fn word(tree: &Tree<'_>, index: NodeIndex, role: Role) -> Cow<'static, str> {
    let node = tree.node(index);
    if node.is_html(Tag::Select) && role == Role::ComboBox {
        return Cow::Borrowed("select");
    }
    if node.is_html(Tag::Input)
        && tree
            .attribute(index, Attribute::Type)
            .is_some_and(|kind| kind.eq_ignore_ascii_case("file"))
    {
        return Cow::Borrowed("input, file");
    }
    if node.is(flag::SCROLLS) && !is_control(tree, index, role) {
        return Cow::Owned(format!("scrollable, {}", tree.tag_name(index)));
    }
    match role {
        _ if shows_document(tree, index) => Cow::Borrowed(Role::Iframe.word()),
        Role::Generic | Role::None if node.is(flag::EDITABLE_ROOT) => Cow::Borrowed("textbox"),
        Role::LayoutTableRow => Cow::Borrowed(Role::Row.word()),
        Role::LayoutTableCell => Cow::Borrowed(Role::Cell.word()),
        Role::Generic | Role::None => Cow::Owned(tree.tag_name(index)),
        role => Cow::Borrowed(role.word()),
    }
}
