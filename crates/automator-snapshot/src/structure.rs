//! The shown page as elements and texts without the browser: for paths that were learnt on one page and are
//! followed on another of the same template.

use crate::address;
use crate::attribute::{Attribute, Tag};
use crate::name::{Names, is_marker};
use crate::role::Role;
use crate::snapshot::{Page, Snapshot};
use crate::state::{MASK, states_of, value_of};
use crate::text::{Line, clean};
use crate::tree::{Display, Kind, NONE, NodeIndex, flag};
use crate::usable::is_usable;

/// Most columns or rows that a cell is taken to cover.
const WIDEST_SPAN: usize = 1_000;

/// What people see of a page, or of the part of it that a snapshot was limited to: every shown element and text,
/// in page order, through frames and shadow roots.
///
/// Nodes are numbered from 0, the root, so that a parent comes before its children and all that is below a node
/// follows it directly.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    nodes: Vec<StructureNode>,
}

/// One shown element, document or text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StructureNode {
    /// The node it stands in; none for the root.
    pub parent: Option<usize>,
    /// The first number after its own and all below it.
    pub end: usize,
    /// The element name in lower case, `#document`, or empty for text.
    pub tag: String,
    /// The attribute `id`.
    pub id: Option<String>,
    /// The words of the attribute `class`.
    pub classes: Vec<String>,
    /// The role, in the words of the page text; empty for text.
    pub role: &'static str,
    /// What the element is called beyond its text: the title of a document, the label of a field or a
    /// part of the page, the words of an image, the text of an option.
    pub name: String,
    /// The current value of a field, the chosen option of a `select`. Never that of a password.
    pub value: String,
    /// The absolute address of a link, image or frame.
    pub address: Option<String>,
    /// The states of the page text that hold: `checked`, `selected`, …
    pub states: Vec<&'static str>,
    /// Columns that a cell covers, at least 1.
    pub column_span: usize,
    /// Rows that a cell covers, at least 1.
    pub row_span: usize,
    text: String,
    flow: Flow,
    is_preformatted: bool,
}

impl StructureNode {
    /// Whether this is a piece of text.
    #[must_use]
    pub fn is_text(&self) -> bool {
        self.tag.is_empty()
    }
}

/// What an element does to the text before and after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Flow {
    /// Nothing.
    #[default]
    Inline,
    /// Keeps it from touching.
    Spaced,
    /// Puts it on other lines.
    Broken,
}

impl Snapshot {
    /// The shown page as elements and texts, within the scope of this snapshot.
    ///
    /// Built anew each time from what the browser answered; no page is asked.
    #[must_use]
    pub fn structure(&self) -> Structure {
        self.with_page(Structure::of)
    }
}

impl Structure {
    /// All nodes in page order.
    #[must_use]
    pub fn nodes(&self) -> &[StructureNode] {
        &self.nodes
    }

    /// A node by its number.
    #[must_use]
    pub fn node(&self, number: usize) -> Option<&StructureNode> {
        self.nodes.get(number)
    }

    /// The elements directly in a node, in page order.
    pub fn elements_in(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(number)
            .filter(|&child| self.nodes.get(child).is_some_and(|child| !child.is_text()))
    }

    fn children(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes.get(number).map_or(0, |node| node.end);
        let mut next = number.saturating_add(1);
        std::iter::from_fn(move || {
            let current = (next < end).then_some(next)?;
            // Ends lie behind their nodes, so that this walk ends.
            next = self.nodes.get(current)?.end.max(current + 1);
            Some(current)
        })
    }

    /// The nodes around a node, the nearest first.
    pub fn ancestors(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = |number: usize| self.nodes.get(number).and_then(|node| node.parent);
        std::iter::successors(parent(number), move |&above| parent(above))
    }

    /// The text of a node and all below it as people see it, one entry a line. White space is collapsed; no line
    /// is empty.
    #[must_use]
    pub fn lines(&self, number: usize) -> Vec<String> {
        let mut lines = Lines::default();
        let mut open: Vec<&StructureNode> = Vec::new();
        let end = self.nodes.get(number).map_or(0, |node| node.end);
        for (at, node) in self.nodes.iter().enumerate().take(end).skip(number) {
            while let Some(closed) = open.pop_if(|last| last.end <= at) {
                lines.edge(closed.flow);
            }
            if node.is_text() {
                lines.edge(node.flow);
                lines.text(node);
                lines.edge(node.flow);
            } else if at != number {
                lines.edge(node.flow);
                open.push(node);
            }
        }
        lines.finish()
    }

