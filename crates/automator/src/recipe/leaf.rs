//! Learning a leaf: of all ways to take a value, one that gives the right one in every example.

use std::collections::HashSet;

use serde_json::Value;

use super::Taken;
use super::found::Found;
use super::learn::{Learner, Sample, is_same};
use super::number::{self, NumberForm, common_form};
use super::path::Path;
use super::steps::Example;
use super::taken::{Between, Place, Take, common_surroundings, texts};

/// Ways to a leaf that are tried.
const MOST_TRIED: usize = 24;

/// Places beside the first that are asked as witnesses.
const MOST_WITNESSES: usize = 3;

/// Places of a leaf that take turns.
const MOST_PLACES: usize = 4;

/// Longest text that stands in place of a value.
const LONGEST_NOTHING: usize = 40;

impl Learner<'_, '_> {
    pub(super) fn leaf(&self, samples: &[Sample<'_>], name: Option<&str>) -> Option<Taken> {
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
                for candidate in candidates
                    .into_iter()
                    .filter_map(|place| self.judged(place, samples))
                {
                    match &mut taken {
                        None if candidate.is_complete => taken = Some(candidate.into_taken()),
                        None => partly.push(candidate),
                        Some(taken) => self.add_witness(taken, candidate, &present),
                    }
                }
            }
            let is_enough = taken
                .as_ref()
                .is_some_and(|taken| taken.also_at.len() >= MOST_WITNESSES);
            if is_enough || tried > MOST_TRIED {
                break;
            }
        }
        taken.or_else(|| self.in_turn(partly, samples))
    }

    fn found(
        &self,
        from: usize,
        value: &Value,
        present: &[(usize, &Value)],
        name: Option<&str>,
    ) -> Vec<Found> {
        let mut found = self.finder.find(from, value);
        // A part of a larger element would only say where in it the smaller one stands.
        let texts: Vec<(usize, Take)> = found
            .iter()
            .map(|found| (found.node, found.take.clone()))
            .collect();
        let holds_smaller = |found: &Found| {
            let end = self
                .reader()
                .structure
                .node(found.node)
                .map_or(0, |node| node.end);
            let behind = texts.partition_point(|(node, _)| *node <= found.node);
            let mut below = texts.iter().skip(behind).take_while(|(node, _)| *node < end);
            below.any(|(_, take)| matches!(take, Take::Text | Take::OwnText))
        };
        let is_own = |take: &Take| matches!(take, Take::OwnText | Take::Name | Take::Value | Take::Address);
        found.retain(|found| {
            is_own(&found.take) || found.take == Take::Text && found.is_whole() || !holds_smaller(found)
        });
        let is_state = value.is_boolean();
        if is_state && present.iter().all(|(_, other)| *other == value) {
            // Without an example of the other state only its label tells that it is the one.
            let structure = self.reader().structure;
            let words = name.map(words_of).unwrap_or_default();
            found.retain(|found| {
                let label = structure
                    .node(found.node)
                    .map_or_else(String::new, |node| node.name.to_lowercase());
                found.take == Take::State("checked".to_owned())
                    && !words.is_empty()
                    && words.iter().all(|word| label.contains(word.as_str()))
            });
        }
        let inside = |found: &Found| {
            let region = self
                .region
                .and_then(|region| Some((region, self.reader().structure.node(region)?.end)));
            from != 0 || region.is_none_or(|(start, end)| (start..end).contains(&found.node))
        };
        // The smallest element first, the whole of a text before a part of it.
        found.sort_by_key(|found| {
            (
                !inside(found),
                !found.is_whole(),
                rank(&found.take),
                usize::MAX - found.node,
            )
        });
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
        let tags = around
            .take_while(|&number| number != from)
            .filter_map(|number| structure.node(number));
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
            let alike: Vec<&Found> = found
                .iter()
                .filter(|found| self.key(*from, found) == *key)
                .collect();
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
        let Some(part) = common_surroundings(&around, &|text| self.ways.data_in(text)) else {
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
        let places = takes.into_iter().map(|take| Place {
            at: at.clone(),
            holds_digits: holds_digits(&at, &take, number.is_some(), examples),
            take,
            part: Some(part.clone()).filter(|part| !part.is_whole()),
            number,
        });
        places.collect()
    }

    /// How the numbers of the examples are written; the outer none when they contradict each other.
    #[expect(
        clippy::option_option,
        reason = "texts have no form, contradicting numbers no place"
    )]
    fn number_form(
        &self,
        examples: &[(usize, &Value, &Found)],
        part: &Between,
    ) -> Option<Option<NumberForm>> {
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
        let is_value = |text: &String| {
            samples
                .iter()
                .any(|sample| sample.value.is_some_and(|value| value == text))
        };
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
        let text = texts(structure, number, structure.node(number)?, &place.take)
            .into_iter()
            .next()?;
        let is_short = text.chars().count() <= LONGEST_NOTHING;
        (is_short && !text.contains(|character: char| character.is_ascii_digit())).then_some(text)
    }

    /// Keeps another place that says the same, when it is one of its own.
    fn add_witness(&self, taken: &mut Taken, candidate: Candidate, present: &[(usize, &Value)]) {
        let Some(first) = taken.places.first() else { return };
        let reader = self.reader();
        let is_apart = |from: usize, known: &Place| {
            let ends = (
                reader.follow(&known.at, from),
                reader.follow(&candidate.place.at, from),
            );
            let (Ok(Some(one)), Ok(Some(two))) = ends else {
                return false;
            };
            let end = |number: usize| reader.structure.node(number).map_or(0, |node| node.end);
            !(one..end(one)).contains(&two) && !(two..end(two)).contains(&one)
        };
        let says_much = candidate.place.part.as_ref().is_none_or(|part| {
            candidate.place.number.is_some() && part.after.len() + part.before.len() <= 12
        });
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

/// What a text is like at a place that only its position tells, seen once.
fn holds_digits(
    at: &Path,
    take: &Take,
    is_number: bool,
    examples: &[(usize, &Value, &Found)],
) -> Option<bool> {
    let [(_, Value::String(text), _)] = examples else {
        return None;
    };
    let is_counted = at.steps.iter().any(|step| step.nth.is_some()) || matches!(take, Take::Line(_));
    let tells = is_counted && !is_number && !matches!(take, Take::Address | Take::State(_));
    tells.then(|| text.contains(|character: char| character.is_ascii_digit()))
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
