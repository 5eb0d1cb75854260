//! The schemas of bodies and answers: those of `schemas.json`, and the core's own of actions and options.

use automator::{ActOptions, Action, AgentExecuteOptions, ExtractOptions, ObserveOptions};
use serde_json::{Map, Value};

/// All schemas, by name.
pub(super) fn all() -> Map<String, Value> {
    // A test reads the file, so it is always JSON.
    let mut schemas: Map<String, Value> =
        serde_json::from_str(include_str!("schemas.json")).unwrap_or_default();
    for (name, schema) in [
        ("Action", schemars::schema_for!(Action)),
        ("ActOptions", schemars::schema_for!(ActOptions)),
        ("AgentExecuteOptions", schemars::schema_for!(AgentExecuteOptions)),
        ("ExtractOptions", schemars::schema_for!(ExtractOptions)),
        ("ObserveOptions", schemars::schema_for!(ObserveOptions)),
    ] {
        let mut schema = schema.to_value();
        // Definitions are shared by all, so they move up.
        if let Some(Value::Object(definitions)) =
            schema.as_object_mut().and_then(|members| members.remove("$defs"))
        {
            schemas.extend(definitions);
        }
        schemas.insert(name.to_owned(), schema);
    }
    schemas
        .into_iter()
        .map(|(name, schema)| (name, moved_up(schema)))
        .collect()
}

/// References to definitions, as references to where they are now.
fn moved_up(schema: Value) -> Value {
    match schema {
        Value::String(text) => match text.strip_prefix("#/$defs/") {
            Some(name) => format!("#/components/schemas/{name}").into(),
            None => text.into(),
        },
        Value::Array(items) => items.into_iter().map(moved_up).collect(),
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| name != "$schema")
            .map(|(name, value)| (name, moved_up(value)))
            .collect(),
        other => other,
    }
}
