//! The files of a session: those that its client has uploaded, and those that its browser has downloaded.

mod name;
mod zip;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::AsyncWriteExt as _;

pub(crate) use name::safe_name;
pub(crate) use zip::zip;

/// The largest file that is uploaded, in bytes: 50 MB.
pub(crate) const FILE_LIMIT: u64 = 50 * 1024 * 1024;

/// How much a session may have uploaded, in bytes: 500 MB.
pub(crate) const SESSION_LIMIT: u64 = 500 * 1024 * 1024;

/// How many files of one name there may be.
const SAME_NAMES: u32 = 1_000;

/// What Chromium calls a file that is not complete.
const INCOMPLETE: &str = ".crdownload";

/// The folders of a session's files. Clones are of the same session.
#[derive(Debug, Clone)]
pub(crate) struct SessionFiles {
    folder: PathBuf,
    /// Bytes of the files that are being uploaded.
    coming: Arc<AtomicU64>,
}

/// A file as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub(crate) name: String,
    /// In bytes.
    pub(crate) size: u64,
    /// In milliseconds since 1970.
    pub(crate) changed_at: i64,
}

/// A file that is being uploaded. It is removed when it is dropped before it is [complete](Self::complete).
#[derive(Debug)]
pub(crate) struct Upload {
    file: tokio::fs::File,
    /// There until it is in its place.
    written: Option<tempfile::TempPath>,
    size: u64,
    /// Bytes of the files that the session had when it began.
    used: u64,
    files: SessionFiles,
    name: String,
}

/// Why a file is not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UploadError {
    /// It is larger than [`FILE_LIMIT`].
    #[error("the file is larger than {} MB", FILE_LIMIT >> 20)]
    FileTooLarge,
    /// All of the session would be more than [`SESSION_LIMIT`].
    #[error("the files of the session would be more than {} MB", SESSION_LIMIT >> 20)]
    SessionTooLarge,
    /// The system does not take it.
    #[error("the file cannot be written: {0}")]
    Io(#[from] io::Error),
}

impl SessionFiles {
    /// Below the session's folder: what its client has uploaded.
    pub(crate) const UPLOADS: &str = "uploads";

    /// Below the session's folder: what its browser has downloaded.
    pub(crate) const DOWNLOADS: &str = "downloads";

    /// Files below the folder of a session.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            coming: Arc::default(),
        }
    }

    /// One of its folders.
    pub(crate) fn folder(&self, kind: &str) -> PathBuf {
        self.folder.join(kind)
    }

    /// The path of an uploaded file; none if there is none of this name.
    pub(crate) fn upload(&self, name: &str) -> Option<PathBuf> {
        self.file(Self::UPLOADS, name)
    }

    /// The path of a file; none if there is none of this name. Only names are looked at that could be given here, so that
    /// none leads out of the folder.
    pub(crate) fn file(&self, kind: &str, name: &str) -> Option<PathBuf> {
        let is_name = !name.is_empty() && safe_name(name) == name;
        let path = self.folder(kind).join(name);
        let is_file = || std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_file());
        (is_name && is_file()).then_some(path)
    }

    /// Its files, by name, without those that are not complete.
    pub(crate) async fn list(&self, kind: &str) -> io::Result<Vec<FileEntry>> {
        let mut entries = match tokio::fs::read_dir(self.folder(kind)).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        while let Some(entry) = entries.next_entry().await? {
            let name = entry.file_name().to_string_lossy().into_owned();
            // One that goes in between is not listed.
            let Ok(metadata) = entry.metadata().await else {
                continue;
            };
            if metadata.is_file() && !name.ends_with(INCOMPLETE) && safe_name(&name) == name {
                let changed = metadata.modified().ok();
                let changed = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
                files.push(FileEntry {
                    name,
                    size: metadata.len(),
                    changed_at: changed
                        .and_then(|time| i64::try_from(time.as_millis()).ok())
                        .unwrap_or_default(),
                });
            }
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(files)
    }

    /// Begins to take a file, under a name that is made safe.
    pub(crate) async fn begin_upload(&self, name: &str) -> Result<Upload, UploadError> {
        let folder = self.folder(Self::UPLOADS);
        tokio::fs::create_dir_all(&folder).await?;
        let files = self.list(Self::UPLOADS).await?;
        // Outside of the folder, so that nobody sees it before it is complete; inside of the session's, so that it can be
        // moved.
        let (file, written) = tempfile::NamedTempFile::new_in(&self.folder)?.into_parts();
        Ok(Upload {
            file: tokio::fs::File::from_std(file),
            written: Some(written),
            size: 0,
            used: total(&files),
            files: self.clone(),
            name: safe_name(name),
        })
    }
}

