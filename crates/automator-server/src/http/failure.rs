//! Errors as they are answered: a status, and a body that says what was wrong.

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt as _, Collected, Limited};
use serde_json::json;

use crate::engine::EngineError;
use crate::platform::PlatformError;
use crate::rate::TooOften;
use crate::store::StoreError;

/// The content type of errors.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The longest text of the web framework that is told.
const LONGEST_TEXT: usize = 4 << 10;

/// What is answered while the server ends, or has more to do than it can, is worth another try after so many seconds.
const SOON: u64 = 5;

/// An error as it is answered.
#[derive(Debug)]
pub(super) struct Failure {
    status: StatusCode,
    message: String,
    /// After how many seconds it is worth another try.
    retry_after: Option<u64>,
}

impl Failure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
            retry_after: None,
        }
    }

    /// Something was done too often.
    pub(super) fn too_often(message: &str, too_often: TooOften) -> Self {
        // A whole second more, rather than one try too early.
        let seconds = too_often.retry_after.as_secs() + 1;
        Self {
            status: StatusCode::TOO_MANY_REQUESTS,
            message: format!("{message}; the next one is taken in {seconds} s"),
            retry_after: Some(seconds),
        }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }
}

impl From<PlatformError> for Failure {
    fn from(error: PlatformError) -> Self {
        let status = match &error {
            PlatformError::Parameter(_) => StatusCode::BAD_REQUEST,
            PlatformError::NotFound(_) | PlatformError::NoContext(_) => StatusCode::NOT_FOUND,
            PlatformError::Ended { .. } => StatusCode::GONE,
            PlatformError::NoFolder(_) => StatusCode::NOT_IMPLEMENTED,
            PlatformError::OtherRequest | PlatformError::ContextInUse { .. } => StatusCode::CONFLICT,
            PlatformError::Full(_) | PlatformError::Crowded(_) => StatusCode::TOO_MANY_REQUESTS,
            PlatformError::Store(StoreError::Full(_)) => StatusCode::INSUFFICIENT_STORAGE,
            PlatformError::Engine(EngineError::Gone) => StatusCode::GONE,
            PlatformError::Ending => StatusCode::SERVICE_UNAVAILABLE,
            PlatformError::Store(_) | PlatformError::Engine(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let passes = matches!(error, PlatformError::Full(_) | PlatformError::Ending);
        let retry_after = passes.then_some(SOON);
        Self {
            status,
            message: error.to_string(),
            retry_after,
        }
    }
}

/// Answers what the web framework refuses by itself (addresses and bodies that cannot be read, WebSockets that are none)
/// as everything else that is refused.
pub(super) async fn answer_in_json(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_text = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !is_error || !is_text {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = Limited::new(body, LONGEST_TEXT).collect().await;
    let text = text.map(Collected::to_bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let said = if text.is_empty() {
        parts.status.canonical_reason().unwrap_or_default().into()
    } else {
        text
    };
    let message = format!("the request cannot be taken: {said}");
    let (told, body) = Failure::new(parts.status, message).into_response().into_parts();
    // What goes with the status stays, as `allow` and `upgrade` do.
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(told.headers);
    Response::from_parts(parts, body)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        PlatformError::from(error).into()
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(
                status = self.status.as_u16(),
                message = self.message,
                "a request failed"
            );
        }
        let body = json!({
            "statusCode": self.status.as_u16(),
            "error": self.status.canonical_reason().unwrap_or_default(),
            "message": self.message,
        });
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
