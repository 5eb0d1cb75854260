//! Files for file inputs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use automator_cdp::protocol::dom::SetFileInputFiles;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::element::reach::{Limits, Reached};
use crate::locator::{ElementClickOptions, FilePayload, Files, Locator, Performed};
use crate::{BrowserError, EventKind, PageEvent};

/// The largest file that is handed to the page through the protocol, in bytes.
const INJECTED_LIMIT: u64 = 50 * 1024 * 1024;

/// Why an element is refused that may open a file chooser when it is pressed.
const BEHIND: &str = "no-file-input-itself";

/// How long a page may take to open a file chooser.
const CHOOSER_OPENS: Duration = Duration::from_millis(1500);

impl Locator {
    /// Gives files to a file input, also to one that is hidden; a label, or a wrapper with just one file input in it,
    /// stands for the input. A button or another element that opens a file chooser is pressed, and the chooser gets
    /// the files, which must be on this computer then. No files clear an input.
    ///
    /// Files that exist in memory only, and all files when the browser is on another machine, are handed over
    /// through the protocol, at most 50 MB each.
    ///
    /// # Errors
    /// [`BrowserError::Unsuitable`] for other elements, and for several files where one is taken;
    /// [`BrowserError::UnreadableFile`]; [`BrowserError::FileTooLarge`]; [`BrowserError::NoEffect`]; else see
    /// [`Locator`].
    pub async fn set_input_files(&self, files: &Files) -> Result<Performed, BrowserError> {
        let mut limits = Self::limits(None);
        let _turn = self.turn(&limits).await?;
        let count = match files {
            Files::Paths(paths) => paths.len(),
            Files::Payloads(payloads) => payloads.len(),
        };
        let reached = match files {
            Files::Paths(paths) if !paths.is_empty() && self.page().browser().is_on_this_machine() => {
                match self.set_paths(paths, &mut limits).await {
                    Err(BrowserError::Unsuitable { reason, .. }) if reason == BEHIND => {
                        return self.give_to_chooser(paths, &mut limits).await;
                    }
                    reached => reached?,
                }
            }
            Files::Paths(paths) => {
                let mut payloads = Vec::new();
                for path in paths {
                    payloads.push(read(path).await?);
                }
                self.inject(&payloads, &mut limits).await?
            }
            Files::Payloads(payloads) => self.inject(payloads, &mut limits).await?,
        };
        let performed = Performed {
            attempts: 1,
            has_left: reached.outcome.is == "left",
            ..Performed::default()
        };
        if performed.has_left {
            return Ok(performed);
        }
        let taken = reached.frame.ask_afterwards("filesTaken", &[]).await;
        match taken {
            Ok(Some(taken)) if taken.as_u64() == u64::try_from(count).ok() => Ok(performed),
            Ok(Some(taken)) => Err(BrowserError::NoEffect {
                selector: self.to_string(),
                action: "setInputFiles",
                found: format!("the input has {taken} of {count} files"),
                may_have_happened: true,
            }),
            Ok(None) | Err(BrowserError::FrameGone | BrowserError::PageClosed) => Ok(Performed {
                has_left: true,
                ..performed
            }),
            Err(error) => Err(self.broken_off("setInputFiles", error)),
        }
    }

    /// Presses what opens a file chooser, and gives the files to that.
    async fn give_to_chooser(
        &self,
        paths: &[PathBuf],
        limits: &mut Limits,
    ) -> Result<Performed, BrowserError> {
        let mut events = self.page().events(&[EventKind::FileChooser]).await?;
        let performed = self
            .click_in_turn(&ElementClickOptions::default(), limits)
            .await?;
        let opening = tokio::time::timeout(CHOOSER_OPENS, events.next());
        let Ok(Some(PageEvent::FileChooser(chooser))) = opening.await else {
            return Err(BrowserError::NoEffect {
                selector: self.to_string(),
                action: "setInputFiles",
                found: "it is no file input, and a click on it opened no file chooser".to_owned(),
                may_have_happened: true,
            });
        };
        chooser.set_files(paths).await?;
        Ok(performed)
    }

    async fn set_paths(&self, paths: &[PathBuf], limits: &mut Limits) -> Result<Reached, BrowserError> {
        let mut files = Vec::new();
        for path in paths {
            let unreadable = |source| BrowserError::UnreadableFile {
                path: path.clone(),
                source,
            };
            // The browser takes whatever it is told, and the page finds out later that there is nothing.
            let file = tokio::fs::File::open(path).await.map_err(unreadable)?;
            if file.metadata().await.map_err(unreadable)?.is_dir() {
                return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
            }
            let absolute = std::path::absolute(path).map_err(unreadable)?;
            files.push(absolute.to_string_lossy().into_owned());
        }
        let reached = self.take_files(paths.len(), Value::Null, limits).await?;
        let input = reached.frame.call_library_for_handle("fileInput", &[]).await?;
        let input = input.ok_or_else(|| self.missing())?;
        let command = SetFileInputFiles {
            files,
            object_id: Some(input.object_id().to_owned()),
            ..SetFileInputFiles::default()
        };
        let session = reached.frame.session()?;
        let setting = async { Ok(session.send(&command).await?) };
        let set = self.page().or_end(setting).await;
        set.map_err(|error| self.broken_off("setInputFiles", error))?;
        Ok(reached)
    }

    async fn inject(&self, payloads: &[FilePayload], limits: &mut Limits) -> Result<Reached, BrowserError> {
        let files = for_scripts(payloads)?;
        self.take_files(payloads.len(), files, limits).await
    }

    async fn take_files(
        &self,
        count: usize,
        files: Value,
        limits: &mut Limits,
    ) -> Result<Reached, BrowserError> {
        let options = json!({ "count": count, "files": files });
        self.reach("takeFiles", "set files of", options, limits).await
    }
}

/// Files by their content, as scripts take them.
pub(crate) fn for_scripts(payloads: &[FilePayload]) -> Result<Value, BrowserError> {
    let mut files = Vec::new();
    for payload in payloads {
        check_size(&payload.name, payload.bytes.len())?;
        files.push(json!({
            "name": payload.name,
            "type": payload.mime_type,
            "lastModified": payload.last_modified,
            "data": BASE64_STANDARD.encode(&payload.bytes),
        }));
    }
    Ok(Value::Array(files))
}

fn check_size(name: &str, size: usize) -> Result<(), BrowserError> {
    let size = u64::try_from(size).unwrap_or(u64::MAX);
    if size <= INJECTED_LIMIT {
        return Ok(());
    }
    Err(BrowserError::FileTooLarge {
        name: name.to_owned(),
        size,
        limit: INJECTED_LIMIT,
    })
}

pub(crate) async fn read(path: &Path) -> Result<FilePayload, BrowserError> {
    let unreadable = |source| BrowserError::UnreadableFile {
        path: path.to_owned(),
        source,
    };
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let facts = tokio::fs::metadata(path).await.map_err(unreadable)?;
    check_size(&name, usize::try_from(facts.len()).unwrap_or(usize::MAX))?;
    let changed = facts.modified().ok().and_then(|time| {
        let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok()
    });
    Ok(FilePayload {
        name,
        mime_type: String::new(),
        bytes: tokio::fs::read(path).await.map_err(unreadable)?,
        last_modified: changed,
    })
}
