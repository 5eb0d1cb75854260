//! What people can see and use: marks that a node inherits from above, or gets from what is below it.

use crate::attribute::{Attribute, Tag};
use crate::tree::{Kind, NONE, NodeIndex, Tree, flag};

/// Sets the inherited marks and the shown marks; gives back the nodes in page order.
pub(crate) fn mark(tree: &mut Tree<'_>) -> Vec<NodeIndex> {
    let order = page_order(tree);
    for &index in &order {
        inherit(tree, index);
    }
    let maps = used_image_maps(tree, &order);
    for &index in &order {
        show(tree, index, &maps);
    }
    tell_hidden_content(tree, &order);
    let mut extents = vec![None; tree.nodes.len()];
    for &index in order.iter().rev() {
        lift(tree, index);
        measure(tree, index, &mut extents);
    }
    order
}

fn page_order(tree: &Tree<'_>) -> Vec<NodeIndex> {
    let root = tree.root();
    let mut order = Vec::with_capacity(tree.nodes.len());
    let mut current = root;
    while current != NONE {
        order.push(current);
        current = tree.next_in(root, current, false);
    }
    order
}

/// Marks that every node below shares.
const FROM_ABOVE: u32 = flag::ARIA_HIDDEN | flag::INERT | flag::BEHIND_MODAL;

/// Marks that come from the parent: hidden from assistive technology, inert, disabled, editable, cursor.
fn inherit(tree: &mut Tree<'_>, index: NodeIndex) {
    let node = *tree.node(index);
    if node.kind != Kind::Element {
        let inherited = tree
            .nodes
            .get(node.parent as usize)
            .map_or(0, |parent| parent.flags);
        tree.nodes[index as usize].flags |= inherited & (FROM_ABOVE | flag::DISABLED);
        return;
    }
    let parent = tree
        .nodes
        .get(node.parent as usize)
        .map_or(0, |parent| parent.flags);
    let mut flags = parent & FROM_ABOVE;
    if parent & flag::DISABLED != 0 && !is_legend_of_disabled(tree, index) {
        flags |= flag::DISABLED;
    }
    let is_root = matches!(node.tag, Tag::Html | Tag::Body);
    if node.is(flag::ARIA) && !is_root && tree.is_true(index, Attribute::AriaHidden) {
        flags |= flag::ARIA_HIDDEN;
    }
    if tree.has_attribute(index, Attribute::Inert) {
        flags |= flag::INERT;
    }
    if is_disabled(tree, index) {
        flags |= flag::DISABLED;
    }
    if parent & (flag::EDITABLE_ROOT | flag::EDITABLE_INSIDE) != 0 {
        flags |= flag::EDITABLE_INSIDE;
    }
    match tree.attribute(index, Attribute::ContentEditable).map(str::trim) {
        Some(value) if value.eq_ignore_ascii_case("false") => flags &= !flag::EDITABLE_INSIDE,
        Some(_) if flags & flag::EDITABLE_INSIDE == 0 => flags |= flag::EDITABLE_ROOT,
        _ => {}
    }
    let box_above = tree
        .ancestors(index)
        .find(|&above| tree.node(above).is(flag::LAYOUT));
    let above_is_pointer = box_above.is_some_and(|above| tree.node(above).is(flag::POINTER));
    let starts_document = box_above.is_none_or(|above| tree.node(above).document != node.document);
    if node.is(flag::POINTER) && (!above_is_pointer || starts_document) {
        flags |= flag::POINTER_STARTS;
    }
    tree.nodes[index as usize].flags |= flags;
}

/// HTML, 4.10.18.5: controls in the first legend of a disabled fieldset stay enabled.
fn is_legend_of_disabled(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    node.is_html(Tag::Legend)
        && tree
            .nodes
            .get(node.parent as usize)
            .is_some_and(|parent| parent.is_html(Tag::FieldSet))
        && tree
            .children(node.parent)
            .find(|&child| tree.node(child).is_html(Tag::Legend))
            == Some(index)
        && !tree
            .ancestors(node.parent)
            .any(|above| tree.node(above).is(flag::DISABLED))
}

