//! The store in one SQLite file, for servers on one machine.
//!
//! Several processes may use the file at the same time: what reads before it writes holds the file's write lock while
//! it does. A thread owns the connection and does what is asked for in order, so a call never blocks the runtime.

mod contexts;
mod failure;
mod keys;
mod leases;
mod opening;
mod operations;
mod sessions;
mod thread;
mod values;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{
    ContextRecord, Created, Idempotency, KeyRecord, Lease, OperationRecord, SessionFilter, SessionRecord,
    Store, StoreError, StoreFuture, Timestamp,
};
use thread::DatabaseThread;

/// What tells the time.
type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A store in an SQLite file, or in memory.
///
/// Dropping it ends its thread, after what was asked for and is still waited for.
pub struct SqliteStore {
    place: Place,
    clock: Clock,
    thread: DatabaseThread,
}

impl SqliteStore {
    /// Opens the store in this file, which is made if there is none; on Unix only its owner can read it. Two more
    /// files are beside it while it is in use, `-wal` and `-shm`. Another process that holds the file is waited for
    /// during 5 seconds, here and in each call; here that blocks the thread.
    ///
    /// # Errors
    /// [`StoreError::Failed`] when it cannot be opened, is not a store, or is one of a newer version;
    /// [`StoreError::Full`] when there is no room for a new one.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        SqliteOptions::new().open(path)
    }

    /// A new, empty store that is gone when it is dropped.
    ///
    /// # Errors
    /// [`StoreError::Failed`] when there are no more threads.
    pub fn in_memory() -> Result<Self, StoreError> {
        SqliteOptions::new().in_memory()
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}

/// How an [`SqliteStore`] is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    max_pages: Option<u32>,
    clock: Clock,
}

impl SqliteOptions {
    /// The clock of the system, and as much room as the disk has.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_pages: None,
            clock: Arc::new(|| jiff::Timestamp::now().as_millisecond()),
        }
    }

    /// Lets the file grow up to this many pages, of 4096 bytes each; what does not fit is refused with
    /// [`StoreError::Full`]. Without it, until the disk is full.
    #[must_use]
    pub fn with_max_pages(mut self, pages: u32) -> Self {
        self.max_pages = Some(pages);
        self
    }

    /// Takes the time from this clock, in milliseconds since 1970.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Fn() -> Timestamp + Send + Sync>) -> Self {
        self.clock = clock;
        self
    }

    /// Opens the store in this file: see [`SqliteStore::open`].
    ///
    /// # Errors
    /// As there.
    pub fn open(self, path: &Path) -> Result<SqliteStore, StoreError> {
        // SQLite takes some relative paths for something else, such as `:memory:`.
        let path = std::path::absolute(path).map_err(|error| failure::of_path(path, &error))?;
        self.open_at(Place::File(path))
    }

    /// A new store in memory: see [`SqliteStore::in_memory`].
    ///
    /// # Errors
    /// As there.
    pub fn in_memory(self) -> Result<SqliteStore, StoreError> {
        self.open_at(Place::Memory)
    }

    fn open_at(self, place: Place) -> Result<SqliteStore, StoreError> {
        let thread = DatabaseThread::start(place.clone(), self.max_pages, Arc::clone(&self.clock))?;
        Ok(SqliteStore {
            place,
            clock: self.clock,
            thread,
        })
    }
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SqliteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteOptions")
            .field("max_pages", &self.max_pages)
            .finish_non_exhaustive()
    }
}

/// Where a store is.
#[derive(Debug, Clone)]
enum Place {
    File(PathBuf),
    Memory,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "`{}`", path.display()),
            Self::Memory => f.write_str("the database in memory"),
        }
    }
}

