//! Sessions that are being created when the server ends: whoever asked for one is told, and no browser is left.

use std::time::Duration;

use tokio::sync::watch as channel;

use super::{Platform, PlatformError};

/// How long the browser of a session that outlives the server may take to be there.
const GRACE: Duration = Duration::from_secs(5);

/// How long all of them may take to be there or broken off.
const LIMIT: Duration = Duration::from_secs(10);

/// A session that is being created, as long as a clone of this is there.
#[derive(Debug, Clone)]
pub(super) struct UnderWay {
    ending: channel::Receiver<bool>,
}

impl UnderWay {
    /// Whether the server ends.
    pub(super) fn is_server_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Waits until the server ends.
    pub(super) async fn server_ending(&mut self) {
        // The other half cannot go first: it is the platform's, which whoever waits here has.
        let _ = self.ending.wait_for(|ending| *ending).await;
    }

    /// Waits until the server ends and the browser has had its time: none when its session ends with the server.
    pub(super) async fn out_of_time(&mut self, outlives_server: bool) {
        self.server_ending().await;
        if outlives_server {
            tokio::time::sleep(GRACE).await;
        }
    }
}

impl Platform {
    /// Begins to create a session.
    pub(super) fn begin_creating(&self) -> Result<UnderWay, PlatformError> {
        let under_way = UnderWay {
            ending: self.inner.creating.subscribe(),
        };
        if under_way.is_server_ending() {
            return Err(PlatformError::Ending);
        }
        Ok(under_way)
    }

    /// Creates no more sessions, and has those that wait told so.
    pub(crate) fn end_creating(&self) {
        self.inner.creating.send_replace(true);
    }

    /// Waits until what was under way is there or broken off.
    pub(crate) async fn creating_ended(&self) {
        let ended = tokio::time::timeout(LIMIT, self.inner.creating.closed()).await;
        if ended.is_err() {
            tracing::warn!("sessions were still being created when the server ended");
        }
    }
}
