//! A page.

use std::collections::BTreeMap;

use automator::{
    EventKind, InitScript, Page, PageExtractOptions, ReadOptions as _, SnapshotOptions, WaitUntil, from_json,
};
use napi::bindgen_prelude::{Buffer, spawn};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::callback::EventListener;
use crate::context::headers_from;
use crate::error::{Handed as _, Result};
use crate::event::{NativeEvent, kind_of};
use crate::frame::NativeFrame;
use crate::json::{options, parsed, written};
use crate::locator::{NativeFrameLocator, NativeLocator, milliseconds};
use crate::response::NativeResponse;

#[napi]
pub struct NativePage {
    page: Page,
}

/// A snapshot; its text for itself, for the reason that [`Reading`](crate::session::Reading) has.
#[napi(object)]
pub struct NativeSnapshot {
    pub formatted_tree: String,
    /// `{ xpathMap, urlMap }` as JSON.
    pub maps: String,
}

impl NativePage {
    pub(crate) fn new(page: Page) -> Self {
        Self { page }
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }
}

/// What extracting from a page gives: its text, for itself for the reason that
/// [`Reading`](crate::session::Reading) has, or the answer as JSON.
#[napi(object)]
pub struct PageExtracted {
    pub page_text: Option<String>,
    pub answer: Option<String>,
}

#[napi]
impl NativePage {
    #[napi]
    pub fn id(&self) -> String {
        self.page.id().to_owned()
    }

    #[napi]
    pub fn url(&self) -> String {
        self.page.url()
    }

    #[napi]
    pub async fn title(&self) -> Result<String> {
        self.page.title().await.handed()
    }

    #[napi]
    pub fn is_closed(&self) -> bool {
        self.page.is_closed()
    }

    #[napi]
    pub fn opener(&self) -> Option<NativePage> {
        self.page.opener().map(Self::new)
    }

    #[napi]
    pub async fn close(&self) -> Result<()> {
        self.page.close().await.handed()
    }

    #[napi]
    pub fn locator(&self, selector: String) -> NativeLocator {
        NativeLocator::new(self.page.locator(&selector))
    }

    #[napi]
    pub fn deep_locator(&self, selector: String) -> NativeLocator {
        NativeLocator::new(self.page.deep_locator(&selector))
    }

    #[napi]
    pub fn frame_locator(&self, selector: String) -> NativeFrameLocator {
        NativeFrameLocator::new(self.page.frame_locator(&selector))
    }

    #[napi]
    pub fn main_frame(&self) -> NativeFrame {
        NativeFrame::new(self.page.main_frame())
    }

    #[napi]
    pub fn frames(&self) -> Vec<NativeFrame> {
        self.page.frames().into_iter().map(NativeFrame::new).collect()
    }

    #[napi]
    pub async fn goto(&self, url: String, given: Option<String>) -> Result<Option<NativeResponse>> {
        let options = options(given.as_deref())?;
        let response = self.page.goto_with(&url, options).await.handed()?;
        Ok(response.map(NativeResponse::new))
    }

    #[napi]
    pub async fn reload(&self, given: Option<String>) -> Result<Option<NativeResponse>> {
        let response = self.page.reload_with(options(given.as_deref())?).await;
        Ok(response.handed()?.map(NativeResponse::new))
    }

    #[napi]
    pub async fn go_back(&self, given: Option<String>) -> Result<Option<NativeResponse>> {
        let response = self.page.go_back_with(options(given.as_deref())?).await;
        Ok(response.handed()?.map(NativeResponse::new))
    }

    #[napi]
    pub async fn go_forward(&self, given: Option<String>) -> Result<Option<NativeResponse>> {
        let response = self.page.go_forward_with(options(given.as_deref())?).await;
        Ok(response.handed()?.map(NativeResponse::new))
    }

    /// `given` is `{ state }`.
    #[napi]
    pub async fn wait_for_load_state(&self, given: String, timeout_ms: Option<f64>) -> Result<()> {
        let state = WaitUntil::read("waitForLoadState", &parsed(&given)?).handed()?;
        let waiting = match timeout_ms {
            Some(limit) => {
                self.page
                    .wait_for_load_state_with(state, milliseconds(limit))
                    .await
            }
            None => self.page.wait_for_load_state(state).await,
        };
        waiting.handed()
    }

    #[napi]
    pub async fn wait_for_timeout(&self, duration_ms: f64) -> Result<()> {
        self.page
            .wait_for_timeout(milliseconds(duration_ms))
            .await
            .handed()
    }

    #[napi]
    pub async fn wait_for_selector(&self, selector: String, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.page.wait_for_selector(&selector, &options).await.handed()
    }

    #[napi]
    pub async fn evaluate(&self, source: String, argument: Option<String>) -> Result<String> {
        let value = match argument {
            Some(argument) => self.page.evaluate_with(&source, &parsed(&argument)?).await,
            None => self.page.evaluate(&source).await,
        };
        written(&value.handed()?)
    }

    #[napi]
    pub async fn screenshot(&self, given: Option<String>) -> Result<Buffer> {
        let picture = self.page.screenshot_with(&options(given.as_deref())?).await;
        picture.handed().map(Buffer::from)
    }

