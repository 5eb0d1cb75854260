//! Whether what a run has given at its end follows from what it has extracted; pure.

use serde_json::Value;

/// A value that holds no others, and the name of the member that it is, or is in.
type Part<'v> = (Option<&'v str>, &'v Value);

/// Whether each part of an output is a part of the same name of something that was extracted.
///
/// A part that is merely equal does not do: the five of `{ "price": 5 }` is not that of `{ "stock": 5 }`.
pub(super) fn vouched_for<'v>(output: &'v Value, extractions: impl Iterator<Item = &'v Value>) -> bool {
    let mut known = Vec::new();
    for extraction in extractions {
        take_apart(None, extraction, &mut known);
    }
    let mut parts = Vec::new();
    take_apart(None, output, &mut parts);
    parts.iter().all(|(name, value)| {
        known
            .iter()
            .any(|(known_name, known)| name == known_name && is_same(value, known))
    })
}

/// Whether two values say the same: a whole number may be written either way.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, one)| b.get(name).is_some_and(|other| is_same(one, other)))
        }
        _ => one == other,
    }
}

/// An empty list and an empty object are parts, too: they say that there was nothing.
fn take_apart<'v>(name: Option<&'v str>, value: &'v Value, parts: &mut Vec<Part<'v>>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                take_apart(name.or(Some("")), item, parts);
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                take_apart(Some(name), member, parts);
            }
        }
        _ => parts.push((name, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn vouched(output: &Value, extractions: &[Value]) -> bool {
        vouched_for(output, extractions.iter())
    }

    #[test]
    fn each_part_needs_one_of_its_name_and_value() {
        let lamps = json!([{ "name": "Arc", "price": 49.0 }, { "name": "Orb", "price": 20 }]);
        for (output, expected) in [
            (json!({ "name": "Arc", "price": 49 }), true),
            (json!({ "dearest": [{ "name": "Arc" }] }), true),
            (json!({ "name": "Arc", "price": 50 }), false),
            (json!({ "stock": 20 }), false),
            (json!({ "lamps": [] }), false),
            (json!({}), false),
            (json!(20), false),
            (json!({ "name": null }), false),
        ] {
            assert_eq!(
                vouched(&output, std::slice::from_ref(&lamps)),
                expected,
                "{output}"
            );
            assert!(!vouched(&output, &[]), "{output}");
        }
        assert!(vouched(&json!(5), &[json!(5)]));
        assert!(vouched(
            &json!({ "a": 1, "b": [] }),
            &[json!({ "a": 1 }), json!({ "b": [] })]
        ));
        assert!(!vouched(&json!({ "count": 3 }), &[json!([1, 2, 3])]));
    }

    #[test]
    fn whole_numbers_are_the_same_however_they_are_written() {
        assert!(is_same(&json!({ "a": [5, "x"] }), &json!({ "a": [5.0, "x"] })));
        for (one, other) in [
            (json!(5), json!("5")),
            (json!([1]), json!([1, 2])),
            (json!({ "a": 1 }), json!({ "b": 1 })),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)),
        ] {
            assert!(!is_same(&one, &other), "{one} {other}");
        }
    }
}
