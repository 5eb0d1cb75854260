//! Contexts: profiles that outlive sessions.
//!
//! Each has a folder with its versions, which are never changed once they are there. The store says which one is the
//! last, and which session may write the next. A session begins with a copy, so that it disturbs no other.

use std::path::PathBuf;

use serde_json::Value;

use super::{Platform, PlatformError};
use crate::engine::Profile;
use crate::parameters::{ContextSettings, CreateParameters};
use crate::store::{ContextRecord, SessionRecord, SessionState};

/// Below the platform's folder.
const FOLDER: &str = "contexts";

impl Platform {
    /// Makes a context, which is empty.
    ///
    /// # Errors
    /// [`PlatformError::NoFolder`], [`PlatformError::Store`].
    pub async fn create_context(&self, owner: &str) -> Result<ContextRecord, PlatformError> {
        let now = self.inner.store.now().await?;
        let context = ContextRecord {
            id: uuid::Uuid::new_v4().to_string(),
            owner: owner.to_owned(),
            created_at: now,
            updated_at: now,
            version: None,
            writer: None,
        };
        self.context_folder(&context.id)?;
        self.inner.store.add_context(&context).await?;
        Ok(context)
    }

    /// A context of this owner.
    ///
    /// # Errors
    /// [`PlatformError::NoContext`], also for that of another owner; [`PlatformError::Store`].
    pub async fn context(&self, owner: &str, id: &str) -> Result<ContextRecord, PlatformError> {
        let found = self.inner.store.context(id).await?;
        found
            .filter(|context| context.owner == owner)
            .ok_or_else(|| PlatformError::NoContext(id.to_owned()))
    }

    /// Removes a context of this owner, with all its versions. Sessions that have begun with it go on.
    ///
    /// # Errors
    /// As of [`context`](Self::context).
    pub async fn remove_context(&self, owner: &str, id: &str) -> Result<(), PlatformError> {
        self.context(owner, id).await?;
        self.inner.store.remove_context(id).await?;
        remove(self.context_folder(id)?).await;
        Ok(())
    }

    /// Whether a session can have the context that it is to have.
    pub(super) async fn check_context(
        &self,
        owner: &str,
        parameters: &CreateParameters,
    ) -> Result<(), PlatformError> {
        let Some(ContextSettings { id, persist }) = &parameters.context else {
            return Ok(());
        };
        let context = self.context(owner, id).await?;
        match context.writer {
            Some(writer) if *persist => Err(PlatformError::ContextInUse {
                id: id.clone(),
                writer,
            }),
            _ => Ok(()),
        }
    }

    /// Makes a session the one that writes its context, if it is to.
    pub(super) async fn claim_context(
        &self,
        session: &str,
        parameters: &CreateParameters,
    ) -> Result<(), PlatformError> {
        let Some(ContextSettings { id, persist: true }) = &parameters.context else {
            return Ok(());
        };
        if self.inner.store.claim_context(id, session).await? {
            return Ok(());
        }
        Err(PlatformError::ContextInUse {
            id: id.clone(),
            writer: "another session".to_owned(),
        })
    }

    /// What the browser of a session begins with.
    pub(super) async fn profile(&self, parameters: &CreateParameters) -> Result<Profile, PlatformError> {
        let Some(ContextSettings { id, .. }) = &parameters.context else {
            return Ok(Profile::Temporary);
        };
        let context = self.inner.store.context(id).await?;
        let context = context.ok_or_else(|| PlatformError::NoContext(id.clone()))?;
        let folder = self.context_folder(id)?;
        Ok(context
            .version
            .map_or(Profile::Empty, |version| Profile::CopyOf(folder.join(version))))
    }

    /// Ends the browser of a session that has ended, and saves its profile if it is to be kept. Gives false when there is
    /// nothing to save, and then nothing is done.
    pub(super) async fn end_saving(&self, session: &SessionRecord) -> bool {
        let parameters = CreateParameters::of_stored(&session.settings, None);
        let context = parameters.ok().and_then(|parameters| parameters.context);
        let Some(ContextSettings { id, persist: true }) = context else {
            return false;
        };
        let handle = session.engine_session.as_ref();
        let handle = handle.filter(|_| session.state != SessionState::Error);
        let version = match handle {
            Some(handle) => self.save(&id, &session.id, handle).await,
            None => None,
        };
        let finished = self
            .inner
            .store
            .finish_context(&id, &session.id, version.as_deref())
            .await;
        if let Err(error) = finished {
            tracing::warn!(context = id, %error, "a context could not be given its new version");
        }
        handle.is_some()
    }

    /// Saves the profile of a session as a version of a context. Gives the version.
    async fn save(&self, id: &str, session: &str, handle: &Value) -> Option<String> {
        let before = self.inner.store.context(id).await.ok().flatten();
        let Ok(folder) = self.context_folder(id) else {
            self.end_browser(handle).await;
            return None;
        };
        // A session writes one version, so its id names it.
        let version = folder.join(session);
        match self.inner.engine.end_saving(handle, &version).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::warn!(session, context = id, "the profile of a session was not saved");
                return None;
            }
            Err(error) => {
                tracing::warn!(session, context = id, %error, "the profile of a session was not saved");
                return None;
            }
        }
        match before {
            Some(before) if before.writer.as_deref() == Some(session) => {
                // Somebody may still be copying the one before.
                self.remove_versions(id, &[Some(session), before.version.as_deref()])
                    .await;
                Some(session.to_owned())
            }
            // It has been removed, or another session took its turn.
            Some(_) => {
                remove(version).await;
                None
            }
            None => {
                remove(folder).await;
                None
            }
        }
    }

    /// Removes the versions of a context but these.
    async fn remove_versions(&self, id: &str, but: &[Option<&str>]) {
        let Ok(folder) = self.context_folder(id) else {
            return;
        };
        let Ok(mut entries) = tokio::fs::read_dir(folder).await else {
            return;
        };
        while let Ok(Some(entry)) = entries.next_entry().await {
            let name = entry.file_name();
            if !but.iter().flatten().any(|stays| name == *stays) {
                remove(entry.path()).await;
            }
        }
    }

    /// Its id becomes a name of a file, so it must be one of ours.
    fn context_folder(&self, id: &str) -> Result<PathBuf, PlatformError> {
        uuid::Uuid::try_parse(id).map_err(|_| PlatformError::NoContext(id.to_owned()))?;
        let folder = self.inner.options.folder.as_ref();
        let folder = folder.ok_or(PlatformError::NoFolder("contexts"))?;
        Ok(folder.join(FOLDER).join(id))
    }
}

async fn remove(folder: PathBuf) {
    match tokio::fs::remove_dir_all(&folder).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "a part of a context could not be removed");
        }
        _ => {}
    }
}
