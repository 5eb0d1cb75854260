//! The way to an element: from something that a template names, step by step.

use automator_snapshot::{Structure, StructureNode};
use serde::{Deserialize, Serialize};

/// A way from an element to one below it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Path {
    /// Where it starts, when not at the item or the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<Anchor>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<Step>,
}

/// The only element of the page of that id, or of that role and name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Anchor {
    Id(String),
    Landmark {
        role: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
    },
}

impl Anchor {
    pub(super) fn is(&self, node: &StructureNode) -> bool {
        match self {
            Anchor::Id(id) => node.id.as_deref() == Some(id),
            Anchor::Landmark { role, name } => {
                node.role == role && (name.is_empty() || node.name == *name) && !node.is_text()
            }
        }
    }
}

/// To one child: the only one for which all that is said holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Step {
    pub(super) kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// The first text in it: `Weight`, or its beginning: `Weight:`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) labelled: Option<String>,
    /// The text of the element before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
    /// The text of the header of its column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<String>,
    /// Its position among several for which all else holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) nth: Option<Nth>,
}

/// What an element is by its markup; written as `span.price`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(super) struct Kind {
    pub(super) tag: String,
    /// Classes that it has, among others.
    pub(super) classes: Vec<String>,
}

impl From<String> for Kind {
    fn from(text: String) -> Kind {
        let mut words = text.split('.');
        Kind {
            tag: words.next().unwrap_or_default().to_owned(),
            classes: words.map(str::to_owned).collect(),
        }
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> String {
        std::iter::once(kind.tag)
            .chain(kind.classes)
            .collect::<Vec<_>>()
            .join(".")
    }
}

impl Kind {
    pub(super) fn is(&self, node: &StructureNode) -> bool {
        node.tag == self.tag && self.classes.iter().all(|class| node.classes.contains(class))
    }

    /// The element name and every class that a template gives.
    pub(super) fn of(node: &StructureNode) -> Kind {
        let mut classes: Vec<String> = node
            .classes
            .iter()
            .filter(|class| is_of_template(class))
            .cloned()
            .collect();
        classes.sort_unstable();
        classes.dedup();
        Kind {
            tag: node.tag.clone(),
            classes,
        }
    }
}

/// Counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Nth {
    pub(super) nth: usize,
    pub(super) of: usize,
}

/// Whether an id or a class comes from a template and not from data: generated ones hold digits.
pub(super) fn is_of_template(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 60
        && !word.contains(|character: char| character.is_ascii_digit() || character == '.')
}

pub(super) fn is_cell(node: &StructureNode) -> bool {
    matches!(node.tag.as_str(), "td" | "th")
        || matches!(node.role, "cell" | "gridcell" | "columnheader" | "rowheader")
}

fn is_row(node: &StructureNode) -> bool {
    node.tag == "tr" || node.role == "row"
}

fn is_table(node: &StructureNode) -> bool {
    node.tag == "table" || matches!(node.role, "table" | "grid" | "treegrid")
}

/// The table that a node stands in.
pub(super) fn table_around(structure: &Structure, number: usize) -> Option<usize> {
    structure
        .ancestors(number)
        .find(|&above| structure.node(above).is_some_and(is_table))
}

/// Which columns the cells of a table stand in.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// Cell, first column, columns.
    cells: std::collections::HashMap<usize, (usize, usize)>,
    headers: Vec<(String, usize, usize)>,
}

/// Most columns that are counted.
const WIDEST: usize = 4_096;

impl Grid {
    pub(super) fn of(structure: &Structure, table: usize) -> Grid {
        let mut grid = Grid::default();
        let end = structure.node(table).map_or(0, |node| node.end);
        // For each column the rows for which a cell from above still covers it.
        let mut covered: Vec<usize> = Vec::new();
        let mut number = table + 1;
        while number < end {
            let Some(node) = structure.node(number) else { break };
            if is_table(node) {
                number = node.end.max(number + 1);
                continue;
            }
            if is_row(node) {
                grid.add_row(structure, number, &mut covered);
            }
            number += 1;
        }
        grid
    }

    fn add_row(&mut self, structure: &Structure, row: usize, covered: &mut Vec<usize>) {
        let mut column = 0;
        let mut begins = Vec::new();
        for number in structure.elements_in(row) {
            let Some(cell) = structure.node(number).filter(|node| is_cell(node)) else {
                continue;
            };
            while covered.get(column).is_some_and(|&rows| rows > 0) {
                column += 1;
            }
            if column >= WIDEST {
                break;
            }
            self.cells.insert(number, (column, cell.column_span));
            if cell.role == "columnheader" {
                let text = structure.lines(number).join(" ");
                self.headers.push((text, column, cell.column_span));
            }
            begins.push((column, cell.column_span, cell.row_span));
            column += cell.column_span;
        }
        for rows in covered.iter_mut() {
            *rows = rows.saturating_sub(1);
        }
        for (column, columns, rows) in begins {
            let end = (column + columns).min(WIDEST);
            if covered.len() < end {
                covered.resize(end, 0);
            }
            for covering in covered.iter_mut().take(end).skip(column) {
                *covering = rows - 1;
            }
        }
    }

    /// The header of the column that a cell alone stands in, when no other column is called so.
    pub(super) fn header_of(&self, cell: usize) -> Option<&str> {
        let &(column, 1) = self.cells.get(&cell)? else {
            return None;
        };
        let header = self
            .headers
            .iter()
            .find(|header| header.1 == column && header.2 == 1)?;
        (self.column(&header.0) == Some(column)).then_some(header.0.as_str())
    }

    /// The only column of that header.
    pub(super) fn column(&self, header: &str) -> Option<usize> {
        let mut named = self.headers.iter().filter(|(text, _, _)| text == header);
        match (named.next(), named.next()) {
            (Some((_, column, 1)), None) => Some(*column),
            _ => None,
        }
    }

    pub(super) fn stands_in(&self, cell: usize, column: usize) -> bool {
        self.cells.get(&cell) == Some(&(column, 1))
    }
}
