//! Looking at sessions: the addresses of their pages, and the way to their browsers.
//!
//! Who looks on is not connected in the sense of a session's lifetime: a window that somebody has left open keeps no
//! browser.

use std::time::Duration;

use tokio::sync::watch;

use super::news::Seat;
use super::{Platform, PlatformError};
use crate::store::{SessionRecord, Timestamp};
use crate::token::{Purpose, expiry_of};

/// The longest life of an address that lets its bearer control a browser.
pub(crate) const LONGEST_CONTROL: Duration = Duration::from_secs(21_600);

/// What a token has opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opened {
    /// Whether its bearer may use the mouse and the keyboard.
    pub(crate) control: bool,
    /// How long it is good.
    pub(crate) left: Duration,
}

/// A browser that somebody looks at.
#[derive(Debug)]
pub(crate) struct Watched {
    /// The WebSocket address of the browser.
    pub(crate) address: String,
    /// Tells why the session has ended, once it has.
    pub(crate) ended: watch::Receiver<Option<String>>,
    /// What was and is done in the session.
    pub(crate) seat: Seat,
}

impl Platform {
    /// What a token opens that lets its bearer look at a session.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] for a token that does not, [`PlatformError::Store`].
    pub(crate) async fn open(&self, token: &str, id: &str) -> Result<Opened, PlatformError> {
        let purpose = self.check_token(token, id, Purpose::View).await?;
        let now = self.inner.store.now().await?;
        let until = expiry_of(token).unwrap_or(0).saturating_mul(1000);
        let left = u64::try_from(until - now).unwrap_or_default();
        Ok(Opened {
            control: purpose == Purpose::Control,
            left: Duration::from_millis(left),
        })
    }

    /// A session, whoever's it is, and how long it goes on at most: for those whom a token has let in.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Store`].
    pub(crate) async fn look_up(&self, id: &str) -> Result<(SessionRecord, Duration), PlatformError> {
        let session = self.inner.store.session(id).await?;
        let session = session.ok_or_else(|| PlatformError::NotFound(id.to_owned()))?;
        let session = self.in_truth(session);
        let left = time_left(&session, self.inner.store.now().await?);
        Ok((session, left))
    }

    /// The way to the browser of a session, for somebody who looks on. It does not count as a connection.
    ///
    /// # Errors
    /// [`PlatformError::Ended`], also for one whose browser does not run yet; [`PlatformError::Crowded`],
    /// [`PlatformError::Engine`].
    pub(crate) async fn watch_browser(&self, session: &SessionRecord) -> Result<Watched, PlatformError> {
        let ended = |reason: &str| PlatformError::Ended {
            id: session.id.clone(),
            reason: reason.to_owned(),
        };
        if session.state.is_final() {
            return Err(ended(session.end_reason.as_deref().unwrap_or_default()));
        }
        let handle = session.engine_session.as_ref();
        let handle = handle.ok_or_else(|| ended("it does not run yet"))?;
        let address = self.inner.engine.address(handle).await?;
        let running = self.inner.running();
        let live = running
            .get(&session.id)
            .ok_or_else(|| ended("it has just ended"))?;
        let seat = live.audience.sit_down();
        Ok(Watched {
            address,
            ended: live.ended.subscribe(),
            seat: seat.ok_or_else(|| PlatformError::Crowded(session.id.clone()))?,
        })
    }

    /// The address of a session's page, for somebody who only looks on; good until the session's time is over.
    #[must_use]
    pub fn view_url(&self, session: &SessionRecord) -> String {
        let until = session.expires_at.div_euclid(1000) + 1;
        self.page_url(session, Purpose::View, until)
    }

    /// The address of a session's page, for somebody who may use the mouse and the keyboard, too; good for so long, but
    /// no longer than the session.
    ///
    /// # Errors
    /// [`PlatformError::Store`].
    pub(crate) async fn control_url(
        &self,
        session: &SessionRecord,
        life: Option<Duration>,
    ) -> Result<String, PlatformError> {
        let now = self.inner.store.now().await?;
        let until = control_expiry(session, now, life);
        Ok(self.page_url(session, Purpose::Control, until))
    }

    fn page_url(&self, session: &SessionRecord, purpose: Purpose, until: i64) -> String {
        let token = self.inner.signer.sign(&session.id, purpose, until);
        let base = &self.inner.options.public_url;
        format!("{base}/sessions/{}?token={token}", session.id)
    }
}

/// How long a session goes on at most.
fn time_left(session: &SessionRecord, now: Timestamp) -> Duration {
    let left = session.expires_at.saturating_sub(now);
    let left = if session.state.is_final() { 0 } else { left };
    Duration::from_millis(u64::try_from(left).unwrap_or_default())
}

/// Until when, in seconds since 1970, an address lets its bearer control a session's browser.
fn control_expiry(session: &SessionRecord, now: Timestamp, life: Option<Duration>) -> i64 {
    let life = life.unwrap_or(LONGEST_CONTROL).min(LONGEST_CONTROL);
    let life = i64::try_from(life.as_millis()).unwrap_or(i64::MAX);
    let until = now.saturating_add(life).min(session.expires_at);
    until.div_euclid(1000) + 1
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::store::SessionState;

    const NOW: Timestamp = 1_000_000;

    fn session(state: SessionState, expires_at: Timestamp) -> SessionRecord {
        SessionRecord {
            id: "s".to_owned(),
            owner: "ann".to_owned(),
            state,
            version: 1,
            created_at: NOW,
            started_at: None,
            updated_at: NOW,
            expires_at,
            ended_at: None,
            last_used_at: NOW,
            left_at: None,
            keep_alive: true,
            region: "local".to_owned(),
            engine_session: None,
            user_metadata: Map::new(),
            settings: Map::new(),
            end_reason: None,
        }
    }

    #[test]
    fn control_ends_when_it_was_asked_to_and_never_after_the_session_or_six_hours() {
        let hour = session(SessionState::Running, NOW + 3_600_000);
        let minute = Some(Duration::from_secs(60));
        assert_eq!(control_expiry(&hour, NOW, minute), 1_061);
        assert_eq!(control_expiry(&hour, NOW, None), 4_601);
        assert_eq!(control_expiry(&hour, NOW, Some(LONGEST_CONTROL)), 4_601);
        let day = session(SessionState::Running, NOW + 86_400_000);
        assert_eq!(control_expiry(&day, NOW, None), 1_000 + 21_600 + 1);
        let week = Some(Duration::from_secs(604_800));
        assert_eq!(control_expiry(&day, NOW, week), 1_000 + 21_600 + 1);
    }

    #[test]
    fn no_time_is_left_of_a_session_that_has_ended() {
        let left = |state, expires| time_left(&session(state, expires), NOW).as_millis();
        assert_eq!(left(SessionState::Running, NOW + 5_000), 5_000);
        assert_eq!(left(SessionState::Running, NOW - 5_000), 0);
        assert_eq!(left(SessionState::Completed, NOW + 5_000), 0);
    }
}