impl Store for SqliteStore {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        Box::pin(async { Ok((self.clock)()) })
    }

    fn secret<'a>(&'a self, name: &'a str) -> StoreFuture<'a, Vec<u8>> {
        let name = name.to_owned();
        self.thread
            .write(move |transaction, _| keys::secret(transaction, &name))
    }

    fn add_key<'a>(&'a self, key: &'a KeyRecord) -> StoreFuture<'a, ()> {
        let key = key.clone();
        self.thread
            .write(move |transaction, _| keys::add(transaction, &key))
    }

    fn key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<KeyRecord>> {
        let id = id.to_owned();
        self.thread.read(move |connection| keys::find(connection, &id))
    }

    fn keys(&self) -> StoreFuture<'_, Vec<KeyRecord>> {
        self.thread.read(keys::all)
    }

    fn revoke_key<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()> {
        let id = id.to_owned();
        self.thread
            .write(move |transaction, now| keys::revoke(transaction, &id, now))
    }

    fn create_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        idempotency: Option<&'a Idempotency>,
    ) -> StoreFuture<'a, Created> {
        let session = session.clone();
        let idempotency = idempotency.cloned();
        self.thread
            .write(move |transaction, now| sessions::create(transaction, &session, idempotency.as_ref(), now))
    }

    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<SessionRecord>> {
        let id = id.to_owned();
        self.thread
            .read(move |connection| sessions::find(connection, &id))
    }

    fn sessions<'a>(&'a self, filter: &'a SessionFilter) -> StoreFuture<'a, Vec<SessionRecord>> {
        let filter = filter.clone();
        self.thread
            .read(move |connection| sessions::list(connection, &filter))
    }

    fn update_session<'a>(
        &'a self,
        session: &'a SessionRecord,
        fence: Option<u64>,
    ) -> StoreFuture<'a, SessionRecord> {
        let session = session.clone();
        self.thread
            .write(move |transaction, now| sessions::update(transaction, session, fence, now))
    }

    fn lease<'a>(
        &'a self,
        session: &'a str,
        holder: &'a str,
        milliseconds: u32,
    ) -> StoreFuture<'a, Option<Lease>> {
        let (session, holder) = (session.to_owned(), holder.to_owned());
        self.thread
            .write(move |transaction, now| leases::take(transaction, &session, &holder, now, milliseconds))
    }

    fn give_back<'a>(&'a self, session: &'a str, holder: &'a str) -> StoreFuture<'a, ()> {
        let (session, holder) = (session.to_owned(), holder.to_owned());
        self.thread
            .write(move |transaction, now| leases::give_back(transaction, &session, &holder, now))
    }

    fn add_operation<'a>(&'a self, operation: &'a OperationRecord) -> StoreFuture<'a, ()> {
        let operation = operation.clone();
        self.thread
            .write(move |transaction, _| operations::add(transaction, operation))
    }

    fn operations<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<OperationRecord>> {
        let session = session.to_owned();
        self.thread
            .read(move |connection| operations::of_session(connection, &session))
    }

    fn set_session_secret<'a>(&'a self, session: &'a str, secret: &'a [u8]) -> StoreFuture<'a, ()> {
        let (session, secret) = (session.to_owned(), secret.to_owned());
        self.thread
            .write(move |transaction, _| sessions::set_secret(transaction, &session, &secret))
    }

    fn session_secret<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Option<Vec<u8>>> {
        let session = session.to_owned();
        self.thread
            .read(move |connection| sessions::secret(connection, &session))
    }

    fn add_context<'a>(&'a self, context: &'a ContextRecord) -> StoreFuture<'a, ()> {
        let context = context.clone();
        self.thread
            .write(move |transaction, _| contexts::add(transaction, &context))
    }

    fn context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<ContextRecord>> {
        let id = id.to_owned();
        self.thread
            .write(move |transaction, now| contexts::find(transaction, &id, now))
    }

    fn remove_context<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        let id = id.to_owned();
        self.thread
            .write(move |transaction, _| contexts::remove(transaction, &id))
    }

    fn claim_context<'a>(&'a self, id: &'a str, session: &'a str) -> StoreFuture<'a, bool> {
        let (id, session) = (id.to_owned(), session.to_owned());
        self.thread
            .write(move |transaction, now| contexts::claim(transaction, &id, &session, now))
    }

    fn finish_context<'a>(
        &'a self,
        id: &'a str,
        session: &'a str,
        version: Option<&'a str>,
    ) -> StoreFuture<'a, bool> {
        let (id, session) = (id.to_owned(), session.to_owned());
        let version = version.map(str::to_owned);
        self.thread.write(move |transaction, now| {
            contexts::finish(transaction, &id, &session, version.as_deref(), now)
        })
    }

    fn forget_before(&self, time: Timestamp) -> StoreFuture<'_, u64> {
        self.thread
            .write(move |transaction, now| sessions::forget_before(transaction, time, now))
    }
}
