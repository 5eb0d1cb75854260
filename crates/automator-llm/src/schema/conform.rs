//! Makes a value fit its schema where its meaning is plain.

use serde_json::{Map, Number, Value};

use super::document::{
    Budget, Document, STEPS_A_VALUE, alternatives, branches, has_type, item_schema, property, required, types,
};
use super::number_text::read_number;
use super::{ID_PATTERN, URL_MARK, element_id};

/// Most alternatives that are tried within one another; further in, the nearest is taken.
const MOST_TRIALS: u32 = 3;

/// What may be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Repairs {
    /// Only `null` members that are optional and may not be `null` go.
    OptionalNulls,
    /// Everything below:
    /// - text for a number or a boolean, when it means only one (`number_text.rs`; `"true"`, `"false"`);
    ///   `"null"` for `null`;
    /// - a number or a boolean for text;
    /// - a choice that differs in case or outer blanks alone;
    /// - an element id in brackets or with the rest of its line;
    /// - an object or array written as text;
    /// - one object for an array of objects, an array of one for an object;
    /// - members that the schema forbids go.
    ///
    /// Values that already are of an allowed type stay as they are.
    All,
}

/// Walks a value beside its schema.
pub(super) struct Conformer<'a> {
    document: &'a Document,
    repairs: Repairs,
    budget: Budget,
    /// Alternatives being tried around the present place.
    trials: u32,
    pub(super) losses: u32,
    pub(super) edits: u32,
}

impl<'a> Conformer<'a> {
    pub(super) fn new(document: &'a Document, repairs: Repairs) -> Self {
        Self {
            document,
            repairs,
            budget: Budget::of(STEPS_A_VALUE),
            trials: 0,
            losses: 0,
            edits: 0,
        }
    }

    /// The value, changed as little as possible.
    pub(super) fn conform(&mut self, node: &'a Value, value: Value, depth: usize) -> Value {
        let node = self.document.resolve(node);
        let (Value::Object(members), Some(depth)) = (node, depth.checked_sub(1)) else {
            return value;
        };
        if !self.budget.spend() {
            return value;
        }
        let mut value = value;
        for branch in branches(members, "allOf") {
            value = self.conform(branch, value, depth);
        }
        if let Some(branch) = self.alternative(members, &value, depth) {
            value = self.conform(branch, value, depth);
        }
        if self.repairs == Repairs::All {
            value = self.retype(members, value, depth);
        }
        match value {
            Value::Object(parts) => Value::Object(self.conform_object(members, parts, depth)),
            Value::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| match item_schema(members, index) {
                    Some(schema) => self.conform(schema, item, depth),
                    None => item,
                })
                .collect(),
            other => other,
        }
    }

    fn conform_object(
        &mut self,
        members: &'a Map<String, Value>,
        parts: Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let closed = members.get("additionalProperties") == Some(&Value::Bool(false));
        let mut kept = Map::new();
        for (name, part) in parts {
            let Some(schema) = property(members, &name) else {
                if closed && self.repairs == Repairs::All {
                    self.edits += 1;
                    self.losses += u32::from(!part.is_null());
                } else {
                    kept.insert(name, part);
                }
                continue;
            };
            let part = self.conform(schema, part, depth);
            if part.is_null()
                && !required(members).any(|needed| needed == name)
                && !self.document.allows_null(schema)
            {
                self.edits += 1;
            } else {
                kept.insert(name, part);
            }
        }
        kept
    }

    /// The alternative that a value fits best, as it is or after repair; the first of equals.
    fn alternative(
        &mut self,
        members: &'a Map<String, Value>,
        value: &Value,
        depth: usize,
    ) -> Option<&'a Value> {
        let list = alternatives(members);
        // A thing or null, the commonest by far, needs no choice.
        if !value.is_null() {
            let mut things = list.iter().filter(|branch| !self.is_null_alone(branch));
            if let (Some(only), None) = (things.next(), things.next()) {
                return Some(only);
            }
        }
        let (mismatch, nearest) = list
            .iter()
            .map(|branch| (self.document.mismatch(branch, value), branch))
            .min_by_key(|(mismatch, _)| *mismatch)?;
        if mismatch == 0 || self.trials >= MOST_TRIALS {
            return Some(nearest);
        }
        self.trials += 1;
        let before = (self.losses, self.edits);
        let best = list
            .iter()
            .map(|branch| {
                (self.losses, self.edits) = (0, 0);
                let changed = self.conform(branch, value.clone(), depth);
                (self.document.mismatch(branch, &changed), self.edits, branch)
            })
            .min_by_key(|(mismatch, edits, _)| (*mismatch, *edits));
        (self.losses, self.edits) = before;
        self.trials -= 1;
        best.map(|(_, _, branch)| branch)
    }

    fn is_null_alone(&self, branch: &Value) -> bool {
        self.document
            .resolve(branch)
            .get("type")
            .is_some_and(|name| name == "null")
    }

    /// Another writing of the value, of an allowed type.
    fn retype(&mut self, members: &'a Map<String, Value>, value: Value, depth: usize) -> Value {
        if has_type(members, &value) {
            return match &value {
                Value::String(text) => match respell(members, text) {
                    Some(other) => self.edited(Value::String(other)),
                    None => value,
                },
                _ => value,
            };
        }
        let types = types(members);
        let may = |name: &str| types.contains(&name);
        let other = match &value {
            Value::String(text) => other_than_text(members, text, &types),
            Value::Number(number) if may("string") => Some(Value::String(number.to_string())),
            Value::Bool(answer) if may("string") => Some(Value::String(answer.to_string())),
            Value::Array(items) if items.len() == 1 && may("object") => {
                items.first().filter(|item| item.is_object()).cloned()
            }
            Value::Object(_) if may("array") => self.as_only_item(members, &value, depth),
            _ => None,
        };
        match other {
            Some(other) => self.edited(other),
            None => value,
        }
    }

    /// One object where an array of objects is wanted.
    fn as_only_item(
        &mut self,
        members: &'a Map<String, Value>,
        value: &Value,
        depth: usize,
    ) -> Option<Value> {
        let schema = item_schema(members, 0)?;
        let (losses, edits) = (self.losses, self.edits);
        self.losses = 0;
        let item = self.conform(schema, value.clone(), depth);
        let fits = self.losses == 0 && self.document.mismatch(schema, &item) == 0;
        (self.losses, self.edits) = (losses, edits);
        fits.then(|| Value::Array(vec![item]))
    }

    fn edited(&mut self, value: Value) -> Value {
        self.edits += 1;
        value
    }
}

