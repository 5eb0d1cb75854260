//! The pages of a session, and what holds for all of them.

use std::collections::BTreeMap;

use automator::{
    Context, CookieFilter, DomainPolicy, ErrorKind, InitScript, NewCookie, ReadOptions as _, ToJson,
};
use pyo3::prelude::*;
use serde_json::Value;

use crate::error::{Handed as _, told};
use crate::event::NativeDownload;
use crate::json::{options, parsed, written};
use crate::page::NativePage;
use crate::work::{Work, work};

#[pyclass(frozen, module = "automator._native")]
pub(crate) struct NativeContext {
    context: Context,
}

impl NativeContext {
    pub(crate) fn new(context: Context) -> Self {
        Self { context }
    }
}

#[pymethods]
impl NativeContext {
    fn pages(&self, py: Python<'_>) -> Vec<NativePage> {
        py.detach(|| self.context.pages().into_iter().map(NativePage::new).collect())
    }

    /// None when no page is open.
    fn active_page(&self, py: Python<'_>) -> PyResult<Option<NativePage>> {
        py.detach(|| found(self.context.active_page()))
    }

    fn await_active_page(&self) -> Work {
        let context = self.context.clone();
        work(async move { found(context.await_active_page().await) })
    }

    fn set_active_page(&self, py: Python<'_>, page: &NativePage) {
        py.detach(|| self.context.set_active_page(page.page()));
    }

    fn new_page(&self, url: String) -> Work {
        let context = self.context.clone();
        work(async move { context.new_page(&url).await.handed().map(NativePage::new) })
    }

    fn add_init_script(&self, script: &str) -> PyResult<Work> {
        let script = InitScript::read("script", &parsed(script)?).handed()?;
        let context = self.context.clone();
        Ok(work(
            async move { context.add_init_script(script).await.handed() },
        ))
    }

    fn set_extra_http_headers(&self, headers: BTreeMap<String, String>) -> Work {
        let context = self.context.clone();
        work(async move { context.set_extra_http_headers(&headers).await.handed() })
    }

    #[pyo3(signature = (policy))]
    fn set_domain_policy(&self, policy: Option<&str>) -> PyResult<Work> {
        let policy = policy
            .map(|policy| DomainPolicy::read("policy", &parsed(policy)?).handed())
            .transpose()?;
        let context = self.context.clone();
        Ok(work(async move {
            match policy {
                Some(policy) => context.set_domain_policy(&policy).await.handed(),
                None => context.remove_domain_policy().await.handed(),
            }
        }))
    }

    /// JSON.
    fn cookies(&self, urls: Vec<String>) -> Work {
        let context = self.context.clone();
        work(async move {
            let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
            let cookies = context.cookies(&urls).await.handed()?;
            written(&cookies.iter().map(ToJson::to_json).collect::<Vec<Value>>())
        })
    }

    /// `cookies` is JSON.
    fn add_cookies(&self, cookies: &str) -> PyResult<Work> {
        let Value::Array(given) = parsed(cookies)? else {
            return Ok(work(async { Ok(()) }));
        };
        let cookies = given
            .iter()
            .enumerate()
            .map(|(index, cookie)| NewCookie::read(&format!("cookies[{index}]"), cookie).handed())
            .collect::<PyResult<Vec<NewCookie>>>()?;
        let context = self.context.clone();
        Ok(work(async move { context.add_cookies(&cookies).await.handed() }))
    }

    #[pyo3(signature = (filter))]
    fn clear_cookies(&self, filter: Option<&str>) -> PyResult<Work> {
        let filter: CookieFilter = options(filter)?;
        let context = self.context.clone();
        Ok(work(
            async move { context.clear_cookies_with(&filter).await.handed() },
        ))
    }

    fn downloads(&self, py: Python<'_>) -> Vec<NativeDownload> {
        py.detach(|| {
            let downloads = self.context.downloads().into_iter();
            downloads.map(NativeDownload::new).collect()
        })
    }

    /// JSON.
    fn dialogs(&self, py: Python<'_>) -> PyResult<String> {
        let dialogs = py.detach(|| self.context.dialogs());
        written(&dialogs.iter().map(ToJson::to_json).collect::<Vec<Value>>())
    }

    fn read_clipboard(&self) -> Work {
        let context = self.context.clone();
        work(async move { context.clipboard().handed()?.read_text().await.handed() })
    }

    fn write_clipboard(&self, text: String) -> Work {
        let context = self.context.clone();
        work(async move { context.clipboard().handed()?.write_text(&text).await.handed() })
    }

    /// Parameters and answer are JSON.
    fn send_cdp(&self, method: String, params: &str) -> PyResult<Work> {
        let params = parsed(params)?;
        let context = self.context.clone();
        Ok(work(async move {
            written(&context.send_cdp(&method, &params).await.handed()?)
        }))
    }
}

fn found(page: automator::Result<automator::Page>) -> PyResult<Option<NativePage>> {
    match page {
        Ok(page) => Ok(Some(NativePage::new(page))),
        Err(error) if error.kind() == ErrorKind::PageNotFound => Ok(None),
        Err(error) => Err(told(&error)),
    }
}
