//! `/v1/sessions`: sessions are created, looked at, listed and released.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::Shared;
use super::extract::{Path, Query, Whole};
use super::failure::Failure;
use super::guard::Owner;
use super::json_body::{self, check_members, object};
use crate::parameters::CreateParameters;
use crate::platform::Platform;
use crate::store::{Idempotency, SessionRecord, SessionState};

/// The header under which a request to create a session may be made again.
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

/// The longest key, in characters.
const LONGEST_IDEMPOTENCY_KEY: usize = 255;

/// The only change that a client may ask for.
const RELEASE: &str = "REQUEST_RELEASE";

/// Members of a request to release that are accepted and have no effect here: a key has one project.
const RELEASE_WITHOUT_EFFECT: [&str; 1] = ["projectId"];

#[derive(Deserialize)]
pub(super) struct ListQuery {
    status: Option<String>,
    q: Option<String>,
}

/// Creates a session, and answers when its browser runs.
pub(super) async fn create(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    headers: HeaderMap,
    Whole(body): Whole,
) -> Result<Json<Value>, Failure> {
    let body = json_body::value(&body)?;
    let parameters =
        CreateParameters::read(&body).map_err(|error| Failure::bad_request(error.to_string()))?;
    parameters.warn();
    let idempotency = read_idempotency_key(&headers)?.map(|key| Idempotency {
        key,
        request: format!("{:x}", Sha256::digest(body.to_string())),
    });
    let session = shared
        .platform
        .create(&owner, &parameters, idempotency.as_ref())
        .await?;
    Ok(Json(shown(&shared.platform, &session)))
}

/// A session.
pub(super) async fn retrieve(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let session = shared.platform.session(&owner, &id).await?;
    Ok(Json(shown(&shared.platform, &session)))
}

/// Releases a session.
pub(super) async fn update(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
    Whole(body): Whole,
) -> Result<Json<Value>, Failure> {
    let body = object(&body)?;
    check_members(&body, &["status"], &RELEASE_WITHOUT_EFFECT)?;
    if body.get("status").and_then(Value::as_str) != Some(RELEASE) {
        let message = format!("status: only `{RELEASE}` can be asked for");
        return Err(Failure::bad_request(message));
    }
    let session = shared.platform.release(&owner, &id).await?;
    Ok(Json(shown(&shared.platform, &session)))
}

/// The sessions of the key, the newest first.
pub(super) async fn list(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Query(query): Query<ListQuery>,
) -> Result<Json<Value>, Failure> {
    if query.q.is_some() {
        tracing::warn!("`q` of a request for a list of sessions has no effect here");
    }
    let state = query.status.map(|name| read_state(&name)).transpose()?;
    let sessions = shared.platform.sessions(&owner, state).await?;
    let shown = sessions.iter().map(|session| shown(&shared.platform, session));
    Ok(Json(shown.collect()))
}

/// A key that cannot be told from others would let a session be created twice, or not at all.
fn read_idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Failure> {
    let wrong = |problem: &str| Failure::bad_request(format!("{IDEMPOTENCY_HEADER}: {problem}"));
    let mut given = headers.get_all(IDEMPOTENCY_HEADER).iter();
    let Some(key) = given.next() else {
        return Ok(None);
    };
    if given.next().is_some() {
        return Err(wrong("it is given more than once"));
    }
    let text = key.to_str().ok().filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| wrong("it must be a text of ASCII characters, and not empty"))?;
    if text.len() > LONGEST_IDEMPOTENCY_KEY {
        let length = text.len();
        let problem = format!("{length} characters are more than {LONGEST_IDEMPOTENCY_KEY}");
        return Err(wrong(&problem));
    }
    Ok(Some(text.to_owned()))
}

fn read_state(name: &str) -> Result<SessionState, Failure> {
    serde_json::from_value(Value::from(name)).map_err(|_| {
        let message = format!("status: `{name}` is none of PENDING, RUNNING, ERROR, TIMED_OUT, COMPLETED");
        Failure::bad_request(message)
    })
}

/// A session as it is answered. How to connect to it is there as long as its browser runs.
fn shown(platform: &Platform, session: &SessionRecord) -> Value {
    let mut shown = Map::new();
    let mut put = |name: &str, value: Value| {
        if !value.is_null() {
            shown.insert(name.to_owned(), value);
        }
    };
    put("id", json!(session.id));
    put("status", json!(session.state));
    put("createdAt", json!(time(session.created_at)));
    put(
        "startedAt",
        json!(time(session.started_at.unwrap_or(session.created_at))),
    );
    put("updatedAt", json!(time(session.updated_at)));
    put("expiresAt", json!(time(session.expires_at)));
    put("endedAt", json!(session.ended_at.map(time)));
    put("keepAlive", json!(session.keep_alive));
    put("region", json!(session.region));
    // A key has one project, which needs no name of its own.
    put("projectId", json!(session.owner));
    put("proxyBytes", json!(platform.bytes_carried(session)));
    put("userMetadata", json!(session.user_metadata));
    let context = session.settings.get("browserSettings");
    put(
        "contextId",
        context.map_or(Value::Null, |settings| settings["context"]["id"].clone()),
    );
    put("endReason", json!(session.end_reason));
    if session.state == SessionState::Running {
        put("connectUrl", json!(platform.connect_url(session)));
        put("sessionUrl", json!(platform.view_url(session)));
    }
    Value::Object(shown)
}

/// ISO 8601 in UTC, with milliseconds.
pub(super) fn time(milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_and_are_in_utc() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(time(1_700_000_000_120), "2023-11-14T22:13:20.120Z");
    }

    #[test]
    fn states_are_read_as_they_are_written() {
        assert_eq!(read_state("TIMED_OUT").ok(), Some(SessionState::TimedOut));
        assert!(read_state("running").is_err());
    }
}
