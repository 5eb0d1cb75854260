//! Absolute XPaths, counted from the captured tree.
//!
//! Every step is indexed. A frame is crossed by the child document's `/html[1]` after its `iframe` step, a
//! shadow root by `//` right after its host. Below a slot the capture does not say where a node stands in its
//! own tree: such a path has to be computed in the page.

use std::collections::HashMap;

use crate::attribute::Tag;
use crate::capture::StringIndex;
use crate::tree::{Kind, NONE, Namespace, NodeIndex, Tree, flag};

/// Where an element stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XPath {
    /// A path that matches exactly this element.
    Counted(String),
    /// The element, or a frame around it, stands below a slot: the pieces of its path, some of which the page has
    /// to be asked for.
    BelowSlot(Vec<PathPiece>),
}

/// A piece of a path: what lies between two documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPiece {
    /// Known.
    Counted(String),
    /// The path of this node within its document.
    InPage {
        /// The frame that shows the document.
        frame_id: String,
        /// The node.
        backend_node_id: i64,
    },
}

impl XPath {
    /// The path, unless the page has to be asked for it.
    #[must_use]
    pub fn counted(&self) -> Option<&str> {
        match self {
            XPath::Counted(path) => Some(path),
            XPath::BelowSlot(_) => None,
        }
    }
}

/// Counts positions once a page, then builds paths.
#[derive(Debug)]
pub(crate) struct XPaths<'t, 'a> {
    tree: &'t Tree<'a>,
    /// Position of each element among its siblings of the same name, from 1.
    positions: Vec<u32>,
    /// The parent in the document, which `aria-owns` does not change.
    parents: Vec<NodeIndex>,
}

impl<'t, 'a> XPaths<'t, 'a> {
    pub(crate) fn new(tree: &'t Tree<'a>) -> Self {
        let mut positions = vec![0; tree.nodes.len()];
        let mut parents = vec![NONE; tree.nodes.len()];
        let mut counts: HashMap<(NodeIndex, StringIndex), u32> = HashMap::new();
        for document in &tree.documents {
            for position in 0..document.node_count {
                let index = document.first_node + position;
                let node = tree.node(index);
                let parent = document
                    .captured
                    .nodes
                    .parent_index
                    .get(position as usize)
                    .copied()
                    .unwrap_or(-1);
                let parent = match u32::try_from(parent) {
                    Ok(parent) if parent < position => document.first_node + parent,
                    _ => node.parent,
                };
                parents[index as usize] = parent;
                if node.kind == Kind::Element {
                    let count = counts.entry((parent, node.name)).or_default();
                    *count += 1;
                    positions[index as usize] = *count;
                }
            }
        }
        Self {
            tree,
            positions,
            parents,
        }
    }

    /// The path of an element, or of the element that holds a text.
    pub(crate) fn of(&self, index: NodeIndex) -> XPath {
        let mut pieces: Vec<PathPiece> = Vec::new();
        let mut current = index;
        while current != NONE {
            let (piece, frame) = self.within_document(current);
            pieces.push(piece);
            current = frame;
        }
        pieces.reverse();
        let counted: Option<Vec<&str>> = pieces
            .iter()
            .map(|piece| match piece {
                PathPiece::Counted(path) => Some(path.as_str()),
                PathPiece::InPage { .. } => None,
            })
            .collect();
        match counted.map(|pieces| pieces.concat()) {
            Some(path) if path.is_empty() => XPath::Counted("/".to_owned()),
            Some(path) => XPath::Counted(path),
            None => XPath::BelowSlot(pieces),
        }
    }

    /// The path within the node's own document, and the frame element that shows the document.
    fn within_document(&self, index: NodeIndex) -> (PathPiece, NodeIndex) {
        let mut steps: Vec<String> = Vec::new();
        let mut is_below_slot = false;
        let mut element = NONE;
        let mut current = index;
        while current != NONE && self.tree.node(current).kind != Kind::Document {
            let node = self.tree.node(current);
            let parent = self.parents[current as usize];
            if node.kind == Kind::Element {
                element = if element == NONE { current } else { element };
                is_below_slot |= parent != NONE && self.tree.node(parent).is_html(Tag::Slot);
                let separator = if node.is(flag::SHADOW_CHILD) { "//" } else { "/" };
                steps.push(format!(
                    "{separator}{}[{}]",
                    self.step_name(current),
                    self.positions[current as usize]
                ));
            }
            current = parent;
        }
        let frame = if current == NONE {
            NONE
        } else {
            self.tree.node(current).parent
        };
        if is_below_slot {
            let node = self.tree.node(element);
            let frame_id = self.tree.document_key(node.document).0.to_owned();
            return (
                PathPiece::InPage {
                    frame_id,
                    backend_node_id: node.backend_node_id,
                },
                frame,
            );
        }
        steps.reverse();
        (PathPiece::Counted(steps.concat()), frame)
    }

    fn step_name(&self, index: NodeIndex) -> String {
        let name = self.tree.tag_name(index);
        let is_plain = self.tree.node(index).namespace == Namespace::Html
            && name
                .chars()
                .all(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'));
        if is_plain {
            return name;
        }
        // `document.evaluate` finds elements of other vocabularies only by their name, and names may be odd.
        let node = self.tree.node(index);
        let written = self.tree.string(node.document, node.name);
        let written = if node.namespace == Namespace::Html {
            name.as_str()
        } else {
            written
        };
        let quote = if written.contains('\'') { '"' } else { '\'' };
        format!("*[name()={quote}{written}{quote}]")
    }
}
