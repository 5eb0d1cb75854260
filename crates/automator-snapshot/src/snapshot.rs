//! One page as text: the way from captures to a [`Snapshot`].

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::address;
use crate::capture::Capture;
use crate::ids::{ElementId, IdTable, NodeKey};
use crate::name::Names;
use crate::outline::{Form, Outline};
use crate::render::{Written, write};
use crate::role;
use crate::shown;
use crate::tree::{DocumentFacts, FrameOwner, NONE, NodeIndex, TargetCapture, Tree, flag};
use crate::xpath::{XPath, XPaths};

/// What one target answered: a page, or a frame that runs in a process of its own.
#[derive(Debug, Clone, Default)]
pub struct CapturedTarget {
    /// The `result` of `DOMSnapshot.captureSnapshot`; none when the target did not answer in time.
    pub reply: Option<Reply>,
    /// What that reply lacks, in any order.
    pub facts: Vec<DocumentFacts>,
    /// For a frame's target: the element that holds it. None for the page itself, which comes first.
    pub owner: Option<FrameOwner>,
}

/// The text of a reply, shared with whoever received it.
#[derive(Clone)]
pub struct Reply(Arc<dyn AsRef<str> + Send + Sync>);

impl Reply {
    /// Keeps a text, or a handle to one, without copying it.
    pub fn new(text: impl AsRef<str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(text))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        (*self.0).as_ref()
    }
}

impl std::fmt::Debug for Reply {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Reply({} bytes)", self.as_str().len())
    }
}

/// A node of one target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeRef {
    /// Position of the target in the list of captures.
    pub target: usize,
    /// The node within that target.
    pub backend_node_id: i64,
}

/// An element whose content the browser lays out only when it has to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateElement {
    /// The frame that shows it.
    pub frame_id: String,
    /// The node.
    pub backend_node_id: i64,
}

/// The part of a page that is read.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only this node and what is below it; the whole page when none.
    pub within: Option<NodeRef>,
    /// Nodes left out with all that is below them.
    pub without: Vec<NodeRef>,
    /// Whether the content of child frames is left out.
    pub without_frames: bool,
    /// What fields and editable regions may show, and what is told instead: values that must not leave the page.
    pub masked: Arc<[(String, String)]>,
    /// Whether a document that scrolls is told as a scrollable element, for readers who can scroll it.
    pub tells_scrolling: bool,
}

/// Why a page could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The reply of a target is not what the protocol promises.
    #[error("the page snapshot of target {target} cannot be read")]
    Malformed {
        /// Position of the target in the list of captures.
        target: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The page itself did not answer.
    #[error("the page did not answer with a snapshot")]
    Missing,
    /// The node that limits the snapshot is not in it: it was removed or stands in a frame that did not answer.
    #[error("the element that limits the snapshot is no longer on the page")]
    ScopeGone,
}

/// An element that carries an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its id in the text.
    pub id: ElementId,
    /// Position of its target in the list of captures.
    pub target: usize,
    /// Its frame, document and node.
    pub node: NodeKey,
    /// Its tag, in lower case; empty for a document.
    pub tag: String,
    /// Its role word in the text.
    pub role: String,
    /// Its name, also where the text tells only its beginning; empty when it has none.
    pub name: String,
}

/// A line of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// Where the line starts in the text.
    pub start: usize,
    /// Where it ends, without the line break.
    pub end: usize,
    /// Its level in the outline; the page itself is 0.
    pub depth: usize,
}

/// A page, or a part of it, as text with ids.
///
/// The same page gives the same text, byte for byte.
#[derive(Debug)]
pub struct Snapshot {
    text: String,
    lines: Vec<Line>,
    elements: BTreeMap<ElementId, Element>,
    captured: Arc<[CapturedTarget]>,
    scope: Scope,
    late: Vec<LateElement>,
    urls: OnceLock<BTreeMap<ElementId, String>>,
    addresses: OnceLock<HashSet<String>>,
    xpaths: OnceLock<BTreeMap<ElementId, XPath>>,
}

