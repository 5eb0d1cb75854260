//! What a server answered to a navigation.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub use automator_browser::{SecurityDetails, ServerAddress};

use crate::Result;
use crate::frame::Frame;
use crate::page::limited;
use crate::session::Session;

/// The response of a main document. What had come by the time the navigation ended is here at once; methods that
/// wait give up after 30 s, with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
#[derive(Debug, Clone)]
pub struct Response {
    session: Arc<Session>,
    inner: automator_browser::Response,
}

impl Response {
    pub(crate) fn new(session: &Arc<Session>, inner: automator_browser::Response) -> Self {
        let session = Arc::clone(session);
        Self { session, inner }
    }

    /// What the browser calls the request by, in the `Network` domain of the DevTools protocol.
    #[must_use]
    pub fn request_id(&self) -> &str {
        self.inner.request_id()
    }

    /// The address it came from, after redirects.
    #[must_use]
    pub fn url(&self) -> &str {
        self.inner.url()
    }

    /// The HTTP status; 200 for `file:` and `data:`.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.inner.status()
    }

    /// The text behind the status.
    #[must_use]
    pub fn status_text(&self) -> &str {
        self.inner.status_text()
    }

    /// Whether the status is between 200 and 299.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.inner.is_ok()
    }

    /// The headers by lower-case name. Those of cookies are left out; see [`all_headers`](Self::all_headers).
    #[must_use]
    pub fn headers(&self) -> &BTreeMap<String, String> {
        self.inner.headers()
    }

    /// All headers as they came over the network, with those of cookies, by lower-case name. Several of one name
    /// are joined with `, `, those of cookies with line breaks.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed) when that happens before they have
    /// come.
    pub async fn all_headers(&self) -> Result<BTreeMap<String, String>> {
        limited(&self.session, "all_headers", self.inner.all_headers()).await
    }

    /// The value of a header, its name in any case, joined as in [`all_headers`](Self::all_headers).
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn header_value(&self, name: &str) -> Result<Option<String>> {
        limited(&self.session, "header_value", self.inner.header_value(name)).await
    }

    /// The values of all headers of a name, in any case.
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn header_values(&self, name: &str) -> Result<Vec<String>> {
        limited(&self.session, "header_values", self.inner.header_values(name)).await
    }

    /// All headers one by one, the names as the server wrote them.
    ///
    /// # Errors
    /// As [`all_headers`](Self::all_headers).
    pub async fn headers_array(&self) -> Result<Vec<(String, String)>> {
        limited(&self.session, "headers_array", self.inner.headers_array()).await
    }

    /// The type of the body, as `text/html`.
    #[must_use]
    pub fn mime_type(&self) -> &str {
        self.inner.mime_type()
    }

    /// Whether a service worker of the page answered.
    #[must_use]
    pub fn is_from_service_worker(&self) -> bool {
        self.inner.is_from_service_worker()
    }

    /// The frame whose document it is.
    #[must_use]
    pub fn frame(&self) -> Frame {
        Frame::new(&self.session, self.inner.frame())
    }

    /// How the connection was secured; none when it was not.
    #[must_use]
    pub fn security_details(&self) -> Option<&SecurityDetails> {
        self.inner.security_details()
    }

    /// Which server answered; none when it did not come over the network.
    #[must_use]
    pub fn server_address(&self) -> Option<&ServerAddress> {
        self.inner.server_address()
    }

    /// Waits until the body has come as a whole.
    ///
    /// # Errors
    /// [`ErrorKind::ResponseBody`](crate::ErrorKind::ResponseBody) when it breaks off; as
    /// [`all_headers`](Self::all_headers).
    pub async fn finished(&self) -> Result<()> {
        limited(&self.session, "finished", self.inner.finished()).await
    }

    /// The body, once it has come as a whole; text is in UTF-8, whatever it was in. The browser keeps it as long as
    /// the page stays at this document.
    ///
    /// # Errors
    /// [`ErrorKind::ResponseBody`](crate::ErrorKind::ResponseBody) when the browser does not have it; as
    /// [`all_headers`](Self::all_headers).
    pub async fn body(&self) -> Result<Vec<u8>> {
        limited(&self.session, "body", self.inner.body()).await
    }

    /// The body as text. Bytes that are none become U+FFFD.
    ///
    /// # Errors
    /// As [`body`](Self::body).
    pub async fn text(&self) -> Result<String> {
        limited(&self.session, "text", self.inner.text()).await
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::ResponseParse`](crate::ErrorKind::ResponseParse) when it is none; as [`body`](Self::body).
    pub async fn json(&self) -> Result<Value> {
        limited(&self.session, "json", self.inner.json()).await
    }
}
