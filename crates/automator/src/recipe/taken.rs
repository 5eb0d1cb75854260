//! What is taken from an element, and which part of it.

use automator_snapshot::{Structure, StructureNode};
use serde::{Deserialize, Serialize};

use super::number::NumberForm;
use super::path::{Nth, Path};

/// One place of a leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Place {
    pub(super) at: Path,
    pub(super) take: Take,
    /// The part of the text; the whole without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) part: Option<Between>,
    /// For numbers: how the page writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<NumberForm>,
    /// When all texts seen there held a digit, or none did: a text of the other kind is something else. Only for
    /// elements that are told from others by their position alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) holds_digits: Option<bool>,
}

/// What is taken from an element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Take {
    /// All its text as one line.
    Text,
    /// All its text, line by line.
    Lines,
    /// The text directly in it, without that of the elements in it.
    OwnText,
    /// One line of its text.
    Line(Nth),
    /// The one line of its text that the part fits.
    LineThatFits,
    /// What it is called: its label, the words of an image.
    Name,
    /// The value of a field.
    Value,
    /// Its absolute address.
    Address,
    /// Whether it is `checked`, `selected`, …
    State(String),
}

/// What of a page can be asked for the states of its elements.
pub(super) const STATES: [&str; 5] = ["checked", "selected", "pressed", "expanded", "disabled"];

/// A text that is taken from an element, in each of the lines it may be.
pub(super) fn texts(structure: &Structure, number: usize, node: &StructureNode, take: &Take) -> Vec<String> {
    let one = match take {
        Take::Text => structure.lines(number).join(" "),
        Take::Lines => structure.lines(number).join("\n"),
        Take::OwnText => structure.own_text(number),
        Take::Name => node.name.clone(),
        Take::Value => node.value.clone(),
        Take::Address => node.address.clone().unwrap_or_default(),
        Take::State(_) => String::new(),
        Take::LineThatFits => return structure.lines(number),
        Take::Line(nth) => {
            let lines = structure.lines(number);
            if lines.len() != nth.of {
                return Vec::new();
            }
            nth.nth
                .checked_sub(1)
                .and_then(|position| lines.into_iter().nth(position))
                .unwrap_or_default()
        }
    };
    vec![one]
}

/// A part of a text by the words around it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Between {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) after: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) before: String,
    /// Whether something that changes stands in front of `after`.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub(super) starts_anywhere: bool,
    /// Whether something that changes stands behind `before`.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub(super) ends_anywhere: bool,
}

impl Between {
    /// The part of a text, when the words around it are there and leave no choice.
    pub(super) fn cut<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = if self.starts_anywhere {
            text.get(only_place(text, &self.after)? + self.after.len()..)?
        } else {
            text.strip_prefix(self.after.as_str())?
        };
        let part = if self.ends_anywhere {
            rest.get(..only_place(rest, &self.before)?)?
        } else {
            rest.strip_suffix(self.before.as_str())?
        };
        (!part.is_empty()).then_some(part)
    }

    pub(super) fn is_whole(&self) -> bool {
        *self == Between::default()
    }
}

fn only_place(text: &str, words: &str) -> Option<usize> {
    let first = text.find(words).filter(|_| !words.is_empty())?;
    (text.rfind(words) == Some(first)).then_some(first)
}

/// Where pieces of the answer stand in a text: start and end of each.
pub(super) type DataIn<'d> = dyn Fn(&str) -> Vec<(usize, usize)> + 'd;

/// The words around parts of several texts, each given as what stands before and behind the part.
///
/// What all have in common is fixed. Of a single text only what holds neither a digit nor anything of the answer
/// can be: it is cut there. None when too little is left to find the part by.
pub(super) fn common_surroundings(around: &[(String, String)], data_in: &DataIn<'_>) -> Option<Between> {
    let (first_before, first_behind) = around.first()?;
    let is_same = |other: &(String, String)| (other.0 == *first_before, other.1 == *first_behind);
    let starts_same = around.iter().all(|other| is_same(other).0);
    let ends_same = around.iter().all(|other| is_same(other).1);
    let mut after = first_before.as_str();
    let mut before = first_behind.as_str();
    for (other_before, other_behind) in around {
        after = common_end(after, other_before);
        before = common_start(before, other_behind);
    }
    let fixed_after = stable_end(after, data_in);
    let fixed_before = stable_start(before, data_in);
    // What many texts share is fixed even when it holds a digit; what one text says may not be.
    let is_fixed = around.len() > 2;
    let keeps_start = starts_same && (is_fixed || fixed_after == after);
    let keeps_end = ends_same && (is_fixed || fixed_before == before);
    let between = Between {
        after: if keeps_start {
            after
        } else {
            at_word_start(fixed_after, first_before)
        }
        .to_owned(),
        before: if keeps_end {
            before
        } else {
            at_word_end(fixed_before, first_behind)
        }
        .to_owned(),
        starts_anywhere: !keeps_start,
        ends_anywhere: !keeps_end,
    };
    let says_enough = |words: &str| words.chars().any(|character| !character.is_whitespace());
    let start_is_found = !between.starts_anywhere || says_enough(&between.after);
    let end_is_found = !between.ends_anywhere || says_enough(&between.before);
    (start_is_found && end_is_found).then_some(between)
}

