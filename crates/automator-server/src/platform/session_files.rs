//! Where the files of sessions are: in the folder of a browser as long as it runs, and its downloads for a while longer.

use std::io;
use std::path::PathBuf;

use super::{Platform, PlatformError};
use crate::files::SessionFiles;

/// Below the platform's folder: the files of sessions that have ended, each in a folder of its own.
const ENDED: &str = "ended";

/// How long downloads stay when their session has ended, in milliseconds.
const STAY: i64 = 10 * 60 * 1000;

impl Platform {
    /// The files of a session that runs.
    ///
    /// # Errors
    /// [`PlatformError::Ended`] when it does not; [`PlatformError::NoFolder`] when there are none for it.
    pub(crate) fn running_files(&self, id: &str) -> Result<SessionFiles, PlatformError> {
        let running = self.inner.running();
        let live = running.get(id).ok_or_else(|| PlatformError::Ended {
            id: id.to_owned(),
            reason: "its browser does not run".to_owned(),
        })?;
        live.rules
            .files
            .clone()
            .ok_or(PlatformError::NoFolder("the files of sessions"))
    }

    /// The files of a session, also when it has just ended.
    ///
    /// # Errors
    /// As [`running_files`](Self::running_files).
    pub(crate) async fn files(&self, id: &str) -> Result<SessionFiles, PlatformError> {
        let running = self.running_files(id);
        if let (Err(PlatformError::Ended { .. }), Some(folder)) = (&running, self.ended_folder(id))
            && tokio::fs::try_exists(&folder).await.unwrap_or(false)
        {
            return Ok(SessionFiles::new(folder));
        }
        running
    }

    /// Puts the downloads of a session aside, before its browser goes with all that is in its folder.
    pub(super) async fn keep_downloads(&self, id: &str) {
        let files = self.inner.engine.folder(id).map(SessionFiles::new);
        let (Some(files), Some(folder)) = (files, self.ended_folder(id)) else {
            return;
        };
        let kept = async {
            if files.list(SessionFiles::DOWNLOADS).await?.is_empty() {
                return Ok(());
            }
            tokio::fs::create_dir_all(&folder).await?;
            let downloads = files.folder(SessionFiles::DOWNLOADS);
            tokio::fs::rename(downloads, folder.join(SessionFiles::DOWNLOADS)).await
        };
        if let Err::<(), io::Error>(error) = kept.await {
            tracing::warn!(session = id, %error, "the downloads of a session could not be kept");
        }
    }

    /// Removes the downloads of sessions that ended a while ago.
    pub(super) async fn remove_old_downloads(&self, now: i64) -> Result<(), PlatformError> {
        let Some(folder) = self
            .inner
            .options
            .folder
            .as_ref()
            .map(|folder| folder.join(ENDED))
        else {
            return Ok(());
        };
        // Usually there is none.
        let Ok(mut entries) = tokio::fs::read_dir(folder).await else {
            return Ok(());
        };
        while let Ok(Some(entry)) = entries.next_entry().await {
            let id = entry.file_name().to_string_lossy().into_owned();
            let session = self.inner.store.session(&id).await?;
            let stays = session.is_some_and(|session| {
                let ended = session.ended_at;
                ended.is_none_or(|ended| now < ended.saturating_add(STAY))
            });
            if !stays && let Err(error) = tokio::fs::remove_dir_all(entry.path()).await {
                tracing::warn!(session = id, %error, "the downloads of a session could not be removed");
            }
        }
        Ok(())
    }

    /// Ids come from requests; one that is none of ours would lead elsewhere.
    fn ended_folder(&self, id: &str) -> Option<PathBuf> {
        let is_id = uuid::Uuid::try_parse(id).is_ok();
        let folder = self.inner.options.folder.as_ref().filter(|_| is_id)?;
        Some(folder.join(ENDED).join(id))
    }
}
