//! What comes back when nothing goes wrong.

use automator_testing::{Answer, ScriptedModel, Usage, Wire};
use serde_json::{Value, json};

use super::{PAGE, Said, WIRES, ask, extract_schema, path, post, read, structured, with_tool};

fn finish_of(wire: Wire) -> (&'static str, &'static str) {
    match wire {
        Wire::Responses => ("completed", "completed"),
        Wire::Chat => ("stop", "tool_calls"),
        Wire::Anthropic => ("end_turn", "tool_use"),
        _ => ("STOP", "STOP"),
    }
}

/// 100 in, 5 of them cached; 20 out, 3 of them reasoning; as each wire counts.
fn usage_of(wire: Wire) -> [u64; 4] {
    match wire {
        Wire::Anthropic => [95, 20, 3, 5],
        Wire::Google => [100, 17, 3, 5],
        _ => [100, 20, 3, 5],
    }
}

#[tokio::test]
async fn the_script_answers_on_every_wire_plain_and_streamed() {
    let model = ScriptedModel::start().await;
    model.script(|request| Answer::value(json!({ "link": request.id_of("link: Alpha") })));
    for wire in WIRES {
        for stream in [false, true] {
            let reply = ask(&model, wire, stream).await.unwrap();
            let content_type = if stream {
                "text/event-stream"
            } else {
                "application/json"
            };
            assert_eq!(
                reply.header("content-type"),
                Some(content_type),
                "{wire:?} {stream}"
            );
            let said = Said {
                text: r#"{"link":"0-1"}"#.to_owned(),
                finish: finish_of(wire).0.to_owned(),
                usage: usage_of(wire),
                ..Said::default()
            };
            assert_eq!(read(wire, &reply, stream), said, "{wire:?} {stream}");
        }
    }
    assert!(model.requests().iter().filter(|request| request.stream).count() == WIRES.len());
}

#[tokio::test]
async fn tools_are_called_on_every_wire_plain_and_streamed() {
    let model = ScriptedModel::start().await;
    model.script(|_| {
        Answer::tool("click", json!({ "target": "the link, please" })).and_tool("wait", json!({}))
    });
    for wire in WIRES {
        for stream in [false, true] {
            let reply = post(
                &model,
                wire,
                &with_tool(wire, "click", &extract_schema(), false),
                stream,
            )
            .await
            .unwrap();
            assert!(reply.body.contains("wait"), "{wire:?} {stream}");
            // A stream of several calls is put together by index; the small reader here takes the first only.
            if !stream {
                let said = read(wire, &reply, stream);
                assert_eq!(
                    said.tool,
                    Some(("click".to_owned(), json!({ "target": "the link, please" }))),
                    "{wire:?}"
                );
                assert_eq!(said.finish, finish_of(wire).1, "{wire:?}");
            }
        }
    }
}

#[tokio::test]
async fn one_call_is_streamed_in_pieces() {
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::tool("click", json!({ "target": "the link, please" })));
    for wire in [Wire::Responses, Wire::Chat, Wire::Anthropic] {
        let reply = post(
            &model,
            wire,
            &with_tool(wire, "click", &extract_schema(), false),
            true,
        )
        .await
        .unwrap();
        let said = read(wire, &reply, true);
        assert_eq!(
            said.tool,
            Some(("click".to_owned(), json!({ "target": "the link, please" }))),
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn a_forced_tool_gets_the_value_as_its_arguments() {
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "link": "0-1" })));
    for wire in WIRES {
        let reply = post(
            &model,
            wire,
            &with_tool(wire, "answer", &extract_schema(), true),
            false,
        )
        .await
        .unwrap();
        let said = read(wire, &reply, false);
        assert_eq!(
            said.tool,
            Some(("answer".to_owned(), json!({ "link": "0-1" }))),
            "{wire:?}"
        );
        assert_eq!(said.text, "", "{wire:?}");
    }
}

async fn fitted(schema: Value, value: Value) -> Value {
    let model = ScriptedModel::start().await;
    model.answers([value]);
    let body = structured(Wire::Chat, &schema, PAGE);
    let reply = post(&model, Wire::Chat, &body, false).await.unwrap();
    serde_json::from_str(&read(Wire::Chat, &reply, false).text).unwrap()
}

