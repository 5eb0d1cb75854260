//! What happens on a page, on its way to listeners.

use automator::{
    ConsoleMessage, Download, DownloadState, EventKind, FileChooser, OpenDialog, Page, PageEvent, ToJson as _,
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
                told.json = message.to_json();
                told._message = Some(message);
            }
            PageEvent::Error(error) => told.json = error.to_json(),
            PageEvent::DialogOpened(opened) => {
                told.json = opened.dialog().to_json();
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
    // Answered dialogs are told of apart.
    EventKind::from_name(name)
        .filter(|kind| *kind != EventKind::Dialog)
        .ok_or_else(|| PyValueError::new_err(format!("there are no events of the kind {name}")))
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
