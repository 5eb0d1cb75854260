//! What the model makes of requests.

use automator_testing::{Answer, Kind, ScriptedModel, Wire};
use serde_json::{Value, json};

use super::{PAGE, WIRES, ask, extract_schema, post, structured, with_tool};

/// The one request that a model got with this body.
async fn read_request(wire: Wire, body: &Value) -> automator_testing::Request {
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::text("{}"));
    post(&model, wire, body, false).await.unwrap();
    let mut requests = model.requests();
    assert_eq!(requests.len(), 1);
    requests.remove(0)
}

#[tokio::test]
async fn every_wire_is_reduced_to_the_same_record() {
    for wire in WIRES {
        let body = structured(wire, &extract_schema(), PAGE);
        let request = read_request(wire, &body).await;
        assert_eq!(request.wire, wire);
        assert_eq!(request.kind, Kind::Extract, "{wire:?}");
        assert_eq!(request.model, "model-x", "{wire:?}");
        assert_eq!(request.system, "Be exact.", "{wire:?}");
        assert_eq!(request.text, format!("Be exact.\n{PAGE}"), "{wire:?}");
        assert_eq!(request.messages.len(), 2, "{wire:?}");
        assert_eq!(request.schema, Some(extract_schema()), "{wire:?}");
        assert_eq!(
            (request.images, request.stream, request.tools.len()),
            (1, false, 0),
            "{wire:?}"
        );
        assert_eq!(
            (request.max_output_tokens, request.temperature),
            (Some(500), None),
            "{wire:?}"
        );
        assert_eq!(request.header("x-mark"), Some("yes"));
        assert_eq!((request.raw, request.body), (body.to_string(), body));
    }
}

#[tokio::test]
async fn the_kind_is_read_off_schema_and_tools() {
    let action = json!({ "type": "object", "properties": { "elementId": { "type": "string" } } });
    let act =
        json!({ "type": "object", "properties": { "action": { "anyOf": [action, { "type": "null" }] } } });
    let observe =
        json!({ "type": "object", "properties": { "elements": { "type": "array", "items": action } } });
    let by_reference = json!({
        "type": "object", "properties": { "elements": { "type": "array", "items": { "$ref": "#/$defs/Action" } } },
        "$defs": { "Action": action },
    });
    let text_only = json!({ "model": "m", "input": "Say hello." });
    for wire in WIRES {
        for (schema, kind) in [
            (&act, Kind::Act),
            (&action, Kind::Act),
            (&observe, Kind::Observe),
            (&by_reference, Kind::Observe),
        ] {
            assert_eq!(
                read_request(wire, &structured(wire, schema, PAGE)).await.kind,
                kind,
                "{wire:?} {schema}"
            );
        }
        assert_eq!(
            read_request(wire, &with_tool(wire, "click", &action, false))
                .await
                .kind,
            Kind::Agent
        );
        assert_eq!(
            read_request(wire, &with_tool(wire, "done", &action, true))
                .await
                .kind,
            Kind::Agent
        );
    }
    assert_eq!(read_request(Wire::Responses, &text_only).await.kind, Kind::Text);
}

#[tokio::test]
async fn a_forced_tool_stands_for_a_structured_reply() {
    for wire in WIRES {
        let request = read_request(wire, &with_tool(wire, "answer", &extract_schema(), true)).await;
        assert_eq!(request.kind, Kind::Extract, "{wire:?}");
        assert_eq!(request.forced_tool.as_deref(), Some("answer"), "{wire:?}");
        assert_eq!(request.schema, Some(extract_schema()), "{wire:?}");
    }
}

#[tokio::test]
async fn a_schema_in_the_prompt_of_a_request_for_json_is_found() {
    let prompt = format!(
        "Not this {{one}} but this:\n{}\nAnswer in JSON.",
        extract_schema()
    );
    let mut body = structured(Wire::Chat, &Value::Null, &prompt);
    body["response_format"] = json!({ "type": "json_object" });
    let request = read_request(Wire::Chat, &body).await;
    assert_eq!(
        (request.kind, request.schema),
        (Kind::Extract, Some(extract_schema()))
    );
}

#[tokio::test]
async fn results_of_tools_are_collected() {
    let bodies = [
        (
            Wire::Responses,
            json!({ "input": [{ "type": "function_call_output", "call_id": "c", "output": "it is 9" }] }),
        ),
        (
            Wire::Chat,
            json!({ "messages": [{ "role": "tool", "tool_call_id": "c", "content": "it is 9" }] }),
        ),
        (
            Wire::Anthropic,
            json!({ "messages": [{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": "it is 9" }] }] }),
        ),
        (
            Wire::Google,
            json!({ "contents": [{ "role": "user", "parts": [{ "functionResponse": { "name": "f", "response": "it is 9" } }] }] }),
        ),
    ];
    for (wire, body) in bodies {
        let results = read_request(wire, &body).await.tool_results;
        assert!(
            results.len() == 1 && results[0].contains("it is 9"),
            "{wire:?} {results:?}"
        );
    }
}

#[tokio::test]
async fn ids_are_found_by_role_and_name() {
    let request = read_request(
        Wire::Responses,
        &structured(Wire::Responses, &extract_schema(), PAGE),
    )
    .await;
    assert_eq!(request.id_of("link: Alpha"), "0-1");
    assert_eq!(request.id_of("link: PDF"), "0-2");
    assert_eq!(request.id_of("textbox: Amount"), "0-3");
    assert_eq!(request.find_id("link: Al"), None);
    assert_eq!(request.find_id("button: Alpha"), None);
}

#[tokio::test]
async fn a_script_that_finds_no_element_answers_400_and_says_why() {
    let model = ScriptedModel::start().await;
    model.script(|request| Answer::text(request.id_of("link: Missing")));
    for wire in WIRES {
        let reply = ask(&model, wire, false).await.unwrap();
        assert_eq!(reply.status, 400, "{wire:?}");
        assert!(
            reply.json()["error"]["message"]
                .as_str()
                .unwrap()
                .contains("link: Missing"),
            "{wire:?}"
        );
    }
    assert_eq!(model.failures().len(), WIRES.len());
    assert!(
        model.failures()[0].contains("[0-1] link: Alpha"),
        "{:?}",
        model.failures()
    );
}

#[tokio::test]
async fn requests_that_are_no_json_or_for_no_known_path_are_refused() {
    let model = ScriptedModel::start().await;
    let port = model
        .base_url()
        .trim_end_matches("/v1")
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let broken = crate::client::request(port, "POST", "/v1/responses", "", "{")
        .await
        .unwrap();
    let unknown = crate::client::request(port, "POST", "/v1/embeddings", "", "{}")
        .await
        .unwrap();
    assert_eq!((broken.status, unknown.status), (400, 404));
    assert!(model.requests().is_empty());
}