/// What a text stands for, of an allowed type.
fn other_than_text(members: &Map<String, Value>, text: &str, types: &[&str]) -> Option<Value> {
    let may = |name: &str| types.contains(&name);
    let bare = text.trim();
    if (may("number") || may("integer"))
        && let Some(number) = read_number(bare)
    {
        return if may("number") {
            Some(Value::Number(number))
        } else {
            whole(&number)
        };
    }
    if may("boolean") {
        match bare.to_ascii_lowercase().as_str() {
            "true" => return Some(Value::Bool(true)),
            "false" => return Some(Value::Bool(false)),
            _ => {}
        }
    }
    if may("null") && bare == "null" {
        return Some(Value::Null);
    }
    if may("object") && bare.starts_with('{') || may("array") && bare.starts_with('[') {
        return serde_json::from_str::<Value>(bare)
            .ok()
            .filter(|value| has_type(members, value));
    }
    None
}

/// Another writing of a text that already has the right type: a choice, an element id.
fn respell(members: &Map<String, Value>, text: &str) -> Option<String> {
    if let Some(choices) = members.get("enum").and_then(Value::as_array) {
        if choices.iter().any(|choice| choice == text) {
            return None;
        }
        let bare = text.trim().to_lowercase();
        let mut near = choices
            .iter()
            .filter_map(Value::as_str)
            .filter(|choice| choice.to_lowercase() == bare);
        return match (near.next(), near.next()) {
            (Some(only), None) => Some(only.to_owned()),
            _ => None,
        };
    }
    let wants_id =
        members.contains_key(URL_MARK) || members.get("pattern").and_then(Value::as_str) == Some(ID_PATTERN);
    let id = element_id(text).filter(|_| wants_id)?;
    (id != text).then(|| id.to_owned())
}

/// The number as an integer, when it is one.
fn whole(number: &Number) -> Option<Value> {
    if number.is_i64() || number.is_u64() {
        return Some(Value::Number(number.clone()));
    }
    let float = number.as_f64()?;
    // Beyond 2^53 not every integer has its own float.
    (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then(|| Value::from(float as i64))
}
