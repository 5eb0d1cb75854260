//! A dialog that waits for an answer.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use automator_cdp::Session;
use tokio::sync::oneshot;

use crate::browser::Inner;
use crate::page_state::PageShared;
use crate::{BrowserError, Dialog, DialogAnswer, dialog};

/// How long a dialog waits before the policy answers it: whoever forgets one does not hold up the page for ever.
const PATIENCE: Duration = Duration::from_secs(10);

/// A dialog that a page has opened and that nobody has answered yet; a cheap clone. The page stands still meanwhile.
///
/// The first answer counts. The policy answers, accepting `alert` and `beforeunload` and dismissing the others, when
/// the dialog is [left to it](Self::leave), when every clone is dropped, and after 10 s.
#[derive(Debug, Clone)]
pub struct OpenDialog {
    dialog: Arc<Dialog>,
    /// None once somebody has decided. When it goes with the last clone, the task that waits hears of it.
    decision: Arc<Mutex<Option<oneshot::Sender<Decision>>>>,
}

/// An answer, and where to tell whether the browser took it.
type Decision = (DialogAnswer, oneshot::Sender<Result<(), BrowserError>>);

impl OpenDialog {
    /// What it says.
    pub fn dialog(&self) -> &Dialog {
        &self.dialog
    }

    /// Answers it, and waits until it has gone.
    ///
    /// # Errors
    /// [`BrowserError::DialogAnswered`] when it has been answered or has gone already;
    /// [`BrowserError::ConnectionClosed`].
    pub async fn answer(&self, answer: DialogAnswer) -> Result<(), BrowserError> {
        let decision = self.take().ok_or(BrowserError::DialogAnswered)?;
        let (teller, told) = oneshot::channel();
        decision
            .send((answer, teller))
            .map_err(|_| BrowserError::DialogAnswered)?;
        told.await.unwrap_or(Err(BrowserError::DialogAnswered))
    }

    /// Leaves it to the policy, now. Does nothing when it has been answered already.
    pub fn leave(&self) {
        drop(self.take());
    }

    fn take(&self) -> Option<oneshot::Sender<Decision>> {
        self.decision
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// Lets a dialog wait for an answer, in a task of its own, so that nothing else of the browser has to wait.
pub(crate) fn await_answer(
    inner: &Arc<Inner>,
    page: &Arc<PageShared>,
    session: Session,
    dialog: Dialog,
) -> OpenDialog {
    let (sender, decision) = oneshot::channel::<Decision>();
    let opened = OpenDialog {
        dialog: Arc::new(dialog.clone()),
        decision: Arc::new(Mutex::new(Some(sender))),
    };
    let (inner, page) = (Arc::downgrade(inner), Arc::downgrade(page));
    tokio::spawn(async move {
        let decided = tokio::time::timeout(PATIENCE, decision).await;
        let (answer, teller) = match decided {
            Ok(Ok((answer, teller))) => (answer, Some(teller)),
            Ok(Err(_)) | Err(_) => (dialog::policy(&dialog), None),
        };
        let outcome = dialog::send(&session, &dialog, &answer).await;
        if outcome.is_ok()
            && let (Some(inner), Some(page)) = (inner.upgrade(), page.upgrade())
        {
            inner.dialog_answered(&page, dialog, answer);
        }
        if let Some(teller) = teller {
            let told = outcome
                .map(drop)
                .map_err(|error| match BrowserError::from(error) {
                    // Somebody else has closed it, or the page has gone on to another document.
                    BrowserError::Protocol(_) => BrowserError::DialogAnswered,
                    other => other,
                });
            // That nobody waits for the outcome any more is no failure.
            let _ = teller.send(told);
        }
    });
    opened
}
