//! Keeps the pages of a session on the domains that it allows.
//!
//! The browser is asked to hold every request for a document until it is told what becomes of it, on a connection of the
//! server's own. So it holds however a page comes to go somewhere: an address that a client goes to, a link, a script, a
//! form, each step of a redirect, a page that opens another. Requests for anything else, and those of frames inside of
//! pages, go on: only what a page itself shows is restricted. It costs a round trip for each document, and nothing for
//! sessions that allow all domains.
//!
//! A page that is not let go stays where it is. A client that answers requests itself (`Fetch.fulfillRequest`) can still
//! show what it likes under any address; it cannot fetch it from there as a page.

use automator_cdp::protocol::fetch::{
    ContinueRequest, Enable, FailRequest, RequestPattern, RequestPausedEvent,
};
use automator_cdp::protocol::network::{error_reason, resource_type};
use automator_cdp::protocol::target::GetTargetInfo;
use automator_cdp::{CdpError, Connection, Event, EventType as _, Events, Session};

use crate::egress::hosts::HostList;

/// The type of targets that are frames inside of a page.
const FRAME: &str = "iframe";

/// Decides about the documents of a browser.
#[derive(Debug)]
pub(super) struct DomainGuard {
    browser: Session,
    held: Events,
    allowed: HostList,
}

impl DomainGuard {
    /// Has the browser ask before it fetches a document, from now on and as long as the connection is there. Somebody
    /// has to [answer](Self::answer) then.
    pub(super) async fn begin(connection: &Connection, allowed: HostList) -> Result<Self, CdpError> {
        let browser = connection.root();
        let held = browser.subscribe([RequestPausedEvent::METHOD]);
        let documents = RequestPattern {
            url_pattern: Some("*".to_owned()),
            resource_type: Some(resource_type::DOCUMENT.to_owned()),
            request_stage: None,
        };
        let enable = Enable {
            patterns: Some(vec![documents]),
            handle_auth_requests: None,
        };
        browser.send(&enable).await?;
        Ok(Self {
            browser,
            held,
            allowed,
        })
    }

    /// Answers what the browser asks until it has gone.
    pub(super) async fn answer(mut self) {
        while let Some(event) = self.held.next().await {
            self.decide(&event).await;
        }
    }

    async fn decide(&self, event: &Event) {
        let Ok(paused) = event.parse::<RequestPausedEvent>() else {
            // It stays where it is, for nobody knows where it would go to.
            return tracing::warn!("a request that the browser holds cannot be read");
        };
        let request_id = paused.request_id;
        if self.allowed.allows(&paused.request.url) || !self.is_page(&paused.frame_id).await {
            drop(self.browser.send(&ContinueRequest {
                request_id,
                ..ContinueRequest::default()
            }));
            return;
        }
        // Without the address, which may hold what was typed into a form.
        tracing::info!("a page was not let go to a domain that its session does not allow");
        // As if the user had stopped it: any other way shows a page of the browser's own.
        drop(self.browser.send(&FailRequest {
            request_id,
            error_reason: error_reason::ABORTED.to_owned(),
        }));
    }

    /// Whether a frame is that of a whole page. A page is a target under the id of its frame; a frame inside of one is
    /// a target of another type, or none.
    async fn is_page(&self, frame_id: &str) -> bool {
        let asked = GetTargetInfo {
            target_id: Some(frame_id.to_owned()),
        };
        match self.browser.send(&asked).await {
            Ok(reply) => reply.target_info.r#type != FRAME,
            Err(CdpError::Protocol { .. }) => false,
            Err(_) => true,
        }
    }
}
