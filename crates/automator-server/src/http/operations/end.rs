//! `/v1/sessions/{id}/end`: ends a session.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::super::Shared;
use super::super::extract::{Path, Whole};
use super::super::guard::Owner;
use super::super::json_body::{check_members, object};
use super::OperationFailure;
use crate::platform::PlatformError;

/// Ends a session. There is nothing to say about how.
pub(in crate::http) async fn end(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
    Whole(body): Whole,
) -> Result<Json<Value>, OperationFailure> {
    check_members(&object(&body)?, &[], &[])?;
    let session = shared.platform.session(&owner, &id).await?;
    if session.state.is_final() {
        let reason = session.end_reason.unwrap_or_default();
        return Err(PlatformError::Ended { id, reason }.into());
    }
    shared.platform.release(&owner, &id).await?;
    Ok(Json(json!({ "success": true })))
}
