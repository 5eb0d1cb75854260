//! Nothing secret is in a log line, in the audit log, in the database, or in an answer that is not about it.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use automator_server::audit::AUDIT_FILE;
use automator_server::key::ApiKey;
use automator_server::{DATABASE, Server};
use automator_testing::{Answer, Kind, ProxyServer, ScriptedModel, Site};
use serde_json::{Value, json};
use tracing::level_filters::LevelFilter;

use super::client::{Client, Folder};
use super::setup::{connect, options, start};
use super::text;

const PROXY_PASSWORD: &str = "proxy-hunter2-password";
const PROXY_USER: &str = "proxy-hunter2-user";
const VARIABLE: &str = "variable-correct-horse";
const MODEL_KEY: &str = "sk-model-key-in-a-body";
const OTHER_MODEL_KEY: &str = "sk-model-key-in-a-header";
const MISPLACED: &str = "sk-model-key-in-a-wrong-place";

/// All that is logged.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The bytes of the database, and of the files beside it.
fn database(folder: &Path) -> Vec<u8> {
    let names = ["", "-wal", "-shm"].map(|end| folder.join(format!("{DATABASE}{end}")));
    let files = names.iter().filter_map(|name| std::fs::read(name).ok());
    files.flatten().collect()
}

fn holds(text: &[u8], secret: &str) -> bool {
    text.windows(secret.len()).any(|part| part == secret.as_bytes())
}

/// A client that keeps what it is answered.
struct Noting {
    client: Client,
    answers: Vec<u8>,
}

impl Noting {
    async fn post(&mut self, path: &str, body: &Value, headers: &[(&str, &str)]) -> (u16, Value) {
        let (status, answer) = self.client.post_with(path, body, headers).await;
        self.answers.extend_from_slice(answer.to_string().as_bytes());
        (status, answer)
    }

    async fn get(&mut self, path: &str) -> Value {
        let (_, answer) = self.client.get(path).await;
        self.answers.extend_from_slice(answer.to_string().as_bytes());
        answer
    }
}

/// Types the variable, and finds a name in everything else.
fn script(request: &automator_testing::Request) -> Answer {
    match request.kind {
        Kind::Act => Answer::value(json!({
            "action": {
                "elementId": request.id_of("textbox: Word"), "description": "the word", "method": "fill",
                "arguments": ["%word%"],
            },
            "twoStep": false,
        })),
        _ => Answer::value(json!({ "extraction": "a lamp" })),
    }
}

/// Uses everything that has a secret, also where it goes wrong. Gives the tokens that were handed out, and the session.
async fn use_everything(server: &Server, noting: &mut Noting, proxy: &ProxyServer) -> (Vec<String>, Value) {
    let (site, model) = (Site::start().await, ScriptedModel::start().await);
    model.script(script);
    let page = site.put("<label>Word <input></label>");
    let parameters = json!({ "keepAlive": true, "proxies": [{
        "type": "external", "server": proxy.url(), "username": PROXY_USER, "password": PROXY_PASSWORD,
    }] });
    let (status, session) = noting.client.post("/v1/sessions", &parameters).await;
    assert_eq!(status, 200, "{session}");
    let id = text(&session, "id").to_owned();
    let at = |operation: &str| format!("/v1/sessions/{id}/{operation}");
    let start = json!({ "modelName": "openai/gpt-4.1-mini", "remoteSessionID": id, "verbose": 2 });
    let header = [("x-model-api-key", OTHER_MODEL_KEY)];
    noting
        .client
        .post_with("/v1/sessions/start", &start, &header)
        .await;
    let (status, answer) = noting
        .post(&at("navigate"), &json!({ "url": page.url }), &[])
        .await;
    assert_eq!(status, 200, "{answer}");
    let model_options = json!({
        "modelName": "openai/gpt-4.1-mini", "apiKey": MODEL_KEY, "baseURL": model.base_url(),
    });
    let act = json!({
        "input": "fill in %word%", "options": { "model": model_options, "variables": { "word": VARIABLE } },
    });
    let (status, answer) = noting.post(&at("act"), &act, &[]).await;
    assert_eq!(
        (status, &answer["data"]["result"]["success"]),
        (200, &json!(true)),
        "{answer}"
    );
    let typed = json!({ "instruction": "the name", "options": { "model": {
        "modelName": "openai/gpt-4.1-mini", "baseURL": model.base_url(),
    } } });
    let streamed = [
        ("x-stream-response", "true"),
        ("x-model-api-key", OTHER_MODEL_KEY),
    ];
    noting.post(&at("extract"), &typed, &streamed).await;
    assert!(!model.requests().is_empty());
    // A model that fails, and a call that cannot be read.
    model.fault_always(Some(automator_testing::Fault::ServerError(401)));
    noting
        .post(
            &at("extract"),
            &json!({ "instruction": "again", "options": { "model": model_options } }),
            &[],
        )
        .await;
    misplace(noting, &id).await;
    let tokens = use_tokens(server, noting, &session).await;
    noting.get(&at("replay")).await;
    (tokens, session)
}

