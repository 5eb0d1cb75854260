//! Where a page goes.

use std::time::Duration;

use automator_browser::{BrowserError, GotoOptions as BrowserGotoOptions};
use serde_json::{Value, json};
use tracing::Instrument as _;

pub use automator_browser::WaitUntil;

use super::{Page, limited_by};
use crate::records::HistoryMethod;
use crate::response::Response;
use crate::{Error, Result, trace};

/// How [`Page::goto`] waits.
#[derive(Debug, Clone)]
pub struct GotoOptions {
    /// How far the page must come. Default: the document has been read to its end.
    pub wait_until: WaitUntil,
    /// The limit of time, from the first byte sent; zero is none. Default: 15 s.
    pub timeout: Duration,
}

impl Default for GotoOptions {
    fn default() -> Self {
        Self {
            wait_until: WaitUntil::default(),
            timeout: Duration::from_secs(15),
        }
    }
}

/// How [`Page::reload`] reloads.
#[derive(Debug, Clone)]
pub struct ReloadOptions {
    /// How far the page must come. Default: the document has been read to its end.
    pub wait_until: WaitUntil,
    /// The limit of time; zero is none. Default: 15 s.
    pub timeout: Duration,
    /// Asks the servers again for what is in the browser's cache. Default: false.
    pub ignore_cache: bool,
}

impl Default for ReloadOptions {
    fn default() -> Self {
        let GotoOptions { wait_until, timeout } = GotoOptions::default();
        Self {
            wait_until,
            timeout,
            ignore_cache: false,
        }
    }
}

/// The limit of [`Page::wait_for_load_state`].
const LOAD_STATE_LIMIT: Duration = Duration::from_secs(15);

impl GotoOptions {
    /// That a navigation to an address has reached its limit of time: for whoever navigates for somebody else, and has
    /// used it up before the navigation began.
    #[must_use]
    pub fn past_deadline(&self, url: &str) -> Error {
        let late = BrowserError::NavigationTimeout {
            url: url.to_owned(),
            wait_until: self.wait_until.name(),
            limit: self.timeout,
        };
        Error::from(late).during("goto").with("url", url)
    }

    fn to_browser(&self) -> BrowserGotoOptions {
        let mut options = BrowserGotoOptions::default();
        options.wait_until = self.wait_until;
        options.timeout = limit_of(self.timeout);
        options
    }
}

/// A limit as the browser crate has it: zero is none.
fn limit_of(timeout: Duration) -> Option<Duration> {
    (!timeout.is_zero()).then_some(timeout)
}

impl Page {
    /// Goes to an address with the default options.
    ///
    /// # Errors
    /// As [`goto_with`](Self::goto_with).
    pub async fn goto(&self, url: &str) -> Result<Option<Response>> {
        self.goto_with(url, GotoOptions::default()).await
    }

    /// Goes to an address. Gives the response of the main document, if there is one; an HTTP error is a page like
    /// any other.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is no URL,
    /// [`ErrorKind::Navigation`](crate::ErrorKind::Navigation) for network errors, downloads, addresses that the
    /// domain policy forbids and a later navigation that takes over, [`ErrorKind::Timeout`](crate::ErrorKind::Timeout).
    pub async fn goto_with(&self, url: &str, options: GotoOptions) -> Result<Option<Response>> {
        let parameters = json!({ "url": url, "waitUntil": options.wait_until.name() });
        let going = self.browser_page.goto(url, options.to_browser());
        self.navigate("goto", parameters, going)
            .await
            .map_err(|error| error.with("url", self.session.masked(url)))
    }

    /// Loads the page anew with the default options.
    ///
    /// # Errors
    /// As [`reload_with`](Self::reload_with).
    pub async fn reload(&self) -> Result<Option<Response>> {
        self.reload_with(ReloadOptions::default()).await
    }

    /// Loads the page anew. Gives the response as [`goto_with`](Self::goto_with) does.
    ///
    /// # Errors
    /// [`ErrorKind::Navigation`](crate::ErrorKind::Navigation), [`ErrorKind::Timeout`](crate::ErrorKind::Timeout),
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn reload_with(&self, options: ReloadOptions) -> Result<Option<Response>> {
        let mut browser_options = automator_browser::ReloadOptions::default();
        browser_options.wait_until = options.wait_until;
        browser_options.timeout = limit_of(options.timeout);
        browser_options.ignore_cache = options.ignore_cache;
        let parameters = json!({ "to": "reload", "waitUntil": options.wait_until.name() });
        let reloading = self.browser_page.reload(&browser_options);
        self.navigate("reload", parameters, reloading).await
    }

