//! What is sent, and how counts are read.

use automator_llm::{FinishReason, GenerateRequest, Message, Part, Tool, ToolChoice, ToolResult};
use serde_json::{Value, json};

use crate::forms::{self, ALL, Form};
use crate::server::{ask, ask_with, bodies, client_of, ok, provider, request_with_image};

const GOOD: &str = "{\"keeper\":\"Odile\",\"height\":41,\"link\":\"0-1\"}";

/// The body and the headers of the only request.
async fn sent(model: Value, form: Form, request: GenerateRequest) -> Value {
    let server = provider(vec![ok(form.text(GOOD))]).await;
    let client = client_of(model, &format!("{}/v1", server.uri()));
    ask_with(client.as_ref(), request).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].url.path(), form.path());
    requests[0].body_json().unwrap()
}

#[tokio::test]
async fn request_of_openai_responses() {
    insta::assert_json_snapshot!(sent(Form::Responses.model(), Form::Responses, request_with_image()).await);
}

#[tokio::test]
async fn request_of_openai_chat() {
    insta::assert_json_snapshot!(sent(Form::Chat.model(), Form::Chat, request_with_image()).await);
}

#[tokio::test]
async fn request_of_anthropic() {
    insta::assert_json_snapshot!(sent(Form::Anthropic.model(), Form::Anthropic, request_with_image()).await);
}

#[tokio::test]
async fn request_of_google() {
    insta::assert_json_snapshot!(sent(Form::Google.model(), Form::Google, request_with_image()).await);
}

