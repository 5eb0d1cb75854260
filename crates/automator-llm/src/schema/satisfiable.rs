//! Schemas that no value can fit, found before a model is asked in vain.
//!
//! Each schema is reduced to the types of the values that may fit it. What is not understood counts as fitting, so
//! a schema that something fits is never refused; of those that nothing fits the plain ones are found.

use std::collections::BTreeMap;

use jsonschema::Draft;
use serde_json::{Map, Value};

use super::document::{branches, required};
use super::normalise::escape;
use crate::error::LlmError;

/// Deepest nesting that is followed, references included.
const DEEPEST: usize = 200;

/// Up to here every whole number is one of its own as a floating-point number.
const LARGEST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Types of JSON values, one bit each.
type Types = u8;

const NULL: Types = 1;
const BOOLEAN: Types = 2;
/// Numbers with a fraction.
const FRACTION: Types = 4;
const INTEGER: Types = 8;
const STRING: Types = 16;
const ARRAY: Types = 32;
const OBJECT: Types = 64;
const EVERY: Types = 127;

/// Where in the schema it shows that nothing fits, and why.
#[derive(Debug, Clone)]
struct Contradiction {
    pointer: String,
    reason: String,
}

/// Refuses a schema that no value can fit.
///
/// # Errors
///
/// [`LlmError::InvalidSchema`] with the place.
pub(super) fn check(schema: &Value, draft: Draft) -> Result<(), LlmError> {
    let mut judge = Judge {
        source: schema,
        ignores_beside_reference: matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7),
        known: BTreeMap::new(),
    };
    match judge.types(schema, "", DEEPEST) {
        Ok(_) => Ok(()),
        Err(Contradiction { pointer, reason }) => Err(LlmError::InvalidSchema {
            pointer,
            reason: format!("no value can fit it, because {reason}"),
        }),
    }
}

struct Judge<'a> {
    source: &'a Value,
    ignores_beside_reference: bool,
    /// Targets of references, by pointer. One that is being judged counts as fitted by everything.
    known: BTreeMap<String, Result<Types, Contradiction>>,
}

