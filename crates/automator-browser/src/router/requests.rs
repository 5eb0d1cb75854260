//! What the browser tells of requests: for quiet times, and for the response of the main document.

use std::sync::Arc;
use std::time::Instant;

use automator_cdp::protocol::network;
use automator_cdp::{CdpError, Event, EventType};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::frame_table::SessionId;
use crate::network::NewRequest;
use crate::page_state::PageShared;
use crate::response::{ResponseHead, raw_headers};
/// The few members of the network's events that are of interest; the events themselves are large.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    request_id: String,
    #[serde(default)]
    loader_id: String,
    #[serde(default)]
    frame_id: Option<String>,
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    request: Address,
    /// Of a request that follows a redirect: the answer that led to it, and whether there is more about it.
    #[serde(default)]
    redirect_response: Option<IgnoredAny>,
    #[serde(default)]
    redirect_has_extra_info: bool,
    /// Of a request that failed.
    #[serde(default)]
    error_text: Option<String>,
}

#[derive(Default, Deserialize)]
struct Address {
    #[serde(default)]
    url: String,
}

/// The headers of an answer as they came over the network.
#[derive(Deserialize)]
struct ExtraInfo {
    #[serde(default)]
    headers: Value,
}

pub(super) fn network_event(shared: &PageShared, session: &SessionId, event: &Event) -> Result<(), CdpError> {
    match event.method() {
        network::RequestWillBeSentEvent::METHOD => {
            let request: Request = event.parse()?;
            let new = NewRequest {
                id: &request.request_id,
                loader: &request.loader_id,
                kind: request.r#type.as_deref(),
                url: &request.request.url,
            };
            shared.update(|state| {
                state.network.started(session, new, Instant::now());
                let is_main = request.frame_id.as_deref() == Some(&shared.target_id);
                let is_redirected = request.redirect_response.is_some() && request.redirect_has_extra_info;
                if is_main && request.request_id == request.loader_id && is_redirected {
                    let document = state.document(&request.loader_id);
                    document.arrival.send_modify(|arrival| arrival.redirects += 1);
                }
            });
        }
        network::ResponseReceivedEvent::METHOD => {
            let request: Request = event.parse()?;
            let is_main = request.frame_id.as_deref() == Some(&shared.target_id);
            // A document's own request is numbered as its loader.
            if is_main && request.request_id == request.loader_id {
                let received: network::ResponseReceivedEvent = event.parse()?;
                let head = ResponseHead::new(received);
                shared.update(|state| state.document(&request.loader_id).response = Some(Arc::new(head)));
            } else if let Some(kind) = &request.r#type {
                shared.update(|state| {
                    state
                        .network
                        .has_kind(session, &request.request_id, kind, Instant::now());
                });
            }
        }
        network::ResponseReceivedExtraInfoEvent::METHOD => {
            let request: Request = event.parse()?;
            let mut state = shared.state();
            let id = &request.request_id;
            if state.started_loader == *id || state.known_document(id).is_some() {
                let extra: ExtraInfo = event.parse()?;
                let document = state.document(id);
                document
                    .arrival
                    .send_modify(|arrival| arrival.extra.push(raw_headers(&extra.headers)));
            }
        }
        network::LoadingFinishedEvent::METHOD | network::LoadingFailedEvent::METHOD => {
            let request: Request = event.parse()?;
            shared.update(|state| {
                if let Some(document) = state.known_document(&request.request_id) {
                    let end = request.error_text.map_or(Ok(()), Err);
                    document.arrival.send_modify(|arrival| arrival.end = Some(end));
                }
                state
                    .network
                    .finished(session, &request.request_id, Instant::now());
            });
        }
        _ => {}
    }
    Ok(())
}
