//! Answers about the parts of a page → one answer. Pure.

use serde_json::{Map, Value, json};

/// Levels of a value that are looked into.
const DEEPEST: usize = 64;

/// One answer, and where the parts did not agree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Merged {
    /// The first candidate of each conflict stands in it.
    pub(super) value: Value,
    pub(super) conflicts: Vec<Conflict>,
}

/// A value on which parts differ.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Conflict {
    /// JSON pointer to it.
    pub(super) pointer: String,
    /// The different values in page order, at least two.
    pub(super) candidates: Vec<Value>,
}

/// Puts answers together: lists are joined in page order, without what two neighbours both saw at their seam;
/// objects take each member's first value.
pub(super) fn merge(answers: &[Value]) -> Merged {
    let mut merged = Merged {
        value: Value::Null,
        conflicts: Vec::new(),
    };
    for answer in answers {
        let value = std::mem::take(&mut merged.value);
        merged.value = join(value, answer, "", DEEPEST, &mut merged.conflicts);
    }
    merged
}

fn join(first: Value, second: &Value, pointer: &str, depth: usize, conflicts: &mut Vec<Conflict>) -> Value {
    match (first, second) {
        (first, Value::Null) => first,
        (first, second) if is_empty(&first) => second.clone(),
        (first, second) if is_empty(second) => first,
        (Value::Array(mut first), Value::Array(second)) => {
            let seam = (1..=first.len().min(second.len()))
                .rev()
                .find(|&shared| first.ends_with(&second[..shared]));
            first.extend_from_slice(&second[seam.unwrap_or(0)..]);
            Value::Array(first)
        }
        (Value::Object(first), Value::Object(second)) if depth > 0 => {
            Value::Object(join_objects(first, second, pointer, depth, conflicts))
        }
        (first, second) => {
            if first != *second {
                note(conflicts, pointer, &first, second);
            }
            first
        }
    }
}

fn join_objects(
    mut first: Map<String, Value>,
    second: &Map<String, Value>,
    pointer: &str,
    depth: usize,
    conflicts: &mut Vec<Conflict>,
) -> Map<String, Value> {
    for (name, value) in second {
        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
        let own = first.get_mut(name).map(std::mem::take).unwrap_or_default();
        first.insert(name.clone(), join(own, value, &pointer, depth - 1, conflicts));
    }
    first
}

/// Null, an empty text and an empty list say that a part holds nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn note(conflicts: &mut Vec<Conflict>, pointer: &str, first: &Value, second: &Value) {
    match conflicts.iter_mut().find(|conflict| conflict.pointer == pointer) {
        Some(conflict) if !conflict.candidates.contains(second) => conflict.candidates.push(second.clone()),
        Some(_) => {}
        None => conflicts.push(Conflict {
            pointer: pointer.to_owned(),
            candidates: vec![first.clone(), second.clone()],
        }),
    }
}

impl Merged {
    /// The conflicts as a list for the model, and the schema of its choice: a number for each.
    pub(super) fn choices(&self) -> (String, Value) {
        let mut list = Vec::new();
        let mut properties = Map::new();
        for (number, conflict) in self.conflicts.iter().enumerate() {
            let name = format!("c{}", number + 1);
            let candidates: Vec<String> = conflict
                .candidates
                .iter()
                .enumerate()
                .map(|(number, candidate)| format!("{}. {candidate}", number + 1))
                .collect();
            list.push(format!(
                "{name} ({}): {}",
                conflict.pointer,
                candidates.join("  ")
            ));
            properties.insert(
                name,
                json!({ "type": "integer", "minimum": 1, "maximum": conflict.candidates.len() }),
            );
        }
        let names: Vec<&String> = properties.keys().collect();
        let schema = json!({
            "type": "object", "required": names, "properties": properties, "additionalProperties": false,
        });
        (list.join("\n"), schema)
    }

