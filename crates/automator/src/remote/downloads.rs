//! Files that the browser of a remote session has saved, brought to this machine.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use automator_browser::move_under_name;
use tempfile::{NamedTempFile, TempDir};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::OnceCell;

use super::Remote;
use crate::{Error, ErrorKind, Result};

/// The files of one session that were brought here.
#[derive(Debug, Default)]
pub(super) struct Downloads {
    /// The user's own folder for them.
    wanted: Option<PathBuf>,
    /// Where they are otherwise: made for the first one, and gone with the session.
    temporary: OnceCell<TempDir>,
    /// By the ids that the browser has given them.
    brought: Mutex<HashMap<String, Arc<OnceCell<PathBuf>>>>,
}

impl Downloads {
    pub(super) fn new(wanted: Option<PathBuf>) -> Self {
        Self {
            wanted,
            ..Self::default()
        }
    }

    async fn folder(&self) -> io::Result<PathBuf> {
        if let Some(wanted) = &self.wanted {
            tokio::fs::create_dir_all(wanted).await?;
            return std::path::absolute(wanted);
        }
        let make = || async { TempDir::with_prefix("automator-downloads-") };
        let folder = self.temporary.get_or_try_init(make).await?;
        Ok(folder.path().to_owned())
    }

    /// The place of one.
    fn place(&self, download: &str) -> Arc<OnceCell<PathBuf>> {
        let mut brought = self.brought.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(brought.entry(download.to_owned()).or_default())
    }
}

impl Remote {
    /// Where a download is that the browser has saved over `there`: on this machine, if it was brought here already.
    pub(crate) fn place_of(&self, download: &str, there: Option<PathBuf>) -> Option<PathBuf> {
        match &self.id {
            Some(_) => self.downloads.place(download).get().cloned(),
            // Nobody hands it over; whoever runs the browser may know what to do with its path.
            None => there,
        }
    }

    /// Brings a complete download here, once, however often it is asked for, and gives where it is.
    pub(crate) async fn bring(&self, download: &str, there: PathBuf) -> Result<PathBuf> {
        let Some(id) = &self.id else { return Ok(there) };
        let place = self.downloads.place(download);
        let brought = place.get_or_try_init(|| self.fetch(id, &there)).await?;
        Ok(brought.clone())
    }

    async fn fetch(&self, id: &str, there: &Path) -> Result<PathBuf> {
        let name = name_of(there);
        let folder = self.downloads.folder().await.map_err(not_written)?;
        // Beside its place, so that nobody sees it there before it is whole.
        let (file, written) = NamedTempFile::new_in(&folder).map_err(not_written)?.into_parts();
        let mut file = tokio::fs::File::from_std(file);
        self.platform.download(id, &name, &mut file).await?;
        file.flush().await.map_err(not_written)?;
        drop(file);
        let moving = tokio::task::spawn_blocking(move || move_under_name(&written, &folder, &name));
        let moved = moving.await.map_err(io::Error::other).map_err(not_written)?;
        moved.map_err(not_written)
    }
}

/// A file that was not brought here while its session was open.
pub(crate) fn not_brought() -> Error {
    let message = "the session is closed, and the file stays on the platform";
    Error::new(ErrorKind::Download, message).hint(
        "call finished() before close(), or ask the platform at /v1/sessions/{id}/downloads, which keeps it for a while",
    )
}

pub(super) fn not_written(error: io::Error) -> Error {
    Error::new(
        ErrorKind::Download,
        format!("the file cannot be written on this machine: {error}"),
    )
    .caused_by(error)
}

/// The last part of a path of another machine, which may write paths in its own way.
fn name_of(there: &Path) -> String {
    let there = there.to_string_lossy();
    let name = there.rsplit(['/', '\\']).next().unwrap_or_default();
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_last_part_of_any_path() {
        for (there, expected) in [
            ("/sessions/1/downloads/report 1.pdf", "report 1.pdf"),
            ("C:\\downloads\\a.txt", "a.txt"),
            ("a.txt", "a.txt"),
        ] {
            assert_eq!(name_of(Path::new(there)), expected);
        }
    }
}
