//! Asking a frame what came of an action.

use std::time::Duration;

use serde_json::Value;

use crate::{Argument, BrowserError, Frame};

/// How long an answer is waited for once the page is going elsewhere: the browser holds it back until the new
/// document is there, which can take as long as the server does.
const LEAVING: Duration = Duration::from_secs(1);

impl Frame {
    /// As [`call_library_once`](Self::call_library_once), about an action that was just done. None also when the
    /// page is going elsewhere: then the action has had its effect.
    pub(crate) async fn ask_afterwards(
        &self,
        name: &str,
        arguments: &[Argument<'_>],
    ) -> Result<Option<Value>, BrowserError> {
        tokio::select! {
            biased;
            answer = self.call_library_once(name, arguments) => answer,
            () = self.is_left() => Ok(None),
        }
    }

    /// Ends when the page has been on its way to another document for a while.
    async fn is_left(&self) {
        let shared = self.page().shared();
        loop {
            shared.wait_for(|state| state.is_leaving().then_some(())).await;
            let stays = shared.wait_for(|state| (!state.is_leaving()).then_some(()));
            if tokio::time::timeout(LEAVING, stays).await.is_err() {
                return;
            }
        }
    }
}
