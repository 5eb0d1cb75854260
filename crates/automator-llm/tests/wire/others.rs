//! Providers with ways of their own.

use automator_llm::{GenerateRequest, LlmError, Message, Part};
use serde_json::{Value, json};

use crate::forms::{Form, anthropic, chat};
use crate::server::{ask, ask_with, bodies, client_of, ok, provider, request_with_image, status};

const GOOD: &str = "{\"keeper\":\"Odile\",\"height\":41}";

fn odile() -> Value {
    json!({"keeper": "Odile", "height": 41})
}

/// The only body that a provider of the Chat form gets.
async fn sent(model: Value) -> Value {
    let server = provider(vec![ok(Form::Chat.text(GOOD))]).await;
    let answered = ask(client_of(model, &server.uri()).as_ref()).await.unwrap();
    assert_eq!(answered.value, odile());
    let mut bodies = bodies(&server).await;
    assert_eq!(bodies.len(), 1);
    bodies.remove(0)
}

fn all_text(body: &Value) -> String {
    Form::Chat.texts(body)
}

#[tokio::test]
async fn groq_gets_a_small_strict_schema_where_it_binds_the_decoder() {
    let body = sent(json!({"modelName": "groq/openai/gpt-oss-120b"})).await;
    assert_eq!(body["model"], "openai/gpt-oss-120b");
    let spec = &body["response_format"]["json_schema"];
    assert_eq!(
        (&spec["strict"], &spec["name"]),
        (&json!(true), &json!("extraction"))
    );
    assert_eq!(
        spec["schema"]["properties"]["height"],
        json!({"type": "number", "description": "at least 1"})
    );
    assert_eq!(
        spec["schema"]["properties"]["link"]["type"],
        json!(["string", "null"])
    );
    assert_eq!(spec["schema"]["required"], json!(["keeper", "height", "link"]));
    assert!(!all_text(&body).contains("JSON Schema"));
}

#[tokio::test]
async fn models_without_schemas_get_json_mode_and_the_schema_in_the_prompt() {
    for model in ["groq/llama-3.3-70b-versatile", "deepseek/deepseek-chat"] {
        let body = sent(json!({ "modelName": model })).await;
        assert_eq!(body["response_format"], json!({"type": "json_object"}), "{model}");
        let text = all_text(&body);
        let (system, rest) = text.split_once("JSON Schema:").unwrap();
        assert!(system.starts_with("You read pages."), "{text}");
        assert!(
            rest.contains("\"minimum\":1") && rest.find("Lighthouse").unwrap() > rest.find("keeper").unwrap()
        );
        assert_eq!(body["messages"][1]["role"], "user", "one system message");
    }
}

#[tokio::test]
async fn mistral_keeps_names_that_end_like_an_effort() {
    let body = sent(json!({"modelName": "mistral/mistral-medium"})).await;
    assert_eq!(body["model"], "mistral-medium");
    assert!(body.get("reasoning_effort").is_none());
    assert_eq!(body["response_format"]["json_schema"]["strict"], true);
}

#[tokio::test]
async fn names_that_end_like_an_effort_stay_whole_everywhere() {
    for model in [
        "openrouter/openai/o3-mini-high",
        "openai/gpt-x-low",
        "mine/model-max",
        "x/a::b-none",
    ] {
        let mut options = json!({ "modelName": model });
        if model.starts_with("openai") {
            options["openaiEndpointFormat"] = json!("chat");
        }
        let body = sent(options).await;
        assert_eq!(body["model"], model.split_once('/').unwrap().1);
        assert!(
            body.get("reasoning_effort").is_none() && body.get("thinking").is_none(),
            "{body}"
        );
    }
}

#[tokio::test]
async fn mistral_reasoning_chunks_are_no_text() {
    let message = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm {\"keeper\":\"X\",\"height\":1}"}]},
        {"type": "text", "text": GOOD}
    ]});
    let server = provider(vec![ok(chat(&message, "stop", &Value::Null))]).await;
    let answered = ask(client_of(json!({"modelName": "mistral/magistral-medium"}), &server.uri()).as_ref())
        .await
        .unwrap();
    assert_eq!(answered.value, odile());
}

