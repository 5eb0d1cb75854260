//! A page.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator::{
    InitScript, Page, PageEvents, PageExtractOptions, ReadOptions as _, SnapshotOptions, WaitUntil, from_json,
};
use pyo3::prelude::*;
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::callback::tell;
use crate::error::Handed as _;
use crate::event::{NativeEvent, kind_of};
use crate::frame::NativeFrame;
use crate::json::{options, parsed, written};
use crate::locator::{NativeFrameLocator, NativeLocator, milliseconds};
use crate::messenger::deliver;
use crate::response::NativeResponse;
use crate::runtime::{check_process, runtime};
use crate::work::{Work, unless_interrupted, work};

/// How long `on` waits for the browser to hear what is listened to. It takes a millisecond or two; a page that
/// stands still may take for ever.
const HEARD_WITHIN: Duration = Duration::from_secs(1);

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativePage {
    page: Page,
}

impl NativePage {
    pub(crate) fn new(page: Page) -> Self {
        Self { page }
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }
}

#[pymethods]
impl NativePage {
    fn id(&self) -> &str {
        self.page.id()
    }

    fn url(&self, py: Python<'_>) -> String {
        py.detach(|| self.page.url())
    }

    fn title(&self) -> Work {
        let page = self.page.clone();
        work(async move { page.title().await.handed() })
    }

    fn is_closed(&self, py: Python<'_>) -> bool {
        py.detach(|| self.page.is_closed())
    }

    fn opener(&self, py: Python<'_>) -> Option<NativePage> {
        py.detach(|| self.page.opener().map(Self::new))
    }

    fn close(&self) -> Work {
        let page = self.page.clone();
        work(async move { page.close().await.handed() })
    }

    fn locator(&self, selector: &str) -> NativeLocator {
        NativeLocator::new(self.page.locator(selector))
    }

    fn deep_locator(&self, selector: &str) -> NativeLocator {
        NativeLocator::new(self.page.deep_locator(selector))
    }

    fn frame_locator(&self, selector: &str) -> NativeFrameLocator {
        NativeFrameLocator::new(self.page.frame_locator(selector))
    }

    fn main_frame(&self, py: Python<'_>) -> NativeFrame {
        py.detach(|| NativeFrame::new(self.page.main_frame()))
    }

    fn frames(&self, py: Python<'_>) -> Vec<NativeFrame> {
        py.detach(|| self.page.frames().into_iter().map(NativeFrame::new).collect())
    }

