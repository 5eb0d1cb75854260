//! A page of the session, with the operations that need a model.

mod asking;
mod events;
mod input;
mod navigation;
mod picture;
mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator_snapshot::{ElementId, Snapshot, XPath};
use serde_json::Value;
use tracing::Instrument as _;

pub use asking::PageExtract;
pub use events::{
    AnsweredDialog, ConsoleArgument, ConsoleMessage, Dialog, DialogAnswer, Download, DownloadState,
    EventKind, FileChooser, OpenDialog, PageError, PageEvent, PageEvents, ScriptLocation,
};
pub use input::{
    ClickOptions, DragOptions, HoverOptions, KeyPressOptions, ScrollOptions, TapOptions, TypingOptions,
};
pub use navigation::{GotoOptions, ReloadOptions, WaitUntil};
pub use picture::{Animations, Caret, Clip, ImageFormat, Scale, ScreenshotOptions, ViewportSizeOptions};

use crate::frame::Frame;
use crate::locator::{FrameLocator, Locator, SelectorWaitOptions};
use crate::options::SnapshotOptions;
use crate::reading::read;
use crate::session::Session;
use crate::time_text::time_text;
use crate::{Error, ErrorKind, Result, trace};

/// The limit of page calls that have none of their own.
const CALL_LIMIT: Duration = Duration::from_secs(30);

/// For how long nothing has happened in a page that is acted on because it shows what is expected of it: long enough
/// for what a script does once it has been loaded.
const MOMENT: Duration = Duration::from_millis(50);

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

    /// Waits until nothing has happened in the page for a moment: for who knows what to look for, and waits until it is
    /// at rest when that is not there.
    pub(crate) async fn settle_briefly(&self) -> Result<()> {
        let limit = self.session.options.dom_settle_timeout;
        self.browser_page.settle_for(MOMENT, limit).await?;
        Ok(())
    }

    /// Waits until the page's own document can be acted on by who knows what to look for in it.
    pub(crate) async fn settle_scripts(&self) -> Result<()> {
        let limit = self.session.options.dom_settle_timeout;
        self.browser_page.settle_scripts(limit).await?;
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
        limited(&self.session, "title", self.browser_page.title()).await
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
        limited_by(&self.session, Some(options.timeout), "wait_for_selector", waiting).await
    }

    /// The main frame.
    #[must_use]
    pub fn main_frame(&self) -> Frame {
        Frame::new(&self.session, self.browser_page.main_frame())
    }

    /// All frames, the main one first, the others in the order in which they came.
    #[must_use]
    pub fn frames(&self) -> Vec<Frame> {
        let frames = self.browser_page.frames().into_iter();
        frames.map(|frame| Frame::new(&self.session, frame)).collect()
    }

    /// The page that opened this one, if it is still open.
    #[must_use]
    pub fn opener(&self) -> Option<Page> {
        let opener = self.browser_page.opener()?;
        Some(Self::new(Arc::clone(&self.session), opener))
    }

    /// Whether the page has been closed, by us or by itself.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.browser_page.is_closed()
    }

    /// Evaluates JavaScript where the page's own scripts run: an expression, statements (the last one has the
    /// value), or the source of a function, which is called. Promises are waited for. The value comes back as JSON;
    /// `undefined`, and what JSON does not have, is null. There is no limit of time.
    ///
    /// # Errors
    /// [`ErrorKind::Eval`] with the page's own message, and with `name` and `stack` of what it threw in the
    /// [context](Error::context); [`ErrorKind::Closed`], [`ErrorKind::CdpConnectionClosed`].
    pub async fn evaluate(&self, source: &str) -> Result<Value> {
        self.main_frame().evaluate(source).await
    }

    /// As [`evaluate`](Self::evaluate), for the source of a function that takes one argument.
    ///
    /// ```no_run
    /// # async fn example(page: automator::Page) -> automator::Result<()> {
    /// let sum = page.evaluate_with("([a, b]) => a + b", &serde_json::json!([1, 2])).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub async fn evaluate_with(&self, function: &str, argument: &Value) -> Result<Value> {
        self.main_frame().evaluate_with(function, argument).await
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
        let mut scope = crate::reading::scope(options.selector.as_deref(), &options.ignore_selectors, limit)
            .map_err(|error| error.during("snapshot"))?;
        scope.without_frames = options.include_iframes == Some(false);
        let reading = async {
            self.browser_page.arrive(limit).await;
            read(self, &scope).await
        };
        limited_to(&self.session, limit, "snapshot", reading).await
    }

    /// The absolute XPath of every element of a snapshot that carries an id. An element that has gone since is
    /// left out when the page has to be asked for its path, which is so below a slot.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub async fn xpaths(&self, snapshot: &Snapshot) -> Result<BTreeMap<ElementId, String>> {
        let paths = snapshot.xpaths();
        let asked: Vec<&XPath> = paths.values().collect();
        let texts = limited(&self.session, "snapshot", self.browser_page.xpaths_of(&asked)).await?;
        let pairs = paths.keys().zip(texts);
        Ok(pairs.filter_map(|(id, path)| Some((*id, path?))).collect())
    }

    /// Closes the page.
    ///
    /// # Errors
    /// [`ErrorKind::CdpConnectionClosed`].
    pub async fn close(&self) -> Result<()> {
        limited(&self.session, "close", self.browser_page.close()).await
    }
}

/// Runs a page call under the limit of all page calls.
pub(crate) async fn limited<T, E: Into<Error>>(
    session: &Session,
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    limited_to(session, CALL_LIMIT, operation, work).await
}

/// Runs a call that has limits of its own for waiting: what comes beside that ends with the limit of page calls.
pub(crate) async fn limited_by<T, E: Into<Error>>(
    session: &Session,
    waiting: Option<Duration>,
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    let limit = CALL_LIMIT.saturating_add(waiting.unwrap_or_default());
    limited_to(session, limit, operation, work).await
}

/// Runs a page call under a limit; zero is none. Its error tells values that were typed by their names.
async fn limited_to<T, E: Into<Error>>(
    session: &Session,
    limit: Duration,
    operation: &'static str,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T> {
    let work = work.instrument(trace::span(session, operation));
    let outcome = if limit.is_zero() {
        Ok(work.await)
    } else {
        tokio::time::timeout(limit, work).await
    };
    match outcome {
        Ok(outcome) => outcome.map_err(|error| {
            let error = session.told_what_to_do(error.into().during(operation));
            error.masked(&|text| session.masked(text))
        }),
        Err(_) => Err(Error::new(
            ErrorKind::Timeout,
            format!("timed out after {}", time_text(limit)),
        )
        .during(operation)),
    }
}
