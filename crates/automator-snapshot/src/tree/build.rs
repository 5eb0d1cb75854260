//! From parsed captures to a linked tree: one pass an array.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Display, Document, Kind, NONE, Namespace, Node, NodeIndex, TargetCapture, Tree, flag};
use crate::attribute::{Attribute, Tag};
use crate::capture::{Capture, Rectangle, StringIndex, Style};
use crate::role::Role;

impl<'a> Tree<'a> {
    pub(crate) fn build(targets: &'a [TargetCapture<'a>]) -> Tree<'a> {
        let total: usize = captures(targets).map(|(_, capture)| capture.node_count()).sum();
        let mut tree = Tree {
            targets,
            nodes: Vec::with_capacity(total),
            documents: Vec::new(),
            roles: Vec::new(),
            attributes: Vec::with_capacity(total),
            unread_frames: Vec::new(),
            ids: HashMap::new(),
            more_text: HashMap::new(),
            masked: Arc::default(),
        };
        for (target, capture) in captures(targets) {
            tree.add_target(target, capture);
        }
        tree.link_frames();
        tree.apply_facts();
        tree.move_owned();
        tree.roles = vec![Role::Generic; tree.nodes.len()];
        tree
    }

    fn add_target(&mut self, target: usize, capture: &'a Capture<'a>) {
        let mut names = Names::new(capture);
        for captured in &capture.documents {
            let document = self.documents.len() as u32;
            let first_node = self.nodes.len() as NodeIndex;
            let room = (NONE - 1).saturating_sub(first_node) as usize;
            let count = captured.nodes.node_type.len().min(room);
            self.documents.push(Document {
                target,
                captured,
                first_node,
                node_count: count as u32,
            });
            for position in 0..count {
                self.add_node(document, first_node, position, &mut names);
            }
            self.add_marks(document);
            self.add_layout(document);
        }
    }

    fn add_node(&mut self, document: u32, first_node: NodeIndex, position: usize, names: &mut Names<'a>) {
        let captured = &self.documents[document as usize].captured.nodes;
        let parent = captured.parent_index.get(position).copied().unwrap_or(-1);
        let parent = match u32::try_from(parent) {
            Ok(parent) if (parent as usize) < position => first_node + parent,
            _ => NONE,
        };
        let name = captured.node_name.get(position).copied().unwrap_or_default();
        let (tag, is_upper) = names.tag(name);
        let kind = match captured.node_type.get(position) {
            Some(9) => Kind::Document,
            Some(1) => Kind::Element,
            Some(3) => Kind::Text,
            _ => Kind::Other,
        };
        let namespace = match self.nodes.get(parent as usize) {
            _ if is_upper => Namespace::Html,
            _ if tag == Tag::Svg => Namespace::Svg,
            _ if tag == Tag::Math => Namespace::MathMl,
            Some(parent) if parent.namespace == Namespace::Svg && names.is_foreign_object(parent.name) => {
                Namespace::Html
            }
            Some(parent) => parent.namespace,
            None => Namespace::Html,
        };
        let (attributes, is_aria) = self.add_attributes(captured.attributes.row(position), names);
        let index = self.nodes.len() as NodeIndex;
        if let Some((Attribute::Id, id)) = attributes_id(&self.attributes, attributes) {
            self.ids
                .entry((document, names.capture.string(id)))
                .or_default()
                .push(index);
        }
        self.nodes.push(Node {
            document,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            kind,
            namespace,
            tag,
            display: Display::None,
            name,
            text: captured.node_value.get(position).copied().unwrap_or_default(),
            backend_node_id: captured.backend_node_id.get(position).copied().unwrap_or(0),
            bounds: Rectangle::default(),
            attributes,
            flags: if is_aria { flag::ARIA } else { 0 },
        });
        if parent != NONE {
            self.append(parent, index);
        }
    }

    fn add_attributes(&mut self, row: &[StringIndex], names: &mut Names<'a>) -> ((u32, u16), bool) {
        let start = self.attributes.len();
        let mut is_aria = false;
        for pair in row.chunks_exact(2) {
            if let Some(attribute) = names.attribute(pair[0]) {
                is_aria |= attribute as u8 >= Attribute::AriaLabel as u8 || attribute == Attribute::Role;
                self.attributes.push((attribute, pair[1]));
            }
        }
        let count = u16::try_from(self.attributes.len() - start).unwrap_or(u16::MAX);
        ((u32::try_from(start).unwrap_or(u32::MAX), count), is_aria)
    }

    /// Makes `child` the last child of `parent`.
    fn append(&mut self, parent: NodeIndex, child: NodeIndex) {
        let last = self.nodes[parent as usize].last_child;
        if last == NONE {
            self.nodes[parent as usize].first_child = child;
        } else {
            self.nodes[last as usize].next_sibling = child;
        }
        self.nodes[parent as usize].last_child = child;
        self.nodes[child as usize].parent = parent;
        self.nodes[child as usize].next_sibling = NONE;
    }

    /// Takes `child` out of its parent's list.
    fn detach(&mut self, child: NodeIndex) {
        let parent = self.node(child).parent;
        if parent == NONE {
            return;
        }
        let after = self.node(child).next_sibling;
        let before = self
            .children(parent)
            .take_while(|&sibling| sibling != child)
            .last();
        match before {
            Some(before) => self.nodes[before as usize].next_sibling = after,
            None => self.nodes[parent as usize].first_child = after,
        }
        if after == NONE {
            self.nodes[parent as usize].last_child = before.unwrap_or(NONE);
        }
        self.nodes[child as usize].parent = NONE;
        self.nodes[child as usize].next_sibling = NONE;
    }

    fn add_marks(&mut self, document: u32) {
        let Document {
            captured,
            first_node,
            node_count,
            ..
        } = self.documents[document as usize];
        let nodes = &captured.nodes;
        let slots = first_node as usize..first_node as usize + node_count as usize;
        let Some(slots) = self.nodes.get_mut(slots) else {
            return;
        };
        let mut mark = |indices: &[u32], flag: u32| {
            for &index in indices {
                if let Some(node) = slots.get_mut(index as usize) {
                    node.flags |= flag;
                }
            }
        };
        mark(&nodes.is_clickable.index, flag::LISTENS);
        mark(&nodes.input_checked.index, flag::CHECKED);
        mark(&nodes.option_selected.index, flag::SELECTED);
        mark(&nodes.shadow_root_type.index, flag::SHADOW_CHILD);
        for (index, value) in nodes.text_value.iter().chain(nodes.input_value.iter()) {
            if let Some(node) = slots.get_mut(index) {
                node.text = value;
            }
        }
        let mut last = Vec::new();
        for (index, _) in nodes.pseudo_type.iter() {
            if let Some(node) = slots.get_mut(index).filter(|node| node.kind == Kind::Element) {
                node.kind = Kind::Pseudo;
                last.push((first_node + index as NodeIndex, node.name));
            }
        }
        // A capture lists generated content before the children; what comes after them belongs behind them.
        for (index, name) in last {
            let parent = self.node(index).parent;
            if parent != NONE && self.string(document, name) == "::after" {
                self.detach(index);
                self.append(parent, index);
            }
        }
    }

    fn add_layout(&mut self, document: u32) {
        let Document {
            captured,
            first_node,
            node_count,
            ..
        } = self.documents[document as usize];
        let layout = &captured.layout;
        let strings = self
            .capture(document)
            .map_or(0, |capture| capture.strings.0.len());
        let mut displays = Memo::new(strings);
        for (entry, &position) in layout.node_index.iter().enumerate() {
            if position >= node_count {
                continue;
            }
            let index = (first_node + position) as usize;
            let bounds = layout.bounds.0.get(entry).copied().unwrap_or_default();
            let text = layout.text.get(entry).copied().unwrap_or_default();
            let styles = layout.styles.row(entry);
            let style = |style: Style| {
                styles
                    .get(style as usize)
                    .map_or("", |&value| self.string(document, value))
            };
            let mut flags = flag::LAYOUT;
            let display = styles.first().map_or(Display::Block, |&value| {
                displays.get(value, || Display::from_style(self.string(document, value)))
            });
            if !styles.is_empty() {
                if style(Style::Visibility) == "visible" {
                    flags |= flag::VISIBLE;
                }
                if style(Style::Cursor) == "pointer" {
                    flags |= flag::POINTER;
                }
                if style(Style::ContentVisibility) == "auto" {
                    flags |= flag::RENDERED_LATE;
                }
                let overflow = style(Style::Overflow);
                let mut directions = overflow.split(' ');
                if directions.any(|value| matches!(value, "auto" | "scroll" | "overlay")) {
                    flags |= flag::SCROLLS;
                }
                if is_picture(style(Style::Content)) {
                    flags |= flag::PICTURE;
                }
                if overflow != "visible" {
                    flags |= flag::CLIPS;
                }
            }
            let display = if self.is_placed_text(index as NodeIndex) {
                Display::InlineBox
            } else {
                display
            };
            if self.is_drawn_as_marks(index as NodeIndex, text) {
                flags |= flag::CONCEALED;
            }
            let node = &mut self.nodes[index];
            let takes_text = text != StringIndex::NONE && matches!(node.kind, Kind::Text | Kind::Pseudo);
            let is_first = !node.is(flag::LAYOUT);
            if is_first {
                node.flags |= flags;
                node.display = display;
                node.bounds = bounds;
            }
            if takes_text && (is_first || node.text == StringIndex::NONE) {
                node.text = text;
            } else if takes_text {
                self.more_text.entry(index as NodeIndex).or_default().push(text);
            }
        }
    }

    /// A piece of SVG text with a place of its own does not touch the piece before it.
    fn is_placed_text(&self, index: NodeIndex) -> bool {
        let node = self.node(index);
        node.tag == Tag::TSpan
            && node.namespace == Namespace::Svg
            && (self.has_attribute(index, Attribute::X) || self.has_attribute(index, Attribute::Y))
    }

    /// Whether marks stand in place of a text's characters, as `-webkit-text-security` draws them.
    fn is_drawn_as_marks(&self, index: NodeIndex, drawn: StringIndex) -> bool {
        let node = self.node(index);
        if node.kind != Kind::Text || drawn == StringIndex::NONE || drawn == node.text {
            return false;
        }
        let is_mark = |character: char| matches!(character, '•' | '■' | '◦');
        let drawn = self.string(node.document, drawn);
        let written = self.string(node.document, node.text);
        !drawn.is_empty()
            && drawn.chars().all(is_mark)
            && written
                .chars()
                .any(|character| !is_mark(character) && !character.is_whitespace())
    }

    /// Hangs each child document under the frame element that shows it.
    fn link_frames(&mut self) {
        let mut parents: Vec<(u32, NodeIndex)> = Vec::new();
        let mut first_document = vec![None; self.targets.len()];
        for (number, document) in self.documents.iter().enumerate() {
            first_document[document.target].get_or_insert(number);
        }
        for document in &self.documents {
            let content = &document.captured.nodes.content_document_index;
            for (&position, &inner) in content.index.iter().zip(&content.value) {
                let base = first_document[document.target].unwrap_or(0);
                let inner = usize::try_from(inner).ok().map(|inner| base + inner);
                let Some(inner) = inner.filter(|&inner| inner > base) else {
                    continue;
                };
                let is_own = self
                    .documents
                    .get(inner)
                    .is_some_and(|inner| inner.target == document.target);
                if is_own && position < document.node_count {
                    parents.push((inner as u32, document.first_node + position));
                }
            }
        }
        for (target, capture) in self.targets.iter().enumerate() {
            let Some(owner) = capture.owner else { continue };
            let frame = self
                .documents
                .iter()
                .enumerate()
                .filter(|(_, document)| document.target == owner.target);
            let frame = frame.map(|(number, _)| number);
            let Some(frame) = frame
                .filter_map(|number| self.by_backend_node_id(number, owner.backend_node_id))
                .next()
            else {
                continue;
            };
            match first_document[target] {
                Some(document) => parents.push((document as u32, frame)),
                None => self.unread_frames.push(frame),
            }
        }
        for (document, frame) in parents {
            let root = self.documents[document as usize].first_node;
            let is_free = document != 0
                && self
                    .nodes
                    .get(root as usize)
                    .is_some_and(|root| root.parent == NONE);
            if is_free && frame != root && self.ancestors(frame).all(|ancestor| ancestor != root) {
                self.append(frame, root);
            }
        }
    }

    fn apply_facts(&mut self) {
        let mut marks: Vec<(NodeIndex, u32)> = Vec::new();
        for (number, document) in self.documents.iter().enumerate() {
            let frame_id = self.string(number as u32, document.captured.frame_id);
            let facts = self.targets[document.target].facts;
            let Some(facts) = facts.iter().find(|facts| facts.frame_id == frame_id) else {
                continue;
            };
            let mut mark = |ids: &[i64], flag| {
                marks.extend(
                    ids.iter()
                        .filter_map(|&id| Some((self.by_backend_node_id(number, id)?, flag))),
                );
            };
            mark(facts.focused.as_slice(), flag::FOCUSED);
            mark(&facts.indeterminate, flag::INDETERMINATE);
            mark(&facts.invalid, flag::INVALID);
            mark(&facts.concealed, flag::CONCEALED);
            if let Some(modal) = facts.modal.and_then(|id| self.by_backend_node_id(number, id)) {
                self.mark_outside(modal, document.first_node, &mut marks);
            }
        }
        for (index, flag) in marks {
            self.nodes[index as usize].flags |= flag;
        }
    }

    /// Marks all siblings of the way from `root` to `inside` as inert.
    fn mark_outside(&self, inside: NodeIndex, root: NodeIndex, marks: &mut Vec<(NodeIndex, u32)>) {
        let mut kept = inside;
        for parent in self.ancestors(inside) {
            marks.extend(
                self.children(parent)
                    .filter(|&child| child != kept)
                    .map(|child| (child, flag::BEHIND_MODAL)),
            );
            if parent == root {
                return;
            }
            kept = parent;
        }
    }

    /// Moves elements to the parent that claims them with `aria-owns` (WAI-ARIA 1.2, aria-owns).
    fn move_owned(&mut self) {
        let owners = (0..self.nodes.len() as NodeIndex)
            .filter(|&index| self.node(index).is(flag::ARIA))
            .filter_map(|index| Some((index, self.attribute(index, Attribute::AriaOwns)?)))
            .collect::<Vec<_>>();
        for (owner, list) in owners {
            for owned in self.by_ids(owner, list) {
                let is_above = owned == owner || self.ancestors(owner).any(|ancestor| ancestor == owned);
                if is_above || self.node(owned).is(flag::OWNED) {
                    continue;
                }
                self.detach(owned);
                self.append(owner, owned);
                self.nodes[owned as usize].flags |= flag::OWNED;
            }
        }
    }
}

