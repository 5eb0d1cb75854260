//! `/v1/cdp/{id}`: the DevTools protocol of a session's browser, and `/v1/cdp/{id}/page/{target}` that of one tab.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use url::Url;

use super::Shared;
use super::debug::{tabs, unreachable};
use super::extract::{Path, Query, Upgrade};
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
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Failure> {
    dial(shared, &id, None, &token, upgrade).await
}

/// Connects a client that has a token with one tab of the browser.
pub(super) async fn connect_tab(
    State(shared): State<Shared>,
    Path((id, target)): Path<(String, String)>,
    Query(Bearer { token }): Query<Bearer>,
    Upgrade(upgrade): Upgrade,
) -> Result<Response, Failure> {
    dial(shared, &id, Some(&target), &token, upgrade).await
}

async fn dial(
    shared: Shared,
    id: &str,
    tab: Option<&str>,
    token: &str,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Failure> {
    let platform = shared.platform;
    platform.check_token(token, id, Purpose::Cdp).await?;
    let attached = platform.attach(id).await?;
    let address = match tab {
        None => attached.address.clone(),
        Some(target) => address_of_tab(&attached.address, target).ok_or_else(|| no_tab(target))?,
    };
    // A page of the browser's own is no tab of the session.
    if let Some(target) = tab
        && !tabs(&attached.address).await?.iter().any(|tab| tab.id == target)
    {
        return Err(no_tab(target));
    }
    // Replies of the browser have no largest size.
    let unlimited = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    let dialling = tokio_tungstenite::connect_async_with_config(&address, Some(unlimited), true);
    let (browser, _) = tokio::time::timeout(DIALLING, dialling)
        .await
        .map_err(|_| unreachable("it does not answer"))?
        .map_err(|error| match (error, tab) {
            // So the browser answers for a tab that is not there.
            (tungstenite::Error::Http(_), Some(target)) => no_tab(target),
            (error, _) => unreachable(&error.to_string()),
        })?;
    Ok(upgrade
        .max_message_size(usize::MAX)
        .max_frame_size(usize::MAX)
        .on_upgrade(move |client| relay(platform, attached, client, browser)))
}

fn no_tab(target: &str) -> Failure {
    let is_id = target.len() < 100 && target.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let named = if is_id {
        format!(" `{target}`")
    } else {
        String::new()
    };
    Failure::new(StatusCode::NOT_FOUND, format!("the session has no tab{named}"))
}

/// The address of a tab, beside that of its browser; none for what is no id of a target.
fn address_of_tab(browser: &str, target: &str) -> Option<String> {
    let is_id = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut url = Url::parse(browser).ok().filter(|_| is_id)?;
    url.set_path(&format!("/devtools/page/{target}"));
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tab_is_beside_its_browser() {
        let browser = "ws://127.0.0.1:4000/devtools/browser/1-2";
        let tab = address_of_tab(browser, "A1B2").expect("an address");
        assert_eq!(tab, "ws://127.0.0.1:4000/devtools/page/A1B2");
        for wrong in ["", "..", "a/b", "a%2Fb", "a?b"] {
            assert_eq!(address_of_tab(browser, wrong), None, "{wrong}");
        }
    }
}
