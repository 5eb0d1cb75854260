//! Options of `extract` on a page, with the names and rules of version 2 of the interface.

use std::time::Duration;

use automator_llm::ModelOptions;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::read;
use crate::Result;

/// Options of one [`Page::extract_with`](crate::Page::extract_with) call.
///
/// ```
/// use automator::{PageExtractOptions, from_json};
///
/// let options = serde_json::json!({ "instruction": "the price", "domSettleTimeoutMs": 2000 });
/// let options: PageExtractOptions = from_json("options", &options)?;
/// assert!(!options.iframes);
/// # Ok::<(), automator::Error>(())
/// ```
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PageExtractOptions {
    /// What to extract. Without it, and without a schema, the result is the page as text.
    pub instruction: Option<String>,
    /// The JSON Schema of the result, which must be one of an object. Default: text.
    pub schema: Option<Value>,
    /// Limits the extraction to one part of the page; see [`ExtractOptions::selector`](crate::ExtractOptions).
    /// Default: the whole page.
    pub selector: Option<String>,
    /// Reads the content of frames, too. Default: false.
    pub iframes: bool,
    /// The model of this call, as `provider/model`. Default: that of the session.
    pub model_name: Option<String>,
    /// Options of the model, as `apiKey` and `baseURL`.
    pub model_client_options: Option<Map<String, Value>>,
    /// How long the page may take to come to rest before it is read; zero reads it as it is. Default: that of the
    /// session. In JSON: milliseconds.
    #[serde(
        rename = "domSettleTimeoutMs",
        deserialize_with = "read::optional_milliseconds"
    )]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub dom_settle_timeout: Option<Duration>,
}

impl PageExtractOptions {
    /// The model that is asked for; none when it is the session's.
    ///
    /// # Errors
    /// Options that the model cannot take, and a name that is none.
    pub(crate) fn model(&self, session_model: Option<&ModelOptions>) -> Result<Option<ModelOptions>> {
        if self.model_name.is_none() && self.model_client_options.is_none() {
            return Ok(None);
        }
        let name = match (&self.model_name, session_model) {
            (Some(name), _) => name.clone(),
            (None, Some(model)) => model.model_name.clone(),
            (None, None) => super::DEFAULT_MODEL.to_owned(),
        };
        let mut members = self.model_client_options.clone().unwrap_or_default();
        members.insert("modelName".to_owned(), name.into());
        Ok(Some(ModelOptions::from_value(Value::Object(members))?))
    }
}

/// Whether a schema is one of objects: says so itself, or all of what it refers to does.
pub(crate) fn is_of_objects(schema: &Value) -> bool {
    /// Deeper than anybody writes; a reference to itself must not go on for ever.
    const DEEPEST: usize = 32;
    fn holds(schema: &Value, root: &Value, depth: usize) -> bool {
        if depth > DEEPEST {
            return false;
        }
        if let Some(kind) = schema.get("type") {
            return kind == "object";
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let target = reference
                .strip_prefix('#')
                .and_then(|pointer| root.pointer(pointer));
            return target.is_some_and(|target| holds(target, root, depth + 1));
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = schema.get(name) {
                return !choices.is_empty() && choices.iter().all(|choice| holds(choice, root, depth + 1));
            }
        }
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            return parts.iter().any(|part| holds(part, root, depth + 1));
        }
        schema.get("properties").is_some()
    }
    holds(schema, schema, 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_of_objects_are_told_from_others() {
        let object = json!({ "type": "object" });
        for schema in [
            object.clone(),
            json!({ "properties": { "a": {} } }),
            json!({ "$ref": "#/$defs/a", "$defs": { "a": object } }),
            json!({ "anyOf": [object, { "properties": {} }] }),
            json!({ "allOf": [{ "description": "x" }, object] }),
        ] {
            assert!(is_of_objects(&schema), "{schema}");
        }
        for schema in [
            json!({ "type": "array", "items": object }),
            json!({ "type": "string" }),
            json!({ "anyOf": [object, { "type": "null" }] }),
            json!({ "$ref": "#" }),
            json!({ "$ref": "#/nowhere" }),
            json!(true),
            json!({}),
        ] {
            assert!(!is_of_objects(&schema), "{schema}");
        }
    }

    #[test]
    fn options_of_the_client_go_with_the_model_of_the_session() {
        let mut options = PageExtractOptions::default();
        assert!(options.model(None).unwrap().is_none());
        let members = json!({ "apiKey": "k" });
        options.model_client_options = members.as_object().cloned();
        let session_model = ModelOptions::new("anthropic/claude");
        let model = options.model(Some(&session_model)).unwrap().unwrap();
        assert_eq!(model.model_name, "anthropic/claude");
        assert!(model.api_key.is_some());
        options.model_name = Some("openai/gpt-4.1".to_owned());
        let model = options.model(Some(&session_model)).unwrap().unwrap();
        assert_eq!(model.model_name, "openai/gpt-4.1");
    }
}
