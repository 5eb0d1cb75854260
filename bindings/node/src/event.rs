//! What happens on a page, on its way to listeners.

use automator::{
    AnsweredDialog, ConsoleMessage, Dialog, DialogAnswer, Download, DownloadState, EventKind, FileChooser,
    OpenDialog, Page, PageError, PageEvent, ScriptLocation,
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
                told.json = message_to_json(&message);
                told._message = Some(message);
            }
            PageEvent::Error(error) => {
                told.kind = EventKind::Error.name();
                told.json = error_to_json(&error);
            }
            PageEvent::DialogOpened(opened) => {
                told.kind = EventKind::DialogOpened.name();
                told.json = dialog_to_json(opened.dialog());
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
    [
        EventKind::Console,
        EventKind::Error,
        EventKind::DialogOpened,
        EventKind::Download,
        EventKind::FileChooser,
        EventKind::PopUp,
        EventKind::Closed,
    ]
    .into_iter()
    .find(|kind| kind.name() == name)
    .ok_or_else(|| {
        Error::new(
            Status::InvalidArg,
            format!("there are no events of the kind {name}"),
        )
    })
}

fn location_to_json(location: &ScriptLocation) -> Value {
    json!({ "url": location.url, "lineNumber": location.line, "columnNumber": location.column })
}

fn message_to_json(message: &ConsoleMessage) -> Value {
    let arguments = message.args();
    let arguments = arguments
        .iter()
        .map(|argument| json!({ "value": argument.preview(), "objectId": argument.object_id() }));
    json!({
        "type": message.kind(),
        "text": message.text(),
        "args": arguments.collect::<Vec<Value>>(),
        "location": location_to_json(message.location()),
        "timestamp": message.timestamp(),
    })
}

fn error_to_json(error: &PageError) -> Value {
    json!({
        "message": error.message,
        "stack": error.stack,
        "location": location_to_json(&error.location),
        "timestamp": error.timestamp,
    })
}

fn dialog_to_json(dialog: &Dialog) -> Value {
    json!({
        "type": dialog.kind,
        "message": dialog.message,
        "defaultValue": dialog.default_prompt,
        "url": dialog.url,
    })
}

pub(crate) fn answered_to_json(dialog: &AnsweredDialog) -> Value {
    let (is_accepted, text) = match &dialog.answer {
        DialogAnswer::Accept(text) => (true, text.as_deref()),
        DialogAnswer::Dismiss => (false, None),
    };
    let mut told = dialog_to_json(&dialog.dialog);
    told["accepted"] = is_accepted.into();
    told["answer"] = text.into();
    told["pageId"] = dialog.page_id.as_str().into();
    told
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
