#![expect(clippy::needless_pass_by_value, reason = "test functions take json! literals")]

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::dialect::SchemaRules;

fn schema(value: Value) -> ResponseSchema {
    ResponseSchema::new(&value).unwrap()
}

fn by_id(id: &str) -> Option<String> {
    match id {
        "0-1" => Some("https://shop.example/a|b".to_owned()),
        "0-2" => Some("https://shop.example/c".to_owned()),
        "3-44" => Some("mailto:info@shop.example".to_owned()),
        _ => None,
    }
}

fn is_known(address: &str) -> bool {
    matches!(address, "https://shop.example/c" | "https://shop.example/a|b")
}

const URLS: Urls<'static> = Urls {
    by_id: &by_id,
    is_known: &is_known,
};

#[track_caller]
fn restored(schema_value: Value, answer: Value) -> Value {
    schema(schema_value).restore(answer, &URLS).unwrap()
}

#[track_caller]
fn refused(schema_value: Value, answer: Value) -> Vec<(String, String)> {
    schema(schema_value)
        .restore(answer, &URLS)
        .unwrap_err()
        .into_iter()
        .map(|violation| (violation.pointer, violation.keyword))
        .collect()
}

fn url() -> Value {
    json!({"type": "string", "format": "uri"})
}

#[test]
fn object_schema_is_sent_as_it_is() {
    let given = json!({
        "type": "object",
        "properties": {"b": {"type": "number", "minimum": 1}, "a": {"type": "string", "description": "the a"}},
        "required": ["b"], "additionalProperties": false
    });
    let schema = schema(given.clone());
    assert_eq!(**schema.to_send(), given);
    assert_eq!(
        schema.to_send().to_string(),
        given.to_string(),
        "order of members"
    );
    assert!(!schema.is_wrapped() && !schema.has_urls());
}

#[test]
fn everything_but_an_object_is_wrapped() {
    for (given, answer) in [
        (json!({"type": "string"}), json!("x")),
        (
            json!({"type": "array", "items": {"type": "number"}}),
            json!([1, 2]),
        ),
        (json!({"enum": ["on", "off"]}), json!("on")),
        (
            json!({"anyOf": [{"type": "object"}, {"type": "null"}]}),
            json!(null),
        ),
        (json!({"type": ["object", "null"]}), json!(null)),
        (json!({}), json!({"any": "thing"})),
        (json!(true), json!(5)),
    ] {
        let schema = schema(given.clone());
        assert!(schema.is_wrapped(), "{given}");
        assert_eq!(schema.to_send()["required"], json!(["value"]));
        assert_eq!(
            schema.restore(json!({"value": answer}), &Urls::NONE).unwrap(),
            answer
        );
    }
}

#[test]
fn definitions_stand_at_the_root_of_a_wrapped_schema() {
    let schema = schema(json!({
        "type": "array", "items": {"$ref": "#/$defs/Item"},
        "$defs": {"Item": {"type": "object", "properties": {"of": {"$ref": "#"}}, "additionalProperties": false}}
    }));
    assert_eq!(
        schema.to_send()["properties"]["value"]["items"],
        json!({"$ref": "#/$defs/Item"})
    );
    let nested = json!([{"of": [{}]}, {}]);
    assert_eq!(
        schema.restore(json!({"value": nested}), &Urls::NONE).unwrap(),
        nested
    );
    let violations = schema
        .restore(json!({"value": [{"of": [3]}]}), &Urls::NONE)
        .unwrap_err();
    assert_eq!(violations[0].pointer, "/0/of/0");
    assert_eq!(schema.reply_pointer("/0/of/0"), "/value/0/of/0");
}

