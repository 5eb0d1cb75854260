//! The routes of the server, as its source lists them: one that is added is tested with the others.

use crate::text;

/// Where the routes are.
const SOURCE: &str = include_str!("../../src/http.rs");

/// What a route takes, and how the source writes it.
const METHODS: [(&str, &str); 5] = [
    ("get(", "GET"),
    ("any(", "GET"),
    ("post(", "POST"),
    ("put(", "PUT"),
    ("delete(", "DELETE"),
];

/// Those that are open to whoever reaches the server.
const OPEN: [&str; 7] = [
    "/docs",
    "/docs/style.css",
    "/healthz",
    "/readyz",
    "/sessions",
    "/sessions/assets/{name}",
    "/v1/openapi.json",
];

/// Those that take a token, and nothing else.
const BY_TOKEN: [&str; 4] = [
    "/sessions/{id}",
    "/v1/cdp/{id}",
    "/v1/cdp/{id}/page/{target}",
    "/v1/sessions/{id}/view",
];

/// A method on a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
}

impl Route {
    pub(crate) fn is_open(&self) -> bool {
        OPEN.contains(&self.path)
    }

    pub(crate) fn takes_only_tokens(&self) -> bool {
        BY_TOKEN.contains(&self.path)
    }

    /// Its path about a session or a context.
    pub(crate) fn about(&self, session: &str, context: &str) -> String {
        let id = if self.path.contains("contexts") {
            context
        } else {
            session
        };
        self.path
            .replace("{id}", id)
            .replace("{name}", "a.txt")
            .replace("{target}", "A1")
    }

    /// A body that it takes.
    pub(crate) fn body(&self) -> String {
        let body = match (self.method, self.path) {
            ("GET" | "DELETE", _) => return String::new(),
            (_, "/v1/sessions/{id}") => r#"{"status":"REQUEST_RELEASE"}"#,
            (_, "/v1/sessions/{id}/act") => r#"{"input":"press it"}"#,
            (_, "/v1/sessions/{id}/observe") => r#"{"instruction":"the button"}"#,
            (_, "/v1/sessions/{id}/navigate") => r#"{"url":"https://shop.example/"}"#,
            (_, "/v1/sessions/{id}/agentExecute") => r#"{"executeOptions":{"instruction":"buy it"}}"#,
            (_, "/v1/sessions/start") => r#"{"modelName":"openai/gpt-4.1-mini"}"#,
            _ => "{}",
        };
        body.to_owned()
    }
}

/// All routes.
pub(crate) fn all() -> Vec<Route> {
    let calls = SOURCE.split(".route(").skip(1).map(call);
    calls.flat_map(of_call).collect()
}

/// The arguments of a call, up to the parenthesis that ends it.
fn call(rest: &'static str) -> &'static str {
    let mut depth = 1;
    let end = rest.find(|letter| {
        depth += match letter {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth == 0
    });
    &rest[..end.expect("the call ends")]
}

fn of_call(call: &'static str) -> Vec<Route> {
    let path = call.split('"').nth(1).expect("a path");
    let methods = METHODS.iter().filter(|(written, _)| {
        call.match_indices(written).any(|(at, _)| {
            // Not the end of another word.
            !call[..at].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        })
    });
    let routes: Vec<Route> = methods.map(|(_, method)| Route { method, path }).collect();
    assert!(!routes.is_empty(), "no method is known in {call}");
    routes
}

#[test]
fn the_routes_are_found() {
    let all = all();
    for (method, path) in [
        ("POST", "/v1/sessions"),
        ("GET", "/v1/sessions"),
        ("GET", "/v1/sessions/{id}/uploads"),
        ("POST", "/v1/sessions/{id}/uploads"),
        ("DELETE", "/v1/contexts/{id}"),
        ("GET", "/v1/cdp/{id}"),
        ("GET", "/metrics"),
    ] {
        assert!(
            all.contains(&Route { method, path }),
            "{method} {path} is not in {all:?}"
        );
    }
    assert!(all.len() >= 25, "{all:?}");
    for path in OPEN.iter().chain(&BY_TOKEN) {
        assert!(all.iter().any(|route| route.path == *path), "{path} is gone");
    }
}

/// The public part of a key.
pub(crate) fn public(key: &str) -> &str {
    key.split('_').nth(1).expect("a public part")
}

/// A session and a context of a key.
pub(crate) async fn belongings(client: &crate::client::Client) -> (String, String) {
    let (status, session) = client
        .post("/v1/sessions", &serde_json::json!({ "keepAlive": true }))
        .await;
    assert_eq!(status, 200, "{session}");
    let (status, context) = client.post("/v1/contexts", &serde_json::json!({})).await;
    assert_eq!(status, 200, "{context}");
    (text(&session, "id").to_owned(), text(&context, "id").to_owned())
}
