//! From the caller's schema to one of a known form.
//!
//! Afterwards every `$ref` is `#/$defs/NAME`, only definitions that are used remain, `$defs` stands at the root
//! alone, and identifiers, anchors and comments are gone. Nothing else changes, and the order of members stays.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::URL_MARK;
use super::keywords::{Holds, holds, is_in_place};
use crate::error::LlmError;

/// Deepest nesting of a schema, in JSON levels.
const DEEPEST: usize = 128;
/// Most JSON values in a schema, references written once.
const MOST_VALUES: usize = 50_000;
/// Most definitions.
const MOST_DEFINITIONS: usize = 1_000;

/// A schema of the known form.
#[derive(Debug)]
pub(super) struct Normalised {
    /// The schema of the whole value, without `$defs`.
    pub(super) root: Value,
    /// The definitions that it uses.
    pub(super) definitions: Map<String, Value>,
    /// The draft it is written in.
    pub(super) draft: Draft,
}

/// Checks a schema and brings it into the known form.
pub(super) fn normalise(schema: &Value) -> Result<Normalised, LlmError> {
    check_size(schema)?;
    let draft = draft(schema)?;
    check_meta(schema, draft)?;
    let mut gatherer = Gatherer {
        source: schema,
        anchors: anchors(schema),
        names: BTreeMap::new(),
        taken: BTreeSet::new(),
        queue: VecDeque::new(),
    };
    let mut root = gatherer.copy(schema, "")?;
    let mut definitions = Map::new();
    while let Some((name, target, pointer)) = gatherer.queue.pop_front() {
        let copy = gatherer.copy(target, &pointer)?;
        definitions.insert(name, copy);
    }
    check_cycles(&root, &definitions)?;
    // A root that is only a reference is written out, because providers want the object at the root.
    for _ in 0..MOST_DEFINITIONS {
        let Some(target) = sole_reference(&root).and_then(|name| definitions.get(name)) else {
            break;
        };
        root = target.clone();
    }
    drop_unused(&root, &mut definitions);
    Ok(Normalised {
        root,
        definitions,
        draft,
    })
}

