//! Where a value stands on the page: the other way round, from what a model answered to elements.

use std::collections::HashMap;

use crate::address;
use crate::ids::ElementId;
use crate::name::is_marker;
use crate::outline::{Form, Outline};
use crate::snapshot::{NodeRef, Page, Snapshot};
use crate::text::clean;
use crate::tree::{Display, Kind, NONE, NodeIndex, flag};
use crate::xpath::{XPath, XPaths};

/// A value to look for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sought<'v> {
    /// Words of the page.
    Text(&'v str),
    /// A number, however the page writes it: `1,299.00`, `1.299,00 €`.
    Number(f64),
    /// The absolute address of a link or an image.
    Address(&'v str),
}

/// An element on which a value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The element.
    pub node: NodeRef,
    /// Its path.
    pub xpath: XPath,
    /// Its id, when it carries one in the text.
    pub id: Option<ElementId>,
}

impl Snapshot {
    /// The places of each value in page order; none for a value that stands nowhere in the text.
    ///
    /// Looks for the whole text of an element first, then for text that contains the value, then for the same
    /// in another case. The smallest element that holds the value is the place.
    #[must_use]
    pub fn locate(&self, sought: &[Sought<'_>]) -> Vec<Vec<Place>> {
        let found: Vec<Vec<Place>> = self.with_page(|page| {
            let index = Index::new(page, self);
            let paths = XPaths::new(&page.tree);
            let ids: HashMap<NodeIndex, ElementId> = page
                .nodes_of(self.elements())
                .into_iter()
                .map(|(id, node)| (node, id))
                .collect();
            let place = |node: NodeIndex| Place {
                node: page.reference(node),
                xpath: paths.of(node),
                id: ids.get(&node).copied(),
            };
            sought
                .iter()
                .map(|sought| index.find(*sought).into_iter().map(place).collect())
                .collect()
        });
        if found.is_empty() {
            vec![Vec::new(); sought.len()]
        } else {
            found
        }
    }
}

/// The texts of a page with their elements, in page order.
struct Index {
    /// Text → elements; the texts of single text nodes, then of lines and names.
    whole: HashMap<String, Vec<NodeIndex>>,
    texts: Vec<(String, NodeIndex)>,
    lines: Vec<(String, NodeIndex)>,
    numbers: HashMap<u64, Vec<NodeIndex>>,
    addresses: HashMap<String, Vec<NodeIndex>>,
}

impl Index {
    fn new(page: &Page<'_>, snapshot: &Snapshot) -> Index {
        let mut index = Index {
            whole: HashMap::new(),
            texts: Vec::new(),
            lines: Vec::new(),
            numbers: HashMap::new(),
            addresses: HashMap::new(),
        };
        for &node in &page.order {
            let entry = page.tree.node(node);
            let is_text = matches!(entry.kind, Kind::Text | Kind::Pseudo) && entry.is(flag::SHOWN);
            if is_text && page.holds(node) && !is_marker(&page.tree, node) {
                let text = clean(&page.tree.text(node));
                index.add(text, entry.parent, true);
            }
        }
        let outline = Outline::build(&page.tree, &page.names(), page.root);
        outline.visit(|item| {
            let node = if item.form == Form::Text {
                block_around(page, item.node)
            } else {
                item.node
            };
            index.add(outline.str(item.name).to_owned(), node, false);
            index.add(outline.str(item.value).to_owned(), node, false);
        });
        for (_, node) in page.nodes_of(snapshot.elements()) {
            if let Some(address) = address::of(&page.tree, node) {
                index.addresses.entry(address).or_default().push(node);
            }
        }
        index
    }

    fn add(&mut self, text: String, node: NodeIndex, is_text_node: bool) {
        if text.is_empty() || node == NONE {
            return;
        }
        for number in numbers_in(&text) {
            let nodes = self.numbers.entry(number.to_bits()).or_default();
            if is_text_node || nodes.is_empty() {
                nodes.push(node);
            }
        }
        self.whole.entry(text.clone()).or_default().push(node);
        if is_text_node {
            &mut self.texts
        } else {
            &mut self.lines
        }
        .push((text, node));
    }

