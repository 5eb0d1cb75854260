//! Locators: a selector, or an element that is known, and everything that can be done with it.

mod options;
mod reading;

use std::time::Duration;

use crate::element::reach::Limits;
use crate::{BrowserError, ElementRef, Frame, Page, Selector};

pub use options::{
    BoundingBox, ElementClickOptions, ElementDragOptions, ElementPosition, ElementState, FilePayload, Files,
    OptionChoice, Performed, PointerOptions, Purpose, SelectorWaitOptions, SendClickOptions, TypeOptions,
};

/// A way to an element, looked up anew at each call; a cheap clone. Of several matches it takes the first one,
/// unless [`nth`](Self::nth) says another.
///
/// **Waiting.** An action waits for its element to appear, 2 s, and then until people could use it, 5 s: it is
/// seen, keeps still, is enabled, in view, and not covered at the point where it will be pressed. A `timeout` in
/// the options stands for both; zero means no waiting. What reads only waits for the element to appear;
/// [`count`](Self::count) and [`is_visible`](Self::is_visible) do not wait.
///
/// **Looking after.** An action is a success when the page shows that it was done: the press has arrived at the
/// element, the field holds the text, the option is selected. Else it is [`BrowserError::NoEffect`]. When
/// [`BrowserError::may_have_happened`] is true of an error, the action must not simply be repeated.
///
/// Every method that acts or reads fails with [`BrowserError::ElementNotFound`], [`BrowserError::XPathNotFound`]
/// or [`BrowserError::ElementGone`] when there is no such element, with the errors of [`Page::resolve`] for a
/// selector that leads nowhere, and with [`BrowserError::NotAnswering`] when the page is too busy; every action
/// besides with [`BrowserError::NotActionable`], which names what is in the way.
///
/// ```no_run
/// # async fn example(page: automator_browser::Page) -> Result<(), automator_browser::BrowserError> {
/// page.locator("#user").fill("ann", None).await?;
/// page.locator("text=Sign in").click(&Default::default()).await?;
/// assert!(page.locator(".welcome").is_visible().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Locator {
    frame: Frame,
    target: Result<Target, InvalidSelector>,
    /// None for all matches, of which actions take the first.
    index: Option<usize>,
}

/// What a locator leads to.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Selector(Selector),
    Element {
        element: ElementRef,
        fallback: Option<Selector>,
    },
}

/// A selector that could not be read; told when the locator is used.
#[derive(Debug, Clone)]
struct InvalidSelector {
    selector: String,
    problem: String,
}

/// The inside of a frame, from which locators can be made.
#[derive(Debug, Clone)]
pub struct FrameLocator {
    page: Page,
    start: Frame,
    prefix: String,
}

impl FrameLocator {
    /// An element inside the frame; a `>>` leads into frames in it.
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(
            &self.start,
            Selector::parse(&format!("{} >> {selector}", self.prefix)),
        )
    }

    /// A frame inside the frame.
    #[must_use]
    pub fn frame_locator(&self, selector: &str) -> Self {
        Self {
            prefix: format!("{} >> {selector}", self.prefix),
            ..self.clone()
        }
    }

    /// The page.
    pub fn page(&self) -> &Page {
        &self.page
    }
}

impl Page {
    /// An element of the page by its selector. A `>>` is just a blank here, as between CSS selectors; an XPath
    /// with a step named `iframe` goes into the frame. A selector that cannot be read is told at the first use.
    pub fn locator(&self, selector: &str) -> Locator {
        self.main_frame().locator(selector)
    }

    /// An element by a selector whose `>>` lead into frames and shadow roots.
    pub fn deep_locator(&self, selector: &str) -> Locator {
        Locator::new(&self.main_frame(), Selector::parse(selector))
    }

    /// The inside of a frame, by a selector of its element.
    pub fn frame_locator(&self, selector: &str) -> FrameLocator {
        FrameLocator {
            page: self.clone(),
            start: self.main_frame(),
            prefix: selector.to_owned(),
        }
    }

