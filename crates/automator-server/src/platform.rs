//! The platform: sessions from their creation to their end.
//!
//! What a session is, is in the store; its browser is the engine's. In memory is only what goes with the process anyway:
//! who is connected through it. So a server that is started again [adopts](Platform::adopt) what runs.

mod browser_proxy;
mod contexts;
mod create;
mod domain_guard;
mod end_cause;
mod ending;
mod lifetime;
mod looking_after;
mod news;
mod operating;
mod pending;
mod retention;
mod session_files;
mod under_way;
mod unwritten;
mod watch;
mod watching;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch as channel;
use tokio::task::AbortHandle;

use crate::audit::{Audit, AuditEvent};
use crate::cdp::ClientRules;
use crate::egress::hosts::HostList;
use crate::egress::proxy::EgressProxy;
use crate::engine::{Engine, EngineError};
use crate::files::SessionFiles;
use crate::metrics::{Gauges, Metrics, Refused};
use crate::options::PlatformOptions;
use crate::parameters::{CreateParameters, ParameterError};
use crate::sealing::{KEY_FILE, Sealer};
use crate::slots::{QueueFull, Slot, Slots};
use crate::store::{SessionFilter, SessionRecord, SessionState, Store, StoreError, Timestamp};
use crate::token::{Purpose, Signer};

pub(crate) use end_cause::EndCause;
pub use news::OperationNews;
pub use operating::{Connected, Operating, operation_settings};
pub(crate) use watching::{LONGEST_CONTROL, Opened, Watched};

/// How often a change of a session is tried again that somebody else has overtaken.
const ATTEMPTS: u32 = 20;

/// The name of the secret that signs addresses.
const SIGNING_SECRET: &str = "addresses 1";

/// The name of the secret that seals what the store keeps, where there is no folder for a key of its own.
const SEALING_SECRET: &str = "sealing 1";

/// The platform. Clones are the same one.
#[derive(Debug, Clone)]
pub struct Platform {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: PlatformOptions,
    store: Arc<dyn Store>,
    engine: Arc<dyn Engine>,
    slots: Slots,
    signer: Signer,
    /// Closes what the store keeps and nobody may read there.
    sealer: Sealer,
    records: Records,
    /// The hosts that sessions with `blockAds` do not reach.
    block_list: Arc<HostList>,
    running: Mutex<HashMap<String, Running>>,
    pending: Mutex<pending::PendingSessions>,
    /// Tells those who create sessions whether the server ends; each of them has its other half.
    creating: channel::Sender<bool>,
    unwritten: Mutex<unwritten::Unwritten>,
}

/// Where the platform tells what happens.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// Counts it.
    pub metrics: Metrics,
    /// Writes down what an operator may want to know later.
    pub audit: Audit,
}

/// What this process knows of a session that runs.
#[derive(Debug)]
struct Running {
    /// Free when this goes.
    _slot: Slot,
    /// What its browser reaches everything through.
    proxy: EgressProxy,
    /// What earlier proxies of its browser had carried, in bytes.
    carried_before: u64,
    rules: Arc<ClientRules>,
    sockets: usize,
    /// How many operations are under way.
    operations: usize,
    /// Tells why the session has ended.
    ended: channel::Sender<Option<String>>,
    watch: Option<AbortHandle>,
    /// Who looks on.
    audience: news::Audience,
}

impl Running {
    /// With nobody connected, and not watched yet.
    fn new(slot: Slot, proxy: EgressProxy, carried_before: u64, rules: ClientRules) -> Self {
        Self {
            _slot: slot,
            proxy,
            carried_before,
            rules: Arc::new(rules),
            sockets: 0,
            operations: 0,
            ended: channel::Sender::new(None),
            watch: None,
            audience: news::Audience::default(),
        }
    }
}

