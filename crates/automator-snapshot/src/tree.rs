//! The page as one tree: all documents of all targets, linked where they belong.
//!
//! Built from parsed captures in one pass an array; nothing here recurses, so depth is only a number. Nodes
//! are numbered in one arena, document after document; inside a document a parent comes before its children.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::attribute::{Attribute, Tag};
use crate::capture::{Capture, CapturedDocument, Rectangle, StringIndex, Style};
use crate::role::Role;

/// Facts about one document that a capture lacks, as backend node ids: asked in the page beside the capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFacts {
    /// The frame that shows the document.
    pub frame_id: String,
    /// The document in that frame: its loader id, or anything that changes with each navigation.
    pub document_id: String,
    /// The element that has the focus.
    pub focused: Option<i64>,
    /// The open modal dialog that makes the rest of the document inert.
    pub modal: Option<i64>,
    /// Checkboxes in their third state.
    pub indeterminate: Vec<i64>,
    /// Controls that a user has changed to something invalid.
    pub invalid: Vec<i64>,
}

/// The parsed reply of one target.
#[derive(Debug)]
pub(crate) struct TargetCapture<'a> {
    pub(crate) capture: Option<Capture<'a>>,
    pub(crate) facts: &'a [DocumentFacts],
    pub(crate) owner: Option<&'a FrameOwner>,
}

/// The frame element that shows another target's document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameOwner {
    /// Position of the owning target in the list of captures.
    pub target: usize,
    /// Backend node id of the `iframe` element in that target.
    pub backend_node_id: i64,
    /// Frame id of the document inside.
    pub frame_id: String,
}

/// Position of a node in [`Tree::nodes`].
pub(crate) type NodeIndex = u32;
/// No node.
pub(crate) const NONE: NodeIndex = u32::MAX;

/// What kind of DOM node an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Document,
    Element,
    Text,
    /// `::before`, `::after`, `::marker` and their like.
    Pseudo,
    /// Comments, doctypes.
    Other,
}

/// The vocabulary that an element name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// How an element takes part in the flow of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Display {
    /// No box: `display: none`, or `display: contents`.
    None,
    Inline,
    /// A box inside a line: `inline-block` and its like.
    InlineBox,
    Block,
    Table,
    TableRow,
    TableCell,
}

impl Display {
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

    /// Whether text before and after it stays on the same line.
    pub(crate) fn is_inline(self) -> bool {
        matches!(self, Display::None | Display::Inline | Display::InlineBox)
    }
}

