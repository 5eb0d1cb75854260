//! Creating a session: a place, a record, a browser.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::oneshot;

use super::browser_proxy::note_port;
use super::pending::Pending;
use super::under_way::UnderWay;
use super::watch::Watch;
use super::{EndCause, Platform, PlatformError, Running};
use crate::audit::AuditEvent;
use crate::engine::{BrowserSettings, EngineError};
use crate::metrics::Creation;
use crate::parameters::{CreateParameters, ParameterError};
use crate::slots::{Slot, Waiting};
use crate::store::{Created, Idempotency, SessionRecord, SessionState};

/// How often the start of a browser is broken off, until it is.
const ROUND: Duration = Duration::from_millis(100);

impl Platform {
    /// Creates a session, and waits until its browser runs. Dropping the future gives it up: it leaves the queue, and a
    /// browser that was being started is ended.
    ///
    /// The same request under the same idempotency key gives the session that was created first, as it is now.
    ///
    /// # Errors
    /// [`PlatformError::Parameter`], [`PlatformError::Full`], [`PlatformError::OtherRequest`],
    /// [`PlatformError::Engine`], [`PlatformError::Store`]; [`PlatformError::Ended`] when it was ended meanwhile;
    /// [`PlatformError::Ending`].
    pub async fn create(
        &self,
        owner: &str,
        parameters: &CreateParameters,
        idempotency: Option<&Idempotency>,
    ) -> Result<SessionRecord, PlatformError> {
        let under_way = self.begin_creating()?;
        self.check_region(parameters)?;
        self.check_context(owner, parameters).await?;
        let waiting = self
            .inner
            .slots
            .ask(owner)
            .inspect_err(|_| self.metrics().creation(Creation::QueueFull))?;
        let record = self.record(owner, parameters).await?;
        let pending = self.begin_pending(&record.id);
        match self.inner.store.create_session(&record, idempotency).await? {
            Created::New => self.audit().record(AuditEvent::SessionCreated {
                session: &record.id,
                key: owner,
            }),
            Created::Before(session) => return Ok(*session),
            Created::OtherRequest => return Err(PlatformError::OtherRequest),
        }
        if let Err(error) = self.prepare(&record.id, parameters).await {
            self.end(&record.id, EndCause::NotStarted(error.to_string()))
                .await?;
            return Err(error);
        }
        let (tell, told) = oneshot::channel();
        let starting = Starting {
            platform: self.clone(),
            parameters: parameters.clone(),
            id: record.id,
            under_way: under_way.clone(),
        };
        // In a task of its own, so that it is brought to an end also when nobody waits for it any more.
        tokio::spawn(starting.run(waiting, pending, tell));
        match told.await {
            Ok(Ok(record)) => Ok(record),
            Ok(Err(error)) if !under_way.is_server_ending() => Err(error),
            _ => Err(PlatformError::Ending),
        }
    }

    /// Does what has to be there before its browser.
    async fn prepare(&self, id: &str, parameters: &CreateParameters) -> Result<(), PlatformError> {
        self.claim_context(id, parameters).await?;
        if let Some(secret) = parameters.secret() {
            let sealed = self.inner.sealer.seal(id, &secret).map_err(|error| {
                let problem = format!("the passwords of its proxies cannot be sealed: {error}");
                EngineError::Failed(problem)
            })?;
            self.inner.store.set_session_secret(id, &sealed).await?;
        }
        Ok(())
    }

    fn check_region(&self, parameters: &CreateParameters) -> Result<(), ParameterError> {
        let ours = &self.inner.options.region;
        match &parameters.region {
            Some(region) if region != ours => Err(ParameterError {
                path: "region".to_owned(),
                problem: format!("this server has no `{region}`, only `{ours}`"),
            }),
            _ => Ok(()),
        }
    }

    async fn record(
        &self,
        owner: &str,
        parameters: &CreateParameters,
    ) -> Result<SessionRecord, PlatformError> {
        let now = self.inner.store.now().await?;
        let lifetime = i64::try_from(parameters.timeout).unwrap_or(i64::MAX);
        Ok(SessionRecord {
            id: uuid::Uuid::new_v4().to_string(),
            owner: owner.to_owned(),
            state: SessionState::Pending,
            version: 0,
            created_at: now,
            started_at: None,
            updated_at: now,
            expires_at: now.saturating_add(lifetime.saturating_mul(1000)),
            ended_at: None,
            last_used_at: now,
            left_at: None,
            keep_alive: parameters.keep_alive,
            region: self.inner.options.region.clone(),
            engine_session: None,
            user_metadata: parameters.user_metadata.clone(),
            settings: parameters.settings(),
            end_reason: None,
        })
    }
}

/// A session on its way to a browser.
struct Starting {
    platform: Platform,
    parameters: CreateParameters,
    id: String,
    under_way: UnderWay,
}