/// The definition that a `$ref` of the known form names.
pub(crate) fn reference_name(node: &Value) -> Option<&str> {
    node.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

fn sole_reference(node: &Value) -> Option<&str> {
    let name = reference_name(node)?;
    let members = node.as_object()?;
    members
        .keys()
        .all(|key| {
            matches!(
                key.as_str(),
                "$ref" | "title" | "description" | "default" | "examples"
            )
        })
        .then_some(name)
}

/// The draft named by `$schema`. Without one: 2020-12, or draft 7 when `items` holds a list, which only means
/// something there.
fn draft(schema: &Value) -> Result<Draft, LlmError> {
    match schema.get("$schema") {
        None => Ok(if has_item_list(schema) {
            Draft::Draft7
        } else {
            Draft::Draft202012
        }),
        Some(Value::String(uri)) => match Draft::from_schema_uri(uri) {
            Draft::Unknown => Err(invalid("/$schema", format!("the dialect \"{uri}\" is not known"))),
            known => Ok(known),
        },
        Some(_) => Err(invalid("/$schema", "must be a string")),
    }
}

fn has_item_list(schema: &Value) -> bool {
    let mut rest = vec![schema];
    while let Some(node) = rest.pop() {
        let Value::Object(members) = node else { continue };
        if members.get("items").is_some_and(Value::is_array) {
            return true;
        }
        for (keyword, value) in members {
            push_schemas(keyword, value, &mut rest);
        }
    }
    false
}

fn push_schemas<'a>(keyword: &str, value: &'a Value, rest: &mut Vec<&'a Value>) {
    match (holds(keyword), value) {
        (Holds::One | Holds::OneOrList, Value::Object(_)) => rest.push(value),
        (Holds::List | Holds::OneOrList, Value::Array(items)) => rest.extend(items),
        (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => rest.extend(named.values()),
        _ => {}
    }
}

fn check_size(schema: &Value) -> Result<(), LlmError> {
    let mut rest = vec![(schema, 1)];
    let mut values = 0;
    while let Some((value, depth)) = rest.pop() {
        values += 1;
        if values > MOST_VALUES {
            return Err(invalid("", format!("it has more than {MOST_VALUES} values")));
        }
        if depth > DEEPEST {
            return Err(invalid("", format!("it is nested deeper than {DEEPEST} levels")));
        }
        match value {
            Value::Array(items) => rest.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => rest.extend(members.values().map(|member| (member, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

fn check_meta(schema: &Value, draft: Draft) -> Result<(), LlmError> {
    if !schema.is_object() && !schema.is_boolean() {
        return Err(invalid("", "a schema is an object"));
    }
    let checked = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        _ => jsonschema::draft202012::meta::validate(schema),
    };
    checked.map_err(|error| {
        let reason = crate::preview(&error.to_string());
        invalid(error.instance_path().as_str(), reason)
    })
}

/// Schemas that have a name of their own, by that name.
fn anchors(schema: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut rest = vec![(schema, String::new())];
    while let Some((node, pointer)) = rest.pop() {
        match node {
            Value::Object(members) => {
                for keyword in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = members.get(keyword).and_then(Value::as_str) {
                        found.insert(name.to_owned(), pointer.clone());
                    }
                }
                // Drafts 6 and 7 write an anchor as an identifier.
                if let Some(name) = members
                    .get("$id")
                    .and_then(Value::as_str)
                    .and_then(|id| id.strip_prefix('#'))
                {
                    found.insert(name.to_owned(), pointer.clone());
                }
                rest.extend(
                    members
                        .iter()
                        .map(|(key, value)| (value, format!("{pointer}/{}", escape(key)))),
                );
            }
            Value::Array(items) => {
                rest.extend(
                    items
                        .iter()
                        .enumerate()
                        .map(|(index, item)| (item, format!("{pointer}/{index}"))),
                );
            }
            _ => {}
        }
    }
    found
}

/// Copies schemas and collects the definitions they name.
struct Gatherer<'a> {
    source: &'a Value,
    anchors: BTreeMap<String, String>,
    /// Definition names by the pointer of their target.
    names: BTreeMap<String, String>,
    taken: BTreeSet<String>,
    queue: VecDeque<(String, &'a Value, String)>,
}

impl<'a> Gatherer<'a> {
    fn copy(&mut self, node: &'a Value, pointer: &str) -> Result<Value, LlmError> {
        let members = match node {
            Value::Bool(_) => return Ok(node.clone()),
            Value::Object(members) => members,
            _ => return Err(invalid(pointer, "a schema is an object or a boolean")),
        };
        let mut copy = Map::new();
        for (keyword, value) in members {
            let place = format!("{pointer}/{}", escape(keyword));
            let value = match keyword.as_str() {
                "$schema" | "$id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor" | "$comment"
                | "$vocabulary" | "$defs" | "definitions" | URL_MARK => continue,
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let name = self.definition(value, &place)?;
                    copy.insert("$ref".to_owned(), Value::from(format!("#/$defs/{name}")));
                    continue;
                }
                _ => self.copy_value(keyword, value, &place)?,
            };
            copy.insert(keyword.clone(), value);
        }
        Ok(Value::Object(copy))
    }

    fn copy_value(&mut self, keyword: &str, value: &'a Value, place: &str) -> Result<Value, LlmError> {
        match (holds(keyword), value) {
            (Holds::One | Holds::OneOrList, Value::Object(_) | Value::Bool(_)) => self.copy(value, place),
            (Holds::List | Holds::OneOrList, Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.copy(item, &format!("{place}/{index}")))
                .collect(),
            (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => {
                let mut copies = Map::new();
                for (name, schema) in named {
                    let copy = if schema.is_array() {
                        schema.clone()
                    } else {
                        self.copy(schema, &format!("{place}/{}", escape(name)))?
                    };
                    copies.insert(name.clone(), copy);
                }
                Ok(Value::Object(copies))
            }
            _ => Ok(value.clone()),
        }
    }

    /// The name of the definition that a reference leads to.
    fn definition(&mut self, reference: &Value, place: &str) -> Result<String, LlmError> {
        let reference = reference
            .as_str()
            .ok_or_else(|| invalid(place, "a reference is a string"))?;
        let pointer = self.pointer(reference).ok_or_else(|| {
            invalid(
                place,
                format!(
                    "the reference \"{}\" leads outside the schema; such are not fetched",
                    crate::preview(reference)
                ),
            )
        })?;
        if let Some(name) = self.names.get(&pointer) {
            return Ok(name.clone());
        }
        let target = self.source.pointer(&pointer).ok_or_else(|| {
            invalid(
                place,
                format!("the reference \"{}\" leads nowhere", crate::preview(reference)),
            )
        })?;
        if self.names.len() >= MOST_DEFINITIONS {
            return Err(invalid(
                place,
                format!("it has more than {MOST_DEFINITIONS} definitions"),
            ));
        }
        let name = self.free_name(&pointer);
        self.names.insert(pointer.clone(), name.clone());
        self.queue.push_back((name.clone(), target, pointer));
        Ok(name)
    }

    /// The pointer that a reference within this document means.
    fn pointer(&self, reference: &str) -> Option<String> {
        let own = self
            .source
            .get("$id")
            .and_then(Value::as_str)
            .map(|id| id.trim_end_matches('#'));
        let fragment = match reference.split_once('#') {
            Some((base, fragment)) if base.is_empty() || Some(base) == own => fragment,
            None if Some(reference) == own => "",
            _ => return None,
        };
        if fragment.is_empty() {
            return Some(String::new());
        }
        if fragment.starts_with('/') {
            return Some(percent_decode(fragment));
        }
        self.anchors.get(fragment).cloned()
    }

    /// A name that providers accept: letters, digits, `_`, `-`.
    fn free_name(&mut self, pointer: &str) -> String {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        let mut base: String = last
            .chars()
            .filter(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'))
            .take(48)
            .collect();
        if base.is_empty() {
            base.push_str("Root");
        }
        let mut name = base.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}{number}");
            number += 1;
        }
        name
    }
}

/// Refuses references that lead back to themselves without going into a part of the value: nothing could ever
/// be checked against them.
fn check_cycles(root: &Value, definitions: &Map<String, Value>) -> Result<(), LlmError> {
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, definition) in definitions {
        edges.insert(name, in_place_references(definition));
    }
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let starts = in_place_references(root)
        .into_iter()
        .chain(definitions.keys().map(String::as_str));
    for start in starts {
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut open: BTreeSet<&str> = BTreeSet::from([start]);
        while let Some((name, next)) = path.pop() {
            if done.contains(name) {
                open.remove(name);
                continue;
            }
            match edges.get(name).and_then(|targets| targets.get(next)) {
                Some(target) => {
                    path.push((name, next + 1));
                    if open.contains(target) {
                        return Err(invalid(
                            &format!("/$defs/{}", escape(target)),
                            "the definition refers to itself without end",
                        ));
                    }
                    if !done.contains(target) {
                        open.insert(target);
                        path.push((target, 0));
                    }
                }
                None => {
                    open.remove(name);
                    done.insert(name);
                }
            }
        }
    }
    Ok(())
}

/// Definitions that apply to the same value as this schema.
fn in_place_references(node: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = vec![node];
    while let Some(node) = rest.pop() {
        found.extend(reference_name(node));
        let Value::Object(members) = node else { continue };
        for (keyword, value) in members {
            if is_in_place(keyword) {
                push_schemas(keyword, value, &mut rest);
            }
        }
    }
    found
}

fn drop_unused(root: &Value, definitions: &mut Map<String, Value>) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut rest = vec![root];
    while let Some(node) = rest.pop() {
        if let Some(name) = reference_name(node)
            && used.insert(name.to_owned())
        {
            rest.extend(definitions.get(name));
        }
        let Value::Object(members) = node else { continue };
        for (keyword, value) in members {
            push_schemas(keyword, value, &mut rest);
        }
    }
    definitions.retain(|name, _| used.contains(name));
}

fn invalid(pointer: &str, reason: impl Into<String>) -> LlmError {
    LlmError::InvalidSchema {
        pointer: pointer.to_owned(),
        reason: reason.into(),
    }
}

/// A member name as a step of a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let pair = (*first == b'%').then(|| tail.get(..2)).flatten();
        match pair
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "takes json! literals")]
    fn place(schema: Value) -> String {
        match normalise(&schema) {
            Err(LlmError::InvalidSchema { pointer, .. }) => pointer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn references_become_definitions_and_unused_ones_go() {
        let normal = normalise(&json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/Part%20one"}, "b": {"$ref": "#/properties/a"}},
            "definitions": {"Part one": {"type": "string", "$comment": "x"}, "Unused": {"type": "null"}}
        }))
        .unwrap();
        assert_eq!(
            normal.root,
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/Partone"}, "b": {"$ref": "#/$defs/a"}}})
        );
        assert_eq!(
            Value::Object(normal.definitions),
            json!({"Partone": {"type": "string"}, "a": {"$ref": "#/$defs/Partone"}})
        );
    }

    #[test]
    fn root_reference_is_written_out_and_recursion_stays() {
        let normal = normalise(&json!({
            "$ref": "#/$defs/Node", "title": "Node",
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}
        }))
        .unwrap();
        assert_eq!(normal.root["properties"]["next"], json!({"$ref": "#/$defs/Node"}));
        assert!(normal.definitions.contains_key("Node"));
    }

    #[test]
    fn reference_to_the_root_and_anchors_are_followed() {
        let normal = normalise(&json!({
            "$id": "https://example.com/tree",
            "type": "object",
            "properties": {
                "children": {"type": "array", "items": {"$ref": "#"}},
                "again": {"$ref": "https://example.com/tree"},
                "leaf": {"$ref": "#leaf"}
            },
            "$defs": {"L": {"$anchor": "leaf", "type": "string"}}
        }))
        .unwrap();
        assert_eq!(
            normal.root["properties"]["children"]["items"],
            json!({"$ref": "#/$defs/Root"})
        );
        assert_eq!(
            normal.root["properties"]["again"],
            json!({"$ref": "#/$defs/Root"})
        );
        assert_eq!(normal.definitions["L"], json!({"type": "string"}));
    }

    #[test]
    fn properties_named_like_keywords_are_properties() {
        let schema = json!({
            "type": "object",
            "properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}, "items": {"type": "array"}}
        });
        assert_eq!(normalise(&schema).unwrap().root, schema);
    }

    #[test]
    fn literal_values_are_not_taken_for_schemas() {
        let schema = json!({"enum": [{"$ref": "nowhere"}], "default": {"$ref": 3}, "const": {"$id": 1}});
        assert_eq!(normalise(&schema).unwrap().root, schema);
    }

    #[test]
    fn invalid_schemas_name_the_place() {
        assert_eq!(
            place(json!({"properties": {"a": {"type": "strnig"}}})),
            "/properties/a/type"
        );
        assert_eq!(place(json!({"properties": {"a": 3}})), "/properties/a");
        assert_eq!(
            place(json!({"properties": {"a/b": {"$ref": "#/$defs/No"}}})),
            "/properties/a~1b/$ref"
        );
        assert_eq!(
            place(json!({"items": {"$ref": "https://example.com/x.json"}})),
            "/items/$ref"
        );
        assert_eq!(place(json!({"$schema": "https://example.com/own"})), "/$schema");
        assert_eq!(place(json!("string")), "");
        assert_eq!(place(json!({"required": "a"})), "/required");
    }

    #[test]
    fn references_that_go_in_circles_are_refused() {
        assert_eq!(place(json!({"$ref": "#"})), "/$defs/Root");
        place(
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A"}}}),
        );
        normalise(
            &json!({"$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}, "$ref": "#/$defs/A"}),
        )
        .unwrap();
    }

    #[test]
    fn hostile_sizes_are_refused() {
        let mut deep = json!({"type": "string"});
        for _ in 0..200 {
            deep = json!({"items": deep});
        }
        place(deep);
        place(json!({"enum": (0..60_000).collect::<Vec<_>>()}));
    }

    #[test]
    fn long_chain_of_references_neither_overflows_nor_hangs() {
        let mut definitions = Map::new();
        for index in 0..900 {
            definitions.insert(
                format!("D{index}"),
                json!({"$ref": format!("#/$defs/D{}", index + 1)}),
            );
        }
        definitions.insert("D900".to_owned(), json!({"type": "string"}));
        let normal = normalise(&json!({"$ref": "#/$defs/D0", "$defs": definitions})).unwrap();
        assert_eq!(normal.root, json!({"type": "string"}));
    }

    #[test]
    fn tuples_written_the_old_way_are_read_as_draft_7() {
        assert_eq!(
            normalise(&json!({"items": [{"type": "string"}]})).unwrap().draft,
            Draft::Draft7
        );
        assert_eq!(
            normalise(&json!({"items": {"type": "string"}})).unwrap().draft,
            Draft::Draft202012
        );
    }
}
