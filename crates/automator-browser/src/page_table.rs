//! The pages of a browser, and which of them is active; pure.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::frame_table::SessionId;
use crate::page_setup::Wishes;
use crate::page_state::{PageShared, PageState};

/// A tab that one of our pages opens becomes active when input of ours went to that page just before.
const OPENED_BY_INPUT: Duration = Duration::from_secs(1);

/// How long a page may take to come after another one has said that it opens it.
const COMES: Duration = Duration::from_secs(5);

/// Pages in the order in which they were opened.
#[derive(Debug, Default)]
pub(crate) struct PageTable {
    pages: Vec<Arc<PageShared>>,
    sessions: HashMap<SessionId, Arc<PageShared>>,
    /// Target ids, the active one last: when it closes, the one before takes its place.
    activations: Vec<String>,
    /// What was there when the connection ended.
    left: Left,
}

/// What is known of the pages of a connection that has ended, for one that takes its place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Left {
    /// The target id of the active page.
    pub(crate) active: Option<String>,
    /// What the user wanted of single pages, by target id; in the order of the pages.
    pub(crate) wishes: Vec<(String, Wishes)>,
}

impl PageTable {
    pub(crate) fn pages(&self) -> &[Arc<PageShared>] {
        &self.pages
    }

    pub(crate) fn of_session(&self, session: &str) -> Option<Arc<PageShared>> {
        self.sessions.get(session).cloned()
    }

    pub(crate) fn of_target(&self, target: &str) -> Option<Arc<PageShared>> {
        self.pages.iter().find(|page| page.target_id == target).cloned()
    }

    pub(crate) fn active(&self) -> Option<Arc<PageShared>> {
        self.activations.last().and_then(|target| self.of_target(target))
    }

    /// Adds a page. The first one is active; a later one becomes so when input of ours opened it.
    pub(crate) fn add(&mut self, page: &Arc<PageShared>) {
        self.sessions
            .insert(Arc::clone(&page.session_id), Arc::clone(page));
        self.pages.push(Arc::clone(page));
        let opener = page.opener.as_deref().and_then(|opener| self.of_target(opener));
        let by_input = opener.is_some_and(|opener| {
            let mut state = opener.state();
            let now = Instant::now();
            let was_said = state
                .opens_by_input_until
                .take()
                .is_some_and(|until| now <= until);
            was_said || follows_input(&state, now)
        });
        if by_input || self.activations.is_empty() {
            self.activations.push(page.target_id.clone());
        } else {
            // Behind all others: it gets its turn when those have closed.
            self.activations.insert(0, page.target_id.clone());
        }
    }

    /// A page says that it opens another one. This comes well before that page, which a slow machine takes its time
    /// to make.
    pub(crate) fn opens(page: &PageShared) {
        let mut state = page.state();
        let now = Instant::now();
        if follows_input(&state, now) {
            state.opens_by_input_until = Some(now + COMES);
        }
    }

    pub(crate) fn activate(&mut self, target: &str) {
        if self.of_target(target).is_some() {
            self.activations.retain(|other| other != target);
            self.activations.push(target.to_owned());
        }
    }

    pub(crate) fn add_session(&mut self, session: &SessionId, page: &Arc<PageShared>) {
        self.sessions.insert(Arc::clone(session), Arc::clone(page));
    }

    pub(crate) fn remove_session(&mut self, session: &str) -> Option<Arc<PageShared>> {
        self.sessions.remove(session)
    }

    pub(crate) fn remove(&mut self, target: &str) {
        self.pages.retain(|page| page.target_id != target);
        self.activations.retain(|other| other != target);
        self.sessions.retain(|_, page| page.target_id != target);
    }

    /// Puts the pages into the order of earlier ones; those that were not there come after them.
    pub(crate) fn order_as(&mut self, left: &Left) {
        let place = |page: &Arc<PageShared>| left.wishes.iter().position(|(id, _)| *id == page.target_id);
        self.pages.sort_by_key(|page| place(page).unwrap_or(usize::MAX));
    }

    /// Puts pages that were there before us into the order of these numbers. The last one is active, as the one made last
    /// is otherwise. Those without a number come after the others.
    pub(crate) fn order_by_opening(&mut self, opened: &HashMap<String, i64>) {
        self.pages
            .sort_by_key(|page| opened.get(&page.target_id).copied().unwrap_or(i64::MAX));
        self.activations = self.pages.iter().map(|page| page.target_id.clone()).collect();
    }

    pub(crate) fn left(&self) -> &Left {
        &self.left
    }

    /// Removes all pages and gives them back.
    pub(crate) fn clear(&mut self) -> Vec<Arc<PageShared>> {
        let wishes = self
            .pages
            .iter()
            .map(|page| (page.target_id.clone(), page.state().wishes.clone()));
        self.left = Left {
            wishes: wishes.collect(),
            active: self.activations.last().cloned(),
        };
        self.activations.clear();
        self.sessions.clear();
        std::mem::take(&mut self.pages)
    }
}

fn follows_input(opener: &PageState, now: Instant) -> bool {
    opener
        .last_input
        .is_some_and(|at| now.duration_since(at) <= OPENED_BY_INPUT)
}
