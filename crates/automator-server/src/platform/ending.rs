//! The end of a session: first in the store, so that it is over whatever comes, then its browser, then its place.

use serde_json::Value;

use super::unwritten::is_about_room;
use super::{EndCause, Platform, PlatformError, Running};
use crate::audit::AuditEvent;
use crate::store::SessionRecord;

impl Platform {
    /// Ends a session. Once the store has it, the rest is done also when nobody waits for it any more.
    pub(super) async fn end(&self, id: &str, cause: EndCause) -> Result<SessionRecord, PlatformError> {
        let (state, reason) = (cause.state(), cause.reason());
        let ended = self
            .change(id, |session, now| {
                session.state = state;
                session.ended_at = Some(now);
                session.end_reason = Some(reason.to_string());
            })
            .await;
        let ended = match ended {
            Ok(ended) => ended,
            Err(PlatformError::Ended { .. }) => {
                return self.look_up_ended(id).await;
            }
            Err(PlatformError::Store(error)) if is_about_room(&error) => {
                match self.keep_end(id, cause.clone()).await? {
                    Some(ended) => {
                        tracing::error!(session = id, %error, "a session has ended, and the store cannot take that");
                        ended
                    }
                    None => return self.look_up_ended(id).await,
                }
            }
            Err(error) => return Err(error),
        };
        self.end_pending(id);
        tracing::info!(session = id, ?state, %reason, "a session has ended");
        self.metrics().end(&cause);
        self.audit().record(AuditEvent::SessionEnded {
            session: id,
            key: &ended.owner,
            cause: cause.name(),
        });
        let running = self.inner.running().remove(id);
        // Whoever waits may be somebody who goes when this is told, as a connection to the browser does.
        let (platform, session) = (self.clone(), ended.clone());
        let finishing = tokio::spawn(async move { platform.finish(&session, running).await });
        if let Err(error) = finishing.await {
            tracing::warn!(session = id, %error, "a session was not ended in whole");
        }
        Ok(ended)
    }

    async fn look_up_ended(&self, id: &str) -> Result<SessionRecord, PlatformError> {
        let session = self.inner.store.session(id).await?;
        session
            .map(|session| self.in_truth(session))
            .ok_or_else(|| PlatformError::NotFound(id.to_owned()))
    }

    async fn finish(&self, session: &SessionRecord, running: Option<Running>) {
        if let Some(running) = &running {
            running.ended.send_replace(session.end_reason.clone());
        }
        self.keep_downloads(&session.id).await;
        if !self.end_saving(session).await
            && let Some(handle) = &session.engine_session
        {
            self.end_browser(handle).await;
        }
        // Its place is free when its browser has gone; the watch goes last, for it may be what ends the session.
        if let Some(watch) = running.and_then(|running| running.watch) {
            watch.abort();
        }
    }

    /// Lets go of all that goes with the process, as its end would: the sessions and their browsers stay.
    pub(crate) fn let_go(&self) {
        let running = std::mem::take(&mut *self.inner.running());
        for watch in running.into_values().filter_map(|live| live.watch) {
            watch.abort();
        }
    }

    pub(super) async fn end_browser(&self, handle: &Value) {
        if let Err(error) = self.inner.engine.end(handle).await {
            tracing::warn!(%error, "a browser could not be ended");
        }
    }
}
