//! What the server has with each browser as long as it runs: a connection, which tells when it has gone.

use std::time::Duration;

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use serde_json::Value;

use super::domain_guard::DomainGuard;
use super::{EndCause, Platform};
use crate::egress::hosts::HostList;

/// How often a browser is asked whether it still answers.
const BEAT: Duration = Duration::from_secs(5);

/// How long it may take to answer.
const SILENCE: Duration = Duration::from_secs(30);

/// A browser that is watched.
#[derive(Debug)]
pub(super) struct Watch {
    connection: Connection,
    guard: Option<DomainGuard>,
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
            connect_timeout: Some(SILENCE),
            ..WebSocketOptions::default()
        };
        let transport = WebSocketTransport::connect(&address, &options).await;
        let connection = Connection::new(transport.map_err(|_| EndCause::BrowserGone)?);
        let guard = match allowed {
            None => None,
            Some(allowed) => {
                let begun = tokio::time::timeout(SILENCE, DomainGuard::begin(&connection, allowed)).await;
                Some(
                    begun
                        .map_err(|_| EndCause::BrowserSilent)?
                        .map_err(|_| EndCause::BrowserGone)?,
                )
            }
        };
        Ok(Self { connection, guard })
    }

    /// Waits until the browser has gone, or answers no more. Gives which.
    pub(super) async fn until_gone(self) -> EndCause {
        let Self { connection, guard } = self;
        let guarding = async {
            match guard {
                Some(guard) => guard.answer().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            reason = beat(&connection) => reason,
            () = guarding => EndCause::BrowserGone,
        }
    }
}

async fn beat(connection: &Connection) -> EndCause {
    loop {
        tokio::select! {
            _ = connection.closed() => return EndCause::BrowserGone,
            () = tokio::time::sleep(BEAT) => {}
        }
        let answer = connection.root().send(&GetVersion {});
        match tokio::time::timeout(SILENCE, answer).await {
            Ok(Ok(_)) => {}
            Ok(Err(_)) => return EndCause::BrowserGone,
            Err(_) => return EndCause::BrowserSilent,
        }
    }
}