#[test]
fn addresses_are_sent_as_ids_with_their_description() {
    let schema = schema(json!({
        "type": "object",
        "properties": {
            "link": {"type": "string", "format": "uri", "description": "where to buy", "minLength": 10,
                     "pattern": "^https:", "default": "https://x.example"},
            "fixed": {"type": "string", "format": "uri", "enum": ["https://a.example"]}
        }
    }));
    let link = &schema.to_send()["properties"]["link"];
    assert_eq!(link["pattern"], ID_PATTERN);
    assert!(
        link["description"]
            .as_str()
            .unwrap()
            .starts_with("where to buy (Give the id")
    );
    for gone in ["format", "minLength", "default", URL_MARK] {
        assert!(link.get(gone).is_none(), "{gone}");
    }
    assert_eq!(
        schema.to_send()["properties"]["fixed"]["format"],
        "uri",
        "a choice is no id"
    );
}

#[test]
fn ids_become_addresses_wherever_they_stand() {
    for (member, answer, expected) in [
        (url(), json!("0-2"), json!("https://shop.example/c")),
        (
            json!({"type": "array", "items": url()}),
            json!(["0-1", "3-44"]),
            json!(["https://shop.example/a|b", "mailto:info@shop.example"]),
        ),
        (
            json!({"anyOf": [url(), {"type": "null"}]}),
            json!("0-2"),
            json!("https://shop.example/c"),
        ),
        (
            json!({"anyOf": [url(), {"type": "null"}]}),
            json!(null),
            json!(null),
        ),
        (
            json!({"type": ["string", "null"], "format": "url"}),
            json!("0-2"),
            json!("https://shop.example/c"),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, url()]}),
            json!(["0-2", "0-2"]),
            json!(["0-2", "https://shop.example/c"]),
        ),
        (
            json!({"type": "object", "additionalProperties": url()}),
            json!({"x": "0-2"}),
            json!({"x": "https://shop.example/c"}),
        ),
        (
            json!({"allOf": [{"type": "string"}, {"format": "uri-reference"}]}),
            json!("0-2"),
            json!("https://shop.example/c"),
        ),
        (
            json!({"oneOf": [{"type": "object", "properties": {"href": url()}, "required": ["href"]}, {"type": "number"}]}),
            json!({"href": "0-2"}),
            json!({"href": "https://shop.example/c"}),
        ),
    ] {
        let given = json!({"type": "object", "properties": {"m": member}, "required": ["m"]});
        assert_eq!(
            restored(given, json!({"m": answer})),
            json!({"m": expected}),
            "{member}"
        );
    }
}

#[test]
fn ids_become_addresses_below_references() {
    let given = json!({
        "type": "object", "properties": {"top": {"$ref": "#/$defs/Page"}}, "required": ["top"],
        "$defs": {"Page": {"type": "object", "properties": {
            "at": url(), "sub": {"type": "array", "items": {"$ref": "#/$defs/Page"}}}}}
    });
    assert_eq!(
        restored(
            given,
            json!({"top": {"at": "0-1", "sub": [{"at": "0-2", "sub": []}]}})
        ),
        json!({"top": {"at": "https://shop.example/a|b", "sub": [{"at": "https://shop.example/c", "sub": []}]}})
    );
}

#[test]
fn old_tuples_hold_addresses_too() {
    let given = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "array", "items": [{"type": "string"}, url()], "additionalItems": url()
    });
    assert_eq!(
        restored(given, json!({"value": ["0-2", "0-2", "3-44"]})),
        json!(["0-2", "https://shop.example/c", "mailto:info@shop.example"])
    );
}

#[test]
fn unknown_id_is_a_violation_of_its_member() {
    let given = json!({"type": "object", "properties": {"a": {"type": "array", "items": url()}}});
    assert_eq!(
        refused(given, json!({"a": ["0-2", "0-99"]})),
        [("/a/1".to_owned(), "format".to_owned())]
    );
}

