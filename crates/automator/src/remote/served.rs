//! A platform behind the HTTP interface of sessions: `automator serve`, and the hosted one that it is like.

use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use super::downloads::not_written;
use super::http::{Endpoint, Failure};
use super::operations::Operations;
use super::platform::{Found, Opened, Platform, Wanted};
use crate::Result;

/// How long questions about a session may take that do not wait for a browser.
const LIMIT: Duration = Duration::from_secs(30);

/// How long a new session may take, the wait for a free place included. A platform that has stopped takes longer.
const CREATE_LIMIT: Duration = Duration::from_secs(10 * 60);

/// How long the platform may take to say where a session can be looked at, which is not worth waiting for.
const DEBUG_LIMIT: Duration = Duration::from_secs(10);

/// The platform at an address.
pub(crate) struct Served {
    sessions: Endpoint,
    /// The hosted platform has two addresses.
    operations: Endpoint,
    names: &'static Names,
}

/// What platforms call the same thing.
pub(crate) struct Names {
    /// The parameters of a new session, among those of its operations.
    parameters: &'static str,
    /// The session to go on with, there.
    id: &'static str,
    /// The header that keeps the cache out of a call.
    bypass: (&'static str, &'static str),
    /// How often the platform says something during an operation at the least, where that is known: silence for longer
    /// means that it is not there any more.
    silence: Option<Duration>,
    /// The setting which says that dialogs are answered here, where there is one.
    answers_dialogs: Option<&'static str>,
}

/// The names of `automator serve`.
pub(crate) const OWN: Names = Names {
    parameters: "remoteSessionCreateParams",
    id: "remoteSessionID",
    bypass: ("x-automator-cache", "bypass"),
    // It says something every 15 s.
    silence: Some(Duration::from_secs(60)),
    answers_dialogs: Some("answersDialogs"),
};

/// The names of the hosted platform.
pub(crate) const HOSTED: Names = Names {
    parameters: "browserbaseSessionCreateParams",
    id: "browserbaseSessionID",
    bypass: ("browserbase-cache-bypass", "true"),
    silence: None,
    answers_dialogs: None,
};

/// A session that has operations.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Started {
    session_id: String,
    #[serde(default)]
    available: bool,
    #[serde(default, rename = "remoteSessionURL")]
    session_url: Option<String>,
    #[serde(default, rename = "remoteDebugURL")]
    debug_url: Option<String>,
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
    pub(crate) fn new(sessions: Endpoint, operations: Endpoint, names: &'static Names) -> Self {
        Self {
            sessions,
            operations,
            names,
        }
    }

    async fn open_session(&self, wanted: &Wanted) -> Result<Opened> {
        // Tells what is not there from a platform that has no operations.
        let resumed = match &wanted.id {
            Some(id) => {
                let found = self.get(id).await?;
                found.running()?;
                Some(found)
            }
            None => None,
        };
        let started = match &wanted.settings {
            Some(settings) => self.start(settings, wanted).await.map_err(Failure::on_init)?,
            None => None,
        };
        let Some(started) = started else {
            let found = match resumed {
                Some(found) => found,
                None => self.create(wanted).await.map_err(|failure| match failure {
                    Failure::Refused {
                        status: 404, message, ..
                    } => self.sessions.unreadable(message).on_init(),
                    other => other.on_init(),
                })?,
            };
            return Ok(Opened {
                found,
                operations: None,
            });
        };
        let id = &started.session_id;
        let found = match resumed {
            Some(found) => found,
            None => self.get(id).await?,
        };
        let operations = started.available.then(|| {
            Operations::new(
                self.operations.clone(),
                path(id),
                self.names.bypass,
                self.names.silence,
            )
        });
        Ok(Opened {
            found: Found {
                session_url: started.session_url.or(found.session_url),
                debug_url: started.debug_url.or(found.debug_url),
                ..found
            },
            operations,
        })
    }

    /// Creates a session without operations. Waits for a free place, for which the platform has a limit of its own.
    async fn create(&self, wanted: &Wanted) -> Result<Found, Failure> {
        let request = self
            .sessions
            .request(Method::POST, "/v1/sessions")
            .timeout(CREATE_LIMIT);
        let answer = self.sessions.ask(request.json(&wanted.parameters)).await?;
        self.read(answer)
    }

    /// Creates a session with operations, or gives one that there is its operations; none when the platform has no
    /// such thing.
    async fn start(
        &self,
        settings: &Map<String, Value>,
        wanted: &Wanted,
    ) -> Result<Option<Started>, Failure> {
        let mut body = settings.clone();
        body.extend(
            self.names
                .answers_dialogs
                .map(|name| (name.to_owned(), true.into())),
        );
        match &wanted.id {
            Some(id) => body.insert(self.names.id.to_owned(), id.as_str().into()),
            None => body.insert(self.names.parameters.to_owned(), wanted.parameters.clone().into()),
        };
        let request = self
            .operations
            .request(Method::POST, "/v1/sessions/start")
            .timeout(CREATE_LIMIT);
        let answer = match self.operations.ask(request.json(&body)).await {
            Err(Failure::Refused {
                status: 404 | 405 | 501,
                ..
            }) => return Ok(None),
            answer => answer?,
        };
        let data = answer.get("data").cloned().unwrap_or_default();
        serde_json::from_value(data)
            .map(Some)
            .map_err(|error| self.operations.unreadable(error.to_string()))
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
    fn open<'a>(&'a self, wanted: &'a Wanted) -> BoxFuture<'a, Result<Opened>> {
        self.open_session(wanted).boxed()
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

    fn download<'a>(&'a self, id: &'a str, name: &'a str, to: &'a mut File) -> BoxFuture<'a, Result<()>> {
        async move {
            let all = format!("{}/downloads", path(id));
            let refused = |failure: Failure| self.sessions.not_handed_over(name, &all, &failure);
            // Without a limit: how long it takes is a matter of its size.
            let request = self
                .sessions
                .request(Method::GET, &format!("{all}/{}", segment(name)));
            let mut answer = self.sessions.send(request).await.map_err(refused)?;
            loop {
                let chunk = answer.chunk().await.map_err(|error| self.sessions.broken(error));
                let Some(chunk) = chunk.map_err(refused)? else {
                    return Ok(());
                };
                to.write_all(&chunk).await.map_err(not_written)?;
            }
        }
        .boxed()
    }
}

fn path(id: &str) -> String {
    format!("/v1/sessions/{}", segment(id))
}

/// Ids and names may come from anywhere; in an address each must stay one segment.
fn segment(name: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    encoded.replace('+', "%20")
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
