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
    /// The element stands below a slot: ask the page for its path.
    BelowSlot,
}

impl XPath {
    /// The path, unless the page has to be asked for it.
    #[must_use]
    pub fn counted(&self) -> Option<&str> {
        match self {
            XPath::Counted(path) => Some(path),
            XPath::BelowSlot => None,
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
        let mut steps: Vec<String> = Vec::new();
        let mut current = index;
        while current != NONE {
            let node = self.tree.node(current);
            let parent = self.parents[current as usize];
            if node.kind == Kind::Element {
                if parent != NONE && self.tree.node(parent).is_html(Tag::Slot) {
                    return XPath::BelowSlot;
                }
                let separator = if node.is(flag::SHADOW_CHILD) { "//" } else { "/" };
                steps.push(format!(
                    "{separator}{}[{}]",
                    self.step_name(current),
                    self.positions[current as usize]
                ));
            }
            current = parent;
        }
        steps.reverse();
        XPath::Counted(if steps.is_empty() {
            "/".to_owned()
        } else {
            steps.concat()
        })
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
