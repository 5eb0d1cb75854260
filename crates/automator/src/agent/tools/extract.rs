//! `extract`: a value off the page, checked.

use automator_llm::Tool;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Outcome, Place, spec as tool};
use crate::agent::plan::PlanStep;
use crate::{Error, Result};

#[derive(Debug, Deserialize)]
pub(super) struct Input {
    instruction: String,
    #[serde(default)]
    schema: Option<Value>,
}

pub(super) fn spec() -> Tool {
    tool(
        "extract",
        "Reads data off the page, also of a long one.",
        json!({
            "instruction": { "type": "string" },
            "schema": { "type": "object", "description": "JSON Schema of the result." },
        }),
        &["instruction"],
    )
}

pub(super) async fn run(place: &Place<'_>, input: Input) -> Result<Outcome> {
    let schema = schema(input.schema)?;
    let value = place
        .run
        .extract(place.page, &input.instruction, schema.clone())
        .await?;
    let value = told(place.run.mask_value(value), schema.is_some());
    let mut outcome = Outcome::done("done").detail("extraction", value.clone());
    outcome.data = Some(match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    Ok(outcome.planned(vec![PlanStep::Extract {
        instruction: input.instruction,
        schema,
        value,
    }]))
}

/// What is told of a value: without a schema the text that it is made of.
pub(in crate::agent) fn told(value: Value, has_schema: bool) -> Value {
    match value {
        Value::Object(mut members) if !has_schema && members.len() == 1 => {
            members.remove("extraction").unwrap_or_default()
        }
        other => other,
    }
}

/// Some models write a schema as text, and some an empty one.
fn schema(given: Option<Value>) -> Result<Option<Value>> {
    let schema = match given {
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => Some(
            serde_json::from_str(&text)
                .map_err(|_| Error::invalid_argument("schema: it is no JSON Schema"))?,
        ),
        other => other,
    };
    Ok(schema
        .filter(|schema| !schema.is_null() && schema.as_object().is_none_or(|members| !members.is_empty())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_may_come_as_text_and_an_empty_one_is_none() {
        assert_eq!(schema(None).unwrap(), None);
        assert_eq!(schema(Some(json!({}))).unwrap(), None);
        assert_eq!(schema(Some(json!(" "))).unwrap(), None);
        let number = json!({ "type": "number" });
        assert_eq!(schema(Some(number.clone())).unwrap(), Some(number.clone()));
        assert_eq!(
            schema(Some(json!("{\"type\":\"number\"}"))).unwrap(),
            Some(number)
        );
        assert!(schema(Some(json!("a number"))).is_err());
    }
}
