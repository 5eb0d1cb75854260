//! A frame of a page.

use std::sync::Arc;

use serde_json::Value;
use tracing::Instrument as _;

use crate::locator::{FrameLocator, Locator};
use crate::page::Page;
use crate::session::Session;
use crate::{Error, Result, trace};

/// A frame of a page: a document in the page, in whatever process it lives. A cheap clone; two are equal when they
/// are the same frame.
#[derive(Clone)]
pub struct Frame {
    session: Arc<Session>,
    inner: automator_browser::Frame,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Frame({})", self.inner.id())
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Frame {}

impl Frame {
    pub(crate) fn new(session: &Arc<Session>, inner: automator_browser::Frame) -> Self {
        let session = Arc::clone(session);
        Self { session, inner }
    }

    /// Its id, which stays as long as its element lives. The main frame has that of the page.
    #[must_use]
    pub fn id(&self) -> &str {
        self.inner.id()
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> Page {
        Page::new(Arc::clone(&self.session), self.inner.page().clone())
    }

    /// The frame that it is in; none for the main frame, and for one that has gone.
    #[must_use]
    pub fn parent(&self) -> Option<Frame> {
        Some(Self::new(&self.session, self.inner.parent()?))
    }

    /// The address of its document; empty when it has gone.
    #[must_use]
    pub fn url(&self) -> String {
        self.inner.url()
    }

    /// Its name, as its element or its document gives it; empty when it has none.
    #[must_use]
    pub fn name(&self) -> String {
        self.inner.name()
    }

    /// An element of it; see [`Page::locator`].
    #[must_use]
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(Arc::clone(&self.session), self.inner.locator(selector))
    }

    /// An element of it or of frames in it; see [`Page::deep_locator`].
    #[must_use]
    pub fn deep_locator(&self, selector: &str) -> Locator {
        Locator::new(Arc::clone(&self.session), self.inner.deep_locator(selector))
    }

    /// A frame in it; see [`Page::frame_locator`].
    #[must_use]
    pub fn frame_locator(&self, selector: &str) -> FrameLocator {
        FrameLocator::new(Arc::clone(&self.session), self.inner.frame_locator(selector))
    }

    /// Evaluates JavaScript where the scripts of its document run; see [`Page::evaluate`].
    ///
    /// # Errors
    /// As [`Page::evaluate`]; [`ErrorKind::DomProcess`](crate::ErrorKind::DomProcess) when the frame has gone.
    pub async fn evaluate(&self, source: &str) -> Result<Value> {
        self.evaluated(source, None).await
    }

    /// As [`evaluate`](Self::evaluate), for the source of a function that takes one argument; see
    /// [`Page::evaluate_with`].
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub async fn evaluate_with(&self, function: &str, argument: &Value) -> Result<Value> {
        self.evaluated(function, Some(argument)).await
    }

    pub(crate) async fn evaluated(&self, source: &str, argument: Option<&Value>) -> Result<Value> {
        let evaluating = self.inner.evaluate(source, argument);
        let outcome = evaluating
            .instrument(trace::span(&self.session, "evaluate"))
            .await;
        outcome.map_err(|error| {
            let error = Error::from(error).during("evaluate");
            error.masked(&|text| self.session.masked(text))
        })
    }
}