    /// Goes one step back in the history of the page with the default options.
    ///
    /// # Errors
    /// As [`reload_with`](Self::reload_with).
    pub async fn go_back(&self) -> Result<Option<Response>> {
        self.go_back_with(GotoOptions::default()).await
    }

    /// Goes one step back in the history of the page. Gives the response of the document there; none when there is
    /// no step back, and for a step within the same document.
    ///
    /// # Errors
    /// As [`reload_with`](Self::reload_with).
    pub async fn go_back_with(&self, options: GotoOptions) -> Result<Option<Response>> {
        let parameters = json!({ "to": "back", "waitUntil": options.wait_until.name() });
        let options = options.to_browser();
        let going = self.browser_page.go_back(&options);
        self.navigate("go_back", parameters, going).await
    }

    /// Goes one step forward in the history of the page with the default options.
    ///
    /// # Errors
    /// As [`reload_with`](Self::reload_with).
    pub async fn go_forward(&self) -> Result<Option<Response>> {
        self.go_forward_with(GotoOptions::default()).await
    }

    /// Goes one step forward in the history of the page; else as [`go_back_with`](Self::go_back_with).
    ///
    /// # Errors
    /// As [`reload_with`](Self::reload_with).
    pub async fn go_forward_with(&self, options: GotoOptions) -> Result<Option<Response>> {
        let parameters = json!({ "to": "forward", "waitUntil": options.wait_until.name() });
        let options = options.to_browser();
        let going = self.browser_page.go_forward(&options);
        self.navigate("go_forward", parameters, going).await
    }

    /// Waits until the document that the page has, or gets meanwhile, has come so far; at once when it has. At most
    /// 15 s.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout), [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn wait_for_load_state(&self, state: WaitUntil) -> Result<()> {
        self.wait_for_load_state_with(state, LOAD_STATE_LIMIT).await
    }

    /// As [`wait_for_load_state`](Self::wait_for_load_state), with another limit of time; zero is none.
    ///
    /// # Errors
    /// As [`wait_for_load_state`](Self::wait_for_load_state).
    pub async fn wait_for_load_state_with(&self, state: WaitUntil, timeout: Duration) -> Result<()> {
        let waiting = self.browser_page.wait_for_load_state(state, limit_of(timeout));
        // The limit of page calls is beside the point: this one is the caller's.
        let limit = limit_of(timeout).unwrap_or(Duration::MAX);
        limited_by(&self.session, Some(limit), "wait_for_load_state", waiting).await
    }

    /// Does nothing for a while. To wait for something, [`wait_for_selector`](Self::wait_for_selector) and
    /// [`wait_for_load_state`](Self::wait_for_load_state) are better: they end when it is there.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed) when the page or the session is closed meanwhile,
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn wait_for_timeout(&self, duration: Duration) -> Result<()> {
        let span = trace::span(&self.session, "wait_for_timeout");
        let outcome = self
            .browser_page
            .wait_for_timeout(duration)
            .instrument(span)
            .await;
        outcome.map_err(|error| Error::from(error).during("wait_for_timeout"))
    }

    /// Runs a navigation and records it, whatever comes of it.
    async fn navigate(
        &self,
        operation: &'static str,
        parameters: Value,
        going: impl Future<Output = Result<Option<automator_browser::Response>, BrowserError>>,
    ) -> Result<Option<Response>> {
        let session = &self.session;
        let outcome = going.instrument(trace::span(session, operation)).await;
        let parameters = session.masked_value(parameters);
        match outcome {
            Ok(response) => {
                let status = response.as_ref().map(automator_browser::Response::status);
                let url = session.masked(&self.url());
                let details = [
                    ("url", url.clone()),
                    (
                        "status",
                        status.map_or(String::new(), |status| status.to_string()),
                    ),
                ];
                session.log.info("page", "navigated", &details);
                let result = json!({ "url": url, "status": status });
                session
                    .records
                    .add_history(HistoryMethod::Navigate, parameters, result);
                Ok(response.map(|response| Response::new(session, response)))
            }
            Err(error) => {
                let error = Error::from(error)
                    .during(operation)
                    .masked(&|text| session.masked(text));
                session.log.error("page", error.to_string(), &[]);
                session
                    .records
                    .add_history(HistoryMethod::Navigate, parameters, Value::Null);
                Err(error)
            }
        }
    }
}
