//! What a session is made of, shared by its clones, its pages and its operations.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use automator_browser::Browser;
use serde_json::Value;
use tokio::sync::watch;

use crate::log::Log;
use crate::masking::masked;
use crate::models::Models;
use crate::options::AutomatorOptions;
use crate::records::Records;
use crate::remote::Remote;
use crate::variables::{LEAST_MASKED, NameOf, Variables, with_texts};
use crate::{Error, ErrorKind, Result};

/// What is told of a value whose name stands for another one by now.
const NAMELESS: &str = "***";

/// What the clones of a session, its pages and its operations share.
pub(crate) struct Session {
    /// Tells it from the other sessions of the program, in traces.
    pub(crate) number: u64,
    pub(crate) options: AutomatorOptions,
    pub(crate) models: Models,
    pub(crate) records: Records,
    pub(crate) log: Log,
    /// Values of variables that may stand in fields by now, and what is told instead.
    pub(crate) typed: Mutex<BTreeMap<String, String>>,
    /// Whether it was told that short values are not masked.
    pub(crate) has_told_unmasked: AtomicBool,
    pub(crate) state: Mutex<State>,
    /// Told whenever the connection to the browser changes.
    pub(crate) changes: watch::Sender<u64>,
    /// Held while the session opens or closes, so that two such calls do not meet.
    pub(crate) changing: tokio::sync::Mutex<()>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Session")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

pub(crate) enum State {
    New,
    Open(Open),
    Closed {
        /// What ended it, when that was not the user.
        because: Option<String>,
    },
}

/// An open session.
pub(crate) struct Open {
    pub(crate) browser: Browser,
    /// None for a browser of this machine.
    pub(crate) remote: Option<Arc<Remote>>,
}

impl Session {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn browser(&self) -> Option<Browser> {
        match &*self.state() {
            State::Open(open) => Some(open.browser.clone()),
            State::New | State::Closed { .. } => None,
        }
    }

    /// The remote session of an open session that has one.
    pub(crate) fn remote(&self) -> Option<Arc<Remote>> {
        match &*self.state() {
            State::Open(open) => open.remote.clone(),
            State::New | State::Closed { .. } => None,
        }
    }

    /// The browser, if it still is that of this remote session.
    pub(crate) fn browser_of(&self, remote: &Arc<Remote>) -> Option<Browser> {
        match &*self.state() {
            State::Open(open) if open.is_of(remote) => Some(open.browser.clone()),
            _ => None,
        }
    }

    /// Puts a new connection in place of the lost one; false when the session has been closed meanwhile.
    pub(crate) fn replace_browser(&self, remote: &Arc<Remote>, browser: Browser) -> bool {
        let is_replaced = match &mut *self.state() {
            State::Open(open) if open.is_of(remote) => {
                open.browser = browser;
                true
            }
            _ => false,
        };
        self.tell_change();
        is_replaced
    }

    /// Closes a session whose remote session is gone.
    pub(crate) fn end(&self, remote: &Arc<Remote>, because: &str) {
        {
            let mut state = self.state();
            match &*state {
                State::Open(open) if open.is_of(remote) => {
                    let because = Some(because.to_owned());
                    *state = State::Closed { because };
                }
                _ => return,
            }
        }
        self.log
            .error("init", format!("the remote session is gone: {because}"), &[]);
        self.tell_change();
    }

    pub(crate) fn tell_change(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Tells once that some of these variables are too short to be looked for in texts.
    pub(crate) fn tell_unmasked(&self, variables: &Variables) {
        let names = variables.unmasked();
        if names.is_empty() || self.has_told_unmasked.swap(true, Ordering::Relaxed) {
            return;
        }
        let message = format!(
            "values of fewer than {LEAST_MASKED} characters are not masked where pages show them: the model, the log \
             and the result may hold them"
        );
        self.log
            .info("variables", message, &[("variables", names.join(", "))]);
    }

    /// From now on the values of these variables are told by their names where fields show them.
    pub(crate) fn remember_typed(&self, variables: &Variables) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed.extend(variables.shown_instead());
    }

