//! Elements by selector.

use std::time::Duration;

use automator::{FilePayload, FrameLocator, Locator};
use pyo3::prelude::*;
use serde_json::json;

use crate::error::Handed as _;
use crate::json::{options, written};
use crate::work::{Work, work};

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeLocator {
    locator: Locator,
}

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeFrameLocator {
    locator: FrameLocator,
}

/// A file that exists in memory only: name, type, bytes, and when it was last changed.
type Payload = (String, String, Vec<u8>, Option<i64>);

impl NativeLocator {
    pub(crate) fn new(locator: Locator) -> Self {
        Self { locator }
    }
}

impl NativeFrameLocator {
    pub(crate) fn new(locator: FrameLocator) -> Self {
        Self { locator }
    }
}

#[pymethods]
impl NativeFrameLocator {
    fn locator(&self, selector: &str) -> NativeLocator {
        NativeLocator::new(self.locator.locator(selector))
    }

    fn frame_locator(&self, selector: &str) -> NativeFrameLocator {
        Self::new(self.locator.frame_locator(selector))
    }
}

#[pymethods]
impl NativeLocator {
    fn nth(&self, index: usize) -> NativeLocator {
        Self::new(self.locator.nth(index))
    }

    #[pyo3(signature = (given))]
    fn click(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(async move { locator.click_with(&options).await.handed() }))
    }

    fn double_click(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.double_click().await.handed() })
    }

    #[pyo3(signature = (given))]
    fn hover(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(async move { locator.hover_with(&options).await.handed() }))
    }

    fn tap(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.tap().await.handed() })
    }

    fn set_checked(&self, is_on: bool) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.set_checked(is_on).await.handed() })
    }

    #[pyo3(signature = (text, given))]
    fn fill(&self, text: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(
            async move { locator.fill_with(&text, &options).await.handed() },
        ))
    }

    #[pyo3(name = "type", signature = (text, given))]
    fn type_text(&self, text: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(async move {
            locator.type_text_with(&text, &options).await.handed()
        }))
    }

    fn press(&self, key: String) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.press(&key).await.handed() })
    }

    fn focus(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.focus().await.handed() })
    }

    fn select_option(&self, choices: Vec<String>) -> Work {
        let locator = self.locator.clone();
        work(async move {
            let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
            locator.select_option(&choices).await.handed()
        })
    }

    fn set_input_files(&self, paths: Vec<String>) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.set_input_files(paths).await.handed() })
    }

    fn set_input_payloads(&self, files: Vec<Payload>) -> Work {
        let files = files
            .into_iter()
            .map(|(name, mime_type, bytes, last_modified)| FilePayload {
                name,
                mime_type,
                bytes,
                last_modified,
            })
            .collect();
        let locator = self.locator.clone();
        work(async move { locator.set_input_payloads(files).await.handed() })
    }

    #[pyo3(signature = (target, given))]
    fn drag_to(&self, target: &NativeLocator, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let (locator, target) = (self.locator.clone(), target.locator.clone());
        Ok(work(async move {
            locator.drag_to_with(&target, &options).await.handed()
        }))
    }

    fn scroll_to(&self, percent: f64) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.scroll_to(percent).await.handed() })
    }

    fn scroll_by(&self, across: f64, down: f64) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.scroll_by(across, down).await.handed() })
    }

    fn scroll_into_view(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.scroll_into_view().await.handed() })
    }

    #[pyo3(signature = (given))]
    fn send_click_event(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(
            async move { locator.send_click_event(&options).await.handed() },
        ))
    }

    #[pyo3(signature = (given))]
    fn highlight(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(
            async move { locator.highlight_with(&options).await.handed() },
        ))
    }

    #[pyo3(signature = (given))]
    fn wait_for(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let locator = self.locator.clone();
        Ok(work(async move { locator.wait_for(&options).await.handed() }))
    }

    fn count(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.count().await.handed() })
    }

    fn is_visible(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.is_visible().await.handed() })
    }

    fn is_enabled(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.is_enabled().await.handed() })
    }

    fn is_checked(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.is_checked().await.handed() })
    }

    fn input_value(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.input_value().await.handed() })
    }

    fn text_content(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.text_content().await.handed() })
    }

    fn inner_text(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.inner_text().await.handed() })
    }

    fn inner_html(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.inner_html().await.handed() })
    }

    fn get_attribute(&self, name: String) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.get_attribute(&name).await.handed() })
    }

    /// JSON; `null` when it has no box.
    fn bounding_box(&self) -> Work {
        let locator = self.locator.clone();
        work(async move {
            let found = locator.bounding_box().await.handed()?;
            let found = found.map(
                |found| json!({ "x": found.x, "y": found.y, "width": found.width, "height": found.height }),
            );
            written(&found)
        })
    }

    fn centroid(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.centroid().await.handed() })
    }

    fn backend_node_id(&self) -> Work {
        let locator = self.locator.clone();
        work(async move { locator.backend_node_id().await.handed() })
    }
}

/// A time that the Python half has checked to be a number that is not below zero.
pub(crate) fn milliseconds(given: f64) -> Duration {
    Duration::try_from_secs_f64(given / 1000.0).unwrap_or(Duration::MAX)
}
