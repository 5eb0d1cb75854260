//! `/v1/sessions/start`: a session for operations, new or gone on with.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::super::Shared;
use super::super::extract::Whole;
use super::super::guard::Owner;
use super::super::json_body::{check_members, object};
use super::super::names::{given_name, start_members};
use super::OperationFailure;
use crate::operations::OperationSettings;
use crate::parameters::{CreateParameters, ParameterError, kind};
use crate::platform::PlatformError;
use crate::store::SessionState;

/// Names the session to go on with.
const SESSION: &str = "remoteSessionID";

/// Says what a new session is to be.
const PARAMETERS: &str = "remoteSessionCreateParams";

/// Members that say something.
const MEMBERS: [&str; 9] = [
    "modelName",
    "domSettleTimeoutMs",
    "verbose",
    "systemPrompt",
    "selfHeal",
    "experimental",
    "answersDialogs",
    SESSION,
    PARAMETERS,
];

/// Members of the hosted contract that are accepted and have no effect here.
const WITHOUT_EFFECT: [&str; 4] = ["actTimeoutMs", "browser", "useTouch", "waitForCaptchaSolves"];

/// Starts a session, or goes on with one.
pub(in crate::http) async fn start(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Whole(body): Whole,
) -> Result<Json<Value>, OperationFailure> {
    let body = object(&body)?;
    let (of_session, of_parameters) = (given_name(&body, SESSION), given_name(&body, PARAMETERS));
    let body = start_members(body);
    check_members(&body, &MEMBERS, &WITHOUT_EFFECT)?;
    if body.get("modelName").is_none_or(Value::is_null) {
        let message = "modelName: it is missing; name the model of calls that name none, as `provider/model`";
        return Err(OperationFailure::bad_request(message));
    }
    let settings = OperationSettings::read(&body)?;
    let platform = &shared.platform;
    let session = match body.get(SESSION) {
        None | Some(Value::Null) => {
            let parameters = body.get(PARAMETERS).unwrap_or(&Value::Null);
            let wrong =
                |error: ParameterError| OperationFailure::bad_request(format!("{of_parameters}.{error}"));
            let parameters = CreateParameters::read(parameters).map_err(wrong)?;
            parameters.warn();
            let created = platform.create(&owner, &parameters, None).await;
            created.map_err(|error| match error {
                PlatformError::Parameter(error) => wrong(error),
                other => other.into(),
            })?
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
                "{of_session}: {} is no text",
                kind(other)
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
