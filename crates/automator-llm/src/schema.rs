//! The schema of an answer: what the model sees, and the way back to what the caller gets.
//!
//! Pure. A caller's JSON Schema becomes
//! - the schema that is sent ([`ResponseSchema::to_send`]): an object at the root, addresses as element ids;
//! - the way back ([`ResponseSchema::restore`]): ids looked up, `null` for a missing member dropped,
//!   validated against every keyword, unwrapped.
//!
//! `normalise.rs` brings schemas into one form, `urls.rs` handles addresses, `conform.rs` repairs values whose
//! meaning is plain, `satisfiable.rs` refuses schemas that nothing fits, `document.rs` walks schemas. What a
//! provider's dialect cannot express is taken out later, by `lower.rs`.

mod conform;
mod document;
pub(crate) mod keywords;
pub(crate) mod normalise;
mod number_text;
mod satisfiable;
mod urls;

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};

pub use urls::Urls;

use crate::error::{LlmError, Violation};
use crate::request::ResponseFormat;
use conform::{Conformer, Repairs};
use document::{Budget, Document, STEPS_A_VALUE};
use urls::{Reading, Restorer};

/// The pattern of an element id.
pub(crate) const ID_PATTERN: &str = r"^\d+-\d+$";

/// Marks a string member that holds an address. Never leaves this module.
const URL_MARK: &str = "x-automator-address";

/// The member that carries an answer which is no object.
const WRAPPER: &str = "value";

/// Deepest nesting of a value that is walked.
const DEEPEST_VALUE: usize = 160;

/// Most violations that are reported.
const MOST_VIOLATIONS: usize = 20;

/// The schema of an answer.
///
/// Built once a call; the validator is compiled here.
///
/// ```
/// use automator_llm::{ResponseSchema, Urls};
/// use serde_json::json;
///
/// let schema = ResponseSchema::new(&json!({
///     "type": "array",
///     "items": {
///         "type": "object",
///         "properties": { "name": { "type": "string" }, "link": { "type": "string", "format": "uri" } },
///         "required": ["name"]
///     }
/// }))?;
/// let urls = Urls {
///     by_id: &|id| (id == "0-4").then(|| "https://lamps.example/arc".to_owned()),
///     is_known: &|_| false,
/// };
/// let answer = json!({ "value": [{ "name": "Arc", "link": "0-4" }, { "name": "Disc", "link": null }] });
/// assert_eq!(
///     schema.restore(answer, &urls).unwrap(),
///     json!([{ "name": "Arc", "link": "https://lamps.example/arc" }, { "name": "Disc" }])
/// );
/// # Ok::<(), automator_llm::LlmError>(())
/// ```
pub struct ResponseSchema {
    document: Document,
    wrapped: bool,
    has_urls: bool,
    sent: Arc<Value>,
    reply: Validator,
    result: Validator,
}

impl ResponseSchema {
    /// Takes a caller's schema.
    ///
    /// Drafts 4 to 2020-12; without `$schema` 2020-12. References must stay within the schema.
    ///
    /// # Errors
    ///
    /// [`LlmError::InvalidSchema`] with the place: not valid by its draft, a reference that leads nowhere,
    /// outside or in a circle, a pattern that does not compile, more than 128 levels or 50,000 values; and one
    /// that plainly no value can fit, such as `minimum` above `maximum` or an empty `enum`.
    pub fn new(schema: &Value) -> Result<Self, LlmError> {
        let normal = normalise::normalise(schema)?;
        satisfiable::check(schema, normal.draft)?;
        let wrapped = !is_plain_object(&normal.root);
        let mut root = if wrapped { wrap(normal.root) } else { normal.root };
        if let Value::Object(members) = &mut root
            && !normal.definitions.is_empty()
        {
            members.insert("$defs".to_owned(), Value::Object(normal.definitions));
        }
        let has_urls = urls::mark(&mut root);
        let document = Document { root };
        let result = compile(
            &urls::read_as(&document.root, Reading::Result),
            normal.draft,
            wrapped,
        )?;
        let reply = if has_urls {
            compile(
                &urls::read_as(&document.root, Reading::Reply),
                normal.draft,
                wrapped,
            )?
        } else {
            result.clone()
        };
        Ok(Self {
            sent: Arc::new(urls::read_as(&document.root, Reading::Sent)),
            document,
            wrapped,
            has_urls,
            reply,
            result,
        })
    }

