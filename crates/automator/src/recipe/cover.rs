//! Which elements are the items of a list.

use std::collections::{HashMap, HashSet};

use automator_snapshot::Structure;
use serde_json::Value;

use super::found::Finder;
use super::number;

/// The items of a list and what holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Items {
    pub(super) container: usize,
    pub(super) items: Vec<usize>,
    /// How many levels below the container they stand.
    pub(super) levels: usize,
}

/// A value that stands in more places than this says little about where its item is.
const TELLING: usize = 60;

/// Leaves of one item that are looked for.
const MOST_LEAVES: usize = 64;

/// Places where text, names and addresses stand, by what they say.
pub(super) struct Index<'s> {
    structure: &'s Structure,
    depths: Vec<usize>,
    whole: HashMap<String, Vec<usize>>,
    numbers: HashMap<u64, Vec<usize>>,
    parts: Vec<(String, usize)>,
}

impl<'s> Index<'s> {
    pub(super) fn new(structure: &'s Structure) -> Self {
        let mut index = Index {
            structure,
            depths: Vec::with_capacity(structure.nodes().len()),
            whole: HashMap::new(),
            numbers: HashMap::new(),
            parts: Vec::new(),
        };
        for (at, node) in structure.nodes().iter().enumerate() {
            let depth = node
                .parent
                .and_then(|parent| index.depths.get(parent))
                .map_or(0, |depth| depth + 1);
            index.depths.push(depth);
            if node.tag == "#document" {
                continue;
            }
            let mut texts = vec![node.name.clone(), node.value.clone()];
            texts.extend(node.address.clone());
            if node.is_text() {
                texts.push(structure.first_text(at));
            } else {
                texts.push(structure.own_text(at));
            }
            texts.retain(|text| !text.is_empty());
            texts.dedup();
            for text in texts {
                for (start, end) in number::tokens(&text) {
                    for reading in number::readings(text.get(start..end).unwrap_or_default()) {
                        let places = index.numbers.entry((reading + 0.0).to_bits()).or_default();
                        if places.last() != Some(&at) {
                            places.push(at);
                        }
                    }
                }
                index.whole.entry(text.clone()).or_default().push(at);
                index.parts.push((text, at));
            }
        }
        index
    }

    /// Where a leaf may stand within an element.
    fn places(&self, finder: &Finder<'_>, within: usize, leaf: &Value, budget: &mut usize) -> Vec<usize> {
        let end = self.structure.node(within).map_or(0, |node| node.end);
        let inside = |&number: &usize| (within..end).contains(&number);
        if let Value::String(text) = leaf
            && let Some(whole) = self.whole.get(text)
        {
            let places: Vec<usize> = whole.iter().copied().filter(inside).collect();
            if !places.is_empty() {
                return places;
            }
        }
        let value = match leaf {
            Value::String(value) => value.as_str(),
            Value::Number(number) => {
                let bits = number.as_f64().map(|number| (number + 0.0).to_bits());
                let places = bits.and_then(|bits| self.numbers.get(&bits));
                return places.into_iter().flatten().copied().filter(inside).collect();
            }
            _ => return Vec::new(),
        };
        let Some(rest) = budget.checked_sub(self.parts.len()) else {
            return Vec::new();
        };
        *budget = rest;
        let places = self
            .parts
            .iter()
            .filter(|(text, number)| inside(number) && text.contains(value));
        let places: Vec<usize> = places.map(|(_, number)| *number).collect();
        if places.is_empty() && leaf.as_str().is_some_and(|text| text.len() > 20) {
            // A text over several elements.
            let found = finder.find(within, leaf);
            return found.into_iter().map(|found| found.node).take(TELLING).collect();
        }
        places
    }

    /// The smallest elements that hold every telling leaf of a value.
    pub(super) fn covers(
        &self,
        finder: &Finder<'_>,
        within: usize,
        value: &Value,
        budget: &mut usize,
    ) -> Vec<usize> {
        let mut leaves = Vec::new();
        leaves_of(value, &mut leaves);
        leaves.truncate(MOST_LEAVES);
        let mut all: Vec<Vec<usize>> = leaves
            .iter()
            .map(|leaf| self.places(finder, within, leaf, budget))
            .filter(|places| !places.is_empty())
            .collect();
        if all.iter().any(|places| places.len() <= TELLING) {
            all.retain(|places| places.len() <= TELLING);
        }
        let mut held: HashMap<usize, HashSet<usize>> = HashMap::new();
        for (leaf, places) in all.iter().enumerate() {
            for &place in places {
                for above in std::iter::once(place).chain(self.structure.ancestors(place)) {
                    if above < within || !held.entry(above).or_default().insert(leaf) {
                        break;
                    }
                }
            }
        }
        let full: HashSet<usize> = held
            .iter()
            .filter(|(_, leaves)| leaves.len() == all.len())
            .map(|(&number, _)| number)
            .collect();
        let has_full_child: HashSet<usize> = full
            .iter()
            .filter_map(|&number| self.structure.node(number)?.parent)
            .collect();
        let mut smallest: Vec<usize> = full.difference(&has_full_child).copied().collect();
        smallest.sort_unstable();
        smallest
    }

