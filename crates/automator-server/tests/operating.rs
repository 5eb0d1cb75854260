//! What an operator relies on: limits, figures, the audit log, retention.

mod client;

use std::path::Path;
use std::time::{Duration, Instant};

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::{CloseReason, Connection, WebSocketOptions, WebSocketTransport};
use automator_server::audit::AUDIT_FILE;
use automator_server::key::ApiKey;
use automator_server::metrics::{OperationKind, OperationOutcome, Tokens};
use automator_server::options::{HttpLimits, MetricsAccess, Rate};
use automator_server::{Server, ServerError, ServerOptions, create_key};
use automator_testing::{Answer, ScriptedModel, Site};
use client::{Client, Folder, start};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

fn options(folder: &Path) -> ServerOptions {
    let mut options = client::options(folder);
    options.platform.round = Duration::from_millis(10);
    options
}

/// Sends bytes on a connection of their own, and gives all that comes back until the server closes it.
async fn exchange(server: &Server, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).await.expect("the server");
    // The server may answer, and close, before it has read everything.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or_default()
}

/// The value of a sample.
fn figure(figures: &str, sample: &str) -> f64 {
    figures
        .lines()
        .find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '))
        .unwrap_or_else(|| panic!("{sample} is not in\n{figures}"))
        .parse()
        .expect("a number")
}

async fn figures(client: &Client) -> String {
    let (status, text) = client.get("/metrics").await;
    assert_eq!(status, 200, "{text}");
    text.as_str().expect("a text").to_owned()
}

fn audit_lines(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(AUDIT_FILE)).expect("the audit log");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

async fn connect(url: &str) -> Connection {
    let transport = WebSocketTransport::connect(url, &WebSocketOptions::default())
        .await
        .expect("a connection");
    Connection::new(transport)
}

