//! Reading members one by one, so that what is wrong can be named.

use serde_json::Value;

use super::ParameterError;

pub(super) fn members<'a>(
    path: &str,
    value: &'a Value,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, ParameterError> {
    let map = match value {
        Value::Null => None,
        Value::Object(map) => Some(map),
        other => return Err(wrong(path, format!("{} is no object", kind(other)))),
    };
    Ok(map.into_iter().flatten().filter(|(_, value)| !value.is_null()))
}

pub(super) fn truth(path: &str, value: &Value) -> Result<bool, ParameterError> {
    value
        .as_bool()
        .ok_or_else(|| wrong(path, format!("{} is neither true nor false", shown(value))))
}

pub(super) fn text(path: &str, value: &Value) -> Result<String, ParameterError> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or_else(|| wrong(path, format!("{} is no text", shown(value))))
}

pub(super) fn unknown(path: &str) -> ParameterError {
    wrong(path, "there is no such parameter".to_owned())
}

pub(super) fn wrong(path: &str, problem: String) -> ParameterError {
    ParameterError {
        path: path.to_owned(),
        problem,
    }
}

/// A value as it is shown in messages: short.
pub(super) fn shown(value: &Value) -> String {
    const LONGEST_SHOWN: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LONGEST_SHOWN {
        return text;
    }
    let start: String = text.chars().take(LONGEST_SHOWN).collect();
    format!("{start}…")
}

/// What a value is, for messages about those that may hold a secret: it was put in the wrong place.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A list, whose entries are read one by one with their paths.
pub(super) fn list<T>(
    path: &str,
    value: &Value,
    longest: usize,
    read: impl Fn(&str, &Value) -> Result<T, ParameterError>,
) -> Result<Vec<T>, ParameterError> {
    let entries = value
        .as_array()
        .ok_or_else(|| wrong(path, format!("{} is no list", kind(value))))?;
    if entries.len() > longest {
        let problem = format!("{} entries are more than {longest}", entries.len());
        return Err(wrong(path, problem));
    }
    let entries = entries.iter().enumerate();
    entries
        .map(|(place, entry)| read(&format!("{path}[{place}]"), entry))
        .collect()
}
