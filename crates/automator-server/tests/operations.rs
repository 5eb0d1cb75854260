//! Operations beside the browser, over HTTP, with real browsers and a scripted model.

mod client;

use std::time::{Duration, Instant};

use automator_cdp::{Connection, Session, WebSocketOptions, WebSocketTransport};
use automator_server::egress::policy::{EgressMode, EgressPolicy};
use automator_server::{Server, ServerOptions, create_key};
use automator_testing::{Answer, Fault, Kind, Request, ScriptedModel, Site};
use client::{Client, Folder, options, start};
use serde_json::{Value, json};

const GO: &str = "<h1>A lamp</h1><button onclick=\"navigator.sendBeacon('/pressed')\">Go</button>";

/// A server with one session, a site, and a model.
struct Rig {
    server: Server,
    client: Client,
    site: Site,
    model: ScriptedModel,
    id: String,
    _folder: Folder,
}

impl Rig {
    async fn start() -> Self {
        Self::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut ServerOptions)) -> Self {
        let folder = Folder::new();
        let mut options = options(folder.path());
        change(&mut options);
        let (server, client) = start(options).await;
        let body = json!({ "modelName": "openai/gpt-4.1-mini", "verbose": 2 });
        let (status, started) = client.post("/v1/sessions/start", &body).await;
        assert_eq!((status, &started["success"]), (200, &json!(true)), "{started}");
        assert_eq!(started["data"]["available"], true);
        let id = started["data"]["sessionId"].as_str().expect("an id").to_owned();
        Self {
            server,
            client,
            site: Site::start().await,
            model: ScriptedModel::start().await,
            id,
            _folder: folder,
        }
    }

    fn session(&self) -> String {
        format!("/v1/sessions/{}", self.id)
    }

    fn path(&self, operation: &str) -> String {
        format!("{}/{operation}", self.session())
    }

    fn model(&self) -> Value {
        json!({ "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-a-secret", "baseURL": self.model.base_url() })
    }

    async fn call(&self, operation: &str, body: &Value) -> (u16, Value) {
        self.call_with(operation, body, &[]).await
    }

    /// Calls with the scripted model.
    async fn call_with(&self, operation: &str, body: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        let mut body = body.clone();
        if body["options"]["model"].is_null() {
            body["options"]["model"] = self.model();
        }
        self.client.post_with(&self.path(operation), &body, headers).await
    }

    /// Does a call, which must succeed, and gives what was done.
    async fn done(&self, operation: &str, body: &Value) -> Value {
        let (status, answer) = self.call(operation, body).await;
        assert_eq!((status, &answer["success"]), (200, &json!(true)), "{answer}");
        answer["data"].clone()
    }

    async fn show(&self, html: &str) {
        let at = self.site.put(html);
        let body = json!({ "url": at.url, "options": { "waitUntil": "load" } });
        let opened = self.done("navigate", &body).await;
        assert_eq!(opened["result"]["status"], 200, "{opened}");
    }

    /// Waits until the button has been pressed so often.
    async fn until_pressed(&self, times: usize) {
        let begun = Instant::now();
        while self.site.hits_of("/pressed").len() != times {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{:?}",
                self.site.hits()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn press(request: &Request) -> Answer {
    let choice = json!({ "elementId": request.id_of("button: Go"), "description": "the go button", "method": "click",
        "arguments": [] });
    Answer::value(json!({ "action": choice, "twoStep": false }))
}

fn names(request: &Request) -> Answer {
    match request.kind {
        Kind::Act => press(request),
        Kind::Observe => Answer::value(json!({ "elements": [{ "elementId": request.id_of("button: Go"),
            "description": "the go button", "method": "click", "arguments": [] }] })),
        _ => Answer::value(json!({ "extraction": "A lamp" })),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_run_beside_the_browser_and_are_told_in_the_replay() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(names);
    let acted = rig.done("act", &json!({ "input": "press go" })).await;
    assert_eq!(acted["result"]["success"], true, "{acted}");
    assert!(acted["usage"]["promptTokens"].as_u64() > Some(0), "{acted}");
    rig.until_pressed(1).await;
    let observed = rig
        .done("observe", &json!({ "instruction": "find the button" }))
        .await;
    let action = observed["result"][0].clone();
    let again = rig.done("act", &json!({ "input": action })).await;
    assert_eq!(again["result"]["success"], true);
    assert_eq!(again["usage"]["promptTokens"], 0);
    rig.until_pressed(2).await;
    let text = rig
        .done("extract", &json!({ "instruction": "the product" }))
        .await;
    assert_eq!(text["result"], json!({ "extraction": "A lamp" }));
    rig.model.script(|_| Answer::value(json!({ "name": "A lamp" })));
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let body = json!({ "instruction": "the product", "schema": schema });
    assert_eq!(
        rig.done("extract", &body).await["result"],
        json!({ "name": "A lamp" })
    );
    let page = rig.done("extract", &json!({})).await;
    assert!(
        page["result"]["pageText"]
            .as_str()
            .is_some_and(|text| text.contains("A lamp"))
    );

    let (_, replay) = rig.client.get(&rig.path("replay")).await;
    let actions: Vec<&Value> = replay["data"]["pages"]
        .as_array()
        .expect("pages")
        .iter()
        .flat_map(|page| page["actions"].as_array().expect("actions"))
        .collect();
    let methods: Vec<&str> = actions
        .iter()
        .filter_map(|action| action["method"].as_str())
        .collect();
    assert_eq!(
        methods,
        [
            "navigate", "act", "observe", "act", "extract", "extract", "extract"
        ]
    );
    assert_eq!(
        actions[1]["tokenUsage"]["inputTokens"],
        acted["usage"]["promptTokens"]
    );
    assert!(!replay.to_string().contains("sk-a-secret"));

    let (_, running) = rig.client.get(&rig.session()).await;
    let carried = running["proxyBytes"].as_u64().expect("a number");
    assert!(carried > GO.len() as u64, "{running}");

    let (status, ended) = rig.client.post(&rig.path("end"), &Value::Null).await;
    assert_eq!((status, &ended["success"]), (200, &json!(true)));
    let (_, ended) = rig.client.get(&rig.session()).await;
    assert!(ended["proxyBytes"].as_u64() >= Some(carried), "{ended}");
    let (status, gone) = rig.client.post(&rig.path("end"), &Value::Null).await;
    assert_eq!(status, 410, "{gone}");
    let (status, gone) = rig.call("act", &json!({ "input": "press go" })).await;
    assert_eq!(
        (status, &gone["error"]["automator"]),
        (410, &json!("RemoteSessionNotFoundError")),
        "{gone}"
    );
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_tells_how_far_the_operation_is_in_the_words_of_each_client() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(names);
    for language in ["python", "typescript"] {
        let headers = [("x-stream-response", "true"), ("x-language", language)];
        let (status, body) = rig
            .call_with("act", &json!({ "input": "press go" }), &headers)
            .await;
        assert_eq!(status, 200);
        let text = body.as_str().expect("a stream");
        assert_eq!(text.contains("event: finished\n"), language == "python", "{text}");
        let events: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        let first: Vec<&Value> = events
            .iter()
            .take(3)
            .map(|event| &event["data"]["status"])
            .collect();
        assert_eq!(first, ["starting", "connected", "running"]);
        let last = events.last().expect("an end");
        assert_eq!(last["data"]["status"], "finished", "{text}");
        assert_eq!(last["data"]["result"]["success"], true);
        let log = events.iter().filter(|event| event["type"] == "log");
        let messages: Vec<&Value> = log.map(|event| &event["data"]["message"]["message"]).collect();
        assert!(!messages.is_empty(), "{text}");
        assert!(!text.contains("sk-a-secret"));
    }
    rig.model.script(|_| Answer::text("no JSON at all"));
    let headers = [("x-stream-response", "true")];
    let (status, body) = rig
        .call_with("extract", &json!({ "instruction": "x", "schema": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] } }), &headers)
        .await;
    let text = body.as_str().expect("a stream");
    assert_eq!(status, 200);
    assert!(
        text.contains("event: error\n") && text.contains("\"automator\":\"LLMResponseError\""),
        "{text}"
    );
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_calls_are_answered_once_for_each_key_and_only_while_they_fit() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(names);
    let ask = json!({ "instruction": "the product" });
    let status = |answer: &Value| answer["cacheStatus"].as_str().unwrap_or("none").to_owned();
    let first = rig.done("extract", &ask).await;
    assert_eq!(status(&first), "MISS");
    let second = rig.done("extract", &ask).await;
    assert_eq!(
        (status(&second), &second["result"]),
        ("HIT".to_owned(), &first["result"])
    );
    assert_eq!(second["usage"]["promptTokens"], 0);
    let bypass = rig
        .call_with("extract", &ask, &[("browserbase-cache-bypass", "true")])
        .await
        .1;
    assert_eq!(status(&bypass["data"]), "none");
    assert_eq!(rig.model.requests().len(), 2);
    let (_, not_here) = rig
        .call(
            "extract",
            &json!({ "instruction": "the product", "options": { "serverCache": false } }),
        )
        .await;
    assert_eq!(status(&not_here["data"]), "none");
    // Another question, and another page, are others.
    assert_eq!(
        status(&rig.done("extract", &json!({ "instruction": "the name" })).await),
        "MISS"
    );
    assert_eq!(
        status(&rig.done("observe", &json!({ "instruction": "find it" })).await),
        "MISS"
    );
    assert_eq!(
        status(&rig.done("observe", &json!({ "instruction": "find it" })).await),
        "HIT"
    );
    // The first press brings the focus to the button, which makes the page another one.
    for expected in ["MISS", "MISS", "HIT"] {
        let acted = rig.done("act", &json!({ "input": "press  go" })).await;
        assert_eq!(status(&acted), expected, "{acted}");
    }
    rig.until_pressed(3).await;
    assert_eq!(status(&rig.done("extract", &json!({})).await), "MISS");
    assert_eq!(status(&rig.done("extract", &json!({})).await), "HIT");
    rig.show(&GO.replace("A lamp", "A vase")).await;
    assert_eq!(status(&rig.done("extract", &ask).await), "MISS");

    // Another key has answers of its own.
    let other = create_key(rig.server.store().as_ref(), "other")
        .await
        .expect("a key");
    let other = Client::new(rig.server.address(), other.reveal());
    let (_, started) = other
        .post(
            "/v1/sessions/start",
            &json!({ "modelName": "openai/gpt-4.1-mini" }),
        )
        .await;
    let id = started["data"]["sessionId"].as_str().expect("an id");
    let at = rig.site.put(GO);
    let model = rig.model();
    let (_, opened) = other
        .post(&format!("/v1/sessions/{id}/navigate"), &json!({ "url": at.url }))
        .await;
    assert_eq!(opened["success"], true, "{opened}");
    let body = json!({ "instruction": "the product", "options": { "model": model } });
    let (_, answer) = other.post(&format!("/v1/sessions/{id}/extract"), &body).await;
    assert_eq!(status(&answer["data"]), "MISS", "{answer}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_equal_calls_at_once_ask_the_model_once() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(|_| {
        Answer::value(json!({ "extraction": "A lamp" })).with(Fault::Slow(Duration::from_millis(300)))
    });
    let body = json!({ "instruction": "the product", "options": { "model": rig.model() } });
    let path = rig.path("extract");
    let calls = (0..100).map(|_| rig.client.post(&path, &body));
    let answers = futures_util::future::join_all(calls).await;
    let hits = answers
        .iter()
        .filter(|(_, answer)| answer["data"]["cacheStatus"] == "HIT")
        .count();
    let failed = answers.iter().find(|(status, _)| *status != 200);
    assert!(failed.is_none(), "{failed:?}");
    assert_eq!((hits, rig.model.requests().len()), (99, 1));
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_models_come_with_the_request_and_go_only_where_they_may() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(names);
    let without_key = json!({ "modelName": "openai/gpt-4.1-mini", "baseURL": rig.model.base_url() });
    let body = json!({ "instruction": "the product", "options": { "model": without_key } });
    let (status, refused) = rig.call("extract", &body).await;
    let name = &refused["error"]["automator"];
    assert_eq!(
        (status, name),
        (400, &json!("MissingLLMConfigurationError")),
        "{refused}"
    );
    let (status, answer) = rig
        .call_with("extract", &body, &[("x-model-api-key", "sk-of-the-header")])
        .await;
    assert_eq!(status, 200, "{answer}");
    let sent = rig.model.requests();
    assert_eq!(
        sent.last().and_then(|request| request.header("authorization")),
        Some("Bearer sk-of-the-header")
    );
    // The next one has none again.
    let other = json!({ "instruction": "the name", "options": { "model": without_key } });
    assert_eq!(rig.call("extract", &other).await.0, 400);
    rig.server.stop().await;

    let public =
        Rig::with(|options| options.platform.model_egress = EgressPolicy::new(EgressMode::Public)).await;
    let (status, refused) = public
        .call("extract", &json!({ "instruction": "the product" }))
        .await;
    assert_eq!(status, 400);
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("model.baseURL: ") && message.contains("127.0.0.1"),
        "{message}"
    );
    assert!(public.model.requests().is_empty());
    public.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_choose_their_page_and_what_cannot_be_called_is_named() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    for (operation, body, status, words) in [
        ("act", json!({ "input": "" }), 400, "empty"),
        ("act", json!({ "instruction": "x" }), 400, "instruction"),
        (
            "act",
            json!({ "input": "x", "options": { "patience": 5 } }),
            400,
            "patience",
        ),
        ("act", json!({ "input": "x", "frameId": "none" }), 422, "none"),
        ("navigate", json!({ "url": "file:///etc/passwd" }), 400, "file:"),
        ("navigate", json!({ "url": "chrome://version" }), 400, "chrome:"),
        (
            "act",
            json!({ "input": { "selector": "input", "description": "", "method": "setInputFiles", "arguments": ["/etc/passwd"] } }),
            400,
            "uploaded",
        ),
    ] {
        if operation == "act" && body["input"].is_object() {
            rig.show("<input type=file>").await;
        }
        let (actual, answer) = rig.call(operation, &body).await;
        let message = answer["message"].as_str().unwrap_or_default();
        assert_eq!(actual, status, "{body}: {answer}");
        assert!(message.contains(words), "{body}: {message}");
        assert_eq!(answer["success"], false);
    }
    let (status, answer) = rig
        .client
        .post(
            "/v1/sessions/start",
            &json!({ "modelName": "openai/gpt-4.1-mini", "remoteSessionID": "none" }),
        )
        .await;
    assert_eq!(status, 404, "{answer}");
    let (status, answer) = rig
        .client
        .post("/v1/sessions/start", &json!({ "model": "x/y" }))
        .await;
    assert_eq!(status, 400, "{answer}");
    let (status, answer) = rig
        .client
        .post(
            "/v1/sessions/start",
            &json!({ "modelName": "openai/gpt-4.1-mini", "browserbaseSessionID": rig.id }),
        )
        .await;
    assert_eq!(
        (status, &answer["data"]["sessionId"]),
        (200, &json!(rig.id)),
        "{answer}"
    );
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_fails_tells_what_it_cost() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(|_| Answer::text("no JSON"));
    let (status, answer) = rig
        .call("observe", &json!({ "instruction": "find the button" }))
        .await;
    assert_eq!((status, &answer["success"]), (422, &json!(false)), "{answer}");
    assert!(answer["usage"]["promptTokens"].as_u64() > Some(0), "{answer}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_hangs_up_cancels_the_call_and_an_operation_keeps_the_session() {
    let rig = Rig::with(|options| options.platform.idle = Duration::from_secs(4)).await;
    rig.show(GO).await;
    rig.model
        .script(|_| Answer::text("late").with(Fault::Slow(Duration::from_secs(60))));
    let (client, path) = (rig.client.clone(), rig.path("extract"));
    let body = json!({ "instruction": "x", "options": { "model": rig.model() } });
    let call = tokio::spawn(async move { client.post(&path, &body).await });
    let begun = Instant::now();
    while rig.model.requests().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let (_, session) = rig.client.get(&format!("/v1/sessions/{}", rig.id)).await;
    assert_eq!(session["status"], "RUNNING", "{session}");
    call.abort();
    let begun = Instant::now();
    while rig.model.abandoned() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(10), "the model still works");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    loop {
        let (_, session) = rig.client.get(&format!("/v1/sessions/{}", rig.id)).await;
        if session["status"] == "COMPLETED" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{session}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    rig.server.stop().await;
}

