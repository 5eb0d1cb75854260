//! The walk: nodes in, items out.

use std::borrow::Cow;

use super::plan::{self, Edge, Plan};
use super::tidy::{contains_words, is_separator};
use super::{Form, Item, ItemIndex, Outline, Span};
use crate::attribute::{Attribute, Tag};
use crate::name::{Names, is_marker};
use crate::role::Role;
use crate::state::{MASK, States, WITHOUT_VALUE, states_of, value_of};
use crate::text::{Line, is_invisible};
use crate::tree::{Kind, NONE, NodeIndex, Tree, flag};
use crate::usable::is_usable;

/// Characters that are told of a name that stands in attributes or elsewhere on the page.
const LONGEST_NAME: usize = 1_000;

/// Characters that are told of the value of a field.
const LONGEST_VALUE: usize = 10_000;

impl Outline {
    /// Reads the subtree of `root`.
    pub(crate) fn build(tree: &Tree<'_>, names: &Names<'_, '_>, root: NodeIndex) -> Outline {
        let mut builder = Builder {
            tree,
            names,
            outline: Outline::default(),
            pending: Vec::new(),
            covers: Vec::new(),
            preformatted: 0,
        };
        builder.walk(root);
        let roots = builder.settle(0);
        let roots = builder.splice_lists(roots);
        builder.outline.roots = builder.drop_repeated_images(roots);
        builder.outline
    }
}

/// Content on its way up.
#[derive(Debug, Clone, Copy)]
enum Entry {
    Text {
        node: NodeIndex,
        preformatted: bool,
    },
    /// What follows does not touch what stands before.
    Space,
    /// What follows starts a new line.
    Break,
    Item(ItemIndex),
}

/// An element whose content is being read.
struct Open {
    node: NodeIndex,
    start: usize,
    plan: Plan,
    has_cover: bool,
    name: Span,
}

/// A name that says already what text below it would repeat.
struct Cover {
    name: Span,
    reach: CoverReach,
}

/// What a name covers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CoverReach {
    /// A text that is the whole name.
    Whole,
    /// Any part of the name: what is being read is the legend or caption that the name is made of.
    Caption,
    /// Any part of the name, and headings in it: the name is made of what is being read.
    Content,
}

pub(super) struct Builder<'b, 't, 'a> {
    pub(super) tree: &'b Tree<'a>,
    names: &'b Names<'t, 'a>,
    pub(super) outline: Outline,
    pending: Vec<Entry>,
    covers: Vec<Cover>,
    preformatted: u32,
}