/// Asks for the DevTools protocol of a session with a token that was not made by the server.
async fn use_forged_token(server: &Server, id: &str) {
    let host = server.address();
    let forged = format!(
        "GET /v1/cdp/{id}?token=v1.1.cdp.99999999999.AAAA HTTP/1.1\r\nhost: {host}\r\nconnection: upgrade, close\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    );
    assert_eq!(status(&exchange(server, forged.as_bytes()).await), "404");
}

async fn wait_until_nobody_is_connected(client: &Client) {
    let begun = Instant::now();
    while figure(&figures(client).await, "automator_cdp_sockets") > 0.0 {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the socket is still counted"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_move_with_what_happens() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let before = figures(&client).await;
    let to_client = "automator_cdp_bytes_total{to=\"client\"}";
    assert_eq!(figure(&before, "automator_sessions{state=\"running\"}"), 0.0);
    assert_eq!(figure(&before, to_client), 0.0);

    let (_, session) = client.post("/v1/sessions", &json!({})).await;
    let id = session["id"].as_str().expect("an id").to_owned();
    let browser = connect(session["connectUrl"].as_str().expect("an address")).await;
    browser.root().send(&GetVersion {}).await.expect("an answer");
    let during = figures(&client).await;
    for (sample, expected) in [
        ("automator_sessions{state=\"running\"}", 1.0),
        ("automator_slots_used", 1.0),
        ("automator_slots", 10.0),
        ("automator_queue_length", 0.0),
        ("automator_cdp_sockets", 1.0),
        ("automator_session_requests_total{outcome=\"started\"}", 1.0),
        ("automator_queue_wait_seconds_count", 1.0),
        (
            "automator_http_requests_total{route=\"/v1/sessions\",status=\"200\"}",
            1.0,
        ),
        (
            "automator_http_requests_total{route=\"/v1/cdp/{id}\",status=\"101\"}",
            1.0,
        ),
    ] {
        assert_eq!(figure(&during, sample), expected, "{sample}");
    }
    assert!(figure(&during, to_client) > 20.0, "{during}");
    assert!(figure(&during, "automator_cdp_bytes_total{to=\"browser\"}") > 20.0);

    Client::new(server.address(), "").get("/v1/sessions").await;
    client.get("/v1/nowhere").await;
    use_forged_token(&server, &id).await;
    let metrics = server.platform().metrics();
    let tokens = Tokens {
        prompt: 12,
        ..Tokens::default()
    };
    let duration = Duration::from_millis(20);
    metrics.operation(OperationKind::Extract, OperationOutcome::Done, duration, tokens);
    metrics.cache(false);
    browser.close();
    wait_until_nobody_is_connected(&client).await;
    let release = json!({ "status": "REQUEST_RELEASE" });
    client.post(&format!("/v1/sessions/{id}"), &release).await;
    let after = figures(&client).await;
    for (sample, expected) in [
        ("automator_sessions{state=\"running\"}", 0.0),
        ("automator_slots_used", 0.0),
        ("automator_sessions_ended_total{cause=\"released\"}", 1.0),
        ("automator_refusals_total{why=\"key\"}", 1.0),
        ("automator_refusals_total{why=\"token\"}", 1.0),
        (
            "automator_http_requests_total{route=\"none\",status=\"404\"}",
            1.0,
        ),
        (
            "automator_operation_duration_seconds_count{kind=\"extract\",outcome=\"done\"}",
            1.0,
        ),
        (
            "automator_operation_tokens_total{kind=\"extract\",tokens=\"prompt\"}",
            12.0,
        ),
        ("automator_cache_requests_total{result=\"miss\"}", 1.0),
    ] {
        assert_eq!(figure(&after, sample), expected, "{sample}");
    }
    let public = client.key().split('_').nth(1).expect("the public part");
    assert!(
        !after.contains(&id) && !after.contains(public),
        "labels are bounded"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_audit_log_tells_what_happened_without_secrets() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let metadata = json!({ "userMetadata": { "note": "private-note" } });
    let (_, session) = client.post("/v1/sessions", &metadata).await;
    let id = session["id"].as_str().expect("an id").to_owned();
    let url = session["connectUrl"].as_str().expect("an address").to_owned();
    let browser = connect(&url).await;
    browser.root().send(&GetVersion {}).await.expect("an answer");
    let wrong = client.key().replace('_', "-");
    let stranger = ApiKey::generate().expect("a key");
    for key in [&wrong, stranger.reveal()] {
        let answer = Client::new(server.address(), key)
            .get("/v1/sessions?q=secret-query")
            .await;
        assert_eq!(answer.0, 401);
    }
    use_forged_token(&server, &id).await;
    use_forged_token(&server, "secret-id").await;
    browser.close();
    wait_until_nobody_is_connected(&client).await;
    let release = json!({ "status": "REQUEST_RELEASE" });
    client.post(&format!("/v1/sessions/{id}"), &release).await;
    server.stop().await;

    let lines = audit_lines(folder.path());
    let mut events: Vec<&str> = lines.iter().filter_map(|line| line["event"].as_str()).collect();
    events.sort_unstable();
    let expected = [
        "key_created",
        "key_refused",
        "key_refused",
        "server_ended",
        "server_started",
        "session_attached",
        "session_created",
        "session_detached",
        "session_ended",
        "token_refused",
        "token_refused",
    ];
    assert_eq!(events, expected, "{lines:?}");
    let has = |wanted: &Value| {
        let wanted = wanted.as_object().expect("an object");
        let is_it = |line: &Value| wanted.iter().all(|(name, value)| line[name] == *value);
        assert!(lines.iter().any(is_it), "{wanted:?} is not in {lines:?}");
    };
    let public = client.key().split('_').nth(1).expect("the public part");
    has(&json!({ "event": "key_created", "key": public, "name": "first" }));
    has(&json!({ "event": "key_refused", "key": null, "remote": "127.0.0.1" }));
    has(&json!({ "event": "key_refused", "key": stranger.public(), "remote": "127.0.0.1" }));
    has(&json!({ "event": "token_refused", "session": id, "purpose": "cdp", "problem": "forged" }));
    has(&json!({ "event": "token_refused", "session": "" }));
    has(&json!({ "event": "session_ended", "session": id, "key": public, "cause": "released" }));

    let text = std::fs::read_to_string(folder.path().join(AUDIT_FILE)).expect("the audit log");
    let token = url.split_once("token=").expect("a token").1;
    let secret_part = |key: &str| key.splitn(3, '_').nth(2).expect("the secret part").to_owned();
    for secret in [
        secret_part(client.key()),
        secret_part(stranger.reveal()),
        wrong,
        token.to_owned(),
        token.rsplit('.').next().expect("a MAC").to_owned(),
        "AAAA".to_owned(),
        "secret-".to_owned(),
        "private-note".to_owned(),
    ] {
        assert!(!text.contains(&secret), "{secret} is in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn figures_need_a_key_unless_they_are_open() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let nobody = Client::new(server.address(), "");
    assert_eq!(nobody.get("/metrics").await.0, 401);
    assert_eq!(client.get("/metrics").await.0, 200);
    server.stop().await;
    let mut open = options(folder.path());
    open.metrics = MetricsAccess::Open;
    let server = Server::start(open).await.expect("a server");
    let nobody = Client::new(server.address(), "");
    assert_eq!(nobody.get("/metrics").await.0, 200);
    assert_eq!(nobody.get("/v1/sessions").await.0, 401);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_is_told_as_every_error_is() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (status, answer) = client.get("/v1/sesions").await;
    assert_eq!((status, &answer["statusCode"]), (404, &json!(404)), "{answer}");
    assert!(
        answer["message"]
            .as_str()
            .is_some_and(|told| told.contains("/v1/sesions")),
        "{answer}"
    );
    let (status, answer) = client.get("/v1/sessions/start/act").await;
    assert_eq!((status, &answer["statusCode"]), (405, &json!(405)), "{answer}");
    let long = "k".repeat(256);
    for keys in [&[""][..], &["kl\u{e9}"], &[&long], &["a", "b"]] {
        let headers: Vec<_> = keys.iter().map(|key| ("idempotency-key", *key)).collect();
        let (status, answer) = client.post_with("/v1/sessions", &json!({}), &headers).await;
        assert_eq!(status, 400, "{answer}");
        assert!(
            answer["message"]
                .as_str()
                .is_some_and(|told| told.contains("idempotency-key")),
            "{answer}"
        );
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_and_bodies_that_are_too_large_are_refused() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let host = server.address();
    let with = |headers: &str| {
        format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\n{headers}connection: close\r\n\r\n")
    };
    let fits = with(&format!("x-long: {}\r\n", "a".repeat(30 << 10)));
    assert_eq!(status(&exchange(&server, fits.as_bytes()).await), "200");
    let long = with(&format!("x-long: {}\r\n", "a".repeat(33 << 10)));
    assert_eq!(status(&exchange(&server, long.as_bytes()).await), "431");
    let endless = format!("GET /healthz HTTP/1.1\r\nx-long: {}", "a".repeat(40 << 10));
    assert_eq!(status(&exchange(&server, endless.as_bytes()).await), "431");
    let many = with(&"x: y\r\n".repeat(98));
    assert_eq!(status(&exchange(&server, many.as_bytes()).await), "200");
    let many = with(&"x: y\r\n".repeat(101));
    assert_eq!(status(&exchange(&server, many.as_bytes()).await), "431");

    let key = client.key();
    let head =
        format!("POST /v1/sessions HTTP/1.1\r\nhost: {host}\r\nx-bb-api-key: {key}\r\nconnection: close\r\n");
    let large = format!(
        "{head}content-length: {}\r\n\r\n{}",
        (1 << 20) + 1,
        "a".repeat((1 << 20) + 1)
    );
    let answer = exchange(&server, large.as_bytes()).await;
    assert_eq!(status(&answer), "413", "{answer}");
    assert!(answer.contains("\"statusCode\":413"), "{answer}");
    let chunk = format!("80001\r\n{}\r\n", "a".repeat(0x80001));
    let chunked = format!("{head}transfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n");
    let answer = exchange(&server, chunked.as_bytes()).await;
    assert_eq!(status(&answer), "413", "{answer}");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sends_too_slowly_is_cut_off() {
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.limits = HttpLimits {
        head_timeout: Duration::from_millis(300),
        body_timeout: Duration::from_millis(300),
        ..HttpLimits::default()
    };
    let (server, client) = start(options).await;
    let begun = Instant::now();
    // It goes on sending, and never comes to the end of the head.
    let mut stream = TcpStream::connect(server.address()).await.expect("the server");
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\n")
        .await
        .expect("sent");
    let (mut from, mut to) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while to.write_all(b"x: y\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let mut answer = Vec::new();
    let _ = from.read_to_end(&mut answer).await;
    let cut = begun.elapsed();
    assert!(
        cut >= Duration::from_millis(290) && cut < Duration::from_secs(3),
        "{cut:?}"
    );
    dripping.abort();

    let host = server.address();
    let key = client.key();
    let slow = format!(
        "POST /v1/sessions HTTP/1.1\r\nhost: {host}\r\nx-bb-api-key: {key}\r\ncontent-length: 100\r\n\r\n{{"
    );
    let begun = Instant::now();
    let answer = exchange(&server, slow.as_bytes()).await;
    assert_eq!(status(&answer), "408", "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(3));
    assert_eq!(client.get("/v1/sessions").await, (200, json!([])));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_and_an_address_without_one_have_a_rate_each() {
    let folder = Folder::new();
    let mut options = options(folder.path());
    let rate = Rate {
        burst: 3,
        interval: Duration::from_secs(60),
    };
    options.limits.key_rate = rate;
    options.limits.refusal_rate = rate;
    let (server, client) = start(options).await;
    let other = create_key(server.store().as_ref(), "other").await.expect("a key");
    let nobody = Client::new(server.address(), "amk_nobody");
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(nobody.get("/v1/sessions").await.0);
    }
    assert_eq!(statuses, [401, 401, 401, 429]);
    statuses.clear();
    for _ in 0..4 {
        statuses.push(client.get("/v1/sessions").await.0);
    }
    assert_eq!(
        statuses,
        [200, 200, 200, 429],
        "a valid key is not shut out by wrong ones"
    );
    let host = server.address();
    let key = client.key();
    let request = format!(
        "GET /v1/sessions HTTP/1.1\r\nhost: {host}\r\nx-bb-api-key: {key}\r\nconnection: close\r\n\r\n"
    );
    let answer = exchange(&server, request.as_bytes()).await;
    let waiting: u64 = answer
        .lines()
        .find_map(|line| line.strip_prefix("retry-after: "))
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or_else(|| panic!("no retry-after in {answer}"));
    assert!((50..=61).contains(&waiting), "{waiting}");
    let other = Client::new(server.address(), other.reveal());
    assert_eq!(
        other.get("/v1/sessions").await.0,
        200,
        "other keys have their own rate"
    );
    let metrics = figures(&other).await;
    assert_eq!(figure(&metrics, "automator_refusals_total{why=\"rate\"}"), 2.0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_past_the_bound_are_told_so_and_sockets_count() {
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.limits.connections = 2;
    let (server, client) = start(options).await;
    let (_, session) = client.post("/v1/sessions", &json!({})).await;
    let browser = connect(session["connectUrl"].as_str().expect("an address")).await;
    browser.root().send(&GetVersion {}).await.expect("an answer");
    let held = TcpStream::connect(server.address()).await.expect("the server");
    let answer = exchange(&server, b"").await;
    assert_eq!(status(&answer), "503", "{answer:?}");
    drop(held);
    // The server notices at some point.
    let begun = Instant::now();
    let host = server.address();
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    while status(&exchange(&server, request.as_bytes()).await) != "200" {
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "its place is not free again"
        );
    }
    browser.root().send(&GetVersion {}).await.expect("an answer");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_that_ended_long_ago_are_forgotten() {
    let folder = Folder::new();
    let mut options = options(folder.path());
    options.platform.retention = Duration::from_millis(1);
    let (server, client) = start(options).await;
    let (_, session) = client.post("/v1/sessions", &json!({})).await;
    let path = format!("/v1/sessions/{}", session["id"].as_str().expect("an id"));
    let (_, running) = client.get(&path).await;
    assert_eq!(running["status"], "RUNNING");
    client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await;
    let begun = Instant::now();
    while client.get(&path).await.0 != 404 {
        assert!(begun.elapsed() < Duration::from_secs(10), "it is not forgotten");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.stop().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_its_user_looks_into_the_folder_of_a_server() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new();
    let inside = folder.path().join("state/server");
    let (server, _) = start(options(&inside)).await;
    server.stop().await;
    for path in [&inside, &inside.join("automator.db"), &inside.join(AUDIT_FILE)] {
        let mode = std::fs::metadata(path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_server_in_the_folder_and_a_port_in_use_are_refused() {
    let folder = Folder::new();
    let (server, _) = start(options(folder.path())).await;
    let refused = Server::start(options(folder.path()))
        .await
        .expect_err("it is taken");
    assert!(matches!(refused, ServerError::Locked(_)), "{refused}");
    let elsewhere = Folder::new();
    let mut same_port = options(elsewhere.path());
    same_port.listen = server.address();
    let refused = Server::start(same_port).await.expect_err("it is in use");
    assert!(matches!(refused, ServerError::Listen { .. }), "{refused}");
    server.stop().await;
    let server = Server::start(options(folder.path()))
        .await
        .expect("it is free again");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_connected_while_the_server_ends_hears_that_the_session_goes_on() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (_, session) = client.post("/v1/sessions", &json!({ "keepAlive": true })).await;
    let browser = connect(session["connectUrl"].as_str().expect("an address")).await;
    browser.root().send(&GetVersion {}).await.expect("an answer");
    server.stop().await;
    match browser.closed().await {
        CloseReason::Told { code, reason } => {
            assert_eq!(code, 1001, "{reason}");
            assert!(reason.contains("goes on"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
    let server = Server::start(options(folder.path()))
        .await
        .expect("the next server");
    let client = Client::new(server.address(), client.key());
    let path = format!("/v1/sessions/{}", session["id"].as_str().expect("an id"));
    assert_eq!(client.get(&path).await.1["status"], "RUNNING");
    client.post(&path, &json!({ "status": "REQUEST_RELEASE" })).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_are_counted_and_recorded_without_what_they_are_about() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let site = Site::start().await;
    let model = ScriptedModel::start().await;
    model.script(|_| Answer::value(json!({ "extraction": "A secret lamp" })));
    let (_, started) = client
        .post(
            "/v1/sessions/start",
            &json!({ "modelName": "openai/gpt-4.1-mini" }),
        )
        .await;
    let id = started["data"]["sessionId"].as_str().expect("an id").to_owned();
    let path = |operation: &str| format!("/v1/sessions/{id}/{operation}");
    let page = site.put("<h1>A secret lamp</h1>");
    let navigate = json!({ "url": format!("{}?secret=query", page.url) });
    assert_eq!(client.post(&path("navigate"), &navigate).await.0, 200);
    let model = json!({
        "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-a-secret", "baseURL": model.base_url(),
    });
    let ask = json!({ "instruction": "the secret product", "options": { "model": model } });
    for expected in ["MISS", "HIT"] {
        let (_, answer) = client.post(&path("extract"), &ask).await;
        assert_eq!(answer["data"]["cacheStatus"], expected, "{answer}");
    }
    let mut missing = ask.clone();
    missing["options"]["selector"] = json!("#secret-part");
    assert_eq!(client.post(&path("extract"), &missing).await.0, 422);

    let text = figures(&client).await;
    let count = |kind: &str, outcome: &str| {
        let sample =
            format!("automator_operation_duration_seconds_count{{kind=\"{kind}\",outcome=\"{outcome}\"}}");
        figure(&text, &sample)
    };
    assert_eq!((count("navigate", "done"), count("extract", "done")), (1.0, 2.0));
    assert_eq!(count("extract", "failed"), 1.0);
    assert!(
        figure(
            &text,
            "automator_operation_tokens_total{kind=\"extract\",tokens=\"prompt\"}"
        ) > 0.0
    );
    for result in ["hit", "miss"] {
        let sample = format!("automator_cache_requests_total{{result=\"{result}\"}}");
        assert_eq!(figure(&text, &sample), 1.0, "{text}");
    }
    server.stop().await;
    let lines = audit_lines(folder.path());
    let told: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line["event"] == "operation" && line["session"] == id)
        .map(|line| {
            (
                line["kind"].as_str().expect("a kind"),
                line["outcome"].as_str().expect("an outcome"),
            )
        })
        .collect();
    let expected = [
        ("navigate", "done"),
        ("extract", "done"),
        ("extract", "done"),
        ("extract", "failed"),
    ];
    assert_eq!(told, expected);
    assert!(!json!(lines).to_string().contains("secret"), "{lines:?}");
}
