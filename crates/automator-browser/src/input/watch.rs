//! Looking at where keys and presses of the mouse go, just before they go out.
//!
//! A page may move the focus, or draw something else at a point, between two keys of a text or two presses of a
//! gesture, and also between the two halves of one. Whoever wants to know looks before each of them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::BrowserError;

/// A key that presses what has the focus, or takes it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressingKey {
    /// The Enter key, also as the line break of a text.
    Enter,
    /// The space bar, also as the blank of a text.
    Space,
    /// The Delete key, which lists take what is chosen away by.
    Delete,
}

/// What is about to go out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum InputPart {
    /// A part of a key, to what has the focus.
    Key {
        /// Which.
        key: PressingKey,
        /// Whether it has not begun to go down.
        is_first: bool,
    },
    /// A part of a press of the mouse, whichever button.
    Mouse {
        /// Where, in CSS pixels of the page's viewport.
        at: (f64, f64),
        /// Whether the button has not gone down; else it is about to be let go.
        is_first: bool,
    },
}

/// What [`InputWatch::stops`] gives.
pub type Stopping<'w> = Pin<Box<dyn Future<Output = Option<String>> + Send + 'w>>;

/// Looks at where input goes. It is called while the page's input waits for it.
pub trait InputWatch: Send + Sync {
    /// Why a part must not go out; none when it may. A key or button that is down is then let go without having pressed
    /// anything.
    fn stops(&self, part: InputPart) -> Stopping<'_>;
}

/// Whoever looks.
#[derive(Clone)]
pub struct Watch(Arc<dyn InputWatch>);

impl Watch {
    /// One that looks so.
    pub fn new(watch: impl InputWatch + 'static) -> Self {
        Self(Arc::new(watch))
    }

    /// Fails when the part must not go out. `has_begun`: whether the page has seen something of the whole already.
    pub(crate) async fn look(&self, part: InputPart, has_begun: bool) -> Result<(), BrowserError> {
        match self.0.stops(part).await {
            Some(why) => Err(BrowserError::KeptBack { why, has_begun }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Watch")
    }
}