/// Why the platform did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// A parameter is wrong.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There is no such session, or it is somebody else's.
    #[error("there is no session `{0}`")]
    NotFound(String),
    /// The session has ended.
    #[error("the session `{id}` has ended: {reason}")]
    Ended {
        /// Which one.
        id: String,
        /// Why.
        reason: String,
    },
    /// Another request was made under the same idempotency key.
    #[error("another request was made under this idempotency key")]
    OtherRequest,
    /// There is no such context, or it is somebody else's.
    #[error("there is no context `{0}`")]
    NoContext(String),
    /// Another session writes the context.
    #[error("the session `{writer}` writes the context `{id}`; end that one first, or leave out `persist`")]
    ContextInUse {
        /// Which context.
        id: String,
        /// The session.
        writer: String,
    },
    /// There is no folder for this.
    #[error("this server has no folder for {0}")]
    NoFolder(&'static str),
    /// So many look at the session that nobody else may.
    #[error("too many look at the session `{0}` already; close one of its pages")]
    Crowded(String),
    /// No request may wait any more.
    #[error(transparent)]
    Full(#[from] QueueFull),
    /// The server is ending.
    #[error("the server is ending, and creates no more sessions; ask again when it has been started again")]
    Ending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// A connection to a session's browser, for as long as it is held.
#[derive(Debug)]
pub struct Attached {
    platform: Platform,
    session: String,
    /// The WebSocket address of the browser.
    pub address: String,
    /// What commands of whoever is connected are judged by.
    pub(crate) rules: Arc<ClientRules>,
    /// Tells why the session has ended, once it has.
    pub ended: channel::Receiver<Option<String>>,
}

impl Platform {
    /// A platform on a store and an engine, which tells what happens to these records.
    ///
    /// # Errors
    /// [`PlatformError::Store`] when the secrets that sign addresses and seal passwords cannot be read; [`PlatformError::Parameter`] when an
    /// entry of the block list is no host.
    pub async fn new(
        options: PlatformOptions,
        store: Arc<dyn Store>,
        engine: Arc<dyn Engine>,
        records: Records,
    ) -> Result<Self, PlatformError> {
        let secret = store.secret(SIGNING_SECRET).await?;
        let sealer = sealer(&options, store.as_ref()).await?;
        let mut block_list = HostList::advertisements();
        for host in &options.block_list {
            block_list.add(host).map_err(|error| ParameterError {
                path: "the block list".to_owned(),
                problem: error.to_string(),
            })?;
        }
        Ok(Self {
            inner: Arc::new(Inner {
                slots: Slots::new(options.slots),
                signer: Signer::new(1, &secret),
                sealer,
                block_list: Arc::new(block_list),
                options,
                store,
                engine,
                records,
                running: Mutex::default(),
                pending: Mutex::default(),
                creating: channel::Sender::new(false),
                unwritten: Mutex::default(),
            }),
        })
    }

    /// A session of this owner.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], also for that of another owner; [`PlatformError::Store`].
    pub async fn session(&self, owner: &str, id: &str) -> Result<SessionRecord, PlatformError> {
        let found = self.inner.store.session(id).await?;
        found
            .filter(|session| session.owner == owner)
            .map(|session| self.in_truth(session))
            .ok_or_else(|| PlatformError::NotFound(id.to_owned()))
    }

    /// The sessions of this owner, the newest first; only those in this state, if one is given.
    ///
    /// # Errors
    /// [`PlatformError::Store`].
    pub async fn sessions(
        &self,
        owner: &str,
        state: Option<SessionState>,
    ) -> Result<Vec<SessionRecord>, PlatformError> {
        let filter = SessionFilter {
            owner: Some(owner.to_owned()),
            ..SessionFilter::default()
        };
        let sessions = self.inner.store.sessions(&filter).await?.into_iter();
        // By what they are in truth, not by what the store has.
        Ok(sessions
            .map(|session| self.in_truth(session))
            .filter(|session| state.is_none_or(|state| session.state == state))
            .collect())
    }

    /// Ends a session of this owner. One that has ended already stays as it is.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Store`].
    pub async fn release(&self, owner: &str, id: &str) -> Result<SessionRecord, PlatformError> {
        self.session(owner, id).await?;
        self.end(id, EndCause::Released).await
    }

    /// Ends a session whose browser was asked to close.
    pub(crate) async fn end_by_browser(&self, id: &str) -> Result<SessionRecord, PlatformError> {
        self.end(id, EndCause::Closed).await
    }

    /// Connects to the browser of a session. As long as the answer is held, somebody is connected.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Ended`], also for one whose browser does not run yet.
    pub async fn attach(&self, id: &str) -> Result<Attached, PlatformError> {
        let record = self.inner.store.session(id).await?;
        let record = record.ok_or_else(|| PlatformError::NotFound(id.to_owned()))?;
        let record = self.in_truth(record);
        let Some(handle) = record.engine_session.filter(|_| !record.state.is_final()) else {
            return Err(PlatformError::Ended {
                id: id.to_owned(),
                reason: record
                    .end_reason
                    .unwrap_or_else(|| "it does not run yet".to_owned()),
            });
        };
        let address = self.inner.engine.address(&handle).await?;
        let (ended, rules) = self.count_in(id)?;
        self.audit().record(AuditEvent::SessionAttached { session: id });
        let attached = Attached {
            platform: self.clone(),
            session: id.to_owned(),
            address,
            rules,
            ended,
        };
        self.note(id, |session, now| {
            session.left_at = None;
            session.last_used_at = now;
        })
        .await?;
        Ok(attached)
    }

    /// Counts a connection. Gives what tells when its session ends, and what it is held to.
    fn count_in(
        &self,
        id: &str,
    ) -> Result<(channel::Receiver<Option<String>>, Arc<ClientRules>), PlatformError> {
        let mut running = self.inner.running();
        let live = running.get_mut(id).ok_or_else(|| PlatformError::Ended {
            id: id.to_owned(),
            reason: "it has just ended".to_owned(),
        })?;
        live.sockets += 1;
        Ok((live.ended.subscribe(), Arc::clone(&live.rules)))
    }

    /// Whether a token lets its bearer do something with a session now. Gives what it was made for.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`] for whatever token does not: its bearer needs not know why.
    pub async fn check_token(
        &self,
        token: &str,
        id: &str,
        purpose: Purpose,
    ) -> Result<Purpose, PlatformError> {
        let now = self.inner.store.now().await? / 1000;
        match self.inner.signer.check(token, id, purpose, now) {
            Ok(purpose) => Ok(purpose),
            Err(error) => {
                self.metrics().refused(Refused::Token);
                self.audit().record(AuditEvent::TokenRefused {
                    session: known_form(id),
                    purpose: purpose.name(),
                    problem: error.name(),
                });
                Err(PlatformError::NotFound(id.to_owned()))
            }
        }
    }

    /// The address under which programs speak to the browser of a session, until its time is over.
    #[must_use]
    pub fn connect_url(&self, session: &SessionRecord) -> String {
        let token =
            self.inner
                .signer
                .sign(&session.id, Purpose::Cdp, session.expires_at.div_euclid(1000) + 1);
        let base = &self.inner.options.public_url;
        let base = base
            .strip_prefix("http")
            .map_or_else(|| base.clone(), |rest| format!("ws{rest}"));
        format!("{base}/v1/cdp/{}?token={token}", session.id)
    }

    /// The figures that it counts in.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.inner.records.metrics
    }

    /// The audit log that it writes.
    #[must_use]
    pub fn audit(&self) -> &Audit {
        &self.inner.records.audit
    }

    /// All figures, in the text format of Prometheus.
    ///
    /// # Errors
    /// [`PlatformError::Store`].
    pub(crate) async fn figures(&self) -> Result<String, PlatformError> {
        let living = self.living().await?;
        let pending = living
            .iter()
            .filter(|session| session.state == SessionState::Pending)
            .count();
        let sockets = self.inner.running().values().map(|live| live.sockets).sum();
        let gauges = Gauges {
            pending: pending as u64,
            running: (living.len() - pending) as u64,
            places: self.inner.options.slots.slots,
            places_used: self.inner.slots.used(),
            waiting: self.inner.slots.waiting(),
            sockets,
        };
        Ok(self.metrics().render(gauges))
    }

    /// What clients of a session are held to.
    fn rules(&self, id: &str, parameters: &CreateParameters) -> ClientRules {
        ClientRules {
            allowed_domains: parameters.allowed_domains.clone(),
            files: self.inner.engine.folder(id).map(SessionFiles::new),
        }
    }

    /// How the platform is set up.
    #[must_use]
    pub fn options(&self) -> &PlatformOptions {
        &self.inner.options
    }

    /// Changes a session that has not ended, and tries again when somebody else was faster.
    async fn change(
        &self,
        id: &str,
        change: impl Fn(&mut SessionRecord, Timestamp),
    ) -> Result<SessionRecord, PlatformError> {
        let always = |session: &mut SessionRecord, now| {
            change(session, now);
            true
        };
        self.change_if(id, always).await
    }

    /// As [`change`](Self::change), unless the change says that it is not needed any more.
    async fn change_if(
        &self,
        id: &str,
        change: impl Fn(&mut SessionRecord, Timestamp) -> bool,
    ) -> Result<SessionRecord, PlatformError> {
        let mut attempts = 0;
        loop {
            let now = self.inner.store.now().await?;
            let session = self.inner.store.session(id).await?;
            let mut session = session.ok_or_else(|| PlatformError::NotFound(id.to_owned()))?;
            if session.state.is_final() {
                return Err(PlatformError::Ended {
                    id: id.to_owned(),
                    reason: session.end_reason.unwrap_or_default(),
                });
            }
            if !change(&mut session, now) {
                return Ok(session);
            }
            let carried = self.bytes_carried(&session);
            browser_proxy::note_carried(&mut session.settings, carried);
            match self.inner.store.update_session(&session, None).await {
                Err(StoreError::Conflict(_)) if attempts < ATTEMPTS => attempts += 1,
                changed => return Ok(changed?),
            }
        }
    }
}

async fn sealer(options: &PlatformOptions, store: &dyn Store) -> Result<Sealer, PlatformError> {
    let (sealer, place) = match &options.folder {
        Some(folder) => (Sealer::in_folder(folder), folder.join(KEY_FILE)),
        None => (
            Sealer::of_secret(&store.secret(SEALING_SECRET).await?),
            SEALING_SECRET.into(),
        ),
    };
    sealer.map_err(|error| {
        let place = place.display();
        let problem = format!("the key `{place}`, which seals secrets of sessions, cannot be used: {error}");
        StoreError::Failed(problem).into()
    })
}

/// The id of a session as it was given, if it has the form of one: what else a request names is not written down.
fn known_form(id: &str) -> &str {
    let is_one = uuid::Uuid::try_parse(id).is_ok();
    if is_one { id } else { "" }
}

impl Inner {
    fn running(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> MutexGuard<'_, pending::PendingSessions> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unwritten(&self) -> MutexGuard<'_, unwritten::Unwritten> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attached {
    /// Its session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.platform.audit().record(AuditEvent::SessionDetached {
            session: &self.session,
        });
        let mut running = self.platform.inner.running();
        let Some(live) = running.get_mut(&self.session) else {
            return;
        };
        live.sockets -= 1;
        if live.sockets > 0 {
            return;
        }
        drop(running);
        let (platform, session) = (self.platform.clone(), self.session.clone());
        tokio::spawn(async move {
            let left = platform
                .note(&session, |session, now| {
                    session.left_at = Some(now);
                    session.last_used_at = now;
                })
                .await;
            match left {
                Ok(()) | Err(PlatformError::Ended { .. }) => {}
                Err(error) => tracing::warn!(session, %error, "who is connected could not be stored"),
            }
        });
    }
}
