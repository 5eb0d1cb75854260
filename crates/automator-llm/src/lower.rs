//! Writes a schema in the subset that a provider's strict mode understands.
//!
//! Pure. Takes schemas of the form that `schema.rs` sends. What the subset cannot say is left out and, where it
//! can be said in words, added to the description; the full schema is enforced on the answer. What cannot be
//! left out without changing which answers are possible (maps, recursion, depth) is [`Inexpressible`].

mod intersection;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::dialect::SchemaRules;
use crate::schema::ID_PATTERN;
use crate::schema::normalise::reference_name;

/// Why a schema has no form in a subset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Inexpressible {
    #[error("an object with free member names")]
    FreeMembers,
    #[error("a place without a type")]
    Untyped,
    #[error("recursion")]
    Recursion,
    #[error("parts that must all apply")]
    Intersection,
    #[error("more levels than allowed")]
    TooDeep,
    #[error("more optional members than allowed")]
    TooManyOptional,
    #[error("too many values when references are written out")]
    TooLarge,
}

/// Most schema nodes in the result.
const MOST_NODES: usize = 10_000;
/// Most schemas within one another, references written out.
const MOST_DEPTH: usize = 200;

/// Writes a schema by the rules of a provider.
pub(crate) fn lower(schema: &Value, rules: &SchemaRules) -> Result<Value, Inexpressible> {
    let mut lowering = Lowering {
        rules,
        definitions: schema.get("$defs").and_then(Value::as_object),
        needed: Vec::new(),
        open: Vec::new(),
        optional: 0,
        nodes: 0,
        depth: 0,
    };
    let mut root = lowering.node(schema, 1)?;
    let mut written = Map::new();
    let mut next = 0;
    while let Some(name) = lowering.needed.get(next).cloned() {
        next += 1;
        let definition = lowering
            .definitions
            .and_then(|all| all.get(&name))
            .ok_or(Inexpressible::Untyped)?;
        let lowered = lowering.node(definition, 1)?;
        written.insert(name, lowered);
    }
    if !rules.recursion && is_recursive(&written) {
        return Err(Inexpressible::Recursion);
    }
    if let Value::Object(members) = &mut root
        && !written.is_empty()
    {
        members.insert("$defs".to_owned(), Value::Object(written));
    }
    if lowering.optional > rules.most_optional {
        return Err(Inexpressible::TooManyOptional);
    }
    Ok(root)
}

struct Lowering<'a> {
    rules: &'a SchemaRules,
    definitions: Option<&'a Map<String, Value>>,
    /// Definitions that the result refers to, in order of appearance.
    needed: Vec<String>,
    /// Definitions being written out.
    open: Vec<String>,
    optional: usize,
    nodes: usize,
    /// Schemas around the one being written.
    depth: usize,
}