impl Snapshot {
    /// Reads a page.
    ///
    /// `captured` holds the page itself first, then its out-of-process frames, a frame after its owner. Ids come
    /// from `ids` and are given over the whole page in page order, whatever the scope.
    ///
    /// # Errors
    /// [`SnapshotError::Missing`] without a reply of the page itself, [`SnapshotError::Malformed`] when it cannot
    /// be read, [`SnapshotError::ScopeGone`] when the scope's node is not in it.
    pub fn read(
        captured: Arc<[CapturedTarget]>,
        ids: &mut IdTable,
        scope: &Scope,
    ) -> Result<Snapshot, SnapshotError> {
        let targets = parse(&captured)?;
        let mut page = Page::new(&targets, scope)?;
        page.enter(ids);
        let late = page.late();
        let outline = Outline::build(&page.tree, &page.names(), page.root);
        let mut given = page.give_ids(&outline, ids);
        let outline = if scope.is_whole() {
            outline
        } else {
            page.narrow(scope)?;
            let outline = Outline::build(&page.tree, &page.names(), page.root);
            given.extend(page.give_ids(&outline, ids));
            outline
        };
        let Written { text, lines } =
            write(&outline, &|node| given.get(&node).map(|id| (id.frame, id.number)));
        let elements = page.elements(&outline, &given);
        let mut start = 0;
        let lines = lines.iter().map(|line| {
            let line = Line {
                start,
                end: line.end,
                depth: line.depth,
            };
            start = line.end + 1;
            line
        });
        let lines = lines.collect();
        drop(page);
        drop(targets);
        Ok(Snapshot {
            scope: scope.clone(),
            late,
            text,
            lines,
            elements,
            captured,
            urls: OnceLock::new(),
            addresses: OnceLock::new(),
            xpaths: OnceLock::new(),
        })
    }

    /// The page text: an indented outline, one element or piece of text a line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines of the text.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The element of an id, when the text holds it.
    #[must_use]
    pub fn element(&self, id: ElementId) -> Option<&Element> {
        self.elements.get(&id)
    }

    /// All elements of the text that carry an id.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = &Element> {
        self.elements.values()
    }

    /// Elements with `content-visibility: auto` whose content the browser has not laid out, so that it is not in
    /// the text. Asking the page for the box of something inside lays it out for the next capture.
    #[must_use]
    pub fn late_content(&self) -> &[LateElement] {
        &self.late
    }

    /// The captures that the snapshot was made from.
    #[must_use]
    pub fn captured(&self) -> &Arc<[CapturedTarget]> {
        &self.captured
    }

    /// Absolute addresses of links, images and documents by id, computed when first asked for.
    #[must_use]
    pub fn urls(&self) -> &BTreeMap<ElementId, String> {
        self.urls.get_or_init(|| {
            self.with_page(|page| {
                let nodes = page.nodes_of(self.elements.values());
                nodes
                    .into_iter()
                    .filter_map(|(id, node)| Some((id, address::of(&page.tree, node)?)))
                    .collect()
            })
        })
    }

    /// Whether an absolute address stands on the page.
    #[must_use]
    pub fn holds_address(&self, url: &str) -> bool {
        self.addresses
            .get_or_init(|| self.urls().values().cloned().collect())
            .contains(url)
    }

    /// Absolute XPaths by id, computed when first asked for.
    #[must_use]
    pub fn xpaths(&self) -> &BTreeMap<ElementId, XPath> {
        self.xpaths.get_or_init(|| {
            self.with_page(|page| {
                let counter = XPaths::new(&page.tree);
                let nodes = page.nodes_of(self.elements.values());
                nodes
                    .into_iter()
                    .map(|(id, node)| (id, counter.of(node)))
                    .collect()
            })
        })
    }

    /// Builds the tree once more from the kept replies, which were read without an error before.
    pub(crate) fn with_page<T: Default>(&self, work: impl FnOnce(&Page<'_>) -> T) -> T {
        let read = || {
            let targets = parse(&self.captured)?;
            let mut page = Page::new(&targets, &self.scope)?;
            if !self.scope.is_whole() {
                page.narrow(&self.scope)?;
            }
            Ok::<T, SnapshotError>(work(&page))
        };
        read().unwrap_or_default()
    }
}

