//! The thread that owns the connection.

use std::sync::{Arc, mpsc};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::failure::Failure;
use super::{Clock, Place, opening};
use crate::store::{StoreError, StoreFuture, Timestamp};

/// The connection, and what its thread has to know besides.
struct Database {
    connection: Connection,
    clock: Clock,
}

type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// A handle of the thread, which ends when it is dropped.
pub(super) struct DatabaseThread {
    place: Arc<Place>,
    jobs: mpsc::Sender<Job>,
}

impl DatabaseThread {
    /// Starts the thread, and waits until it has opened the database.
    pub(super) fn start(place: Place, max_pages: Option<u32>, clock: Clock) -> Result<Self, StoreError> {
        let place = Arc::new(place);
        let (jobs, queue) = mpsc::channel::<Job>();
        let (opened, is_open) = mpsc::channel();
        let database_place = Arc::clone(&place);
        std::thread::Builder::new()
            .name("automator-store".to_owned())
            .spawn(move || {
                let connection = match opening::open(&database_place, max_pages) {
                    Ok(connection) => connection,
                    Err(failure) => {
                        let _ = opened.send(Err(failure.at(&database_place)));
                        return;
                    }
                };
                let mut database = Database { connection, clock };
                if opened.send(Ok(())).is_ok() {
                    queue.into_iter().for_each(|job| job(&mut database));
                }
            })
            .map_err(|error| {
                let text = format!("{place} cannot have a thread; see the system's limits ({error})");
                StoreError::Failed(text)
            })?;
        is_open.recv().map_err(|_| ended(&place))??;
        Ok(Self { place, jobs })
    }

    /// Has the thread read.
    pub(super) fn read<T, W>(&self, work: W) -> StoreFuture<'_, T>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Result<T, Failure> + Send + 'static,
    {
        self.run(move |database| work(&database.connection))
    }

    /// Has the thread do the work as a whole or not at all, while nobody else writes to the database. The work is
    /// told the time.
    pub(super) fn write<T, W>(&self, work: W) -> StoreFuture<'_, T>
    where
        T: Send + 'static,
        W: FnOnce(&Transaction<'_>, Timestamp) -> Result<T, Failure> + Send + 'static,
    {
        self.run(move |database| {
            let transaction = database
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Only now, as the lock may have been waited for.
            let now = (database.clock)();
            let outcome = work(&transaction, now)?;
            transaction.commit()?;
            Ok(outcome)
        })
    }

    fn run<T, W>(&self, work: W) -> StoreFuture<'_, T>
    where
        T: Send + 'static,
        W: FnOnce(&mut Database) -> Result<T, Failure> + Send + 'static,
    {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let job: Job = Box::new(move |database| {
                // What nobody waits for any more is not begun.
                if !answer.is_closed() {
                    let _ = answer.send(work(database));
                }
            });
            self.jobs.send(job).map_err(|_| ended(&self.place))?;
            let outcome = answered.await.map_err(|_| ended(&self.place))?;
            outcome.map_err(|failure| failure.at(&self.place))
        })
    }
}

/// Work that panicked takes the thread with it.
fn ended(place: &Place) -> StoreError {
    StoreError::Failed(format!(
        "{place} is not served any more by its thread; start the program again"
    ))
}
