//! `/v1/sessions/{id}/act` and so on: operations over HTTP, answered at once or as a stream of events.

mod end;
mod failure;
mod replay;
mod start;
mod stream;

use std::pin::Pin;

use automator::UsageMeter;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::Shared;
use super::extract::{Path, Whole};
use super::guard::Owner;
use super::json_body::object;
use super::names::{CACHE_STATUS, bypasses_cache, model_key, says};
use crate::operations::{Call, Caller, Done, Kind, usage_of};
pub(super) use end::end;
pub(super) use failure::OperationFailure;
pub(super) use replay::replay;
pub(super) use start::start;

/// An answer on its way.
type Answering = Pin<Box<dyn Future<Output = Result<Response, OperationFailure>> + Send>>;

/// Asks for a stream.
const STREAM_HEADER: &str = "x-stream-response";

/// What answers requests for one kind of operation.
pub(super) fn on(
    kind: Kind,
) -> impl Fn(State<Shared>, Owner, Path<String>, HeaderMap, Whole) -> Answering + Clone + Send + Sync + 'static
{
    move |shared, owner, session, headers, Whole(body)| {
        Box::pin(async move { operate(kind, shared, owner, session, &headers, &body).await })
    }
}

async fn operate(
    kind: Kind,
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(session): Path<String>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Response, OperationFailure> {
    let body = object(body)?;
    let call = Call::read(kind, &body)?;
    // Who may not see the session is told so at once, not in a stream.
    shared.platform.session(&owner, &session).await?;
    let caller = Caller {
        owner,
        model_key: model_key(headers).map(Into::into),
        without_cache: bypasses_cache(headers),
        listener: None,
        meter: UsageMeter::new(),
    };
    let meter = caller.meter.clone();
    let wants_stream =
        says(headers, STREAM_HEADER, "true") || body.get("streamResponse") == Some(&Value::Bool(true));
    if wants_stream {
        let dialect = stream::Dialect::of(headers);
        return Ok(stream::respond(shared.operations, session, call, caller, dialect));
    }
    let running = shared.operations.run(&session, call, caller).await;
    let done = running.map_err(|error| OperationFailure::from(error).with_usage(usage_of(&meter)))?;
    let mut response = Json(json!({ "success": true, "data": data(&done) })).into_response();
    if let Some(status) = done.cache {
        for name in CACHE_STATUS {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(status.name()));
        }
    }
    Ok(response)
}

/// What was done, as it is answered.
fn data(done: &Done) -> Value {
    let mut data = json!({ "result": done.result, "actionId": done.id, "usage": done.usage });
    if let (Some(status), Value::Object(members)) = (done.cache, &mut data) {
        members.insert("cacheStatus".to_owned(), status.name().into());
        members.insert(
            "cacheHit".to_owned(),
            (status == crate::operations::CacheStatus::Hit).into(),
        );
    }
    if let (Some(shares), Value::Object(members)) = (&done.shares, &mut data) {
        members.insert("usageByOperation".to_owned(), shares.clone());
    }
    if let (Some(steps), Value::Object(members)) = (&done.steps, &mut data) {
        members.insert("steps".to_owned(), steps.clone());
    }
    data
}
