//! A page of the session, with the operations that need a model.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator_browser::GotoOptions as BrowserGotoOptions;
use automator_snapshot::{ElementId, Snapshot, XPath};
use serde_json::{Value, json};

pub use automator_browser::{Response, WaitUntil};

use crate::automator::Session;
use crate::options::SnapshotOptions;
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
        let scope = crate::extract::scope(options.selector.as_deref(), &options.ignore_selectors, limit)
            .map_err(|error| error.during("snapshot"))?;
        let reading = async {
            let snapshot = self.browser_page.snapshot(&scope).await;
            snapshot.map_err(|error| crate::extract::reading_error(error, &scope))
        };
        limited_to(limit, "snapshot", reading).await
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
pub(crate) async fn limited<T>(
    operation: &'static str,
    work: impl Future<Output = Result<T, automator_browser::BrowserError>>,
) -> Result<T> {
    limited_to(CALL_LIMIT, operation, async { Ok(work.await?) }).await
}

/// Runs a page call under a limit; zero is none.
async fn limited_to<T>(
    limit: Duration,
    operation: &'static str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let outcome = if limit.is_zero() {
        Ok(work.await)
    } else {
        tokio::time::timeout(limit, work).await
    };
    match outcome {
        Ok(outcome) => outcome.map_err(|error| error.during(operation)),
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            format!("timed out after {}", time_text(limit)),
        )
        .during(operation)),
    }
}
