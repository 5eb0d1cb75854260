//! What is said about a page before it loads, and ways round this library.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Page, limited};
use crate::Result;
use crate::context::{Clipboard, InitScript};

impl Page {
    /// Adds a script to every later document of this page, frames included; see
    /// [`Context::add_init_script`](crate::Context::add_init_script).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a file that cannot be read.
    pub async fn add_init_script(&self, script: impl Into<InitScript>) -> Result<()> {
        let adding = self.browser_page.add_init_script(script);
        limited(&self.session, "add_init_script", adding).await
    }

    /// Sends these headers with every request of this page, in place of the set given before. They go before those
    /// of the [context](crate::Context::set_extra_http_headers).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a header that cannot be sent; then
    /// nothing is changed.
    pub async fn set_extra_http_headers(&self, headers: &BTreeMap<String, String>) -> Result<()> {
        let setting = self.browser_page.set_extra_headers(headers);
        limited(&self.session, "set_extra_http_headers", setting).await
    }

    /// The clipboard as this page reaches it.
    #[must_use]
    pub fn clipboard(&self) -> Clipboard {
        Clipboard::new(self)
    }

    /// Sends any DevTools command to the page and gives the answer as it is. `params` is an object, or null.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`](crate::ErrorKind::Protocol) in the browser's words when it refuses;
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed);
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) after 30 s.
    pub async fn send_cdp(&self, method: &str, params: &Value) -> Result<Value> {
        let sending = self.browser_page.send_cdp(method, params);
        limited(&self.session, "send_cdp", sending).await
    }
}