    fn find(&self, sought: Sought<'_>) -> Vec<NodeIndex> {
        let found = match sought {
            Sought::Text(text) => self.find_text(&clean(text)),
            Sought::Number(number) => self
                .numbers
                .get(&(number + 0.0).to_bits())
                .cloned()
                .unwrap_or_default(),
            Sought::Address(address) => self.addresses.get(address).cloned().unwrap_or_default(),
        };
        in_page_order(found)
    }

    fn find_text(&self, text: &str) -> Vec<NodeIndex> {
        if text.is_empty() {
            return Vec::new();
        }
        if let Some(nodes) = self.whole.get(text) {
            return nodes.clone();
        }
        let lower = text.to_lowercase();
        let contains = |all: &[(String, NodeIndex)], holds: &dyn Fn(&str) -> bool| {
            all.iter()
                .filter(|(whole, _)| holds(whole))
                .map(|(_, node)| *node)
                .collect::<Vec<_>>()
        };
        let exact = |whole: &str| whole.contains(text);
        let any_case = |whole: &str| whole.to_lowercase().contains(&lower);
        [
            (&self.texts, &exact as &dyn Fn(&str) -> bool),
            (&self.lines, &exact),
            (&self.texts, &any_case),
            (&self.lines, &any_case),
        ]
        .into_iter()
        .map(|(all, holds)| contains(all, holds))
        .find(|nodes| !nodes.is_empty())
        .unwrap_or_default()
    }
}

/// The element whose line a text begins: the nearest one that is more than a stretch of a line.
fn block_around(page: &Page<'_>, text: NodeIndex) -> NodeIndex {
    let is_block = |&above: &NodeIndex| {
        let node = page.tree.node(above);
        node.kind == Kind::Element && !matches!(node.display, Display::Inline | Display::None)
    };
    page.tree.ancestors(text).find(is_block).unwrap_or(NONE)
}

/// Nodes of one document are numbered in page order; the same node is one place.
fn in_page_order(mut nodes: Vec<NodeIndex>) -> Vec<NodeIndex> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// All numbers that a text can be read to hold.
fn numbers_in(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|character: char| character.is_ascii_digit()) {
        let is_negative = rest[..start]
            .trim_end_matches(['€', '$', '£', ' '])
            .ends_with(['-', '−']);
        let tail = &rest[start..];
        let length = tail
            .find(|character: char| !is_part_of_number(character))
            .unwrap_or(tail.len());
        let token = tail[..length].trim_end_matches(|character: char| !character.is_ascii_digit());
        for number in readings(token) {
            found.push(number);
            if is_negative {
                found.push(-number);
            }
        }
        rest = &tail[length..];
    }
    found
}

fn is_part_of_number(character: char) -> bool {
    character.is_ascii_digit() || matches!(character, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}')
}

/// `1.299` is a number with a fraction in one country and with thousands in another: both readings count.
fn readings(token: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for decimal in ['.', ','] {
        let plain: String = token
            .chars()
            .filter(|character| character.is_ascii_digit() || *character == decimal)
            .map(|character| if character == decimal { '.' } else { character })
            .collect();
        found.extend(plain.parse::<f64>().ok());
    }
    let digits: String = token.chars().filter(char::is_ascii_digit).collect();
    found.extend(digits.parse::<f64>().ok());
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_any_country_writes_them() {
        let holds = |text: &str, number: f64| numbers_in(text).contains(&number);
        assert!(holds("€ 49.00", 49.0));
        assert!(holds("1.299,50 €", 1299.5));
        assert!(holds("$1,299.50", 1299.5));
        assert!(holds("1 299", 299.0) && holds("1\u{202f}299", 1299.0));
        assert!(holds("now -5 °C", -5.0));
        assert!(holds("-€ 5", -5.0));
        assert!(!holds("v1.2", 3.0));
        assert!(numbers_in("none").is_empty());
    }
}
