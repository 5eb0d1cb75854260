//! From a plain object to an options struct, with errors that help.

use schemars::JsonSchema;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::Error;

/// Names farther apart than this share of their length are no misspelling of each other.
const NEAREST: f64 = 0.6;

/// Reads an options struct. Members whose value is `null` count as not given.
///
/// `what` names the object in errors.
///
/// # Errors
/// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument), naming the member that is wrong, and for one
/// that nobody knows the nearest that exists.
pub fn from_json<T: DeserializeOwned + JsonSchema>(what: &str, value: &Value) -> Result<T, Error> {
    let Value::Object(members) = value else {
        return Err(Error::invalid_argument(format!("{what} must be an object")));
    };
    let schema = schemars::schema_for!(T);
    let members = checked(what, members, schema.as_value(), schema.as_value())?;
    serde_json::from_value(Value::Object(members))
        .map_err(|error| Error::invalid_argument(format!("{what}: {error}")).caused_by(error))
}

/// Looks for unknown members at every level that the schema describes; drops `null`s.
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
            _ => value.clone(),
        };
        kept.insert(name.clone(), value);
    }
    Ok(kept)
}

/// The object schema that a member's schema refers to, if any.
fn described<'s>(member: &'s Value, root: &'s Value) -> Option<&'s Value> {
    if member.get("properties").is_some() {
        return Some(member);
    }
    if let Some(reference) = member.get("$ref").and_then(Value::as_str) {
        return described(root.pointer(reference.strip_prefix('#')?)?, root);
    }
    let choices = member
        .get("anyOf")
        .or_else(|| member.get("oneOf"))
        .or_else(|| member.get("allOf"))?;
    choices
        .as_array()?
        .iter()
        .find_map(|choice| described(choice, root))
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
    Duration::try_from_secs_f64(milliseconds / 1000.0)
        .map_err(|_| E::custom(format!("{milliseconds} is no number of milliseconds")))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use crate::{AutomatorOptions, Env, ErrorKind, ExtractOptions, Verbosity};

    #[test]
    fn options_are_read_by_their_interface_names() {
        let options = AutomatorOptions::from_json(&json!({
            "env": "LOCAL", "verbose": 2, "selfHeal": false, "domSettleTimeout": 1500, "cacheDir": null,
            "model": { "modelName": "openai/gpt-4.1-mini", "apiKey": "k", "anything": [1] },
            "localBrowserLaunchOptions": { "ignoreDefaultArgs": ["--mute-audio"], "viewport": { "width": 1, "height": 2 } }
        }))
        .unwrap();
        assert_eq!(
            (options.env, options.verbose, options.self_heal),
            (Env::Local, Verbosity::Detailed, false)
        );
        assert_eq!(options.dom_settle_timeout, Duration::from_millis(1500));
        assert!(options.local_browser_launch_options.headless);
        let call: ExtractOptions =
            super::from_json("options", &json!({ "timeout": 700, "ignoreSelectors": ["a"] })).unwrap();
        assert_eq!(call.timeout, Some(Duration::from_millis(700)));
    }

    #[test]
    fn an_unknown_member_is_named_with_the_nearest_known_one() {
        let error = AutomatorOptions::from_json(&json!({ "env": "LOCAL", "selfheal": true })).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(
            error.to_string(),
            "options has no member \"selfheal\" (did you mean \"selfHeal\"?)"
        );
        let nested = json!({ "env": "LOCAL", "localBrowserLaunchOptions": { "viewPort": {} } });
        let error = AutomatorOptions::from_json(&nested).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("localBrowserLaunchOptions has no member \"viewPort\""),
            "{error}"
        );
        assert!(error.to_string().contains("\"viewport\""), "{error}");
    }

    #[test]
    fn an_unknown_env_is_an_environment_error_and_an_ill_typed_option_an_argument_error() {
        let error = AutomatorOptions::from_json(&json!({ "env": "NOWHERE" })).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Environment);
        assert!(error.to_string().contains("NOWHERE"));
        for wrong in [
            json!({ "env": "LOCAL", "verbose": 3 }),
            json!({ "env": "LOCAL", "selfHeal": "yes" }),
            json!({}),
        ] {
            let error = AutomatorOptions::from_json(&wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{wrong}");
        }
    }
}
