//! Where a value stands: every element and every way to take it there.

use automator_snapshot::{Structure, StructureNode};
use serde_json::Value;

use super::number;
use super::path::Nth;
use super::taken::{STATES, Take};

/// One way to take a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) node: usize,
    pub(super) take: Take,
    /// What stands before and behind the value in the text.
    pub(super) before: String,
    pub(super) behind: String,
}

impl Found {
    pub(super) fn is_whole(&self) -> bool {
        self.before.is_empty() && self.behind.is_empty()
    }
}

/// Bytes of text beyond the value that an element may hold and still be a place of it.
const MOST_AROUND: usize = 600;

/// Ways that are looked at for one value.
const MOST_FOUND: usize = 400;

/// Where values stand on one page.
pub(super) struct Finder<'s> {
    structure: &'s Structure,
    lengths: Vec<usize>,
}

impl<'s> Finder<'s> {
    pub(super) fn new(structure: &'s Structure) -> Self {
        Self {
            structure,
            lengths: structure.text_lengths(),
        }
    }

    /// The ways to a value within an element, in page order.
    pub(super) fn find(&self, within: usize, value: &Value) -> Vec<Found> {
        let mut found = Vec::new();
        let Some(root) = self.structure.node(within) else {
            return found;
        };
        let longest = match value {
            Value::String(text) => text.len() * 2,
            _ => 40,
        } + MOST_AROUND;
        for number in within..root.end {
            let Some(node) = self.structure.node(number).filter(|node| !node.is_text()) else {
                continue;
            };
            if self.lengths.get(number).is_some_and(|&length| length > longest) || node.tag == "#document" {
                continue;
            }
            self.in_element(number, node, value, &mut found);
            if found.len() > MOST_FOUND {
                break;
            }
        }
        found
    }

    fn in_element(&self, number: usize, node: &StructureNode, value: &Value, found: &mut Vec<Found>) {
        if let Value::Bool(state) = value {
            states(number, node, *state, found);
            return;
        }
        let mut add = |take: Take, text: &str| {
            for (start, end) in occurrences(text, value) {
                found.push(Found {
                    node: number,
                    take: take.clone(),
                    before: text.get(..start).unwrap_or_default().to_owned(),
                    behind: text.get(end..).unwrap_or_default().to_owned(),
                });
            }
        };
        if node.address.as_deref().is_some_and(|address| value == address) {
            add(Take::Address, node.address.as_deref().unwrap_or_default());
            return;
        }
        add(Take::Name, &node.name);
        add(Take::Value, &node.value);
        if self.lengths.get(number) == Some(&0) {
            return;
        }
        let lines = self.structure.lines(number);
        let text = lines.join(" ");
        add(Take::Text, &text);
        if value.as_str().is_some_and(|value| value.contains('\n')) {
            add(Take::Lines, &lines.join("\n"));
        }
        if self.structure.elements_in(number).next().is_none() && lines.len() < 2 {
            return;
        }
        let own = self.structure.own_text(number);
        if own != text {
            add(Take::OwnText, &own);
        }
        if lines.len() > 1 {
            for (position, line) in lines.iter().enumerate() {
                let nth = Nth {
                    nth: position + 1,
                    of: lines.len(),
                };
                add(Take::Line(nth), line);
            }
        }
    }
}

/// Where a value stands in a text: whole words and whole numbers only.
fn occurrences(text: &str, value: &Value) -> Vec<(usize, usize)> {
    match value {
        Value::String(value) if !value.trim().is_empty() => {
            let all = text
                .match_indices(value.as_str())
                .map(|(start, found)| (start, start + found.len()));
            all.filter(|&(start, end)| is_apart(text, start, end))
                .take(3)
                .collect()
        }
        Value::Number(value) => {
            let Some(value) = value.as_f64() else {
                return Vec::new();
            };
            let all = number::tokens(text).into_iter();
            all.filter(|&(start, end)| {
                text.get(start..end)
                    .is_some_and(|token| number::form_of(token, value).is_some())
            })
            .take(3)
            .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether neither a word nor a number is cut through.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(part), Some(behind)) = (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    let joins = |left: &str, right: &str| {
        let (Some(one), Some(two)) = (left.chars().next_back(), right.chars().next()) else {
            return false;
        };
        let in_number = |mark: char, other: Option<char>| {
            matches!(mark, '.' | ',' | '\'' | '’') && other.is_some_and(|other| other.is_ascii_digit())
        };
        (one.is_alphanumeric() && two.is_alphanumeric())
            || (one.is_ascii_digit() && in_number(two, right.chars().nth(1)))
            || (two.is_ascii_digit() && in_number(one, left.chars().rev().nth(1)))
    };
    !joins(before, part) && !joins(part, behind)
}

fn states(number: usize, node: &StructureNode, state: bool, found: &mut Vec<Found>) {
    let is_checkable = matches!(
        node.role,
        "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio"
    );
    let is_control =
        node.tag == "button" || node.role == "button" || matches!(node.role, "option" | "tab" | "textbox");
    for word in STATES {
        let can_be = if is_checkable {
            matches!(word, "checked" | "disabled")
        } else {
            is_control && word != "checked"
        };
        if can_be && node.states.contains(&word) == state {
            found.push(Found {
                node: number,
                take: Take::State(word.to_owned()),
                before: String::new(),
                behind: String::new(),
            });
        }
    }
}
