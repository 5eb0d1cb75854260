//! A page of the session, with the operations that need a model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator_browser::GotoOptions as BrowserGotoOptions;
use automator_snapshot::{ElementId, Snapshot, XPath};
use serde_json::{Value, json};

pub use automator_browser::{Response, WaitUntil};

use crate::automator::Session;
use crate::locator::{FrameLocator, Locator, SelectorWaitOptions};
use crate::options::SnapshotOptions;
use crate::reading::read;
use crate::records::HistoryMethod;
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result};

/// The limit of page calls that have none of their own.
const CALL_LIMIT: Duration = Duration::from_secs(30);

/// A page; a cheap clone. Two are equal when they are the same page.
#[derive(Debug, Clone)]
pub struct Page {
    session: Arc<Session>,
    browser_page: automator_browser::Page,
}

impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        self.browser_page == other.browser_page
    }
}

impl Eq for Page {}

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

impl Page {
    pub(crate) fn new(session: Arc<Session>, browser_page: automator_browser::Page) -> Self {
        Self {
            session,
            browser_page,
        }
    }

    pub(crate) fn browser_page(&self) -> &automator_browser::Page {
        &self.browser_page
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Waits until the page has come to rest, at most as long as the session's `domSettleTimeout` says.
    pub(crate) async fn settle(&self) -> Result<()> {
        let limit = self.session.options.dom_settle_timeout;
        self.browser_page.settle(limit).await?;
        Ok(())
    }

    pub(crate) fn belongs_to(&self, session: &Arc<Session>) -> bool {
        Arc::ptr_eq(&self.session, session)
    }

    /// The target id of the page.
    #[must_use]
    pub fn id(&self) -> &str {
        self.browser_page.id()
    }

    /// The address, as the browser last told it.
    #[must_use]
    pub fn url(&self) -> String {
        self.browser_page.url()
    }

    /// The title.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`], [`ErrorKind::CdpConnectionClosed`]; [`ErrorKind::Timeout`] after 30 s.
    pub async fn title(&self) -> Result<String> {
        limited("title", self.browser_page.title()).await
    }

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
    /// [`ErrorKind::InvalidArgument`] for what is no URL, [`ErrorKind::Navigation`] for network errors, downloads
    /// and a later navigation that takes over, [`ErrorKind::Timeout`].
    pub async fn goto_with(&self, url: &str, options: GotoOptions) -> Result<Option<Response>> {
        let mut browser_options = BrowserGotoOptions::default();
        browser_options.wait_until = options.wait_until;
        browser_options.timeout = (!options.timeout.is_zero()).then_some(options.timeout);
        let response = self.browser_page.goto(url, browser_options).await;
        let log = &self.session.log;
        let response = response.map_err(|error| Error::from(error).during("goto").with("url", url))?;
        let status = response.as_ref().map(Response::status);
        log.info(
            "page",
            "navigated",
            &[
                ("url", self.url()),
                (
                    "status",
                    status.map_or(String::new(), |status| status.to_string()),
                ),
            ],
        );
        let parameters = json!({ "url": url, "waitUntil": options.wait_until.name() });
        self.session.records.add_history(
            HistoryMethod::Navigate,
            parameters,
            json!({ "url": self.url(), "status": status }),
        );
        Ok(response)
    }

    /// An element by selector: CSS; an XPath, bare or with `xpath=`; `text=` and a part of a text. Shadow roots, open
    /// and closed, are looked into. `>>` is a blank here; [`deep_locator`](Self::deep_locator) goes into frames.
    #[must_use]
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(Arc::clone(&self.session), self.browser_page.locator(selector))
    }

    /// An element by a selector whose `>>` lead into frames and shadow roots: `#checkout >> text=Pay`.
    #[must_use]
    pub fn deep_locator(&self, selector: &str) -> Locator {
        Locator::new(
            Arc::clone(&self.session),
            self.browser_page.deep_locator(selector),
        )
    }

    /// A frame, for selectors that start in it.
    #[must_use]
    pub fn frame_locator(&self, selector: &str) -> FrameLocator {
        FrameLocator::new(
            Arc::clone(&self.session),
            self.browser_page.frame_locator(selector),
        )
    }