#[tokio::test]
async fn xai_reasoning_is_counted_once() {
    for (completion, total, expected) in [(9, 42 + 9 + 233, 242), (242, 42 + 242, 242)] {
        let usage = json!({"prompt_tokens": 42, "completion_tokens": completion, "total_tokens": total,
                           "completion_tokens_details": {"reasoning_tokens": 233}});
        let server = provider(vec![ok(chat(
            &json!({"role": "assistant", "content": GOOD}),
            "stop",
            &usage,
        ))])
        .await;
        let answered = ask(client_of(json!({"modelName": "xai/grok-4"}), &server.uri()).as_ref())
            .await
            .unwrap();
        assert_eq!(
            (answered.usage.tokens.completion, answered.usage.tokens.reasoning),
            (expected, 233)
        );
    }
}

#[tokio::test]
async fn ollama_is_asked_in_openais_form_without_a_key_and_reads_the_schema_too() {
    let server = provider(vec![ok(Form::Chat.text(GOOD))]).await;
    let options =
        serde_json::from_value(json!({"modelName": "ollama/llama3.2", "baseURL": server.uri()})).unwrap();
    let client = automator_llm::connect(&options, &|_: &str| None).unwrap();
    assert_eq!(client.context_window(), Some(4_096));
    ask(client.as_ref()).await.unwrap();
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(request.url.path(), "/v1/chat/completions");
    assert!(!request.headers.contains_key("authorization"));
    let body: Value = request.body_json().unwrap();
    assert_eq!(
        body["response_format"]["json_schema"]["schema"]["additionalProperties"],
        false
    );
    assert!(all_text(&body).contains("JSON Schema:"));
}

#[tokio::test]
async fn compatible_server_keeps_one_user_message() {
    let body = sent(json!({"modelName": "my-gateway/llama"})).await;
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["system", "user"]);
    assert_eq!(
        body["messages"][1]["content"],
        "[0-1] link: Lighthouse\n\nkeeper and height"
    );
    for word in ["prompt_cache", "cache_control", "store"] {
        assert!(!body.to_string().contains(word), "{word}");
    }
}

#[tokio::test]
async fn server_that_refuses_the_schema_option_is_asked_without_it_from_then_on() {
    let server = provider(vec![status(400), ok(Form::Chat.text(GOOD))]).await;
    let client = client_of(json!({"modelName": "my-gateway/llama"}), &server.uri());
    assert_eq!(ask(client.as_ref()).await.unwrap().value, odile());
    assert_eq!(ask(client.as_ref()).await.unwrap().value, odile());
    let bodies = bodies(&server).await;
    let with: Vec<bool> = bodies
        .iter()
        .map(|body| body.get("response_format").is_some())
        .collect();
    assert_eq!(with, [true, false, false]);
    assert!(all_text(&bodies[1]).contains("JSON Schema:"));
}

#[tokio::test]
async fn server_that_refuses_the_request_itself_keeps_its_words() {
    let server = provider(vec![status(400)]).await;
    let client = client_of(json!({"modelName": "my-gateway/llama"}), &server.uri());
    let failure = ask(client.as_ref()).await.unwrap_err();
    assert!(matches!(
        failure.error,
        LlmError::Provider {
            status: Some(400),
            ..
        }
    ));
}

#[tokio::test]
async fn older_claude_answers_through_a_tool() {
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let call = json!([{"type": "text", "text": "Let me answer."},
                      {"type": "tool_use", "id": "t1", "name": "answer", "input": odile()}]);
    let server = provider(vec![ok(anthropic(&call, "tool_use", &usage))]).await;
    let client = client_of(
        json!({"modelName": "anthropic/claude-3-7-sonnet-latest"}),
        &server.uri(),
    );
    assert_eq!(ask(client.as_ref()).await.unwrap().value, odile());
    let body = &bodies(&server).await[0];
    assert_eq!(body["tool_choice"], json!({"type": "tool", "name": "answer"}));
    assert_eq!(
        body["tools"][0]["input_schema"]["properties"]["height"]["minimum"],
        1
    );
    assert!(body.get("output_config").is_none());
}