impl Lowering<'_> {
    /// One schema; `level` counts objects and arrays around it, itself included.
    fn node(&mut self, node: &Value, level: usize) -> Result<Value, Inexpressible> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(Inexpressible::TooLarge);
        }
        if self.depth >= MOST_DEPTH {
            return Err(Inexpressible::TooDeep);
        }
        self.depth += 1;
        let written = self.write(node, level);
        self.depth -= 1;
        written
    }

    fn write(&mut self, node: &Value, level: usize) -> Result<Value, Inexpressible> {
        let Value::Object(members) = node else {
            return if self.rules.typed {
                Err(Inexpressible::Untyped)
            } else {
                Ok(json!({}))
            };
        };
        if let Some(name) = reference_name(node) {
            return self.reference(name, members, level);
        }
        let members = intersection::without_all_of(members, self.definitions)?;
        let mut out = Map::new();
        let mut notes = Vec::new();
        self.shape(&members, &mut out, &mut notes, level)?;
        if is_structural(&out) && level > self.rules.deepest {
            return Err(Inexpressible::TooDeep);
        }
        if self.rules.typed
            && !["type", "anyOf", "$ref"]
                .iter()
                .any(|keyword| out.contains_key(*keyword))
        {
            return Err(Inexpressible::Untyped);
        }
        describe(&members, &notes, &mut out);
        Ok(Value::Object(out))
    }

    /// A reference stays one where references are known and it has no rules of its own.
    fn reference(
        &mut self,
        name: &str,
        members: &Map<String, Value>,
        level: usize,
    ) -> Result<Value, Inexpressible> {
        let annotations = ["$ref", "title", "description", "default", "examples"];
        let bare = members.len() == 1;
        let annotated = members.keys().all(|key| annotations.contains(&key.as_str()));
        let recursive = self.open.iter().any(|open| open == name);
        // Annotations beside a reference are refused by some; without them nothing is lost but words.
        if self.rules.references && (bare || recursive && annotated) {
            if !self.needed.iter().any(|needed| needed == name) {
                self.needed.push(name.to_owned());
            }
            return Ok(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        if recursive {
            return Err(Inexpressible::Recursion);
        }
        let target = self
            .definitions
            .and_then(|all| all.get(name))
            .ok_or(Inexpressible::Untyped)?;
        let mut merged = target.as_object().cloned().ok_or(Inexpressible::Untyped)?;
        for (key, value) in members {
            if key != "$ref" {
                merged.insert(key.clone(), value.clone());
            }
        }
        self.open.push(name.to_owned());
        let written = self.node(&Value::Object(merged), level);
        self.open.pop();
        written
    }

    fn shape(
        &mut self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
        notes: &mut Vec<String>,
        level: usize,
    ) -> Result<(), Inexpressible> {
        if let Some(types) = types(members) {
            out.insert("type".to_owned(), types);
        }
        match (members.get("const"), self.rules.constants) {
            (Some(value), true) => {
                out.insert("const".to_owned(), value.clone());
            }
            (Some(value), false) => {
                out.insert("enum".to_owned(), json!([value]));
            }
            (None, _) => out.extend(
                members
                    .get("enum")
                    .map(|values| ("enum".to_owned(), values.clone())),
            ),
        }
        let alternatives: Vec<&Value> = ["anyOf", "oneOf"]
            .iter()
            .filter_map(|keyword| members.get(*keyword)?.as_array())
            .flatten()
            .collect();
        if members.contains_key("anyOf") && members.contains_key("oneOf") {
            return Err(Inexpressible::Intersection);
        }
        if !alternatives.is_empty() {
            let lowered: Vec<Value> = alternatives
                .into_iter()
                .map(|branch| self.node(branch, level))
                .collect::<Result<_, _>>()?;
            out.insert("anyOf".to_owned(), Value::Array(lowered));
        }
        if has_type(out, "object") || members.contains_key("properties") {
            self.object(members, out, level)?;
        }
        if has_type(out, "array") {
            self.array(members, out, notes, level)?;
        }
        self.bounds(members, out, notes);
        Ok(())
    }

    fn object(
        &mut self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
        level: usize,
    ) -> Result<(), Inexpressible> {
        let empty = Map::new();
        let properties = members
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let additional = members.get("additionalProperties");
        let free = members.contains_key("patternProperties")
            || additional.is_some_and(Value::is_object)
            || properties.is_empty() && additional != Some(&Value::Bool(false));
        if free && self.rules.closed_objects {
            return Err(Inexpressible::FreeMembers);
        }
        let required: BTreeSet<&str> = members
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut lowered = Map::new();
        for (name, schema) in properties {
            let mut schema = self.node(schema, level + 1)?;
            drop_echoing_title(name, &mut schema);
            if !required.contains(name.as_str()) {
                self.optional += 1;
                if self.rules.all_required {
                    schema = nullable(schema);
                }
            }
            lowered.insert(name.clone(), schema);
        }
        let names: Vec<Value> = lowered
            .keys()
            .filter(|name| self.rules.all_required || required.contains(name.as_str()))
            .map(|name| Value::from(name.as_str()))
            .collect();
        if !lowered.is_empty() || self.rules.closed_objects {
            out.insert("properties".to_owned(), Value::Object(lowered));
        }
        if !names.is_empty() || self.rules.all_required {
            out.insert("required".to_owned(), Value::Array(names));
        }
        if self.rules.closed_objects || additional == Some(&Value::Bool(false)) {
            out.insert("additionalProperties".to_owned(), Value::Bool(false));
        } else if let Some(schema) = additional.filter(|schema| schema.is_object()) {
            let lowered = self.node(schema, level + 1)?;
            out.insert("additionalProperties".to_owned(), lowered);
        }
        Ok(())
    }

    fn array(
        &mut self,
        members: &Map<String, Value>,
        out: &mut Map<String, Value>,
        notes: &mut Vec<String>,
        level: usize,
    ) -> Result<(), Inexpressible> {
        let tuple = members
            .get("prefixItems")
            .or_else(|| members.get("items").filter(|items| items.is_array()))
            .and_then(Value::as_array);
        if let Some(tuple) = tuple {
            let kinds: Vec<Value> = tuple
                .iter()
                .map(|schema| self.node(schema, level + 1))
                .collect::<Result<_, _>>()?;
            if self.rules.tuples {
                out.insert("prefixItems".to_owned(), Value::Array(kinds));
            } else {
                notes.push(format!("exactly {} items, in this order of kinds", kinds.len()));
                out.insert("items".to_owned(), one_of_kinds(kinds));
                if self.rules.array_bounds {
                    out.insert("minItems".to_owned(), tuple.len().into());
                    out.insert("maxItems".to_owned(), tuple.len().into());
                }
            }
            return Ok(());
        }
        match members.get("items") {
            Some(items) => {
                let lowered = self.node(items, level + 1)?;
                out.insert("items".to_owned(), lowered);
            }
            None if self.rules.typed => return Err(Inexpressible::Untyped),
            None => {}
        }
        Ok(())
    }

    /// Bounds, patterns and formats: kept where known, else said in words.
    fn bounds(&self, members: &Map<String, Value>, out: &mut Map<String, Value>, notes: &mut Vec<String>) {
        for (keyword, value) in members {
            let known = match keyword.as_str() {
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                    if !value.is_number() {
                        continue;
                    }
                    self.rules.number_bounds
                }
                "minItems" | "maxItems" => {
                    if out.contains_key(keyword) {
                        continue;
                    }
                    self.rules.array_bounds
                }
                "pattern" => self.rules.patterns && value.as_str().is_some_and(is_simple_pattern),
                "format" => value
                    .as_str()
                    .is_some_and(|format| self.rules.formats.contains(&format)),
                "minLength" | "maxLength" | "minProperties" | "maxProperties" => false,
                "uniqueItems" => {
                    if *value == Value::Bool(true) {
                        notes.push("all items different".to_owned());
                    }
                    continue;
                }
                _ => continue,
            };
            if known {
                out.insert(keyword.clone(), value.clone());
            } else if value != ID_PATTERN {
                // Members that hold an id say so in their description.
                notes.push(in_words(keyword, value));
            }
        }
    }
}