impl<'a> Judge<'a> {
    /// The types of values that may fit a schema.
    fn types(&mut self, node: &'a Value, pointer: &str, depth: usize) -> Result<Types, Contradiction> {
        let members = match node {
            Value::Object(members) => members,
            Value::Bool(false) => return Err(contradiction(pointer, "nothing fits `false`")),
            _ => return Ok(EVERY),
        };
        let Some(depth) = depth.checked_sub(1) else {
            return Ok(EVERY);
        };
        let mut types = EVERY;
        if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
            types = self.referred(reference, depth)?;
            if self.ignores_beside_reference {
                return Ok(types);
            }
        }
        if let Some(stated) = members.get("type") {
            types &= stated_types(stated);
            require(types, pointer, "type", || {
                "what it refers to is of another type".to_owned()
            })?;
        }
        types = within_bounds(members, types, pointer)?;
        types = self.with_parts(members, types, pointer, depth)?;
        types &= constants(members, types, pointer)?;
        if matches!(members.get("not"), Some(Value::Bool(true)))
            || members
                .get("not")
                .and_then(Value::as_object)
                .is_some_and(Map::is_empty)
        {
            return Err(contradiction(&format!("{pointer}/not"), "everything is excluded"));
        }
        for (index, branch) in branches(members, "allOf").iter().enumerate() {
            let place = format!("{pointer}/allOf/{index}");
            types &= self.types(branch, &place, depth)?;
            require(types, &place, "", || {
                "it asks for another type than the schema around it".to_owned()
            })?;
        }
        for keyword in ["anyOf", "oneOf"] {
            types &= self.alternatives(members, keyword, pointer, depth)?;
            require(types, pointer, keyword, || {
                "no alternative is of the type that the schema around them asks for".to_owned()
            })?;
        }
        Ok(types)
    }

    fn referred(&mut self, reference: &str, depth: usize) -> Result<Types, Contradiction> {
        // Names and addresses are left to the normaliser.
        let Some(pointer) = reference.strip_prefix('#') else {
            return Ok(EVERY);
        };
        if let Some(known) = self.known.get(pointer) {
            return known.clone();
        }
        let source = self.source;
        let Some(target) = source.pointer(pointer) else {
            return Ok(EVERY);
        };
        self.known.insert(pointer.to_owned(), Ok(EVERY));
        let types = self.types(target, pointer, depth);
        self.known.insert(pointer.to_owned(), types.clone());
        types
    }

    /// Takes out lists and objects that cannot have the parts that they must have.
    fn with_parts(
        &mut self,
        members: &'a Map<String, Value>,
        types: Types,
        pointer: &str,
        depth: usize,
    ) -> Result<Types, Contradiction> {
        let mut types = types;
        let first_item = members.get("prefixItems").is_none().then(|| members.get("items"));
        if types & ARRAY != 0
            && number(members, "minItems").is_some_and(|least| least >= 1.0)
            && let Some(Some(items)) = first_item
            && let Err(found) = self.types(items, &format!("{pointer}/items"), depth)
        {
            types = without(types, ARRAY, || found)?;
        }
        if types & OBJECT != 0 {
            let mut names = required(members);
            let found = names.find_map(|name| self.impossible_member(members, name, pointer, depth));
            if let Some(found) = found {
                types = without(types, OBJECT, || found)?;
            }
        }
        Ok(types)
    }

    /// Why an object cannot have a member.
    fn impossible_member(
        &mut self,
        members: &'a Map<String, Value>,
        name: &str,
        pointer: &str,
        depth: usize,
    ) -> Option<Contradiction> {
        let properties = members.get("properties").and_then(Value::as_object);
        if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
            let place = format!("{pointer}/properties/{}", escape(name));
            return self.types(schema, &place, depth).err();
        }
        let is_closed = members.get("additionalProperties") == Some(&Value::Bool(false))
            && !members.contains_key("patternProperties");
        is_closed.then(|| {
            contradiction(
                &format!("{pointer}/required"),
                &format!("\"{name}\" is required, and additionalProperties forbids it"),
            )
        })
    }

    fn alternatives(
        &mut self,
        members: &'a Map<String, Value>,
        keyword: &str,
        pointer: &str,
        depth: usize,
    ) -> Result<Types, Contradiction> {
        let list = branches(members, keyword);
        let mut types = 0;
        let mut first = None;
        for (index, branch) in list.iter().enumerate() {
            match self.types(branch, &format!("{pointer}/{keyword}/{index}"), depth) {
                Ok(more) => types |= more,
                Err(found) => first = first.or(Some(found)),
            }
        }
        match first {
            Some(found) if types == 0 => Err(found),
            _ if list.is_empty() => Ok(EVERY),
            _ => Ok(types),
        }
    }
}