#[tokio::test]
async fn keys_and_own_headers_travel_as_each_provider_wants_them() {
    for (form, header, value) in [
        (Form::Responses, "authorization", "Bearer sk-very-secret"),
        (Form::Chat, "authorization", "Bearer sk-very-secret"),
        (Form::Anthropic, "x-api-key", "sk-very-secret"),
        (Form::Google, "x-goog-api-key", "sk-very-secret"),
    ] {
        let server = provider(vec![ok(form.text(GOOD))]).await;
        let mut model = form.model();
        model["headers"] = json!({"X-Trace": "t-1"});
        ask(client_of(model, &format!("{}/v1", server.uri())).as_ref())
            .await
            .unwrap();
        let request = &server.received_requests().await.unwrap()[0];
        assert_eq!(request.headers[header], value, "{form:?}");
        assert_eq!(request.headers["x-trace"], "t-1");
        let keys = ["authorization", "x-api-key", "x-goog-api-key"];
        assert_eq!(
            keys.iter()
                .filter(|name| request.headers.contains_key(**name))
                .count(),
            1,
            "{form:?}"
        );
        if form == Form::Anthropic {
            assert_eq!(request.headers["anthropic-version"], "2023-06-01");
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_that_nobody_asked_for() {
    for form in ALL {
        let body = sent(form.model(), form, request_with_image()).await.to_string();
        for word in [
            "temperature",
            "top_p",
            "reasoning_effort",
            "\"thinking\"",
            "thinkingConfig",
            "\"seed\"",
        ] {
            assert!(!body.contains(word), "{form:?} sent {word}");
        }
    }
}

#[tokio::test]
async fn what_the_user_asked_for_is_sent() {
    for (form, limit, temperature) in [
        (Form::Responses, "/max_output_tokens", "/temperature"),
        (Form::Chat, "/max_tokens", "/temperature"),
        (Form::Anthropic, "/max_tokens", "/temperature"),
        (
            Form::Google,
            "/generationConfig/maxOutputTokens",
            "/generationConfig/temperature",
        ),
    ] {
        let mut model = form.model();
        model["maxOutputTokens"] = json!(777);
        model["temperature"] = json!(0.25);
        model["my_option"] = json!({"a": 1});
        let body = sent(model, form, request_with_image()).await;
        assert_eq!(body.pointer(limit), Some(&json!(777)), "{form:?}");
        assert_eq!(body.pointer(temperature), Some(&json!(0.25)), "{form:?}");
        assert_eq!(body["my_option"], json!({"a": 1}), "{form:?}");
    }
}

#[tokio::test]
async fn own_options_join_ours_and_replace_nothing_else() {
    let mut model = Form::Responses.model();
    model["text"] = json!({"verbosity": "low"});
    let body = sent(model, Form::Responses, request_with_image()).await;
    assert_eq!(body["text"]["verbosity"], "low");
    assert_eq!(body["text"]["format"]["type"], "json_schema");
    let mut model = Form::Google.model();
    model["generationConfig"] = json!({"topK": 5});
    model["maxOutputTokens"] = json!(9);
    let body = sent(model, Form::Google, request_with_image()).await;
    assert_eq!(body["generationConfig"]["topK"], 5);
    assert_eq!(body["generationConfig"]["maxOutputTokens"], 9);
    assert!(body["generationConfig"]["responseJsonSchema"]["properties"].is_object());
}

#[tokio::test]
async fn reasoning_effort_is_sent_where_asked() {
    let mut model = Form::Responses.model();
    model["reasoningEffort"] = json!("low");
    let body = sent(model, Form::Responses, request_with_image()).await;
    assert_eq!(body["reasoning"], json!({"effort": "low"}));
    let mut model = Form::Chat.model();
    model["reasoningEffort"] = json!("none");
    let body = sent(model, Form::Chat, request_with_image()).await;
    assert_eq!(body["reasoning_effort"], "none");
}

#[tokio::test]
async fn counts_mean_the_same_in_every_form() {
    for form in ALL {
        let server = provider(vec![ok(form.text(GOOD))]).await;
        let answered = ask(client_of(form.model(), &format!("{}/v1", server.uri())).as_ref())
            .await
            .unwrap();
        let tokens = answered.usage.tokens;
        assert_eq!(
            (
                tokens.prompt,
                tokens.cached_input,
                tokens.completion,
                tokens.reasoning
            ),
            (100, 90, 20, 3),
            "{form:?}"
        );
        assert_eq!(
            answered.value,
            json!({"keeper": "Odile", "height": 41, "link": "https://coast.example/lighthouse"})
        );
    }
}

#[tokio::test]
async fn two_instructions_share_the_beginning_of_the_request() {
    for form in ALL {
        let mut texts = Vec::new();
        for instruction in ["first question", "second one"] {
            let mut request = request_with_image();
            request.messages[1].parts.remove(2);
            request.messages[1].parts[2] = Part::text(instruction);
            let server = provider(vec![ok(form.text(GOOD))]).await;
            ask_with(
                client_of(form.model(), &format!("{}/v1", server.uri())).as_ref(),
                request,
            )
            .await
            .unwrap();
            let body = server.received_requests().await.unwrap()[0].body.clone();
            texts.push(String::from_utf8(body).unwrap());
        }
        let shared = texts[0]
            .bytes()
            .zip(texts[1].bytes())
            .take_while(|(one, other)| one == other)
            .count();
        let page_ends = texts[0].find("[0-1] link: Lighthouse").unwrap() + "[0-1] link: Lighthouse".len();
        assert!(shared >= page_ends, "{form:?}: {shared} of {page_ends}");
    }
}

#[tokio::test]
async fn tools_and_their_results_travel_in_every_form() {
    let tool = Tool {
        name: "click".into(),
        description: "Clicks an element".into(),
        parameters: json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
    };
    for (form, answer) in [
        (
            Form::Responses,
            json!({"id": "r", "status": "completed", "model": "m", "output": [
                {"type": "function_call", "call_id": "call_1", "name": "click", "arguments": "{\"id\":\"0-1\"}"}],
                "usage": {"input_tokens": 1, "output_tokens": 1}}),
        ),
        (
            Form::Chat,
            forms::chat(
                &json!({"role": "assistant", "content": null, "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "click", "arguments": "{\"id\":\"0-1\"}"}}]}),
                "tool_calls",
                &Value::Null,
            ),
        ),
        (
            Form::Anthropic,
            forms::anthropic(
                &json!([{"type": "tool_use", "id": "call_1", "name": "click", "input": {"id": "0-1"}}]),
                "tool_use",
                &json!({"input_tokens": 1, "output_tokens": 1}),
            ),
        ),
        (
            Form::Google,
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"id": "call_1", "name": "click", "args": {"id": "0-1"}}}]},
                   "finishReason": "STOP"}]}),
        ),
    ] {
        let server = provider(vec![ok(answer), ok(form.text("done"))]).await;
        let client = client_of(form.model(), &format!("{}/v1", server.uri()));
        let mut request = GenerateRequest::new(vec![Message::user(vec![Part::text("click it")])]);
        request.tools = vec![tool.clone()];
        request.tool_choice = ToolChoice::Required;
        let reply = client.generate(&request).await.unwrap();
        assert_eq!(reply.finish, FinishReason::ToolCalls, "{form:?}");
        let [call] = reply.tool_calls.as_slice() else {
            panic!("{form:?}")
        };
        assert_eq!(
            (call.name.as_str(), &call.arguments),
            ("click", &json!({"id": "0-1"}))
        );
        request.messages.push(reply.to_message());
        request.messages.push(Message::tool(vec![ToolResult {
            call_id: call.id.clone(),
            name: call.name.clone(),
            content: "clicked".into(),
        }]));
        let last = client.generate(&request).await.unwrap();
        assert_eq!((last.text.as_str(), last.finish), ("done", FinishReason::Stop));
        let bodies = bodies(&server).await;
        insta::assert_json_snapshot!(format!("tools_{form:?}"), bodies[1]);
    }
}

#[tokio::test]
async fn tool_arguments_that_are_no_json_come_back_as_text() {
    let answer = forms::chat(
        &json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "click", "arguments": "{\"id\": 0-1"}}]}),
        "tool_calls",
        &json!({"prompt_tokens": 7, "completion_tokens": 2}),
    );
    let server = provider(vec![ok(answer)]).await;
    let client = client_of(Form::Chat.model(), &format!("{}/v1", server.uri()));
    let reply = client
        .generate(&GenerateRequest::new(vec![Message::user(vec![Part::text("x")])]))
        .await
        .unwrap();
    assert_eq!(reply.tool_calls[0].arguments, json!("{\"id\": 0-1"));
    assert_eq!((reply.tokens.prompt, reply.tokens.completion), (7, 2));
}

#[tokio::test]
async fn plain_text_is_asked_without_any_form() {
    for form in ALL {
        let server = provider(vec![ok(form.text("hello"))]).await;
        let client = client_of(form.model(), &format!("{}/v1", server.uri()));
        let reply = client
            .generate(&GenerateRequest::new(vec![Message::user(vec![Part::text("hi")])]))
            .await
            .unwrap();
        assert_eq!(reply.text, "hello");
        let body = bodies(&server).await[0].to_string();
        for word in [
            "json_schema",
            "response_format",
            "output_config",
            "responseMimeType",
            "tools",
        ] {
            assert!(!body.contains(word), "{form:?} sent {word}");
        }
    }
}
