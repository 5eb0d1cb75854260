//! What a server answered to a navigation.

use automator::{Response, ToJson as _};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

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
        written(&self.response.to_json())
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