    /// Waits until an element is in a state: until it is visible, at most 30 s, by default.
    ///
    /// # Errors
    /// [`ErrorKind::Eval`] when it does not come in time, [`ErrorKind::InvalidArgument`] for a selector that cannot
    /// be read.
    pub async fn wait_for_selector(&self, selector: &str, options: &SelectorWaitOptions) -> Result<()> {
        let waiting = self.browser_page.wait_for_selector(selector, options);
        limited_by(Some(options.timeout), "wait_for_selector", waiting).await
    }

    /// Evaluates a JavaScript expression where the page's own scripts run; its value comes back as JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Eval`] with the page's own message; [`ErrorKind::Closed`], [`ErrorKind::CdpConnectionClosed`].
    pub async fn evaluate(&self, expression: &str) -> Result<Value> {
        self.browser_page
            .evaluate_in_page(expression)
            .await
            .map_err(|error| Error::from(error).during("evaluate"))
    }

    /// The page as text with ids, and what belongs to them.
    ///
    /// # Errors
    /// [`ErrorKind::DomProcess`]; [`ErrorKind::Closed`], [`ErrorKind::CdpConnectionClosed`];
    /// [`ErrorKind::Timeout`] after 30 s.
    pub async fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot_with(&SnapshotOptions::default()).await
    }

    /// As [`snapshot`](Self::snapshot), of a part of the page or with another limit of time. Ids are the same as
    /// in a snapshot of the whole page.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot); besides [`ErrorKind::InvalidArgument`] for what is no selector, and
    /// [`ErrorKind::ElementNotFound`], [`ErrorKind::XPathResolution`], [`ErrorKind::Iframe`],
    /// [`ErrorKind::ContentFrameNotFound`] and [`ErrorKind::ShadowRootMissing`] for one that leads nowhere.
    pub async fn snapshot_with(&self, options: &SnapshotOptions) -> Result<Snapshot> {
        let limit = options.timeout.unwrap_or(CALL_LIMIT);
        let scope = crate::reading::scope(options.selector.as_deref(), &options.ignore_selectors, limit)
            .map_err(|error| error.during("snapshot"))?;
        limited_to(limit, "snapshot", read(self, &scope)).await
    }

    /// The absolute XPath of every element of a snapshot that carries an id. An element that has gone since is
    /// left out when the page has to be asked for its path, which is so below a slot.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub async fn xpaths(&self, snapshot: &Snapshot) -> Result<BTreeMap<ElementId, String>> {
        let paths = snapshot.xpaths();
        let asked: Vec<&XPath> = paths.values().collect();
        let texts = limited("snapshot", self.browser_page.xpaths_of(&asked)).await?;
        let pairs = paths.keys().zip(texts);
        Ok(pairs.filter_map(|(id, path)| Some((*id, path?))).collect())
    }

    /// A PNG of what the viewport shows.
    ///
    /// # Errors
    /// As [`title`](Self::title).
    pub async fn screenshot(&self) -> Result<Vec<u8>> {
        limited("screenshot", self.browser_page.viewport_png()).await
    }

    /// Closes the page.
    ///
    /// # Errors
    /// [`ErrorKind::CdpConnectionClosed`].
    pub async fn close(&self) -> Result<()> {
        limited("close", self.browser_page.close()).await
    }
}

/// Runs a page call under the limit of all page calls.
pub(crate) async fn limited<T, E: Into<Error>>(
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    limited_to(CALL_LIMIT, operation, work).await
}

/// Runs a call that has limits of its own for waiting: what comes beside that ends with the limit of page calls.
pub(crate) async fn limited_by<T, E: Into<Error>>(
    waiting: Option<Duration>,
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    let limit = CALL_LIMIT.saturating_add(waiting.unwrap_or_default());
    limited_to(limit, operation, work).await
}

/// Runs a page call under a limit; zero is none.
async fn limited_to<T, E: Into<Error>>(
    limit: Duration,
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    let outcome = if limit.is_zero() {
        Ok(work.await)
    } else {
        tokio::time::timeout(limit, work).await
    };
    match outcome {
        Ok(outcome) => outcome.map_err(|error| error.into().during(operation)),
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            format!("timed out after {}", time_text(limit)),
        )
        .during(operation)),
    }
}