#[tokio::test]
async fn azure_takes_its_key_in_a_header_of_its_own() {
    let server = provider(vec![ok(Form::Chat.text(GOOD))]).await;
    let model = json!({"modelName": "azure/my-deployment", "apiVersion": "ignored-with-a-base"});
    ask(client_of(model, &format!("{}/openai?api-version=preview", server.uri())).as_ref())
        .await
        .unwrap();
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(request.url.path(), "/openai/v1/chat/completions");
    assert_eq!(request.url.query(), Some("api-version=preview"));
    assert_eq!(request.headers["api-key"], "sk-very-secret");
    assert!(!request.headers.contains_key("authorization"));
    let body: Value = request.body_json().unwrap();
    assert_eq!(body["model"], "my-deployment");
    assert!(body.get("apiVersion").is_none());
}

#[tokio::test]
async fn vertex_speaks_gemini_and_claude() {
    let server = provider(vec![ok(Form::Google.text(GOOD))]).await;
    ask(client_of(json!({"modelName": "vertex/gemini-2.5-pro"}), &server.uri()).as_ref())
        .await
        .unwrap();
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(
        request.url.path(),
        "/publishers/google/models/gemini-2.5-pro:generateContent"
    );
    assert_eq!(request.headers["authorization"], "Bearer sk-very-secret");
    let server = provider(vec![ok(Form::Anthropic.text(GOOD))]).await;
    ask(client_of(json!({"modelName": "vertex/claude-sonnet-4-5"}), &server.uri()).as_ref())
        .await
        .unwrap();
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(
        request.url.path(),
        "/publishers/anthropic/models/claude-sonnet-4-5:rawPredict"
    );
    let body: Value = request.body_json().unwrap();
    assert_eq!(body["anthropic_version"], "vertex-2023-10-16");
    assert!(body["system"].to_string().contains("JSON Schema:"));
    let other = client_of(json!({"modelName": "vertex/llama-4"}), &server.uri());
    assert!(matches!(
        ask(other.as_ref()).await.unwrap_err().error,
        LlmError::UnsupportedModel { .. }
    ));
}

#[tokio::test]
async fn bedrock_speaks_converse() {
    let answer = |stop: &str, text: &str| {
        ok(
            json!({"output": {"message": {"role": "assistant", "content": [{"text": text}]}}, "stopReason": stop,
                  "usage": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 105, "cacheReadInputTokens": 90}}),
        )
    };
    let server = provider(vec![
        answer("end_turn", GOOD),
        answer("guardrail_intervened", "Blocked."),
    ])
    .await;
    let client = client_of(
        json!({"modelName": "bedrock/anthropic.claude-sonnet-4-5-v1:0"}),
        &server.uri(),
    );
    let answered = ask(client.as_ref()).await.unwrap();
    assert_eq!(answered.value, odile());
    assert_eq!(
        (answered.usage.tokens.prompt, answered.usage.tokens.cached_input),
        (100, 90)
    );
    let request = &server.received_requests().await.unwrap()[0];
    assert_eq!(
        request.url.path(),
        "/model/anthropic.claude-sonnet-4-5-v1:0/converse"
    );
    assert_eq!(request.headers["authorization"], "Bearer sk-very-secret");
    let failure = ask(client.as_ref()).await.unwrap_err();
    assert!(matches!(failure.error, LlmError::Refused { .. }), "{failure:?}");
}

