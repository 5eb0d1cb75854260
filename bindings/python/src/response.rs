//! What a server answered to a navigation.

use automator::Response;
use pyo3::prelude::*;
use serde_json::json;

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
        let response = &self.response;
        written(&json!({
            "url": response.url(),
            "status": response.status(),
            "statusText": response.status_text(),
            "ok": response.is_ok(),
            "headers": response.headers(),
            "mimeType": response.mime_type(),
            "fromServiceWorker": response.is_from_service_worker(),
            "securityDetails": response.security_details().map(|details| json!({
                "protocol": details.protocol,
                "subjectName": details.subject_name,
                "issuer": details.issuer,
                "validFrom": details.valid_from,
                "validTo": details.valid_to,
            })),
            "serverAddr": response.server_address().map(|address| json!({
                "ipAddress": address.ip_address,
                "port": address.port,
            })),
        }))
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
