//! `/v1/contexts`: profiles that outlive sessions.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::Shared;
use super::extract::{Path, Whole};
use super::failure::Failure;
use super::guard::Owner;
use super::json_body::{check_members, object};
use super::sessions::time;
use crate::store::ContextRecord;

/// Members of the hosted contract that are accepted and have no effect here: a key has one project, and contexts have no
/// names.
const WITHOUT_EFFECT: [&str; 2] = ["name", "projectId"];

/// Makes a context.
pub(super) async fn create(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Whole(body): Whole,
) -> Result<Json<Value>, Failure> {
    check_members(&object(&body)?, &[], &WITHOUT_EFFECT)?;
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
