#![expect(clippy::needless_pass_by_value, reason = "test functions take json! literals")]

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn schema(value: Value) -> ResponseSchema {
    ResponseSchema::new(&value).unwrap()
}

fn keeper() -> ResponseSchema {
    schema(json!({
        "type": "object",
        "properties": {"keeper": {"type": "string"}, "height": {"type": "number"}},
        "required": ["keeper", "height"],
        "additionalProperties": false
    }))
}

fn odile() -> Value {
    json!({"keeper": "Odile", "height": 41})
}

#[track_caller]
fn reads_odile(reply: &str) {
    assert_eq!(repair(reply, &keeper()), Some(odile()), "{reply}");
}

const JSON: &str = r#"{"keeper":"Odile","height":41}"#;

#[test]
fn plain_reply_is_read() {
    reads_odile(JSON);
    reads_odile(&format!("\u{feff}  {JSON} \n"));
}

#[test]
fn fences_are_read() {
    reads_odile(&format!("```json\n{JSON}\n```"));
    reads_odile(&format!("```\n{JSON}\n```"));
    reads_odile(&format!("Sure!\n\n```JSON\n{JSON}\n```\nAnything else?"));
    reads_odile(&format!("```json\n{JSON}"));
}

#[test]
fn fence_within_a_text_is_no_fence() {
    let reply = r#"{"keeper":"```json {} ```","height":1}"#;
    assert_eq!(
        repair(reply, &keeper()),
        Some(json!({"keeper": "```json {} ```", "height": 1}))
    );
}

/// What an extraction without a schema asks for.
fn only_text() -> ResponseSchema {
    schema(json!({
        "type": "object", "properties": {"extraction": {"type": "string"}}, "required": ["extraction"],
        "additionalProperties": false
    }))
}

#[test]
fn a_text_becomes_the_only_member_when_that_is_a_text() {
    for reply in ["\"hi\"", "```json\n\"hi\"\n```", "<think>Hm.</think>\"hi\""] {
        assert_eq!(
            repair(reply, &only_text()),
            Some(json!({"extraction": "hi"})),
            "{reply}"
        );
    }
    assert_ne!(repair("\"hi\"", &keeper()), Some(json!({"keeper": "hi"})));
}

#[test]
fn a_reply_without_json_becomes_the_only_member_when_that_is_a_text() {
    for (reply, text) in [
        ("hi", "hi"),
        (" It costs 1.50 €.\nNo more. ", "It costs 1.50 €.\nNo more."),
        ("1.50", "1.50"),
        ("```\nhi\n```", "hi"),
        ("<think>Hm.</think>\nhi", "hi"),
        ("see [1] and {2}", "see [1] and {2}"),
    ] {
        assert_eq!(
            plain_text(reply, &only_text()),
            Some(json!({"extraction": text})),
            "{reply}"
        );
    }
    let wrapped = schema(json!({"type": "string"}));
    assert_eq!(plain_text("hi", &wrapped), Some(json!({"value": "hi"})));
}

#[test]
fn a_reply_that_begins_like_json_or_fits_no_text_member_is_no_plain_text() {
    for reply in [
        "{\"extraction\": \"hi",
        "[",
        "\"hi",
        "```json\nhi",
        "<think>hi",
        "",
    ] {
        assert_eq!(plain_text(reply, &only_text()), None, "{reply}");
    }
    assert_eq!(plain_text("hi", &keeper()), None);
    assert_eq!(plain_text("hi", &schema(json!({"enum": ["a", "b"]}))), None);
    assert_eq!(plain_text("hi", &schema(json!({"type": "number"}))), None);
}

#[test]
fn reasoning_is_not_read() {
    reads_odile(&format!(
        "<think>The reply could be {{\"keeper\":\"X\",\"height\":1}} but no.</think>\n{JSON}"
    ));
    reads_odile(&format!(
        "It may be {{\"keeper\":\"X\",\"height\":1}}.\n</think>{JSON}"
    ));
    reads_odile(&format!("<reasoning>\n{{\n</reasoning>\n```json\n{JSON}\n```"));
    assert_eq!(repair(&format!("<think>{JSON}</think>"), &keeper()), None);
    assert_eq!(repair(&format!("<think>{JSON} or not?"), &keeper()), None);
}

#[test]
fn unclosed_reasoning_may_end_with_the_answer() {
    reads_odile(&format!("<think>It must be\n{JSON}"));
    assert_eq!(repair("<think>Perhaps\n{\"keeper\":\"Odile\"}", &keeper()), None);
}

