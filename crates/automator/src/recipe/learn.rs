//! Learning a recipe: the answer beside the page that it was given for.
//!
//! The answer is walked with its examples: one for the page, one for each item inside lists. For every leaf the
//! ways to take it are found, then one is chosen that gives the right value in every example.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use automator_snapshot::Structure;
use serde_json::{Map, Value};

use super::cover::{Index, Items};
use super::found::Finder;
use super::instruction::{address_values, texts_of};
use super::number::{NumberForm, common_form};
use super::path::Kind;
use super::read::{Reader, contents};
use super::steps::{Example, Ways, common_kind};
use super::{List, Member, Missing, Part};

/// Levels of a value that are learnt.
const DEEPEST: usize = 24;

/// Texts that are looked through for where items are.
const MOST_LOOKS: usize = 5_000_000;

/// The part that gives this value on this page; none when it cannot be told.
pub(super) fn part_of(
    structure: &Structure,
    schema: &Value,
    asked: HashSet<String>,
    url: &str,
    value: &Value,
) -> Option<Part> {
    let reader = Reader::new(structure);
    let mut data = Vec::new();
    texts_of(value, &mut data);
    data.extend(
        address_values(url)
            .into_iter()
            .filter(|text| text.chars().count() > 2),
    );
    for text in &mut data {
        *text = text.to_lowercase();
    }
    data.sort_unstable();
    data.dedup();
    let ways = Ways {
        reader: &reader,
        data,
        asked,
        title: structure
            .node(0)
            .map_or_else(String::new, |page| page.name.to_lowercase()),
    };
    let finder = Finder::new(structure);
    let index = Index::new(structure);
    let mut looks = MOST_LOOKS;
    let region = smallest(structure, &index.covers(&finder, 0, value, &mut looks));
    let learner = Learner {
        schema,
        ways: &ways,
        finder,
        index,
        looks: Cell::new(looks),
        region,
        forms: RefCell::default(),
        needs_guard: Cell::new(false),
        is_in_list: Cell::new(false),
    };
    let whole = [Sample {
        from: 0,
        value: Some(value),
    }];
    let mut part = learner.part(&whole, Some(schema), None, DEEPEST)?;
    if let Some(page) = common_form(learner.forms.borrow().iter().copied()) {
        complete_forms(&mut part, page);
    }
    let again = reader.part(&part, 0).ok()??;
    is_same(&again, value).then_some(part)
}

/// One place where a part was given: the element that it belongs to, and what it was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample<'v> {
    pub(super) from: usize,
    pub(super) value: Option<&'v Value>,
}

impl<'v> Sample<'v> {
    fn of(from: usize, value: Option<&'v Value>) -> Self {
        Sample {
            from,
            value: value.filter(|value| !value.is_null()),
        }
    }
}

pub(super) struct Learner<'l, 's> {
    schema: &'l Value,
    pub(super) ways: &'l Ways<'l, 's>,
    pub(super) finder: Finder<'s>,
    index: Index<'s>,
    looks: Cell<usize>,
    /// The part of the page that holds the whole answer.
    pub(super) region: Option<usize>,
    pub(super) forms: RefCell<Vec<NumberForm>>,
    /// Whether items lack a member now and then, so that one could go unnoticed.
    needs_guard: Cell<bool>,
    is_in_list: Cell<bool>,
}

impl<'l, 's> Learner<'l, 's> {
    pub(super) fn reader(&self) -> &'l Reader<'s> {
        self.ways.reader
    }

