//! `/v1/cdp/{id}`: the DevTools protocol of a session's browser.

use std::time::Duration;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::Shared;
use super::failure::Failure;
use crate::cdp::relay;
use crate::token::Purpose;

/// How long the browser may take to take a connection.
const DIALLING: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
pub(super) struct Bearer {
    #[serde(default)]
    token: String,
}

/// Connects a client that has a token with the browser.
pub(super) async fn connect(
    State(shared): State<Shared>,
    Path(id): Path<String>,
    Query(Bearer { token }): Query<Bearer>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Failure> {
    let platform = shared.platform;
    platform.check_token(&token, &id, Purpose::Cdp).await?;
    let attached = platform.attach(&id).await?;
    // Replies of the browser have no largest size.
    let unlimited = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    let dialling = tokio_tungstenite::connect_async_with_config(&attached.address, Some(unlimited), true);
    let unreachable = |problem: String| {
        let message = format!("the browser of the session cannot be reached: {problem}");
        Failure::new(StatusCode::BAD_GATEWAY, message)
    };
    let (browser, _) = tokio::time::timeout(DIALLING, dialling)
        .await
        .map_err(|_| unreachable("it does not answer".to_owned()))?
        .map_err(|error| unreachable(error.to_string()))?;
    Ok(upgrade
        .max_message_size(usize::MAX)
        .max_frame_size(usize::MAX)
        .on_upgrade(move |client| relay(platform, attached, client, browser)))
}
