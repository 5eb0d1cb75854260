//! Shows a person where an element is.

use std::time::Duration;

use serde_json::json;

use crate::BrowserError;
use crate::locator::Locator;

impl Locator {
    /// Lays a coloured box over the element for a while, 800 ms if nothing is given, and returns when it is gone
    /// again. The browser draws it, so the page does not notice.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn highlight(&self, duration: Option<Duration>) -> Result<(), BrowserError> {
        let node = self.element().await?;
        let session = node.frame.session()?;
        let colour = |alpha: f64| json!({ "r": 111, "g": 168, "b": 220, "a": alpha });
        drop(session.send_raw("DOM.enable", json!({})));
        drop(session.send_raw("Overlay.enable", json!({})));
        let shown = session.send_raw(
            "Overlay.highlightNode",
            json!({
                "backendNodeId": node.backend_node_id,
                "highlightConfig": { "contentColor": colour(0.4), "borderColor": colour(0.8), "showInfo": false },
            }),
        );
        // Dropped at the latest when the caller no longer waits.
        let overlay = Overlay(&session);
        self.page().or_end(async { Ok(shown.await?) }).await?;
        tokio::time::sleep(duration.unwrap_or(Duration::from_millis(800))).await;
        drop(overlay);
        Ok(())
    }
}

/// Takes the box away when it is dropped.
struct Overlay<'a>(&'a automator_cdp::Session);

impl Drop for Overlay<'_> {
    fn drop(&mut self) {
        for method in ["Overlay.hideHighlight", "Overlay.disable", "DOM.disable"] {
            drop(self.0.send_raw(method, json!({})));
        }
    }
}
