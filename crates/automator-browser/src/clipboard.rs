//! The clipboard.

use serde_json::json;

use crate::{BrowserError, Page};

/// What lets a document use the clipboard, by the names that `Browser.setPermission` has for it.
const PERMISSIONS: [(&str, bool); 2] = [("clipboard-read", false), ("clipboard-write", true)];

/// The clipboard, as a page reaches it. All pages of a browser share one.
#[derive(Debug, Clone)]
pub struct Clipboard {
    page: Page,
}

impl Page {
    /// The clipboard. Reading and writing need a page from a secure address (`https:`, or this machine); the page is
    /// allowed to use it from then on.
    pub fn clipboard(&self) -> Clipboard {
        Clipboard { page: self.clone() }
    }
}

impl Clipboard {
    /// The text that is in the clipboard; empty when there is none.
    ///
    /// # Errors
    /// [`BrowserError::Clipboard`] when the page cannot use it; those of [`Frame::call_function`](crate::Frame::call_function).
    pub async fn read_text(&self) -> Result<String, BrowserError> {
        self.allow().await?;
        let text = self.page.main_frame().call_library("readClipboard", &[]).await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Puts a text into the clipboard.
    ///
    /// # Errors
    /// As [`read_text`](Self::read_text).
    pub async fn write_text(&self, text: &str) -> Result<(), BrowserError> {
        self.allow().await?;
        self.page
            .main_frame()
            .call_library("writeClipboard", &[text.into()])
            .await?;
        Ok(())
    }

    /// Lets the page use the clipboard, if its address is one that can.
    async fn allow(&self) -> Result<(), BrowserError> {
        let origin = self.page.main_frame().call_library("secureOrigin", &[]).await?;
        let Some(origin) = origin.as_str() else {
            return Err(BrowserError::Clipboard { url: self.page.url() });
        };
        let root = self.page.browser().session();
        for (name, without_sanitization) in PERMISSIONS {
            let permission = json!({
                "permission": { "name": name, "allowWithoutSanitization": without_sanitization },
                "setting": "granted",
                "origin": origin,
            });
            root.send_raw("Browser.setPermission", permission).await?;
        }
        Ok(())
    }
}