    /// What fields may show of variables, the longest first, and what is told instead to a call with these variables: a
    /// name that stands for another value there would tell the one for the other.
    pub(crate) fn typed(&self, variables: &Variables) -> Arc<[(String, String)]> {
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |value: &str, name: &str| match variables.name_of(value, name) {
            NameOf::Same => name.to_owned(),
            NameOf::Own(own) => own,
            NameOf::Another => NAMELESS.to_owned(),
        };
        let mut pairs: Vec<(String, String)> = typed
            .iter()
            .map(|(value, name)| (value.clone(), told(value, name)))
            .collect();
        pairs.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        pairs.into()
    }

    /// A text with the names of variables in the place of values that were typed, also where an address holds them
    /// in its own way of writing.
    pub(crate) fn masked(&self, text: &str) -> String {
        self.masked_with(&Variables::default(), text)
    }

    /// As [`masked`](Self::masked), also for variables of the present call that are not typed yet.
    pub(crate) fn masked_with(&self, variables: &Variables, text: &str) -> String {
        let own: Vec<(&str, String)> = variables.to_mask().collect();
        let own = own.iter().map(|(value, name)| (*value, name.as_str()));
        let typed = self.typed(variables);
        let typed = typed.iter().map(|(value, name)| (value.as_str(), name.as_str()));
        masked(text, &own.chain(typed).collect::<Vec<_>>())
    }

    /// As [`masked`](Self::masked), for every text in a value.
    pub(crate) fn masked_value(&self, value: Value) -> Value {
        with_texts(value, &|text| self.masked(text))
    }

    /// Whether it was closed, by whomever.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(&*self.state(), State::Closed { .. })
    }

    /// The browser of an open session whose connection lives.
    pub(crate) fn live(&self, operation: &'static str) -> Result<Browser> {
        let mut state = self.state();
        let error = match &*state {
            State::Open(open) if open.browser.is_connected() => return Ok(open.browser.clone()),
            State::Open(open) if open.is_coming_back() => connection_lost(),
            State::Open(_) => {
                *state = State::Closed { because: None };
                self.log.error("init", "the browser is gone", &[]);
                Error::not_initialized()
            }
            State::Closed {
                because: Some(because),
            } => Error::new(
                ErrorKind::NotInitialized,
                format!("the remote session is gone: {because}"),
            )
            .hint("call init() for another one"),
            State::New | State::Closed { because: None } => Error::not_initialized(),
        };
        Err(error.during(operation))
    }

    /// An error of a handle whose connection is gone, while the session has another one.
    pub(crate) fn told_what_to_do(&self, error: Error) -> Error {
        let is_gone = matches!(error.kind(), ErrorKind::Closed | ErrorKind::CdpConnectionClosed);
        match self.remote() {
            Some(remote) if is_gone && remote.id.is_some() => error.hint(
                "when the connection to the remote browser was lost, take the page from the context again",
            ),
            _ => error,
        }
    }

    /// As [`live`](Self::live); waits while a lost connection is made anew.
    pub(crate) async fn live_again(&self, operation: &'static str) -> Result<Browser> {
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            match self.live(operation) {
                Err(error) if error.kind() == ErrorKind::CdpConnectionClosed => {
                    // The sender lives in `self`, so the wait cannot fail.
                    let _ = changes.changed().await;
                }
                outcome => return outcome,
            }
        }
    }
}

impl Open {
    fn is_of(&self, remote: &Arc<Remote>) -> bool {
        self.remote.as_ref().is_some_and(|own| Arc::ptr_eq(own, remote))
    }

    /// Whether somebody is making a lost connection anew.
    fn is_coming_back(&self) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.id.is_some())
    }
}

fn connection_lost() -> Error {
    let message = "the connection to the remote browser is lost, and is just being made anew";
    Error::new(ErrorKind::CdpConnectionClosed, message)
        .hint("try again in a moment, with pages taken from the context again")
}
