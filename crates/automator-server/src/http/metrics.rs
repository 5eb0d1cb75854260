//! `/metrics`, and counting requests.

use axum::extract::{FromRequestParts as _, MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Shared;
use super::failure::Failure;
use super::guard::Owner;
use crate::metrics::CONTENT_TYPE;
use crate::options::MetricsAccess;

/// How requests that no route takes are counted: what they ask for could be anything.
const NO_ROUTE: &str = "none";

/// The figures of the server.
pub(super) async fn figures(State(shared): State<Shared>, request: Request) -> Result<Response, Failure> {
    if shared.metrics_access == MetricsAccess::Key {
        let (mut parts, _) = request.into_parts();
        Owner::from_request_parts(&mut parts, &shared).await?;
    }
    let figures = shared.platform.figures().await?;
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    Ok(([kind], figures).into_response())
}

/// Counts a request by its route and the status of the answer.
pub(super) async fn count(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
    shared
        .platform
        .metrics()
        .request(route, response.status().as_u16());
    response
}