impl Builder<'_, '_, '_> {
    fn walk(&mut self, root: NodeIndex) {
        if root == NONE {
            return;
        }
        let mut opened: Vec<Open> = Vec::new();
        let mut current = root;
        loop {
            let entered = self.enter(current);
            let child = self.tree.node(current).first_child;
            if let Some(open) = entered {
                opened.push(open);
                if child != NONE {
                    current = child;
                    continue;
                }
                self.close_last(&mut opened);
            }
            loop {
                if current == root {
                    return;
                }
                let node = self.tree.node(current);
                if node.next_sibling != NONE {
                    current = node.next_sibling;
                    break;
                }
                current = node.parent;
                self.close_last(&mut opened);
            }
        }
    }

    fn close_last(&mut self, opened: &mut Vec<Open>) {
        if let Some(open) = opened.pop() {
            self.exit(&open);
        }
    }

    /// Decides what a node is; gives it back opened when its content is to be read.
    fn enter(&mut self, index: NodeIndex) -> Option<Open> {
        let node = *self.tree.node(index);
        if !node.is(flag::SHOWN | flag::PASSAGE) {
            return None;
        }
        match node.kind {
            Kind::Other => return None,
            Kind::Text => {
                if self.is_told(index) {
                    self.pending.push(Entry::Text {
                        node: index,
                        preformatted: self.preformatted > 0,
                    });
                }
                return None;
            }
            Kind::Pseudo => {
                self.generated_text(index);
                return None;
            }
            Kind::Document | Kind::Element => {}
        }
        let mut plan = plan::of(self.tree, index, self.is_inside_name());
        if matches!(plan, Plan::Through(_)) && node.is(flag::HIDDEN_NUMBER) && self.is_inside_name() {
            // The visible number must not run into its spoken form beside it.
            let starts = node.parent == NONE || !self.tree.node(node.parent).is(flag::HIDDEN_NUMBER);
            plan = if starts { Plan::Through(Edge::Break) } else { plan };
        }
        match &plan {
            Plan::Skip => return None,
            Plan::Line => {
                self.pending.push(Entry::Break);
                return None;
            }
            Plan::Leaf => {
                self.leaf(index);
                return None;
            }
            Plan::Through(edge) => self.edge(*edge),
            Plan::Element | Plan::Structure | Plan::Bullet | Plan::Row | Plan::Cell | Plan::LayoutRow => {}
        }
        if node.is_html(Tag::Pre) {
            self.preformatted += 1;
        }
        let (name, has_cover) = self.cover(index, &plan);
        let start = self.pending.len();
        if plan != Plan::Element && has_default_summary(self.tree, index) {
            self.default_summary(index);
        }
        Some(Open {
            node: index,
            start,
            plan,
            has_cover,
            name,
        })
    }

    /// Whether a text is told. What is hidden from assistive technology is decoration or said elsewhere, unless
    /// it is long, or a number on something that people use: a price, a count.
    fn is_told(&self, index: NodeIndex) -> bool {
        let node = self.tree.node(index);
        !node.is(flag::ARIA_HIDDEN | flag::INERT)
            || node.is(flag::TOLD)
            || (node.is(flag::HIDDEN_NUMBER) && self.is_inside_name())
    }

    fn edge(&mut self, edge: Edge) {
        match edge {
            Edge::None => {}
            Edge::Space => self.pending.push(Entry::Space),
            Edge::Break => self.pending.push(Entry::Break),
        }
    }

    fn generated_text(&mut self, index: NodeIndex) {
        let node = self.tree.node(index);
        if !self.is_told(index) || is_marker(self.tree, index) {
            return;
        }
        let edge = Edge::of(node.display);
        self.edge(edge);
        self.pending.push(Entry::Text {
            node: index,
            preformatted: false,
        });
        self.edge(edge);
    }

    /// Finds the name of an element that prints one, and lets it cover what only repeats it.
    fn cover(&mut self, index: NodeIndex, plan: &Plan) -> (Span, bool) {
        if !matches!(plan, Plan::Element | Plan::Structure) {
            return (Span::default(), self.cover_caption(index));
        }
        let role = match self.tree.roles[index as usize] {
            // An editable region is a text box to people, and may be named like one.
            Role::Generic if self.tree.node(index).is(flag::EDITABLE_ROOT) => Role::TextBox,
            role => role,
        };
        let name = self.names.of(index, role);
        let span = self.store_name(index, role, &name);
        let is_page = self.tree.node(index).kind == Kind::Document || plan::shows_document(self.tree, index);
        let has_cover = !name.is_empty() && !is_page && role != Role::Term;
        if has_cover {
            self.covers.push(Cover {
                name: span,
                reach: if *plan == Plan::Element {
                    CoverReach::Content
                } else {
                    CoverReach::Whole
                },
            });
        }
        (span, has_cover)
    }

    /// Lets the name of a group or table cover every line of the legend or caption that it is made of.
    fn cover_caption(&mut self, index: NodeIndex) -> bool {
        let node = self.tree.node(index);
        let is_caption = node.is_html(Tag::Legend) || node.is_html(Tag::Caption);
        let Some(name) = self.covers.last().map(|cover| cover.name).filter(|_| is_caption) else {
            return false;
        };
        let reach = if self.is_inside_name() {
            CoverReach::Content
        } else {
            CoverReach::Caption
        };
        self.covers.push(Cover { name, reach });
        true
    }

    /// A name is told up to a bound, unless it is the text inside the element: text of the page is told whole.
    fn store_name(&mut self, index: NodeIndex, role: Role, name: &str) -> Span {
        if name.len() > LONGEST_NAME && self.names.is_content(index, role, name) {
            self.outline.store(name)
        } else {
            self.outline.store_up_to(name, LONGEST_NAME)
        }
    }

    /// The line that a browser puts into `details` without a `summary`: it has no node in a capture, so the
    /// element itself stands for it. The word is that of an English browser.
    fn default_summary(&mut self, details: NodeIndex) {
        let name = self.outline.store("Details");
        let item = self.item(details, Form::Element, true, name, Vec::new());
        let is_open = self.tree.has_attribute(details, Attribute::Open);
        let line = &mut self.outline.items[item as usize];
        line.word = Cow::Borrowed(Role::DisclosureTriangle.word());
        line.states.set(States::EXPANDED, is_open);
        self.pending.push(Entry::Item(item));
    }

    /// An element that is one line whatever is inside.
    fn leaf(&mut self, index: NodeIndex) {
        let role = self.tree.roles[index as usize];
        let name = self.names.of(index, role);
        let is_repeated = self.is_covered(&name);
        if role == Role::Image && !plan::tells_image(self.tree, index, &name, is_repeated) {
            return;
        }
        let value = value_of(self.tree, index, role);
        let value = if value == name { String::new() } else { value };
        let name = self.store_name(index, role, &name);
        let value = self.outline.store_up_to(&value, LONGEST_VALUE);
        let item = self.item(index, Form::Element, true, name, Vec::new());
        self.outline.items[item as usize].value = value;
        self.pending.push(Entry::Item(item));
    }

    fn item(
        &mut self,
        node: NodeIndex,
        form: Form,
        carries_id: bool,
        name: Span,
        children: Vec<ItemIndex>,
    ) -> ItemIndex {
        let role = self
            .tree
            .roles
            .get(node as usize)
            .copied()
            .unwrap_or(Role::Generic);
        let (word, states) = match form {
            Form::Element | Form::Row => (
                plan::word(self.tree, node, role),
                states_of(self.tree, node, role),
            ),
            Form::Text | Form::Bullet | Form::Cell => (Cow::Borrowed(""), States::default()),
        };
        let item = Item {
            node,
            form,
            carries_id,
            word,
            name,
            value: Span::default(),
            states,
            children,
        };
        self.outline.items.push(item);
        (self.outline.items.len() - 1) as ItemIndex
    }

    /// Turns the content of an element into what the element tells.
    fn exit(&mut self, open: &Open) {
        if self.tree.node(open.node).is_html(Tag::Pre) {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        if let Plan::Through(edge) = open.plan {
            self.drop_repeated_label(open);
            self.edge(edge);
            if open.has_cover {
                // Its texts become lines only with what stands around it, so they have to be ended here.
                self.end_lines(open.start);
                self.covers.pop();
            }
            return;
        }
        let children = self.settle(open.start);
        let children = self.splice_lists(children);
        let children = self.drop_repeated_images(children);
        if open.has_cover {
            self.covers.pop();
        }
        match open.plan {
            Plan::Element => self.exit_element(open, children),
            Plan::Structure => self.exit_structure(open, children),
            Plan::Bullet if children.is_empty() => {}
            Plan::Bullet => self.finish(open.node, Form::Bullet, false, children),
            Plan::Cell => self.finish(open.node, Form::Cell, false, children),
            Plan::Row => self.finish_row(open, children),
            Plan::LayoutRow => self.exit_layout_row(open, children),
            Plan::Skip | Plan::Line | Plan::Leaf | Plan::Through(_) => {}
        }
    }

    fn finish(&mut self, node: NodeIndex, form: Form, carries_id: bool, children: Vec<ItemIndex>) {
        let item = self.item(node, form, carries_id, Span::default(), children);
        self.pending.push(Entry::Item(item));
    }

    fn exit_element(&mut self, open: &Open, mut children: Vec<ItemIndex>) {
        let tree = self.tree;
        let role = tree.roles[open.node as usize];
        let mut name = open.name;
        let mut value = Span::default();
        let is_text = !children.is_empty()
            && children
                .iter()
                .all(|&child| self.outline.item(child).form == Form::Text);
        if is_text && tree.node(open.node).is(flag::EDITABLE_ROOT) && !WITHOUT_VALUE.contains(&role) {
            value = self.join(&children);
            children.clear();
        } else if is_text && name.is_empty() && takes_text_as_name(tree, open.node) {
            name = self.join(&children);
            children.clear();
        }
        if value.is_empty() {
            let text = value_of(tree, open.node, role);
            if text != self.outline.str(name) {
                value = self.outline.store_up_to(&text, LONGEST_VALUE);
            }
        }
        if role == Role::Heading
            && let [only] = children[..]
            && self.outline.str(self.outline.item(only).name) == self.outline.str(name)
        {
            // The link that is the whole heading says its words.
            name = Span::default();
        }
        let says_nothing = name.is_empty() && value.is_empty() && children.is_empty();
        let is_empty_document =
            tree.node(open.node).kind == Kind::Document && tree.node(open.node).parent != NONE;
        if says_nothing && (role == Role::Heading || is_empty_document) {
            return;
        }
        let item = self.item(open.node, Form::Element, true, name, children);
        self.outline.items[item as usize].value = value;
        if tree.unread_frames.contains(&open.node) {
            self.outline.items[item as usize].states.set(States::UNREAD, true);
        }
        let wrapper = match role {
            Role::ListItem => Some(Form::Bullet),
            Role::Cell | Role::GridCell | Role::ColumnHeader | Role::RowHeader => Some(Form::Cell),
            _ => None,
        };
        match wrapper {
            Some(form) => self.finish(open.node, form, false, vec![item]),
            None => self.pending.push(Entry::Item(item)),
        }
    }

    fn exit_structure(&mut self, open: &Open, mut children: Vec<ItemIndex>) {
        let role = self.tree.roles[open.node as usize];
        let value = value_of(self.tree, open.node, role);
        let name = open.name;
        let is_text = !children.is_empty()
            && children
                .iter()
                .all(|&child| self.outline.item(child).form == Form::Text);
        if role == Role::Term {
            if is_text {
                let name = self.join(&children);
                children = vec![self.item(open.node, Form::Text, false, name, Vec::new())];
            }
            self.pending.extend(children.into_iter().map(Entry::Item));
            return;
        }
        if role == Role::List {
            self.drop_bullets(&mut children);
        }
        if role == Role::DescriptionList {
            children = self.hang_details(children);
            if name.is_empty() {
                self.pending.extend(children.into_iter().map(Entry::Item));
                return;
            }
        }
        let says_something = matches!(role, Role::Meter | Role::ProgressBar);
        if children.is_empty() && !(says_something && (!name.is_empty() || !value.is_empty())) {
            return;
        }
        let value = self.outline.store_up_to(&value, LONGEST_VALUE);
        let item = self.item(open.node, Form::Element, false, name, children);
        self.outline.items[item as usize].value = value;
        self.pending.push(Entry::Item(item));
    }

    fn finish_row(&mut self, open: &Open, children: Vec<ItemIndex>) {
        let has_content = children.iter().any(|&child| {
            let child = self.outline.item(child);
            child.form != Form::Cell || !child.children.is_empty()
        });
        let carries_id = is_usable(self.tree, open.node, self.tree.roles[open.node as usize]);
        if has_content || carries_id {
            self.finish(open.node, Form::Row, carries_id, children);
        }
    }

    /// A row of a layout table is told as a row only when it reads as one.
    fn exit_layout_row(&mut self, open: &Open, children: Vec<ItemIndex>) {
        let filled = children
            .iter()
            .filter(|&&cell| !self.outline.item(cell).children.is_empty())
            .count();
        let are_cells = children
            .iter()
            .all(|&cell| self.outline.item(cell).form == Form::Cell);
        if filled > 1 && are_cells && self.outline.fits_one_line(&children) {
            self.finish_row(open, children);
            return;
        }
        for child in children {
            self.pending.push(Entry::Break);
            let item = self.outline.item(child);
            if item.form == Form::Cell {
                let parts = item.children.clone();
                self.pending.extend(parts.into_iter().map(Entry::Item));
            } else {
                self.pending.push(Entry::Item(child));
            }
        }
        self.pending.push(Entry::Break);
    }

    /// A label whose text is the name of its control says nothing more.
    fn drop_repeated_label(&mut self, open: &Open) {
        if !self.tree.node(open.node).is_html(Tag::Label) {
            return;
        }
        let Some(control) = self.names.control_of(open.node) else {
            return;
        };
        if !self.tree.node(control).is(flag::SHOWN) {
            return;
        }
        let role = self.tree.roles[control as usize];
        let name = self.names.of(control, role);
        let name = self.store_name(control, role, &name);
        let mut line = Line::default();
        for entry in &self.pending[open.start..] {
            match entry {
                Entry::Text { node, .. } => line.push(&self.tree.text(*node)),
                Entry::Space | Entry::Break => line.space(),
                Entry::Item(_) => {}
            }
        }
        if contains_words(self.outline.told(name), line.as_str()) {
            let start = open.start;
            let mut position = 0;
            self.pending.retain(|entry| {
                position += 1;
                position <= start || !matches!(entry, Entry::Text { .. })
            });
        }
    }

    /// Ends the content that began at `start`: texts become lines, what a name covers is left out.
    fn settle(&mut self, start: usize) -> Vec<ItemIndex> {
        let entries: Vec<Entry> = self.pending.drain(start..).collect();
        let mut items = Vec::new();
        let mut line = Line::default();
        let mut first = NONE;
        for entry in entries {
            match entry {
                Entry::Text { node, preformatted } => {
                    let text = self.tree.text(node);
                    let mut pieces = text.split(|character| preformatted && character == '\n');
                    if let Some(piece) = pieces.next() {
                        first = if line.is_empty() { node } else { first };
                        line.push(piece);
                    }
                    for piece in pieces {
                        self.end_line(&mut line, first, &mut items);
                        first = node;
                        line.push(piece);
                    }
                }
                Entry::Space => line.space(),
                Entry::Break => self.end_line(&mut line, first, &mut items),
                Entry::Item(item) => {
                    self.end_line(&mut line, first, &mut items);
                    items.push(item);
                }
            }
        }
        self.end_line(&mut line, first, &mut items);
        items
    }

    /// Turns what was read since `start` into finished items, while the covers of now hold.
    fn end_lines(&mut self, start: usize) {
        let items = self.settle(start);
        self.pending.extend(items.into_iter().map(Entry::Item));
    }

    fn end_line(&mut self, line: &mut Line, first: NodeIndex, items: &mut Vec<ItemIndex>) {
        let text = std::mem::take(line).into_string();
        let says_nothing = |character: char| is_separator(character) || is_invisible(character);
        let is_mark = text.chars().all(says_nothing) && !text.contains(MASK);
        if text.is_empty() || is_mark || self.is_covered(&text) {
            return;
        }
        let name = self.outline.store(&text);
        items.push(self.item(first, Form::Text, false, name, Vec::new()));
    }

    /// Whether the content being read is what a name around it is made of.
    fn is_inside_name(&self) -> bool {
        self.covers
            .last()
            .is_some_and(|cover| cover.reach == CoverReach::Content)
    }

    fn is_covered(&self, text: &str) -> bool {
        self.covers.last().is_some_and(|cover| {
            let name = self.outline.told(cover.name);
            if cover.reach != CoverReach::Whole {
                contains_words(name, text)
            } else {
                name == text
            }
        })
    }

    fn join(&mut self, texts: &[ItemIndex]) -> Span {
        let joined: Vec<&str> = texts
            .iter()
            .map(|&text| self.outline.str(self.outline.item(text).name))
            .collect();
        let joined = joined.join(" ");
        self.outline.store(&joined)
    }
}

/// Whether a browser shows a summary of its own: HTML, 4.11.1, takes the first `summary` child.
fn has_default_summary(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    node.is_html(Tag::Details)
        && node.is(flag::SHOWN)
        && !node.is(flag::INERT)
        && !tree
            .children(index)
            .any(|child| tree.node(child).is_html(Tag::Summary))
}

/// A clickable element, or a control that has no other name, is called by its text. A box that scrolls is not.
fn takes_text_as_name(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    node.kind == Kind::Element && is_usable(tree, index, tree.roles[index as usize])
}