fn is_disabled(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let can_be = matches!(
        tree.node(index).tag,
        Tag::Button | Tag::Input | Tag::Select | Tag::TextArea | Tag::FieldSet | Tag::OptGroup | Tag::Option
    );
    (can_be && tree.has_attribute(index, Attribute::Disabled))
        || (tree.node(index).is(flag::ARIA) && tree.is_true(index, Attribute::AriaDisabled))
}

/// Names of the maps that shown images use (HTML, `usemap`).
fn used_image_maps<'a>(tree: &Tree<'a>, order: &[NodeIndex]) -> Vec<(u32, &'a str)> {
    order
        .iter()
        .filter(|&&index| tree.node(index).is_html(Tag::Img) && tree.node(index).is(flag::VISIBLE))
        .filter_map(|&index| {
            let name = tree.attribute(index, Attribute::UseMap)?.strip_prefix('#')?;
            Some((tree.node(index).document, name))
        })
        .collect()
}

/// Whether the node itself is shown; parents were decided before.
fn show(tree: &mut Tree<'_>, index: NodeIndex, maps: &[(u32, &str)]) {
    let node = *tree.node(index);
    let parent_flags = tree
        .nodes
        .get(node.parent as usize)
        .map_or(0, |parent| parent.flags);
    let is_shown = match node.kind {
        Kind::Document => node.parent == NONE || parent_flags & flag::SHOWN != 0,
        Kind::Text => node.is(flag::LAYOUT) && (node.is(flag::VISIBLE) || text_is_visible(tree, index)),
        Kind::Element | Kind::Pseudo => node.is(flag::LAYOUT) && node.is(flag::VISIBLE),
        Kind::Other => false,
    };
    if node.is(flag::BEHIND_MODAL) {
        return;
    }
    if is_shown {
        tree.nodes[index as usize].flags |= flag::SHOWN;
    } else if node.kind == Kind::Element && is_shown_without_box(tree, index, maps) {
        tree.nodes[index as usize].flags |= flag::SHOWN | flag::REACHABLE;
    }
}

/// Text has no styles of its own: the nearest box above decides.
fn text_is_visible(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let above = tree
        .ancestors(index)
        .find(|&above| tree.node(above).is(flag::LAYOUT));
    above.is_some_and(|above| tree.node(above).is(flag::VISIBLE) || tree.node(above).kind == Kind::Document)
}

/// Elements that people can reach although they have no box of their own.
fn is_shown_without_box(tree: &Tree<'_>, index: NodeIndex, maps: &[(u32, &str)]) -> bool {
    let node = tree.node(index);
    match node.tag {
        Tag::Option | Tag::OptGroup => tree
            .ancestors(index)
            .find(|&above| tree.node(above).is_html(Tag::Select))
            .is_some_and(|select| tree.node(select).is(flag::SHOWN)),
        Tag::Area => tree
            .ancestors(index)
            .find(|&above| tree.node(above).is_html(Tag::Map))
            .and_then(|map| {
                tree.attribute(map, Attribute::Name)
                    .or_else(|| tree.attribute(map, Attribute::Id))
            })
            .is_some_and(|name| maps.contains(&(node.document, name))),
        Tag::Input => {
            !node.is(flag::DISABLED)
                && tree
                    .attribute(index, Attribute::Type)
                    .is_some_and(|kind| kind.eq_ignore_ascii_case("file"))
        }
        _ => false,
    }
}

/// Tells the parent that something below it is shown.
fn lift(tree: &mut Tree<'_>, index: NodeIndex) {
    let node = *tree.node(index);
    if node.parent == NONE || !node.is(flag::SHOWN | flag::PASSAGE) {
        return;
    }
    let parent = &mut tree.nodes[node.parent as usize];
    let is_without_box = parent.kind == Kind::Element && !parent.is(flag::LAYOUT);
    if is_without_box && node.is(flag::SHOWN) && !node.is(flag::REACHABLE) {
        // `display: contents` and slots: no box, yet their content is shown.
        parent.flags |= flag::SHOWN;
    }
    if !parent.is(flag::SHOWN) {
        parent.flags |= flag::PASSAGE;
    }
}

