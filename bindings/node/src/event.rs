//! What happens on a page, on its way to listeners.

use automator::{
    ConsoleMessage, Download, DownloadState, EventKind, FileChooser, OpenDialog, Page, PageEvent, ToJson as _,
};
use napi::{Error, Status};
use napi_derive::napi;
use serde_json::{Value, json};

use crate::error::{Handed as _, Result};
use crate::page::NativePage;

/// An event of a page. What can be told in JSON is in `json`; the others bring an object.
#[napi]
pub struct NativeEvent {
    kind: &'static str,
    json: Value,
    /// Kept so that the page keeps the objects that the arguments of the line are.
    _message: Option<ConsoleMessage>,
    dialog: Option<OpenDialog>,
    download: Option<Download>,
    file_chooser: Option<FileChooser>,
    pop_up: Option<Page>,
}

impl NativeEvent {
    /// None for a kind that nobody here asks for.
    pub(crate) fn new(event: PageEvent) -> Option<Self> {
        let mut told = Self {
            kind: "",
            json: Value::Null,
            _message: None,
            dialog: None,
            download: None,
            file_chooser: None,
            pop_up: None,
        };
        match event {
            PageEvent::Console(message) => {
                told.kind = EventKind::Console.name();
                told.json = message.to_json();
                told._message = Some(message);
            }
            PageEvent::Error(error) => {
                told.kind = EventKind::Error.name();
                told.json = error.to_json();
            }
            PageEvent::DialogOpened(opened) => {
                told.kind = EventKind::DialogOpened.name();
                told.json = opened.dialog().to_json();
                told.dialog = Some(opened);
            }
            PageEvent::Download(download) => {
                told.kind = EventKind::Download.name();
                told.download = Some(download);
            }
            PageEvent::FileChooser(chooser) => {
                told.kind = EventKind::FileChooser.name();
                told.json = json!({ "isMultiple": chooser.is_multiple() });
                told.file_chooser = Some(chooser);
            }
            PageEvent::PopUp(page) => {
                told.kind = EventKind::PopUp.name();
                told.pop_up = Some(page);
            }
            PageEvent::Closed => told.kind = EventKind::Closed.name(),
            _ => return None,
        }
        Some(told)
    }
}

#[napi]
impl NativeEvent {
    #[napi]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    #[napi]
    pub fn json(&self) -> String {
        self.json.to_string()
    }

    #[napi]
    pub fn download(&self) -> Option<NativeDownload> {
        self.download.clone().map(NativeDownload::new)
    }

    #[napi]
    pub fn pop_up(&self) -> Option<NativePage> {
        self.pop_up.clone().map(NativePage::new)
    }

    /// With a text the answer of a prompt.
    #[napi]
    pub async fn accept_dialog(&self, text: Option<String>) -> Result<()> {
        match text {
            Some(text) => self.dialog()?.accept_with(&text).await.handed(),
            None => self.dialog()?.accept().await.handed(),
        }
    }

    #[napi]
    pub async fn dismiss_dialog(&self) -> Result<()> {
        self.dialog()?.dismiss().await.handed()
    }

    /// Leaves the dialog to the policy if nobody has answered it.
    #[napi]
    pub fn leave_dialog(&self) {
        if let Some(dialog) = &self.dialog {
            dialog.leave();
        }
    }

    #[napi]
    pub async fn set_files(&self, paths: Vec<String>) -> Result<()> {
        match &self.file_chooser {
            Some(chooser) => chooser.set_files(paths).await.handed(),
            None => Err(Error::new(Status::InvalidArg, "the event is no file chooser")),
        }
    }
}

impl NativeEvent {
    fn dialog(&self) -> Result<&OpenDialog> {
        let none = || Error::new(Status::InvalidArg, "the event is no dialog");
        self.dialog.as_ref().ok_or_else(none)
    }
}

/// The kind of events with this name.
pub(crate) fn kind_of(name: &str) -> Result<EventKind> {
    // Answered dialogs are told of apart.
    EventKind::from_name(name)
        .filter(|kind| *kind != EventKind::Dialog)
        .ok_or_else(|| {
            Error::new(
                Status::InvalidArg,
                format!("there are no events of the kind {name}"),
            )
        })
}

#[napi]
pub struct NativeDownload {
    download: Download,
}

impl NativeDownload {
    pub(crate) fn new(download: Download) -> Self {
        Self { download }
    }
}

#[napi]
impl NativeDownload {
    #[napi]
    pub fn url(&self) -> String {
        self.download.url().to_owned()
    }

    #[napi]
    pub fn suggested_filename(&self) -> String {
        self.download.suggested_filename().to_owned()
    }

    #[napi]
    pub fn state(&self) -> &'static str {
        match self.download.state() {
            DownloadState::Completed => "completed",
            DownloadState::Canceled => "canceled",
            DownloadState::Denied => "denied",
            _ => "inProgress",
        }
    }

    #[napi]
    pub fn path(&self) -> Option<String> {
        let path = self.download.path()?;
        Some(path.to_string_lossy().into_owned())
    }

    #[napi]
    pub async fn finished(&self) -> Result<String> {
        let path = self.download.finished().await.handed()?;
        Ok(path.to_string_lossy().into_owned())
    }

    #[napi]
    pub async fn cancel(&self) -> Result<()> {
        self.download.cancel().await.handed()
    }
}
