//! The answer of the server that a document came from.

use std::collections::BTreeMap;
use std::sync::Arc;

use automator_cdp::Session;
use automator_cdp::protocol::network::{self, GetResponseBody};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

use crate::BrowserError;

/// What the server said before the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    request_id: String,
    url: String,
    status: u16,
    status_text: String,
    headers: BTreeMap<String, String>,
    mime_type: String,
    from_service_worker: bool,
}

impl ResponseHead {
    pub(crate) fn new(request_id: &str, response: network::Response) -> Self {
        Self {
            request_id: request_id.to_owned(),
            url: response.url,
            status: u16::try_from(response.status).unwrap_or_default(),
            status_text: response.status_text,
            headers: headers(&response.headers),
            mime_type: response.mime_type,
            from_service_worker: response.from_service_worker.unwrap_or_default(),
        }
    }
}

fn headers(raw: &Value) -> BTreeMap<String, String> {
    let members = raw.as_object().into_iter().flatten();
    members
        .map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (name.to_ascii_lowercase(), text)
        })
        .collect()
}

/// The main document's response, as [`Page::goto`](crate::Page::goto) returns it.
#[derive(Debug, Clone)]
pub struct Response {
    head: Arc<ResponseHead>,
    session: Session,
}

impl Response {
    pub(crate) fn new(head: Arc<ResponseHead>, session: Session) -> Self {
        Self { head, session }
    }

    /// The address it came from, after redirects.
    pub fn url(&self) -> &str {
        &self.head.url
    }

    /// The HTTP status; 200 for `file:` and `data:`.
    pub fn status(&self) -> u16 {
        self.head.status
    }

    /// The text behind the status.
    pub fn status_text(&self) -> &str {
        &self.head.status_text
    }

    /// Whether the status is between 200 and 299.
    pub fn is_ok(&self) -> bool {
        (200..300).contains(&self.head.status)
    }

    /// The headers by lower-case name; several of one name are joined with line breaks.
    pub fn headers(&self) -> &BTreeMap<String, String> {
        &self.head.headers
    }

    /// The type of the body, as `text/html`.
    pub fn mime_type(&self) -> &str {
        &self.head.mime_type
    }

    /// Whether a service worker of the page answered.
    pub fn is_from_service_worker(&self) -> bool {
        self.head.from_service_worker
    }

    /// The body. The browser keeps it as long as the page stays at this document.
    ///
    /// # Errors
    /// [`BrowserError::Protocol`] when the browser has it no more.
    pub async fn body(&self) -> Result<Vec<u8>, BrowserError> {
        let command = GetResponseBody {
            request_id: self.head.request_id.clone(),
        };
        let reply = self.session.send(&command).await?;
        if !reply.base64_encoded {
            return Ok(reply.body.into_bytes());
        }
        // The browser says that it is base64; if it is not, the text itself is the best there is.
        Ok(BASE64_STANDARD
            .decode(&reply.body)
            .unwrap_or_else(|_| reply.body.into_bytes()))
    }
}
