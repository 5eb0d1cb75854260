//! Looking after sessions: their browsers, their time, and those that an earlier process has left.

use std::collections::HashSet;

use serde_json::Value;

use super::browser_proxy::{noted_carried, noted_port};
use super::lifetime::is_over;
use super::watch::Watch;
use super::{EndCause, Platform, PlatformError, Running};
use crate::egress::proxy::EgressProxy;
use crate::parameters::CreateParameters;
use crate::store::{SessionFilter, SessionRecord, Timestamp};

/// In how many rounds old sessions are forgotten once: every minute, as rounds are.
const ROUNDS_BETWEEN_FORGETTING: u64 = 60;

impl Platform {
    /// Goes on with the sessions that an earlier process has left, and ends what belongs to none. Those without
    /// `keepAlive` end after the grace, unless somebody connects again.
    ///
    /// # Errors
    /// [`PlatformError::Store`], [`PlatformError::Engine`].
    pub async fn adopt(&self) -> Result<(), PlatformError> {
        let living = self.living().await?;
        let mut known = HashSet::new();
        for session in living {
            match &session.engine_session {
                Some(handle) if self.inner.engine.is_alive(handle).await? => {
                    known.insert(session.id.clone());
                    self.take_over(&session, handle.clone()).await?;
                }
                _ => {
                    self.end(&session.id, EndCause::NotAdopted).await?;
                }
            }
        }
        for browser in self.inner.engine.list().await? {
            if !known.contains(&browser.session) {
                tracing::info!(
                    session = browser.session,
                    "ending a browser that belongs to no session"
                );
                self.end_browser(&browser.handle).await;
            }
        }
        Ok(())
    }

    /// Looks after all sessions until the future is dropped.
    pub async fn look_after(&self) {
        let mut clock = tokio::time::interval(self.inner.options.round);
        clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        for round in 0_u64.. {
            clock.tick().await;
            if round.is_multiple_of(ROUNDS_BETWEEN_FORGETTING) {
                self.forget().await;
            }
            if let Err(error) = self.round().await {
                tracing::warn!(%error, "sessions could not be looked after");
            }
        }
    }

    /// Ends the sessions whose time is over.
    async fn round(&self) -> Result<(), PlatformError> {
        let now = self.inner.store.now().await?;
        self.write_ends().await;
        self.remove_old_downloads(now).await?;
        for session in self.living().await? {
            if let Some(cause) = self.is_over(&session, now) {
                // They end side by side, or one that takes its time would hold up the others.
                let platform = self.clone();
                tokio::spawn(async move {
                    if let Err(error) = platform.end(&session.id, cause).await {
                        tracing::warn!(session = session.id, %error, "a session could not be ended");
                    }
                });
            }
        }
        Ok(())
    }

    fn is_over(&self, session: &SessionRecord, now: Timestamp) -> Option<EndCause> {
        let running = self.inner.running();
        let users = running
            .get(&session.id)
            .map_or(0, |live| live.sockets + live.operations);
        is_over(session, users, now, &self.inner.options)
    }

    /// Ends the sessions that do not go on without a connection, for a server that ends.
    pub(crate) async fn end_unkept(&self) {
        let living = match self.living().await {
            Ok(living) => living,
            Err(error) => return tracing::warn!(%error, "sessions could not be ended"),
        };
        let unkept = living.into_iter().filter(|session| !session.keep_alive);
        let ending = unkept.map(|session| async move {
            if let Err(error) = self.end(&session.id, EndCause::ServerEnded).await {
                tracing::warn!(session = session.id, %error, "a session could not be ended");
            }
        });
        futures_util::future::join_all(ending).await;
    }

    pub(super) async fn living(&self) -> Result<Vec<SessionRecord>, PlatformError> {
        let filter = SessionFilter {
            only_living: true,
            ..SessionFilter::default()
        };
        let sessions = self.inner.store.sessions(&filter).await?.into_iter();
        Ok(sessions
            .map(|session| self.in_truth(session))
            .filter(|session| !session.state.is_final())
            .collect())
    }

    async fn take_over(&self, session: &SessionRecord, handle: Value) -> Result<(), PlatformError> {
        let secret = self.inner.store.session_secret(&session.id).await?;
        let secret = secret.map(|sealed| self.inner.sealer.open(&session.id, &sealed));
        let parameters = match secret.transpose() {
            Ok(secret) => CreateParameters::of_stored(&session.settings, secret.as_deref())
                .map_err(|error| error.to_string()),
            Err(error) => Err(format!("the passwords of its proxies: {error}")),
        };
        let resumed = match parameters {
            Ok(parameters) => self.resume(session, &handle, &parameters).await,
            Err(error) => Err(format!("how it was set up cannot be read: {error}")),
        };
        let (watch, running) = match resumed {
            Ok(resumed) => resumed,
            Err(reason) => {
                tracing::warn!(session = session.id, reason, "a session cannot be gone on with");
                self.end(&session.id, EndCause::NotResumed(reason)).await?;
                return Ok(());
            }
        };
        self.inner.running().insert(session.id.clone(), running);
        self.note(&session.id, |session, now| {
            session.left_at = Some(now);
            session.last_used_at = now;
        })
        .await?;
        self.watch(&session.id, watch);
        Ok(())
    }

    /// Makes all again that went with the earlier process. The error is a reason in words.
    async fn resume(
        &self,
        session: &SessionRecord,
        handle: &Value,
        parameters: &CreateParameters,
    ) -> Result<(Watch, Running), String> {
        // First, or the browser could reach what its session does not allow for a moment.
        let watch = Watch::begin(self, handle, parameters.allowed_domains.clone())
            .await
            .map_err(|cause| cause.reason().into_owned())?;
        let port = noted_port(&session.settings).ok_or("its browser's way to the network is unknown")?;
        let proxy: EgressProxy = self
            .start_proxy(Some(port), parameters)
            .await
            .map_err(|error| format!("its browser's way to the network is gone: {error}"))?;
        let slot = self.inner.slots.occupy(&session.owner);
        let rules = self.rules(&session.id, parameters);
        let carried_before = noted_carried(&session.settings);
        Ok((watch, Running::new(slot, proxy, carried_before, rules)))
    }

    /// Watches a browser, and ends its session when it has gone or answers no more.
    pub(super) fn watch(&self, session: &str, watch: Watch) {
        let (platform, id) = (self.clone(), session.to_owned());
        let task = tokio::spawn(async move {
            let cause = watch.until_gone(&platform, &id).await;
            // In a task of its own, for the end of the session takes this one away.
            tokio::spawn(async move {
                if let Err(error) = platform.end(&id, cause).await {
                    tracing::warn!(session = id, %error, "a session could not be ended");
                }
            });
        });
        match self.inner.running().get_mut(session) {
            Some(live) => live.watch = Some(task.abort_handle()),
            None => task.abort(),
        }
    }
}
