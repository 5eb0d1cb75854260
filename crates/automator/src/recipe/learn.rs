//! Learning a recipe: the answer beside the page that it was given for.
//!
//! The answer is walked with its examples: one for the page, one for each item inside lists. For every leaf the
//! ways to take it are found, then one is chosen that gives the right value in every example.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use automator_snapshot::Structure;
use serde_json::{Map, Value};

use super::cover::{Index, Items};
use super::found::{Finder, Found};
use super::instruction::{address_values, texts_of};
use super::number::{self, NumberForm, common_form};
use super::path::{Kind, Path};
use super::read::{Reader, contents};
use super::steps::{Example, Ways, common_kind};
use super::taken::{Between, Place, Take, common_surroundings, texts};
use super::{List, Member, Missing, Part, Taken};

/// Levels of a value that are learnt.
const DEEPEST: usize = 24;

/// Texts that are looked through for where items are.
const MOST_LOOKS: usize = 20_000_000;

/// Ways to a leaf that are tried.
const MOST_TRIED: usize = 24;

/// Places beside the first that are asked as witnesses.
const MOST_WITNESSES: usize = 3;

/// Places of a leaf that take turns.
const MOST_PLACES: usize = 4;

/// Longest text that stands in place of a value.
const LONGEST_NOTHING: usize = 40;

