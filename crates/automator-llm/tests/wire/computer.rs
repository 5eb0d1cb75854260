//! Models that use computers: what is sent, what comes back, what goes wrong.

use std::sync::Arc;

use automator_llm::{
    ComputerAction, ComputerClient, ComputerReply, ComputerRequest, ComputerResult, ComputerTurn, Image,
    ImageFormat, LlmError, Screen, Tool, UsageMeter, Wanted, connect_computer, use_computer,
};
use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use crate::server::{ok, provider, retry, status};

const CLAUDE: &str = "anthropic/claude-sonnet-4-5";
const GPT: &str = "openai/gpt-5.4";

fn client_of(mut model: Value, server: &MockServer) -> Arc<dyn ComputerClient> {
    model["baseURL"] = json!(format!("{}/v1", server.uri()));
    let options = serde_json::from_value(model).unwrap();
    let environment = |name: &str| name.ends_with("_KEY").then(|| "sk-very-secret".to_owned());
    connect_computer(&options, &environment, None).unwrap().unwrap()
}

/// A task with a tool besides the computer, and as many turns as are given.
fn request(turns: Vec<ComputerTurn>) -> ComputerRequest {
    ComputerRequest {
        system: "You use a browser.".to_owned(),
        task: "Press the bell.".to_owned(),
        earlier: String::new(),
        turns,
        screen: Screen {
            picture: Image {
                format: ImageFormat::Jpeg,
                bytes: Arc::from([1_u8, 2]),
            },
            width: 1280,
            height: 720,
        },
        tools: vec![Tool {
            name: "goto".to_owned(),
            description: "Goes to an address.".to_owned(),
            parameters: json!({ "type": "object", "properties": { "url": { "type": "string" } } }),
        }],
    }
}

fn turn(said: &Value, results: &[(&str, &str, bool)]) -> ComputerTurn {
    let said = said.as_array().unwrap().clone();
    let results = results.iter().map(|(id, text, is_error)| ComputerResult {
        call_id: (*id).to_owned(),
        text: (*text).to_owned(),
        is_error: *is_error,
    });
    ComputerTurn {
        said,
        results: results.collect(),
        note: None,
    }
}

fn by_claude() -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [
            { "type": "text", "text": "There is the bell." },
            { "type": "tool_use", "id": "toolu_1", "name": "computer",
              "input": { "action": "left_click", "coordinate": [640, 360] } },
        ],
        "stop_reason": "tool_use",
        "usage": { "input_tokens": 70, "cache_read_input_tokens": 25, "cache_creation_input_tokens": 5,
            "output_tokens": 20, "output_tokens_details": { "thinking_tokens": 3 } },
    })
}

fn by_gpt() -> Value {
    json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null, "model": "gpt-5.4",
        "output": [
            { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed" },
            { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
              "content": [{ "type": "output_text", "text": "There is the bell.", "annotations": [] }] },
            { "type": "computer_call", "id": "cu_1", "call_id": "call_1", "status": "completed",
              "pending_safety_checks": [],
              "actions": [{ "type": "click", "button": "left", "x": 640, "y": 360 }] },
        ],
        "usage": { "input_tokens": 100, "input_tokens_details": { "cached_tokens": 25, "cache_write_tokens": 5 },
            "output_tokens": 20, "output_tokens_details": { "reasoning_tokens": 3 }, "total_tokens": 120 },
    })
}

fn answer_of(name: &str) -> Value {
    if name == CLAUDE { by_claude() } else { by_gpt() }
}

async fn step(
    name: &str,
    script: Vec<ResponseTemplate>,
) -> (Result<ComputerReply, LlmError>, UsageMeter, usize) {
    let server = provider(script).await;
    let meter = UsageMeter::new();
    let client = client_of(json!({ "modelName": name }), &server);
    let reply = use_computer(client.as_ref(), &request(Vec::new()), retry(), &meter).await;
    let asked = server.received_requests().await.unwrap().len();
    (reply, meter, asked)
}

async fn sent(model: Value, turns: Vec<ComputerTurn>) -> wiremock::Request {
    let name = model["modelName"].as_str().unwrap().to_owned();
    let answer = if name.starts_with("anthropic") {
        by_claude()
    } else {
        by_gpt()
    };
    let server = provider(vec![ok(answer)]).await;
    let client = client_of(model, &server);
    let asked = request(turns);
    client.step(&asked).await.unwrap();
    server.received_requests().await.unwrap().remove(0)
}

#[tokio::test]
async fn first_request_of_claude() {
    let request = sent(json!({ "modelName": CLAUDE }), Vec::new()).await;
    assert_eq!(request.url.path(), "/v1/messages");
    assert_eq!(request.headers["anthropic-beta"], "computer-use-2025-01-24");
    assert_eq!(request.headers["x-api-key"], "sk-very-secret");
    insta::assert_json_snapshot!(request.body_json::<Value>().unwrap());
}

