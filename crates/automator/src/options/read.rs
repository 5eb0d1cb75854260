//! From a plain object to an options struct, with errors that help.
//!
//! `serde` decides what fits. The JSON Schema of the struct, which is the documented interface, says what a member
//! that does not fit should have been.

use std::time::Duration;

use automator_llm::{LlmError, ModelOptions};
use schemars::{JsonSchema, Schema, json_schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_path_to_error::Segment;

use super::expectation::{described, expected, given};
use crate::Error;

/// Names farther apart than this share of their length are no misspelling of each other.
const NEAREST: f64 = 0.6;

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
    check_model(what, &members)?;
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
    let required = schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    match required.find(|name| !kept.contains_key(*name)) {
        Some(name) => Err(missing(path, name, schema, root)),
        None => Ok(kept),
    }
}

fn unknown(path: &str, name: &str, known: &Map<String, Value>) -> Error {
    let nearest = known
        .keys()
        .map(|candidate| {
            (
                strsim::jaro_winkler(&candidate.to_lowercase(), &name.to_lowercase()),
                candidate,
            )
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness >= NEAREST);
    let error = Error::invalid_argument(format!("{path} has no member \"{name}\""));
    match nearest {
        Some((_, nearest)) => error.hint(format!("did you mean \"{nearest}\"?")),
        None => error,
    }
}

fn missing(path: &str, name: &str, schema: &Value, root: &Value) -> Error {
    let member = schema
        .get("properties")
        .and_then(|properties| properties.get(name));
    let wanted = member.and_then(|member| expected(member, root));
    let wanted = wanted.map_or_else(String::new, |wanted| format!(": it must be {wanted}"));
    Error::invalid_argument(format!("{path}.{name} is missing{wanted}"))
}

/// The model object reads itself, because it keeps members that it does not know.
fn check_model(what: &str, members: &Value) -> Result<(), Error> {
    let Some(model) = members.get("model") else {
        return Ok(());
    };
    match ModelOptions::from_value(model.clone()) {
        Ok(_) => Ok(()),
        Err(LlmError::InvalidModelOption { option, reason }) => {
            Err(Error::invalid_argument(format!("{what}.{option} {reason}")))
        }
        Err(other) => Err(other.into()),
    }
}

/// What is wrong with the member at which reading stopped.
fn misfit(
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
                path = format!("{path}.{key}");
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
    match (value, schema.and_then(|schema| expected(schema, root))) {
        (Some(value), Some(wanted)) => {
            Error::invalid_argument(format!("{path} must be {wanted}, not {}", given(&path, value)))
        }
        _ => Error::invalid_argument(format!("{path}: {}", error.inner())),
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
