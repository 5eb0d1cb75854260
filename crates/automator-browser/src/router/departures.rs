//! Navigations from the moment a document asks for one until nothing more is loaded.
//!
//! A document tells at once what it asks for, before it answers anything else: links and scripts by
//! `Page.frameScheduledNavigation`, forms by `Page.frameRequestedNavigation`. The browser begins it later, or never.

use std::time::Instant;

use automator_cdp::protocol::page;
use automator_cdp::{CdpError, Event, EventType};

use crate::frame_table::SessionId;
use crate::page_state::PageShared;

/// What [`note`] is for.
pub(super) const EVENTS: [&str; 6] = [
    page::FrameScheduledNavigationEvent::METHOD,
    page::FrameRequestedNavigationEvent::METHOD,
    page::FrameClearedScheduledNavigationEvent::METHOD,
    page::FrameStartedNavigatingEvent::METHOD,
    page::FrameStartedLoadingEvent::METHOD,
    page::FrameStoppedLoadingEvent::METHOD,
];

pub(super) fn note(shared: &PageShared, session: &SessionId, event: &Event) -> Result<(), CdpError> {
    match event.method() {
        page::FrameStartedNavigatingEvent::METHOD => {
            let started: page::FrameStartedNavigatingEvent = event.parse()?;
            shared.update(|state| {
                state
                    .frames
                    .started_navigating(session, &started.frame_id, &started.loader_id);
                if started.frame_id == shared.target_id {
                    state.started_loader = started.loader_id;
                }
            });
        }
        page::FrameScheduledNavigationEvent::METHOD => {
            let scheduled: page::FrameScheduledNavigationEvent = event.parse()?;
            if scheduled.delay <= 0.0 {
                set_out(shared, session, &scheduled.frame_id, &scheduled.url);
            }
        }
        page::FrameRequestedNavigationEvent::METHOD => {
            let requested: page::FrameRequestedNavigationEvent = event.parse()?;
            if matches!(
                requested.disposition.as_str(),
                "" | page::client_navigation_disposition::CURRENT_TAB
            ) {
                set_out(shared, session, &requested.frame_id, &requested.url);
            }
        }
        page::FrameClearedScheduledNavigationEvent::METHOD => {
            let cleared: page::FrameClearedScheduledNavigationEvent = event.parse()?;
            shared.update(|state| state.frames.set_out_no_more(session, &cleared.frame_id));
        }
        page::FrameStartedLoadingEvent::METHOD => {
            let started: page::FrameStartedLoadingEvent = event.parse()?;
            shared.update(|state| {
                state
                    .frames
                    .started_loading(session, &started.frame_id, Instant::now());
            });
        }
        page::FrameStoppedLoadingEvent::METHOD => {
            let stopped: page::FrameStoppedLoadingEvent = event.parse()?;
            shared.update(|state| state.frames.stopped_loading(session, &stopped.frame_id));
        }
        _ => {}
    }
    Ok(())
}

/// Notes that a frame's document has asked for a navigation. One to a script is none.
fn set_out(shared: &PageShared, session: &SessionId, frame_id: &str, url: &str) {
    let is_script = url
        .get(..11)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
    if !is_script {
        shared.update(|state| state.frames.set_out(session, frame_id));
    }
}
