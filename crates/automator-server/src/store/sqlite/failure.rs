//! What went wrong, in the words of the store: which file, and what to do about it.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;
use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;

use super::Place;
use super::opening::PATIENCE;
use crate::store::StoreError;

/// Why a piece of work on the database was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// The store refuses it.
    Refused(StoreError),
    /// The database did not do it.
    Database(rusqlite::Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl Failure {
    /// Whether another connection is in the way.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self, Self::Database(error) if matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
        ))
    }

    /// The same for the caller, who has to know which file it is about.
    pub(super) fn at(self, place: &Place) -> StoreError {
        match self {
            Self::Refused(error) => error,
            Self::Database(error) => of_database(place, &error),
        }
    }
}

/// A file that cannot be made or named.
pub(super) fn of_path(path: &Path, error: &io::Error) -> StoreError {
    let path = path.display();
    if error.kind() == io::ErrorKind::StorageFull {
        return StoreError::Full(format!("`{path}` finds no room; free some on its disk ({error})"));
    }
    StoreError::Failed(format!(
        "`{path}` cannot be made; see that its folder exists and that this user may write there ({error})"
    ))
}

fn of_database(place: &Place, error: &rusqlite::Error) -> StoreError {
    // SQLite cannot tell a full disk from others when it makes the `-shm` file longer, but it is one in practice.
    let no_room = error.sqlite_error_code() == Some(ErrorCode::DiskFull)
        || error.sqlite_extended_error_code() == Some(SQLITE_IOERR_SHMSIZE);
    if no_room {
        let advice = "has no room for more; free some on its disk, or forget old sessions";
        return StoreError::Full(format!("{place} {advice} ({error})"));
    }
    StoreError::Failed(format!("{place} {} ({error})", advice(error)))
}

fn advice(error: &rusqlite::Error) -> String {
    let advice = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return format!(
                "was in use by another program for more than {} seconds; end that one, or try again",
                PATIENCE.as_secs()
            );
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            "is damaged, or not an SQLite file; put a copy of it in its place, or move it away to begin anew"
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            "cannot be opened for writing; see that this user may write it and its folder"
        }
        Some(ErrorCode::SystemIoFailure) => {
            "could not be read or written; see that its disk is well, and is not one of another machine"
        }
        Some(_) => "did not do what it was asked to; try again",
        None => "holds, or was given, a value that is none of the store's; was it changed by hand?",
    };
    advice.to_owned()
}
