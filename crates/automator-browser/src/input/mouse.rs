//! The mouse: moving, pressing, clicking.

use std::time::Duration;

use automator_cdp::Session;
use automator_cdp::protocol::input::{DispatchMouseEvent, dispatch_mouse_event_type, mouse_button};

use crate::input::deliver;
use crate::input::keys::Modifiers;
use crate::input::watch::{InputPart, Watch};
use crate::{BrowserError, Page};

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MouseButton {
    /// The main one.
    #[default]
    Left,
    /// The one for context menus.
    Right,
    /// The wheel, pressed.
    Middle,
}

/// How [`Page::click`] clicks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClickOptions {
    /// Which button. Default: left.
    pub button: MouseButton,
    /// How many clicks follow each other as one gesture: 2 is a double click. Default: 1.
    pub click_count: u32,
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// How long the button stays down in each click. Default: no time at all.
    pub delay: Duration,
    /// Whether the XPath of the element under the point is wanted. Default: no.
    pub return_xpath: bool,
}

impl Default for ClickOptions {
    fn default() -> Self {
        Self {
            button: MouseButton::Left,
            click_count: 1,
            modifiers: Modifiers::default(),
            delay: Duration::ZERO,
            return_xpath: false,
        }
    }
}

/// How [`Page::hover`] moves the mouse.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct HoverOptions {
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Whether the XPath of the element under the point is wanted. Default: no.
    pub return_xpath: bool,
}

impl MouseButton {
    /// As it is written in options: `left`, `right`, `middle`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Left => mouse_button::LEFT,
            Self::Right => mouse_button::RIGHT,
            Self::Middle => mouse_button::MIDDLE,
        }
    }

    /// Its bit among the buttons that are down.
    pub(crate) fn bit(self) -> i64 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

impl std::str::FromStr for MouseButton {
    type Err = BrowserError;

    fn from_str(name: &str) -> Result<Self, BrowserError> {
        [Self::Left, Self::Right, Self::Middle]
            .into_iter()
            .find(|button| button.name() == name)
            .ok_or_else(|| BrowserError::InvalidArgument {
                argument: "button",
                problem: format!("`{name}` is none of left, right, middle"),
            })
    }
}

impl Page {
    /// Clicks at a point of the viewport, in CSS pixels: the mouse moves there, then presses and releases.
    ///
    /// Returns the [XPath](Self::xpath_at) of the element that was under the point before the click, when
    /// [`return_xpath`](ClickOptions::return_xpath) is set; else an empty text.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] for coordinates that are no numbers and for a count of zero;
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn click(&self, x: f64, y: f64, options: &ClickOptions) -> Result<String, BrowserError> {
        self.click_by(x, y, options, None).await
    }

    /// As [`click`](Self::click), with somebody who looks at what is at the point before each press and each release.
    ///
    /// # Errors
    /// [`BrowserError::KeptBack`]; else as [`click`](Self::click).
    pub async fn click_watched(
        &self,
        x: f64,
        y: f64,
        options: &ClickOptions,
        watch: &Watch,
    ) -> Result<String, BrowserError> {
        self.click_by(x, y, options, Some(watch)).await
    }

    async fn click_by(
        &self,
        x: f64,
        y: f64,
        options: &ClickOptions,
        watch: Option<&Watch>,
    ) -> Result<String, BrowserError> {
        check_point(x, y)?;
        check_click_count(options.click_count)?;
        let _turn = self.input_turn().await?;
        let path = self.xpath_if(options.return_xpath, x, y).await?;
        click_at(self, (x, y), options, watch).await?;
        Ok(path)
    }

    /// Moves the mouse to a point of the viewport. Returns as [`click`](Self::click) does.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn hover(&self, x: f64, y: f64, options: &HoverOptions) -> Result<String, BrowserError> {
        check_point(x, y)?;
        let _turn = self.input_turn().await?;
        let path = self.xpath_if(options.return_xpath, x, y).await?;
        move_to(self, self.session(), x, y, options.modifiers).await?;
        Ok(path)
    }

    pub(crate) async fn xpath_if(&self, wanted: bool, x: f64, y: f64) -> Result<String, BrowserError> {
        if wanted {
            self.xpath_at(x, y).await
        } else {
            Ok(String::new())
        }
    }
}

/// Refuses coordinates that are no numbers.
pub(crate) fn check_point(x: f64, y: f64) -> Result<(), BrowserError> {
    for (argument, value) in [("x", x), ("y", y)] {
        if !value.is_finite() {
            return Err(BrowserError::InvalidArgument {
                argument,
                problem: format!("{value} is not a number of pixels"),
            });
        }
    }
    Ok(())
}

/// Moves the mouse, presses and releases, in the coordinates of the page's viewport.
///
/// Without a delay, and without anybody who looks, the events go out together, so that nothing of the page's comes between them: that is one
/// wait for the page, and the release cannot get lost.
pub(crate) async fn click_at(
    page: &Page,
    (x, y): (f64, f64),
    options: &ClickOptions,
    watch: Option<&Watch>,
) -> Result<(), BrowserError> {
    let session = page.session();
    let mouse = Mouse {
        page,
        session,
        modifiers: options.modifiers,
    };
    if let Some(watch) = watch {
        return click_in_parts(mouse, (x, y), options, watch).await;
    }
    if options.delay.is_zero() {
        let moved = mouse.event(dispatch_mouse_event_type::MOUSE_MOVED, x, y);
        let presses = (1..=options.click_count).flat_map(|count| {
            [
                mouse.pressed(x, y, options.button, count),
                mouse.released(x, y, options.button, count),
            ]
        });
        let events: Vec<_> = std::iter::once(moved).chain(presses).collect();
        // Each is sent when it is first polled, so they go out in their order.
        let sending = events.iter().map(|event| deliver(page, session, event));
        futures_util::future::try_join_all(sending).await?;
        return Ok(());
    }
    mouse.move_to(x, y, None).await?;
    for count in 1..=options.click_count {
        let held = mouse.press(x, y, options.button, count).await?;
        tokio::time::sleep(options.delay).await;
        held.release(x, y).await?;
    }
    Ok(())
}

