//! Real input: mouse, keyboard and touch, as a person at this computer would give it.
//!
//! Events go to the page's session; the browser itself takes them to whatever process the frame at the point, or
//! the frame with the focus, lives in. Coordinates are CSS pixels of the page's viewport. Operations that send
//! input to one page wait for each other: see [`Page::input_turn`].

pub(crate) mod drag;
pub(crate) mod keyboard;
pub(crate) mod keys;
pub(crate) mod mistakes;
pub(crate) mod mouse;
pub(crate) mod point;
pub(crate) mod touch;
pub(crate) mod watch;
pub(crate) mod wheel;

use automator_cdp::{Command, Session};

use crate::{BrowserError, Page};

/// Held by the one operation that may send input to a page at present.
#[derive(Debug)]
#[must_use = "the turn ends when this is dropped"]
pub struct InputTurn<'a> {
    _guard: tokio::sync::MutexGuard<'a, ()>,
}

impl Page {
    /// Waits until no other operation sends input to the page; first come, first served. The turn ends when the
    /// result is dropped. The methods of [`Page`] that send input take a turn by themselves, so this is for those
    /// who put several of the lower functions together.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn input_turn(&self) -> Result<InputTurn<'_>, BrowserError> {
        let turn = self
            .or_end(async { Ok(self.shared().input_queue().lock().await) })
            .await?;
        self.note_input();
        let mut state = self.shared().state();
        state.departures_before_input = state.frames.departures();
        drop(state);
        Ok(InputTurn { _guard: turn })
    }
}

/// Sends a command of input to a page, through any of its sessions, and waits for the page to have taken it.
///
/// A page that closes, or a frame that goes away, because of the input has taken it.
pub(crate) async fn deliver<C: Command>(
    page: &Page,
    session: &Session,
    command: &C,
) -> Result<(), BrowserError> {
    page.note_input();
    let call = session.send(command);
    let sending = async {
        call.await?;
        Ok(())
    };
    taken(page, page.or_end(sending).await)
}

/// What becomes of input whose target went away meanwhile.
pub(crate) fn taken(page: &Page, outcome: Result<(), BrowserError>) -> Result<(), BrowserError> {
    match outcome {
        Err(BrowserError::Protocol(automator_cdp::CdpError::SessionDetached { .. })) if !page.is_closed() => {
            Ok(())
        }
        outcome => outcome,
    }
}
