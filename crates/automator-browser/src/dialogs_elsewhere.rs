//! Dialogs that another client of the same browser answers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use automator_cdp::Session;

use crate::browser::Inner;
use crate::dialog::{self, Dialog};
use crate::page_state::{Life, PageShared};

/// How long the other client may take: longer than it lets its own user wait.
const PATIENCE: Duration = Duration::from_secs(12);

/// How often it is looked whether the other client is still there.
const ROUND: Duration = Duration::from_millis(250);

/// Says whether another client of the same browser answers its dialogs. Two that answered would be a race, which the
/// policy of the one wins over the user of the other.
///
/// It is asked whenever a dialog opens, and again while the dialog is open, on the task that takes all events, so it
/// must not wait for anything. A dialog that nobody has answered after 12 s is answered by the policy.
#[derive(Clone)]
pub struct DialogsElsewhere(Arc<dyn Fn() -> bool + Send + Sync>);

impl DialogsElsewhere {
    /// By a function that tells it.
    #[must_use]
    pub fn new(are: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(are))
    }

    pub(crate) fn are(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for DialogsElsewhere {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("DialogsElsewhere")
    }
}

/// Leaves a dialog to the other client; the policy answers when that one has gone, or does not answer.
pub(crate) fn leave(
    inner: &Arc<Inner>,
    page: &Arc<PageShared>,
    session: Session,
    dialog: Dialog,
    elsewhere: DialogsElsewhere,
) {
    let closed_before = page.state().closed_dialogs;
    let (inner, page) = (Arc::downgrade(inner), Arc::clone(page));
    tokio::spawn(async move {
        let answered = page.wait_for(|state| {
            (state.closed_dialogs != closed_before || state.life != Life::Open).then_some(())
        });
        let given_up = async {
            while elsewhere.are() {
                tokio::time::sleep(ROUND).await;
            }
        };
        tokio::select! {
            () = answered => return,
            _ = tokio::time::timeout(PATIENCE, given_up) => {}
        }
        let answer = dialog::policy(&dialog);
        if dialog::send(&session, &dialog, &answer).await.is_ok()
            && let Some(inner) = inner.upgrade()
        {
            inner.dialog_answered(&page, dialog, answer);
        }
    });
}
