//! Tables: which ones hold data, and what their parts are.
//!
//! Many pages still use `table` for layout. Like Chromium we call a table data only when something in its
//! markup says so; borders and background colours, which Chromium also looks at, are not in a capture.

use crate::attribute::{Attribute, Tag};
use crate::role::Role;
use crate::tree::{Kind, NodeIndex, Tree, flag};

/// From this many rows on a table holds data.
const ROWS_OF_DATA: usize = 20;

pub(super) fn role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    let tag = tree.node(index).tag;
    if tag == Tag::Table {
        return if is_data(tree, index) {
            Role::Table
        } else {
            Role::LayoutTable
        };
    }
    let table = tree
        .ancestors(index)
        .take_while(|&above| tree.node(above).kind == Kind::Element)
        .find(|&above| tree.node(above).is_html(Tag::Table));
    let Some(table) = table else { return Role::Generic };
    let kind = match tree.roles[table as usize] {
        Role::TreeGrid => Role::Grid,
        kind @ (Role::Grid | Role::Table | Role::LayoutTable) => kind,
        _ => return Role::Generic,
    };
    match (tag, kind) {
        (Tag::Caption, _) => Role::Caption,
        (Tag::Tr, Role::LayoutTable) => Role::LayoutTableRow,
        (Tag::Tr, _) => Role::Row,
        (Tag::Td | Tag::Th, Role::LayoutTable) => Role::LayoutTableCell,
        (Tag::Td, Role::Grid) => Role::GridCell,
        (Tag::Td, _) => Role::Cell,
        (Tag::Th, _) => header_role(tree, index),
        (_, Role::LayoutTable) => Role::Generic,
        _ => Role::RowGroup,
    }
}

/// HTML, 4.9.12.2: `scope` decides; without it a header in the first column heads its row.
fn header_role(tree: &Tree<'_>, index: NodeIndex) -> Role {
    match tree.attribute(index, Attribute::Scope).map(str::trim) {
        Some(scope) if scope.eq_ignore_ascii_case("row") || scope.eq_ignore_ascii_case("rowgroup") => {
            Role::RowHeader
        }
        Some(scope) if scope.eq_ignore_ascii_case("col") || scope.eq_ignore_ascii_case("colgroup") => {
            Role::ColumnHeader
        }
        _ => {
            let row = tree.node(index).parent;
            let has_data = tree.children(row).any(|cell| tree.node(cell).is_html(Tag::Td));
            if has_data {
                Role::RowHeader
            } else {
                Role::ColumnHeader
            }
        }
    }
}

fn is_data(tree: &Tree<'_>, table: NodeIndex) -> bool {
    if tree.node(table).is(flag::EDITABLE_ROOT | flag::EDITABLE_INSIDE) {
        return true;
    }
    let is_filled = |attribute| {
        tree.attribute(table, attribute)
            .is_some_and(|value| !value.is_empty())
    };
    if is_filled(Attribute::Summary) || is_filled(Attribute::Rules) {
        return true;
    }
    let mut rows = 0_usize;
    let mut columns = 0_usize;
    let mut current = tree.next_in(table, table, false);
    while current != crate::tree::NONE {
        let node = tree.node(current);
        let mut skip = false;
        match node.tag {
            Tag::Caption | Tag::THead | Tag::TFoot | Tag::Col | Tag::ColGroup | Tag::Th => return true,
            Tag::Tr => {
                rows += 1;
                columns = columns.max(
                    tree.children(current)
                        .filter(|&cell| tree.node(cell).is_html(Tag::Td))
                        .count(),
                );
            }
            Tag::Td => {
                let says = |attribute| {
                    tree.attribute(current, attribute)
                        .is_some_and(|value| !value.is_empty())
                };
                let marks = [
                    Attribute::Headers,
                    Attribute::Abbr,
                    Attribute::Axis,
                    Attribute::Scope,
                ];
                if marks.into_iter().any(says) {
                    return true;
                }
                skip = true;
            }
            Tag::Table => skip = true,
            _ => {}
        }
        current = tree.next_in(table, current, skip);
    }
    rows >= ROWS_OF_DATA || (has_border(tree, table) && rows > 0 && rows * columns > 1)
}

/// A presentational border is the only trace of drawn lines that a capture holds.
fn has_border(tree: &Tree<'_>, table: NodeIndex) -> bool {
    tree.attribute(table, Attribute::Border)
        .is_some_and(|border| border.trim() != "0")
}