    #[napi]
    pub async fn set_viewport_size(&self, width: u32, height: u32, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        let sizing = self.page.set_viewport_size_with(width, height, &options);
        sizing.await.handed()
    }

    #[napi]
    pub async fn click(&self, x: f64, y: f64, given: Option<String>) -> Result<String> {
        self.page
            .click_with(x, y, &options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn hover(&self, x: f64, y: f64, given: Option<String>) -> Result<String> {
        self.page
            .hover_with(x, y, &options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn tap(&self, x: f64, y: f64, given: Option<String>) -> Result<String> {
        self.page
            .tap_with(x, y, &options(given.as_deref())?)
            .await
            .handed()
    }

    #[napi]
    pub async fn scroll(
        &self,
        x: f64,
        y: f64,
        delta_x: f64,
        delta_y: f64,
        given: Option<String>,
    ) -> Result<String> {
        let options = options(given.as_deref())?;
        let scrolling = self.page.scroll_with((x, y), (delta_x, delta_y), &options);
        scrolling.await.handed()
    }

    #[napi]
    pub async fn drag_and_drop(
        &self,
        from_x: f64,
        from_y: f64,
        to_x: f64,
        to_y: f64,
        given: Option<String>,
    ) -> Result<Vec<String>> {
        let options = options(given.as_deref())?;
        let dragging = self
            .page
            .drag_and_drop_with((from_x, from_y), (to_x, to_y), &options);
        let (from, to) = dragging.await.handed()?;
        Ok(vec![from, to])
    }

    #[napi(js_name = "type")]
    pub async fn type_text(&self, text: String, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.page.type_text_with(&text, &options).await.handed()
    }

    #[napi]
    pub async fn press(&self, key: String, given: Option<String>) -> Result<()> {
        let options = options(given.as_deref())?;
        self.page.press_with(&key, &options).await.handed()
    }

    #[napi]
    pub async fn snapshot(&self, given: String) -> Result<NativeSnapshot> {
        let options: SnapshotOptions = from_json("options", &parsed(&given)?).handed()?;
        let snapshot = self.page.snapshot_with(&options).await.handed()?;
        let paths = self.page.xpaths(&snapshot).await.handed()?;
        let by_id = |map: &BTreeMap<_, String>| -> BTreeMap<String, String> {
            map.iter()
                .map(|(id, text): (&automator::ElementId, _)| (id.to_string(), text.clone()))
                .collect()
        };
        let maps = json!({ "xpathMap": by_id(&paths), "urlMap": by_id(snapshot.urls()) });
        Ok(NativeSnapshot {
            formatted_tree: snapshot.text().to_owned(),
            maps: maps.to_string(),
        })
    }

    #[napi]
    pub async fn add_init_script(&self, script: String) -> Result<()> {
        let script = InitScript::read("script", &parsed(&script)?).handed()?;
        self.page.add_init_script(script).await.handed()
    }

    #[napi]
    pub async fn set_extra_http_headers(&self, headers: String) -> Result<()> {
        let headers = headers_from(&headers)?;
        self.page.set_extra_http_headers(&headers).await.handed()
    }

    #[napi(js_name = "sendCDP")]
    pub async fn send_cdp(&self, method: String, params: String) -> Result<String> {
        let answer = self.page.send_cdp(&method, &parsed(&params)?).await;
        written(&answer.handed()?)
    }

    /// As version 2 of the interface has it.
    #[napi]
    pub async fn extract(&self, given: String) -> Result<PageExtracted> {
        let options: PageExtractOptions = from_json("options", &parsed(&given)?).handed()?;
        Ok(match self.page.extract_with(&options).await.handed()? {
            Value::Object(mut answer) if options.instruction.is_none() => PageExtracted {
                page_text: answer.remove("pageText").and_then(into_text),
                answer: None,
            },
            answer => PageExtracted {
                page_text: None,
                answer: Some(written(&answer)?),
            },
        })
    }

    /// Calls the listener for each event of these kinds, until it is stopped or the page is closed.
    #[napi]
    pub async fn listen(&self, kinds: Vec<String>, listener: EventListener) -> Result<NativeListening> {
        let kinds = kinds
            .iter()
            .map(|name| kind_of(name))
            .collect::<Result<Vec<EventKind>>>()?;
        let mut events = self.page.events(&kinds).await.handed()?;
        let task = spawn(async move {
            while let Some(event) = events.next().await {
                if let Some(event) = NativeEvent::new(event) {
                    listener.call(event, ThreadsafeFunctionCallMode::NonBlocking);
                }
            }
        });
        Ok(NativeListening { task })
    }
}

/// The text that a JSON value is.
fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// A subscription to events of a page; it ends with this object.
#[napi]
pub struct NativeListening {
    task: JoinHandle<()>,
}

#[napi]
impl NativeListening {
    #[napi]
    pub fn stop(&self) {
        self.task.abort();
    }
}

impl Drop for NativeListening {
    fn drop(&mut self) {
        self.task.abort();
    }
}
