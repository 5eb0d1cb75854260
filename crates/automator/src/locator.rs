//! Elements by selector: looked for at each call, waited for, and looked at after every action.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use automator_browser::{Files, OptionChoice};

pub use automator_browser::{
    BoundingBox, ElementClickOptions, ElementDragOptions, ElementPosition, ElementState, FilePayload,
    Modifiers, MouseButton, PointerOptions, SelectorWaitOptions, SendClickOptions, TypeOptions,
};

use crate::Result;
use crate::page::{Page, limited_by};
use crate::session::Session;

/// How [`Locator::fill_with`] fills.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct FillOptions {
    /// How long the element may take to appear and to become ready. Default: 2 s and 5 s.
    pub timeout: Option<Duration>,
}

/// How [`Locator::highlight_with`] marks.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct HighlightOptions {
    /// For how long. Default: 800 ms.
    pub duration: Duration,
}

impl Default for HighlightOptions {
    fn default() -> Self {
        Self {
            duration: Duration::from_millis(800),
        }
    }
}

/// Elements by a selector; a cheap clone. Nothing is looked for before a method is called, and each call looks anew.
///
/// An element is waited for: 2 s to be there, 5 s to become usable, or as long as `timeout` says where a method's
/// options have one. Reading waits only until it is there; [`count`](Self::count), [`is_visible`](Self::is_visible)
/// and [`wait_for`](Self::wait_for) follow their own rules. Where several match, the first is meant; see
/// [`nth`](Self::nth).
///
/// Actions send the input that a person would, and succeed only when the page shows their effect.
///
/// # Errors
/// What all methods can fail with: [`ErrorKind::ElementNotFound`](crate::ErrorKind::ElementNotFound) and
/// [`ErrorKind::XPathResolution`](crate::ErrorKind::XPathResolution) when it does not appear,
/// [`ErrorKind::ElementNotVisible`](crate::ErrorKind::ElementNotVisible),
/// [`ErrorKind::Click`](crate::ErrorKind::Click) and [`ErrorKind::Locator`](crate::ErrorKind::Locator) when it
/// cannot be used or the effect is not seen, [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for
/// selectors and arguments that cannot be used, [`ErrorKind::Iframe`](crate::ErrorKind::Iframe),
/// [`ErrorKind::ContentFrameNotFound`](crate::ErrorKind::ContentFrameNotFound) and
/// [`ErrorKind::ShadowRootMissing`](crate::ErrorKind::ShadowRootMissing) at a `>>` that leads nowhere, and those of
/// a page or browser that is gone.
#[derive(Clone)]
pub struct Locator {
    session: Arc<Session>,
    inner: automator_browser::Locator,
}

impl fmt::Debug for Locator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Locator({})", self.inner)
    }
}

/// Selectors that start in a frame, an element's shadow root, or a chain of these.
#[derive(Clone)]
pub struct FrameLocator {
    session: Arc<Session>,
    inner: automator_browser::FrameLocator,
}

impl fmt::Debug for FrameLocator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FrameLocator")
    }
}

impl FrameLocator {
    pub(crate) fn new(session: Arc<Session>, inner: automator_browser::FrameLocator) -> Self {
        Self { session, inner }
    }

    /// An element in it.
    #[must_use]
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(Arc::clone(&self.session), self.inner.locator(selector))
    }

    /// A frame in it.
    #[must_use]
    pub fn frame_locator(&self, selector: &str) -> FrameLocator {
        Self::new(Arc::clone(&self.session), self.inner.frame_locator(selector))
    }
}

impl Locator {
    pub(crate) fn new(session: Arc<Session>, inner: automator_browser::Locator) -> Self {
        Self { session, inner }
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> Page {
        Page::new(Arc::clone(&self.session), self.inner.page().clone())
    }

    /// The match with this number, counted from 0.
    #[must_use]
    pub fn nth(&self, index: usize) -> Locator {
        Self::new(Arc::clone(&self.session), self.inner.nth(index))
    }

    /// The first match.
    #[must_use]
    pub fn first(&self) -> Locator {
        self.nth(0)
    }

    /// Clicks.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn click(&self) -> Result<()> {
        self.click_with(&ElementClickOptions::default()).await
    }