    /// Waits until the first match of a selector is in a state: by default until it is visible, at most 30 s. A
    /// `>>` leads into frames and shadow roots.
    ///
    /// # Errors
    /// [`BrowserError::SelectorTimeout`]; as [`Page::resolve`] for a selector that cannot be read.
    pub async fn wait_for_selector(
        &self,
        selector: &str,
        options: &SelectorWaitOptions,
    ) -> Result<(), BrowserError> {
        self.deep_locator(selector).wait_for(options).await
    }
}

impl Frame {
    /// An element of the frame by its selector, as [`Page::locator`] for the page.
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(self, Selector::parse_within(selector))
    }

    /// An element of the frame by a selector whose `>>` lead into frames and shadow roots.
    pub fn deep_locator(&self, selector: &str) -> Locator {
        Locator::new(self, Selector::parse(selector))
    }

    /// The inside of a frame in this one, by a selector of its element.
    pub fn frame_locator(&self, selector: &str) -> FrameLocator {
        FrameLocator {
            page: self.page().clone(),
            start: self.clone(),
            prefix: selector.to_owned(),
        }
    }
}

impl std::fmt::Display for Locator {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.target {
            Ok(Target::Selector(selector)) => formatter.write_str(selector.as_str())?,
            Ok(Target::Element {
                fallback: Some(path), ..
            }) => formatter.write_str(path.as_str())?,
            Ok(Target::Element { element, .. }) => write!(formatter, "<{}>", element.tag)?,
            Err(invalid) => formatter.write_str(&invalid.selector)?,
        }
        if let Some(index) = self.index.filter(|index| *index > 0) {
            write!(formatter, " (match {})", index + 1)?;
        }
        Ok(())
    }
}

impl Locator {
    fn new(frame: &Frame, selector: Result<Selector, BrowserError>) -> Self {
        let target = selector.map(Target::Selector).map_err(|error| match error {
            BrowserError::InvalidSelector { selector, problem } => InvalidSelector { selector, problem },
            other => InvalidSelector {
                selector: String::new(),
                problem: other.to_string(),
            },
        });
        Self {
            frame: frame.clone(),
            target,
            index: None,
        }
    }

    /// An element that is known by its node, as from a snapshot. When the page draws it anew, what stands at the
    /// path `fallback` counts as the element if it has the same tag; whether it also has the same role and name is
    /// for the caller to see.
    pub fn of_element(element: ElementRef, fallback: Option<Selector>) -> Self {
        Self {
            frame: element.frame.page().main_frame(),
            target: Ok(Target::Element { element, fallback }),
            index: None,
        }
    }

    /// The match with this number, counted from 0.
    #[must_use]
    pub fn nth(&self, index: usize) -> Self {
        Self {
            index: Some(index),
            ..self.clone()
        }
    }

    /// The first match.
    #[must_use]
    pub fn first(&self) -> Self {
        self.nth(0)
    }

    /// The page.
    pub fn page(&self) -> &Page {
        self.frame.page()
    }

    /// Waits until the element is in a state: by default until it is visible, at most 30 s.
    ///
    /// # Errors
    /// [`BrowserError::SelectorTimeout`]; as [`Page::resolve`] for a selector that cannot be read.
    pub async fn wait_for(&self, options: &SelectorWaitOptions) -> Result<(), BrowserError> {
        if self.reach_state(options.state.name(), options.timeout).await? {
            return Ok(());
        }
        Err(BrowserError::SelectorTimeout {
            selector: self.to_string(),
            state: options.state.name(),
            limit: options.timeout,
        })
    }

    pub(crate) fn frame(&self) -> &Frame {
        &self.frame
    }

    pub(crate) fn target(&self) -> Result<&Target, BrowserError> {
        self.target
            .as_ref()
            .map_err(|invalid| BrowserError::InvalidSelector {
                selector: invalid.selector.clone(),
                problem: invalid.problem.clone(),
            })
    }

    pub(crate) fn index(&self) -> usize {
        self.index.unwrap_or_default()
    }

    pub(crate) fn limits(timeout: Option<Duration>) -> Limits {
        Limits::new(timeout)
    }
}