impl Starting {
    async fn run(
        mut self,
        waiting: Waiting,
        mut pending: Pending,
        mut tell: oneshot::Sender<Result<SessionRecord, PlatformError>>,
    ) {
        let platform = self.platform.clone();
        let metrics = platform.metrics();
        let asked = Instant::now();
        let slot = tokio::select! {
            slot = waiting => slot,
            () = tell.closed() => {
                metrics.creation(Creation::NotStarted);
                return self.give_up().await;
            }
            () = pending.ended() => {
                metrics.creation(Creation::NotStarted);
                // Whoever asked for it may have gone.
                let _ = tell.send(Err(self.ended().await));
                return;
            }
            () = self.under_way.server_ending() => {
                metrics.creation(Creation::NotStarted);
                self.end(EndCause::ServerEnded).await;
                let _ = tell.send(Err(PlatformError::Ending));
                return;
            }
        };
        drop(pending);
        metrics.waited(asked.elapsed());
        let started = self.start(slot).await;
        metrics.creation(match &started {
            Ok(_) => Creation::Started,
            Err(_) => Creation::NotStarted,
        });
        if tell.send(started).is_err() {
            self.give_up().await;
        }
    }

    /// Starts the browser, and says so in the store.
    async fn start(&self, slot: Slot) -> Result<SessionRecord, PlatformError> {
        let inner = &self.platform.inner;
        let proxy = match self.platform.start_proxy(None, &self.parameters).await {
            Ok(proxy) => proxy,
            Err(error) => {
                let problem = format!("its proxy cannot listen: {error}");
                return Err(self.fail(EngineError::Start(problem)).await);
            }
        };
        let address = proxy.address();
        let handle = match self.browser(address).await {
            Ok(handle) => handle,
            Err(error) => {
                let cause = if self.under_way.is_server_ending() {
                    EndCause::ServerEnded
                } else {
                    EndCause::NotStarted(error.to_string())
                };
                self.end(cause).await;
                return Err(error);
            }
        };
        let allowed = self.parameters.allowed_domains.clone();
        let watch = match Watch::begin(&self.platform, &handle, allowed).await {
            Ok(watch) => watch,
            Err(cause) => {
                self.platform.end_browser(&handle).await;
                return Err(self.fail(EngineError::Start(cause.reason().into_owned())).await);
            }
        };
        // Before it is told to anybody, so that whoever ends it finds its place.
        let running = Running::new(slot, proxy, 0, self.platform.rules(&self.id, &self.parameters));
        inner.running().insert(self.id.clone(), running);
        let started = self
            .platform
            .change(&self.id, |session, now| {
                session.state = SessionState::Running;
                session.started_at = Some(now);
                session.last_used_at = now;
                session.engine_session = Some(handle.clone());
                note_port(&mut session.settings, address.port());
            })
            .await;
        match started {
            Ok(record) => {
                self.platform.watch(&self.id, watch);
                Ok(record)
            }
            Err(error) => {
                // It was ended meanwhile, when nobody knew its browser yet.
                self.platform.end_browser(&handle).await;
                inner.running().remove(&self.id);
                if let PlatformError::Store(error) = &error {
                    // Or it would be there without a browser.
                    self.end(EndCause::NotStarted(error.to_string())).await;
                }
                Err(error)
            }
        }
    }

    async fn browser(&self, proxy: SocketAddr) -> Result<Value, PlatformError> {
        let settings = BrowserSettings {
            viewport: self.parameters.viewport,
            ignore_certificate_errors: self.parameters.ignore_certificate_errors,
            profile: self.platform.profile(&self.parameters).await?,
            proxy: Some(proxy),
        };
        let engine = &self.platform.inner.engine;
        let mut creating = engine.create(&self.id, &settings);
        let mut under_way = self.under_way.clone();
        tokio::select! {
            handle = &mut creating => return Ok(handle?),
            () = under_way.out_of_time(self.parameters.keep_alive) => {}
        }
        // Its process may not be there yet when it is broken off first.
        loop {
            if let Err(error) = engine.break_off(&self.id).await {
                tracing::warn!(session = self.id, %error, "the start of a browser cannot be broken off");
            }
            if let Ok(created) = tokio::time::timeout(ROUND, &mut creating).await {
                return Ok(created?);
            }
        }
    }

    async fn fail(&self, error: EngineError) -> PlatformError {
        self.end(EndCause::NotStarted(error.to_string())).await;
        error.into()
    }

    /// Why it is over already.
    async fn ended(&self) -> PlatformError {
        match self.platform.look_up(&self.id).await {
            Ok((session, _)) => PlatformError::Ended {
                id: self.id.clone(),
                reason: session.end_reason.unwrap_or_default(),
            },
            Err(error) => error,
        }
    }

    async fn give_up(&self) {
        self.end(EndCause::GivenUp).await;
    }

    async fn end(&self, cause: EndCause) {
        if let Err(error) = self.platform.end(&self.id, cause).await {
            tracing::warn!(session = self.id, %error, "a session could not be ended");
        }
    }
}