/// Puts secrets where they do not belong.
async fn misplace(noting: &mut Noting, id: &str) {
    let at = |operation: &str| format!("/v1/sessions/{id}/{operation}");
    for wrong in [
        json!({ "instruction": "x", "apiKey": MISPLACED }),
        json!({ "instruction": "x", "options": { "model": { "modelName": "x/y", "apiKey": [MISPLACED] } } }),
        json!({ "instruction": "x", "options": MISPLACED }),
        json!({ "instruction": [MISPLACED] }),
        json!({ "instruction": "x", "options": { "model": { "modelName": "nobody/x", "apiKey": MISPLACED } } }),
        json!([MISPLACED]),
    ] {
        let (status, answer) = noting.post(&at("extract"), &wrong, &[]).await;
        assert!(status >= 400, "{wrong}: {answer}");
    }
    let wrong = json!({ "input": "x", "options": { "variables": { "word": [MISPLACED] } } });
    let (status, answer) = noting.post(&at("act"), &wrong, &[]).await;
    assert!(status >= 400, "{wrong}: {answer}");
    for wrong in [
        json!([MISPLACED]),
        json!({ "proxies": [{ "type": "external", "server": "x", "password": [MISPLACED] }] }),
        json!({ "proxies": [MISPLACED] }),
        json!({ "proxies": MISPLACED }),
    ] {
        let (status, answer) = noting.post("/v1/sessions", &wrong, &[]).await;
        assert_eq!(status, 400, "{answer}");
    }
}

/// Uses tokens, also where they do not belong, and wrong keys. Gives the tokens.
async fn use_tokens(server: &Server, noting: &Noting, session: &Value) -> Vec<String> {
    let id = text(session, "id");
    let at = |operation: &str| format!("/v1/sessions/{id}/{operation}");
    let browser = connect(text(session, "connectUrl")).await;
    let answer = browser.root().send_raw("Browser.getVersion", json!({})).await;
    answer.expect("an answer");
    let (_, debug) = noting.client.get(&at("debug")).await;
    let mut tokens = Vec::new();
    for url in [
        &session["connectUrl"],
        &session["sessionUrl"],
        &debug["debuggerUrl"],
        &debug["wsUrl"],
    ] {
        let url = url.as_str().expect("an address");
        let token = url.split_once("token=").expect("a token").1;
        tokens.push(token.split(['&', '#']).next().expect("a token").to_owned());
    }
    for (token, path) in [
        (&tokens[1], format!("/sessions/{id}")),
        (&tokens[2], format!("/sessions/{id}")),
        (&tokens[0], at("downloads")),
        (&tokens[0], "/v1/sessions/nobody/downloads".to_owned()),
    ] {
        noting.client.get(&format!("{path}?token={token}")).await;
    }
    for key in [ApiKey::generate().expect("a key").reveal(), MISPLACED] {
        Client::new(server.address(), key).get("/v1/sessions").await;
    }
    tokens
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_that_are_used_are_written_nowhere() {
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).expect("the only one");
    let folder = Folder::new();
    let proxy = ProxyServer::start(PROXY_USER, PROXY_PASSWORD).await;
    let (server, client) = start(options(folder.path())).await;
    let mut noting = Noting {
        client,
        answers: Vec::new(),
    };
    let (tokens, session) = use_everything(&server, &mut noting, &proxy).await;
    assert!(!proxy.accepted().is_empty(), "the proxy was used");
    let during = database(folder.path());
    let path = format!("/v1/sessions/{}", text(&session, "id"));
    noting
        .post(&path, &json!({ "status": "REQUEST_RELEASE" }), &[])
        .await;
    noting.get("/v1/sessions").await;
    noting.get("/metrics").await;
    server.stop().await;

    let key = noting.client.key().splitn(3, '_').nth(2).expect("a secret part");
    let log = logged.0.lock().expect("no panic").clone();
    let audit = std::fs::read(folder.path().join(AUDIT_FILE)).expect("the audit log");
    let after = database(folder.path());
    assert!(
        holds(&log, "a session has ended") && holds(&log, "TRACE"),
        "it was captured"
    );
    assert!(
        holds(&during, text(&session, "id")) && holds(&audit, "operation"),
        "it was written"
    );
    let mut secrets = vec![
        key,
        PROXY_PASSWORD,
        PROXY_USER,
        VARIABLE,
        MODEL_KEY,
        OTHER_MODEL_KEY,
        MISPLACED,
    ];
    let macs: Vec<&str> = tokens
        .iter()
        .filter_map(|token| token.rsplit('.').next())
        .collect();
    secrets.extend(macs);
    for secret in secrets {
        for (place, bytes) in [
            ("a log line", &log),
            ("the audit log", &audit),
            ("the database of a running session", &during),
            ("the database", &after),
            ("an answer", &noting.answers),
        ] {
            assert!(
                !holds(bytes, secret),
                "`{secret}` is in {place}: {}",
                around(bytes, secret)
            );
        }
    }
}

/// What is around a secret.
fn around(bytes: &[u8], secret: &str) -> String {
    let text = String::from_utf8_lossy(bytes);
    let at = text.find(secret).unwrap_or_default();
    let start = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|start| start + 300 < at)
        .last();
    text[start.unwrap_or_default()..].chars().take(400).collect()
}
