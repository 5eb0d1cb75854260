//! Bodies in JSON: read whole, and each member of an object once.
//!
//! What nobody reads would be taken for something that holds, so it is refused.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use super::failure::Failure;
use super::operations::OperationFailure;
use crate::parameters::kind;

/// A body that cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum BodyError {
    /// It is no JSON.
    #[error("the body is no JSON: {0}")]
    NoJson(serde_json::Error),
    /// An object in it has a member twice.
    #[error("the body is not clear: {0}")]
    Unclear(serde_json::Error),
    /// It is no object.
    #[error("the body is {0} and no object")]
    NoObject(&'static str),
    /// It has a member that nobody reads.
    #[error("{name}: there is no such member; {}", known_members(.known))]
    Unknown {
        /// Which one.
        name: String,
        /// Those that are read.
        known: &'static [&'static str],
    },
}

impl From<serde_json::Error> for BodyError {
    fn from(error: serde_json::Error) -> Self {
        match error.classify() {
            Category::Data => Self::Unclear(error),
            Category::Io | Category::Syntax | Category::Eof => Self::NoJson(error),
        }
    }
}

impl From<BodyError> for Failure {
    fn from(error: BodyError) -> Self {
        Self::bad_request(error.to_string())
    }
}

impl From<BodyError> for OperationFailure {
    fn from(error: BodyError) -> Self {
        Self::bad_request(error.to_string())
    }
}

fn known_members(known: &[&str]) -> String {
    if known.is_empty() {
        return "there is none that says anything".to_owned();
    }
    format!("there are {}", known.join(", "))
}

/// Reads a body. An empty one is `null`.
pub(super) fn value(body: &[u8]) -> Result<Value, BodyError> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice::<MembersOnce>(body)?;
    Ok(serde_json::from_slice(body)?)
}

/// Reads a body that is an object. An empty one, and `null`, have no members.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, BodyError> {
    match value(body)? {
        Value::Null => Ok(Map::new()),
        Value::Object(members) => Ok(members),
        other => Err(BodyError::NoObject(kind(&other))),
    }
}

/// Refuses members that are neither known nor accepted without an effect, and names the latter in the log.
pub(super) fn check_members(
    body: &Map<String, Value>,
    known: &'static [&'static str],
    without_effect: &[&str],
) -> Result<(), BodyError> {
    let others = || body.keys().filter(|name| !known.contains(&name.as_str()));
    if let Some(name) = others().find(|name| !without_effect.contains(&name.as_str())) {
        let name = name.clone();
        return Err(BodyError::Unknown { name, known });
    }
    let names: Vec<&str> = others().map(String::as_str).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        tracing::warn!(names, "members of a request that have no effect here");
    }
    Ok(())
}

/// Any value whose objects have each member once. Of those that are there twice the last would count, and nobody could
/// tell which one was meant.
struct MembersOnce;

impl<'de> Deserialize<'de> for MembersOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for MembersOnce {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if seen.contains(&name) {
                let name = name.escape_debug();
                return Err(A::Error::custom(format_args!("`{name}` is given twice")));
            }
            members.next_value::<Self>()?;
            seen.insert(name);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_given_once_is_read_as_it_is() {
        for text in [
            r#"{"a":[1,-2,2.5,"b",true,null,{"c":{}}],"b":{"a":1},"c":[{"a":1},{"a":2}]}"#,
            "18446744073709551615",
            "1e300",
            "[]",
        ] {
            let expected: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(value(text.as_bytes()).expect(text), expected);
        }
        assert_eq!(value(b"").expect("nothing"), Value::Null);
        for nothing in ["", "null", " {} "] {
            assert_eq!(object(nothing.as_bytes()).expect(nothing), Map::new());
        }
    }

    #[test]
    fn what_is_wrong_with_a_body_is_told() {
        for (text, words) in [
            (r#"{"a":"#, "no JSON: EOF"),
            ("{} {}", "no JSON: trailing"),
            ("[]", "is a list and no object"),
            ("5", "is a number and no object"),
            (
                r#"{"a":1,"a":1}"#,
                "not clear: `a` is given twice at line 1 column",
            ),
            (r#"{"b":[{"a":{"c":1,"b":2,"c":3}}]}"#, "`c` is given twice"),
            // The same name, written in two ways.
            (r#"{"a":1,"\u0061":2}"#, "`a` is given twice"),
        ] {
            let error = object(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn members_that_nobody_reads_are_refused_by_name() {
        let body = |body: Value| body.as_object().cloned().expect("an object");
        let check = |given| check_members(&body(given), &["status"], &["projectId"]);
        check(json!({})).expect("nothing");
        check(json!({ "status": 1, "projectId": 2 })).expect("known members");
        let error = check(json!({ "projectId": 1, "State": 2 })).expect_err("unknown");
        assert_eq!(
            error.to_string(),
            "State: there is no such member; there are status"
        );
        let error = check_members(&body(json!({ "a": 1 })), &[], &[]).expect_err("unknown");
        assert!(
            error.to_string().starts_with("a: there is no such member"),
            "{error}"
        );
    }
}
