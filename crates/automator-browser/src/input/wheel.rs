//! The wheel of the mouse.

use std::time::Duration;

use automator_cdp::Session;
use automator_cdp::protocol::input::{DispatchMouseEvent, dispatch_mouse_event_type};
use futures_util::future::join_all;

use crate::input::deliver;
use crate::input::keys::Modifiers;
use crate::input::mouse::{Mouse, check_point};
use crate::{BrowserError, Frame, Page};

/// How long scrolling may go on before it is left to itself.
const REST_LIMIT: Duration = Duration::from_secs(3);

/// How [`Page::scroll`] turns the wheel.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ScrollOptions {
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Whether the XPath of the element under the point is wanted. Default: no.
    pub return_xpath: bool,
}

impl Page {
    /// Turns the wheel of the mouse at a point of the viewport: `dx` pixels to the right, `dy` down. Returns once
    /// nothing scrolls any more, at most 3 s later; the text is as with [`click`](Self::click).
    ///
    /// # Errors
    /// As [`click`](Self::click).
    pub async fn scroll(
        &self,
        (x, y): (f64, f64),
        (dx, dy): (f64, f64),
        options: &ScrollOptions,
    ) -> Result<String, BrowserError> {
        check_point(x, y)?;
        check_point(dx, dy)?;
        let _turn = self.input_turn().await?;
        let path = self.xpath_if(options.return_xpath, x, y).await?;
        wheel(self, self.session(), (x, y), (dx, dy), options.modifiers).await?;
        Ok(path)
    }
}

/// As [`Page::scroll`], in the coordinates of the session's viewport, for those who have the turn.
pub(crate) async fn wheel(
    page: &Page,
    session: &Session,
    (x, y): (f64, f64),
    (dx, dy): (f64, f64),
    modifiers: Modifiers,
) -> Result<(), BrowserError> {
    let mouse = Mouse {
        page,
        session,
        modifiers,
    };
    mouse.move_to(x, y, None).await?;
    let frames = frames_at(page, x, y).await?;
    // A frame that cannot be watched is not waited for.
    join_all(frames.iter().map(|frame| frame.call_library("watchScroll", &[]))).await;
    let turn = DispatchMouseEvent {
        delta_x: Some(dx),
        delta_y: Some(dy),
        ..mouse.event(dispatch_mouse_event_type::MOUSE_WHEEL, x, y)
    };
    deliver(page, session, &turn).await?;
    let resting = join_all(frames.iter().map(|frame| frame.call_library("scrollRest", &[])));
    let _ = tokio::time::timeout(REST_LIMIT, resting).await;
    Ok(())
}

/// The frames under a point, each with all that it is in: when the inner one is at its end, the outer one scrolls.
async fn frames_at(page: &Page, x: f64, y: f64) -> Result<Vec<Frame>, BrowserError> {
    let innermost = page.spots(x, y).await?.pop();
    let mut frames = Vec::new();
    let mut next = innermost.map(|spot| spot.frame);
    while let Some(frame) = next {
        next = frame.parent();
        frames.push(frame);
    }
    Ok(frames)
}