    #[pyo3(signature = (url, given))]
    fn goto(&self, url: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let response = page.goto_with(&url, options).await.handed()?;
            Ok(response.map(NativeResponse::new))
        }))
    }

    #[pyo3(signature = (given))]
    fn reload(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let response = page.reload_with(options).await.handed()?;
            Ok(response.map(NativeResponse::new))
        }))
    }

    #[pyo3(signature = (given))]
    fn go_back(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let response = page.go_back_with(options).await.handed()?;
            Ok(response.map(NativeResponse::new))
        }))
    }

    #[pyo3(signature = (given))]
    fn go_forward(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let response = page.go_forward_with(options).await.handed()?;
            Ok(response.map(NativeResponse::new))
        }))
    }

    /// `given` is `{ state }`.
    #[pyo3(signature = (given, timeout_ms))]
    fn wait_for_load_state(&self, given: &str, timeout_ms: Option<f64>) -> PyResult<Work> {
        let state = WaitUntil::read("wait_for_load_state", &parsed(given)?).handed()?;
        let page = self.page.clone();
        Ok(work(async move {
            match timeout_ms {
                Some(limit) => page.wait_for_load_state_with(state, milliseconds(limit)).await,
                None => page.wait_for_load_state(state).await,
            }
            .handed()
        }))
    }

    fn wait_for_timeout(&self, duration_ms: f64) -> Work {
        let page = self.page.clone();
        work(async move { page.wait_for_timeout(milliseconds(duration_ms)).await.handed() })
    }

    #[pyo3(signature = (selector, given))]
    fn wait_for_selector(&self, selector: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            page.wait_for_selector(&selector, &options).await.handed()
        }))
    }

    #[pyo3(signature = (given))]
    fn screenshot(&self, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move { page.screenshot_with(&options).await.handed() }))
    }

    #[pyo3(signature = (width, height, given))]
    fn set_viewport_size(&self, width: u32, height: u32, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            page.set_viewport_size_with(width, height, &options)
                .await
                .handed()
        }))
    }

    #[pyo3(signature = (x, y, given))]
    fn click(&self, x: f64, y: f64, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(
            async move { page.click_with(x, y, &options).await.handed() },
        ))
    }

    #[pyo3(signature = (x, y, given))]
    fn hover(&self, x: f64, y: f64, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(
            async move { page.hover_with(x, y, &options).await.handed() },
        ))
    }

    #[pyo3(signature = (x, y, given))]
    fn tap(&self, x: f64, y: f64, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move { page.tap_with(x, y, &options).await.handed() }))
    }

    #[pyo3(signature = (x, y, delta_x, delta_y, given))]
    fn scroll(&self, x: f64, y: f64, delta_x: f64, delta_y: f64, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let scrolling = page.scroll_with((x, y), (delta_x, delta_y), &options);
            scrolling.await.handed()
        }))
    }

    #[pyo3(signature = (from_x, from_y, to_x, to_y, given))]
    fn drag_and_drop(
        &self,
        from_x: f64,
        from_y: f64,
        to_x: f64,
        to_y: f64,
        given: Option<&str>,
    ) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            let dragging = page.drag_and_drop_with((from_x, from_y), (to_x, to_y), &options);
            dragging.await.handed()
        }))
    }

    #[pyo3(name = "type", signature = (text, given))]
    fn type_text(&self, text: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(async move {
            page.type_text_with(&text, &options).await.handed()
        }))
    }

    #[pyo3(signature = (key, given))]
    fn press(&self, key: String, given: Option<&str>) -> PyResult<Work> {
        let options = options(given)?;
        let page = self.page.clone();
        Ok(work(
            async move { page.press_with(&key, &options).await.handed() },
        ))
    }

    /// The text as it is, since it may have megabytes; and `{ xpathMap, urlMap }` as JSON.
    fn snapshot(&self, given: &str) -> PyResult<Work> {
        let options: SnapshotOptions = from_json("options", &parsed(given)?).handed()?;
        let page = self.page.clone();
        Ok(work(async move {
            let snapshot = page.snapshot_with(&options).await.handed()?;
            let paths = page.xpaths(&snapshot).await.handed()?;
            let by_id = |map: &BTreeMap<_, String>| -> BTreeMap<String, String> {
                map.iter()
                    .map(|(id, text): (&automator::ElementId, _)| (id.to_string(), text.clone()))
                    .collect()
            };
            let maps = json!({ "xpathMap": by_id(&paths), "urlMap": by_id(snapshot.urls()) });
            Ok((snapshot.text().to_owned(), maps.to_string()))
        }))
    }

    fn add_init_script(&self, script: &str) -> PyResult<Work> {
        let script = InitScript::read("script", &parsed(script)?).handed()?;
        let page = self.page.clone();
        Ok(work(async move { page.add_init_script(script).await.handed() }))
    }

    fn set_extra_http_headers(&self, headers: BTreeMap<String, String>) -> Work {
        let page = self.page.clone();
        work(async move { page.set_extra_http_headers(&headers).await.handed() })
    }

    /// Parameters and answer are JSON.
    fn send_cdp(&self, method: String, params: &str) -> PyResult<Work> {
        let params = parsed(params)?;
        let page = self.page.clone();
        Ok(work(async move {
            written(&page.send_cdp(&method, &params).await.handed()?)
        }))
    }

    /// As version 2 of the interface has it. Options and answer are JSON.
    fn extract(&self, given: &str) -> PyResult<Work> {
        let options: PageExtractOptions = from_json("options", &parsed(given)?).handed()?;
        let page = self.page.clone();
        Ok(work(async move {
            written(&page.extract_with(&options).await.handed()?)
        }))
    }

    /// Calls the listener for each event of this kind, until it is stopped or the page is closed. What happens after
    /// this has come back is heard.
    fn listen(&self, py: Python<'_>, kind: &str, listener: Py<PyAny>) -> PyResult<NativeListening> {
        check_process()?;
        let kind = kind_of(kind)?;
        let page = self.page.clone();
        let (heard, hearing) = oneshot::channel();
        let task = runtime().spawn(async move {
            // A page that is closed has no events any more, which is no error.
            let Ok(events) = page.events(&[kind]).await else {
                return;
            };
            let _ = heard.send(());
            hand_over(events, Arc::new(listener)).await;
        });
        let listening = NativeListening { task };
        let waiting = async {
            let _ = tokio::time::timeout(HEARD_WITHIN, hearing).await;
            Ok(())
        };
        py.detach(|| runtime().block_on(unless_interrupted(waiting)))?;
        Ok(listening)
    }
}

async fn hand_over(mut events: PageEvents, listener: Arc<Py<PyAny>>) {
    while let Some(event) = events.next().await {
        let Some(event) = NativeEvent::new(event) else {
            continue;
        };
        let listener = Arc::clone(&listener);
        deliver(move |py| tell(py, &listener, (event,)));
    }
}

/// A subscription to events of a page; it ends with this object.
#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeListening {
    task: JoinHandle<()>,
}

#[pymethods]
impl NativeListening {
    fn stop(&self) {
        self.task.abort();
    }
}

impl Drop for NativeListening {
    fn drop(&mut self) {
        self.task.abort();
    }
}