fn in_words(keyword: &str, value: &Value) -> String {
    let bare = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match keyword {
        "minimum" => format!("at least {bare}"),
        "maximum" => format!("at most {bare}"),
        "exclusiveMinimum" => format!("more than {bare}"),
        "exclusiveMaximum" => format!("less than {bare}"),
        "multipleOf" => format!("a multiple of {bare}"),
        "minItems" => format!("at least {bare} items"),
        "maxItems" => format!("at most {bare} items"),
        "minLength" => format!("at least {bare} characters"),
        "maxLength" => format!("at most {bare} characters"),
        "minProperties" => format!("at least {bare} members"),
        "maxProperties" => format!("at most {bare} members"),
        "pattern" => format!("matching {bare}"),
        _ => format!("{keyword} {bare}"),
    }
}

/// Description with what had to be left out; a title only when it is all there is.
fn describe(members: &Map<String, Value>, notes: &[String], out: &mut Map<String, Value>) {
    let text = |keyword: &str| {
        members
            .get(keyword)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim()
    };
    let mut description = text("description").to_owned();
    if description.is_empty() && !text("title").is_empty() {
        out.insert("title".to_owned(), Value::from(text("title")));
    }
    if !notes.is_empty() {
        let notes = notes.join(", ");
        description = if description.is_empty() {
            notes
        } else {
            format!("{description} ({notes})")
        };
    }
    if !description.is_empty() {
        out.insert("description".to_owned(), Value::from(description));
    }
}