    /// The text that stands directly in an element, without that of the elements in it, as one line.
    #[must_use]
    pub fn own_text(&self, number: usize) -> String {
        let mut line = Line::default();
        for child in self.children(number) {
            match self.nodes.get(child).filter(|child| child.is_text()) {
                Some(text) => line.push(&text.text),
                None => line.space(),
            }
        }
        line.into_string()
    }

    /// The first text in a node or below it, as one line; empty when there is none.
    #[must_use]
    pub fn first_text(&self, number: usize) -> String {
        let end = self.nodes.get(number).map_or(0, |node| node.end);
        let texts = self.nodes.iter().take(end).skip(number);
        texts
            .filter(|node| node.is_text())
            .map(|node| clean(&node.text))
            .find(|text| !text.is_empty())
            .unwrap_or_default()
    }

    /// How many bytes of text, before white space is collapsed, stand in each node and below it.
    #[must_use]
    pub fn text_lengths(&self) -> Vec<usize> {
        let mut lengths: Vec<usize> = self.nodes.iter().map(|node| node.text.len()).collect();
        for (number, node) in self.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                let length = lengths.get(number).copied().unwrap_or(0);
                if let Some(above) = lengths.get_mut(parent) {
                    *above += length;
                }
            }
        }
        lengths
    }

    fn of(page: &Page<'_>) -> Structure {
        let names = page.names();
        let mut structure = Structure::default();
        let mut open: Vec<(usize, NodeIndex)> = Vec::new();
        let mut preformatted = 0_usize;
        let mut current = page.root;
        while current != NONE {
            let entered = structure.enter(page, &names, current, open.last().map(|&(number, _)| number));
            let first = page.tree.node(current).first_child;
            if let Some(number) = entered {
                if let Some(node) = structure.nodes.get_mut(number) {
                    node.is_preformatted = preformatted > 0;
                }
                preformatted += usize::from(page.tree.node(current).is_html(Tag::Pre));
                open.push((number, current));
                if first != NONE {
                    current = first;
                    continue;
                }
            }
            // Up to the next node that has not been visited.
            loop {
                if open.last().is_some_and(|&(_, index)| index == current) {
                    preformatted -= usize::from(page.tree.node(current).is_html(Tag::Pre));
                    structure.close(open.pop());
                }
                if current == page.root {
                    return structure;
                }
                let node = page.tree.node(current);
                if node.next_sibling != NONE {
                    current = node.next_sibling;
                    break;
                }
                current = node.parent;
            }
        }
        structure
    }

    fn close(&mut self, closed: Option<(usize, NodeIndex)>) {
        let end = self.nodes.len();
        if let Some(node) = closed.and_then(|(number, _)| self.nodes.get_mut(number)) {
            node.end = end;
        }
    }

    /// Adds a node when people see it; what is below one that is left out is left out too.
    fn enter(
        &mut self,
        page: &Page<'_>,
        names: &Names<'_, '_>,
        index: NodeIndex,
        parent: Option<usize>,
    ) -> Option<usize> {
        let node = page.tree.node(index);
        if !node.is(flag::SHOWN | flag::PASSAGE) && index != page.root {
            return None;
        }
        let entry = match node.kind {
            Kind::Other => return None,
            Kind::Text | Kind::Pseudo => text_node(page, index)?,
            Kind::Document | Kind::Element => element_node(page, names, index),
        };
        let number = self.nodes.len();
        self.nodes.push(StructureNode {
            parent,
            end: number + 1,
            ..entry
        });
        Some(number)
    }
}

fn text_node(page: &Page<'_>, index: NodeIndex) -> Option<StructureNode> {
    let node = page.tree.node(index);
    // As in the page text: what is hidden from assistive technology is decoration, unless it is long or a number.
    let is_told = !node.is(flag::ARIA_HIDDEN | flag::INERT) || node.is(flag::TOLD | flag::HIDDEN_NUMBER);
    if !node.is(flag::SHOWN) || !is_told || is_marker(&page.tree, index) {
        return None;
    }
    let flow = match node.kind {
        Kind::Pseudo => flow_of(node.display),
        _ => Flow::Inline,
    };
    Some(StructureNode {
        text: page.tree.text(index).into_owned(),
        flow,
        column_span: 1,
        row_span: 1,
        ..StructureNode::default()
    })
}