    /// The answer with the candidates that were chosen.
    pub(super) fn settled(mut self, choice: &Value) -> Value {
        for (number, conflict) in self.conflicts.iter().enumerate() {
            let chosen = choice.get(format!("c{}", number + 1)).and_then(Value::as_u64);
            let chosen = chosen.and_then(|chosen| {
                conflict
                    .candidates
                    .get(usize::try_from(chosen).ok()?.checked_sub(1)?)
            });
            if let (Some(own), Some(chosen)) = (self.value.pointer_mut(&conflict.pointer), chosen) {
                *own = chosen.clone();
            }
        }
        self.value
    }
}

/// The schema for a part of a page: nothing is required, no list has to have a length, everything may be null.
pub(super) fn relaxed(schema: &Value) -> Value {
    relax(schema, DEEPEST)
}

fn relax(schema: &Value, depth: usize) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    if depth == 0 {
        return schema.clone();
    }
    let mut relaxed = Map::new();
    for (name, value) in members {
        match (name.as_str(), value) {
            ("required" | "minItems" | "minLength" | "minProperties" | "minContains" | "uniqueItems", _) => {}
            ("properties" | "$defs" | "definitions", Value::Object(inner)) => {
                let is_property = name == "properties";
                let inner = inner.iter().map(|(key, value)| {
                    let value = relax(value, depth - 1);
                    (key.clone(), if is_property { nullable(&value) } else { value })
                });
                relaxed.insert(name.clone(), Value::Object(inner.collect()));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                relaxed.insert(
                    name.clone(),
                    list.iter().map(|value| relax(value, depth - 1)).collect(),
                );
            }
            // What stands in a list is complete where it stands.
            _ => {
                relaxed.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(relaxed)
}

fn nullable(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined_in_page_order_without_what_both_sides_of_a_seam_saw() {
        let merged = merge(&[
            json!({"items": [1, 2, 3]}),
            json!({"items": [3, 4]}),
            json!({"items": null}),
            json!({"items": [4, 5]}),
        ]);
        assert_eq!(
            merged,
            Merged {
                value: json!({"items": [1, 2, 3, 4, 5]}),
                conflicts: vec![]
            }
        );
        assert_eq!(merge(&[json!([1, 1]), json!([2])]).value, json!([1, 1, 2]));
    }

    #[test]
    fn objects_take_the_first_value_and_differences_are_put_to_choice() {
        let merged = merge(&[
            json!({"a": null, "b": {"c": 1}}),
            json!({"a": "x", "b": {"c": 2}}),
            json!({"a": "", "b": {"c": 2}}),
            json!({"b": {"c": 3}}),
        ]);
        assert_eq!(merged.value, json!({"a": "x", "b": {"c": 1}}));
        let (list, schema) = merged.choices();
        assert_eq!(list, "c1 (/b/c): 1. 1  2. 2  3. 3");
        assert_eq!(schema["properties"]["c1"]["maximum"], 3);
        assert_eq!(
            merged.settled(&json!({"c1": 2})),
            json!({"a": "x", "b": {"c": 2}})
        );
    }

    #[test]
    fn a_part_may_leave_out_whatever_the_whole_must_hold() {
        let schema = json!({
            "type": "object", "required": ["name", "items"],
            "properties": {
                "name": {"type": "string", "minLength": 1},
                "items": {"type": "array", "minItems": 2, "items": {"type": "object", "required": ["id"]}}
            }
        });
        let relaxed = relaxed(&schema);
        assert_eq!(relaxed.get("required"), None);
        assert_eq!(
            relaxed["properties"]["name"],
            json!({"anyOf": [{"type": "string"}, {"type": "null"}]})
        );
        assert_eq!(relaxed["properties"]["items"]["anyOf"][0].get("minItems"), None);
        assert_eq!(
            relaxed["properties"]["items"]["anyOf"][0]["items"]["required"],
            json!(["id"])
        );
    }
}
