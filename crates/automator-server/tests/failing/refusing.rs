//! Requests that are refused before anything is done: always by JSON of the same form.

use std::net::SocketAddr;
use std::sync::Arc;

use automator_server::store::SqliteStore;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::Client;
use super::fake::Rig;
use super::text;

async fn start(change: impl FnOnce(&mut automator_server::ServerOptions)) -> Rig {
    let store = SqliteStore::in_memory().expect("a store");
    Rig::start(Arc::new(store), change).await
}

type Headers<'a> = &'a [(&'a str, &'a str)];

/// The status that is expected, and the method, the address, the headers and the body of a request.
type Asked<'a> = (u16, &'a str, &'a str, Headers<'a>, &'a [u8]);

/// The headers of a WebSocket that lacks one thing.
const SOCKET: [(&str, &str); 3] = [
    ("connection", "upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
];

/// Checks the form of an error, and gives its message.
fn message(status: u16, head: &str, body: &[u8]) -> String {
    let head = head.to_ascii_lowercase();
    assert!(head.contains("content-type: application/json"), "{head}");
    let body: Value = serde_json::from_slice(body).expect("JSON");
    assert_eq!(body["statusCode"], status, "{body}");
    assert!(!text(&body, "error").is_empty(), "{body}");
    text(&body, "message").to_owned()
}

async fn refused(
    client: &Client,
    method: &str,
    path: &str,
    headers: Headers<'_>,
    sent: &[u8],
) -> (u16, String) {
    let (status, head, body) = client.send_bytes(method, path, headers, sent).await;
    (status, message(status, &head, &body))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_is_refused_is_so_by_json_of_one_form() {
    let rig = start(|_| {}).await;
    let id = "7c9d0a52-0000-4000-8000-000000000000";
    let socket = format!("/v1/cdp/{id}?token=a");
    let view = format!("/v1/sessions/{id}/view?token=a");
    let upload = format!("/v1/sessions/{id}/uploads");
    let form: Headers<'_> = &[("content-type", "multipart/form-data")];
    let none: Headers<'_> = &[];
    let authority = rig.server.address().to_string();
    let requests: &[Asked<'_>] = &[
        (400, "GET", "/v1/sessions/%FF", none, b""),
        (400, "GET", "/v1/contexts/%FF", none, b""),
        (400, "POST", "/v1/sessions/%FF/act", none, b"{}"),
        (400, "GET", "/v1/sessions/%FF/downloads/a", none, b""),
        (400, "GET", "/v1/cdp/%FF", &SOCKET, b""),
        (400, "GET", "/sessions/%FF", none, b""),
        (400, "GET", "/sessions/assets/%FF", none, b""),
        (400, "GET", "/v1/sessions?status=RUNNING&status=ERROR", none, b""),
        (400, "GET", "/sessions/a?token=a&token=b", none, b""),
        (400, "GET", &socket, none, b""),
        (400, "GET", &socket, &SOCKET, b""),
        (400, "GET", &view, &SOCKET[..2], b""),
        (400, "POST", "/v1/sessions", none, b"{"),
        (400, "POST", "/v1/sessions", none, b"\xff"),
        (404, "POST", &upload, form, b""),
        (404, "GET", "/nothing", none, b""),
        (404, "GET", "/%FF", none, b""),
        (404, "OPTIONS", "*", none, b""),
        (405, "CONNECT", &authority, none, b""),
        (405, "PUT", "/v1/sessions", none, b"{}"),
        (405, "POST", "/docs", none, b""),
        (405, "POST", &socket, &SOCKET, b""),
    ];
    for (expected, method, path, headers, body) in requests.iter().copied() {
        let (status, message) = refused(&rig.client, method, path, headers, body).await;
        assert_eq!(status, expected, "{method} {path}: {message}");
        assert!(message.len() > 10, "{method} {path}: {message}");
        for words in ["eserialize", "Connection header", "Invalid", "``"] {
            assert!(!message.contains(words), "{method} {path}: {message}");
        }
    }
    // A body whose parts are none.
    let broken = b"nonsense\r\n";
    let (status, head, body) = raw(
        rig.server.address(),
        &format!(
            "POST /v1/sessions HTTP/1.1\r\nhost: {}\r\nx-bb-api-key: {}\r\nconnection: close\r\n\
             transfer-encoding: chunked\r\n\r\n",
            rig.server.address(),
            rig.client.key()
        ),
        broken,
    )
    .await;
    assert_eq!(status, 400);
    assert!(message(status, &head, &body).contains("body"), "{head}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_libraries_refuse_is_told_in_words_of_the_server() {
    let rig = start(|_| {}).await;
    let authority = rig.server.address().to_string();
    let id = "7c9d0a52-0000-4000-8000-000000000000";
    let socket = format!("/v1/cdp/{id}?token=a");
    let view = format!("/v1/sessions/{id}/view?token=a");
    let none: Headers<'_> = &[];
    for (method, path, headers, words) in [
        (
            "GET",
            "/v1/sessions?status=RUNNING&status=ERROR",
            none,
            "`status` is in the query of the address twice",
        ),
        (
            "GET",
            "/sessions/a?token=a&tab=b&token=b",
            none,
            "`token` is in the query of the address twice",
        ),
        ("GET", &socket, none, "`connection` has to say `upgrade`"),
        ("GET", &view, &SOCKET[..2], "`connection` has to say `upgrade`"),
        ("GET", "/v1/sessions/%FF", none, "is no UTF-8"),
        ("CONNECT", &authority, none, "is no proxy"),
    ] {
        let (_, message) = refused(&rig.client, method, path, headers, b"").await;
        assert!(message.contains(words), "{method} {path}: {message}");
    }
    for (headers, words) in [
        ("", "`upgrade` has to say `websocket`"),
        (
            "upgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
            "`sec-websocket-version` has to say `13`",
        ),
        (
            "upgrade: websocket\r\nsec-websocket-version: 13\r\n",
            "`sec-websocket-key` is missing",
        ),
    ] {
        let head = format!(
            "GET {socket} HTTP/1.1\r\nhost: {authority}\r\nconnection: upgrade, close\r\n{headers}\r\n"
        );
        let (status, head, body) = raw(rig.server.address(), &head, b"").await;
        let told = message(status, &head, &body);
        assert!(status == 400 && told.contains(words), "{status} {told}");
    }
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_request_is_answered_before_anything_looks_at_it() {
    let rig = start(|_| {}).await;
    let address = rig.server.address();
    let long = "a".repeat(40_000);
    for (request, statuses) in [
        ("nonsense\r\n\r\n".to_owned(), [400, 400]),
        (
            format!("GET /{long} HTTP/1.1\r\nhost: {address}\r\n\r\n"),
            [414, 431],
        ),
        (
            format!("GET / HTTP/1.1\r\nhost: {address}\r\nx-a: {long}\r\n\r\n"),
            [431, 431],
        ),
    ] {
        let (status, _, body) = raw(address, &request, b"").await;
        assert!(statuses.contains(&status), "{status}");
        assert_eq!(body, b"");
    }
    rig.server.stop().await;
}

async fn raw(address: SocketAddr, head: &str, body: &[u8]) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).await.expect("the server");
    // The server may answer, and close, before it has read everything.
    let _ = stream.write_all(&[head.as_bytes(), body].concat()).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let body = answer.split_off(end.expect("a head") + 4);
    let head = String::from_utf8(answer).expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), head, body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_too_many_is_told_in_the_same_form() {
    let rig = start(|options| options.limits.connections = 1).await;
    let held = TcpStream::connect(rig.server.address()).await.expect("the one");
    // It is taken before the next one.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    let mut stream = TcpStream::connect(rig.server.address())
        .await
        .expect("one too many");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("an answer");
    let answer = String::from_utf8(answer).expect("a text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
    assert!(
        head.contains(&format!("content-length: {}\r\n", body.len())),
        "{head}"
    );
    assert!(message(503, head, body.as_bytes()).contains("too many connections"));
    drop(held);
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_members_of_queries_are_refused_where_they_would_be_ignored() {
    let rig = start(|_| {}).await;
    let id = "7c9d0a52-0000-4000-8000-000000000000";
    for (method, path, known) in [
        ("GET", "/v1/sessions?statuz=RUNNING".to_owned(), "`status`, `q`"),
        (
            "GET",
            "/v1/sessions?status=RUNNING&statuz=".to_owned(),
            "`status`, `q`",
        ),
        ("POST", "/v1/sessions?statuz=1".to_owned(), "none"),
        ("GET", format!("/v1/sessions/{id}?statuz=1"), "none"),
        ("POST", format!("/v1/sessions/{id}/act?statuz=1"), "none"),
        ("GET", format!("/v1/sessions/{id}/debug?statuz=60"), "`expiresIn`"),
        (
            "POST",
            format!("/v1/sessions/{id}/uploads?statuz=a.txt"),
            "`name`, `token`",
        ),
        ("GET", format!("/v1/sessions/{id}/downloads?statuz=1"), "`token`"),
        ("DELETE", format!("/v1/contexts/{id}?statuz=1"), "none"),
    ] {
        let (status, message) = refused(&rig.client, method, &path, &[], b"").await;
        assert_eq!(status, 400, "{method} {path}: {message}");
        assert!(
            message.contains("`statuz`") && message.ends_with(known),
            "{message}"
        );
    }
    // As the clients of the hosted contract ask.
    let (status, list) = rig
        .client
        .get("/v1/sessions?q=user_metadata%5B%27a%27%5D&status=RUNNING")
        .await;
    assert_eq!((status, list), (200, serde_json::json!([])));
    for open in [
        "/docs?a=1",
        "/healthz?a=1",
        "/readyz?a=1",
        "/sessions?a=1",
        "/sessions/assets/view.css?v=2",
        "/metrics?a=1",
    ] {
        let (status, _, _) = rig.client.send_bytes("GET", open, &[], b"").await;
        assert_eq!(status, 200, "{open}");
    }
    // Clients add to the addresses of WebSockets.
    let session = super::create(&rig.client, &serde_json::json!({ "keepAlive": true })).await;
    let address = format!("{}&more=1", text(&session, "connectUrl"));
    super::connect(&address).await.close();
    rig.server.stop().await;
}

/// What a body has wrong, wherever there is one: the address behind that of the session, the body, words of the message.
const BODIES: &[(&str, &str, &str)] = &[
    (
        "",
        r#"{"status":"REQUEST_RELEASE","a":1}"#,
        "a: there is no such member; there are status",
    ),
    (
        "",
        r#"{"status":"REQUEST_RELEASE","status":"REQUEST_RELEASE"}"#,
        "`status` is given twice",
    ),
    ("", r#"["REQUEST_RELEASE"]"#, "is a list and no object"),
    ("", "", "only `REQUEST_RELEASE`"),
    ("/end", r#"{"a":1}"#, "a: there is no such member"),
    (
        "/end",
        r#"{"status":"REQUEST_RELEASE"}"#,
        "status: there is no such member",
    ),
    ("/end", "[]", "is a list and no object"),
    ("/end", "{", "no JSON"),
    ("/act", r#"{"input":"a","input":"b"}"#, "`input` is given twice"),
    (
        "/act",
        r#"{"input":"a","options":{"timeout":1,"timeout":2}}"#,
        "`timeout` is given twice",
    ),
    ("/extract", "[]", "is a list and no object"),
    (
        "/agentExecute",
        r#"{"executeOptions":{"instruction":"a","instruction":"b"}}"#,
        "`instruction` is given twice",
    ),
];

/// The same where there is no session yet.
const FIRST_BODIES: &[(&str, &str, &str)] = &[
    ("/v1/contexts", r#"{"a":"#, "no JSON"),
    ("/v1/contexts", "[]", "is a list and no object"),
    ("/v1/contexts", r#"{"nope":1}"#, "nope: there is no such member"),
    (
        "/v1/contexts",
        r#"{"name":"a","name":"b"}"#,
        "`name` is given twice",
    ),
    ("/v1/sessions", "[]", "the body: a list is no object"),
    (
        "/v1/sessions",
        r#"{"timeout":60,"timeout":70}"#,
        "`timeout` is given twice",
    ),
    (
        "/v1/sessions",
        r#"{"userMetadata":{"a":[{"b":1,"b":1}]}}"#,
        "`b` is given twice",
    ),
    (
        "/v1/sessions",
        r#"{"region":"mars"}"#,
        "region: this server has no `mars`",
    ),
    ("/v1/sessions/start", "{}", "modelName: it is missing"),
    (
        "/v1/sessions/start",
        r#"{"modelName":null}"#,
        "modelName: it is missing",
    ),
    (
        "/v1/sessions/start",
        r#"{"modelName":"a/b","modelName":"a/c"}"#,
        "`modelName` is given twice",
    ),
    (
        "/v1/sessions/start",
        r#"{"modelName":"openai/gpt-4.1-mini","remoteSessionCreateParams":{"region":"mars"}}"#,
        "remoteSessionCreateParams.region: this server has no `mars`",
    ),
    (
        "/v1/sessions/start",
        r#"{"modelName":"openai/gpt-4.1-mini","browserbaseSessionCreateParams":{"region":"mars"}}"#,
        "browserbaseSessionCreateParams.region: this server has no `mars`",
    ),
    (
        "/v1/sessions/start",
        r#"{"modelName":"openai/gpt-4.1-mini","browserbaseSessionCreateParams":{"timeout":5}}"#,
        "browserbaseSessionCreateParams.timeout: 5 is",
    ),
    (
        "/v1/sessions/start",
        r#"{"modelName":"openai/gpt-4.1-mini","browserbaseSessionID":5}"#,
        "browserbaseSessionID: a number is no text",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_are_read_whole_before_anything_is_done() {
    let rig = start(|_| {}).await;
    let session = super::create(&rig.client, &serde_json::json!({ "keepAlive": true })).await;
    let id = text(&session, "id");
    let path = format!("/v1/sessions/{id}");
    let behind = BODIES
        .iter()
        .map(|(end, body, words)| (format!("{path}{end}"), *body, *words));
    let first = FIRST_BODIES
        .iter()
        .map(|(path, body, words)| ((*path).to_owned(), *body, *words));
    for (path, body, words) in behind.chain(first) {
        let (status, _, answer) = rig.client.send_bytes("POST", &path, &[], body.as_bytes()).await;
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert_eq!(status, 400, "{path} {body}: {answer}");
        assert!(
            text(&answer, "message").contains(words),
            "{path} {body}: {answer}"
        );
    }
    let (_, list) = rig.client.get("/v1/sessions").await;
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    assert_eq!(list[0]["status"], "RUNNING", "{list}");
    // What the clients of the hosted contract send.
    for body in ["", "{}", "null", r#"{"projectId":"p","name":"a profile"}"#] {
        let (status, _, answer) = rig
            .client
            .send_bytes("POST", "/v1/contexts", &[], body.as_bytes())
            .await;
        assert_eq!(status, 200, "{body}: {}", String::from_utf8_lossy(&answer));
    }
    let release = serde_json::json!({ "status": "REQUEST_RELEASE", "projectId": "p" });
    let (status, released) = rig.client.post(&path, &release).await;
    assert_eq!(
        (status, text(&released, "status")),
        (200, "COMPLETED"),
        "{released}"
    );
    for body in ["", "{}"] {
        let session = super::create(&rig.client, &serde_json::json!({ "keepAlive": true })).await;
        let end = format!("/v1/sessions/{}/end", text(&session, "id"));
        let (status, _, answer) = rig.client.send_bytes("POST", &end, &[], body.as_bytes()).await;
        assert_eq!(status, 200, "{body}: {}", String::from_utf8_lossy(&answer));
        // As every other operation says of a session that has ended.
        let (status, again) = rig.client.post(&end, &serde_json::json!({})).await;
        assert_eq!(status, 410, "{again}");
        assert!(text(&again, "message").contains("has ended: "), "{again}");
    }
    let nobody = "/v1/sessions/7c9d0a52-0000-4000-8000-000000000000/end";
    assert_eq!(rig.client.post(nobody, &serde_json::json!({})).await.0, 404);
    rig.server.stop().await;
}
