//! A frame of a page.

use automator::Frame;
use pyo3::prelude::*;

use crate::error::Handed as _;
use crate::json::{parsed, written};
use crate::locator::{NativeFrameLocator, NativeLocator};
use crate::work::{Work, work};

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeFrame {
    frame: Frame,
}

impl NativeFrame {
    pub(crate) fn new(frame: Frame) -> Self {
        Self { frame }
    }
}

#[pymethods]
impl NativeFrame {
    fn id(&self) -> &str {
        self.frame.id()
    }

    fn parent(&self, py: Python<'_>) -> Option<NativeFrame> {
        py.detach(|| self.frame.parent().map(Self::new))
    }

    fn url(&self, py: Python<'_>) -> String {
        py.detach(|| self.frame.url())
    }

    fn name(&self, py: Python<'_>) -> String {
        py.detach(|| self.frame.name())
    }

    fn locator(&self, selector: &str) -> NativeLocator {
        NativeLocator::new(self.frame.locator(selector))
    }

    fn deep_locator(&self, selector: &str) -> NativeLocator {
        NativeLocator::new(self.frame.deep_locator(selector))
    }

    fn frame_locator(&self, selector: &str) -> NativeFrameLocator {
        NativeFrameLocator::new(self.frame.frame_locator(selector))
    }

    /// Argument and value are JSON.
    #[pyo3(signature = (source, argument))]
    fn evaluate(&self, source: String, argument: Option<&str>) -> PyResult<Work> {
        let argument = argument.map(parsed).transpose()?;
        let frame = self.frame.clone();
        Ok(work(async move {
            let value = match argument {
                Some(argument) => frame.evaluate_with(&source, &argument).await,
                None => frame.evaluate(&source).await,
            };
            written(&value.handed()?)
        }))
    }
}
