//! Reads JSON Schemas as far as the scripts need it.

use serde_json::Value;

/// Whether the schema, or one inside it, has a member of this name.
pub(crate) fn holds_member(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(|item| holds_member(item, name)),
        Value::Object(members) => {
            members
                .get("properties")
                .and_then(Value::as_object)
                .is_some_and(|inner| inner.contains_key(name))
                || members.values().any(|member| holds_member(member, name))
        }
        _ => false,
    }
}

/// Follows a local reference (`#/$defs/…`) one step and looks through a union with null; anything else
/// stays as it is.
pub(crate) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema);
    let choices = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| target.get(key))
        .and_then(Value::as_array);
    let mut real = choices
        .into_iter()
        .flatten()
        .filter(|choice| choice.get("type") != Some(&Value::from("null")));
    match (real.next(), real.next()) {
        (Some(only), None) => {
            let pointer = only
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix('#'));
            pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(only)
        }
        _ => target,
    }
}

/// Whether the schema allows a type, by its `type` word or list.
pub(crate) fn allows(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    }
}
