//! File choosers: what a page opens when it wants files from the user.

use std::path::PathBuf;

use automator_cdp::Session;
use automator_cdp::protocol::dom::{ResolveNode, SetFileInputFiles};
use automator_cdp::protocol::page::{FileChooserOpenedEvent, file_chooser_opened_event_mode};
use automator_cdp::protocol::runtime::{CallArgument, CallFunctionOn};

use crate::element::files;
use crate::locator::FilePayload;
use crate::{BrowserError, Frame, Handle, Page};

const GIVE: &str = include_str!("../js/give_files.js");

/// A file chooser that a page has opened. No window is shown: the page waits for files, and does so without harm
/// when none are given.
#[derive(Debug, Clone)]
pub struct FileChooser {
    page: Page,
    opened: ChooserOpened,
}

/// A chooser as the router knows it.
#[derive(Debug, Clone)]
pub(crate) struct ChooserOpened {
    session: Session,
    frame_id: String,
    backend_node_id: i64,
    is_multiple: bool,
}

impl ChooserOpened {
    /// None when no element is behind it, as with `showOpenFilePicker()`: the browser offers no way to answer that.
    pub(crate) fn new(session: Session, event: FileChooserOpenedEvent) -> Option<Self> {
        Some(Self {
            session,
            frame_id: event.frame_id,
            backend_node_id: event.backend_node_id?,
            is_multiple: event.mode == file_chooser_opened_event_mode::SELECT_MULTIPLE,
        })
    }
}

impl FileChooser {
    pub(crate) fn new(page: Page, opened: ChooserOpened) -> Self {
        Self { page, opened }
    }

    /// The page that wants the files.
    pub fn page(&self) -> &Page {
        &self.page
    }

    /// The frame that its element is in; none when it has gone.
    pub fn frame(&self) -> Option<Frame> {
        self.page.frame(&self.opened.frame_id)
    }

    /// Whether several files may be given.
    pub fn is_multiple(&self) -> bool {
        self.opened.is_multiple
    }

    /// The file input behind it, for commands that take a `backendNodeId`.
    pub fn backend_node_id(&self) -> i64 {
        self.opened.backend_node_id
    }

    /// Gives it these files; none empties the input. A browser on another machine gets their content, at most 50 MB
    /// each.
    ///
    /// # Errors
    /// [`BrowserError::Files`] when one of them is not there, or several are given where one is wanted;
    /// [`BrowserError::UnreadableFile`] and [`BrowserError::FileTooLarge`] when its content cannot be sent;
    /// [`BrowserError::FrameGone`] and the like when the input has gone.
    pub async fn set_files(&self, paths: &[PathBuf]) -> Result<(), BrowserError> {
        if paths.len() > 1 && !self.is_multiple() {
            return Err(BrowserError::Files {
                problem: format!("the page takes one file, and {} are given", paths.len()),
            });
        }
        if paths.is_empty() {
            // The browser's own command takes an empty list for nothing to do.
            return self.give(&[]).await;
        }
        let mut found = Vec::with_capacity(paths.len());
        for path in paths {
            let absolute = tokio::fs::canonicalize(path)
                .await
                .map_err(|error| BrowserError::Files {
                    problem: format!("{} cannot be read: {error}", path.display()),
                })?;
            found.push(absolute);
        }
        if !self.page.browser().is_on_this_machine() {
            let mut payloads = Vec::with_capacity(found.len());
            for file in &found {
                payloads.push(files::read(file).await?);
            }
            return self.give(&payloads).await;
        }
        let files = found.iter().map(|file| file.to_string_lossy().into_owned());
        let command = SetFileInputFiles {
            files: files.collect(),
            backend_node_id: Some(self.opened.backend_node_id),
            ..SetFileInputFiles::default()
        };
        let setting = async { Ok(self.opened.session.send(&command).await?) };
        self.page.or_end(setting).await?;
        Ok(())
    }

    /// Gives it files by their content.
    async fn give(&self, files: &[FilePayload]) -> Result<(), BrowserError> {
        let files = files::for_scripts(files)?;
        let frame = self.frame().ok_or(BrowserError::FrameGone)?;
        let session = &self.opened.session;
        let resolve = ResolveNode {
            backend_node_id: Some(self.opened.backend_node_id),
            execution_context_id: Some(frame.isolated_context().await?),
            ..ResolveNode::default()
        };
        let giving = async {
            let object_id = session.send(&resolve).await?.object.object_id;
            let input = Handle::new(session.clone(), object_id.ok_or(BrowserError::FrameGone)?);
            let call = CallFunctionOn {
                function_declaration: GIVE.to_owned(),
                object_id: Some(input.object_id().to_owned()),
                arguments: Some(vec![CallArgument {
                    value: Some(files),
                    ..CallArgument::default()
                }]),
                ..CallFunctionOn::default()
            };
            session.send(&call).await?;
            Ok(())
        };
        self.page.or_end(giving).await
    }
}
