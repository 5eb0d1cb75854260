//! `/v1/contexts`: profiles that outlive sessions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Shared;
use super::failure::Failure;
use super::guard::Owner;
use super::sessions::time;
use crate::store::ContextRecord;

/// Makes a context. What the body says has no effect: a key has one project, and contexts have no names.
pub(super) async fn create(
    State(shared): State<Shared>,
    Owner(owner): Owner,
) -> Result<Json<Value>, Failure> {
    let context = shared.platform.create_context(&owner).await?;
    Ok(Json(shown(&context)))
}

/// A context.
pub(super) async fn retrieve(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let context = shared.platform.context(&owner, &id).await?;
    Ok(Json(shown(&context)))
}

/// Removes a context.
pub(super) async fn remove(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
) -> Result<StatusCode, Failure> {
    shared.platform.remove_context(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn shown(context: &ContextRecord) -> Value {
    json!({
        "id": context.id,
        "projectId": context.owner,
        "createdAt": time(context.created_at),
        "updatedAt": time(context.updated_at),
    })
}