/// Parses captures and hands the whole page over.
pub(crate) fn with_parsed<T>(
    captured: &[CapturedTarget],
    work: impl FnOnce(&Page<'_>) -> T,
) -> Result<T, SnapshotError> {
    let targets = parse(captured)?;
    Ok(work(&Page::new(&targets, &Scope::default())?))
}

impl Scope {
    fn is_whole(&self) -> bool {
        self.within.is_none() && self.without.is_empty() && !self.without_frames
    }
}

fn parse(captured: &[CapturedTarget]) -> Result<Vec<TargetCapture<'_>>, SnapshotError> {
    let parsed = captured.iter().enumerate().map(|(target, capture)| {
        let reply = capture
            .reply
            .as_ref()
            .map(|reply| Capture::parse(reply.as_str()))
            .transpose();
        let reply = match reply {
            Ok(reply) => reply,
            Err(source) if target == 0 => return Err(SnapshotError::Malformed { target, source }),
            // A frame whose reply is unusable is told as one that did not answer.
            Err(_) => None,
        };
        Ok(TargetCapture {
            capture: reply,
            facts: &capture.facts,
            owner: capture.owner.as_ref(),
        })
    });
    parsed.collect()
}

/// A page with roles, ready to be told.
pub(crate) struct Page<'a> {
    pub(crate) tree: Tree<'a>,
    pub(crate) order: Vec<NodeIndex>,
    /// Where reading starts: the document, or the element that limits the scope.
    pub(crate) root: NodeIndex,
}

