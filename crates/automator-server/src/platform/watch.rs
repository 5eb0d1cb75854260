//! What the server has with each browser as long as it runs: a connection, which tells when it has gone.

use std::time::Duration;

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::protocol::target::{SetDiscoverTargets, TargetCreatedEvent};
use automator_cdp::{Connection, EventType as _, Events, Filter, WebSocketOptions, WebSocketTransport};
use serde_json::Value;

use super::domain_guard::DomainGuard;
use super::{EndCause, Platform};
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
    /// Tells of each target that comes.
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
        let targets = connection.subscribe(Filter::all().methods([TargetCreatedEvent::METHOD]));
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
            note_first_targets(platform, session, &mut targets);
            while let Some(event) = targets.next().await {
                if let Ok(TargetCreatedEvent { target_info }) = event.parse() {
                    platform.note_target(session, target_info.target_id);
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

/// Notes the targets that are there at first, for the order of the tabs. The browser tells them in no order; an empty tab
/// is most likely the one that it began with.
fn note_first_targets(platform: &Platform, session: &str, told: &mut Events) {
    let events = std::iter::from_fn(|| told.try_next());
    let mut targets: Vec<_> = events
        .filter_map(|event| event.parse::<TargetCreatedEvent>().ok())
        .map(|created| created.target_info)
        .collect();
    targets.sort_by_key(|target| target.url != BLANK);
    for target in targets {
        platform.note_target(session, target.target_id);
    }
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
