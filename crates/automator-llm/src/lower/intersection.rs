//! Schemas that must all apply, written as one.

use serde_json::{Map, Value};

use super::Inexpressible;
use crate::schema::normalise::reference_name;

/// Most branches within branches.
const MOST_ROUNDS: usize = 16;

/// Merges the branches of `allOf` into the schema itself.
///
/// Works where the branches add to each other: more members, more required names, closed beside open. Two rules
/// for the same thing are [`Inexpressible::Intersection`].
pub(super) fn without_all_of(
    members: &Map<String, Value>,
    definitions: Option<&Map<String, Value>>,
) -> Result<Map<String, Value>, Inexpressible> {
    let mut merged = members.clone();
    for _ in 0..MOST_ROUNDS {
        let Some(Value::Array(branches)) = merged.shift_remove("allOf") else {
            return Ok(merged);
        };
        for branch in &branches {
            let target = reference_name(branch).and_then(|name| definitions?.get(name));
            merge(&mut merged, target.unwrap_or(branch))?;
        }
    }
    Err(Inexpressible::Intersection)
}

/// Adds the keywords of one branch of `allOf`.
fn merge(into: &mut Map<String, Value>, branch: &Value) -> Result<(), Inexpressible> {
    let branch = match branch {
        Value::Object(branch) => branch,
        Value::Bool(true) => return Ok(()),
        _ => return Err(Inexpressible::Intersection),
    };
    for (keyword, value) in branch {
        match (keyword.as_str(), into.get_mut(keyword), value) {
            (_, None, _) => {
                into.insert(keyword.clone(), value.clone());
            }
            (_, Some(present), _) if present == value => {}
            ("description" | "title" | "default" | "examples", Some(_), _) => {}
            ("properties", Some(Value::Object(present)), Value::Object(more)) => {
                for (name, schema) in more {
                    if present.get(name).is_some_and(|known| known != schema) {
                        return Err(Inexpressible::Intersection);
                    }
                    present.insert(name.clone(), schema.clone());
                }
            }
            ("required" | "allOf", Some(Value::Array(present)), Value::Array(more)) => {
                present.extend(more.iter().cloned());
            }
            // Closed beside open: every member that any branch names is known by now or soon.
            ("additionalProperties", Some(present), Value::Bool(true)) if present == &Value::Bool(false) => {}
            ("additionalProperties", Some(present), Value::Bool(false)) if present == &Value::Bool(true) => {
                *present = Value::Bool(false);
            }
            _ => return Err(Inexpressible::Intersection),
        }
    }
    Ok(())
}