#[tokio::test]
async fn later_request_of_claude_has_one_picture_and_the_cache_before_it() {
    let first = json!([
        { "type": "text", "text": "I look." },
        { "type": "tool_use", "id": "a", "name": "computer", "input": { "action": "screenshot" } },
    ]);
    let second = json!([
        { "type": "tool_use", "id": "b", "name": "computer", "input": { "action": "left_click", "coordinate": [1, 2] } },
        { "type": "tool_use", "id": "c", "name": "goto", "input": { "url": "file:///" } },
    ]);
    let mut last = turn(&second, &[("b", "", false), ("c", "failed: no", true)]);
    last.note = Some("Do something else.".to_owned());
    let turns = vec![turn(&first, &[("a", "", false)]), last];
    let request = sent(json!({ "modelName": CLAUDE }), turns).await;
    let body: Value = request.body_json().unwrap();
    assert_eq!(body.to_string().matches("\"type\":\"image\"").count(), 1);
    insta::assert_json_snapshot!(body["messages"]);
}

#[tokio::test]
async fn picture_stands_beside_results_that_are_all_errors() {
    let said = json!([{ "type": "tool_use", "id": "a", "name": "computer", "input": {} }]);
    let request = sent(
        json!({ "modelName": CLAUDE }),
        vec![turn(&said, &[("a", "failed", true)])],
    )
    .await;
    let body: Value = request.body_json().unwrap();
    let content = &body["messages"][2]["content"];
    assert_eq!(content[0]["content"].as_array().unwrap().len(), 1, "{content}");
    assert_eq!(content[1]["type"], "image", "{content}");
}

#[tokio::test]
async fn first_request_of_gpt() {
    let request = sent(json!({ "modelName": GPT }), Vec::new()).await;
    assert_eq!(request.url.path(), "/v1/responses");
    assert_eq!(request.headers["authorization"], "Bearer sk-very-secret");
    insta::assert_json_snapshot!(request.body_json::<Value>().unwrap());
}

#[tokio::test]
async fn later_request_of_gpt_sends_the_answer_back_with_the_picture() {
    let said = json!([
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed" },
        { "type": "computer_call", "id": "cu_1", "call_id": "a", "status": "completed",
          "pending_safety_checks": [{ "id": "sc_1", "code": "malicious_instructions", "message": "look" }],
          "actions": [{ "type": "click", "button": "left", "x": 1, "y": 2 }, { "type": "wait" }] },
        { "type": "function_call", "id": "fc_1", "call_id": "b", "name": "goto", "arguments": "{}" },
    ]);
    let results = [
        ("a", "", false),
        ("a", "failed: wait", true),
        ("b", "done", false),
    ];
    let request = sent(json!({ "modelName": GPT }), vec![turn(&said, &results)]).await;
    insta::assert_json_snapshot!(request.body_json::<Value>().unwrap()["input"]);
}

#[tokio::test]
async fn turn_of_tools_alone_is_followed_by_the_picture() {
    let said = json!([{ "type": "function_call", "call_id": "b", "name": "goto", "arguments": "{}" }]);
    let request = sent(
        json!({ "modelName": GPT }),
        vec![turn(&said, &[("b", "", false)])],
    )
    .await;
    let body: Value = request.body_json().unwrap();
    assert_eq!(body["input"][2]["output"], "done", "{body}");
    assert_eq!(body["input"][3]["content"][0]["type"], "input_image", "{body}");
}

#[tokio::test]
async fn tool_and_header_follow_the_model() {
    for (name, kind, beta) in [
        (
            "anthropic/claude-opus-4-6",
            "computer_20251124",
            Some("computer-use-2025-11-24"),
        ),
        ("anthropic/claude-opus-5-5", "computer_toolset_20260801", None),
        ("openai/gpt-5.4", "computer", None),
        ("openai/computer-use-preview", "computer_use_preview", None),
    ] {
        let request = sent(json!({ "modelName": name }), Vec::new()).await;
        let body: Value = request.body_json().unwrap();
        assert_eq!(body["tools"][0]["type"], kind, "{name}");
        let told = request
            .headers
            .get("anthropic-beta")
            .map(|told| told.to_str().unwrap());
        assert_eq!(told, beta, "{name}");
    }
}

#[tokio::test]
async fn members_of_the_set_of_tools_are_answered_as_such() {
    let said =
        json!([{ "type": "tool_use", "id": "a", "name": "wait", "toolset_name": "computer", "input": {} }]);
    let model = json!({ "modelName": "anthropic/claude-opus-5-5" });
    let request = sent(model, vec![turn(&said, &[("a", "", false)])]).await;
    let body: Value = request.body_json().unwrap();
    assert_eq!(
        body["messages"][2]["content"][0]["toolset_name"], "computer",
        "{body}"
    );
}

