//! Dialogs that another client of the same browser answers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use automator_cdp::Session;

use crate::browser::Inner;
use crate::dialog::{self, Dialog};
use crate::page_state::{Life, PageShared};

/// How long the other client may take: longer than it lets its own user wait.
const PATIENCE: Duration = Duration::from_secs(12);

/// How long it may take when it has left a dialog without an answer before: as long as a program takes that decides at
/// once, at the end of a slow line.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// How often it is looked whether the other client is still there.
const ROUND: Duration = Duration::from_millis(250);

/// Says whether another client of the same browser answers its dialogs. Two that answered would be a race, which the
/// policy of the one wins over the user of the other.
///
/// It is asked whenever a dialog opens, and again while the dialog is open, on the task that takes all events, so it
/// must not wait for anything. A dialog that nobody has answered after 12 s is answered by the policy, and from then on
/// after 1 s, until the other client has answered one or has gone.
#[derive(Clone)]
pub struct DialogsElsewhere(Arc<Elsewhere>);

struct Elsewhere {
    are: Box<dyn Fn() -> bool + Send + Sync>,
    /// Whether the other client has left the last dialog without an answer.
    is_silent: AtomicBool,
}

impl DialogsElsewhere {
    /// By a function that tells it.
    #[must_use]
    pub fn new(are: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(Elsewhere {
            are: Box::new(are),
            is_silent: AtomicBool::new(false),
        }))
    }

    pub(crate) fn are(&self) -> bool {
        let are = (self.0.are)();
        if !are {
            // Whoever comes next may well answer.
            self.note_silent(false);
        }
        are
    }

    fn note_silent(&self, is_silent: bool) {
        self.0.is_silent.store(is_silent, Ordering::Relaxed);
    }

    fn patience(&self) -> Duration {
        if self.0.is_silent.load(Ordering::Relaxed) {
            SHORT_PATIENCE
        } else {
            PATIENCE
        }
    }

    /// Waits until the other client has gone, or has had its time for a dialog that opens now.
    async fn give_up(&self) {
        let opened = Instant::now();
        while self.are() {
            // Asked each time: meanwhile it may have been silent about a dialog of another page.
            let Some(rest) = self.patience().checked_sub(opened.elapsed()) else {
                return self.note_silent(true);
            };
            tokio::time::sleep(rest.min(ROUND)).await;
        }
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
            let is_answered = state.closed_dialogs != closed_before;
            (is_answered || state.life != Life::Open).then_some(is_answered)
        });
        tokio::select! {
            is_answered = answered => {
                if is_answered {
                    elsewhere.note_silent(false);
                }
                return;
            }
            () = elsewhere.give_up() => {}
        }
        let answer = dialog::policy(&dialog);
        if dialog::send(&session, &dialog, &answer).await.is_ok()
            && let Some(inner) = inner.upgrade()
        {
            inner.dialog_answered(&page, dialog, answer);
        }
    });
}
