//! What the server has with each browser as long as it runs: a connection, which tells when it has gone, and what
//! targets come. One with a page of the browser's own is closed.

use std::time::Duration;

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::protocol::target::{
    CloseTarget, SetDiscoverTargets, TargetCreatedEvent, TargetInfo, TargetInfoChangedEvent,
};
use automator_cdp::{
    Connection, Event, EventType as _, Events, Filter, WebSocketOptions, WebSocketTransport,
};
use serde_json::Value;

use super::domain_guard::DomainGuard;
use super::{EndCause, Platform};
use crate::cdp::is_of_the_browser;
use crate::egress::hosts::HostList;
use crate::options::PlatformOptions;

/// How long a browser may take to be connected to.
const CONNECTING: Duration = Duration::from_secs(30);

/// The address of an empty tab.
const BLANK: &str = "about:blank";

/// A browser that is watched.
#[derive(Debug)]
pub(super) struct Watch {
    connection: Connection,
    guard: Option<DomainGuard>,
    /// Tells of each target that comes, and of each that changes.
    targets: Events,
}

impl Watch {
    /// Connects to a browser. What its session allows holds from now on, as long as this is there and
    /// [runs](Self::until_gone).
    pub(super) async fn begin(
        platform: &Platform,
        handle: &Value,
        allowed: Option<HostList>,
    ) -> Result<Self, EndCause> {
        let address = platform
            .inner
            .engine
            .address(handle)
            .await
            .map_err(|_| EndCause::BrowserGone)?;
        let options = WebSocketOptions {
            connect_timeout: Some(CONNECTING),
            ..WebSocketOptions::default()
        };
        let transport = WebSocketTransport::connect(&address, &options).await;
        let connection = Connection::new(transport.map_err(|_| EndCause::BrowserGone)?);
        let guard = match allowed {
            None => None,
            Some(allowed) => {
                let begun = tokio::time::timeout(CONNECTING, DomainGuard::begin(&connection, allowed)).await;
                Some(
                    begun
                        .map_err(|_| EndCause::BrowserSilent)?
                        .map_err(|_| EndCause::BrowserGone)?,
                )
            }
        };
        let targets = connection
            .subscribe(Filter::all().methods([TargetCreatedEvent::METHOD, TargetInfoChangedEvent::METHOD]));
        let discovering = connection.root().send(&SetDiscoverTargets {
            discover: true,
            filter: None,
        });
        tokio::time::timeout(CONNECTING, discovering)
            .await
            .map_err(|_| EndCause::BrowserSilent)?
            .map_err(|_| EndCause::BrowserGone)?;
        Ok(Self {
            connection,
            guard,
            targets,
        })
    }

    /// Waits until the browser has gone, or answers no more. Gives which.
    pub(super) async fn until_gone(self, platform: &Platform, session: &str) -> EndCause {
        let Self {
            connection,
            guard,
            mut targets,
        } = self;
        let guarding = async {
            match guard {
                Some(guard) => guard.answer().await,
                None => std::future::pending().await,
            }
        };
        let noting = async {
            for target in first_targets(&mut targets) {
                if !close_own(&connection, session, &target) {
                    platform.note_target(session, target.target_id);
                }
            }
            while let Some(event) = targets.next().await {
                let Some(target) = target_of(&event) else { continue };
                let is_new = event.method() == TargetCreatedEvent::METHOD;
                if !close_own(&connection, session, &target) && is_new {
                    platform.note_target(session, target.target_id);
                }
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            cause = beat(&connection, &platform.inner.options) => cause,
            () = guarding => EndCause::BrowserGone,
            () = noting => EndCause::BrowserGone,
        }
    }
}

/// The targets that are there at first, for the order of the tabs. The browser tells them in no order; an empty tab is
/// most likely the one that it began with.
fn first_targets(told: &mut Events) -> Vec<TargetInfo> {
    let events = std::iter::from_fn(|| told.try_next());
    let mut targets: Vec<_> = events.filter_map(|event| target_of(&event)).collect();
    targets.sort_by_key(|target| target.url != BLANK);
    targets
}

/// The target that an event tells of, whether it is new or another than before: both have the same members.
fn target_of(event: &Event) -> Option<TargetInfo> {
    event
        .parse::<TargetCreatedEvent>()
        .ok()
        .map(|told| told.target_info)
}

/// Closes a target with a page of the browser's own. Gives whether it is one.
fn close_own(connection: &Connection, session: &str, target: &TargetInfo) -> bool {
    let is_own = is_of_the_browser(&target.url);
    if is_own {
        tracing::warn!(
            session,
            url = target.url,
            "a page of the browser's own was opened, and is closed"
        );
        let target_id = target.target_id.clone();
        drop(connection.root().send(&CloseTarget { target_id }));
    }
    is_own
}

async fn beat(connection: &Connection, options: &PlatformOptions) -> EndCause {
    loop {
        tokio::select! {
            _ = connection.closed() => return EndCause::BrowserGone,
            () = tokio::time::sleep(options.beat) => {}
        }
        let answer = connection.root().send(&GetVersion {});
        match tokio::time::timeout(options.silence, answer).await {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return EndCause::BrowserGone,
            Err(_) => return EndCause::BrowserSilent,
        }
    }
}
