//! Files that pages save by themselves, without a link or a button that says so. They are asked about once they begin,
//! and nothing of them stays after a no.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::classify::Judged;
use super::{AgentConfirmKind, Confirming};
use crate::context::Context;
use crate::page::{Download, Page};
use crate::session::Session;

/// Which downloads of a session are a run's, and have been asked about.
#[derive(Debug, Default)]
pub(in crate::agent) struct Saving {
    /// Pages that were open before, and on which the run does not work: what they save is not its concern.
    foreign: HashSet<String>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    known: HashSet<String>,
    /// Downloads that were allowed before they began.
    allowed: usize,
}

impl Saving {
    /// For a run that begins now, on a page or on the active one.
    pub(in crate::agent) fn beginning(session: &Arc<Session>, page: Option<&Page>) -> Self {
        let Some(context) = context(session) else {
            return Self::default();
        };
        let own = page.cloned().or_else(|| context.active_page().ok());
        let own = own.as_ref().map(Page::id);
        let foreign = context
            .pages()
            .into_iter()
            .map(|page| page.id().to_owned())
            .filter(|id| Some(id.as_str()) != own);
        let known = context
            .downloads()
            .into_iter()
            .map(|download| download.id().to_owned());
        Self {
            foreign: foreign.collect(),
            state: Mutex::new(State {
                known: known.collect(),
                allowed: 0,
            }),
        }
    }

    /// One that is about to begin was allowed.
    pub(super) fn allow(&self) {
        self.state().allowed += 1;
    }

    /// The last one that was allowed has begun already.
    fn take_back(&self) {
        let mut state = self.state();
        state.allowed = state.allowed.saturating_sub(1);
    }

    /// Those that began since this was asked for last, and that nobody has allowed.
    fn unasked(&self, downloads: Vec<Download>) -> Vec<Download> {
        let mut state = self.state();
        let mut unasked = Vec::new();
        for download in downloads {
            let is_foreign = download.page_id().is_some_and(|id| self.foreign.contains(id));
            if is_foreign || !state.known.insert(download.id().to_owned()) {
                continue;
            }
            if state.allowed > 0 {
                state.allowed -= 1;
            } else {
                unasked.push(download);
            }
        }
        unasked
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Confirming {
    /// Asks about files that pages have begun to save; gives what the model is told when one was not allowed.
    pub(in crate::agent) async fn refusal_of_downloads(&self, page: &Page) -> Option<String> {
        let downloads = context(&self.session)?.downloads();
        let mut refusal = None;
        for download in self.saving.unasked(downloads) {
            let judged = Judged {
                kind: AgentConfirmKind::Download,
                name: download.suggested_filename().to_owned(),
            };
            match self.asked(page, &judged, "save", String::new()).await {
                // The answer was about this one.
                None => self.saving.take_back(),
                Some(why) => {
                    if let Err(error) = download.discard().await {
                        tracing::warn!(%error, "a download that was not allowed cannot be ended");
                    }
                    refusal = Some(why);
                }
            }
        }
        // What was allowed and has not begun by now is asked about when it does.
        self.saving.state().allowed = 0;
        refusal
    }
}

fn context(session: &Arc<Session>) -> Option<Context> {
    let browser = session.live("agent").ok()?;
    Some(Context::new(Arc::clone(session), browser.context()))
}
