//! What a server answered to a navigation.

use automator::Response;
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use serde_json::json;

use crate::error::{Handed as _, Result};
use crate::frame::NativeFrame;
use crate::json::written;

#[napi]
pub struct NativeResponse {
    response: Response,
}

impl NativeResponse {
    pub(crate) fn new(response: Response) -> Self {
        Self { response }
    }
}

#[napi]
impl NativeResponse {
    /// What is known at once, as JSON.
    #[napi]
    pub fn head(&self) -> Result<String> {
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

    #[napi]
    pub async fn all_headers(&self) -> Result<String> {
        written(&self.response.all_headers().await.handed()?)
    }

    #[napi]
    pub async fn header_value(&self, name: String) -> Result<Option<String>> {
        self.response.header_value(&name).await.handed()
    }

    #[napi]
    pub async fn header_values(&self, name: String) -> Result<Vec<String>> {
        self.response.header_values(&name).await.handed()
    }

    #[napi]
    pub async fn headers_array(&self) -> Result<String> {
        written(&self.response.headers_array().await.handed()?)
    }

    #[napi]
    pub fn frame(&self) -> NativeFrame {
        NativeFrame::new(self.response.frame())
    }

    #[napi]
    pub async fn finished(&self) -> Result<()> {
        self.response.finished().await.handed()
    }

    #[napi]
    pub async fn body(&self) -> Result<Buffer> {
        self.response.body().await.handed().map(Buffer::from)
    }

    #[napi]
    pub async fn text(&self) -> Result<String> {
        self.response.text().await.handed()
    }

    #[napi]
    pub async fn json(&self) -> Result<String> {
        written(&self.response.json().await.handed()?)
    }
}