impl Display {
    /// By the computed value of `display`.
    fn from_style(value: &str) -> Display {
        match value {
            "none" | "contents" => Display::None,
            "inline" | "ruby" | "ruby-base" | "ruby-text" | "inline math" => Display::Inline,
            "inline-block" | "inline-flex" | "inline-grid" | "inline-table" | "math" => Display::InlineBox,
            "table" => Display::Table,
            "table-row" => Display::TableRow,
            "table-cell" => Display::TableCell,
            _ => Display::Block,
        }
    }
}

/// Whether `content` replaces an element by an image (CSS Generated Content 3).
fn is_picture(content: &str) -> bool {
    [
        "url(",
        "image-set(",
        "-webkit-image-set(",
        "linear-gradient(",
        "radial-gradient(",
        "conic-gradient(",
    ]
    .iter()
    .any(|start| content.starts_with(start))
}

fn captures<'a>(targets: &'a [TargetCapture<'a>]) -> impl Iterator<Item = (usize, &'a Capture<'a>)> {
    targets
        .iter()
        .enumerate()
        .filter_map(|(number, target)| Some((number, target.capture.as_ref()?)))
}

fn attributes_id(
    all: &[(Attribute, StringIndex)],
    (start, count): (u32, u16),
) -> Option<(Attribute, StringIndex)> {
    let own = all.get(start as usize..start as usize + usize::from(count))?;
    own.iter().copied().find(|(name, _)| *name == Attribute::Id)
}

