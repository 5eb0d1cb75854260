//! What whoever runs an action for somebody else has to say, beyond the options.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use automator_browser::{Locator, Watch};

use crate::action::Action;
use crate::page::Page;

/// What [`Guard::watch`] gives.
pub(crate) type WatchFuture<'g> = Pin<Box<dyn Future<Output = Result<Watch, String>> + Send + 'g>>;

/// Looks at every action before it is done.
pub(crate) trait Guard: Send + Sync {
    /// Who looks at the keys and presses of the action while it is done; why not, when it must not be done.
    fn watch<'g>(
        self: Arc<Self>,
        page: &'g Page,
        locator: &'g Locator,
        action: &'g Action,
    ) -> WatchFuture<'g>;
}

/// How an action is run. Default: for a caller of its own.
#[derive(Clone, Default)]
pub(crate) struct ActManner {
    pub(crate) guard: Option<Arc<dyn Guard>>,
    /// The words in which files must be named that pages are given; none for those of the call itself.
    pub(crate) task: Option<String>,
    /// Neither looks into `cacheDir` nor keeps anything there: whoever asks remembers more than one action.
    pub(crate) without_memory: bool,
    /// Shows the model the page with its texts cut first, and whole only when it finds nothing: whoever asks has read
    /// the page and says which element is meant.
    pub(crate) is_brief: bool,
    /// Does not wait for the documents of frames that the action has brought: whoever asks waits for those it needs.
    pub(crate) leaves_frames: bool,
}

impl fmt::Debug for ActManner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ActManner")
            .field("is_guarded", &self.guard.is_some())
            .field("without_memory", &self.without_memory)
            .field("is_brief", &self.is_brief)
            .field("leaves_frames", &self.leaves_frames)
            .finish()
    }
}
