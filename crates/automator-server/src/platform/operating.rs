//! What operations beside the browser need of the platform.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::unwritten::is_about_room;
use super::{Inner, Platform, PlatformError};
use crate::files::SessionFiles;
use crate::store::{OperationRecord, SessionRecord, SessionState, Timestamp};

/// Where a session's settings for operations are among its settings.
const MEMBER: &str = "operations";

/// How long a use of a session is recent, in milliseconds.
const RECENT: Timestamp = 1000;

/// An operation that is under way. As long as this is held, somebody uses the session.
#[derive(Debug)]
pub struct Operating {
    platform: Platform,
    session: String,
    /// The WebSocket address of the browser.
    pub address: String,
    /// Tells whether programs are connected with the browser.
    pub connected: Connected,
    /// The folder with the files that were uploaded to the session, if it can have some.
    pub uploads: Option<PathBuf>,
    /// Tells why the session has ended, once it has.
    pub ended: watch::Receiver<Option<String>>,
}

/// Tells whether programs are connected with the browser of a session. It keeps nothing alive.
#[derive(Debug, Clone)]
pub struct Connected {
    platform: Weak<Inner>,
    session: String,
}

impl Connected {
    /// Whether one is, now.
    #[must_use]
    pub fn is_any(&self) -> bool {
        let Some(platform) = self.platform.upgrade() else {
            return false;
        };
        let running = platform.running();
        running.get(&self.session).is_some_and(|live| live.sockets > 0)
    }
}

impl Platform {
    /// Notes how operations of a session are to be done. They hold for whatever process does them.
    ///
    /// # Errors
    /// [`PlatformError::Ended`], [`PlatformError::NotFound`], [`PlatformError::Store`].
    pub async fn set_operation_settings(
        &self,
        id: &str,
        settings: &Map<String, Value>,
    ) -> Result<SessionRecord, PlatformError> {
        self.change(id, |session, now| {
            session.last_used_at = now;
            session
                .settings
                .insert(MEMBER.to_owned(), Value::Object(settings.clone()));
        })
        .await
    }

    /// Begins an operation in a session of this owner.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], also for a session of another owner; [`PlatformError::Ended`], also for one whose
    /// browser does not run yet.
    pub async fn operate(&self, owner: &str, id: &str) -> Result<(Operating, SessionRecord), PlatformError> {
        let record = self.session(owner, id).await?;
        let ended = |reason: Option<String>| PlatformError::Ended {
            id: id.to_owned(),
            reason: reason.unwrap_or_else(|| "it does not run yet".to_owned()),
        };
        let (Some(handle), SessionState::Running) = (&record.engine_session, record.state) else {
            return Err(ended(record.end_reason));
        };
        let address = self.inner.engine.address(handle).await?;
        let told = {
            let mut running = self.inner.running();
            let live = running
                .get_mut(id)
                .ok_or_else(|| ended(Some("it has just ended".to_owned())))?;
            live.operations += 1;
            live.ended.subscribe()
        };
        let operating = Operating {
            platform: self.clone(),
            session: id.to_owned(),
            address,
            connected: self.connected(id),
            uploads: self
                .running_files(id)
                .ok()
                .map(|files| files.folder(SessionFiles::UPLOADS)),
            ended: told,
        };
        let record = match self.touch(id).await {
            Err(PlatformError::Store(error)) if is_about_room(&error) => {
                tracing::warn!(session = id, %error, "the use of a session could not be stored");
                record
            }
            touched => touched?,
        };
        Ok((operating, record))
    }

    /// Notes that a session is used now. What was noted within the last second is good enough, so that calls at the same
    /// time do not contend for the record.
    async fn touch(&self, id: &str) -> Result<SessionRecord, PlatformError> {
        self.change_if(id, |session, now| {
            let is_old = now - session.last_used_at >= RECENT;
            session.last_used_at = now;
            is_old
        })
        .await
    }

    /// Tells whether programs are connected with the browser of a session.
    #[must_use]
    pub fn connected(&self, session: &str) -> Connected {
        Connected {
            platform: Arc::downgrade(&self.inner),
            session: session.to_owned(),
        }
    }

    /// The time, by the store.
    ///
    /// # Errors
    /// [`PlatformError::Store`].
    pub async fn now(&self) -> Result<Timestamp, PlatformError> {
        Ok(self.inner.store.now().await?)
    }

    /// Keeps what was done.
    ///
    /// # Errors
    /// [`PlatformError::Store`].
    pub async fn record_operation(&self, operation: &OperationRecord) -> Result<(), PlatformError> {
        Ok(self.inner.store.add_operation(operation).await?)
    }

    /// What was done in a session of this owner, the oldest first.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Store`].
    pub async fn operations(&self, owner: &str, id: &str) -> Result<Vec<OperationRecord>, PlatformError> {
        self.session(owner, id).await?;
        Ok(self.inner.store.operations(id).await?)
    }
}

/// How operations of a session are to be done; empty when nothing was said.
#[must_use]
pub fn operation_settings(session: &SessionRecord) -> Map<String, Value> {
    match session.settings.get(MEMBER) {
        Some(Value::Object(settings)) => settings.clone(),
        _ => Map::new(),
    }
}

impl Drop for Operating {
    fn drop(&mut self) {
        if let Some(live) = self.platform.inner.running().get_mut(&self.session) {
            live.operations -= 1;
        }
        let (platform, session) = (self.platform.clone(), self.session.clone());
        tokio::spawn(async move {
            match platform.touch(&session).await {
                Ok(_) | Err(PlatformError::Ended { .. }) => {}
                Err(error) => tracing::warn!(session, %error, "the use of a session could not be stored"),
            }
        });
    }
}