#[test]
fn address_that_stands_on_the_page_is_taken_and_others_are_not() {
    let given = json!({"type": "object", "properties": {"a": url()}});
    assert_eq!(
        restored(given.clone(), json!({"a": "https://shop.example/c"})),
        json!({"a": "https://shop.example/c"})
    );
    for wrong in ["https://made.up/", "", "nonsense", "javascript:0-2"] {
        assert_eq!(refused(given.clone(), json!({"a": wrong})).len(), 1, "{wrong}");
    }
}

#[test]
fn addresses_of_real_pages_need_not_keep_to_the_standard() {
    let given = json!({"type": "object", "properties": {"a": url()}});
    assert_eq!(
        restored(given, json!({"a": "0-1"})),
        json!({"a": "https://shop.example/a|b"})
    );
}

#[test]
fn own_rules_on_an_address_hold_for_the_address() {
    let given = json!({"type": "object", "properties": {"a": {"type": "string", "format": "uri", "pattern": "^mailto:"}}});
    assert_eq!(
        restored(given.clone(), json!({"a": "3-44"})),
        json!({"a": "mailto:info@shop.example"})
    );
    assert_eq!(
        refused(given, json!({"a": "0-2"})),
        [("/a".to_owned(), "pattern".to_owned())]
    );
}

#[test]
fn plain_strings_that_look_like_ids_stay() {
    let given = json!({
        "type": "object",
        "properties": {
            "score": {"type": "string"},
            "either": {"anyOf": [url(), {"type": "string"}]},
            "elementId": {"type": "string", "pattern": ID_PATTERN}
        }
    });
    let answer = json!({"score": "0-2", "either": "0-77", "elementId": "0-1"});
    assert_eq!(restored(given, answer.clone()), answer);
}

#[test]
fn nulls_of_optional_members_go_unless_the_schema_allows_them() {
    let given = json!({
        "type": "object",
        "properties": {
            "gone": {"type": "string"},
            "kept": {"type": ["string", "null"]},
            "chosen": {"enum": ["a", null]},
            "open": {},
            "deep": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}, "u": url()}}},
            "ref": {"$ref": "#/$defs/N"}
        },
        "required": ["kept"],
        "$defs": {"N": {"anyOf": [{"type": "number"}, {"type": "string"}]}}
    });
    assert_eq!(
        restored(
            given,
            json!({"gone": null, "kept": null, "chosen": null, "open": null, "deep": [{"x": null, "u": null}], "ref": null})
        ),
        json!({"kept": null, "chosen": null, "open": null, "deep": [{}]})
    );
}

