//! `/v1/sessions/start`: a session for operations, new or gone on with.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use serde_json::{Map, Value, json};

use super::super::Shared;
use super::super::guard::Owner;
use super::super::names::start_members;
use super::{OperationFailure, object};
use crate::operations::OperationSettings;
use crate::parameters::CreateParameters;
use crate::platform::PlatformError;
use crate::store::SessionState;

/// Members that say something.
const MEMBERS: [&str; 9] = [
    "modelName",
    "domSettleTimeoutMs",
    "verbose",
    "systemPrompt",
    "selfHeal",
    "experimental",
    "answersDialogs",
    "remoteSessionID",
    "remoteSessionCreateParams",
];

/// Members of the hosted contract that are accepted and have no effect here.
const WITHOUT_EFFECT: [&str; 4] = ["actTimeoutMs", "browser", "useTouch", "waitForCaptchaSolves"];

/// Starts a session, or goes on with one.
pub(in crate::http) async fn start(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    body: Bytes,
) -> Result<Json<Value>, OperationFailure> {
    let body = start_members(object(&body)?);
    check_members(&body)?;
    let settings = OperationSettings::read(&body)?;
    let platform = &shared.platform;
    let session = match body.get("remoteSessionID") {
        None | Some(Value::Null) => {
            let parameters = body.get("remoteSessionCreateParams").unwrap_or(&Value::Null);
            let parameters = CreateParameters::read(parameters).map_err(|error| {
                OperationFailure::bad_request(format!("remoteSessionCreateParams.{error}"))
            })?;
            parameters.warn();
            platform.create(&owner, &parameters, None).await?
        }
        Some(Value::String(id)) => {
            let session = platform.session(&owner, id).await?;
            if session.state != SessionState::Running {
                return Err(PlatformError::Ended {
                    id: id.clone(),
                    reason: session
                        .end_reason
                        .unwrap_or_else(|| "it does not run yet".to_owned()),
                }
                .into());
            }
            session
        }
        Some(other) => {
            return Err(OperationFailure::bad_request(format!(
                "remoteSessionID: {other} is no text"
            )));
        }
    };
    let session = platform
        .set_operation_settings(&session.id, settings.members())
        .await?;
    let (operations, id) = (shared.operations.clone(), session.id.clone());
    tokio::spawn(async move { operations.prepare(&owner, &id).await });
    Ok(Json(json!({
        "success": true,
        "data": {
            "sessionId": session.id,
            "available": true,
            "cdpUrl": platform.connect_url(&session),
            "sessionUrl": platform.view_url(&session),
        },
    })))
}

fn check_members(body: &Map<String, Value>) -> Result<(), OperationFailure> {
    let mut without_effect = Vec::new();
    for name in body.keys() {
        if WITHOUT_EFFECT.contains(&name.as_str()) {
            without_effect.push(name.as_str());
        } else if !MEMBERS.contains(&name.as_str()) {
            let message = format!(
                "{name}: there is no such member; there are {}",
                MEMBERS.join(", ")
            );
            return Err(OperationFailure::bad_request(message));
        }
    }
    if !without_effect.is_empty() {
        let names = without_effect.join(", ");
        tracing::warn!(names, "members of a request that have no effect here");
    }
    Ok(())
}