    /// The schema for the model: an object, with ids in the place of addresses, `$ref` only to `#/$defs/…`.
    /// Nothing is left out yet for the sake of a provider.
    pub fn to_send(&self) -> &Arc<Value> {
        &self.sent
    }

    /// The schema as the response format of a request.
    pub fn response_format(&self, name: impl Into<String>) -> ResponseFormat {
        ResponseFormat::Json {
            name: name.into(),
            schema: Arc::clone(&self.sent),
        }
    }

    /// Whether the caller's schema is no object, so that the answer stands under one member `value`.
    pub fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// The answer that a value of the caller's schema would come from: [`restore`](Self::restore) the other way.
    pub fn as_answer(&self, value: Value) -> Value {
        if self.wrapped {
            json!({ WRAPPER: value })
        } else {
            value
        }
    }

    /// Whether any member is an address, so that the model needs element ids.
    pub fn has_urls(&self) -> bool {
        self.has_urls
    }

    /// From the model's JSON to the caller's value.
    ///
    /// `null` members that are optional and may not be `null` are dropped; a `null` that the caller's schema
    /// allows stays. Ids become addresses; an address that stands on the page stays as it is. Strings that
    /// only look like ids stay.
    ///
    /// # Errors
    ///
    /// Every place that does not fit, at most 20, in the caller's shape. An id that does not exist is one.
    pub fn restore(&self, value: Value, urls: &Urls<'_>) -> Result<Value, Vec<Violation>> {
        let mut value = Conformer::new(&self.document, Repairs::OptionalNulls).conform(
            &self.document.root,
            value,
            DEEPEST_VALUE,
        );
        let mut violations = Vec::new();
        if self.has_urls {
            let mut restorer = Restorer {
                document: &self.document,
                urls: *urls,
                budget: Budget::of(STEPS_A_VALUE),
                violations,
            };
            restorer.restore(&self.document.root, &mut value, "", DEEPEST_VALUE);
            violations = restorer.violations;
        }
        for error in self.result.iter_errors(&value).take(MOST_VIOLATIONS) {
            let violation = violation(&error);
            if !violations.iter().any(|known| known.pointer == violation.pointer) {
                violations.push(violation);
            }
        }
        violations.truncate(MOST_VIOLATIONS);
        if violations.is_empty() {
            return Ok(self.unwrap(value));
        }
        for violation in &mut violations {
            violation.pointer = self.caller_pointer(&violation.pointer);
        }
        Err(violations)
    }

    /// The place in the model's shape that a pointer into the caller's shape means.
    pub fn reply_pointer(&self, pointer: &str) -> String {
        if self.wrapped {
            format!("/{WRAPPER}{pointer}")
        } else {
            pointer.to_owned()
        }
    }

    fn caller_pointer(&self, pointer: &str) -> String {
        if self.wrapped {
            pointer
                .strip_prefix(&format!("/{WRAPPER}"))
                .unwrap_or_default()
                .to_owned()
        } else {
            pointer.to_owned()
        }
    }

    fn unwrap(&self, value: Value) -> Value {
        match value {
            Value::Object(mut members) if self.wrapped => members.shift_remove(WRAPPER).unwrap_or_default(),
            other => other,
        }
    }

    /// Whether a reply fits as it is, ids not yet looked up.
    pub(crate) fn fits(&self, value: &Value) -> bool {
        self.reply.is_valid(value)
    }

    /// Repairs what is plain in a reply; also says how much was lost and how much was changed.
    pub(crate) fn conform(&self, value: Value) -> Conformed {
        let mut conformer = Conformer::new(&self.document, Repairs::All);
        let value = conformer.conform(&self.document.root, value, DEEPEST_VALUE);
        Conformed {
            mismatch: self.document.mismatch(&self.document.root, &value),
            losses: conformer.losses,
            edits: conformer.edits,
            value,
        }
    }