#[test]
fn tag_within_a_text_is_no_reasoning() {
    let reply = r#"{"keeper":"<think>x</think>","height":1}"#;
    assert_eq!(
        repair(reply, &keeper()),
        Some(json!({"keeper": "<think>x</think>", "height": 1}))
    );
}

#[test]
fn prose_around_is_not_read() {
    reads_odile(&format!("Here is what I found:\n{JSON}\nAnything else?"));
    reads_odile(&format!("The {{page}} [1] says: {JSON} (see [2])."));
    reads_odile(&format!("It's \"quoted: {JSON}"));
}

#[test]
fn last_fitting_value_is_the_answer() {
    reads_odile(&format!(
        "For example {{\"keeper\":\"X\",\"height\":1}}. The answer: {JSON}"
    ));
    reads_odile(&format!("{JSON}\nThis follows the form {{\"keeper\": string}}."));
    reads_odile(&format!(
        "First {{\"keeper\":\"X\",\"height\":1}}\n```json\n{JSON}\n```\nnot {{\"keeper\":\"Y\",\"height\":2}}"
    ));
}

#[test]
fn text_within_text_is_read() {
    let once = serde_json::to_string(JSON).unwrap();
    reads_odile(&once);
    reads_odile(&serde_json::to_string(&once).unwrap());
    reads_odile(&format!("```json\n{once}\n```"));
}

#[test]
fn wrappers_go() {
    for wrapper in ["result", "data", "lighthouse", "value"] {
        reads_odile(&format!("{{\"{wrapper}\": {JSON}}}"));
    }
    reads_odile(&format!("{{\"data\": {{\"result\": {JSON}}}}}"));
    reads_odile(&format!("{{\"reasoning\": \"because\", \"answer\": {JSON}}}"));
    reads_odile(&format!("[{JSON}]"));
}

