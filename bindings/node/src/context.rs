//! The pages of a session, and what holds for all of them.

use std::collections::BTreeMap;

use automator::{
    Context, CookieFilter, DomainPolicy, ErrorKind, InitScript, NewCookie, ReadOptions as _, ToJson,
};
use napi_derive::napi;
use serde_json::Value;

use crate::error::{Handed as _, Result, told};
use crate::event::NativeDownload;
use crate::json::{options, parsed, written};
use crate::page::NativePage;

#[napi]
pub struct NativeContext {
    context: Context,
}

impl NativeContext {
    pub(crate) fn new(context: Context) -> Self {
        Self { context }
    }
}

#[napi]
impl NativeContext {
    #[napi]
    pub fn pages(&self) -> Vec<NativePage> {
        self.context.pages().into_iter().map(NativePage::new).collect()
    }

    /// None when no page is open.
    #[napi]
    pub fn active_page(&self) -> Result<Option<NativePage>> {
        found(self.context.active_page())
    }

    #[napi]
    pub async fn await_active_page(&self) -> Result<Option<NativePage>> {
        found(self.context.await_active_page().await)
    }

    #[napi]
    pub fn set_active_page(&self, page: &NativePage) {
        self.context.set_active_page(page.page());
    }

    #[napi]
    pub async fn new_page(&self, url: String) -> Result<NativePage> {
        self.context.new_page(&url).await.handed().map(NativePage::new)
    }

    #[napi]
    pub async fn add_init_script(&self, script: String) -> Result<()> {
        let script = InitScript::read("script", &parsed(&script)?).handed()?;
        self.context.add_init_script(script).await.handed()
    }

    #[napi]
    pub async fn set_extra_http_headers(&self, headers: String) -> Result<()> {
        let headers = headers_from(&headers)?;
        self.context.set_extra_http_headers(&headers).await.handed()
    }

    #[napi]
    pub async fn set_domain_policy(&self, policy: Option<String>) -> Result<()> {
        let outcome = match policy {
            Some(policy) => {
                let policy = DomainPolicy::read("policy", &parsed(&policy)?).handed()?;
                self.context.set_domain_policy(&policy).await
            }
            None => self.context.remove_domain_policy().await,
        };
        outcome.handed()
    }

    #[napi]
    pub async fn cookies(&self, urls: Vec<String>) -> Result<String> {
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let cookies = self.context.cookies(&urls).await.handed()?;
        written(&cookies.iter().map(ToJson::to_json).collect::<Vec<Value>>())
    }

    #[napi]
    pub async fn add_cookies(&self, cookies: Vec<String>) -> Result<()> {
        let cookies = cookies
            .iter()
            .enumerate()
            .map(|(index, cookie)| NewCookie::read(&format!("cookies[{index}]"), &parsed(cookie)?).handed())
            .collect::<Result<Vec<NewCookie>>>()?;
        self.context.add_cookies(&cookies).await.handed()
    }

    #[napi]
    pub async fn clear_cookies(&self, filter: Option<String>) -> Result<()> {
        let filter: CookieFilter = options(filter.as_deref())?;
        self.context.clear_cookies_with(&filter).await.handed()
    }

    #[napi]
    pub fn downloads(&self) -> Vec<NativeDownload> {
        let downloads = self.context.downloads().into_iter();
        downloads.map(NativeDownload::new).collect()
    }

    #[napi]
    pub fn dialogs(&self) -> Result<String> {
        let dialogs = self.context.dialogs();
        written(&dialogs.iter().map(ToJson::to_json).collect::<Vec<Value>>())
    }

    #[napi]
    pub async fn read_clipboard(&self) -> Result<String> {
        let clipboard = self.context.clipboard().handed()?;
        clipboard.read_text().await.handed()
    }

    #[napi]
    pub async fn write_clipboard(&self, text: String) -> Result<()> {
        let clipboard = self.context.clipboard().handed()?;
        clipboard.write_text(&text).await.handed()
    }

    #[napi(js_name = "sendCDP")]
    pub async fn send_cdp(&self, method: String, params: String) -> Result<String> {
        let answer = self.context.send_cdp(&method, &parsed(&params)?).await;
        written(&answer.handed()?)
    }
}

fn found(page: automator::Result<automator::Page>) -> Result<Option<NativePage>> {
    match page {
        Ok(page) => Ok(Some(NativePage::new(page))),
        Err(error) if error.kind() == ErrorKind::PageNotFound => Ok(None),
        Err(error) => Err(told(&error)),
    }
}

/// Headers by name; the TypeScript half has made sure that they are texts.
pub(crate) fn headers_from(text: &str) -> Result<BTreeMap<String, String>> {
    let Value::Object(members) = parsed(text)? else {
        return Ok(BTreeMap::new());
    };
    let headers = members.into_iter().map(|(name, value)| match value {
        Value::String(text) => (name, text),
        other => (name, other.to_string()),
    });
    Ok(headers.collect())
}
