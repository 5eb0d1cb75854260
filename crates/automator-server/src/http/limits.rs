//! What a request may take: time for its body and for its answer, and how often it may be refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Shared;
use super::body::{BodyLimit, TimedBody};
use super::failure::Failure;
use super::remote::{counted_as, remote};
use crate::metrics::Refused;

/// How long an answer to a request that only asks for something may take to begin.
const ANSWERING: Duration = Duration::from_secs(30);

/// Holds a request to its limits.
pub(super) async fn limit(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let only_asks = request.method() == Method::GET || request.method() == Method::HEAD;
    let body_timeout = shared.limits.body_timeout;
    let late = Arc::new(BodyLimit::new(body_timeout));
    let request = request.map(|body| axum::body::Body::new(TimedBody::new(body, Arc::clone(&late))));
    let answer = next.run(request);
    let response = if only_asks {
        match tokio::time::timeout(ANSWERING, answer).await {
            Ok(response) => response,
            Err(_) => {
                let message = format!("there was no answer in {} s", ANSWERING.as_secs());
                return Failure::new(StatusCode::GATEWAY_TIMEOUT, message).into_response();
            }
        }
    } else {
        answer.await
    };
    if late.is_over() {
        let message = format!(
            "the body came in too slowly: it has {} s, and a second more for each 16 KiB",
            body_timeout.as_secs()
        );
        let mut response = Failure::new(StatusCode::REQUEST_TIMEOUT, message).into_response();
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
        return response;
    }
    let is_said = response.headers().get(header::CONTENT_TYPE) == Some(&super::failure::JSON);
    if response.status() == StatusCode::PAYLOAD_TOO_LARGE && !is_said {
        let message = format!(
            "the body is larger than {} bytes, which a request may have here",
            shared.limits.body_bytes
        );
        return Failure::new(StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
    }
    response
}

/// Answers requests with wrong keys and tokens by 429 when there are too many of them from one address.
///
/// Nobody with a valid key is shut out by others at the same address: keys cannot be guessed, so this is there to slow
/// down programs that go on with one that was revoked.
pub(super) async fn limit_refusals(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let address = remote(request.extensions(), request.headers(), &shared.trusted_proxies);
    let has_token = request
        .uri()
        .query()
        .is_some_and(|query| url::form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == "token"));
    let response = next.run(request).await;
    let status = response.status();
    let is_refused = status == StatusCode::UNAUTHORIZED || (has_token && status == StatusCode::NOT_FOUND);
    let Some(address) = address.filter(|_| is_refused) else {
        return response;
    };
    match shared.refusals.take(counted_as(address), Instant::now()) {
        Ok(()) => response,
        Err(too_often) => {
            Failure::too_often("too many requests without a valid key or token", too_often).into_response()
        }
    }
}

/// Counts a request of a key.
pub(super) fn count_request(shared: &Shared, key: &str) -> Result<(), Failure> {
    shared
        .key_requests
        .take(key.to_owned(), Instant::now())
        .map_err(|too_often| {
            shared.platform.metrics().refused(Refused::Rate);
            Failure::too_often("too many requests with this key", too_often)
        })
}
