//! A finger on the screen.

use automator_cdp::Session;
use automator_cdp::protocol::emulation::SetTouchEmulationEnabled;
use automator_cdp::protocol::input::{DispatchTouchEvent, TouchPoint, dispatch_touch_event_type};

use crate::input::deliver;
use crate::input::keys::Modifiers;
use crate::input::mouse::check_point;
use crate::{BrowserError, Page};

/// How [`Page::tap`] taps.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TapOptions {
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Whether the XPath of the element under the point is wanted. Default: no.
    pub return_xpath: bool,
}

impl Page {
    /// Taps a point of the viewport with one finger: touch events, and the click that follows them. Returns as
    /// [`click`](Self::click) does.
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn tap(&self, x: f64, y: f64, options: &TapOptions) -> Result<String, BrowserError> {
        check_point(x, y)?;
        let _turn = self.input_turn().await?;
        let path = self.xpath_if(options.return_xpath, x, y).await?;
        tap_at(self, self.session(), x, y, options.modifiers).await?;
        Ok(path)
    }
}

/// As [`Page::tap`], in the coordinates of the session's viewport, for those who have the turn.
pub(crate) async fn tap_at(
    page: &Page,
    session: &Session,
    x: f64,
    y: f64,
    modifiers: Modifiers,
) -> Result<(), BrowserError> {
    let has_touch = page.browser().inner().settings().has_touch;
    // Without a touch screen the browser makes no click of a tap.
    let _screen = (!has_touch).then(|| TouchScreen::begin(session));
    let event = |kind: &str, touch_points| DispatchTouchEvent {
        r#type: kind.to_owned(),
        touch_points,
        modifiers: Some(modifiers.bits()),
        ..DispatchTouchEvent::default()
    };
    let point = TouchPoint {
        x,
        y,
        ..TouchPoint::default()
    };
    let start = event(dispatch_touch_event_type::TOUCH_START, vec![point]);
    let end = event(dispatch_touch_event_type::TOUCH_END, Vec::new());
    // Sent in this order when they are first polled: the finger cannot stay down.
    tokio::try_join!(deliver(page, session, &start), deliver(page, session, &end))?;
    Ok(())
}

/// A touch screen for as long as this lives.
struct TouchScreen<'a> {
    session: &'a Session,
}

impl<'a> TouchScreen<'a> {
    fn begin(session: &'a Session) -> Self {
        drop(session.send(&SetTouchEmulationEnabled {
            enabled: true,
            max_touch_points: Some(1),
        }));
        Self { session }
    }
}

impl Drop for TouchScreen<'_> {
    fn drop(&mut self) {
        drop(self.session.send(&SetTouchEmulationEnabled {
            enabled: false,
            max_touch_points: None,
        }));
    }
}
