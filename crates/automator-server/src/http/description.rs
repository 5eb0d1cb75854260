//! `/v1/openapi.json` and `/docs`: what the interface is, made from one table, for programs and for people.
//!
//! OpenAPI 3.1, whose schemas are JSON Schema: those of options are the core's own.

mod endpoints;
mod page;
mod schemas;

use axum::Json;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value, json};

use endpoints::{Auth, ENDPOINTS, Endpoint};

/// The page holds no script and nothing from elsewhere.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The description for programs.
pub(super) async fn openapi() -> Json<Value> {
    Json(describe())
}

/// The description for people.
pub(super) async fn docs() -> Response {
    let mut response = axum::response::Html(page::render(ENDPOINTS)).into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(PAGE_POLICY),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// How the page looks.
pub(super) async fn style() -> Response {
    let mut response = include_str!("description/page.css").into_response();
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/css; charset=utf-8"),
    );
    response
}

/// The members that the query of a request may have; none where any may be there: in the addresses of WebSockets, which
/// clients add to, in those of pages for people, and in those that watch over the server.
pub(super) fn query_members(method: &Method, path: &str) -> Option<Vec<&'static str>> {
    // What takes GET takes HEAD.
    let method = if method == Method::HEAD {
        &Method::GET
    } else {
        method
    };
    let endpoint = ENDPOINTS
        .iter()
        .find(|endpoint| endpoint.path == path && endpoint.method.eq_ignore_ascii_case(method.as_str()))?;
    let token = match endpoint.auth {
        Auth::Key => None,
        Auth::KeyOrToken => Some("token"),
        Auth::Token | Auth::None => return None,
    };
    let named = endpoint.query.iter().map(|(name, _)| *name);
    Some(named.chain(token).collect())
}

fn describe() -> Value {
    let mut paths = Map::new();
    for endpoint in ENDPOINTS {
        let methods = paths
            .entry(endpoint.path)
            .or_insert_with(|| Value::Object(Map::new()));
        methods[endpoint.method] = operation(endpoint);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Automator",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Browsers on this server, and operations beside them.",
        },
        "paths": paths,
        "components": {
            "schemas": schemas::all(),
            "securitySchemes": {
                "key": { "type": "apiKey", "in": "header", "name": "x-bb-api-key" },
                "bearer": { "type": "http", "scheme": "bearer" },
                "token": { "type": "apiKey", "in": "query", "name": "token" },
            },
        },
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let mut responses = Map::new();
    responses.insert("200".to_owned(), answer(endpoint));
    for (status, meaning) in endpoint.errors {
        responses.insert(
            status.to_string(),
            json!({ "description": meaning, "content": json_of(&json!({ "$ref": "#/components/schemas/Failure" })) }),
        );
    }
    let mut operation = json!({
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": parameters(endpoint),
        "responses": responses,
        "security": match endpoint.auth {
            Auth::Key => json!([{ "key": [] }, { "bearer": [] }]),
            Auth::Token => json!([{ "token": [] }]),
            Auth::KeyOrToken => json!([{ "key": [] }, { "bearer": [] }, { "token": [] }]),
            Auth::None => json!([]),
        },
    });
    if let Some(body) = endpoint.body {
        operation["requestBody"] = json!({ "content": json_of(&reference(body)) });
    }
    operation
}

fn answer(endpoint: &Endpoint) -> Value {
    match endpoint.answer {
        Some(schema) => json!({ "description": "Done.", "content": json_of(&reference(schema)) }),
        None => json!({ "description": "Done." }),
    }
}

fn parameters(endpoint: &Endpoint) -> Vec<Value> {
    let of_path = endpoint.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
    });
    let of_query = endpoint.query.iter().map(|(name, meaning)| {
        json!({ "name": name, "in": "query", "description": meaning, "schema": { "type": "string" } })
    });
    of_path.chain(of_query).collect()
}

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

fn json_of(schema: &Value) -> Value {
    json!({ "application/json": { "schema": schema } })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use regex::Regex;

    use super::*;

    /// The paths that the router has, by its source.
    fn routes() -> BTreeSet<String> {
        let pattern = Regex::new(r#"\.route\(\s*"([^"]+)""#).expect("a pattern");
        let source = include_str!("../http.rs");
        let found = pattern.captures_iter(source);
        found.map(|found| found[1].to_owned()).collect()
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let described: BTreeSet<String> = ENDPOINTS
            .iter()
            .map(|endpoint| endpoint.path.to_owned())
            .collect();
        assert_eq!(routes(), described);
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let description = describe();
        let text = description.to_string();
        let pattern = Regex::new(r##""\$ref":"#([^"]+)""##).expect("a pattern");
        let mut seen = 0;
        for found in pattern.captures_iter(&text) {
            assert!(description.pointer(&found[1]).is_some(), "{}", &found[1]);
            seen += 1;
        }
        assert!(seen > 10, "{seen}");
        for endpoint in ENDPOINTS {
            assert!(page::render(ENDPOINTS).contains(endpoint.path));
        }
    }
}