    fn part(
        &self,
        samples: &[Sample<'_>],
        schema: Option<&Value>,
        name: Option<&str>,
        depth: usize,
    ) -> Option<Part> {
        let depth = depth.checked_sub(1)?;
        let mut values = samples.iter().filter_map(|sample| sample.value);
        let Some(first) = values.next() else {
            // Nobody has seen it. In a list it would be noticed as something new in an item.
            self.needs_guard.set(true);
            return self.is_in_list.get().then_some(Part::Nothing);
        };
        if !values.all(|value| std::mem::discriminant(value) == std::mem::discriminant(first)) {
            return None;
        }
        match first {
            Value::Object(_) => self.members(samples, schema, depth).map(Part::Members),
            Value::Array(_) => self
                .list(samples, schema, depth)
                .map(|list| Part::List(Box::new(list))),
            _ => self.leaf(samples, name).map(Part::Taken),
        }
    }

    fn members(&self, samples: &[Sample<'_>], schema: Option<&Value>, depth: usize) -> Option<Vec<Member>> {
        let objects: Vec<(usize, &Map<String, Value>)> = samples
            .iter()
            .filter_map(|sample| Some((sample.from, sample.value?.as_object()?)))
            .collect();
        let mut names: Vec<&String> = Vec::new();
        let mut known: HashSet<&String> = HashSet::new();
        for (_, object) in &objects {
            names.extend(object.keys().filter(|name| known.insert(name)));
        }
        let unseen = properties(self.schema, schema).any(|name| !known.contains(name));
        if unseen {
            self.needs_guard.set(true);
            if !self.is_in_list.get() {
                return None;
            }
        }
        let learn = |name: &&String| {
            let inner: Vec<Sample<'_>> = objects
                .iter()
                .map(|(from, object)| Sample::of(*from, object.get(*name)))
                .collect();
            let schema = property(self.schema, schema, name);
            let value = self.part(&inner, schema, Some(name), depth)?;
            let lacking = objects.iter().filter_map(|(_, object)| match object.get(*name) {
                None => Some(Missing::LeftOut),
                Some(Value::Null) => Some(Missing::Null),
                Some(_) => None,
            });
            let mut lacking: Vec<Missing> = lacking.collect();
            lacking.dedup();
            if lacking.len() > 1 {
                return None;
            }
            if !lacking.is_empty() {
                self.needs_guard.set(true);
            }
            Some(Member {
                name: (*name).clone(),
                value,
                when_missing: lacking.first().copied(),
            })
        };
        names.iter().map(learn).collect()
    }

    fn list(&self, samples: &[Sample<'_>], schema: Option<&Value>, depth: usize) -> Option<List> {
        let lists: Vec<(usize, &[Value])> = samples
            .iter()
            .filter_map(|sample| Some((sample.from, sample.value?.as_array()?.as_slice())))
            .collect();
        let longest = lists.iter().map(|(_, list)| list.len()).max()?;
        let least = longest.min(2);
        if least == 0 {
            return None;
        }
        let mut looks = self.looks.get();
        let telling = lists.iter().filter(|(_, list)| list.len() >= least);
        let choices: Vec<(usize, Vec<Items>)> = telling
            .map(|&(from, list)| (from, self.index.items(&self.finder, from, list, &mut looks)))
            .collect();
        self.looks.set(looks);
        let most = choices.iter().map(|(_, choices)| choices.len()).max()?;
        (0..most).find_map(|choice| {
            let chosen: Option<Vec<(usize, &Items)>> = choices
                .iter()
                .map(|(from, choices)| Some((*from, choices.get(choice).or_else(|| choices.last())?)))
                .collect();
            self.list_of(&chosen?, &lists, samples, schema, depth)
        })
    }

    fn list_of(
        &self,
        chosen: &[(usize, &Items)],
        lists: &[(usize, &[Value])],
        samples: &[Sample<'_>],
        schema: Option<&Value>,
        depth: usize,
    ) -> Option<List> {
        let containers: Vec<Example> = chosen
            .iter()
            .map(|(from, items)| Example {
                from: *from,
                to: items.container,
            })
            .collect();
        let container = self.ways.path(&containers)?;
        let items = self.item_kinds(chosen)?;
        let mut learnt = List {
            container,
            items,
            beside: Vec::new(),
            passes_over: false,
            empty_without_container: false,
            may_hold: None,
            item: Part::Nothing,
        };
        let mut item_samples: Vec<Sample<'_>> = Vec::new();
        for &(from, list) in lists {
            let Some(container) = self.reader().follow(&learnt.container, from).ok()? else {
                learnt.empty_without_container = true;
                continue;
            };
            let alike = self.alike(&mut learnt, container);
            let known = chosen.iter().find(|(other, _)| *other == from);
            let found = match known {
                Some((_, known)) if known.container == container => known.items.clone(),
                Some(_) => return None,
                None => alike.clone(),
            };
            let alike_items: HashSet<usize> = alike.iter().copied().collect();
            if found.len() != list.len() || !found.iter().all(|item| alike_items.contains(item)) {
                return None;
            }
            learnt.passes_over |= alike.len() > found.len();
            let pairs = found.iter().zip(list);
            item_samples.extend(pairs.map(|(&item, value)| Sample::of(item, Some(value))));
        }
        let outer = (self.needs_guard.replace(false), self.is_in_list.replace(true));
        let item = self.part(&item_samples, items_of(self.schema, schema), None, depth);
        let needs_guard = self.needs_guard.replace(outer.0);
        self.is_in_list.set(outer.1);
        learnt.item = item?;
        if needs_guard {
            let all = item_samples
                .iter()
                .flat_map(|sample| contents(self.reader().structure, sample.from));
            let mut all: Vec<String> = all.collect();
            all.sort_unstable();
            all.dedup();
            learnt.may_hold = Some(all);
        }
        let part = Part::List(Box::new(learnt));
        let gives = |sample: &Sample<'_>| match (self.reader().part(&part, sample.from), sample.value) {
            (Ok(Some(read)), Some(value)) => is_same(&read, value),
            (Ok(None), None) => true,
            _ => false,
        };
        if !samples.iter().all(gives) {
            return None;
        }
        match part {
            Part::List(list) => Some(*list),
            _ => None,
        }
    }

    /// What the items have in common, and the elements around them up to the container.
    fn item_kinds(&self, chosen: &[(usize, &Items)]) -> Option<Vec<Kind>> {
        let structure = self.reader().structure;
        let levels = chosen.first()?.1.levels;
        if chosen.iter().any(|(_, items)| items.levels != levels) {
            return None;
        }
        let mut level: Vec<usize> = chosen
            .iter()
            .flat_map(|(_, items)| items.items.iter().copied())
            .collect();
        let mut kinds = Vec::new();
        for _ in 0..levels {
            let nodes: Option<Vec<_>> = level.iter().map(|&number| structure.node(number)).collect();
            let nodes = nodes?;
            let all: Vec<Kind> = nodes.iter().map(|node| Kind::of(node)).collect();
            kinds.push(common_kind(&all, nodes.first()?)?);
            level = nodes.iter().filter_map(|node| node.parent).collect();
            level.dedup();
        }
        kinds.reverse();
        Some(kinds)
    }

    /// The elements that look like items, and what stands beside them.
    fn alike(&self, list: &mut List, container: usize) -> Vec<usize> {
        let reader = self.reader();
        let structure = reader.structure;
        let mut level = vec![container];
        for kind in &list.items {
            let mut inner = Vec::new();
            for child in level.iter().flat_map(|&outer| structure.elements_in(outer)) {
                let Some(node) = structure.node(child) else {
                    continue;
                };
                if kind.is(node) {
                    inner.push(child);
                } else if reader.says_something(child) && !list.beside.contains(&Kind::of(node)) {
                    list.beside.push(Kind::of(node));
                }
            }
            level = inner;
        }
        level
    }
}

/// Fills in how the page writes numbers where the examples of one member did not show it.
fn complete_forms(part: &mut Part, page: NumberForm) {
    match part {
        Part::Members(members) => {
            for member in members {
                complete_forms(&mut member.value, page);
            }
        }
        Part::List(list) => complete_forms(&mut list.item, page),
        Part::Taken(taken) => {
            for place in taken.places.iter_mut().chain(&mut taken.also_at) {
                if let Some(form) = &mut place.number {
                    form.decimal_mark = form.decimal_mark.or(page.decimal_mark);
                }
            }
        }
        Part::Nothing => {}
    }
}

fn smallest(structure: &Structure, numbers: &[usize]) -> Option<usize> {
    let size = |number: &usize| structure.node(*number).map_or(0, |node| node.end - *number);
    numbers.iter().copied().min_by_key(size)
}

/// Equal as JSON means it: `49` is `49.0`.
pub(super) fn is_same(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len() && one.iter().zip(two).all(|(one, two)| is_same(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            let is_in_both =
                |(name, value): (&String, &Value)| two.get(name).is_some_and(|two| is_same(value, two));
            one.len() == two.len() && one.iter().all(is_in_both)
        }
        _ => one == two,
    }
}

/// The schema that a node means: references followed, of alternatives the one that describes a thing.
fn meant<'v>(root: &'v Value, node: Option<&'v Value>) -> Option<&'v Value> {
    let mut node = node?;
    for _ in 0..32 {
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            node = root.pointer(reference.strip_prefix('#')?)?;
            continue;
        }
        let alternatives = ["anyOf", "oneOf", "allOf"]
            .iter()
            .find_map(|keyword| node.get(*keyword)?.as_array());
        let Some(alternatives) = alternatives else {
            return Some(node);
        };
        let is_thing = |branch: &&Value| branch.get("type").is_none_or(|name| name != "null");
        node = alternatives.iter().find(is_thing)?;
    }
    None
}

fn properties<'v>(root: &'v Value, node: Option<&'v Value>) -> impl Iterator<Item = &'v String> {
    meant(root, node)
        .and_then(|node| node.get("properties")?.as_object())
        .into_iter()
        .flat_map(Map::keys)
}

fn property<'v>(root: &'v Value, node: Option<&'v Value>, name: &str) -> Option<&'v Value> {
    meant(root, node)?.get("properties")?.get(name)
}

fn items_of<'v>(root: &'v Value, node: Option<&'v Value>) -> Option<&'v Value> {
    meant(root, node)?.get("items")
}