fn element_node(page: &Page<'_>, names: &Names<'_, '_>, index: NodeIndex) -> StructureNode {
    let tree = &page.tree;
    let node = tree.node(index);
    let role = tree.roles.get(index as usize).copied().unwrap_or(Role::Generic);
    let attribute = |attribute| tree.attribute(index, attribute);
    let flow = if matches!(node.tag, Tag::Br | Tag::Hr) || !node.is(flag::SHOWN) {
        Flow::Broken
    } else {
        flow_of(node.display)
    };
    let span = |name| {
        let given = attribute(name).and_then(|text| text.trim().parse::<usize>().ok());
        given.unwrap_or(1).clamp(1, WIDEST_SPAN)
    };
    let has_address = matches!(
        node.tag,
        Tag::A | Tag::Area | Tag::Img | Tag::IFrame | Tag::Frame | Tag::Input
    ) || role == Role::Image;
    StructureNode {
        parent: None,
        end: 0,
        tag: if node.kind == Kind::Document {
            "#document".to_owned()
        } else {
            tree.tag_name(index)
        },
        id: attribute(Attribute::Id)
            .filter(|id| !id.is_empty())
            .map(str::to_owned),
        classes: attribute(Attribute::Class)
            .unwrap_or_default()
            .split_ascii_whitespace()
            .map(str::to_owned)
            .collect(),
        role: role.word(),
        name: if has_name_beside_text(page, index, role) {
            names.of(index, role)
        } else {
            String::new()
        },
        value: value(page, names, index, role),
        address: has_address.then(|| address::of(tree, index)).flatten(),
        states: states_of(tree, index, role).words().collect(),
        column_span: span(Attribute::ColSpan),
        row_span: span(Attribute::RowSpan),
        text: String::new(),
        flow,
        is_preformatted: false,
    }
}

/// Whether the element may be called by other words than its text. Links and buttons are asked only when an author
/// named them.
fn has_name_beside_text(page: &Page<'_>, index: NodeIndex, role: Role) -> bool {
    let node = page.tree.node(index);
    if node.kind == Kind::Document {
        return true;
    }
    let is_field = is_usable(&page.tree, index, role) && !role.takes_name_from_content();
    node.is(flag::ARIA)
        || is_field
        || node.is_html(Tag::Option)
        || matches!(
            role,
            Role::Image
                | Role::Checkbox
                | Role::Radio
                | Role::Switch
                | Role::Table
                | Role::Region
                | Role::Form
                | Role::Figure
                | Role::Group
        )
}

fn value(page: &Page<'_>, names: &Names<'_, '_>, index: NodeIndex, role: Role) -> String {
    let tree = &page.tree;
    if !tree.node(index).is_html(Tag::Select) {
        let value = value_of(tree, index, role);
        return if value == MASK { String::new() } else { value };
    }
    let mut chosen = Vec::new();
    let mut current = tree.next_in(index, index, false);
    while current != NONE {
        if tree.node(current).is_html(Tag::Option) && tree.node(current).is(flag::SELECTED) {
            chosen.push(current);
        }
        current = tree.next_in(index, current, false);
    }
    match chosen[..] {
        [only] => names.of(only, Role::Option),
        _ => String::new(),
    }
}

fn flow_of(display: Display) -> Flow {
    match display {
        Display::None | Display::Inline => Flow::Inline,
        Display::InlineBox => Flow::Spaced,
        Display::Block | Display::Table | Display::TableRow | Display::TableCell => Flow::Broken,
    }
}

/// Collects text into lines.
#[derive(Default)]
struct Lines {
    done: Vec<String>,
    line: Line,
}

impl Lines {
    fn edge(&mut self, flow: Flow) {
        match flow {
            Flow::Inline => {}
            Flow::Spaced => self.line.space(),
            Flow::Broken => self.end_line(),
        }
    }

    fn text(&mut self, node: &StructureNode) {
        if !node.is_preformatted {
            self.line.push(&node.text);
            return;
        }
        for (position, line) in node.text.split('\n').enumerate() {
            if position > 0 {
                self.end_line();
            }
            self.line.push(line);
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line).into_string();
        if !line.is_empty() {
            self.done.push(line);
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.end_line();
        self.done
    }
}
