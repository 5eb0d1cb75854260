#![expect(clippy::needless_pass_by_value, reason = "test functions take json! literals")]

use super::*;

fn openai(schema: Value) -> Value {
    lower(&schema, &SchemaRules::OPENAI).unwrap()
}

fn object(properties: Value, required: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

#[test]
fn strict_objects_require_all_and_make_optional_members_nullable() {
    let mut schema = object(
        json!({
            "a": {"type": "string"}, "b": {"type": "integer", "minimum": 1}, "c": {"enum": ["x"]},
            "d": {"anyOf": [{"type": "string"}, {"type": "number"}]}, "e": {"const": 1},
            "f": {"type": ["string", "null"]}, "g": {"$ref": "#/$defs/G"}
        }),
        json!(["a"]),
    );
    schema["$defs"] = json!({"G": {"type": "boolean"}});
    assert_eq!(
        openai(schema),
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string"}, "b": {"type": ["integer", "null"], "minimum": 1},
                "c": {"type": ["string", "null"], "enum": ["x", null]},
                "d": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "null"}]},
                "e": {"anyOf": [{"type": "number", "const": 1}, {"type": "null"}]},
                "f": {"type": ["string", "null"]},
                "g": {"anyOf": [{"$ref": "#/$defs/G"}, {"type": "null"}]}
            },
            "required": ["a", "b", "c", "d", "e", "f", "g"],
            "additionalProperties": false,
            "$defs": {"G": {"type": "boolean"}}
        })
    );
}

#[test]
fn what_is_left_out_is_said_in_words() {
    assert_eq!(
        openai(object(
            json!({"a": {"type": "string", "minLength": 2, "format": "uri", "description": "The a"},
                   "l": {"type": "array", "items": {"type": "string"}, "uniqueItems": true, "maxItems": 3}}),
            json!(["a", "l"])
        ))["properties"],
        json!({
            "a": {"type": "string", "description": "The a (at least 2 characters, format uri)"},
            "l": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "description": "all items different"}
        })
    );
    let minimal = lower(
        &object(
            json!({"n": {"type": "number", "minimum": 0, "exclusiveMaximum": 5}}),
            json!(["n"]),
        ),
        &SchemaRules::MINIMAL,
    )
    .unwrap();
    assert_eq!(
        minimal["properties"]["n"],
        json!({"type": "number", "description": "at least 0, less than 5"})
    );
}

#[test]
fn patterns_with_look_around_are_left_out() {
    let schema = |pattern: &str| object(json!({"a": {"type": "string", "pattern": pattern}}), json!(["a"]));
    assert_eq!(
        openai(schema(r"^\d+-\d+$"))["properties"]["a"]["pattern"],
        r"^\d+-\d+$"
    );
    for pattern in ["^(?!x)", r"(a)\1", r"\bword"] {
        assert!(
            openai(schema(pattern))["properties"]["a"]
                .get("pattern")
                .is_none(),
            "{pattern}"
        );
    }
}

#[test]
fn generated_titles_go_and_telling_ones_stay() {
    let schema = openai(object(
        json!({"unit_price": {"type": "number", "title": "Unit Price"}, "q": {"type": "number", "title": "Quantity"}}),
        json!(["unit_price", "q"]),
    ));
    assert_eq!(
        schema["properties"],
        json!({"unit_price": {"type": "number"}, "q": {"type": "number", "title": "Quantity"}})
    );
}

#[test]
fn unknown_keywords_and_defaults_never_reach_a_strict_target() {
    let schema = openai(json!({
        "type": "object", "$schema": "x", "properties": {"a": {"type": "string", "default": "d", "examples": ["e"],
            "deprecated": true, "if": {"const": "x"}, "then": {"minLength": 3}, "x-own": 1}},
        "required": ["a"], "minProperties": 1, "propertyNames": {"maxLength": 3}, "dependentRequired": {"a": ["b"]}
    }));
    assert_eq!(schema["properties"]["a"], json!({"type": "string"}));
    assert_eq!(schema["description"], "at least 1 members");
    for gone in ["$schema", "minProperties", "propertyNames", "dependentRequired"] {
        assert!(schema.get(gone).is_none());
    }
}

#[test]
fn tuples_become_lists_of_their_kinds() {
    for tuple in ["prefixItems", "items"] {
        let schema = openai(object(
            json!({"t": {"type": "array", tuple: [{"type": "string"}, {"type": "number"}, {"type": "string"}]}}),
            json!(["t"]),
        ));
        assert_eq!(
            schema["properties"]["t"],
            json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "number"}]}, "minItems": 3,
                   "maxItems": 3, "description": "exactly 3 items, in this order of kinds"})
        );
    }
}

#[test]
fn all_of_is_merged_and_contradictions_are_inexpressible() {
    let merged = openai(json!({
        "type": "object",
        "properties": {"p": {"description": "outer", "allOf": [{"$ref": "#/$defs/P"}]}},
        "required": ["p"],
        "$defs": {"P": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}}
    }));
    assert_eq!(
        merged["properties"]["p"]["properties"],
        json!({"x": {"type": "number"}})
    );
    assert_eq!(merged["properties"]["p"]["description"], "outer");
    let clash =
        json!({"type": "object", "properties": {"p": {"allOf": [{"type": "string"}, {"type": "number"}]}}});
    assert_eq!(
        lower(&clash, &SchemaRules::OPENAI),
        Err(Inexpressible::Intersection)
    );
}

