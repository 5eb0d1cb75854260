//! How a database is opened: its file, its settings, and the way from older schemas to this one.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::Place;
use super::failure::{self, Failure};
use crate::store::StoreError;

/// How long a connection waits for another one that writes.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long it waits before it tries again what SQLite itself does not wait for.
const PAUSE: Duration = Duration::from_millis(10);

/// What makes an SQLite file one of ours: "AuSt" in ASCII.
const APPLICATION: i32 = 0x4175_5374;

/// What each version of the schema has added to the one before. `user_version` counts those that a file has.
const MIGRATIONS: [&str; 2] = [include_str!("version_1.sql"), include_str!("version_2.sql")];

/// The version that this program works with.
const NEWEST: i64 = MIGRATIONS.len() as i64;

/// Held while a file is made.
static MAKING: Mutex<()> = Mutex::new(());

/// Opens the database, and brings its schema up to date.
pub(super) fn open(place: &Place, max_pages: Option<u32>) -> Result<Connection, Failure> {
    let mut connection = match place {
        Place::Memory => Connection::open_in_memory()?,
        Place::File(path) => {
            make(path).map_err(|error| failure::of_path(path, &error))?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)?
        }
    };
    connection.busy_timeout(PATIENCE)?;
    // While another connection is the first one on the file or the last, SQLite does not wait by itself.
    let deadline = Instant::now() + PATIENCE;
    loop {
        match prepare(&mut connection, place, max_pages) {
            Err(failure) if failure.is_busy() && Instant::now() < deadline => thread::sleep(PAUSE),
            Err(failure) => return Err(failure),
            Ok(()) => return Ok(connection),
        }
    }
}

/// Makes an empty file that only its owner can read, if there is none.
///
/// To close a file takes away the locks that SQLite has on it elsewhere in the process. So one that exists is never
/// opened here, and nobody opens a new one before it is closed.
fn make(path: &Path) -> io::Result<()> {
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn prepare(connection: &mut Connection, place: &Place, max_pages: Option<u32>) -> Result<(), Failure> {
    // Looked at first, so that a file of somebody else stays as it is.
    let version = schema_version(connection, place)?;
    if connection.is_readonly("main")? {
        let text = format!("{place} can be read only; see that this user may write it and its folder");
        return Err(StoreError::Failed(text).into());
    }
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if matches!(place, Place::File(_)) && mode != "wal" {
        let text = format!("{place} cannot have a write-ahead log there; put it on a disk of this machine");
        return Err(StoreError::Failed(text).into());
    }
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    if let Some(pages) = max_pages {
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    if version < NEWEST {
        migrate(connection, place)?;
    }
    Ok(())
}

fn migrate(connection: &mut Connection, place: &Place) -> Result<(), Failure> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Once more, as another process may have been faster.
    let version = schema_version(&transaction, place)?;
    for (number, migration) in (1..).zip(MIGRATIONS) {
        if number > version {
            transaction.execute_batch(migration)?;
        }
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", NEWEST)?;
    transaction.commit()?;
    Ok(())
}

/// How many migrations the database has had.
fn schema_version(connection: &Connection, place: &Place) -> Result<i64, Failure> {
    let (application, version, tables): (i32, i64, i64) = connection.query_row(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let is_new = application == 0 && version == 0 && tables == 0;
    let problem = if !is_new && application != APPLICATION {
        format!("{place} is an SQLite file of another program; name another file")
    } else if version > NEWEST {
        format!(
            "{place} was written by a newer version of this program (its schema is {version}, the last one known \
             here is {NEWEST}); use that version, or name another file"
        )
    } else {
        return Ok(version);
    };
    Err(StoreError::Failed(problem).into())
}