fn common_start<'t>(text: &'t str, other: &str) -> &'t str {
    let length: usize = text
        .chars()
        .zip(other.chars())
        .take_while(|(one, two)| one == two)
        .map(|(one, _)| one.len_utf8())
        .sum();
    text.get(..length).unwrap_or_default()
}

fn common_end<'t>(text: &'t str, other: &str) -> &'t str {
    let length: usize = text
        .chars()
        .rev()
        .zip(other.chars().rev())
        .take_while(|(one, two)| one == two)
        .map(|(one, _)| one.len_utf8())
        .sum();
    text.get(text.len() - length..).unwrap_or_default()
}

/// The words behind the last digit and the last piece of the answer.
fn stable_end<'t>(text: &'t str, data_in: &DataIn<'_>) -> &'t str {
    let digit = text.rfind(|character: char| character.is_ascii_digit());
    let digit = digit.map_or(0, |digit| digit + 1);
    let data = data_in(text).into_iter().map(|(_, end)| end).max();
    text.get(digit.max(data.unwrap_or(0))..).unwrap_or_default()
}

/// The words ahead of the first digit and the first piece of the answer.
fn stable_start<'t>(text: &'t str, data_in: &DataIn<'_>) -> &'t str {
    let digit = text.find(|character: char| character.is_ascii_digit());
    let data = data_in(text).into_iter().map(|(start, _)| start).min();
    let end = digit.unwrap_or(text.len()).min(data.unwrap_or(text.len()));
    text.get(..end).unwrap_or_default()
}

/// Leaves out the rest of a word that differs at its beginning.
fn at_word_start<'t>(end: &'t str, whole: &str) -> &'t str {
    let ahead = whole.strip_suffix(end).unwrap_or_default();
    let cuts_word = ahead.ends_with(char::is_alphanumeric) && end.starts_with(char::is_alphanumeric);
    if cuts_word {
        end.find(|character: char| !character.is_alphanumeric())
            .and_then(|position| end.get(position..))
            .unwrap_or_default()
    } else {
        end
    }
}

/// Leaves out the beginning of a word that differs at its end.
fn at_word_end<'t>(start: &'t str, whole: &str) -> &'t str {
    let behind = whole.strip_prefix(start).unwrap_or_default();
    let cuts_word = behind.starts_with(char::is_alphanumeric) && start.ends_with(char::is_alphanumeric);
    if cuts_word {
        start
            .rfind(|character: char| !character.is_alphanumeric())
            .and_then(|position| {
                start.get(
                    ..start
                        .len()
                        .min(position + start.get(position..)?.chars().next()?.len_utf8()),
                )
            })
            .unwrap_or_default()
    } else {
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(pairs: &[(&str, &str)]) -> Option<Between> {
        let pairs: Vec<(String, String)> = pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect();
        common_surroundings(&pairs, &|text| {
            text.find("Arc lamp").map(|at| (at, at + 8)).into_iter().collect()
        })
    }

    #[test]
    fn words_around_a_part_are_kept_as_far_as_they_are_no_data() {
        let price = around(&[("Price: ", "")]).unwrap();
        assert_eq!(price.cut("Price: € 5"), Some("€ 5"));
        assert_eq!(price.cut("Old price: € 5"), None);
        let pages = around(&[("1 of ", "")]).unwrap();
        assert_eq!(pages.cut("3 of 12"), Some("12"));
        assert_eq!(pages.cut("3 of 4 of 12"), None);
        let author = around(&[("Arc lamp by ", "")]).unwrap();
        assert_eq!(author.cut("Disc by Ann"), Some("Ann"));
        let rating = around(&[("", " out of 5")]).unwrap();
        assert_eq!(rating.cut("4.5 out of 10"), Some("4.5"));
        assert_eq!(around(&[("12 ", "")]), None);
        assert_eq!(around(&[("", "")]), Some(Between::default()));
    }

    #[test]
    fn of_several_texts_the_common_words_are_kept() {
        let stock = around(&[("Red lamp, ", " left"), ("Old thing, ", " left")]).unwrap();
        assert_eq!(stock.cut("New chair, 9 left"), Some("9"));
        assert_eq!(stock.cut("New chair: 9 left"), None);
    }
}
