//! How each kind of model is brought to answer in JSON of a schema.
//!
//! A provider's line in the registry names its [`Structured`]; [`plan`] turns that and one schema into what
//! is sent. Whatever is left out of the schema here is enforced afterwards, on the answer.

use std::sync::Arc;

use serde_json::Value;

use crate::lower::{self, Inexpressible};

/// The ways to ask for JSON, strictest first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dialect {
    /// The provider's decoder is bound to the schema, written after its rules.
    Schema(&'static SchemaRules),
    /// The schema is sent as it is, as guidance (`strict: false`).
    LooseSchema,
    /// The model must call one tool whose arguments are the answer.
    ForcedTool,
    /// The provider only promises JSON; the schema stands in the prompt.
    JsonMode,
    /// Nothing but the prompt.
    Prompt,
}

/// A provider's way, and what to do where it does not reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Structured {
    /// The first choice.
    pub(crate) dialect: Dialect,
    /// For schemas that the first choice cannot express.
    pub(crate) otherwise: Dialect,
    /// Repeat the schema in the prompt, because the server may ignore the other way.
    pub(crate) also_in_prompt: bool,
    /// The server may answer 400 to the form itself; then one more try with [`Dialect::Prompt`].
    pub(crate) may_be_unknown: bool,
}

impl Structured {
    const fn sure(dialect: Dialect, otherwise: Dialect) -> Self {
        Self {
            dialect,
            otherwise,
            also_in_prompt: false,
            may_be_unknown: false,
        }
    }

    /// OpenAI's own models.
    pub(crate) const OPENAI: Self = Self::sure(Dialect::Schema(&SchemaRules::OPENAI), Dialect::LooseSchema);
    /// Claude from Sonnet 4.5, Haiku 4.5 and Opus 4.1 on.
    pub(crate) const ANTHROPIC: Self =
        Self::sure(Dialect::Schema(&SchemaRules::ANTHROPIC), Dialect::ForcedTool);
    /// Gemini from 2.5 on.
    pub(crate) const GEMINI: Self = Self::sure(Dialect::Schema(&SchemaRules::GEMINI), Dialect::Prompt);
    /// Providers with a small strict subset of JSON Schema.
    pub(crate) const MINIMAL: Self = Self::sure(Dialect::Schema(&SchemaRules::MINIMAL), Dialect::JsonMode);
    /// Providers with OpenAI's subset, but without its loose form.
    pub(crate) const STRICT: Self = Self::sure(Dialect::Schema(&SchemaRules::OPENAI), Dialect::JsonMode);
    /// A tool that must be called.
    pub(crate) const FORCED_TOOL: Self = Self::sure(Dialect::ForcedTool, Dialect::ForcedTool);
    /// JSON mode and the schema in the prompt.
    pub(crate) const JSON_MODE: Self = Self::sure(Dialect::JsonMode, Dialect::JsonMode);
    /// The schema in the prompt alone.
    pub(crate) const PROMPT: Self = Self::sure(Dialect::Prompt, Dialect::Prompt);
    /// Gateways and local servers: OpenAI's form is widely understood, and widely ignored.
    pub(crate) const COMPATIBLE: Self = Self {
        dialect: Dialect::Schema(&SchemaRules::OPENAI),
        otherwise: Dialect::LooseSchema,
        also_in_prompt: true,
        may_be_unknown: true,
    };
}

/// What a provider's strict mode understands.
#[derive(Debug)]
pub(crate) struct SchemaRules {
    /// Every property must be required, so optional ones are made nullable.
    pub(crate) all_required: bool,
    /// Every object must say `additionalProperties: false`.
    pub(crate) closed_objects: bool,
    /// Every place must have a type.
    pub(crate) typed: bool,
    /// `$ref` may lead back to an enclosing definition.
    pub(crate) recursion: bool,
    /// `$ref` and `$defs` are known; otherwise they are written out.
    pub(crate) references: bool,
    /// `const` is known; otherwise it is written as `enum`.
    pub(crate) constants: bool,
    /// `prefixItems` is known; otherwise a tuple is written as a list of its kinds.
    pub(crate) tuples: bool,
    /// `pattern` is known.
    pub(crate) patterns: bool,
    /// `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf` are known.
    pub(crate) number_bounds: bool,
    /// `minItems` and `maxItems` are known.
    pub(crate) array_bounds: bool,
    /// The known values of `format`.
    pub(crate) formats: &'static [&'static str],
    /// Levels of objects and arrays.
    pub(crate) deepest: usize,
    /// Optional properties in the whole schema.
    pub(crate) most_optional: usize,
}

