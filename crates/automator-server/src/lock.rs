//! One server in a folder.
//!
//! Two servers would each take the other's browsers for their own. The system frees the lock when the process ends,
//! however it does.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// The file that is locked.
const LOCK: &str = "server.lock";

/// Why a folder could not be locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another server works in it.
    #[error(
        "another server works in the folder `{folder}` (process {process}); end it, or name another folder"
    )]
    Taken {
        /// Which one.
        folder: PathBuf,
        /// Its number.
        process: String,
    },
    /// The system does not lock it.
    #[error("the file `{path}` cannot be locked: {source}")]
    System {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The lock of a folder; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Locks a folder.
    pub(crate) fn take(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(LOCK);
        let system = |source| LockError::System {
            path: path.clone(),
            source,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(system)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(LockError::Taken {
                    folder: folder.to_owned(),
                    process: holder(&mut file),
                });
            }
            Err(TryLockError::Error(error)) => return Err(system(error)),
        }
        // Only for the message above, so it does not matter if it cannot be written.
        let _ = note(&mut file);
        Ok(Self { _file: file })
    }
}

fn note(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_a_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = FolderLock::take(folder.path()).expect("the lock");
        let refused = FolderLock::take(folder.path())
            .expect_err("it is taken")
            .to_string();
        assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        drop(lock);
        FolderLock::take(folder.path()).expect("it is free again");
    }
}