fn contradiction(pointer: &str, reason: &str) -> Contradiction {
    Contradiction {
        pointer: pointer.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Some type must be left.
fn require(
    types: Types,
    pointer: &str,
    keyword: &str,
    reason: impl FnOnce() -> String,
) -> Result<(), Contradiction> {
    if types != 0 {
        return Ok(());
    }
    let pointer = if keyword.is_empty() {
        pointer.to_owned()
    } else {
        format!("{pointer}/{keyword}")
    };
    Err(Contradiction {
        pointer,
        reason: reason(),
    })
}

/// Takes types out; when none is left, that is why.
fn without(types: Types, out: Types, why: impl FnOnce() -> Contradiction) -> Result<Types, Contradiction> {
    match types & !out {
        0 => Err(why()),
        left => Ok(left),
    }
}

fn stated_types(stated: &Value) -> Types {
    let named = |name: &str| match name {
        "null" => NULL,
        "boolean" => BOOLEAN,
        "number" => FRACTION | INTEGER,
        "integer" => INTEGER,
        "string" => STRING,
        "array" => ARRAY,
        "object" => OBJECT,
        _ => EVERY,
    };
    match stated {
        Value::String(name) => named(name),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .fold(0, |types, name| types | named(name)),
        _ => EVERY,
    }
}

fn type_of(value: &Value) -> Types {
    match value {
        Value::Null => NULL,
        Value::Bool(_) => BOOLEAN,
        Value::Number(number) => match number.as_f64() {
            Some(number) if number.fract() != 0.0 => FRACTION,
            _ => INTEGER,
        },
        Value::String(_) => STRING,
        Value::Array(_) => ARRAY,
        Value::Object(_) => OBJECT,
    }
}

fn number(members: &Map<String, Value>, keyword: &str) -> Option<f64> {
    members.get(keyword).and_then(Value::as_f64)
}

/// Takes out types whose lower bound is above their upper one.
fn within_bounds(members: &Map<String, Value>, types: Types, pointer: &str) -> Result<Types, Contradiction> {
    let pairs = [
        (FRACTION | INTEGER, "minimum", "maximum"),
        (FRACTION | INTEGER, "exclusiveMinimum", "maximum"),
        (FRACTION | INTEGER, "minimum", "exclusiveMaximum"),
        (FRACTION | INTEGER, "exclusiveMinimum", "exclusiveMaximum"),
        (STRING, "minLength", "maxLength"),
        (ARRAY, "minItems", "maxItems"),
        (OBJECT, "minProperties", "maxProperties"),
    ];
    let mut types = types;
    for (bounded, least, most) in pairs {
        let (Some(low), Some(high)) = (number(members, least), number(members, most)) else {
            continue;
        };
        // Draft 4 writes `true` beside the bound, which is no number and leaves equal bounds as they are.
        let excludes = least.starts_with("exclusive") || most.starts_with("exclusive");
        // Beyond that, whole numbers that differ may look the same here.
        let is_exact = low.abs() <= LARGEST_EXACT;
        if low > high || excludes && low >= high && is_exact {
            types = without(types, bounded, || {
                contradiction(
                    &format!("{pointer}/{least}"),
                    &format!("{least} is {low} and {most} is {high}"),
                )
            })?;
        }
    }
    Ok(types)
}

/// The types of the fixed values that are possible.
fn constants(members: &Map<String, Value>, types: Types, pointer: &str) -> Result<Types, Contradiction> {
    let constant = members.get("const");
    if let Some(value) = constant
        && type_of(value) & types == 0
    {
        return Err(contradiction(
            &format!("{pointer}/const"),
            "its value is not of the type that is asked for",
        ));
    }
    let Some(choices) = members.get("enum").and_then(Value::as_array) else {
        return Ok(constant.map_or(EVERY, type_of));
    };
    let place = format!("{pointer}/enum");
    if choices.is_empty() {
        return Err(contradiction(&place, "there is nothing to choose from"));
    }
    let possible = choices
        .iter()
        .filter(|choice| constant.is_none_or(|constant| is_same(constant, choice)))
        .fold(0, |types, choice| types | type_of(choice));
    require(possible & types, &place, "", || {
        if constant.is_some() {
            "the value of const is not among the choices".to_owned()
        } else {
            "no choice is of the type that is asked for".to_owned()
        }
    })?;
    Ok(possible)
}

/// Whether two fixed values may be the same to a validator, which takes 1 and 1.0 for one number.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => true,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::needless_pass_by_value, reason = "test functions take json! literals")]

    use serde_json::json;

    use super::*;

    fn place(schema: Value) -> Option<String> {
        match check(&schema, Draft::Draft202012) {
            Ok(()) => None,
            Err(LlmError::InvalidSchema { pointer, .. }) => Some(pointer),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn schemas_that_nothing_fits_are_refused_with_the_place() {
        let member =
            |schema: Value| json!({ "type": "object", "properties": { "a": schema }, "required": ["a"] });
        for (schema, expected) in [
            (json!(false), ""),
            (json!({ "type": "string", "enum": [] }), "/enum"),
            (
                json!({ "type": "number", "minimum": 5, "maximum": 1 }),
                "/minimum",
            ),
            (
                json!({ "type": "integer", "exclusiveMinimum": 1, "maximum": 1 }),
                "/exclusiveMinimum",
            ),
            (
                json!({ "type": "array", "minItems": 3, "maxItems": 2 }),
                "/minItems",
            ),
            (
                json!({ "type": ["string", "number"], "minLength": 3, "maxLength": 2, "minimum": 2, "maximum": 1 }),
                "/minLength",
            ),
            (
                json!({ "type": "object", "minProperties": 1, "maxProperties": 0 }),
                "/minProperties",
            ),
            (member(json!(false)), "/properties/a"),
            (
                member(member(json!({ "enum": [] }))),
                "/properties/a/properties/a/enum",
            ),
            (
                json!({ "type": "object", "required": ["b"], "additionalProperties": false }),
                "/required",
            ),
            (json!({ "type": "number", "const": "a" }), "/const"),
            (json!({ "type": "number", "enum": ["a", null] }), "/enum"),
            (json!({ "const": 3, "enum": [1, 2] }), "/enum"),
            (
                json!({ "type": "array", "minItems": 1, "items": { "enum": [] } }),
                "/items/enum",
            ),
            (
                json!({ "type": "string", "allOf": [{ "type": "number" }] }),
                "/allOf/0",
            ),
            (
                json!({ "type": "string", "anyOf": [{ "type": "number" }, { "type": "null" }] }),
                "/anyOf",
            ),
            (json!({ "oneOf": [false, { "enum": [] }] }), "/oneOf/0"),
            (json!({ "not": {} }), "/not"),
            (
                json!({ "$ref": "#/$defs/A", "$defs": { "A": { "type": "string", "minLength": 2, "maxLength": 1 } } }),
                "/$defs/A/minLength",
            ),
            (
                json!({ "$ref": "#/$defs/A", "type": "number", "$defs": { "A": { "type": "string" } } }),
                "/type",
            ),
        ] {
            assert_eq!(place(schema.clone()).as_deref(), Some(expected), "{schema}");
        }
    }

    #[test]
    fn schemas_that_something_fits_pass() {
        for schema in [
            json!(true),
            json!({}),
            json!({ "minimum": 5, "maximum": 1 }),
            json!({ "type": ["number", "null"], "minimum": 5, "maximum": 1 }),
            json!({ "type": "number", "minimum": 1, "maximum": 1 }),
            json!({ "type": "integer", "exclusiveMinimum": 9_007_199_254_740_992_i64, "maximum": 9_007_199_254_740_993_i64 }),
            json!({ "type": "number", "const": 1.0, "enum": [1] }),
            json!({ "type": "integer", "const": 2.0 }),
            json!({ "type": "object", "properties": { "a": false } }),
            json!({ "type": "array", "items": false }),
            json!({ "type": "array", "minItems": 1, "prefixItems": [{}], "items": false }),
            json!({ "type": "object", "required": ["b"], "additionalProperties": false, "patternProperties": { "b": {} } }),
            json!({ "type": "object", "required": ["b"] }),
            json!({ "anyOf": [{ "enum": [] }, { "type": "null" }] }),
            json!({ "type": "object", "properties": { "next": { "$ref": "#" } }, "required": ["next"] }),
            json!({ "not": { "type": "null" } }),
            json!({ "const": { "a": 1 }, "enum": [{ "a": 1.0 }] }),
        ] {
            assert_eq!(place(schema.clone()), None, "{schema}");
        }
    }

    #[test]
    fn what_stands_beside_a_reference_counts_only_where_the_draft_says_so() {
        let schema = json!({
            "$ref": "#/definitions/A", "type": "number", "definitions": { "A": { "type": "string" } }
        });
        assert!(check(&schema, Draft::Draft7).is_ok());
        assert!(check(&schema, Draft::Draft202012).is_err());
    }

    #[test]
    fn references_that_multiply_are_judged_once_each() {
        let mut definitions = Map::new();
        for level in 0..900 {
            let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
            definitions.insert(format!("d{level}"), json!({ "anyOf": [next, next, next] }));
        }
        definitions.insert("d900".to_owned(), json!({ "type": "string" }));
        assert!(place(json!({ "$ref": "#/$defs/d0", "$defs": definitions })).is_none());
    }

    #[test]
    fn the_error_says_why_nothing_fits() {
        let error = check(
            &json!({ "type": "number", "minimum": 5, "maximum": 1 }),
            Draft::Draft7,
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the schema is not valid at /minimum: no value can fit it, because minimum is 5 and maximum is 1"
        );
    }
}
