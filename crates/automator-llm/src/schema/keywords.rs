//! Which keywords of JSON Schema hold schemas.

/// How a keyword holds schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One schema.
    One,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// One schema or a list (`items` before 2020-12).
    OneOrList,
    /// Schemas or lists of names, by name (`dependencies`).
    NamedOrNames,
    /// Something else.
    Nothing,
}

/// What the value of a keyword holds.
pub(crate) fn holds(keyword: &str) -> Holds {
    match keyword {
        "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "contains"
        | "additionalItems"
        | "unevaluatedItems"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => Holds::One,
        "items" => Holds::OneOrList,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => Holds::Named,
        "dependencies" => Holds::NamedOrNames,
        _ => Holds::Nothing,
    }
}

/// Whether a keyword applies its schemas to the same value, not to a part of it.
pub(crate) fn is_in_place(keyword: &str) -> bool {
    matches!(
        keyword,
        "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas" | "dependencies"
    )
}
