//! A platform behind the HTTP interface of sessions: `automator serve`, and the hosted one that it is like.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::http::{Endpoint, Failure};
use super::platform::{Found, Platform, Wanted};
use crate::Result;

/// How long questions about a session may take that do not wait for a browser.
const LIMIT: Duration = Duration::from_secs(30);

/// How long the platform may take to say where a session can be looked at, which is not worth waiting for.
const DEBUG_LIMIT: Duration = Duration::from_secs(10);

/// The platform at an address.
pub(crate) struct Served {
    sessions: Endpoint,
}

/// A session, of which the platform tells more than this.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    id: String,
    status: String,
    #[serde(default)]
    connect_url: Option<String>,
    #[serde(default)]
    keep_alive: bool,
    #[serde(default)]
    end_reason: Option<String>,
    #[serde(default, rename = "remoteSessionURL", alias = "sessionUrl")]
    session_url: Option<String>,
}

impl Served {
    pub(crate) fn new(sessions: Endpoint) -> Self {
        Self { sessions }
    }

    fn read(&self, answer: Value) -> Result<Found, Failure> {
        let told: Told =
            serde_json::from_value(answer).map_err(|error| self.sessions.unreadable(error.to_string()))?;
        Ok(told.into())
    }
}

impl From<Told> for Found {
    fn from(told: Told) -> Self {
        let runs = told.status == "RUNNING";
        let state = match told.end_reason {
            Some(reason) => format!("{} ({reason})", told.status),
            None => told.status,
        };
        Self {
            id: Some(told.id),
            connect_url: told.connect_url.filter(|_| runs),
            state,
            is_kept: told.keep_alive,
            session_url: told.session_url,
            debug_url: None,
        }
    }
}

impl Platform for Served {
    fn create<'a>(&'a self, wanted: &'a Wanted) -> BoxFuture<'a, Result<Found>> {
        async move {
            // Waits for a free place, for which the platform has a limit of its own.
            let request = self.sessions.request(Method::POST, "/v1/sessions");
            let answer = self.sessions.ask(request.json(&wanted.parameters)).await;
            answer
                .and_then(|answer| self.read(answer))
                .map_err(Failure::on_init)
        }
        .boxed()
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Found>> {
        async move {
            let request = self.sessions.request(Method::GET, &path(id)).timeout(LIMIT);
            let answer = self.sessions.ask(request).await;
            answer
                .and_then(|answer| self.read(answer))
                .map_err(Failure::on_init)
        }
        .boxed()
    }

    fn release<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<()>> {
        async move {
            let request = self.sessions.request(Method::POST, &path(id)).timeout(LIMIT);
            let body = json!({ "status": "REQUEST_RELEASE" });
            match self.sessions.ask(request.json(&body)).await {
                Ok(_)
                | Err(Failure::Refused {
                    status: 404 | 409 | 410,
                    ..
                }) => Ok(()),
                Err(failure) => Err(failure.on_init()),
            }
        }
        .boxed()
    }

    fn debug<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Option<String>> {
        async move {
            let path = format!("{}/debug", path(id));
            let request = self.sessions.request(Method::GET, &path).timeout(DEBUG_LIMIT);
            let answer = self.sessions.ask(request).await.ok()?;
            Some(answer.get("debuggerUrl")?.as_str()?.to_owned())
        }
        .boxed()
    }
}

/// An id may come from anywhere; in an address it must stay one segment.
fn path(id: &str) -> String {
    let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    format!("/v1/sessions/{}", id.replace('+', "%20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_segment_of_the_address() {
        assert_eq!(path("5f0-a"), "/v1/sessions/5f0-a");
        assert_eq!(path("../a b?c"), "/v1/sessions/..%2Fa%20b%3Fc");
    }

    #[test]
    fn a_session_that_has_ended_has_no_address_and_says_why() {
        let told =
            json!({ "id": "1", "status": "COMPLETED", "endReason": "released", "connectUrl": "ws://x" });
        let found = Found::from(serde_json::from_value::<Told>(told).unwrap());
        let error = found.running().unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::RemoteSessionNotFound);
        assert!(error.to_string().contains("COMPLETED (released)"), "{error}");
    }
}