#[tokio::test]
async fn values_are_fitted_into_the_schema() {
    let action = json!({ "type": "object", "properties": { "elementId": { "type": "string" } } });
    let act =
        json!({ "type": "object", "properties": { "action": action, "twoStep": { "type": "boolean" } } });
    let list = json!({ "type": "object", "properties": { "found": { "type": "array", "items": action } } });
    let complete =
        json!({ "elementId": "0-1", "description": "the element", "method": "click", "arguments": [] });
    assert_eq!(
        fitted(act.clone(), json!({ "elementId": "0-1" })).await,
        json!({ "action": complete, "twoStep": false })
    );
    assert_eq!(
        fitted(act, Value::Null).await,
        json!({ "action": null, "twoStep": false })
    );
    assert_eq!(
        fitted(list, json!([{ "elementId": "0-1" }])).await,
        json!({ "found": [complete] })
    );
    assert_eq!(
        fitted(action, json!({ "elementId": "0-1" })).await,
        json!({ "elementId": "0-1" })
    );
    assert_eq!(
        fitted(extract_schema(), json!("0-1")).await,
        json!({ "link": "0-1" })
    );
    assert_eq!(
        fitted(extract_schema(), json!({ "a": 1 })).await,
        json!({ "a": 1 })
    );
}

#[tokio::test]
async fn fixed_answers_come_in_order_and_run_out() {
    let model = ScriptedModel::start().await;
    model.answers([Answer::text("one"), Answer::text("two")]);
    assert_eq!(
        read(Wire::Chat, &ask(&model, Wire::Chat, false).await.unwrap(), false).text,
        "one"
    );
    assert_eq!(
        read(Wire::Chat, &ask(&model, Wire::Chat, false).await.unwrap(), false).text,
        "two"
    );
    assert_eq!(ask(&model, Wire::Chat, false).await.unwrap().status, 400);
    assert_eq!(model.failures().len(), 1);
}

#[tokio::test]
async fn usage_can_be_set_for_all_answers_and_for_one() {
    let model = ScriptedModel::start().await;
    model.set_usage(Usage {
        input: 7,
        output: 6,
        reasoning: 5,
        cached: 4,
    });
    model.answers([
        Answer::text("a"),
        Answer::text("b").usage(Usage {
            input: 1,
            ..Usage::default()
        }),
    ]);
    let first = read(
        Wire::Responses,
        &ask(&model, Wire::Responses, false).await.unwrap(),
        false,
    );
    let second = read(
        Wire::Responses,
        &ask(&model, Wire::Responses, false).await.unwrap(),
        false,
    );
    assert_eq!((first.usage, second.usage), ([7, 6, 5, 4], [1, 20, 3, 5]));
}

#[tokio::test]
async fn googles_older_stream_is_one_json_array() {
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::text("a text of more than one piece"));
    let port = model
        .base_url()
        .trim_end_matches("/v1")
        .rsplit(':')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let body = structured(Wire::Google, &extract_schema(), PAGE).to_string();
    let address = path(Wire::Google, true).trim_end_matches("?alt=sse");
    let reply = crate::client::request(port, "POST", address, "", &body)
        .await
        .unwrap();
    let pieces = reply.json();
    let text: String = pieces
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| {
            piece["candidates"][0]["content"]["parts"][0]["text"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(text, "a text of more than one piece");
}

#[tokio::test]
async fn the_model_of_the_shop_reads_the_page_it_is_sent() {
    let model = ScriptedModel::for_shop().await;
    let page = "[0-0] RootWebArea: Shop\n  -\n    [0-1] link: Arc lamp\n    € 49.00";
    let schema = json!({ "type": "object", "properties": { "products": { "type": "array", "items": {
        "type": "object", "properties": { "name": { "type": "string" }, "price": { "type": "number" } },
    } } } });
    for wire in WIRES {
        let reply = post(&model, wire, &structured(wire, &schema, page), false)
            .await
            .unwrap();
        assert_eq!(
            read(wire, &reply, false).text,
            r#"{"products":[{"name":"Arc lamp","price":49.0}]}"#,
            "{wire:?}"
        );
    }
    let action = json!({ "type": "object", "properties": { "elementId": { "type": "string" } } });
    let act = post(&model, Wire::Chat, &structured(Wire::Chat, &action, page), false)
        .await
        .unwrap();
    assert_eq!(act.status, 200, "acting is answered, too");
}