#[test]
fn null_of_a_required_member_is_a_violation() {
    let given = json!({"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]});
    assert_eq!(
        refused(given, json!({"a": null})),
        [("/a".to_owned(), "type".to_owned())]
    );
}

#[test]
fn every_keyword_is_enforced_with_its_place() {
    let given = json!({
        "type": "object",
        "properties": {
            "n": {"type": "number", "minimum": 1, "multipleOf": 0.5},
            "l": {"type": "array", "items": {"type": "string", "maxLength": 2}, "minItems": 1, "uniqueItems": true},
            "m": {"type": "string", "format": "email"},
            "d": {"type": "string", "format": "date"},
            "x": {"type": "string"}
        },
        "required": ["n", "x"],
        "additionalProperties": false
    });
    let mut places = refused(
        given,
        json!({"n": 0.75, "l": ["abc", "ab", "ab"], "m": "nobody", "d": "tomorrow", "y": 1}),
    );
    places.sort();
    let keywords: Vec<&str> = places.iter().map(|(_, keyword)| keyword.as_str()).collect();
    assert!(places.contains(&("/l/0".to_owned(), "maxLength".to_owned())));
    assert!(keywords.contains(&"format"));
    assert!(
        places.contains(&("/n".to_owned(), "minimum".to_owned()))
            || places.contains(&("/n".to_owned(), "multipleOf".to_owned()))
    );
}

#[test]
fn violation_of_an_alternative_names_the_inner_place() {
    let given = json!({
        "type": "object",
        "properties": {"item": {"anyOf": [
            {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]},
            {"type": "null"}
        ]}},
        "required": ["item"]
    });
    assert_eq!(
        refused(given, json!({"item": {"price": "a lot"}})),
        [("/item/price".to_owned(), "type".to_owned())]
    );
}

#[test]
fn wrong_type_of_a_wrapped_value_points_at_the_whole() {
    assert_eq!(
        refused(json!({"type": "number"}), json!({"value": "x"})),
        [(String::new(), "type".to_owned())]
    );
    assert_eq!(refused(json!({"type": "number"}), json!({"other": 1}))[0].0, "");
}

#[test]
fn violations_are_bounded() {
    let given = json!({"type": "array", "items": {"type": "number"}});
    let many: Vec<&str> = vec!["x"; 500];
    assert_eq!(refused(given, json!({"value": many})).len(), MOST_VIOLATIONS);
}

#[test]
fn invalid_pattern_is_an_invalid_schema() {
    let error = ResponseSchema::new(&json!({"type": "string", "pattern": "("})).unwrap_err();
    assert!(matches!(error, LlmError::InvalidSchema { .. }), "{error:?}");
}

#[test]
fn patterns_with_lookahead_work() {
    let given = json!({"type": "object", "properties": {"m": {"type": "string", "pattern": "^(?!\\.)(?!.*\\.\\.)[a-z.]+$"}}});
    restored(given.clone(), json!({"m": "a.b"}));
    refused(given, json!({"m": "a..b"}));
}

#[test]
fn deep_values_neither_panic_nor_hang() {
    let given = json!({
        "$ref": "#/$defs/N",
        "$defs": {"N": {"type": "object", "properties": {
            "n": {"anyOf": [{"$ref": "#/$defs/N"}, {"$ref": "#/$defs/N"}, {"type": "null"}]}, "u": url()}}}
    });
    let mut deep = json!({"u": "0-2"});
    for _ in 0..100 {
        deep = json!({"n": deep, "u": "0-1"});
    }
    let restored = schema(given).restore(deep, &URLS).unwrap();
    assert_eq!(restored["n"]["n"]["u"], "https://shop.example/a|b");
}

#[test]
fn element_ids_are_found_in_their_writings() {
    for text in ["0-5", " 0-5 ", "[0-5]", "[0-5] link: Sale"] {
        assert_eq!(element_id(text), Some("0-5"), "{text}");
    }
    for text in [
        "",
        "0-",
        "-5",
        "a-5",
        "0-5-6",
        "0-5 link",
        "[0-5",
        "https://x/0-5",
        "[]",
    ] {
        assert_eq!(element_id(text), None, "{text}");
    }
}

#[test]
fn repair_changes_only_what_does_not_fit() {
    let given = json!({
        "type": "object",
        "properties": {
            "n": {"type": "number"}, "i": {"type": "integer"}, "b": {"type": "boolean"}, "s": {"type": "string"},
            "e": {"enum": ["On", "Off"]}, "id": {"type": "string", "pattern": ID_PATTERN},
            "either": {"anyOf": [{"type": "number"}, {"type": "string"}]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}},
            "one": {"type": "object", "properties": {"a": {"type": "string"}}},
            "text": {"type": "object", "properties": {"a": {"type": "number"}}}
        },
        "additionalProperties": false
    });
    let conformed = schema(given).conform(json!({
        "n": "1,299.00", "i": "41.0", "b": "True", "s": 41, "e": " on", "id": "[0-5] link: x", "either": "41",
        "list": {"a": 1}, "one": [{"a": true}], "text": "{\"a\": \"2\"}", "extra": 1
    }));
    assert_eq!(
        conformed.value,
        json!({"n": 1299.0, "i": 41, "b": true, "s": "41", "e": "On", "id": "0-5", "either": "41",
               "list": [{"a": 1}], "one": {"a": "true"}, "text": {"a": 2}})
    );
    assert_eq!(conformed.losses, 1);
}

