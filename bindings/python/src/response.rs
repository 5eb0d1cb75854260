//! What a server answered to a navigation.

use automator::{Response, ToJson as _};
use pyo3::prelude::*;

use crate::error::Handed as _;
use crate::frame::NativeFrame;
use crate::json::written;
use crate::work::{Work, work};

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeResponse {
    response: Response,
}

impl NativeResponse {
    pub(crate) fn new(response: Response) -> Self {
        Self { response }
    }
}

#[pymethods]
impl NativeResponse {
    /// What is known at once, as JSON.
    fn head(&self) -> PyResult<String> {
        written(&self.response.to_json())
    }

    fn all_headers(&self) -> Work {
        let response = self.response.clone();
        work(async move { response.all_headers().await.handed() })
    }

    fn header_value(&self, name: String) -> Work {
        let response = self.response.clone();
        work(async move { response.header_value(&name).await.handed() })
    }

    fn header_values(&self, name: String) -> Work {
        let response = self.response.clone();
        work(async move { response.header_values(&name).await.handed() })
    }

    fn headers_array(&self) -> Work {
        let response = self.response.clone();
        work(async move { response.headers_array().await.handed() })
    }

    fn frame(&self, py: Python<'_>) -> NativeFrame {
        py.detach(|| NativeFrame::new(self.response.frame()))
    }

    fn finished(&self) -> Work {
        let response = self.response.clone();
        work(async move { response.finished().await.handed() })
    }

    fn body(&self) -> Work {
        let response = self.response.clone();
        work(async move { response.body().await.handed() })
    }

    fn text(&self) -> Work {
        let response = self.response.clone();
        work(async move { response.text().await.handed() })
    }

    /// JSON.
    fn json(&self) -> Work {
        let response = self.response.clone();
        work(async move { written(&response.json().await.handed()?) })
    }
}