/// The part that gives this value on this page; none when it cannot be told.
pub(super) fn part_of(structure: &Structure, schema: &Value, url: &str, value: &Value) -> Option<Part> {
    let reader = Reader::new(structure);
    let mut data = Vec::new();
    texts_of(value, &mut data);
    data.extend(address_values(url).into_iter().filter(|text| text.chars().count() > 2));
    for text in &mut data {
        *text = text.to_lowercase();
    }
    data.sort_unstable();
    data.dedup();
    let ways = Ways {
        reader: &reader,
        data,
        title: structure.node(0).map_or_else(String::new, |page| page.name.to_lowercase()),
    };
    let finder = Finder::new(structure);
    let index = Index::new(structure);
    let looks = Cell::new(MOST_LOOKS);
    let region = smallest(structure, &index.covers(&finder, 0, value, &mut looks_of(&looks)));
    let learner = Learner {
        schema,
        ways: &ways,
        finder,
        index,
        looks,
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

fn looks_of(looks: &Cell<usize>) -> usize {
    looks.get()
}

/// One place where a part was given: the element that it belongs to, and what it was there.
#[derive(Debug, Clone, Copy)]
struct Sample<'v> {
    from: usize,
    value: Option<&'v Value>,
}

impl<'v> Sample<'v> {
    fn of(from: usize, value: Option<&'v Value>) -> Self {
        Sample {
            from,
            value: value.filter(|value| !value.is_null()),
        }
    }
}

struct Learner<'l, 's> {
    schema: &'l Value,
    ways: &'l Ways<'l, 's>,
    finder: Finder<'s>,
    index: Index<'s>,
    looks: Cell<usize>,
    /// The part of the page that holds the whole answer.
    region: Option<usize>,
    forms: RefCell<Vec<NumberForm>>,
    /// Whether items lack a member now and then, so that one could go unnoticed.
    needs_guard: Cell<bool>,
    is_in_list: Cell<bool>,
}

impl<'l, 's> Learner<'l, 's> {
    fn reader(&self) -> &'l Reader<'s> {
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
            Value::Array(_) => self.list(samples, schema, depth).map(|list| Part::List(Box::new(list))),
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
        let mut level: Vec<usize> = chosen.iter().flat_map(|(_, items)| items.items.iter().copied()).collect();
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
                let Some(node) = structure.node(child) else { continue };
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

    fn leaf(&self, samples: &[Sample<'_>], name: Option<&str>) -> Option<Taken> {
        let present: Vec<(usize, &Value)> = samples
            .iter()
            .filter_map(|sample| Some((sample.from, sample.value?)))
            .collect();
        let mut found: Vec<Vec<Found>> = Vec::with_capacity(present.len());
        for &(from, value) in &present {
            found.push(self.found(from, value, &present, name));
        }
        let mut taken: Option<Taken> = None;
        let mut partly: Vec<Candidate> = Vec::new();
        let mut tried = 0;
        for key in self.keys(&present, &found) {
            for choice in 0..3 {
                let Some(candidates) = self.candidates(&key, choice, &present, &found) else {
                    break;
                };
                tried += 1;
                for candidate in candidates.into_iter().filter_map(|place| self.judged(place, samples)) {
                    match &mut taken {
                        None if candidate.is_complete => taken = Some(candidate.into_taken()),
                        None => partly.push(candidate),
                        Some(taken) => self.add_witness(taken, candidate, &present),
                    }
                }
            }
            let is_enough = taken.as_ref().is_some_and(|taken| taken.also_at.len() >= MOST_WITNESSES);
            if is_enough || tried > MOST_TRIED {
                break;
            }
        }
        taken.or_else(|| self.in_turn(partly, samples))
    }

    fn found(&self, from: usize, value: &Value, present: &[(usize, &Value)], name: Option<&str>) -> Vec<Found> {
        let mut found = self.finder.find(from, value);
        let is_state = value.is_boolean();
        if is_state && present.iter().all(|(_, other)| *other == value) {
            // Without an example of the other state only its label tells that it is the one.
            let structure = self.reader().structure;
            let words = name.map(words_of).unwrap_or_default();
            found.retain(|found| {
                let label = structure.node(found.node).map_or_else(String::new, |node| node.name.to_lowercase());
                found.take == Take::State("checked".to_owned())
                    && !words.is_empty()
                    && words.iter().all(|word| label.contains(word.as_str()))
            });
        }
        let inside = |found: &Found| {
            let region = self.region.and_then(|region| Some((region, self.reader().structure.node(region)?.end)));
            from != 0 || region.is_none_or(|(start, end)| (start..end).contains(&found.node))
        };
        // The smallest element first, the whole of a text before a part of it.
        found.sort_by_key(|found| (!inside(found), !found.is_whole(), rank(&found.take), usize::MAX - found.node));
        found
    }

    /// Shapes of ways, those of the first example first, each once.
    fn keys(&self, present: &[(usize, &Value)], found: &[Vec<Found>]) -> Vec<Key> {
        let mut keys = Vec::new();
        let mut seen = HashSet::new();
        let most = MOST_TRIED.max(1);
        for ((from, _), found) in present.iter().zip(found).take(64) {
            for found in found.iter().take(most) {
                let key = self.key(*from, found);
                if seen.insert(key.clone()) {
                    keys.push(key);
                }
            }
        }
        keys
    }

    fn key(&self, from: usize, found: &Found) -> Key {
        let structure = self.reader().structure;
        let around = std::iter::once(found.node).chain(structure.ancestors(found.node));
        let tags = around.take_while(|&number| number != from).filter_map(|number| structure.node(number));
        let way: Vec<&str> = tags.map(|node| node.tag.as_str()).collect();
        Key {
            way: way.join("/"),
            take: rank(&found.take),
        }
    }

    /// The places that one shape of way leads to.
    fn candidates(
        &self,
        key: &Key,
        choice: usize,
        present: &[(usize, &Value)],
        found: &[Vec<Found>],
    ) -> Option<Vec<Place>> {
        let mut examples: Vec<(usize, &Value, &Found)> = Vec::new();
        let mut is_new = choice == 0;
        for ((from, value), found) in present.iter().zip(found) {
            let alike: Vec<&Found> = found.iter().filter(|found| self.key(*from, found) == *key).collect();
            is_new |= alike.len() > choice;
            if let Some(one) = alike.get(choice).or_else(|| alike.last()) {
                examples.push((*from, value, one));
            }
        }
        is_new.then(|| self.places(&examples))
    }

    fn places(&self, examples: &[(usize, &Value, &Found)]) -> Vec<Place> {
        let ends: Vec<Example> = examples
            .iter()
            .map(|(from, _, found)| Example {
                from: *from,
                to: found.node,
            })
            .collect();
        let Some(at) = self.ways.path(&ends) else {
            return Vec::new();
        };
        let around: Vec<(String, String)> = examples
            .iter()
            .map(|(_, _, found)| (found.before.clone(), found.behind.clone()))
            .collect();
        let Some(part) = common_surroundings(&around, &|text| self.ways.is_data(text)) else {
            return Vec::new();
        };
        let Some(number) = self.number_form(examples, &part) else {
            return Vec::new();
        };
        let Some((_, _, first)) = examples.first() else {
            return Vec::new();
        };
        let take = first.take.clone();
        let mut takes = Vec::new();
        if let Take::Line(_) = take {
            if self.ways.is_label(part.after.trim()) && !part.starts_anywhere {
                takes.push(Take::LineThatFits);
            }
            if examples.iter().all(|(_, _, found)| found.take == take) {
                takes.push(take);
            }
        } else {
            takes.push(take);
        }
        let places = takes.into_iter().map(|take| {
            let place = Place {
                at: at.clone(),
                holds_digits: holds_digits(&at, &take, number.is_some(), examples),
                take,
                part: Some(part.clone()).filter(|part| !part.is_whole()),
                number,
            };
            place
        });
        places.collect()
    }

    /// How the numbers of the examples are written; the outer none when they contradict each other.
    #[expect(clippy::option_option, reason = "texts have no form, contradicting numbers no place")]
    fn number_form(&self, examples: &[(usize, &Value, &Found)], part: &Between) -> Option<Option<NumberForm>> {
        if !examples.iter().all(|(_, value, _)| value.is_number()) {
            return Some(None);
        }
        let structure = self.reader().structure;
        let mut forms = Vec::new();
        for (_, value, found) in examples {
            let node = structure.node(found.node)?;
            let texts = texts(structure, found.node, node, &found.take);
            let cut = texts.first().and_then(|text| part.cut(text))?;
            forms.push(number::form_of(cut, value.as_f64()?)?);
        }
        let form = common_form(forms.into_iter())?;
        self.forms.borrow_mut().push(form);
        Some(Some(form))
    }

    /// Tries a place on every example; none when it gives a wrong value anywhere.
    fn judged(&self, place: Place, samples: &[Sample<'_>]) -> Option<Candidate> {
        let mut gives = Vec::with_capacity(samples.len());
        let mut says_nothing: Vec<String> = Vec::new();
        for sample in samples {
            let read = self.reader().place(&place, &[], sample.from);
            match (read, sample.value) {
                (Ok(Some(read)), Some(value)) if is_same(&read, value) => gives.push(true),
                (Ok(None), value) => gives.push(value.is_none()),
                (_, Some(_)) => return None,
                (_, None) => {
                    let text = self.nothing(&place, sample.from)?;
                    if !says_nothing.contains(&text) {
                        says_nothing.push(text);
                    }
                    gives.push(true);
                }
            }
        }
        let is_value = |text: &String| samples.iter().any(|sample| sample.value.is_some_and(|value| value == text));
        (!says_nothing.iter().any(is_value)).then(|| Candidate {
            is_complete: gives.iter().all(|&gives| gives),
            place,
            gives,
            says_nothing,
        })
    }

    /// The text that stands where a value would be: short and without digits.
    fn nothing(&self, place: &Place, from: usize) -> Option<String> {
        let structure = self.reader().structure;
        let number = self.reader().follow(&place.at, from).ok()??;
        if matches!(place.take, Take::State(_) | Take::LineThatFits | Take::Address) {
            return None;
        }
        let text = texts(structure, number, structure.node(number)?, &place.take).into_iter().next()?;
        let is_short = text.chars().count() <= LONGEST_NOTHING;
        (is_short && !text.contains(|character: char| character.is_ascii_digit())).then_some(text)
    }

    /// Keeps another place that says the same, when it is one of its own.
    fn add_witness(&self, taken: &mut Taken, candidate: Candidate, present: &[(usize, &Value)]) {
        let Some(first) = taken.places.first() else { return };
        let reader = self.reader();
        let is_apart = |from: usize, known: &Place| {
            let ends = (reader.follow(&known.at, from), reader.follow(&candidate.place.at, from));
            let (Ok(Some(one)), Ok(Some(two))) = ends else { return false };
            let end = |number: usize| reader.structure.node(number).map_or(0, |node| node.end);
            !(one..end(one)).contains(&two) && !(two..end(two)).contains(&one)
        };
        let says_much = candidate
            .place
            .part
            .as_ref()
            .is_none_or(|part| candidate.place.number.is_some() && part.after.len() + part.before.len() <= 12);
        let all_apart = std::iter::once(first)
            .chain(&taken.also_at)
            .all(|known| present.iter().all(|(from, _)| is_apart(*from, known)));
        if candidate.is_complete && says_much && all_apart && taken.also_at.len() < MOST_WITNESSES {
            taken.also_at.push(candidate.place);
        }
    }

    /// Places that take turns: together they give every example its value.
    fn in_turn(&self, partly: Vec<Candidate>, samples: &[Sample<'_>]) -> Option<Taken> {
        let mut left: HashSet<usize> = (0..samples.len())
            .filter(|&sample| samples.get(sample).is_some_and(|sample| sample.value.is_some()))
            .collect();
        let mut taken = Taken {
            places: Vec::new(),
            also_at: Vec::new(),
            says_nothing: Vec::new(),
        };
        for candidate in partly {
            let gives = |sample: &usize| candidate.gives.get(*sample) == Some(&true);
            if taken.places.len() == MOST_PLACES || !left.iter().any(gives) {
                continue;
            }
            left.retain(|sample| !gives(sample));
            taken.places.push(candidate.place);
            taken.says_nothing.extend(candidate.says_nothing);
        }
        taken.says_nothing.sort_unstable();
        taken.says_nothing.dedup();
        let gives = |sample: &Sample<'_>| match (self.reader().taken(&taken, sample.from), sample.value) {
            (Ok(Some(read)), Some(value)) => is_same(&read, value),
            (Ok(None), None) => true,
            _ => false,
        };
        (left.is_empty() && samples.iter().all(gives)).then_some(taken)
    }
}

/// A shape of ways: the element names up to where it starts, and what is taken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    way: String,
    take: usize,
}

/// A place that gives no wrong value.
struct Candidate {
    place: Place,
    gives: Vec<bool>,
    is_complete: bool,
    says_nothing: Vec<String>,
}

impl Candidate {
    fn into_taken(self) -> Taken {
        Taken {
            places: vec![self.place],
            also_at: Vec::new(),
            says_nothing: self.says_nothing,
        }
    }
}

fn rank(take: &Take) -> usize {
    match take {
        Take::Text | Take::State(_) => 0,
        Take::Address => 1,
        Take::Value => 2,
        Take::Lines => 3,
        Take::Name => 4,
        Take::OwnText => 5,
        Take::Line(_) | Take::LineThatFits => 6,
    }
}

/// What texts at a place that only its position tells are like.
fn holds_digits(at: &Path, take: &Take, is_number: bool, examples: &[(usize, &Value, &Found)]) -> Option<bool> {
    let is_counted = at.steps.iter().any(|step| step.nth.is_some()) || matches!(take, Take::Line(_));
    if !is_counted || is_number || matches!(take, Take::Address | Take::State(_)) {
        return None;
    }
    let has_digits = |value: &&Value| {
        value
            .as_str()
            .is_some_and(|text| text.contains(|character: char| character.is_ascii_digit()))
    };
    let mut all = examples.iter().map(|(_, value, _)| has_digits(value));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
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
            let is_in_both = |(name, value): (&String, &Value)| two.get(name).is_some_and(|two| is_same(value, two));
            one.len() == two.len() && one.iter().all(is_in_both)
        }
        _ => one == two,
    }
}

/// The words of a member name: `isInStock` is `in` and `stock`.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            is_new = true;
            continue;
        }
        if is_new || character.is_uppercase() {
            words.push(String::new());
        }
        is_new = false;
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !matches!(word.as_str(), "is" | "has" | "wants" | "checked" | "the" | "a"));
    words
}

/// The schema that a node means: references followed, of alternatives the one that describes a thing.
fn meant<'v>(root: &'v Value, node: Option<&'v Value>) -> Option<&'v Value> {
    let mut node = node?;
    for _ in 0..32 {
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            node = root.pointer(reference.strip_prefix('#')?)?;
            continue;
        }
        let alternatives = ["anyOf", "oneOf", "allOf"].iter().find_map(|keyword| node.get(*keyword)?.as_array());
        let Some(alternatives) = alternatives else { return Some(node) };
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