#[test]
fn wrapper_is_told_from_members() {
    let schema = schema(
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
    );
    assert_eq!(
        repair(r#"{"result": {"a": "x"}}"#, &schema),
        Some(json!({"a": "x"}))
    );
    assert_eq!(
        repair(r#"{"result": "x", "a": "y"}"#, &schema),
        Some(json!({"a": "y"}))
    );
}

#[test]
fn open_schema_keeps_what_it_allows() {
    let schema = schema(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    let reply = json!({"result": {"a": "x"}});
    assert_eq!(repair(&reply.to_string(), &schema), Some(reply));
}

#[test]
fn wrapped_values_are_read_in_every_wrapping() {
    let list = schema(
        json!({"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}}),
    );
    let expected = Some(json!({"value": [{"n": 1}, {"n": 2}]}));
    for reply in [
        r#"{"value":[{"n":1},{"n":2}]}"#,
        r#"[{"n":1},{"n":2}]"#,
        r#"{"products":[{"n":1},{"n":2}]}"#,
        r#"{"value":"[{\"n\":1},{\"n\":2}]"}"#,
        "{\"n\":1}\n{\"n\":2}",
        r#"{"n":"1"},{"n":2},"#,
    ] {
        assert_eq!(repair(reply, &list), expected, "{reply}");
    }
    assert_eq!(repair(r#"{"n":1}"#, &list), Some(json!({"value": [{"n": 1}]})));
}

#[test]
fn scalars_are_read_only_when_they_are_all_there_is() {
    let number = schema(json!({"type": "number"}));
    for reply in [
        "12.5",
        "```json\n12.5\n```",
        "{\"value\":12.5}",
        "\"12.5\"",
        "{\"price\": \"12.5\"}",
    ] {
        assert_eq!(repair(reply, &number), Some(json!({"value": 12.5})), "{reply}");
    }
    assert_eq!(repair("I found 3 items", &number), None);
    let word = schema(json!({"type": "string"}));
    assert_eq!(repair("\"QX-77\"", &word), Some(json!({"value": "QX-77"})));
    assert_eq!(repair("QX-77", &word), None);
    assert_eq!(
        repair("{\"answer\": \"QX-77\"}", &word),
        Some(json!({"value": "QX-77"}))
    );
}

#[test]
fn list_for_an_object_of_one_list_is_put_in_its_place() {
    let schema = schema(
        json!({"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}, "required": ["items"]}),
    );
    assert_eq!(
        repair(r#"["a","b"]"#, &schema),
        Some(json!({"items": ["a", "b"]}))
    );
}

#[test]
fn values_are_rewritten_when_they_mean_one_thing() {
    reads_odile(r#"{"keeper":"Odile","height":"41"}"#);
    reads_odile(r#"{'keeper': 'Odile', 'height': 41, 'note': null}"#);
    assert_eq!(
        repair(r#"{"keeper":7,"height":"1,299.00"}"#, &keeper()),
        Some(json!({"keeper": "7", "height": 1299.0}))
    );
}

#[test]
fn what_does_not_fit_comes_back_nearest_for_the_judge() {
    assert_eq!(
        repair(r#"{"keeper":"Odile","height":"tall"}"#, &keeper()),
        Some(json!({"keeper": "Odile", "height": "tall"}))
    );
    assert_eq!(
        repair(r#"Some {"x": 1} and {"keeper":"Odile"}"#, &keeper()),
        Some(json!({"keeper": "Odile"}))
    );
}

#[test]
fn prose_has_no_value() {
    for reply in [
        "",
        "  ",
        "I would rather chat",
        "I would rather [chat]",
        "see [1] and [2, 3]",
        "{",
        "null and void",
    ] {
        assert_eq!(repair(reply, &keeper()), None, "{reply}");
    }
}

#[test]
fn ids_are_taken_out_of_brackets() {
    let schema = schema(json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^\\d+-\\d+$"},
            "u": {"type": "array", "items": {"type": "string", "format": "uri"}}
        }
    }));
    let urls = crate::Urls {
        by_id: &|id| Some(format!("https://{id}.example/")),
        is_known: &|address| address == "https://x.example/",
    };
    let value = repair(
        r#"{"id":"[0-5]","u":["[0-5]","0-6","https://x.example/"]}"#,
        &schema,
    )
    .unwrap();
    assert_eq!(
        schema.restore(value, &urls),
        Ok(json!({"id": "0-5", "u": ["https://0-5.example/", "https://0-6.example/", "https://x.example/"]}))
    );
}

#[test]
fn hostile_replies_end_in_time() {
    for reply in [
        "{".repeat(200_000),
        "[".repeat(200_000),
        "{\"a\":".repeat(50_000),
        "\"{".repeat(100_000),
        "<think>".repeat(50_000),
        "</think>".repeat(50_000),
        "<".repeat(200_000),
        "`".repeat(200_000),
        "{}".repeat(100_000),
        "[1,".repeat(60_000),
    ] {
        let _ = repair(&reply, &keeper());
    }
}

/// Schemas of several shapes and values that fit them.
fn fitting() -> impl Strategy<Value = (Value, Value)> {
    let text = "[ -~äöü€😀<>{}\\[\\]\"'`\\\\\n]{0,20}";
    prop_oneof![
        (text, (-1_000_000_i32..1_000_000).prop_map(|n| f64::from(n) / 100.0), any::<Option<bool>>()).prop_map(|(s, n, b)| (
            json!({"type": "object", "properties": {"s": {"type": "string"}, "n": {"type": "number"}, "b": {"type": ["boolean", "null"]}},
                   "required": ["s", "n"], "additionalProperties": false}),
            json!({"s": s, "n": n, "b": b})
        )),
        proptest::collection::vec(text, 0..5).prop_map(|items| (
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"value": items})
        )),
        text.prop_map(|text| (json!({"type": "string"}), json!({"value": text}))),
        (text, any::<i64>()).prop_map(|(key, number)| (
            json!({"type": "object", "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}),
            json!({ key: number })
        )),
    ]
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(reply in "\\PC{0,200}") {
        let _ = repair(&reply, &keeper());
    }

    #[test]
    fn json_like_text_never_panics(reply in "[{}\\[\\],:\"'`\\\\<>/a-z0-9 \n-]{0,300}|(<think>|</think>|```json|```|\\{\"keeper\":|\"|1|,|\\}|\\[|\\]){0,40}") {
        let list = schema(json!({"type": "array", "items": {"type": "number"}}));
        let _ = repair(&reply, &keeper());
        let _ = repair(&reply, &list);
    }

    #[test]
    fn fitting_json_passes_unchanged((given, answer) in fitting()) {
        let schema = schema(given);
        prop_assert_eq!(repair(&answer.to_string(), &schema), Some(answer.clone()));
        let pretty = serde_json::to_string_pretty(&answer).unwrap();
        prop_assert_eq!(repair(&pretty, &schema), Some(answer));
    }

    #[test]
    fn repaired_value_is_stable(reply in "[{}\\[\\],:\"'a-z0-9 \n-]{0,120}") {
        if let Some(value) = repair(&reply, &keeper()) {
            let again = repair(&value.to_string(), &keeper());
            prop_assert_eq!(again, Some(value));
        }
    }
}
