//! What a JSON Schema of ours asks for, and what was given instead, in words for an error.

use serde_json::Value;

/// Most characters of a given text that are shown.
const MOST_SHOWN: usize = 60;

/// The object schema that a member's schema is, or refers to, if any.
pub(super) fn described<'s>(member: &'s Value, root: &'s Value) -> Option<&'s Value> {
    if member.get("properties").is_some() || member.get("additionalProperties").is_some() {
        return Some(member);
    }
    if let Some(target) = referred(member, root) {
        return described(target, root);
    }
    choices(member)?.iter().find_map(|choice| described(choice, root))
}

/// What a member must be, as in "a whole number from 0 to 65535"; nothing when the schema does not say.
pub(super) fn expected(schema: &Value, root: &Value) -> Option<String> {
    if let Some(target) = referred(schema, root) {
        return expected(target, root);
    }
    if let Some(value) = schema.get("const") {
        return Some(value.to_string());
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return either(values.iter().map(ToString::to_string));
    }
    if let Some(choices) = choices(schema) {
        let wanted = choices.iter().filter(|choice| !is_null(choice));
        return either(wanted.filter_map(|choice| expected(choice, root)));
    }
    match schema.get("type")? {
        Value::String(name) => named(name, schema, root),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            either(names.filter_map(|name| named(name, schema, root)))
        }
        _ => None,
    }
}

/// A value that was given, short; only its kind where it might be a secret.
pub(super) fn given(path: &str, value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(_) if is_secret(path) => "a text".to_owned(),
        Value::Number(_) if is_secret(path) => "a number".to_owned(),
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// A text that was given, in quotes and short. What may hold a password or a token is not shown.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['@', '?']) {
        return "what was given".to_owned();
    }
    let shown: String = text.chars().take(MOST_SHOWN).collect();
    let rest = if shown.len() < text.len() { "…" } else { "" };
    format!("\"{shown}{rest}\"")
}

fn referred<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    let reference = schema.get("$ref").and_then(Value::as_str)?;
    root.pointer(reference.strip_prefix('#')?)
}

fn choices(schema: &Value) -> Option<&[Value]> {
    let choices = ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|keyword| schema.get(keyword))?;
    choices.as_array().map(Vec::as_slice)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn either(wanted: impl Iterator<Item = String>) -> Option<String> {
    let wanted: Vec<String> = wanted.collect();
    match wanted.split_last()? {
        (last, []) => Some(last.clone()),
        (last, others) => Some(format!("{} or {last}", others.join(", "))),
    }
}

fn named(name: &str, schema: &Value, root: &Value) -> Option<String> {
    let of = |keyword: &str| {
        let inner = schema.get(keyword).and_then(|inner| inner.get("type"));
        match inner.and_then(Value::as_str) {
            Some("string") => " of strings",
            Some("number") => " of numbers",
            Some("object") => " of objects",
            _ => "",
        }
    };
    Some(match name {
        "string" => "a string".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => format!("a whole number{}", range(schema)),
        "number" if schema.get("format").and_then(Value::as_str) == Some("milliseconds") => {
            format!("a number of milliseconds{}", range(schema))
        }
        "number" => format!("a number{}", range(schema)),
        "array" => format!("a list{}", of("items")),
        "object" => {
            let required = schema.get("required").and_then(Value::as_array);
            let names: Vec<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
            if names.is_empty() || schema == root {
                format!("an object{}", of("additionalProperties"))
            } else {
                format!("an object with {}", names.join(" and "))
            }
        }
        _ => return None,
    })
}

fn range(schema: &Value) -> String {
    let bound = |keyword: &str| schema.get(keyword).map(ToString::to_string);
    let most = bound("maximum").or_else(|| match schema.get("format")?.as_str()? {
        "uint32" => Some(u32::MAX.to_string()),
        _ => None,
    });
    match (bound("minimum"), most) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (None, None) => String::new(),
    }
}

/// Whether a path leads to what should not be shown. A number of tokens may be.
fn is_secret(path: &str) -> bool {
    let path = path.to_lowercase().replace("maxtokens", "");
    ["key", "password", "username", "headers", "secret", "token"]
        .iter()
        .any(|word| path.contains(word))
}
