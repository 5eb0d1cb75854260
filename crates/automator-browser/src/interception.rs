//! Requests that the browser holds until it is told what becomes of them.
//!
//! Two parts of the library want that: the policy of domains for documents and what they ask for, and the login of a
//! proxy for everything, for a while. The browser knows one set of patterns at a time, so both go through here. On the session of the
//! browser itself interception covers every page, frame and worker.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use automator_cdp::protocol::fetch::{Disable, Enable, RequestPattern, RequestPausedEvent};
use automator_cdp::{Command, RawCall, Session};

use crate::BrowserError;
use crate::domain_policy::{Decided, Rules, decide};

/// For how many frames it is remembered where they were not let go.
const REMEMBERED: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Interception {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rules: Option<Arc<Rules>>,
    for_login: bool,
    forbidden: HashMap<String, Forbidden>,
}

/// An address that a frame was not let go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forbidden {
    pub(crate) url: String,
    pub(crate) reason: String,
}

impl From<Forbidden> for BrowserError {
    fn from(forbidden: Forbidden) -> Self {
        let Forbidden { url, reason } = forbidden;
        Self::ForbiddenAddress { url, reason }
    }
}

impl Interception {
    /// Sets the rules. It takes effect before whatever is sent later.
    pub(crate) fn set_rules(&self, root: &Session, rules: Option<Rules>) -> RawCall {
        let mut state = self.state();
        state.rules = rules.map(Arc::new);
        apply(&state, root)
    }

    /// Sets the rules of another connection to the same browser.
    pub(crate) fn follow(&self, root: &Session, other: &Self) {
        let rules = other.state().rules.clone();
        if rules.is_some() {
            let mut state = self.state();
            state.rules = rules;
            drop(apply(&state, root));
        }
    }

    /// Begins or ends to hear when somebody asks for a login. It takes effect before whatever is sent later.
    pub(crate) fn listen_for_login(&self, root: &Session, listen: bool) {
        let mut state = self.state();
        state.for_login = listen;
        drop(apply(&state, root));
    }

    /// Decides about a request that is held.
    pub(crate) fn paused(&self, root: &Session, paused: RequestPausedEvent) {
        let rules = self.state().rules.clone();
        let reason = match decide(rules.as_deref(), root, &paused) {
            Decided::Continued => return,
            Decided::Part(reason) => {
                tracing::debug!(reason, "a page was not let ask for something");
                return;
            }
            Decided::Document(reason) => reason,
        };
        let url = paused.request.url;
        // Without the address, which may hold what was typed into a form.
        tracing::info!(reason, "a page was not let go to an address");
        let mut state = self.state();
        if state.forbidden.len() >= REMEMBERED {
            state.forbidden.clear();
        }
        state.forbidden.insert(paused.frame_id, Forbidden { url, reason });
    }

    /// Why the rules forbid an address; `None` when they do not.
    pub(crate) fn forbids(&self, url: &str) -> Option<Forbidden> {
        let rules = self.state().rules.clone();
        let reason = rules?.forbids(url)?;
        let url = url.to_owned();
        Some(Forbidden { url, reason })
    }

    /// Where a frame was not let go to since this was asked for last.
    pub(crate) fn take_forbidden(&self, frame_id: &str) -> Option<Forbidden> {
        self.state().forbidden.remove(frame_id)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sent while the state is locked, so that the last change is also what the browser hears last.
fn apply(state: &State, root: &Session) -> RawCall {
    let patterns = state.rules.as_ref().map(|rules| rules.patterns());
    if state.for_login {
        // The browser asks for a login only where every request is held.
        let every = RequestPattern {
            url_pattern: Some("*".to_owned()),
            ..RequestPattern::default()
        };
        let patterns = patterns.into_iter().flatten().chain([every]);
        return root.send_raw(
            Enable::METHOD,
            Enable {
                patterns: Some(patterns.collect()),
                handle_auth_requests: Some(true),
            },
        );
    }
    match patterns {
        Some(patterns) => root.send_raw(
            Enable::METHOD,
            Enable {
                patterns: Some(patterns),
                handle_auth_requests: None,
            },
        ),
        None => root.send_raw(Disable::METHOD, Disable {}),
    }
}