/// As [`click_at`], with a look before each press and each release.
async fn click_in_parts(
    mouse: Mouse<'_>,
    (x, y): (f64, f64),
    options: &ClickOptions,
    watch: &Watch,
) -> Result<(), BrowserError> {
    let look = |is_first, has_begun| {
        let part = InputPart::Mouse { at: (x, y), is_first };
        watch.look(part, has_begun)
    };
    mouse.move_to(x, y, None).await?;
    for count in 1..=options.click_count {
        look(true, count > 1).await?;
        let mut held = mouse.press(x, y, options.button, count).await?;
        // Unless it may be let go here, it is let go where that is no click on anything.
        held.at = OUTSIDE;
        tokio::time::sleep(options.delay).await;
        if let Err(stopped) = look(false, true).await {
            held.release(OUTSIDE.0, OUTSIDE.1).await?;
            return Err(stopped);
        }
        held.release(x, y).await?;
    }
    Ok(())
}

/// A point where nothing of a page is.
const OUTSIDE: (f64, f64) = (-1.0, -1.0);

/// The most presses that belong together.
const MOST_CLICKS: u32 = 100;

/// A click is at least one press, and ends.
pub(crate) fn check_click_count(count: u32) -> Result<(), BrowserError> {
    if !(1..=MOST_CLICKS).contains(&count) {
        return Err(BrowserError::InvalidArgument {
            argument: "click_count",
            problem: format!("{count} is not from 1 to {MOST_CLICKS}"),
        });
    }
    Ok(())
}

/// Moves the mouse, in the coordinates of the session's viewport.
pub(crate) async fn move_to(
    page: &Page,
    session: &Session,
    x: f64,
    y: f64,
    modifiers: Modifiers,
) -> Result<(), BrowserError> {
    let mouse = Mouse {
        page,
        session,
        modifiers,
    };
    mouse.move_to(x, y, None).await
}

/// Sends events of the mouse to one session, in the coordinates of its viewport.
#[derive(Clone, Copy)]
pub(crate) struct Mouse<'a> {
    pub(crate) page: &'a Page,
    pub(crate) session: &'a Session,
    pub(crate) modifiers: Modifiers,
}

impl<'a> Mouse<'a> {
    pub(crate) fn event(&self, kind: &str, x: f64, y: f64) -> DispatchMouseEvent {
        DispatchMouseEvent {
            r#type: kind.to_owned(),
            x,
            y,
            modifiers: Some(self.modifiers.bits()),
            button: Some(mouse_button::NONE.to_owned()),
            buttons: Some(0),
            ..DispatchMouseEvent::default()
        }
    }

    fn pressed(&self, x: f64, y: f64, button: MouseButton, count: u32) -> DispatchMouseEvent {
        DispatchMouseEvent {
            button: Some(button.name().to_owned()),
            buttons: Some(button.bit()),
            click_count: Some(count.into()),
            ..self.event(dispatch_mouse_event_type::MOUSE_PRESSED, x, y)
        }
    }

    fn released(&self, x: f64, y: f64, button: MouseButton, count: u32) -> DispatchMouseEvent {
        DispatchMouseEvent {
            button: Some(button.name().to_owned()),
            click_count: Some(count.into()),
            ..self.event(dispatch_mouse_event_type::MOUSE_RELEASED, x, y)
        }
    }

    /// Moves, with a button held or not.
    pub(crate) async fn move_to(
        &self,
        x: f64,
        y: f64,
        held: Option<MouseButton>,
    ) -> Result<(), BrowserError> {
        let event = DispatchMouseEvent {
            button: Some(held.map_or(mouse_button::NONE, MouseButton::name).to_owned()),
            buttons: Some(held.map_or(0, MouseButton::bit)),
            ..self.event(dispatch_mouse_event_type::MOUSE_MOVED, x, y)
        };
        deliver(self.page, self.session, &event).await
    }

    /// Presses a button, which is released at the latest when the result is dropped.
    pub(crate) async fn press(
        &self,
        x: f64,
        y: f64,
        button: MouseButton,
        count: u32,
    ) -> Result<Held<'a>, BrowserError> {
        let held = Held {
            mouse: *self,
            button,
            count,
            at: (x, y),
            is_down: true,
        };
        deliver(self.page, self.session, &self.pressed(x, y, button, count)).await?;
        Ok(held)
    }
}

/// A button that is down.
#[must_use = "the button is released when this is dropped"]
pub(crate) struct Held<'a> {
    mouse: Mouse<'a>,
    button: MouseButton,
    count: u32,
    at: (f64, f64),
    is_down: bool,
}

impl Held<'_> {
    /// Moves with the button down.
    pub(crate) async fn move_to(&mut self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.at = (x, y);
        self.mouse.move_to(x, y, Some(self.button)).await
    }

    /// Releases the button.
    pub(crate) async fn release(mut self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.is_down = false;
        let event = self.mouse.released(x, y, self.button, self.count);
        deliver(self.mouse.page, self.mouse.session, &event).await
    }

    /// Lets the button be up without an event, as the browser does when it takes over a drag.
    pub(crate) fn forget(mut self) {
        self.is_down = false;
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if self.is_down {
            let (x, y) = self.at;
            let event = self.mouse.released(x, y, self.button, self.count);
            drop(self.mouse.session.send(&event));
        }
    }
}
