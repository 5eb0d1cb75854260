//! The clipboard.

use std::sync::Arc;

use crate::Result;
use crate::page::{Page, limited};
use crate::session::Session;

/// The clipboard, as a page reaches it; all pages of a browser share one. The page must come from a secure address
/// (`https:`, or this machine), and is allowed to use the clipboard from then on.
#[derive(Debug, Clone)]
pub struct Clipboard {
    session: Arc<Session>,
    inner: automator_browser::Clipboard,
}

impl Clipboard {
    pub(crate) fn new(page: &Page) -> Self {
        Self {
            session: Arc::clone(page.session()),
            inner: page.browser_page().clipboard(),
        }
    }

    /// The text that is in the clipboard; empty when there is none.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedBrowserFeature`](crate::ErrorKind::UnsupportedBrowserFeature) when the page's
    /// address is not secure; [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed);
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) after 30 s.
    pub async fn read_text(&self) -> Result<String> {
        limited(&self.session, "read_text", self.inner.read_text()).await
    }

    /// Puts a text into the clipboard.
    ///
    /// # Errors
    /// As [`read_text`](Self::read_text).
    pub async fn write_text(&self, text: &str) -> Result<()> {
        limited(&self.session, "write_text", self.inner.write_text(text)).await
    }
}
