//! A provider that answers by a script.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use automator_llm::{
    Answered, Ask, AskFailure, GenerateRequest, LlmClient, Message, ModelOptions, Part, ResponseSchema,
    RetryPolicy, Urls, UsageMeter, ask_structured, connect,
};
use serde_json::{Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

/// Answers in order; the last one again and again.
struct Script(Mutex<VecDeque<ResponseTemplate>>);

impl Respond for Script {
    fn respond(&self, _request: &Request) -> ResponseTemplate {
        let mut left = self.0.lock().unwrap();
        if left.len() > 1 {
            left.pop_front()
        } else {
            left.front().cloned()
        }
        .unwrap()
    }
}

/// Starts a provider with a script.
pub(crate) async fn provider(script: Vec<ResponseTemplate>) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(Script(Mutex::new(script.into())))
        .mount(&server)
        .await;
    server
}

/// Bodies of all requests so far.
pub(crate) async fn bodies(server: &MockServer) -> Vec<Value> {
    let requests = server.received_requests().await.unwrap();
    requests
        .iter()
        .map(|request| request.body_json().unwrap())
        .collect()
}

/// HTTP 200 with JSON.
pub(crate) fn ok(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

/// An error status with the usual body.
pub(crate) fn status(code: u16) -> ResponseTemplate {
    ResponseTemplate::new(code)
        .set_body_json(json!({"error": {"message": format!("scripted {code}"), "type": "x"}}))
}

/// A client with a key, pointed at an address.
pub(crate) fn client_of(mut model: Value, base: &str) -> std::sync::Arc<dyn LlmClient> {
    model["baseURL"] = json!(base);
    let options: ModelOptions = serde_json::from_value(model).unwrap();
    connect(&options, &|name: &str| {
        name.ends_with("_KEY").then(|| "sk-very-secret".to_owned())
    })
    .unwrap()
}

/// The question of most tests: optional member, bounds, an address.
pub(crate) fn schema() -> ResponseSchema {
    ResponseSchema::new(&json!({
        "type": "object",
        "properties": {
            "keeper": {"type": "string", "description": "who keeps it"},
            "height": {"type": "number", "minimum": 1},
            "link": {"type": "string", "format": "uri"}
        },
        "required": ["keeper", "height"],
        "additionalProperties": false
    }))
    .unwrap()
}

/// Page text before, instruction after, with a point for the cache between.
pub(crate) fn request() -> GenerateRequest {
    GenerateRequest::new(vec![
        Message {
            role: automator_llm::Role::System,
            parts: vec![Part::text("You read pages."), Part::CachePoint],
        },
        Message::user(vec![
            Part::text("[0-1] link: Lighthouse"),
            Part::CachePoint,
            Part::text("keeper and height"),
        ]),
    ])
}

/// Two bytes that stand for a picture.
pub(crate) fn request_with_image() -> GenerateRequest {
    let mut request = request();
    request.messages[1].parts.insert(2, Part::png(vec![1_u8, 2]));
    request
}

pub(crate) fn retry() -> RetryPolicy {
    RetryPolicy {
        first_pause: Duration::from_millis(1),
        ..RetryPolicy::default()
    }
}

pub(crate) const URLS: Urls<'static> = Urls {
    by_id: &|id| (id == "0-1").then(|| "https://coast.example/lighthouse".to_owned()),
    is_known: &|_| false,
};

/// Asks the question.
pub(crate) async fn ask(client: &dyn LlmClient) -> Result<Answered<Value>, AskFailure> {
    ask_with(client, request()).await
}

pub(crate) async fn ask_with(
    client: &dyn LlmClient,
    request: GenerateRequest,
) -> Result<Answered<Value>, AskFailure> {
    let schema = schema();
    ask_structured(
        client,
        Ask {
            request,
            name: "extraction",
            schema: &schema,
            judge: &|value| schema.restore(value, &URLS),
            retry: retry(),
            meter: UsageMeter::new(),
        },
    )
    .await
}
