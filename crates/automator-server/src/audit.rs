//! The audit log: who was let in and who was not, and what became of sessions.
//!
//! One JSON object a line, in a file that is only added to, and in `tracing` under the target `audit`. No key, token,
//! address of a page, content or instruction is ever in it: keys are named by their public part, and what went wrong by
//! a word out of a fixed set.

mod file;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::metrics::{OperationKind, OperationOutcome};
use crate::options::Rate;
use crate::rate::Rates;
use file::RotatedFile;

/// The file of the audit log, in the server's folder.
pub const AUDIT_FILE: &str = "audit.jsonl";

/// How many refusals are written down: strangers cause them, and could fill the log until all else has left it. The
/// figures count every one.
const REFUSALS: Rate = Rate {
    burst: 200,
    interval: Duration::from_secs(1),
};

/// Something that an operator may want to know later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent<'a> {
    /// The server has started.
    ServerStarted {
        /// Its version.
        version: &'a str,
    },
    /// The server has ended.
    ServerEnded,
    /// A key was made.
    KeyCreated {
        /// Its public part.
        key: &'a str,
        /// What it is called.
        name: &'a str,
    },
    /// A key was revoked.
    KeyRevoked {
        /// Its public part.
        key: &'a str,
    },
    /// A request had no valid key.
    KeyRefused {
        /// The public part of what was given, if it looks like a key.
        key: Option<&'a str>,
        /// Where the request came from.
        remote: Option<IpAddr>,
    },
    /// A signed address was not valid.
    TokenRefused {
        /// The session that it was used for.
        session: &'a str,
        /// What it was used for.
        purpose: &'a str,
        /// What is wrong with it.
        problem: &'a str,
    },
    /// A session was asked for.
    SessionCreated {
        /// Which one.
        session: &'a str,
        /// The public part of its owner's key.
        key: &'a str,
    },
    /// Somebody has connected to a session's browser.
    SessionAttached {
        /// Which one.
        session: &'a str,
    },
    /// A connection to a session's browser has gone.
    SessionDetached {
        /// Which one.
        session: &'a str,
    },
    /// A session has ended.
    SessionEnded {
        /// Which one.
        session: &'a str,
        /// The public part of its owner's key.
        key: &'a str,
        /// Why, as one word.
        cause: &'a str,
    },
    /// An operation has run.
    Operation {
        /// In which session.
        session: &'a str,
        /// What it was.
        #[serde(serialize_with = "kind_name")]
        kind: OperationKind,
        /// How it ended.
        #[serde(serialize_with = "outcome_name")]
        outcome: OperationOutcome,
    },
    /// A file was handed over to a session.
    FileUploaded {
        /// Which one.
        session: &'a str,
        /// How large it is.
        bytes: u64,
    },
    /// A file of a session was fetched.
    FileDownloaded {
        /// Which one.
        session: &'a str,
        /// How large it is.
        bytes: u64,
    },
}

/// The audit log. Clones are the same one.
#[derive(Clone)]
pub struct Audit {
    file: Option<Arc<Mutex<RotatedFile>>>,
    refusals: Arc<Rates<()>>,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            file: None,
            refusals: Arc::new(Rates::new(REFUSALS)),
        }
    }
}

impl AuditEvent<'_> {
    /// Whether a stranger can cause it.
    fn is_refusal(&self) -> bool {
        matches!(self, Self::KeyRefused { .. } | Self::TokenRefused { .. })
    }
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    #[serde(flatten)]
    event: &'a AuditEvent<'a>,
}

impl Audit {
    /// One without a file: what is recorded goes to `tracing` alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The one in a server's folder. Several processes may write it.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let file = RotatedFile::new(folder.join(AUDIT_FILE));
        Self {
            file: Some(Arc::new(Mutex::new(file))),
            ..Self::default()
        }
    }

    /// Records an event: when this returns, the system has the line. One that cannot be written is told in the log.
    ///
    /// It blocks for as long as the system needs to take a line, some microseconds: nobody is answered before what they
    /// did is recorded. Of refusals no more than one a second is recorded after the first 200.
    pub fn record(&self, event: AuditEvent<'_>) {
        if event.is_refusal() && self.refusals.take((), Instant::now()).is_err() {
            return;
        }
        let line = Line {
            time: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
                .to_string(),
            event: &event,
        };
        let line = match serde_json::to_string(&line) {
            Ok(line) => line,
            Err(error) => return tracing::error!(%error, "an event of the audit log cannot be written"),
        };
        tracing::info!(target: "audit", "{line}");
        let Some(file) = &self.file else { return };
        let written = file.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
        if let Err(error) = written {
            tracing::error!(%error, "the audit log cannot be written");
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path: Option<PathBuf> = self.file.as_ref().map(|file| {
            let file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.path().to_owned()
        });
        formatter.debug_struct("Audit").field("path", &path).finish()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is what serde hands over")]
fn kind_name<S: serde::Serializer>(kind: &OperationKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "it is what serde hands over")]
fn outcome_name<S: serde::Serializer>(outcome: &OperationOutcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(outcome.name())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_event_is_one_line_of_json_with_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let audit = Audit::in_folder(folder.path());
        audit.record(AuditEvent::KeyCreated {
            key: "abcdefgh",
            name: "line\nbreak",
        });
        audit.record(AuditEvent::Operation {
            session: "s",
            kind: OperationKind::Act,
            outcome: OperationOutcome::Failed,
        });
        let text = std::fs::read_to_string(folder.path().join(AUDIT_FILE)).expect("the log");
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["name"], "line\nbreak");
        let mut operation = lines[1].clone();
        let time = operation["time"].take();
        assert!(time.as_str().is_some_and(|time| time.ends_with('Z')));
        let expected = json!({
            "time": null, "event": "operation", "session": "s", "kind": "act", "outcome": "failed",
        });
        assert_eq!(operation, expected);
    }
}