const COMMON_FORMATS: &[&str] = &[
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

impl SchemaRules {
    pub(crate) const OPENAI: Self = Self {
        all_required: true,
        closed_objects: true,
        typed: true,
        recursion: true,
        references: true,
        constants: true,
        tuples: false,
        patterns: true,
        number_bounds: true,
        array_bounds: true,
        formats: COMMON_FORMATS,
        deepest: 10,
        most_optional: usize::MAX,
    };
    pub(crate) const ANTHROPIC: Self = Self {
        all_required: false,
        closed_objects: true,
        typed: true,
        recursion: false,
        references: true,
        constants: true,
        tuples: false,
        patterns: true,
        number_bounds: false,
        array_bounds: false,
        formats: COMMON_FORMATS,
        deepest: usize::MAX,
        most_optional: 24,
    };
    pub(crate) const GEMINI: Self = Self {
        all_required: false,
        closed_objects: false,
        typed: false,
        recursion: true,
        references: true,
        constants: false,
        tuples: true,
        patterns: false,
        number_bounds: true,
        array_bounds: true,
        formats: &["date-time", "date", "time"],
        deepest: usize::MAX,
        most_optional: usize::MAX,
    };
    pub(crate) const MINIMAL: Self = Self {
        all_required: true,
        closed_objects: true,
        typed: true,
        recursion: false,
        references: false,
        constants: false,
        tuples: false,
        patterns: false,
        number_bounds: false,
        array_bounds: false,
        formats: &[],
        deepest: 10,
        most_optional: usize::MAX,
    };
}

/// What is sent for one schema.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) form: Form,
    /// The schema for the prompt.
    pub(crate) in_prompt: Option<Arc<Value>>,
}

/// The provider's side of a [`Plan`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Form {
    /// The provider's schema option.
    Schema { schema: Value, strict: bool },
    /// A tool with this schema that must be called.
    ForcedTool(Arc<Value>),
    /// The provider's JSON option.
    JsonMode,
    /// No option at all.
    Plain,
}

/// Chooses the form for one schema.
///
/// `tools_free` says that the request has no tools of its own, so that a tool may carry the answer.
pub(crate) fn plan(structured: Structured, schema: &Arc<Value>, tools_free: bool) -> Plan {
    let dialect = structured.dialect;
    let also = structured.also_in_prompt.then(|| Arc::clone(schema));
    match form(dialect, schema, tools_free) {
        Ok(form) => {
            let in_prompt = also.or_else(|| needs_prompt(&form).then(|| Arc::clone(schema)));
            Plan { form, in_prompt }
        }
        Err(reason) => {
            tracing::debug!(target: "automator_llm", %reason, "schema is beyond the provider's strict mode");
            let form = form(structured.otherwise, schema, tools_free).unwrap_or(Form::Plain);
            let in_prompt = also.or_else(|| needs_prompt(&form).then(|| Arc::clone(schema)));
            Plan { form, in_prompt }
        }
    }
}

fn form(dialect: Dialect, schema: &Arc<Value>, tools_free: bool) -> Result<Form, Inexpressible> {
    Ok(match dialect {
        Dialect::Schema(rules) => Form::Schema {
            schema: lower::lower(schema, rules)?,
            strict: true,
        },
        Dialect::LooseSchema => Form::Schema {
            schema: Value::clone(schema),
            strict: false,
        },
        Dialect::ForcedTool if tools_free => Form::ForcedTool(Arc::clone(schema)),
        Dialect::JsonMode => Form::JsonMode,
        Dialect::ForcedTool | Dialect::Prompt => Form::Plain,
    })
}

/// Whether the model would not see the schema otherwise, or only as guidance.
fn needs_prompt(form: &Form) -> bool {
    match form {
        Form::Schema { strict, .. } => !strict,
        Form::ForcedTool(_) => false,
        Form::JsonMode | Form::Plain => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object() -> Arc<Value> {
        Arc::new(json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}))
    }

    fn map() -> Arc<Value> {
        Arc::new(json!({"type": "object", "additionalProperties": {"type": "number"}}))
    }

    #[test]
    fn strict_schema_stays_out_of_the_prompt() {
        let plan = plan(Structured::OPENAI, &object(), true);
        assert!(matches!(plan.form, Form::Schema { strict: true, .. }));
        assert_eq!(plan.in_prompt, None);
    }

    #[test]
    fn schema_beyond_the_strict_subset_falls_back_per_provider() {
        let loose = plan(Structured::OPENAI, &map(), true);
        assert_eq!(
            loose.form,
            Form::Schema {
                schema: Value::clone(&map()),
                strict: false
            }
        );
        assert_eq!(loose.in_prompt, Some(map()));
        assert_eq!(
            plan(Structured::ANTHROPIC, &map(), true).form,
            Form::ForcedTool(map())
        );
        let minimal = plan(Structured::MINIMAL, &map(), true);
        assert_eq!((minimal.form, minimal.in_prompt), (Form::JsonMode, Some(map())));
    }

    #[test]
    fn answer_tool_gives_way_to_the_requests_own_tools() {
        let plan = plan(Structured::FORCED_TOOL, &object(), false);
        assert_eq!((plan.form, plan.in_prompt), (Form::Plain, Some(object())));
    }

    #[test]
    fn compatible_servers_get_the_schema_twice() {
        let plan = plan(Structured::COMPATIBLE, &object(), true);
        assert!(matches!(plan.form, Form::Schema { strict: true, .. }));
        assert_eq!(plan.in_prompt, Some(object()));
    }
}