impl<'a> Page<'a> {
    fn new(targets: &'a [TargetCapture<'a>], scope: &Scope) -> Result<Page<'a>, SnapshotError> {
        let mut tree = Tree::build(targets);
        tree.masked = Arc::clone(&scope.masked);
        if tree.root() == NONE {
            return Err(SnapshotError::Missing);
        }
        let order = shown::mark(&mut tree);
        if scope.tells_scrolling {
            shown::mark_scrolling_documents(&mut tree);
        }
        role::assign(&mut tree, &order);
        let root = tree.root();
        Ok(Page { tree, order, root })
    }

    pub(crate) fn names(&self) -> Names<'_, 'a> {
        Names::new(&self.tree, &self.order)
    }

    fn late(&self) -> Vec<LateElement> {
        let is_late = |&&index: &&NodeIndex| {
            let node = self.tree.node(index);
            node.is(flag::RENDERED_LATE)
                && node.first_child != NONE
                && !self
                    .tree
                    .children(index)
                    .any(|child| self.tree.node(child).is(flag::LAYOUT))
        };
        self.order
            .iter()
            .filter(is_late)
            .map(|&index| {
                let node = self.tree.node(index);
                let frame_id = self.tree.document_key(node.document).0.to_owned();
                LateElement {
                    frame_id,
                    backend_node_id: node.backend_node_id,
                }
            })
            .collect()
    }

    fn enter(&self, ids: &mut IdTable) {
        let (frame_id, document_id) = self.tree.document_key(0);
        ids.enter_page(frame_id, document_id);
    }

    /// Gives an id to every element of the outline that carries one, in page order.
    fn give_ids(&self, outline: &Outline, ids: &mut IdTable) -> HashMap<NodeIndex, ElementId> {
        let mut given = HashMap::new();
        outline.visit(|item| {
            if item.carries_id {
                let node = self.tree.node(item.node);
                let (frame_id, document_id) = self.tree.document_key(node.document);
                given.insert(item.node, ids.give(frame_id, document_id, node.backend_node_id));
            }
        });
        given
    }

    /// Hides what is out of scope and starts at its element.
    fn narrow(&mut self, scope: &Scope) -> Result<(), SnapshotError> {
        let without: HashSet<NodeRef> = scope.without.iter().copied().collect();
        let mut root = if scope.within.is_some() {
            NONE
        } else {
            self.tree.root()
        };
        let mut left_out = Vec::new();
        for &index in &self.order {
            let node = self.tree.node(index);
            let target = self.tree.documents[node.document as usize].target;
            let reference = NodeRef {
                target,
                backend_node_id: node.backend_node_id,
            };
            if scope.within == Some(reference) && root == NONE {
                root = index;
            }
            let is_frame_content =
                scope.without_frames && node.kind == crate::tree::Kind::Document && node.parent != NONE;
            if is_frame_content || without.contains(&reference) {
                left_out.push(index);
            }
        }
        for start in left_out {
            let mut current = start;
            while current != NONE {
                self.tree.nodes[current as usize].flags &= !(flag::SHOWN | flag::PASSAGE);
                current = self.tree.next_in(start, current, false);
            }
        }
        if root == NONE {
            return Err(SnapshotError::ScopeGone);
        }
        self.root = root;
        Ok(())
    }

    pub(crate) fn reference(&self, index: NodeIndex) -> NodeRef {
        let node = self.tree.node(index);
        let target = self.tree.documents[node.document as usize].target;
        NodeRef {
            target,
            backend_node_id: node.backend_node_id,
        }
    }

    /// Whether a node is in scope.
    pub(crate) fn holds(&self, index: NodeIndex) -> bool {
        let is_whole = self.root == self.tree.root();
        is_whole || index == self.root || self.tree.ancestors(index).any(|above| above == self.root)
    }

    fn elements(
        &self,
        outline: &Outline,
        given: &HashMap<NodeIndex, ElementId>,
    ) -> BTreeMap<ElementId, Element> {
        let mut elements = BTreeMap::new();
        outline.visit(|item| {
            let Some(&id) = given
                .get(&item.node)
                .filter(|_| item.carries_id && item.form != Form::Text)
            else {
                return;
            };
            let node = self.tree.node(item.node);
            let (frame_id, document_id) = self.tree.document_key(node.document);
            let element = Element {
                id,
                target: self.tree.documents[node.document as usize].target,
                node: NodeKey {
                    frame_id: frame_id.to_owned(),
                    document_id: document_id.to_owned(),
                    backend_node_id: node.backend_node_id,
                },
                tag: match node.kind {
                    crate::tree::Kind::Element => {
                        self.tree.string(node.document, node.name).to_ascii_lowercase()
                    }
                    _ => String::new(),
                },
                role: item.word.clone().into_owned(),
                name: outline.str(item.name).to_owned(),
            };
            elements.insert(id, element);
        });
        elements
    }

    /// The nodes of elements that an earlier reading of the same captures told.
    pub(crate) fn nodes_of<'e>(
        &self,
        elements: impl Iterator<Item = &'e Element>,
    ) -> Vec<(ElementId, NodeIndex)> {
        let mut wanted: HashMap<NodeRef, ElementId> = HashMap::new();
        for element in elements {
            let reference = NodeRef {
                target: element.target,
                backend_node_id: element.node.backend_node_id,
            };
            wanted.insert(reference, element.id);
        }
        let found = self.order.iter().filter_map(|&index| {
            let node = self.tree.node(index);
            let target = self.tree.documents[node.document as usize].target;
            let id = wanted.get(&NodeRef {
                target,
                backend_node_id: node.backend_node_id,
            })?;
            Some((*id, index))
        });
        found.collect()
    }
}