impl Upload {
    /// Takes more of it.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), UploadError> {
        let more = bytes.len() as u64;
        self.size += more;
        let coming = self.files.coming.fetch_add(more, Ordering::Relaxed) + more;
        if self.size > FILE_LIMIT {
            return Err(UploadError::FileTooLarge);
        }
        if self.used + coming > SESSION_LIMIT {
            return Err(UploadError::SessionTooLarge);
        }
        Ok(self.file.write_all(bytes).await?)
    }

    /// Puts it in its place. One of the same name that is there stays, and the new one gets a number.
    pub(crate) async fn complete(mut self) -> Result<FileEntry, UploadError> {
        self.file.flush().await?;
        // Others may have been completed since it began.
        let files = self.files.list(SessionFiles::UPLOADS).await?;
        if total(&files) + self.size > SESSION_LIMIT {
            return Err(UploadError::SessionTooLarge);
        }
        let folder = self.files.folder(SessionFiles::UPLOADS);
        let Some(mut written) = self.written.take() else {
            return Err(io::Error::from(io::ErrorKind::NotFound).into());
        };
        for number in 1..=SAME_NAMES {
            let name = name::numbered(&self.name, number);
            match written.persist_noclobber(folder.join(&name)) {
                Ok(()) => {
                    return Ok(FileEntry {
                        name,
                        size: self.size,
                        changed_at: jiff::Timestamp::now().as_millisecond(),
                    });
                }
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => written = error.path,
                Err(error) => return Err(error.error.into()),
            }
        }
        Err(io::Error::from(io::ErrorKind::AlreadyExists).into())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.files.coming.fetch_sub(self.size, Ordering::Relaxed);
    }
}

fn total(files: &[FileEntry]) -> u64 {
    files.iter().map(|file| file.size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: usize = 1 << 20;

    async fn upload(files: &SessionFiles, name: &str, megabytes: usize) -> Result<FileEntry, UploadError> {
        let chunk = vec![0; MEGABYTE];
        let mut upload = files.begin_upload(name).await?;
        for _ in 0..megabytes {
            upload.write(&chunk).await?;
        }
        upload.complete().await
    }

    #[tokio::test]
    async fn a_file_and_a_session_have_their_limits_and_nothing_is_left_of_what_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::new(folder.path().to_owned());
        let refused = upload(&files, "a", 51).await;
        assert!(matches!(refused, Err(UploadError::FileTooLarge)), "{refused:?}");
        for number in 0..9 {
            upload(&files, &number.to_string(), 50).await.unwrap();
        }
        let mut coming = files.begin_upload("coming").await.unwrap();
        coming.write(&vec![0; MEGABYTE]).await.unwrap();
        let refused = upload(&files, "b", 50).await;
        assert!(
            matches!(refused, Err(UploadError::SessionTooLarge)),
            "{refused:?}"
        );
        drop(coming);
        upload(&files, "b", 50).await.unwrap();
        let refused = upload(&files, "c", 1).await;
        assert!(
            matches!(refused, Err(UploadError::SessionTooLarge)),
            "{refused:?}"
        );
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!(files.list(SessionFiles::UPLOADS).await.unwrap().len(), 10);
    }
}
