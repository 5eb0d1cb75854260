//! The folder of a server in a test.

use std::ops::Deref;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A temporary folder of a server. Browsers outlive their server, so also one whose test has failed; they end with the
/// folder.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let sessions = std::fs::read_dir(self.path().join("browsers"));
        for session in sessions.into_iter().flatten().flatten() {
            let kept = std::fs::read(session.path().join("browser.json"));
            let kept: Option<Value> = kept.ok().and_then(|text| serde_json::from_slice(&text).ok());
            let id = kept.and_then(|kept| i32::try_from(kept["processId"].as_i64()?).ok());
            if let Some(process) = id.and_then(Pid::from_raw) {
                // One that has gone by itself is no trouble.
                let _ = kill_process(process, Signal::KILL);
            }
        }
    }
}
