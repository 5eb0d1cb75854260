//! A schema in the known form, with ways to walk it beside a value.

use serde_json::{Map, Value};

use super::URL_MARK;
use super::normalise::reference_name;

/// Most references followed in a row.
const MOST_HOPS: usize = 64;

/// Steps that a walk may take, so that schemas whose alternatives multiply end in time.
#[derive(Debug)]
pub(super) struct Budget(u32);

impl Budget {
    pub(super) fn of(steps: u32) -> Self {
        Self(steps)
    }

    /// Takes a step; false when none is left.
    pub(super) fn spend(&mut self) -> bool {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

/// Steps for walking one value beside its schema: enough for a million members.
pub(super) const STEPS_A_VALUE: u32 = 2_000_000;

/// Steps for judging how a value fits one alternative.
const STEPS_A_JUDGEMENT: u32 = 1_000;

/// A schema of the form that [`normalise`](super::normalise) makes.
#[derive(Debug)]
pub(super) struct Document {
    /// The schema, `$defs` included.
    pub(super) root: Value,
}

impl Document {
    /// Follows references; a schema that is none comes back as it is.
    pub(super) fn resolve<'a>(&'a self, node: &'a Value) -> &'a Value {
        let mut node = node;
        for _ in 0..MOST_HOPS {
            match reference_name(node).and_then(|name| self.root.get("$defs")?.get(name)) {
                Some(target) => node = target,
                None => return node,
            }
        }
        node
    }

    /// Whether `null` fits a schema.
    pub(super) fn allows_null(&self, node: &Value) -> bool {
        self.allows_null_within(node, &mut Budget::of(2_000), MOST_HOPS)
    }

    fn allows_null_within(&self, node: &Value, budget: &mut Budget, depth: usize) -> bool {
        let node = self.resolve(node);
        let Value::Object(members) = node else {
            return node.as_bool().unwrap_or(true);
        };
        let Some(deeper) = depth.checked_sub(1).filter(|_| budget.spend()) else {
            return false;
        };
        if let Some(types) = members.get("type") {
            let fits = match types {
                Value::String(name) => name == "null",
                Value::Array(names) => names.iter().any(|name| name == "null"),
                _ => true,
            };
            if !fits {
                return false;
            }
        }
        if members
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| !values.contains(&Value::Null))
            || members.get("const").is_some_and(|value| !value.is_null())
        {
            return false;
        }
        let mut fits = |branch: &Value| self.allows_null_within(branch, budget, deeper);
        branches(members, "allOf").iter().all(&mut fits)
            && ["anyOf", "oneOf"].iter().all(|keyword| {
                let list = branches(members, keyword);
                list.is_empty() || list.iter().any(&mut fits)
            })
    }

    /// How badly a value fits a schema, judged by its shape alone: types, constants, required and unexpected
    /// members. 0 is a fit. Bounds, patterns and formats are left to the validator.
    ///
    /// Looks at 1,000 places at most; what lies beyond counts as a fit.
    pub(super) fn mismatch(&self, node: &Value, value: &Value) -> u32 {
        self.mismatch_within(node, value, &mut Budget::of(STEPS_A_JUDGEMENT), 64)
    }

    fn mismatch_within(&self, node: &Value, value: &Value, budget: &mut Budget, depth: usize) -> u32 {
        let node = self.resolve(node);
        let Value::Object(members) = node else {
            return if node.as_bool() == Some(false) { 100 } else { 0 };
        };
        let Some(deeper) = depth.checked_sub(1).filter(|_| budget.spend()) else {
            return 0;
        };
        let mut sum = own_mismatch(members, value);
        for branch in branches(members, "allOf") {
            sum = sum.saturating_add(self.mismatch_within(branch, value, budget, deeper));
        }
        for keyword in ["anyOf", "oneOf"] {
            let best = branches(members, keyword)
                .iter()
                .map(|branch| self.mismatch_within(branch, value, budget, deeper))
                .min();
            sum = sum.saturating_add(best.unwrap_or(0));
        }
        match value {
            Value::Object(parts) => {
                for (name, part) in parts {
                    if let Some(schema) = property(members, name) {
                        sum = sum.saturating_add(self.mismatch_within(schema, part, budget, deeper));
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate().take(200) {
                    if let Some(schema) = item_schema(members, index) {
                        sum = sum.saturating_add(self.mismatch_within(schema, item, budget, deeper));
                    }
                }
            }
            _ => {}
        }
        sum
    }
}

/// Type, constant, choice, required and unexpected members of one schema.
fn own_mismatch(members: &Map<String, Value>, value: &Value) -> u32 {
    let mut sum = 0;
    if !has_type(members, value) {
        sum += 100;
    }
    if members.get("const").is_some_and(|expected| expected != value)
        || members
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|choices| !choices.contains(value))
    {
        sum += 50;
    }
    if members.get(URL_MARK).is_some() && value.as_str().is_some_and(|text| !looks_like_link(text)) {
        sum += 5;
    }
    let Value::Object(parts) = value else { return sum };
    let missing = required(members)
        .filter(|name| !parts.contains_key(*name))
        .count();
    sum += 10 * u32::try_from(missing).unwrap_or(u32::MAX / 100);
    if members.get("additionalProperties") == Some(&Value::Bool(false)) {
        let extra = parts
            .keys()
            .filter(|name| property(members, name).is_none())
            .count();
        sum += 5 * u32::try_from(extra).unwrap_or(u32::MAX / 100);
    }
    sum
}

/// Whether a text may be a link of the model's: an element id or an address.
fn looks_like_link(text: &str) -> bool {
    super::element_id(text).is_some() || text.contains("://") || text.starts_with("mailto:")
}

/// The schemas in the list of a keyword.
pub(super) fn branches<'a>(members: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    members
        .get(keyword)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The alternatives of a schema.
pub(super) fn alternatives(members: &Map<String, Value>) -> &[Value] {
    let any = branches(members, "anyOf");
    if any.is_empty() {
        branches(members, "oneOf")
    } else {
        any
    }
}

/// The schema of a named member, when the schema says one.
pub(super) fn property<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    if let Some(schema) = members
        .get("properties")
        .and_then(|properties| properties.get(name))
    {
        return Some(schema);
    }
    // Which pattern a name fits is left to the validator, so with patterns no other rule is applied.
    if members.contains_key("patternProperties") {
        return Some(&Value::Bool(true));
    }
    members
        .get("additionalProperties")
        .filter(|schema| schema.is_object())
}

/// The schema of an item.
pub(super) fn item_schema(members: &Map<String, Value>, index: usize) -> Option<&Value> {
    let (tuple, rest) = match (members.get("prefixItems"), members.get("items")) {
        (Some(Value::Array(tuple)), rest) => (tuple.as_slice(), rest),
        (None, Some(Value::Array(tuple))) => (tuple.as_slice(), members.get("additionalItems")),
        (_, rest) => (&[][..], rest),
    };
    tuple.get(index).or(rest).filter(|schema| schema.is_object())
}

/// Names of required members.
pub(super) fn required(members: &Map<String, Value>) -> impl Iterator<Item = &str> {
    branches(members, "required").iter().filter_map(Value::as_str)
}

/// Names of the types that a schema allows by itself; empty when it does not say.
pub(super) fn types(members: &Map<String, Value>) -> Vec<&str> {
    match members.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => match (
            members.get("const"),
            members.get("enum").and_then(Value::as_array),
        ) {
            (Some(value), _) => vec![type_name(value)],
            (None, Some(values)) => values.iter().map(type_name).collect(),
            (None, None) => Vec::new(),
        },
    }
}

/// Whether a value is of a type that the schema allows.
pub(super) fn has_type(members: &Map<String, Value>, value: &Value) -> bool {
    let types = types(members);
    let own = type_name(value);
    types.is_empty()
        || types.contains(&own)
        || own == "integer" && types.contains(&"number")
        || own == "number"
            && types.contains(&"integer")
            && value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
