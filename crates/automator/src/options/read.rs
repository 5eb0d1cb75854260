//! From a plain object to an options struct, with errors that help.
//!
//! `serde` decides what fits. The JSON Schema of the struct, which is the documented interface, says what a member
//! that does not fit should have been.

use std::time::Duration;

use automator_llm::ModelOptions;
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use super::check::of_model;
use super::expectation::{described, expected, given};
use crate::Error;

/// Of so many letters one may be another in a name that was meant.
const LEAST_ALIKE: usize = 3;

/// The longest time in milliseconds: the largest whole number that every language has exactly.
const MOST_MILLISECONDS: u64 = (1 << 53) - 1;

/// Reads an options struct. Members whose value is `null` count as not given.
///
/// `what` names the object in errors.
///
/// ```
/// use automator::{ExtractOptions, from_json};
///
/// let error = from_json::<ExtractOptions>("options", &serde_json::json!({ "screenshot": "yes" })).unwrap_err();
/// assert_eq!(error.to_string(), r#"options.screenshot must be true or false, not "yes""#);
/// ```
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) with the full path of the member that is
/// wrong, what it is and what it must be; for one that nobody knows the nearest that exists.
pub fn from_json<T: DeserializeOwned + JsonSchema>(what: &str, value: &Value) -> Result<T, Error> {
    let Value::Object(members) = value else {
        return Err(Error::invalid_argument(format!(
            "{what} must be an object, not {}",
            given("", value)
        )));
    };
    let schema = schemars::schema_for!(T);
    let root = schema.as_value();
    let members = Value::Object(checked(what, members, root, root)?);
    check_models(what, &members)?;
    serde_path_to_error::deserialize(&members).map_err(|error| misfit(what, &members, root, &error))
}

/// Looks for unknown and missing members at every level that the schema describes; drops `null`s.
fn checked(
    path: &str,
    members: &Map<String, Value>,
    schema: &Value,
    root: &Value,
) -> Result<Map<String, Value>, Error> {
    let known = schema.get("properties").and_then(Value::as_object);
    let mut kept = Map::new();
    for (name, value) in members {
        let Some(known) = known else {
            kept.insert(name.clone(), value.clone());
            continue;
        };
        let Some(member) = known.get(name) else {
            return Err(unknown(path, name, known));
        };
        if value.is_null() {
            continue;
        }
        let value = match (value, described(member, root)) {
            (Value::Object(inner), Some(schema)) => {
                Value::Object(checked(&format!("{path}.{name}"), inner, schema, root)?)
            }
            // `serde` would read the members of a struct from a list, in their order.
            (Value::Array(_), Some(_)) => {
                let wanted = expected(member, root).unwrap_or_else(|| "an object".to_owned());
                let message = format!("{path}.{name} must be {wanted}, not a list");
                return Err(Error::invalid_argument(message));
            }
            _ => value.clone(),
        };
        kept.insert(name.clone(), value);
    }
    match required(schema).find(|name| !kept.contains_key(*name)) {
        Some(name) => Err(missing(path, name, schema, root)),
        None => Ok(kept),
    }
}

fn unknown(path: &str, name: &str, known: &Map<String, Value>) -> Error {
    let error = Error::invalid_argument(format!("{path} has no member \"{name}\""));
    match nearest(name, known.keys().map(String::as_str)) {
        Some(nearest) => error.hint(format!("did you mean \"{nearest}\"?")),
        None => error,
    }
}

/// The name that somebody may have meant who wrote another: at most a third of its letters are other ones. None when
/// no name is that close.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let lower = name.to_lowercase();
    let ranked = known.map(|known| (strsim::levenshtein(&lower, &known.to_lowercase()), known));
    let (distance, nearest) = ranked.min_by_key(|(distance, _)| *distance)?;
    let length = name.chars().count().max(nearest.chars().count());
    (distance * LEAST_ALIKE <= length).then_some(nearest)
}

fn missing(path: &str, name: &str, schema: &Value, root: &Value) -> Error {
    let member = schema
        .get("properties")
        .and_then(|properties| properties.get(name));
    let wanted = member.and_then(|member| expected(member, root));
    let wanted = wanted.map_or_else(String::new, |wanted| format!(": it must be {wanted}"));
    Error::invalid_argument(format!("{} is missing{wanted}", member_of(path, name)))
}

