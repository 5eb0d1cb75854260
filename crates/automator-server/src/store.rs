//! What outlives the process: sessions, keys, and who looks after which session.
//!
//! Times are milliseconds since 1970 by the store's own clock ([`Store::now`]), so that several servers agree on them.

mod sqlite;

use std::future::Future;
use std::pin::Pin;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use sqlite::{SqliteOptions, SqliteStore};

/// A point in time: milliseconds since 1970.
pub type Timestamp = i64;

/// How far a session is. The last three are ends: no session leaves them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SessionState {
    /// It waits for a free place.
    Pending,
    /// Its browser runs.
    Running,
    /// Its browser could not be started, or has gone by itself.
    Error,
    /// Its time was over.
    TimedOut,
    /// It was ended by its owner, or because nobody used it any more.
    Completed,
}

impl SessionState {
    /// Whether it is an end.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Error | Self::TimedOut | Self::Completed)
    }
}

/// A session as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionRecord {
    /// Its id: a random UUID.
    pub id: String,
    /// The public part of the key that it was created with.
    pub owner: String,
    /// How far it is.
    pub state: SessionState,
    /// Counts the changes; [`Store::update_session`] needs the one that was read.
    pub version: u64,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When its browser ran.
    pub started_at: Option<Timestamp>,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// When its time is over.
    pub expires_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When it was last used: a call, or a socket that was open.
    pub last_used_at: Timestamp,
    /// When the last of its DevTools sockets went; none while one is open, and before the first.
    pub left_at: Option<Timestamp>,
    /// Whether it goes on when nobody is connected.
    pub keep_alive: bool,
    /// The label of the place it runs in.
    pub region: String,
    /// What the engine needs to find its browser again; none before it runs.
    pub engine_session: Option<Value>,
    /// What its owner has noted on it.
    pub user_metadata: Map<String, Value>,
    /// How it was asked to be, without secrets.
    pub settings: Map<String, Value>,
    /// Why it ended, in words.
    pub end_reason: Option<String>,
}

/// An API key as it is stored: never the key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part.
    pub id: String,
    /// The keyed hash of the whole key.
    pub hash: Vec<u8>,
    /// What its owner calls it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

/// Something that was done in a session, as it is kept for looking back.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationRecord {
    /// Its id, which its caller was told.
    pub id: String,
    /// The session that it was done in.
    pub session: String,
    /// What was called: `act`, `extract`, `observe` or `navigate`.
    pub kind: String,
    /// With what. Never a key, and never the value of a variable.
    pub parameters: Map<String, Value>,
    /// What came of it.
    pub result: Value,
    /// The address of the page, without its query.
    pub url: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// What its model calls cost.
    pub usage: OperationUsage,
}

/// What the model calls of an operation cost: tokens, and the time that was spent waiting for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationUsage {
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens written by the model, reasoning included.
    pub completion_tokens: u64,
    /// The reasoning among them.
    pub reasoning_tokens: u64,
    /// Tokens sent that the provider had cached.
    pub cached_input_tokens: u64,
    /// Milliseconds spent waiting for models.
    pub inference_time_ms: u64,
}

/// Which sessions are listed.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Those of this owner.
    pub owner: Option<String>,
    /// Those in this state.
    pub state: Option<SessionState>,
    /// Those that have not ended.
    pub only_living: bool,
}

/// The right to look after a session: to beat for its browser, and to end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Who has it.
    pub holder: String,
    /// Until when.
    pub until: Timestamp,
    /// Grows with each new holder. What one with a smaller number writes is refused.
    pub fence: u64,
}

/// How long after the end of a session it is waited for that it writes its context, in milliseconds.
pub const CONTEXT_HOLD: Timestamp = 60_000;

/// A profile that outlives sessions, as it is stored. The files are elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextRecord {
    /// Its id: a random UUID.
    pub id: String,
    /// The public part of the key that it was created with.
    pub owner: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it got its last version.
    pub updated_at: Timestamp,
    /// The last complete version; none before the first.
    pub version: Option<String>,
    /// The session that is to write the next one. One that ended [a while](CONTEXT_HOLD) ago is none any more.
    pub writer: Option<String>,
}

/// What became of a request to create a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// It is stored.
    New,
    /// The same request was made before, with this session.
    Before(Box<SessionRecord>),
    /// Another request was made before under the same idempotency key.
    OtherRequest,
}

/// The name under which a request to create a session may be made again, for a day.
#[derive(Debug, Clone)]
pub struct Idempotency {
    /// What the caller has named it.
    pub key: String,
    /// A hash of what was asked for.
    pub request: String,
}