macro_rules! flags {
    ($($(#[$meta:meta])* $name:ident = $bit:literal,)+) => {
        /// Marks of a node, one bit each.
        pub(crate) mod flag {
            $($(#[$meta])* pub(crate) const $name: u32 = 1 << $bit;)+
        }
    };
}

flags! {
    /// Has a box.
    LAYOUT = 0,
    /// `visibility: visible`.
    VISIBLE = 1,
    /// Is shown to people.
    SHOWN = 2,
    /// Not shown itself, but something below it is to be read.
    PASSAGE = 3,
    /// The protocol's `isClickable`.
    LISTENS = 4,
    /// `cursor: pointer`.
    POINTER = 5,
    /// The cursor is a pointer and the parent's is not.
    POINTER_STARTS = 6,
    /// A checked checkbox or radio button.
    CHECKED = 7,
    /// A selected option.
    SELECTED = 8,
    FOCUSED = 9,
    INVALID = 10,
    INDETERMINATE = 11,
    /// First level of a shadow tree.
    SHADOW_CHILD = 12,
    /// Carries `role` or any `aria-` attribute that matters.
    ARIA = 13,
    /// Can scroll: `overflow` says so and the content is larger than the box.
    SCROLLS = 14,
    /// Is or stands inside an `aria-hidden` subtree.
    ARIA_HIDDEN = 15,
    /// Is or stands inside a disabled fieldset or is disabled itself.
    DISABLED = 16,
    /// Is inert: the attribute, or outside an open modal dialog.
    INERT = 17,
    /// Stands inside an editable region, but is not its root.
    EDITABLE_INSIDE = 18,
    /// The root of an editable region.
    EDITABLE_ROOT = 19,
    /// Moved to another parent by `aria-owns`.
    OWNED = 20,
    /// Has `content-visibility: auto`.
    RENDERED_LATE = 21,
    /// Shown although it has no box, since people can reach it.
    REACHABLE = 22,
    /// Content beyond its box is cut off or scrolled.
    CLIPS = 23,
    /// Stands in an `aria-hidden` or `inert` subtree so long that it is content.
    TOLD = 24,
    /// Inert because of a modal dialog: not even its text is there.
    BEHIND_MODAL = 25,
    /// Stands in a short `aria-hidden` subtree that holds a number.
    HIDDEN_NUMBER = 26,
}

/// One node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) document: u32,
    pub(crate) parent: NodeIndex,
    pub(crate) first_child: NodeIndex,
    pub(crate) last_child: NodeIndex,
    pub(crate) next_sibling: NodeIndex,
    pub(crate) kind: Kind,
    pub(crate) namespace: Namespace,
    pub(crate) tag: Tag,
    pub(crate) display: Display,
    pub(crate) name: StringIndex,
    /// Laid-out text of text nodes and pseudo elements; current value of controls.
    pub(crate) text: StringIndex,
    pub(crate) backend_node_id: i64,
    pub(crate) bounds: Rectangle,
    attributes: (u32, u16),
    pub(crate) flags: u32,
}

impl Node {
    pub(crate) fn is(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }

    pub(crate) fn is_html(&self, tag: Tag) -> bool {
        self.tag == tag && self.namespace == Namespace::Html && self.kind == Kind::Element
    }
}

/// One document of the page.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    pub(crate) target: usize,
    pub(crate) captured: &'a CapturedDocument,
    pub(crate) first_node: NodeIndex,
    pub(crate) node_count: u32,
}

/// All documents of a page, linked.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    targets: &'a [TargetCapture<'a>],
    pub(crate) nodes: Vec<Node>,
    pub(crate) documents: Vec<Document<'a>>,
    /// The role of each node that is shown or leads to one; set in page order.
    pub(crate) roles: Vec<Role>,
    attributes: Vec<(Attribute, StringIndex)>,
    /// Frame elements whose document did not answer.
    pub(crate) unread_frames: Vec<NodeIndex>,
    ids: HashMap<(u32, &'a str), Vec<NodeIndex>>,
    /// Text beyond the first piece, of generated content that is made of several.
    more_text: HashMap<NodeIndex, Vec<StringIndex>>,
}

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

    /// The document node of the main frame.
    pub(crate) fn root(&self) -> NodeIndex {
        let main = self
            .documents
            .first()
            .filter(|document| document.target == 0 && document.node_count > 0);
        main.map_or(NONE, |document| document.first_node)
    }

    pub(crate) fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index as usize]
    }

    pub(crate) fn children(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let mut next = self.node(index).first_child;
        std::iter::from_fn(move || {
            let current = (next != NONE).then_some(next)?;
            next = self.node(current).next_sibling;
            Some(current)
        })
    }

    /// The ancestors, the parent first, across frame borders.
    pub(crate) fn ancestors(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> + '_ {
        let mut next = self.node(index).parent;
        std::iter::from_fn(move || {
            let current = (next != NONE).then_some(next)?;
            next = self.node(current).parent;
            Some(current)
        })
    }

    /// The next node of the subtree of `within` in page order; `skip` leaves out what is below `current`.
    pub(crate) fn next_in(&self, within: NodeIndex, current: NodeIndex, skip: bool) -> NodeIndex {
        let node = self.node(current);
        if !skip && node.first_child != NONE {
            return node.first_child;
        }
        let mut current = current;
        while current != within && current != NONE {
            let node = self.node(current);
            if node.next_sibling != NONE {
                return node.next_sibling;
            }
            current = node.parent;
        }
        NONE
    }

    /// Frame id and document id of a document.
    pub(crate) fn document_key(&self, document: u32) -> (&'a str, &'a str) {
        let Some(entry) = self.documents.get(document as usize) else {
            return ("", "");
        };
        let frame_id = self.string(document, entry.captured.frame_id);
        let facts = self.targets[entry.target]
            .facts
            .iter()
            .find(|facts| facts.frame_id == frame_id);
        (frame_id, facts.map_or("", |facts| &facts.document_id))
    }

    /// The address of the picture that an image shows now.
    pub(crate) fn current_source(&self, index: NodeIndex) -> Option<&'a str> {
        let node = self.node(index);
        let document = self.documents.get(node.document as usize)?;
        let sources = &document.captured.nodes.current_source_url;
        let position = sources.index.binary_search(&(index - document.first_node)).ok()?;
        let source = sources
            .value
            .get(position)
            .map(|&source| self.string(node.document, source))?;
        Some(source).filter(|source| !source.is_empty())
    }

    fn capture(&self, document: u32) -> Option<&'a Capture<'a>> {
        self.documents
            .get(document as usize)
            .and_then(|document| self.targets[document.target].capture.as_ref())
    }

    pub(crate) fn string(&self, document: u32, index: StringIndex) -> &'a str {
        self.capture(document).map_or("", |capture| capture.string(index))
    }

    /// The element name in lower case, as one word.
    pub(crate) fn tag_name(&self, index: NodeIndex) -> String {
        let node = self.node(index);
        let name: String = self.string(node.document, node.name).split_whitespace().collect();
        if name.is_empty() {
            "element".to_owned()
        } else {
            name.to_lowercase()
        }
    }

    /// Laid-out text of a text node or of generated content; the current value of a control.
    pub(crate) fn text(&self, index: NodeIndex) -> Cow<'a, str> {
        let node = self.node(index);
        let first = self.string(node.document, node.text);
        let Some(more) = self.more_text.get(&index) else {
            return Cow::Borrowed(first);
        };
        let more = more.iter().map(|&text| self.string(node.document, text));
        Cow::Owned(std::iter::once(first).chain(more).collect())
    }

    pub(crate) fn attribute(&self, index: NodeIndex, attribute: Attribute) -> Option<&'a str> {
        let node = self.node(index);
        self.attribute_list(node)
            .iter()
            .find(|(name, _)| *name == attribute)
            .map(|(_, value)| self.string(node.document, *value))
    }

    pub(crate) fn has_attribute(&self, index: NodeIndex, attribute: Attribute) -> bool {
        self.attribute_list(self.node(index))
            .iter()
            .any(|(name, _)| *name == attribute)
    }

    /// Whether a true/false attribute of WAI-ARIA says true.
    pub(crate) fn is_true(&self, index: NodeIndex, attribute: Attribute) -> bool {
        self.attribute(index, attribute)
            .is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
    }

    pub(crate) fn known_attributes(&self, index: NodeIndex) -> impl Iterator<Item = Attribute> + '_ {
        self.attribute_list(self.node(index))
            .iter()
            .map(|(name, _)| *name)
    }

    fn attribute_list(&self, node: &Node) -> &[(Attribute, StringIndex)] {
        let (start, count) = node.attributes;
        self.attributes
            .get(start as usize..start as usize + usize::from(count))
            .unwrap_or_default()
    }

    /// The element that an id reference on `from` means: in its own tree first, then in its document.
    pub(crate) fn by_id(&self, from: NodeIndex, id: &str) -> Option<NodeIndex> {
        let candidates = self.ids.get(&(self.node(from).document, id))?;
        if candidates.len() == 1 {
            return candidates.first().copied();
        }
        let scope = self.scope_of(from);
        candidates
            .iter()
            .copied()
            .find(|&candidate| self.scope_of(candidate) == scope)
            .or(candidates.first().copied())
    }

    /// The elements that a white-space separated list of ids means.
    pub(crate) fn by_ids(&self, from: NodeIndex, list: &str) -> Vec<NodeIndex> {
        list.split_ascii_whitespace()
            .take(256)
            .filter_map(|id| self.by_id(from, id))
            .collect()
    }

    /// The host of the shadow tree that a node stands in, or its document node.
    fn scope_of(&self, index: NodeIndex) -> NodeIndex {
        let mut current = index;
        loop {
            let node = self.node(current);
            if node.kind == Kind::Document || node.parent == NONE || node.is(flag::SHADOW_CHILD) {
                return node.parent;
            }
            current = node.parent;
        }
    }

    /// The node of that backend id in one document.
    pub(crate) fn by_backend_node_id(&self, document: usize, backend_node_id: i64) -> Option<NodeIndex> {
        let document = self.documents.get(document)?;
        let ids = &document.captured.nodes.backend_node_id;
        let position = ids.iter().position(|&id| id == backend_node_id)?;
        (position < document.node_count as usize).then(|| document.first_node + position as NodeIndex)
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
        for (index, _) in nodes.pseudo_type.iter() {
            if let Some(node) = slots.get_mut(index).filter(|node| node.kind == Kind::Element) {
                node.kind = Kind::Pseudo;
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
                let overflows = [style(Style::OverflowX), style(Style::OverflowY)];
                if overflows
                    .iter()
                    .any(|value| matches!(*value, "auto" | "scroll" | "overlay"))
                {
                    flags |= flag::SCROLLS;
                }
                if overflows.iter().any(|value| *value != "visible") {
                    flags |= flag::CLIPS;
                }
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
