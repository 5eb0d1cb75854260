//! Elements by selector.

use std::time::Duration;

use automator::{FilePayload, FrameLocator, Locator};
use napi::Env;
use napi::bindgen_prelude::{AsyncBlock, AsyncBlockBuilder, Buffer};
use napi_derive::napi;
use serde_json::json;

use crate::error::{Handed as _, Result};
use crate::json::{options, written};

#[napi]
pub struct NativeLocator {
    locator: Locator,
}

#[napi]
pub struct NativeFrameLocator {
    locator: FrameLocator,
}

/// A file that exists in memory only.
#[napi(object)]
pub struct Payload {
    pub name: String,
    pub mime_type: String,
    pub buffer: Buffer,
    pub last_modified: Option<f64>,
}

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

#[napi]
impl NativeFrameLocator {
    #[napi]
    pub fn locator(&self, selector: String) -> NativeLocator {
        NativeLocator::new(self.locator.locator(&selector))
    }

    #[napi]
    pub fn frame_locator(&self, selector: String) -> NativeFrameLocator {
        Self::new(self.locator.frame_locator(&selector))
    }
}

#[napi]
impl NativeLocator {
    #[napi]
    pub fn nth(&self, index: u32) -> NativeLocator {
        Self::new(self.locator.nth(index as usize))
    }

    #[napi]
    pub async fn click(&self, given: Option<String>) -> Result<()> {
        self.locator
            .click_with(&options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn double_click(&self) -> Result<()> {
        self.locator.double_click().await.handed()
    }

    #[napi]
    pub async fn hover(&self, given: Option<String>) -> Result<()> {
        self.locator
            .hover_with(&options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn tap(&self) -> Result<()> {
        self.locator.tap().await.handed()
    }

    #[napi]
    pub async fn set_checked(&self, is_on: bool) -> Result<()> {
        self.locator.set_checked(is_on).await.handed()
    }

    #[napi]
    pub async fn fill(&self, text: String, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.locator.fill_with(&text, &options).await.handed()
    }

    #[napi(js_name = "type")]
    pub async fn type_text(&self, text: String, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.locator.type_text_with(&text, &options).await.handed()
    }

    #[napi]
    pub async fn press(&self, key: String) -> Result<()> {
        self.locator.press(&key).await.handed()
    }

    #[napi]
    pub async fn focus(&self) -> Result<()> {
        self.locator.focus().await.handed()
    }

    #[napi]
    pub async fn select_option(&self, choices: Vec<String>) -> Result<Vec<String>> {
        let choices: Vec<&str> = choices.iter().map(String::as_str).collect();
        self.locator.select_option(&choices).await.handed()
    }

    #[napi]
    pub async fn set_input_files(&self, paths: Vec<String>) -> Result<()> {
        self.locator.set_input_files(paths).await.handed()
    }

    #[napi]
    pub async fn set_input_payloads(&self, files: Vec<Payload>) -> Result<()> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "milliseconds since 1970 fit, and others are no time"
        )]
        let files = files.into_iter().map(|file| FilePayload {
            name: file.name,
            mime_type: file.mime_type,
            bytes: file.buffer.to_vec(),
            last_modified: file.last_modified.map(|time| time as i64),
        });
        self.locator.set_input_payloads(files.collect()).await.handed()
    }

    #[napi]
    pub fn drag_to(
        &self,
        env: &Env,
        target: &NativeLocator,
        given: Option<String>,
    ) -> Result<AsyncBlock<()>> {
        let options = options(given.as_deref())?;
        let (locator, target) = (self.locator.clone(), target.locator.clone());
        let dragging = async move { locator.drag_to_with(&target, &options).await.handed() };
        AsyncBlockBuilder::new(dragging).build(env)
    }

    #[napi]
    pub async fn scroll_to(&self, percent: f64) -> Result<()> {
        self.locator.scroll_to(percent).await.handed()
    }

    #[napi]
    pub async fn scroll_by(&self, across: f64, down: f64) -> Result<()> {
        self.locator.scroll_by(across, down).await.handed()
    }

    #[napi]
    pub async fn scroll_into_view(&self) -> Result<()> {
        self.locator.scroll_into_view().await.handed()
    }

    #[napi]
    pub async fn send_click_event(&self, given: Option<String>) -> Result<()> {
        self.locator
            .send_click_event(&options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn highlight(&self, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.locator.highlight_with(&options).await.handed()
    }

    #[napi]
    pub async fn wait_for(&self, given: Option<String>) -> Result<()> {
        self.locator.wait_for(&options(given.as_deref())?).await.handed()
    }

    #[napi]
    pub async fn count(&self) -> Result<u32> {
        let count = self.locator.count().await.handed()?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    #[napi]
    pub async fn is_visible(&self) -> Result<bool> {
        self.locator.is_visible().await.handed()
    }

    #[napi]
    pub async fn is_enabled(&self) -> Result<bool> {
        self.locator.is_enabled().await.handed()
    }

    #[napi]
    pub async fn is_checked(&self) -> Result<bool> {
        self.locator.is_checked().await.handed()
    }

    #[napi]
    pub async fn input_value(&self) -> Result<String> {
        self.locator.input_value().await.handed()
    }

    #[napi]
    pub async fn text_content(&self) -> Result<String> {
        self.locator.text_content().await.handed()
    }

    #[napi]
    pub async fn inner_text(&self) -> Result<String> {
        self.locator.inner_text().await.handed()
    }

    #[napi]
    pub async fn inner_html(&self) -> Result<String> {
        self.locator.inner_html().await.handed()
    }

    #[napi]
    pub async fn get_attribute(&self, name: String) -> Result<Option<String>> {
        self.locator.get_attribute(&name).await.handed()
    }

    /// JSON; `null` when it has no box.
    #[napi]
    pub async fn bounding_box(&self) -> Result<String> {
        let found = self.locator.bounding_box().await.handed()?;
        let found = found
            .map(|found| json!({ "x": found.x, "y": found.y, "width": found.width, "height": found.height }));
        written(&found)
    }

    #[napi]
    pub async fn centroid(&self) -> Result<Vec<f64>> {
        let (x, y) = self.locator.centroid().await.handed()?;
        Ok(vec![x, y])
    }

    #[napi]
    pub async fn backend_node_id(&self) -> Result<i64> {
        self.locator.backend_node_id().await.handed()
    }
}

/// A time that the TypeScript half has checked to be a number that is not below zero.
pub(crate) fn milliseconds(given: f64) -> Duration {
    Duration::try_from_secs_f64(given / 1000.0).unwrap_or(Duration::MAX)
}
