//! Errors of operations as they are answered: with all that the error of the core says, so that a client of ours makes
//! the same error of it.

use automator::{ErrorKind, ToJson as _};
use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::engine::EngineError;
use crate::operations::{CallError, OperationError, SettingError};
use crate::platform::PlatformError;
use crate::store::{OperationUsage, StoreError};

/// What has been done is not to be done again without being asked for: clients of the hosted contract would.
const NO_RETRY: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-should-retry"),
    HeaderValue::from_static("false"),
);

/// An error as it is answered.
#[derive(Debug)]
pub(in crate::http) struct OperationFailure {
    pub(super) status: StatusCode,
    pub(super) message: String,
    /// The members of the error, as all languages know them.
    pub(super) error: Value,
    /// What models cost before it failed, once an operation was under way.
    usage: Option<Box<OperationUsage>>,
    may_retry: bool,
}

impl OperationFailure {
    pub(in crate::http) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            ErrorKind::InvalidArgument,
            message.into(),
        )
    }

    fn new(status: StatusCode, kind: ErrorKind, message: String) -> Self {
        let error = json!({
            "automator": kind.name(), "message": message, "operation": null, "hint": null, "context": {}, "causes": [],
        });
        Self {
            status,
            message,
            error,
            usage: None,
            may_retry: false,
        }
    }

    fn of_core(error: &automator::Error) -> Self {
        Self {
            status: status_of(error.kind()),
            message: error.to_string(),
            error: error.to_json(),
            usage: None,
            may_retry: false,
        }
    }

    /// With what was spent before it failed.
    pub(super) fn with_usage(self, usage: OperationUsage) -> Self {
        let usage = Some(Box::new(usage));
        Self { usage, ..self }
    }
}

/// 400 for what is wrong with the request, 410 for a session that has gone meanwhile, 422 for everything that a page or
/// a model did not let happen. No status says that the same might work on another try, since it might work twice.
fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidArgument
        | ErrorKind::InvalidModelFormat
        | ErrorKind::UnsupportedModel
        | ErrorKind::MissingLlmConfiguration
        | ErrorKind::ExperimentalNotConfigured => StatusCode::BAD_REQUEST,
        ErrorKind::NotInitialized | ErrorKind::Closed | ErrorKind::CdpConnectionClosed => StatusCode::GONE,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

impl From<PlatformError> for OperationFailure {
    fn from(error: PlatformError) -> Self {
        let (status, kind) = match &error {
            PlatformError::Parameter(_) => (StatusCode::BAD_REQUEST, ErrorKind::InvalidArgument),
            PlatformError::NotFound(_) => (StatusCode::NOT_FOUND, ErrorKind::RemoteSessionNotFound),
            PlatformError::NoContext(_) => (StatusCode::NOT_FOUND, ErrorKind::InvalidArgument),
            PlatformError::Ended { .. } | PlatformError::Engine(EngineError::Gone) => {
                (StatusCode::GONE, ErrorKind::RemoteSessionNotFound)
            }
            PlatformError::OtherRequest | PlatformError::ContextInUse { .. } => {
                (StatusCode::CONFLICT, ErrorKind::InvalidArgument)
            }
            PlatformError::NoFolder(_) => (StatusCode::NOT_IMPLEMENTED, ErrorKind::InvalidArgument),
            PlatformError::Full(_) | PlatformError::Crowded(_) => {
                (StatusCode::TOO_MANY_REQUESTS, ErrorKind::Init)
            }
            PlatformError::Ending => (StatusCode::SERVICE_UNAVAILABLE, ErrorKind::Init),
            PlatformError::Store(StoreError::Full(_)) => (StatusCode::INSUFFICIENT_STORAGE, ErrorKind::Init),
            PlatformError::Store(_) | PlatformError::Engine(_) => {
                (StatusCode::INTERNAL_SERVER_ERROR, ErrorKind::Init)
            }
        };
        Self {
            // Nothing was done yet.
            may_retry: [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&status),
            ..Self::new(status, kind, error.to_string())
        }
    }
}

impl From<CallError> for OperationFailure {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Options(error) => Self::of_core(&error),
            CallError::Member { .. } => Self::bad_request(error.to_string()),
        }
    }
}

impl From<SettingError> for OperationFailure {
    fn from(error: SettingError) -> Self {
        Self::bad_request(error.to_string())
    }
}

impl From<OperationError> for OperationFailure {
    fn from(error: OperationError) -> Self {
        match error {
            OperationError::Platform(error) => error.into(),
            OperationError::Core(error) => Self::of_core(&error),
            OperationError::Model(_) | OperationError::Address(_) => Self::bad_request(error.to_string()),
        }
    }
}

impl IntoResponse for OperationFailure {
    fn into_response(self) -> Response {
        if self.status.is_server_error() {
            tracing::error!(
                status = self.status.as_u16(),
                message = self.message,
                "a request failed"
            );
        }
        let mut body = json!({ "success": false, "message": self.message, "error": self.error });
        if let Some(usage) = self.usage {
            body["usage"] = json!(usage);
        }
        let mut response = (self.status, Json(body)).into_response();
        if !self.may_retry {
            response.headers_mut().extend([NO_RETRY]);
        }
        response
    }
}