    /// Clicks with another button, more than once, or with keys held.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn click_with(&self, options: &ElementClickOptions) -> Result<()> {
        done(&self.session, "click", options.timeout, self.inner.click(options)).await
    }

    /// Clicks twice, as one gesture.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn double_click(&self) -> Result<()> {
        let options = ElementClickOptions::default();
        done(
            &self.session,
            "double_click",
            None,
            self.inner.double_click(&options),
        )
        .await
    }

    /// Puts the pointer over it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn hover(&self) -> Result<()> {
        self.hover_with(&PointerOptions::default()).await
    }

    /// As [`hover`](Self::hover), with options.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn hover_with(&self, options: &PointerOptions) -> Result<()> {
        done(&self.session, "hover", options.timeout, self.inner.hover(options)).await
    }

    /// Touches it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn tap(&self) -> Result<()> {
        done(
            &self.session,
            "tap",
            None,
            self.inner.tap(&PointerOptions::default()),
        )
        .await
    }

    /// Turns a checkbox, a switch or a radio button on or off, by a click if it is not so.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn set_checked(&self, is_on: bool) -> Result<()> {
        let options = ElementClickOptions::default();
        done(
            &self.session,
            "set_checked",
            None,
            self.inner.set_checked(is_on, &options),
        )
        .await
    }

    /// Replaces what a field holds. Dates are written as `2026-11-28`, times as `13:45`, colours as `#ff8800`.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn fill(&self, text: &str) -> Result<()> {
        self.fill_with(text, &FillOptions::default()).await
    }

    /// As [`fill`](Self::fill), with options.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn fill_with(&self, text: &str, options: &FillOptions) -> Result<()> {
        let filling = self.inner.fill(text, options.timeout);
        done(&self.session, "fill", options.timeout, filling).await
    }

    /// Types key by key, after what is there.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn type_text(&self, text: &str) -> Result<()> {
        self.type_text_with(text, &TypeOptions::default()).await
    }

    /// As [`type_text`](Self::type_text), with a pause between the keys or another limit for waiting.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn type_text_with(&self, text: &str, options: &TypeOptions) -> Result<()> {
        let keys = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let typing = options.delay.saturating_mul(keys);
        let limit = options
            .timeout
            .map_or(typing, |limit| limit.saturating_add(typing));
        done(
            &self.session,
            "type_text",
            Some(limit),
            self.inner.type_text(text, options),
        )
        .await
    }

    /// Presses a key or a combination such as `Control+A` with the focus on it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn press(&self, key: &str) -> Result<()> {
        done(
            &self.session,
            "press",
            None,
            self.inner.press(key, &TypeOptions::default()),
        )
        .await
    }

    /// Gives it the focus.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn focus(&self) -> Result<()> {
        done(&self.session, "focus", None, self.inner.focus()).await
    }

    /// Selects options by value or by the text that people see; all others are deselected. Gives what is selected
    /// then. A list box that is no `select` is opened first.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn select_option(&self, options: &[&str]) -> Result<Vec<String>> {
        let options: Vec<OptionChoice> = options.iter().map(|option| (*option).into()).collect();
        limited_by(
            &self.session,
            None,
            "select_option",
            self.inner.select_option(&options, None),
        )
        .await
    }

    /// Gives a file input these files; none empties it.
    ///
    /// # Errors
    /// See [`Locator`]; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a file that cannot be
    /// read.
    pub async fn set_input_files(&self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Result<()> {
        let files = Files::Paths(paths.into_iter().map(Into::into).collect());
        done(
            &self.session,
            "set_input_files",
            None,
            self.inner.set_input_files(&files),
        )
        .await
    }

    /// Gives a file input files that are made here.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn set_input_payloads(&self, files: Vec<FilePayload>) -> Result<()> {
        let files = Files::Payloads(files);
        done(
            &self.session,
            "set_input_files",
            None,
            self.inner.set_input_files(&files),
        )
        .await
    }

    /// Drags it onto another element.
    ///
    /// # Errors
    /// See [`Locator`], for both.
    pub async fn drag_to(&self, target: &Locator) -> Result<()> {
        self.drag_to_with(target, &ElementDragOptions::default()).await
    }

    /// As [`drag_to`](Self::drag_to), with options.
    ///
    /// # Errors
    /// See [`Locator`], for both.
    pub async fn drag_to_with(&self, target: &Locator, options: &ElementDragOptions) -> Result<()> {
        done(
            &self.session,
            "drag_to",
            options.timeout,
            self.inner.drag_to(&target.inner, options),
        )
        .await
    }

    /// Scrolls it to a share of its height, 0 to 100; `html` and `body` mean the page.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn scroll_to(&self, percent: f64) -> Result<()> {
        done(&self.session, "scroll_to", None, self.inner.scroll_to(percent)).await
    }

    /// Scrolls it by pixels, to the right and down.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn scroll_by(&self, across: f64, down: f64) -> Result<()> {
        done(
            &self.session,
            "scroll_by",
            None,
            self.inner.scroll_by(across, down),
        )
        .await
    }

    /// Scrolls it into view.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn scroll_into_view(&self) -> Result<()> {
        done(
            &self.session,
            "scroll_into_view",
            None,
            self.inner.scroll_into_view(),
        )
        .await
    }

    /// Sends it a click event from script, without pointer and without looking whether people could click.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn send_click_event(&self, options: &SendClickOptions) -> Result<()> {
        limited_by(
            &self.session,
            None,
            "send_click_event",
            self.inner.send_click_event(options),
        )
        .await
    }

    /// Draws a frame around it for 800 ms.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn highlight(&self) -> Result<()> {
        self.highlight_with(&HighlightOptions::default()).await
    }

    /// As [`highlight`](Self::highlight), with options.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn highlight_with(&self, options: &HighlightOptions) -> Result<()> {
        let highlighting = self.inner.highlight(Some(options.duration));
        limited_by(&self.session, Some(options.duration), "highlight", highlighting).await
    }

    /// Waits until it is in a state: until it is visible, at most 30 s, by default.
    ///
    /// # Errors
    /// [`ErrorKind::Eval`](crate::ErrorKind::Eval) when it does not come; else see [`Locator`].
    pub async fn wait_for(&self, options: &SelectorWaitOptions) -> Result<()> {
        limited_by(
            &self.session,
            Some(options.timeout),
            "wait_for",
            self.inner.wait_for(options),
        )
        .await
    }

    /// How many elements match now.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn count(&self) -> Result<usize> {
        limited_by(&self.session, None, "count", self.inner.count()).await
    }

    /// Whether people see it now; not being there is not being seen.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn is_visible(&self) -> Result<bool> {
        limited_by(&self.session, None, "is_visible", self.inner.is_visible()).await
    }

    /// Whether it can be used: neither disabled nor inert.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn is_enabled(&self) -> Result<bool> {
        limited_by(&self.session, None, "is_enabled", self.inner.is_enabled()).await
    }

    /// Whether it is on: a checkbox, a radio button, or what `aria-checked` says.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn is_checked(&self) -> Result<bool> {
        limited_by(&self.session, None, "is_checked", self.inner.is_checked()).await
    }

    /// What a field holds.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn input_value(&self) -> Result<String> {
        limited_by(&self.session, None, "input_value", self.inner.input_value()).await
    }

    /// All text in it, as the document has it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn text_content(&self) -> Result<String> {
        limited_by(&self.session, None, "text_content", self.inner.text_content()).await
    }

    /// Its text as it is laid out.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn inner_text(&self) -> Result<String> {
        limited_by(&self.session, None, "inner_text", self.inner.inner_text()).await
    }

    /// The HTML in it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn inner_html(&self) -> Result<String> {
        limited_by(&self.session, None, "inner_html", self.inner.inner_html()).await
    }

    /// One of its attributes; none when it has none of this name.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn get_attribute(&self, name: &str) -> Result<Option<String>> {
        limited_by(
            &self.session,
            None,
            "get_attribute",
            self.inner.get_attribute(name),
        )
        .await
    }

    /// Its box in the page's viewport, in CSS pixels; none when it has none.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn bounding_box(&self) -> Result<Option<BoundingBox>> {
        limited_by(&self.session, None, "bounding_box", self.inner.bounding_box()).await
    }

    /// The middle of its box in the page's viewport, in CSS pixels.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn centroid(&self) -> Result<(f64, f64)> {
        limited_by(&self.session, None, "centroid", self.inner.centroid()).await
    }

    /// The id by which the DevTools protocol knows its node, valid as long as the node lives.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn backend_node_id(&self) -> Result<i64> {
        limited_by(
            &self.session,
            None,
            "backend_node_id",
            self.inner.backend_node_id(),
        )
        .await
    }
}

/// Runs an action of which only success is of interest.
async fn done<T>(
    session: &Session,
    operation: &'static str,
    timeout: Option<Duration>,
    work: impl Future<Output = Result<T, automator_browser::BrowserError>>,
) -> Result<()> {
    limited_by(session, timeout, operation, work).await.map(drop)
}
