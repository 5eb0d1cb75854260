//! Ends of sessions that the store could not take, as when its disk is full.
//!
//! A session is over all the same: its browser goes and its place is free. The store is told as soon as it can be. If
//! the process goes before, the next one finds a session without a browser, and ends it.

use std::collections::HashMap;

use super::{EndCause, Platform, PlatformError};
use crate::store::{SessionRecord, StoreError, Timestamp};

/// The ends by the ids of their sessions.
pub(super) type Unwritten = HashMap<String, UnwrittenEnd>;

/// An end that the store does not know of.
#[derive(Debug, Clone)]
pub(super) struct UnwrittenEnd {
    cause: EndCause,
    at: Timestamp,
}

impl UnwrittenEnd {
    /// Writes it into a record.
    pub(super) fn apply(&self, session: &mut SessionRecord) {
        session.state = self.cause.state();
        session.ended_at = Some(self.at);
        session.end_reason = Some(self.cause.reason().into_owned());
    }
}

impl Platform {
    /// Keeps an end that the store does not take now. Gives the session as it is then, or nothing if it was kept before.
    pub(super) async fn keep_end(
        &self,
        id: &str,
        cause: EndCause,
    ) -> Result<Option<SessionRecord>, PlatformError> {
        let at = self.inner.store.now().await?;
        let session = self.inner.store.session(id).await?;
        let mut session = session.ok_or_else(|| PlatformError::NotFound(id.to_owned()))?;
        let end = UnwrittenEnd { cause, at };
        end.apply(&mut session);
        let before = self.inner.unwritten().insert(id.to_owned(), end.clone());
        if let Some(before) = before {
            // The first one is the one that counts.
            self.inner.unwritten().insert(id.to_owned(), before);
            return Ok(None);
        }
        Ok(Some(session))
    }

    /// A record as it is in truth, whatever the store has.
    pub(super) fn in_truth(&self, mut session: SessionRecord) -> SessionRecord {
        if !session.state.is_final()
            && let Some(end) = self.inner.unwritten().get(&session.id)
        {
            end.apply(&mut session);
        }
        session
    }

    /// Tells the store what it could not take before.
    pub(super) async fn write_ends(&self) {
        let unwritten = self.inner.unwritten().clone();
        for (id, end) in unwritten {
            let written = self.change(&id, |session, _| end.apply(session)).await;
            match written {
                Err(PlatformError::Store(error)) if is_about_room(&error) => return,
                Ok(_) | Err(PlatformError::Ended { .. } | PlatformError::NotFound(_)) => {
                    self.inner.unwritten().remove(&id);
                }
                Err(error) => {
                    tracing::warn!(session = id, %error, "the end of a session could not be stored");
                }
            }
        }
    }

    /// Changes what is only good to know of a session. A store that does not take it now holds nobody up.
    pub(super) async fn note(
        &self,
        id: &str,
        change: impl Fn(&mut SessionRecord, Timestamp),
    ) -> Result<(), PlatformError> {
        match self.change(id, change).await {
            Ok(_) => Ok(()),
            Err(PlatformError::Store(error)) if is_about_room(&error) => {
                tracing::warn!(session = id, %error, "the use of a session could not be stored");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether the store works, and only cannot take more.
pub(super) fn is_about_room(error: &StoreError) -> bool {
    matches!(error, StoreError::Full(_))
}