/// What each string of a capture means as a name, looked up once a string.
struct Names<'a> {
    capture: &'a Capture<'a>,
    tags: Memo<(Tag, bool)>,
    attributes: Memo<Option<Attribute>>,
}

impl<'a> Names<'a> {
    fn new(capture: &'a Capture<'a>) -> Self {
        let strings = capture.strings.0.len();
        Self {
            capture,
            tags: Memo::new(strings),
            attributes: Memo::new(strings),
        }
    }

    /// The element name, and whether it is written in capitals, as HTML elements of HTML documents are.
    fn tag(&mut self, name: StringIndex) -> (Tag, bool) {
        self.tags.get(name, || {
            let text = self.capture.string(name);
            let tag = Tag::from_name(&text.to_ascii_lowercase()).unwrap_or(Tag::Other);
            (tag, text.starts_with(|first: char| first.is_ascii_uppercase()))
        })
    }

    fn attribute(&mut self, name: StringIndex) -> Option<Attribute> {
        self.attributes
            .get(name, || Attribute::from_name(self.capture.string(name)))
    }

    fn is_foreign_object(&self, name: StringIndex) -> bool {
        self.capture.string(name) == "foreignObject"
    }
}

/// Remembers one answer a string index.
struct Memo<T>(Vec<Option<T>>);

impl<T: Copy> Memo<T> {
    fn new(strings: usize) -> Self {
        Self(vec![None; strings])
    }

    fn get(&mut self, index: StringIndex, answer: impl FnOnce() -> T) -> T {
        let Some(slot) = usize::try_from(index.0)
            .ok()
            .and_then(|index| self.0.get_mut(index))
        else {
            return answer();
        };
        *slot.get_or_insert_with(answer)
    }
}