    /// The root of the schema, `value` wrapper included.
    pub(crate) fn root(&self) -> &Map<String, Value> {
        static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.document.root.as_object().unwrap_or(&EMPTY)
    }

    /// Whether the schema of a root member names a type, such as `array`.
    pub(crate) fn member_takes(&self, name: &str, type_name: &str) -> bool {
        document::property(self.root(), name)
            .map(|schema| self.document.resolve(schema))
            .and_then(Value::as_object)
            .is_some_and(|members| document::types(members).contains(&type_name))
    }
}

impl std::fmt::Debug for ResponseSchema {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ResponseSchema({})", self.sent)
    }
}

/// A reply after repair.
#[derive(Debug)]
pub(crate) struct Conformed {
    pub(crate) value: Value,
    /// How badly its shape fits; 0 is a fit.
    pub(crate) mismatch: u32,
    /// Members that were dropped because the schema forbids them.
    pub(crate) losses: u32,
    /// Values that were written differently.
    pub(crate) edits: u32,
}

/// The element id that a text is: bare, in brackets, or at the head of a copied line (`[0-5] link: Sale`).
pub(crate) fn element_id(text: &str) -> Option<&str> {
    let text = text.trim();
    let id = match text.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0.trim(),
        None => text,
    };
    let (frame, number) = id.split_once('-')?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(frame) && digits(number)).then_some(id)
}

/// Whether a schema is one that every provider takes at the root: an object and nothing beside.
fn is_plain_object(root: &Value) -> bool {
    let Value::Object(members) = root else {
        return false;
    };
    let object = match members.get("type") {
        Some(name) => name == "object",
        None => members.contains_key("properties"),
    };
    let mixed = ["$ref", "anyOf", "oneOf", "allOf", "not", "if", "enum", "const"];
    object && !mixed.iter().any(|keyword| members.contains_key(*keyword))
}

fn wrap(root: Value) -> Value {
    let mut wrapped = json!({
        "type": "object",
        "properties": {},
        "required": [WRAPPER],
        "additionalProperties": false
    });
    wrapped["properties"][WRAPPER] = root;
    wrapped
}

fn compile(schema: &Value, draft: Draft, wrapped: bool) -> Result<Validator, LlmError> {
    jsonschema::options()
        .with_draft(draft)
        .should_validate_formats(true)
        .offline()
        .build(schema)
        .map_err(|error| {
            let place = error.instance_path().as_str();
            let prefix = format!("/properties/{WRAPPER}");
            LlmError::InvalidSchema {
                pointer: if wrapped {
                    place.strip_prefix(&prefix).unwrap_or(place)
                } else {
                    place
                }
                .to_owned(),
                reason: crate::preview(&error.to_string()),
            }
        })
}

/// One error of the validator. Of alternatives that all failed, the one that came nearest speaks.
fn violation(error: &jsonschema::ValidationError<'_>) -> Violation {
    if let Some(inner) = nearest_alternative(error) {
        return violation(inner);
    }
    Violation {
        pointer: error.instance_path().as_str().to_owned(),
        keyword: error.kind().keyword().to_owned(),
        message: crate::preview(&error.to_string()),
    }
}

fn nearest_alternative<'a>(
    error: &'a jsonschema::ValidationError<'_>,
) -> Option<&'a jsonschema::ValidationError<'static>> {
    let (ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context }) =
        error.kind()
    else {
        return None;
    };
    let here = error.instance_path().as_str().len();
    // An alternative that only fails on the type of the whole was not meant.
    let deeper = |branch: &&Vec<jsonschema::ValidationError<'static>>| {
        branch
            .iter()
            .all(|inner| inner.instance_path().as_str().len() > here)
            || branch
                .iter()
                .all(|inner| inner.kind().keyword() != "type" && inner.kind().keyword() != "const")
    };
    let mut meant = context.iter().filter(deeper);
    match (meant.next(), meant.next()) {
        (Some(branch), None) => branch.first(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