/// Titles that generators make from the name of the member say nothing.
fn drop_echoing_title(name: &str, schema: &mut Value) {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|character| character.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    if let Value::Object(members) = schema
        && members
            .get("title")
            .and_then(Value::as_str)
            .is_some_and(|title| letters(title) == letters(name))
    {
        members.shift_remove("title");
    }
}

/// The types of a schema; read off other keywords when it does not say.
fn types(members: &Map<String, Value>) -> Option<Value> {
    if let Some(types) = members.get("type") {
        return Some(types.clone());
    }
    let of_value = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let values: Vec<&Value> = match (members.get("const"), members.get("enum")) {
        (Some(value), _) => vec![value],
        (None, Some(Value::Array(values))) => values.iter().collect(),
        _ => Vec::new(),
    };
    let mut names: Vec<&str> = Vec::new();
    for value in values {
        if !names.contains(&of_value(value)) {
            names.push(of_value(value));
        }
    }
    match names.as_slice() {
        [] => {}
        [one] => return Some(Value::from(*one)),
        several => return Some(json!(several)),
    }
    let hints = [
        ("properties", "object"),
        ("items", "array"),
        ("prefixItems", "array"),
        ("pattern", "string"),
        ("format", "string"),
        ("minLength", "string"),
        ("maxLength", "string"),
    ];
    if members.contains_key("anyOf") || members.contains_key("oneOf") {
        return None;
    }
    hints
        .iter()
        .find(|(keyword, _)| members.contains_key(*keyword))
        .map(|(_, name)| Value::from(*name))
}

fn has_type(out: &Map<String, Value>, wanted: &str) -> bool {
    match out.get("type") {
        Some(Value::String(name)) => name == wanted,
        Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
        _ => false,
    }
}

fn is_structural(out: &Map<String, Value>) -> bool {
    has_type(out, "object") || has_type(out, "array")
}

/// The schema, or `null`.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut members) = schema else {
        return schema;
    };
    if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
        if !branches.iter().any(accepts_null) {
            branches.push(json!({ "type": "null" }));
        }
        return Value::Object(members);
    }
    if members.contains_key("const") || !members.contains_key("type") {
        let description = members.shift_remove("description");
        let mut either = Map::new();
        either.extend(description.map(|text| ("description".to_owned(), text)));
        either.insert(
            "anyOf".to_owned(),
            json!([Value::Object(members), { "type": "null" }]),
        );
        return Value::Object(either);
    }
    match members.get_mut("type") {
        Some(types @ Value::String(_)) if types != "null" => *types = json!([types.clone(), "null"]),
        Some(Value::Array(names)) if !names.iter().any(|name| name == "null") => {
            names.push(Value::from("null"));
        }
        _ => {}
    }
    if let Some(Value::Array(values)) = members.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(members)
}

fn accepts_null(schema: &Value) -> bool {
    schema
        .as_object()
        .is_some_and(|members| has_type(members, "null"))
}

/// A list of kinds, each once.
fn one_of_kinds(kinds: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for kind in kinds {
        if !different.contains(&kind) {
            different.push(kind);
        }
    }
    if different.len() == 1 {
        different.swap_remove(0)
    } else {
        json!({ "anyOf": different })
    }
}

/// Patterns that every decoder knows: no look-around, no back references, no word boundaries.
fn is_simple_pattern(pattern: &str) -> bool {
    !pattern.contains("(?")
        && !pattern.contains("\\b")
        && !pattern.contains("\\B")
        && !has_back_reference(pattern)
}

fn has_back_reference(pattern: &str) -> bool {
    pattern
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [b'\\', b'1'..=b'9' | b'k']))
}

/// Whether any definition leads back to itself.
fn is_recursive(definitions: &Map<String, Value>) -> bool {
    definitions.keys().any(|start| {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut rest: Vec<&Value> = definitions.get(start).into_iter().collect();
        while let Some(value) = rest.pop() {
            match value {
                Value::Object(members) => {
                    if let Some(name) = reference_name(value) {
                        if name == start {
                            return true;
                        }
                        if seen.insert(name.to_owned()) {
                            rest.extend(definitions.get(name));
                        }
                    }
                    rest.extend(members.values());
                }
                Value::Array(items) => rest.extend(items),
                _ => {}
            }
        }
        false
    })
}

#[cfg(test)]
mod tests;
