//! `/v1/sessions/{id}/debug`: the addresses under which people look at a session and control it.

use std::time::Duration;

use automator_cdp::protocol::target::GetTargets;
use automator_cdp::{CdpError, Connection, WebSocketOptions, WebSocketTransport};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::Shared;
use super::extract::{Path, Query};
use super::failure::Failure;
use super::guard::Owner;
use crate::cdp::is_of_the_browser;
use crate::platform::LONGEST_CONTROL;

/// How long the browser may take to tell its tabs.
const ANSWERING: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    expires_in: Option<String>,
}

/// Where a session can be looked at and controlled: the whole of it, and each of its tabs.
pub(super) async fn debug(
    State(shared): State<Shared>,
    Owner(owner): Owner,
    Path(id): Path<String>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, Failure> {
    let life = asked.expires_in.map(|text| read_life(&text)).transpose()?;
    let platform = &shared.platform;
    let session = platform.session(&owner, &id).await?;
    let watched = platform.watch_browser(&session).await?;
    let mut tabs = tabs(&watched.address).await?;
    // The browser tells them in no order. Those of which none is known have been there longest.
    let came = &watched.seat.targets;
    tabs.sort_by_key(|tab| came.iter().rposition(|target| *target == tab.id));
    let url = platform.control_url(&session, life).await?;
    let socket = platform.connect_url(&session);
    let pages: Vec<Value> = tabs.iter().map(|tab| page(&url, &socket, tab)).collect();
    Ok(Json(json!({
        "debuggerUrl": url,
        "debuggerFullscreenUrl": fullscreen(&url),
        "wsUrl": socket,
        "pages": pages,
    })))
}

/// Says that a browser cannot be reached, and why.
pub(super) fn unreachable(problem: &str) -> Failure {
    let message = format!("the browser of the session cannot be reached: {problem}");
    Failure::new(StatusCode::BAD_GATEWAY, message)
}

/// How long the addresses are to be good.
fn read_life(text: &str) -> Result<Duration, Failure> {
    let longest = LONGEST_CONTROL.as_secs();
    let seconds = text.parse::<u64>().ok();
    let seconds = seconds.filter(|seconds| (1..=longest).contains(seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| {
        let message = format!("expiresIn: `{text}` is no whole number of seconds from 1 to {longest}");
        Failure::bad_request(message)
    })
}

pub(super) struct Tab {
    pub(super) id: String,
    title: String,
    url: String,
}

/// The tabs of a browser with pages of sites.
pub(super) async fn tabs(address: &str) -> Result<Vec<Tab>, Failure> {
    tokio::time::timeout(ANSWERING, ask_for_tabs(address))
        .await
        .map_err(|_| unreachable("it does not answer"))?
        .map_err(|error| unreachable(&error.to_string()))
}

async fn ask_for_tabs(address: &str) -> Result<Vec<Tab>, CdpError> {
    let transport = WebSocketTransport::connect(address, &WebSocketOptions::default()).await?;
    let connection = Connection::new(transport);
    let answer = connection.root().send(&GetTargets::default()).await;
    connection.close();
    let targets = answer?.target_infos.into_iter();
    let tabs = targets
        .filter(|target| target.r#type == "page" && !is_of_the_browser(&target.url))
        .map(|target| Tab {
            id: target.target_id.clone(),
            title: target.title.clone(),
            url: target.url.clone(),
        });
    Ok(tabs.collect())
}

/// A tab as it is answered.
fn page(url: &str, socket: &str, tab: &Tab) -> Value {
    let debugger_url = format!("{url}&tab={}", tab.id);
    json!({
        "id": tab.id,
        "title": tab.title,
        "url": tab.url,
        "faviconUrl": favicon(&tab.url),
        "debuggerFullscreenUrl": fullscreen(&debugger_url),
        "debuggerUrl": debugger_url,
        "cdpUrl": socket.replacen('?', &format!("/page/{}?", tab.id), 1),
    })
}

fn fullscreen(url: &str) -> String {
    format!("{url}&fullscreen=1")
}

/// Where the icon of a site is that names none: the protocol does not tell which one a page names.
fn favicon(url: &str) -> String {
    let url = Url::parse(url).ok().filter(Url::has_host);
    url.and_then(|url| url.join("/favicon.ico").ok())
        .map(String::from)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_are_whole_seconds_up_to_six_hours() {
        let read = |text| read_life(text).ok().map(|life| life.as_secs());
        assert_eq!(read("1"), Some(1));
        assert_eq!(read("21600"), Some(21_600));
        for wrong in ["", "0", "-5", "21601", "60s", "1.5", "99999999999999999999"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_tab_has_addresses_of_its_own() {
        let tab = Tab {
            id: "AB12".to_owned(),
            title: "Lamps".to_owned(),
            url: "https://shop.example/lamps?x=1".to_owned(),
        };
        let expected = json!({
            "cdpUrl": "ws://h/v1/cdp/s/page/AB12?token=c",
            "id": "AB12",
            "title": "Lamps",
            "url": "https://shop.example/lamps?x=1",
            "faviconUrl": "https://shop.example/favicon.ico",
            "debuggerUrl": "http://h/sessions/s?token=t&tab=AB12",
            "debuggerFullscreenUrl": "http://h/sessions/s?token=t&tab=AB12&fullscreen=1",
        });
        let socket = "ws://h/v1/cdp/s?token=c";
        assert_eq!(page("http://h/sessions/s?token=t", socket, &tab), expected);
        assert_eq!(favicon("about:blank"), "");
    }
}
