//! `/v1/sessions/{id}/end`: ends a session.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::super::Shared;
use super::super::guard::Owner;
use super::OperationFailure;
use crate::platform::PlatformError;

/// Ends a session. One that has ended is not there any more.
pub(in crate::http) async fn end(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
) -> Result<Json<Value>, OperationFailure> {
    let session = shared.platform.session(&owner, &id).await?;
    if session.state.is_final() {
        return Err(PlatformError::NotFound(id).into());
    }
    shared.platform.release(&owner, &id).await?;
    Ok(Json(json!({ "success": true })))
}