/// From this many words on, a subtree that is hidden from assistive technology is content and no decoration:
/// a closed accordion, a slide that waits for its turn.
const WORDS_OF_CONTENT: usize = 20;

/// Marks `aria-hidden` and `inert` subtrees that people see and that are long enough to be content, or hold a
/// number.
fn tell_hidden_content(tree: &mut Tree<'_>, order: &[NodeIndex]) {
    let hidden = flag::ARIA_HIDDEN | flag::INERT;
    let is_start = |tree: &Tree<'_>, index: NodeIndex| {
        let node = tree.node(index);
        node.is(hidden) && node.parent != NONE && !tree.node(node.parent).is(hidden)
    };
    for &root in order {
        if !is_start(tree, root) {
            continue;
        }
        let mut words = 0;
        let mut has_number = false;
        let mut current = root;
        while current != NONE && words < WORDS_OF_CONTENT {
            let node = tree.node(current);
            if node.kind == Kind::Text && node.is(flag::SHOWN) {
                let text = tree.text(current);
                words += text.split_whitespace().count();
                has_number |= text.contains(char::is_numeric);
            }
            current = tree.next_in(root, current, false);
        }
        let flag = match (words >= WORDS_OF_CONTENT, has_number) {
            (true, _) => flag::TOLD,
            (false, true) => flag::HIDDEN_NUMBER,
            (false, false) => continue,
        };
        let mut current = root;
        while current != NONE {
            tree.nodes[current as usize].flags |= flag;
            current = tree.next_in(root, current, false);
        }
    }
}

/// Left, top, right and bottom edge of what a node covers.
type Extent = [f32; 4];

/// Keeps the scroll mark only on boxes whose content is larger than they are; hands the covered area up.
fn measure(tree: &mut Tree<'_>, index: NodeIndex, extents: &mut [Option<Extent>]) {
    let node = *tree.node(index);
    let content = extents[index as usize];
    let bounds = node.bounds;
    let own = [
        bounds.left,
        bounds.top,
        bounds.left + bounds.width,
        bounds.top + bounds.height,
    ];
    let has_box = node.is(flag::LAYOUT) && bounds.width > 0.0 && bounds.height > 0.0;
    if node.is(flag::SCROLLS) {
        let is_control = matches!(
            node.tag,
            Tag::Input | Tag::TextArea | Tag::Select | Tag::Body | Tag::Html
        );
        let overflows = content.is_some_and(|[left, top, right, bottom]| {
            left < own[0] - 1.0 || top < own[1] - 1.0 || right > own[2] + 1.0 || bottom > own[3] + 1.0
        });
        if is_control || !has_box || !overflows {
            tree.nodes[index as usize].flags &= !flag::SCROLLS;
        }
    }
    let covered = match (has_box && node.is(flag::VISIBLE | flag::SHOWN), content) {
        (true, Some(content)) if !node.is(flag::CLIPS) => Some(union(own, content)),
        (true, _) => Some(own),
        (false, content) => content.filter(|_| !node.is(flag::CLIPS)),
    };
    if let Some(covered) = covered
        && node.parent != NONE
        && tree.node(node.parent).document == node.document
    {
        let above = &mut extents[node.parent as usize];
        *above = Some(above.map_or(covered, |above| union(above, covered)));
    }
}

/// Puts the scroll mark on the `html` element of every document that is longer than what is in view.
pub(crate) fn mark_scrolling_documents(tree: &mut Tree<'_>) {
    let scrolling: Vec<NodeIndex> = tree
        .documents
        .iter()
        .filter(|document| {
            let view = tree.node(document.first_node).bounds;
            view.height > 0.0 && document.captured.content_height > view.height + 1.0
        })
        .filter_map(|document| {
            let is_html = |&child: &NodeIndex| tree.node(child).is_html(Tag::Html);
            tree.children(document.first_node).find(is_html)
        })
        .collect();
    for index in scrolling {
        tree.nodes[index as usize].flags |= flag::SCROLLS;
    }
}

fn union(a: Extent, b: Extent) -> Extent {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}