/// Model objects read themselves, because they keep members that they do not know.
fn check_models(what: &str, members: &Value) -> Result<(), Error> {
    for member in ["model", "executionModel"] {
        if let Some(model) = members.get(member) {
            ModelOptions::from_value(model.clone())
                .map_err(|error| of_model(&member_of(what, member), error))?;
        }
    }
    Ok(())
}

/// What is wrong with the member at which reading stopped, in words of JSON. `what` names the whole; nothing for
/// members that are named by themselves.
pub(crate) fn misfit(
    what: &str,
    members: &Value,
    root: &Value,
    error: &serde_path_to_error::Error<serde_json::Error>,
) -> Error {
    let mut path = what.to_owned();
    let (mut value, mut schema) = (Some(members), Some(root));
    for segment in error.path() {
        match segment {
            Segment::Map { key } => {
                path = member_of(&path, key);
                value = value.and_then(|value| value.get(key));
                schema = schema
                    .and_then(|schema| described(schema, root))
                    .and_then(|schema| {
                        let named = schema.get("properties").and_then(|named| named.get(key));
                        named.or_else(|| schema.get("additionalProperties"))
                    });
            }
            Segment::Seq { index } => {
                path = format!("{path}[{index}]");
                value = value.and_then(|value| value.get(index));
                schema = schema.and_then(|schema| schema.get("items"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    if let (Some(Value::Object(members)), Some(schema)) = (value, schema)
        && let Some(schema) = described(schema, root)
        && let Some(name) = required(schema).find(|name| !members.contains_key(*name))
    {
        return missing(&path, name, schema, root);
    }
    let shown = if path.is_empty() { "it" } else { &path };
    match (value, schema.and_then(|schema| expected(schema, root))) {
        (Some(value), Some(wanted)) => {
            Error::invalid_argument(format!("{shown} must be {wanted}, not {}", given(&path, value)))
        }
        _ => Error::invalid_argument(format!("{shown}: {}", error.inner())),
    }
}

/// The first number below a value that its schema does not allow; none when all are in their range.
pub(crate) fn out_of_range(path: &str, value: &Value, schema: &Value) -> Option<Error> {
    match value {
        Value::Number(number) => {
            let number = number.as_f64()?;
            let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
            let is_out = bound("minimum").is_some_and(|least| number < least)
                || bound("maximum").is_some_and(|most| number > most);
            let wanted = expected(schema, schema).filter(|_| is_out)?;
            Some(Error::invalid_argument(format!(
                "{path} must be {wanted}, not {}",
                given(path, value)
            )))
        }
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let schema = schema.get("properties")?.get(name)?;
            out_of_range(&member_of(path, name), value, schema)
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, value)| {
            out_of_range(&format!("{path}[{index}]"), value, schema.get("items")?)
        }),
        _ => None,
    }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn member_of(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// A duration written as milliseconds.
pub(super) fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    duration(f64::deserialize(deserializer)?)
}

/// As [`milliseconds`], or nothing.
pub(super) fn optional_milliseconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Duration>, D::Error> {
    Option::<f64>::deserialize(deserializer)?
        .map(duration)
        .transpose()
}

fn duration<E: serde::de::Error>(milliseconds: f64) -> Result<Duration, E> {
    #[expect(clippy::cast_precision_loss, reason = "it is exact, by its choice")]
    let most = MOST_MILLISECONDS as f64;
    Some(milliseconds)
        .filter(|milliseconds| *milliseconds <= most)
        .and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok())
        .ok_or_else(|| E::custom(format!("{milliseconds} is no number of milliseconds")))
}

/// What [`milliseconds`] reads.
pub(super) fn milliseconds_schema(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({ "type": "number", "format": "milliseconds", "minimum": 0, "maximum": MOST_MILLISECONDS })
}

/// What [`optional_milliseconds`] reads.
pub(super) fn optional_milliseconds_schema(_: &mut schemars::SchemaGenerator) -> Schema {
    json_schema!({
        "type": ["number", "null"], "format": "milliseconds", "minimum": 0, "maximum": MOST_MILLISECONDS
    })
}

#[cfg(test)]
mod tests;
