//! What a session is made of, shared by its clones, its pages and its operations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use automator_browser::Browser;
use serde_json::Value;

use crate::log::Log;
use crate::models::Models;
use crate::options::AutomatorOptions;
use crate::records::Records;
use crate::variables::{Variables, mask_value};
use crate::{Error, Result};

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
    pub(crate) state: Mutex<State>,
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
    Open(Browser),
    Closed,
}

impl Session {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn browser(&self) -> Option<Browser> {
        match &*self.state() {
            State::Open(browser) => Some(browser.clone()),
            State::New | State::Closed => None,
        }
    }

    /// From now on the values of these variables are told by their names where fields show them.
    pub(crate) fn remember_typed(&self, variables: &Variables) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed.extend(variables.shown_instead());
    }

    /// What fields may show of variables, the longest first, and what is told instead.
    pub(crate) fn typed(&self) -> Arc<[(String, String)]> {
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pairs: Vec<(String, String)> = typed
            .iter()
            .map(|(value, name)| (value.clone(), name.clone()))
            .collect();
        pairs.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        pairs.into()
    }

    /// A text with the names of variables in the place of values that were typed, also where an address holds them
    /// in its own way of writing.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for (value, name) in self.typed().iter() {
            masked = mask_value(masked, value, name);
        }
        masked
    }

    /// As [`masked`](Self::masked), also for variables of the present call that are not typed yet.
    pub(crate) fn masked_with(&self, variables: &Variables, text: &str) -> String {
        self.masked(&variables.mask(text))
    }

    /// As [`masked`](Self::masked), for every text in a value.
    pub(crate) fn masked_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.masked(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.masked_value(item)).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (name, self.masked_value(value)))
                .collect(),
            other => other,
        }
    }

    /// The browser of an open session whose connection lives.
    pub(crate) fn live(&self, operation: &'static str) -> Result<Browser> {
        match self.browser() {
            Some(browser) if browser.is_connected() => Ok(browser),
            Some(_) => {
                *self.state() = State::Closed;
                self.log.error("init", "the browser is gone", &[]);
                Err(Error::not_initialized().during(operation))
            }
            None => Err(Error::not_initialized().during(operation)),
        }
    }
}
