//! What happens on a page, on its way to listeners.

use automator::{
    AnsweredDialog, ConsoleMessage, Dialog, DialogAnswer, Download, DownloadState, EventKind, FileChooser,
    OpenDialog, Page, PageError, PageEvent, ScriptLocation,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::error::Handed as _;
use crate::page::NativePage;
use crate::work::{Work, work};

/// An event of a page. What can be told in JSON is in `json`; the others bring an object.
#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeEvent {
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
            json: Value::Null,
            _message: None,
            dialog: None,
            download: None,
            file_chooser: None,
            pop_up: None,
        };
        match event {
            PageEvent::Console(message) => {
                told.json = message_to_json(&message);
                told._message = Some(message);
            }
            PageEvent::Error(error) => told.json = error_to_json(&error),
            PageEvent::DialogOpened(opened) => {
                told.json = dialog_to_json(opened.dialog());
                told.dialog = Some(opened);
            }
            PageEvent::Download(download) => told.download = Some(download),
            PageEvent::FileChooser(chooser) => {
                told.json = json!({ "isMultiple": chooser.is_multiple() });
                told.file_chooser = Some(chooser);
            }
            PageEvent::PopUp(page) => told.pop_up = Some(page),
            PageEvent::Closed => {}
            _ => return None,
        }
        Some(told)
    }

    fn open_dialog(&self) -> PyResult<OpenDialog> {
        let dialog = self.dialog.clone();
        dialog.ok_or_else(|| PyValueError::new_err("the event is no dialog"))
    }
}

#[pymethods]
impl NativeEvent {
    fn json(&self) -> String {
        self.json.to_string()
    }

    fn download(&self) -> Option<NativeDownload> {
        self.download.clone().map(NativeDownload::new)
    }

    fn pop_up(&self) -> Option<NativePage> {
        self.pop_up.clone().map(NativePage::new)
    }

    /// With a text the answer of a prompt.
    #[pyo3(signature = (text))]
    fn accept_dialog(&self, text: Option<String>) -> PyResult<Work> {
        let dialog = self.open_dialog()?;
        Ok(work(async move {
            match text {
                Some(text) => dialog.accept_with(&text).await.handed(),
                None => dialog.accept().await.handed(),
            }
        }))
    }

    fn dismiss_dialog(&self) -> PyResult<Work> {
        let dialog = self.open_dialog()?;
        Ok(work(async move { dialog.dismiss().await.handed() }))
    }

    /// Leaves the dialog to the policy if nobody has answered it.
    fn leave_dialog(&self, py: Python<'_>) {
        if let Some(dialog) = &self.dialog {
            py.detach(|| dialog.leave());
        }
    }

    fn set_files(&self, paths: Vec<String>) -> PyResult<Work> {
        let chooser = self.file_chooser.clone();
        let chooser = chooser.ok_or_else(|| PyValueError::new_err("the event is no file chooser"))?;
        Ok(work(async move { chooser.set_files(paths).await.handed() }))
    }
}

/// The kind of events with this name.
pub(crate) fn kind_of(name: &str) -> PyResult<EventKind> {
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
    .ok_or_else(|| PyValueError::new_err(format!("there are no events of the kind {name}")))
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

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeDownload {
    download: Download,
}

impl NativeDownload {
    pub(crate) fn new(download: Download) -> Self {
        Self { download }
    }
}

#[pymethods]
impl NativeDownload {
    fn url(&self) -> &str {
        self.download.url()
    }

    fn suggested_filename(&self) -> &str {
        self.download.suggested_filename()
    }

    fn state(&self, py: Python<'_>) -> &'static str {
        match py.detach(|| self.download.state()) {
            DownloadState::Completed => "completed",
            DownloadState::Canceled => "canceled",
            DownloadState::Denied => "denied",
            _ => "in_progress",
        }
    }

    fn path(&self, py: Python<'_>) -> Option<String> {
        let path = py.detach(|| self.download.path())?;
        Some(path.to_string_lossy().into_owned())
    }

    fn finished(&self) -> Work {
        let download = self.download.clone();
        work(async move {
            let path = download.finished().await.handed()?;
            Ok(path.to_string_lossy().into_owned())
        })
    }

    fn cancel(&self) -> Work {
        let download = self.download.clone();
        work(async move { download.cancel().await.handed() })
    }
}