#[tokio::test]
async fn own_options_and_headers_travel() {
    let own = |name: &str| {
        json!({ "modelName": name, "temperature": 0.5, "maxOutputTokens": 700, "reasoningEffort": "low", "my_option": 1,
            "headers": { "Anthropic-Beta": "mine-2026-01-01" } })
    };
    let request = sent(own(CLAUDE), Vec::new()).await;
    assert_eq!(
        request.headers["anthropic-beta"],
        "mine-2026-01-01,computer-use-2025-01-24"
    );
    let body: Value = request.body_json().unwrap();
    assert_eq!(
        (&body["max_tokens"], &body["temperature"], &body["my_option"]),
        (&json!(700), &json!(0.5), &json!(1))
    );
    assert_eq!(
        body["thinking"],
        json!({ "type": "enabled", "budget_tokens": 1024 })
    );
    let body: Value = sent(own("anthropic/claude-opus-4-6"), Vec::new())
        .await
        .body_json()
        .unwrap();
    assert_eq!(body["output_config"], json!({ "effort": "low" }));
    let body: Value = sent(own(GPT), Vec::new()).await.body_json().unwrap();
    assert_eq!(
        (&body["max_output_tokens"], &body["reasoning"]["effort"]),
        (&json!(700), &json!("low"))
    );
}

#[tokio::test]
async fn answers_are_read_with_their_words_actions_and_counts() {
    for name in [CLAUDE, GPT] {
        let (reply, meter, _) = step(name, vec![ok(answer_of(name))]).await;
        let reply = reply.unwrap();
        assert_eq!(reply.text, "There is the bell.", "{name}");
        assert!(
            matches!(&reply.calls[0].wanted, Wanted::Action(ComputerAction::Click { at: Some(at), .. }) if *at == (640.0, 360.0)),
            "{name}: {reply:?}"
        );
        let tokens = meter.total().tokens;
        assert_eq!((tokens.prompt, tokens.completion), (100, 20), "{name}");
        assert_eq!(
            (tokens.cached_input, tokens.cache_write, tokens.reasoning),
            (25, 5, 3),
            "{name}"
        );
    }
}

#[tokio::test]
async fn rates_and_servers_in_trouble_are_waited_for() {
    for name in [CLAUDE, GPT] {
        let slow = status(429).insert_header("retry-after-ms", "5");
        let (reply, meter, asked) = step(name, vec![slow, status(503), ok(answer_of(name))]).await;
        assert!(reply.is_ok(), "{name}: {reply:?}");
        assert_eq!((asked, meter.total().calls), (3, 3), "{name}");
        let (reply, _, asked) = step(name, vec![status(400)]).await;
        assert!(
            matches!(
                reply,
                Err(LlmError::Provider {
                    status: Some(400),
                    ..
                })
            ),
            "{name}: {reply:?}"
        );
        assert_eq!(asked, 1, "{name}");
        let (reply, _, asked) = step(name, vec![status(401)]).await;
        assert!(matches!(reply, Err(LlmError::Auth { .. })), "{name}: {reply:?}");
        assert_eq!(asked, 1, "{name}");
    }
}

#[tokio::test]
async fn key_is_in_no_message() {
    for name in [CLAUDE, GPT] {
        let body = json!({ "error": { "message": "Incorrect key: sk-very-secret" } });
        let (reply, _, _) = step(name, vec![ResponseTemplate::new(401).set_body_json(body)]).await;
        let told = format!("{0} {0:?}", reply.unwrap_err());
        assert!(told.contains("***") && !told.contains("sk-very-secret"), "{told}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_errors() {
    for name in [CLAUDE, GPT] {
        for answer in [
            ResponseTemplate::new(200).set_body_string("<html>"),
            ok(json!({ "id": "x" })),
            ok(json!([])),
        ] {
            let (reply, _, _) = step(name, vec![answer]).await;
            assert!(
                matches!(reply, Err(LlmError::InvalidReply { .. })),
                "{name}: {reply:?}"
            );
        }
    }
    let refused = json!({ "content": [], "stop_reason": "refusal" });
    let (reply, _, _) = step(CLAUDE, vec![ok(refused)]).await;
    assert!(matches!(reply, Err(LlmError::Refused { .. })), "{reply:?}");
    let refused =
        json!({ "output": [{ "type": "message", "content": [{ "type": "refusal", "refusal": "no" }] }] });
    let (reply, _, _) = step(GPT, vec![ok(refused)]).await;
    assert!(matches!(reply, Err(LlmError::Refused { .. })), "{reply:?}");
    let failed =
        json!({ "status": "failed", "error": { "code": "server_error", "message": "x" }, "output": [] });
    let (reply, _, asked) = step(GPT, vec![ok(failed), ok(by_gpt())]).await;
    assert!(reply.is_ok(), "{reply:?}");
    assert_eq!(asked, 2);
}
