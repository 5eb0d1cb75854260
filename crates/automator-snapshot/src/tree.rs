//! The page as one tree: all documents of all targets, linked where they belong.
//!
//! Built in `build.rs`, read here; nothing recurses, so depth is only a number. Nodes are numbered in one arena, document after document; inside a document a parent comes before its children.

mod build;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::attribute::{Attribute, Tag};
use crate::capture::{Capture, CapturedDocument, Rectangle, StringIndex};
use crate::role::Role;
use crate::state::MASK;

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
    /// Fields that draw marks in place of what stands in them, as passwords are (`-webkit-text-security`).
    pub concealed: Vec<i64>,
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
    /// Replaced by an image through the style `content`.
    PICTURE = 27,
    /// Draws marks in place of what stands in it.
    CONCEALED = 28,
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
    /// What fields may hold, and what is told instead.
    pub(crate) masked: Arc<[(String, String)]>,
}

impl<'a> Tree<'a> {
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

    /// Laid-out text of a text node or of generated content; the current value of a control. What is drawn as marks
    /// is the mask.
    pub(crate) fn text(&self, index: NodeIndex) -> Cow<'a, str> {
        let node = self.node(index);
        let first = self.string(node.document, node.text);
        if node.is(flag::CONCEALED) && !first.is_empty() {
            return Cow::Borrowed(MASK);
        }
        if !self.masked.is_empty()
            && self.is_typed_into(index)
            && let Some(masked) = self.masked(first)
        {
            return Cow::Owned(masked);
        }
        let Some(more) = self.more_text.get(&index) else {
            return Cow::Borrowed(first);
        };
        let more = more.iter().map(|&text| self.string(node.document, text));
        Cow::Owned(std::iter::once(first).chain(more).collect())
    }

    /// Whether people write there: a field, or text in an editable region.
    fn is_typed_into(&self, index: NodeIndex) -> bool {
        let node = self.node(index);
        match node.kind {
            Kind::Text if node.parent != NONE => self
                .node(node.parent)
                .is(flag::EDITABLE_ROOT | flag::EDITABLE_INSIDE),
            _ => matches!(node.tag, Tag::Input | Tag::TextArea),
        }
    }

    /// The text of a field without what must not be told, also where the field writes it in another way: in groups,
    /// or in capitals. None when it holds nothing of the kind.
    fn masked(&self, text: &str) -> Option<String> {
        if !self.masked.iter().any(|(value, _)| text.contains(value)) {
            let letters = letters_of(text);
            let same = self.masked.iter().find(|(value, _)| letters_of(value) == letters);
            return same
                .filter(|_| !letters.is_empty())
                .map(|(_, instead)| instead.clone());
        }
        let told = self
            .masked
            .iter()
            .fold(text.to_owned(), |text, (value, instead)| {
                text.replace(value, instead)
            });
        Some(told)
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
}

/// Letters and digits alone, in lower case.
fn letters_of(text: &str) -> String {
    text.chars()
        .filter(|sign| sign.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
