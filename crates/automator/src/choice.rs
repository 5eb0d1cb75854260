//! What a model may answer when it chooses elements: the schemas, and the answers as values.

use std::sync::LazyLock;

use automator_llm::{ResponseSchema, Urls, Violation};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::action::Method;

/// An element and what to do with it, as a model gives it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Choice {
    pub(crate) element_id: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
}

/// The answer to the question of `act()`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decision {
    pub(crate) action: Option<Choice>,
    #[serde(default)]
    pub(crate) two_step: bool,
}

/// The answer to the question of `observe()`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Found {
    elements: Vec<Choice>,
}

/// A schema as it is sent, and the wider one that an answer is held against: a method that does not exist is no
/// reason to ask again, it is an action that cannot be done.
pub(crate) struct Shape {
    pub(crate) sent: ResponseSchema,
    accepted: ResponseSchema,
}

static DECISION: LazyLock<Shapes> = LazyLock::new(|| {
    let shape = |choice: Value| {
        json!({
            "type": "object",
            "properties": {
                "action": { "anyOf": [choice, { "type": "null" }], "description": "Null when nothing fits." },
                "twoStep": { "type": "boolean", "description": "Whether a second action has to follow." },
            },
            "required": ["action", "twoStep"],
            "additionalProperties": false,
        })
    };
    Shapes::new(&shape)
});

static FOUND: LazyLock<Shapes> = LazyLock::new(|| {
    let shape = |choice: Value| {
        json!({
            "type": "object",
            "properties": { "elements": { "type": "array", "items": choice } },
            "required": ["elements"],
            "additionalProperties": false,
        })
    };
    Shapes::new(&shape)
});

/// A schema by what may be chosen.
struct Shapes {
    usual: Value,
    with_files: Value,
    accepted: Value,
}

impl Shapes {
    fn new(shape: &dyn Fn(Value) -> Value) -> Self {
        let mut with_files = Method::OFFERED.to_vec();
        with_files.push(Method::FOR_FILES);
        let one_of = |methods: &[&str]| shape(choice(&json!({ "type": "string", "enum": methods })));
        Self {
            usual: one_of(&Method::OFFERED),
            with_files: one_of(&with_files),
            accepted: shape(choice(&json!({ "type": "string" }))),
        }
    }
}

fn choice(method: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "elementId": { "type": "string", "pattern": r"^\d+-\d+$", "description": "The id of the element." },
            "description": { "type": "string", "description": "Which element it is, in a few words." },
            "method": method,
            "arguments": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["elementId", "description", "method", "arguments"],
        "additionalProperties": false,
    })
}

impl Shape {
    /// One action or none.
    pub(crate) fn decision(gives_files: bool) -> Result<Self> {
        Self::of(&DECISION, gives_files)
    }

    /// Any number of elements.
    pub(crate) fn found(gives_files: bool) -> Result<Self> {
        Self::of(&FOUND, gives_files)
    }

    fn of(shapes: &Shapes, gives_files: bool) -> Result<Self> {
        let sent = if gives_files {
            &shapes.with_files
        } else {
            &shapes.usual
        };
        Ok(Self {
            sent: ResponseSchema::new(sent)?,
            accepted: ResponseSchema::new(&shapes.accepted)?,
        })
    }

    /// Judges an answer to the question of `act()`.
    pub(crate) fn to_decision(&self, answer: Value) -> Result<Decision, Vec<Violation>> {
        self.read(answer)
    }

    /// Judges an answer to the question of `observe()`.
    pub(crate) fn to_elements(&self, answer: Value) -> Result<Vec<Choice>, Vec<Violation>> {
        self.read(answer).map(|found: Found| found.elements)
    }

    fn read<T: serde::de::DeserializeOwned>(&self, answer: Value) -> Result<T, Vec<Violation>> {
        let value = self.accepted.restore(answer, &Urls::NONE)?;
        serde_json::from_value(value).map_err(|error| {
            vec![Violation {
                pointer: String::new(),
                keyword: "type".to_owned(),
                message: error.to_string(),
            }]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button() -> Value {
        json!({ "elementId": "0-3", "description": "the button", "method": "click", "arguments": [] })
    }

    #[test]
    fn answers_are_read() {
        let shape = Shape::decision(false).unwrap();
        let decision = shape
            .to_decision(json!({ "action": button(), "twoStep": true }))
            .unwrap();
        assert!(decision.two_step && decision.action.unwrap().element_id == "0-3");
        let nothing = shape
            .to_decision(json!({ "action": null, "twoStep": false }))
            .unwrap();
        assert_eq!(nothing.action, None);
        let found = Shape::found(false)
            .unwrap()
            .to_elements(json!({ "elements": [button(), button()] }))
            .unwrap();
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_method_that_does_not_exist_is_accepted_though_not_offered() {
        let shape = Shape::decision(false).unwrap();
        assert!(!shape.sent.to_send().to_string().contains("not-supported"));
        let mut odd = button();
        odd["method"] = "not-supported".into();
        assert!(
            shape
                .to_decision(json!({ "action": odd, "twoStep": false }))
                .is_ok()
        );
        assert!(
            shape
                .to_decision(json!({ "action": { "elementId": "x" }, "twoStep": false }))
                .is_err()
        );
    }
}