#[test]
fn what_cannot_be_repaired_stays() {
    let given = json!({
        "type": "object",
        "properties": {"n": {"type": "number"}, "b": {"type": "boolean"}, "e": {"enum": ["a", "A"]},
                       "o": {"type": "object"}, "l": {"type": "array", "items": {"type": "number"}}}
    });
    let odd = json!({"n": "1,299", "b": "yes", "e": "Ä", "o": [1], "l": {"a": 1}});
    assert_eq!(schema(given).conform(odd.clone()).value, odd);
}

/// Values that look like schemas, well-formed or not.
fn schema_like() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "format": "uri"})),
        Just(json!({"type": ["number", "null"], "minimum": 1})),
        Just(json!({"enum": ["a", 1, null]})),
        Just(json!({"const": true})),
        Just(json!({"$ref": "#/$defs/A"})),
        Just(json!({"$ref": "#"})),
        Just(json!({"type": "nothing"})),
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(7)),
        Just(json!({"type": "string", "pattern": "(a+)+$"})),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        let named = proptest::collection::btree_map("[a-c]", inner.clone(), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        let list = proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::Array);
        prop_oneof![
            (named.clone(), proptest::collection::vec("[a-c]", 0..3)).prop_map(
                |(members, required)| json!({"type": "object", "properties": members, "required": required})
            ),
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items})),
            list.clone()
                .prop_map(|items| json!({"type": "array", "prefixItems": items})),
            list.clone().prop_map(|items| json!({"items": items})),
            list.clone().prop_map(|branches| json!({"anyOf": branches})),
            list.clone().prop_map(|branches| json!({"oneOf": branches})),
            list.prop_map(|branches| json!({"allOf": branches})),
            inner
                .clone()
                .prop_map(|schema| json!({"type": "object", "additionalProperties": schema})),
            (named, inner).prop_map(|(definitions, schema)| json!({"$defs": definitions, "allOf": [schema]})),
        ]
    })
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        "[a-c0-9 €,.\\[\\]-]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::btree_map("[a-c]|value", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_and_any_value_end_in_a_value_or_in_errors(given in schema_like(), answer in any_value()) {
        let Ok(schema) = ResponseSchema::new(&given) else { return Ok(()) };
        for rules in [&SchemaRules::OPENAI, &SchemaRules::ANTHROPIC, &SchemaRules::GEMINI, &SchemaRules::MINIMAL] {
            let _ = crate::lower::lower(schema.to_send(), rules);
        }
        let conformed = schema.conform(answer.clone());
        let _ = schema.restore(conformed.value, &URLS);
        let _ = schema.restore(answer, &URLS);
    }

    #[test]
    fn what_restores_fits_the_callers_schema(given in schema_like(), answer in any_value()) {
        let Ok(schema) = ResponseSchema::new(&given) else { return Ok(()) };
        if schema.has_urls() {
            return Ok(());
        }
        if let Ok(value) = schema.restore(answer, &Urls::NONE) {
            let own = jsonschema::options().should_validate_formats(true).offline().build(&given);
            if let Ok(own) = own {
                prop_assert!(own.is_valid(&value), "{} {}", given, value);
            }
        }
    }

    #[test]
    fn a_schema_that_something_fits_is_not_refused_as_contradictory(given in schema_like(), answer in any_value()) {
        let Ok(own) = jsonschema::options().offline().build(&given) else { return Ok(()) };
        if own.is_valid(&answer) {
            prop_assert!(satisfiable::check(&given, Draft::Draft202012).is_ok(), "{} {}", given, answer);
        }
    }

    #[test]
    fn repair_leaves_what_fits(given in schema_like(), answer in any_value()) {
        let Ok(schema) = ResponseSchema::new(&given) else { return Ok(()) };
        if schema.fits(&answer) {
            prop_assert_eq!(crate::repair(&answer.to_string(), &schema), Some(answer));
        }
    }
}