/// Why the store did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The session has been changed since it was read, or has ended, or is looked after by somebody else now.
    #[error("the session `{0}` has been changed by somebody else")]
    Conflict(String),
    /// There is none with this id.
    #[error("there is no `{0}`")]
    NotFound(String),
    /// There is one with this id already.
    #[error("there is a `{0}` already")]
    Exists(String),
    /// There is no room left for it.
    #[error("the store is full: {0}")]
    Full(String),
    /// It cannot be reached, or its data cannot be read.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// What a call of a store gives.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// A place where what has to outlive the process is kept. All of its implementations pass the same tests
/// (`tests/store.rs`).
pub trait Store: Send + Sync + std::fmt::Debug {
    /// The time, by the store.
    fn now(&self) -> StoreFuture<'_, Timestamp>;

    /// A secret of this name that all servers on the store share; made at random, of 32 bytes, when it is first asked
    /// for.
    fn secret<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Vec<u8>>;

    /// Stores a new key.
    ///
    /// # Errors
    /// [`StoreError::Exists`].
    fn add_key<'a>(&'a self, key: &'a KeyRecord) -> StoreFuture<'a, ()>;

    /// The key with this public part, revoked or not.
    fn key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<KeyRecord>>;

    /// All keys, the oldest first.
    fn keys(&self) -> StoreFuture<'_, Vec<KeyRecord>>;

    /// Revokes a key, at once and for ever. One that is revoked already keeps the time of that.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    fn revoke_key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()>;

    /// Stores a new session, unless the same request was made before.
    ///
    /// A request is the same if owner, idempotency key and hash are, for 24 hours or until its session is forgotten.
    ///
    /// # Errors
    /// [`StoreError::Exists`].
    fn create_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        idempotency: Option<&'a Idempotency>,
    ) -> StoreFuture<'a, Created>;

    /// The session with this id.
    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<SessionRecord>>;

    /// The sessions that the filter lets through, the newest first.
    fn sessions<'a>(&'a self, filter: &'a SessionFilter) -> StoreFuture<'a, Vec<SessionRecord>>;

    /// Replaces a session that has not ended by what is given, if it still has the version that is given there; the
    /// stored one has the next version, and `updated_at` of now. With a fence, only if it is that of the last holder of
    /// the lease, whose time may be over.
    ///
    /// # Errors
    /// [`StoreError::Conflict`], [`StoreError::NotFound`].
    fn update_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        fence: Option<u64>,
    ) -> StoreFuture<'a, SessionRecord>;

    /// Takes or renews the lease on a session for this many milliseconds; none while somebody else holds it.
    ///
    /// The fence is 1 for the first holder. It stays when the last holder takes the lease once more, even if it was
    /// over, or given back.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    fn lease<'a>(
        &'a self,
        session: &'a str,
        holder: &'a str,
        milliseconds: u32,
    ) -> StoreFuture<'a, Option<Lease>>;

    /// Gives a lease back, so that somebody else can take it at once. Nothing happens to one that somebody else holds.
    fn give_back<'a>(&'a self, session: &'a str, holder: &'a str) -> StoreFuture<'a, ()>;

    /// Keeps what was done in a session.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such session.
    fn add_operation<'a>(&'a self, operation: &'a OperationRecord) -> StoreFuture<'a, ()>;

    /// What was done in a session, the oldest first.
    fn operations<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<OperationRecord>>;

    /// Keeps what only the server itself needs of a session, in place of what was kept before, until it ends. It is in no
    /// [`SessionRecord`], so that it is shown to nobody.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Conflict`] when it has ended.
    fn set_session_secret<'a>(&'a self, session: &'a str, secret: &'a [u8]) -> StoreFuture<'a, ()>;

    /// What is kept for a session.
    fn session_secret<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>>;

    /// Stores a new context.
    ///
    /// # Errors
    /// [`StoreError::Exists`].
    fn add_context<'a>(&'a self, context: &'a ContextRecord) -> StoreFuture<'a, ()>;

    /// The context with this id.
    fn context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<ContextRecord>>;

    /// Removes a context. Gives whether there was one.
    fn remove_context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool>;

    /// Makes a session the only one that may write a context. Gives false while another one is.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    fn claim_context<'a>(&'a self, id: &'a str, session: &'a str) -> StoreFuture<'a, bool>;

    /// Ends the writing of a session; with a new version, if it has written one. Gives whether it was the writer still:
    /// if not, nothing is changed.
    fn finish_context<'a>(
        &'a self,
        id: &'a str,
        session: &'a str,
        version: Option<&'a str>,
    ) -> StoreFuture<'a, bool>;

    /// Forgets sessions that ended before this time, with all that belongs to them: leases, the requests for them, and what was done in them.
    /// Gives how many.
    fn forget_before(&self, time: Timestamp) -> StoreFuture<'_, u64>;
}