#[test]
fn one_of_becomes_any_of() {
    let schema = openai(object(
        json!({"a": {"oneOf": [{"type": "string"}, {"type": "number"}]}}),
        json!(["a"]),
    ));
    assert_eq!(
        schema["properties"]["a"],
        json!({"anyOf": [{"type": "string"}, {"type": "number"}]})
    );
}

#[test]
fn maps_and_untyped_places_are_inexpressible_in_strict_modes() {
    for (member, reason) in [
        (
            json!({"type": "object", "additionalProperties": {"type": "number"}}),
            Inexpressible::FreeMembers,
        ),
        (json!({"type": "object"}), Inexpressible::FreeMembers),
        (
            json!({"type": "object", "patternProperties": {"^a": {"type": "number"}}}),
            Inexpressible::FreeMembers,
        ),
        (json!({}), Inexpressible::Untyped),
        (json!(true), Inexpressible::Untyped),
        (json!({"type": "array"}), Inexpressible::Untyped),
    ] {
        let schema = object(json!({"m": member}), json!([]));
        assert_eq!(lower(&schema, &SchemaRules::OPENAI), Err(reason), "{member}");
        lower(&schema, &SchemaRules::GEMINI).unwrap();
    }
}

fn tree() -> Value {
    json!({
        "type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"],
        "$defs": {"Node": {"type": "object", "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
            "required": ["name", "children"]}}
    })
}

#[test]
fn recursion_stays_where_it_is_known() {
    let schema = openai(tree());
    assert_eq!(schema["properties"]["root"], json!({"$ref": "#/$defs/Node"}));
    assert_eq!(
        schema["$defs"]["Node"]["properties"]["children"]["items"],
        json!({"$ref": "#/$defs/Node"})
    );
    assert_eq!(schema["$defs"]["Node"]["additionalProperties"], false);
    for rules in [&SchemaRules::ANTHROPIC, &SchemaRules::MINIMAL] {
        assert_eq!(lower(&tree(), rules), Err(Inexpressible::Recursion));
    }
}

#[test]
fn references_are_written_out_where_they_are_not_known() {
    let schema = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/P"}, "b": {"$ref": "#/$defs/P", "description": "the b"}},
        "required": ["a", "b"], "$defs": {"P": {"type": "number"}}
    });
    let minimal = lower(&schema, &SchemaRules::MINIMAL).unwrap();
    assert_eq!(
        minimal["properties"],
        json!({"a": {"type": "number"}, "b": {"type": "number", "description": "the b"}})
    );
    assert!(minimal.get("$defs").is_none());
    let strict = openai(schema);
    assert_eq!(
        strict["properties"],
        json!({"a": {"$ref": "#/$defs/P"}, "b": {"type": "number", "description": "the b"}})
    );
}

#[test]
fn references_that_multiply_are_inexpressible_not_endless() {
    let mut definitions = Map::new();
    for index in 0..40 {
        let next = json!({"$ref": format!("#/$defs/D{}", index + 1)});
        definitions.insert(
            format!("D{index}"),
            object(json!({"a": next, "b": next}), json!(["a", "b"])),
        );
    }
    definitions.insert("D40".to_owned(), json!({"type": "string"}));
    let schema = json!({"type": "object", "properties": {"r": {"$ref": "#/$defs/D0"}}, "required": ["r"], "$defs": definitions});
    assert!(lower(&schema, &SchemaRules::MINIMAL).is_err());
}

#[test]
fn depth_and_optional_limits_are_kept() {
    let mut deep = json!({"type": "string"});
    for _ in 0..11 {
        deep = object(json!({"x": deep}), json!(["x"]));
    }
    assert_eq!(lower(&deep, &SchemaRules::OPENAI), Err(Inexpressible::TooDeep));
    lower(&deep, &SchemaRules::ANTHROPIC).unwrap();
    let many: Map<String, Value> = (0..25)
        .map(|index| (format!("m{index}"), json!({"type": "string"})))
        .collect();
    assert_eq!(
        lower(&object(Value::Object(many), json!([])), &SchemaRules::ANTHROPIC),
        Err(Inexpressible::TooManyOptional)
    );
}

#[test]
fn anthropic_keeps_optional_members_and_closes_objects() {
    let schema = lower(
        &object(
            json!({"a": {"type": "string"}, "n": {"type": "number", "maximum": 5}}),
            json!(["a"]),
        ),
        &SchemaRules::ANTHROPIC,
    )
    .unwrap();
    assert_eq!(
        schema,
        json!({"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "number", "description": "at most 5"}},
               "required": ["a"], "additionalProperties": false})
    );
}

#[test]
fn gemini_writes_constants_as_choices_and_keeps_maps() {
    let schema = lower(
        &json!({"type": "object", "properties": {"k": {"const": "a"}, "m": {"type": "object", "additionalProperties": {"type": "number"}}}}),
        &SchemaRules::GEMINI,
    )
    .unwrap();
    assert_eq!(
        schema["properties"]["k"],
        json!({"type": "string", "enum": ["a"]})
    );
    assert_eq!(
        schema["properties"]["m"]["additionalProperties"],
        json!({"type": "number"})
    );
}

#[test]
fn lowering_a_lowered_schema_changes_nothing() {
    let once = openai(object(
        json!({"a": {"type": "string"}, "t": {"type": "array", "items": {"type": "number"}}}),
        json!([]),
    ));
    assert_eq!(openai(once.clone()), once);
}