/// Reads the name, presses the button, and is done.
fn task(request: &Request) -> Answer {
    match (request.kind, request.tools.len(), request.tool_results.len()) {
        (Kind::Agent, 1, _) => Answer::tool(
            "done",
            json!({ "reasoning": "Pressed it.", "taskComplete": true }),
        ),
        (Kind::Agent, _, 0) => Answer::tool("extract", json!({ "instruction": "the name" })),
        (Kind::Agent, _, 1) => {
            let action = format!("click [{}]", request.id_of("button: Go"));
            Answer::tool("act", json!({ "action": action }))
        }
        (Kind::Agent, ..) => Answer::text("That is all."),
        _ => Answer::value(json!({ "extraction": "A lamp" })),
    }
}

impl Rig {
    fn task(&self, execute: &Value) -> Value {
        json!({ "agentConfig": { "model": self.model(), "mode": "dom" }, "executeOptions": execute })
    }

    async fn execute(&self, body: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        self.client
            .post_with(&self.path("agentExecute"), body, headers)
            .await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_of_many_steps_runs_beside_the_browser() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model.script(task);
    let body = rig.task(&json!({ "instruction": "press go as %who%", "maxSteps": 8,
        "variables": { "who": "a secret name" } }));
    let (status, answer) = rig.execute(&body, &[]).await;
    assert_eq!((status, &answer["success"]), (200, &json!(true)), "{answer}");
    let data = &answer["data"];
    let result = &data["result"];
    assert_eq!(
        (&result["success"], &result["completed"], &result["message"]),
        (&json!(true), &json!(true), &json!("Pressed it."))
    );
    let kinds: Vec<&Value> = result["actions"]
        .as_array()
        .expect("actions")
        .iter()
        .map(|action| &action["type"])
        .collect();
    assert_eq!(kinds, ["extract", "act", "done"]);
    rig.until_pressed(1).await;
    let shares = &data["usageByOperation"];
    let prompt = |usage: &Value| usage["promptTokens"].as_u64().unwrap_or_default();
    assert_eq!(json!(prompt(&shares["agent"])), result["usage"]["input_tokens"]);
    assert!(prompt(&shares["extract"]) > 0, "{data}");
    assert_eq!(
        prompt(&data["usage"]),
        prompt(&shares["agent"]) + prompt(&shares["extract"]) + prompt(&shares["act"])
    );
    assert_eq!(data["cacheStatus"], Value::Null);

    let headers = [("x-stream-response", "true"), ("x-language", "typescript")];
    let (status, stream) = rig.execute(&body, &headers).await;
    let text = stream.as_str().expect("a stream");
    assert_eq!(status, 200);
    assert!(
        text.contains("\"status\":\"finished\"") && text.contains("\"category\":\"agent\""),
        "{text}"
    );

    let (_, replay) = rig.client.get(&rig.path("replay")).await;
    let action = &replay["data"]["pages"][1]["actions"][0];
    assert_eq!(action["method"], "agent", "{replay}");
    assert_eq!(action["parameters"]["instruction"], "press go as %who%");
    assert_eq!(action["tokenUsage"]["inputTokens"], data["usage"]["promptTokens"]);
    for told in [replay.to_string(), answer.to_string(), text.to_owned()] {
        assert!(
            !told.contains("sk-a-secret") && !told.contains("a secret name"),
            "{told}"
        );
    }
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_uses_computers_does_a_task_beside_the_browser() {
    let rig = Rig::start().await;
    let names = ["anthropic/claude-sonnet-4-5", "openai/gpt-5.4"];
    for (index, (name, how)) in names
        .into_iter()
        .zip([json!({ "mode": "cua" }), json!({ "cua": true })])
        .enumerate()
    {
        rig.show(
            "<style>body { margin: 0 } button { width: 200px; height: 50px }</style>\
             <button onclick=\"navigator.sendBeacon('/pressed')\">Go</button>",
        )
        .await;
        let before = rig.model.requests().len();
        rig.model.script(move |request| {
            let has_clicked = request.raw.contains("tool_use") || request.raw.contains("computer_call");
            let claude = json!({ "type": "tool_use", "id": "t", "name": "computer",
                "input": { "action": "left_click", "coordinate": [100, 25] } });
            let gpt = json!({ "type": "computer_call", "id": "c", "call_id": "c", "pending_safety_checks": [],
                "actions": [{ "type": "click", "button": "left", "x": 100, "y": 25 }] });
            match request.tools.len() {
                1 => Answer::tool(
                    "done",
                    json!({ "reasoning": "Pressed it.", "taskComplete": true }),
                ),
                _ if has_clicked => Answer::text("That is all."),
                _ if name.starts_with("anthropic") => Answer::items([claude]),
                _ => Answer::items([gpt]),
            }
        });
        let mut config = how;
        config["model"] = rig.model();
        config["model"]["modelName"] = name.into();
        let body =
            json!({ "agentConfig": config, "executeOptions": { "instruction": "press go", "maxSteps": 5 } });
        let (status, answer) = rig.execute(&body, &[]).await;
        assert_eq!(
            (status, &answer["success"]),
            (200, &json!(true)),
            "{name}: {answer}"
        );
        assert_eq!(rig.model.failures(), Vec::<String>::new(), "{name}");
        let result = &answer["data"]["result"];
        assert_eq!(
            (&result["success"], &result["message"]),
            (&json!(true), &json!("Pressed it.")),
            "{name}"
        );
        assert_eq!(result["actions"][0]["type"], "click", "{name}: {result}");
        assert_eq!(
            answer["data"]["usageByOperation"]["agent"]["promptTokens"], 300,
            "{name}: {answer}"
        );
        assert_eq!(rig.model.requests().len() - before, 3, "{name}");
        rig.until_pressed(index + 1).await;
    }
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_a_task_is_named_and_both_models_go_only_where_they_may() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    let go = json!({ "instruction": "go" });
    for (body, words) in [
        (json!({ "agentConfig": {}, "executeOptions": {} }), "instruction"),
        (
            json!({ "agentConfig": { "tools": [] }, "executeOptions": go }),
            "agentConfig.tools",
        ),
        (
            json!({ "executeOptions": { "instruction": "go", "signal": 1 } }),
            "signal",
        ),
        (json!({ "executeOptions": go, "options": {} }), "options"),
        (
            json!({ "agentConfig": { "cua": true }, "executeOptions": go }),
            "does not use computers",
        ),
        (
            json!({ "executeOptions": { "instruction": "go", "useSearch": true } }),
            "no search",
        ),
        (
            json!({ "executeOptions": { "instruction": "go", "output": {} } }),
            "output",
        ),
        (json!({ "executeOptions": go }), "OPENAI_API_KEY"),
    ] {
        let (status, answer) = rig.execute(&body, &[]).await;
        assert_eq!(status, 400, "{body}: {answer}");
        assert!(answer.to_string().contains(words), "{body}: {answer}");
    }
    rig.model.script(task);
    let mut body = rig.task(&json!({ "instruction": "press go" }));
    body["agentConfig"]["model"]["apiKey"] = Value::Null;
    let (status, answer) = rig
        .execute(&body, &[("x-model-api-key", "sk-of-the-header")])
        .await;
    assert_eq!(
        (status, &answer["data"]["result"]["success"]),
        (200, &json!(true)),
        "{answer}"
    );
    let keys_sent: Vec<Option<String>> = rig
        .model
        .requests()
        .iter()
        .map(|request| request.header("authorization").map(str::to_owned))
        .collect();
    assert!(
        keys_sent
            .iter()
            .all(|key| key.as_deref() == Some("Bearer sk-of-the-header")),
        "{keys_sent:?}"
    );
    rig.server.stop().await;

    let public =
        Rig::with(|options| options.platform.model_egress = EgressPolicy::new(EgressMode::Public)).await;
    for member in ["model", "executionModel"] {
        let mut config = json!({ "model": { "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-test" } });
        config[member] = public.model();
        let body = json!({ "agentConfig": config, "executeOptions": go });
        let (status, refused) = public.execute(&body, &[]).await;
        assert_eq!(status, 400, "{refused}");
        let message = refused["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("model.baseURL: "), "{message}");
    }
    assert!(public.model.requests().is_empty());
    public.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_hangs_up_ends_a_task() {
    let rig = Rig::start().await;
    rig.show(GO).await;
    rig.model
        .script(|_| Answer::text("late").with(Fault::Slow(Duration::from_secs(60))));
    let (client, path) = (rig.client.clone(), rig.path("agentExecute"));
    let body = rig.task(&json!({ "instruction": "press go" }));
    let call = tokio::spawn(async move {
        client
            .post_with(&path, &body, &[("x-stream-response", "true")])
            .await
    });
    let begun = Instant::now();
    while rig.model.requests().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    call.abort();
    while rig.model.abandoned() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "the model still works");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialog_that_was_open_before_holds_up_no_operation() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let site = Site::start().await;
    let at = site.put("<title>Asking</title><p>A text");
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "extraction": "read" })));
    let of_model =
        json!({ "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-a", "baseURL": model.base_url() });
    for stays in [true, false] {
        let (_, session) = client.post("/v1/sessions", &json!({})).await;
        let (browser, page) = first_page(&session).await;
        for (method, parameters) in [
            ("Page.enable", json!({})),
            ("Page.navigate", json!({ "url": at.url })),
            (
                "Runtime.evaluate",
                json!({ "expression": "void setTimeout(() => confirm('really?'))" }),
            ),
        ] {
            page.send_raw(method, parameters).await.expect(method);
        }
        let question = page.send_raw("Runtime.evaluate", json!({ "expression": "1" }));
        let answered = tokio::time::timeout(Duration::from_secs(1), question).await;
        assert!(answered.is_err(), "the dialog is open");
        if !stays {
            browser.close();
        }
        let path = format!("/v1/sessions/{}/extract", session["id"].as_str().expect("an id"));
        let instruction = format!("the text, and the other client stays: {stays}");
        let body = json!({ "instruction": instruction, "options": { "model": of_model } });
        let (status, answer) = client.post(&path, &body).await;
        assert_eq!(
            (status, &answer["data"]["result"]["extraction"]),
            (200, &json!("read")),
            "{answer}"
        );
    }
    let asked = model.requests();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|request| request.text.contains("A text")));
    server.stop().await;
}

/// A connection of one's own with a session's browser, and its first page.
async fn first_page(session: &Value) -> (Connection, Session) {
    let url = session["connectUrl"].as_str().expect("an address");
    let options = WebSocketOptions::default();
    let transport = WebSocketTransport::connect(url, &options).await;
    let browser = Connection::new(transport.expect("a connection"));
    let targets = asked(&browser.root(), "Target.getTargets", json!({})).await;
    let targets = targets["targetInfos"].as_array().expect("targets");
    let page = targets.iter().find(|target| target["type"] == "page");
    let attach = json!({ "targetId": page.expect("a page")["targetId"], "flatten": true });
    let attached = asked(&browser.root(), "Target.attachToTarget", attach).await;
    let page = browser.session(attached["sessionId"].as_str().expect("an id"));
    (browser, page)
}

async fn asked(session: &Session, method: &str, parameters: Value) -> Value {
    let reply = session.send_raw(method, parameters).await.expect(method);
    serde_json::from_slice(reply.bytes()).expect("JSON")
}