    /// The items of a list within an element.
    pub(super) fn items(
        &self,
        finder: &Finder<'_>,
        within: usize,
        list: &[Value],
        budget: &mut usize,
    ) -> Vec<Items> {
        let covers: Vec<Vec<usize>> = list
            .iter()
            .map(|value| self.covers(finder, within, value, budget))
            .collect();
        let Some(firsts) = covers.first() else {
            return Vec::new();
        };
        let mut found: Vec<Items> = Vec::new();
        for &first in firsts.iter().take(4) {
            let items = match covers.len() {
                1 => self.single(within, first),
                _ => self
                    .chosen(first, &covers)
                    .and_then(|chosen| self.raised(&chosen)),
            };
            found.extend(items.filter(|items| items.container >= within && !found.contains(items)));
        }
        found
    }

    /// One element for each item: in page order, as near to the first as can be.
    fn chosen(&self, first: usize, covers: &[Vec<usize>]) -> Option<Vec<usize>> {
        let mut chosen = vec![first];
        for places in covers.iter().skip(1) {
            let last = *chosen.last()?;
            let behind = places.iter().copied().filter(|&place| place > last);
            // Of equals the first.
            let mut best: Option<(usize, usize)> = None;
            for place in behind {
                let depth = self.depth(self.common(first, place)?);
                if best.is_none_or(|(_, known)| depth > known) {
                    best = Some((place, depth));
                }
            }
            chosen.push(best?.0);
        }
        Some(chosen)
    }

    /// From elements in the items to the items: as far up as no other item is held.
    fn raised(&self, chosen: &[usize]) -> Option<Items> {
        let mut depth = 0;
        let mut container = *chosen.first()?;
        for pair in chosen.windows(2) {
            let [one, two] = *pair else { continue };
            let common = self.common(one, two)?;
            depth = depth.max(self.depth(common) + 1);
            container = self.common(container, two)?;
        }
        let items: Option<Vec<usize>> = chosen
            .iter()
            .map(|&number| self.above_at(number, depth))
            .collect();
        let items = items?;
        let are_apart = items
            .windows(2)
            .all(|pair| matches!(*pair, [one, two] if one < two));
        let levels = depth.checked_sub(self.depth(container))?;
        (are_apart && levels > 0).then_some(Items {
            container,
            items,
            levels,
        })
    }

    /// The only item of a list: an element that is one by its markup.
    fn single(&self, within: usize, first: usize) -> Option<Items> {
        let is_item = |&number: &usize| {
            self.structure.node(number).is_some_and(|node| {
                matches!(node.tag.as_str(), "li" | "tr" | "article")
                    || matches!(node.role, "listitem" | "row" | "article")
            })
        };
        let mut around = std::iter::once(first).chain(self.structure.ancestors(first));
        let item = around.find(|number| *number <= within || is_item(number))?;
        let container = self.structure.node(item)?.parent?;
        (item > within).then_some(Items {
            container,
            items: vec![item],
            levels: 1,
        })
    }

    fn depth(&self, number: usize) -> usize {
        self.depths.get(number).copied().unwrap_or(0)
    }

    fn above_at(&self, number: usize, depth: usize) -> Option<usize> {
        std::iter::once(number)
            .chain(self.structure.ancestors(number))
            .find(|&above| self.depth(above) == depth)
            .filter(|&above| self.structure.node(above).is_some_and(|node| !node.is_text()))
    }

    fn common(&self, one: usize, two: usize) -> Option<usize> {
        let holds = |above: &usize| {
            self.structure
                .node(*above)
                .is_some_and(|node| *above <= two && two < node.end)
        };
        std::iter::once(one)
            .chain(self.structure.ancestors(one))
            .find(holds)
    }
}

fn leaves_of<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|inner| leaves_of(inner, found)),
        Value::Object(members) => members.values().for_each(|inner| leaves_of(inner, found)),
        Value::String(text) if !text.is_empty() => found.push(value),
        Value::Number(_) => found.push(value),
        _ => {}
    }
}
