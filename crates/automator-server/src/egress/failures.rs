//! What connections have failed with, for whoever cannot read it from an answer: of a tunnel that is refused, clients
//! of HTTP tell nothing but that it was.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use automator::ProxyFailure;

use super::dial::DialError;
use super::target::Target;

/// How many hosts and ports are remembered.
const REMEMBERED: usize = 256;

/// The last failure of each host and port.
#[derive(Debug, Default)]
pub struct Failures(Mutex<HashMap<String, ProxyFailure>>);

impl Failures {
    /// What the last connection to a host and port has failed with; none when it was made.
    #[must_use]
    pub fn last(&self, host: &str, port: u16) -> Option<ProxyFailure> {
        let failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(&format!("{host}:{port}")).cloned()
    }

    /// That a connection was made, or not.
    pub(super) fn dialled<T>(&self, target: &Target, outcome: &Result<T, DialError>) {
        match outcome {
            Ok(_) => self.note(target, None),
            Err(DialError::Refused(refusal)) => {
                self.note(target, Some(ProxyFailure::Refused(refusal.to_string())));
            }
            Err(DialError::TimedOut { .. }) => {
                self.note(
                    target,
                    Some(ProxyFailure::Unreached("operation timed out".to_owned())),
                );
            }
            Err(error) => self.note(target, Some(ProxyFailure::Unreached(innermost(error)))),
        }
    }

    /// That a connection broke off before there was an answer.
    pub(super) fn broke_off(&self, target: &Target, error: &hyper::Error) {
        self.note(target, Some(ProxyFailure::BrokenOff(innermost(error))));
    }

    fn note(&self, target: &Target, failure: Option<ProxyFailure>) {
        let target = format!("{}:{}", target.host, target.port);
        let mut failures = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(failure) = failure else {
            failures.remove(&target);
            return;
        };
        if failures.len() >= REMEMBERED {
            failures.clear();
        }
        failures.insert(target, failure);
    }
}

/// The cause of all causes: what the system has said.
fn innermost(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