#[tokio::test]
async fn content_filter_of_the_responses_interface_is_a_refusal() {
    let body = crate::forms::responses(
        &json!([]),
        "incomplete",
        &json!({"reason": "content_filter"}),
        &Value::Null,
    );
    let server = provider(vec![ok(body)]).await;
    let failure = ask(client_of(Form::Responses.model(), &server.uri()).as_ref())
        .await
        .unwrap_err();
    assert!(matches!(failure.error, LlmError::Refused { .. }), "{failure:?}");
}

#[tokio::test]
async fn missing_key_is_reported_by_the_first_call_and_nothing_is_sent() {
    let server = provider(vec![ok(Form::Responses.text(GOOD))]).await;
    let options =
        serde_json::from_value(json!({"modelName": "openai/gpt-4.1-mini", "baseURL": server.uri()})).unwrap();
    let client = automator_llm::connect(&options, &|_: &str| None).unwrap();
    let failure = ask(client.as_ref()).await.unwrap_err();
    let LlmError::MissingKey { variables, .. } = &failure.error else {
        panic!("{failure:?}")
    };
    assert_eq!(variables, &["OPENAI_API_KEY"]);
    assert!(bodies(&server).await.is_empty());
    assert_eq!(failure.usage.calls, 0);
}

#[tokio::test]
async fn images_for_a_model_without_eyes_are_refused_before_anything_is_sent() {
    let server = provider(vec![ok(Form::Chat.text(GOOD))]).await;
    let client = client_of(json!({"modelName": "deepseek/deepseek-chat"}), &server.uri());
    assert!(!client.accepts_images());
    let failure = ask_with(client.as_ref(), request_with_image()).await.unwrap_err();
    assert!(matches!(failure.error, LlmError::UnsupportedModel { .. }));
    assert!(bodies(&server).await.is_empty());
}

#[tokio::test]
async fn schema_beyond_strict_mode_is_sent_loosely() {
    let schema = automator_llm::ResponseSchema::new(
        &json!({"type": "object", "additionalProperties": {"type": "number"}}),
    )
    .unwrap();
    let server = provider(vec![ok(Form::Responses.text("{\"a\": 1}"))]).await;
    let client = client_of(Form::Responses.model(), &server.uri());
    let mut request = GenerateRequest::new(vec![Message::user(vec![Part::text("x")])]);
    request.response_format = schema.response_format("map");
    client.generate(&request).await.unwrap();
    let format = &bodies(&server).await[0]["text"]["format"];
    assert_eq!(format["strict"], false);
    assert_eq!(
        format["schema"]["additionalProperties"],
        json!({"type": "number"})
    );
}

#[tokio::test]
async fn claude_gets_its_cache_points_at_the_ends_of_instructions_and_page() {
    let server = provider(vec![ok(Form::Anthropic.text(GOOD))]).await;
    ask(client_of(Form::Anthropic.model(), &server.uri()).as_ref())
        .await
        .unwrap();
    let body = &bodies(&server).await[0];
    let mark = json!({"type": "ephemeral"});
    assert_eq!(body["system"][0]["cache_control"], mark);
    assert_eq!(body["messages"][0]["content"][0]["cache_control"], mark);
    assert_eq!(
        body["messages"][0]["content"][0]["text"],
        "[0-1] link: Lighthouse"
    );
    assert_eq!(body["messages"][1]["content"], "keeper and height");
    assert_eq!(body.to_string().matches("cache_control").count(), 2);
}

#[tokio::test]
async fn request_that_carries_the_schema_in_its_prompt() {
    insta::assert_json_snapshot!(sent(json!({"modelName": "deepseek/deepseek-chat"})).await);
}

#[tokio::test]
async fn request_for_a_correction() {
    let server = provider(vec![
        ok(Form::Chat.text("{\"keeper\":\"Odile\",\"height\":0}")),
        ok(Form::Chat.text(GOOD)),
    ])
    .await;
    ask(client_of(json!({"modelName": "mistral/mistral-small"}), &server.uri()).as_ref())
        .await
        .unwrap();
    insta::assert_json_snapshot!(bodies(&server).await[1]["messages"]);
}
