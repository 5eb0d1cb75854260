//! The folder of a server in a test.

use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use automator_browser::release_profiles;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
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
                until_gone(process);
                release_profiles(&session.path());
            }
        }
    }
}

/// Waits for the end of a process that was killed, but not for ever.
fn until_gone(process: Pid) {
    for _ in 0..100 {
        if test_kill_process(process).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The processes whose command lines name a folder, and that have not ended.
pub(crate) fn processes_in(folder: &Path) -> Vec<Pid> {
    let folder = folder.to_str().expect("a path").as_bytes();
    let processes = std::fs::read_dir("/proc").expect("the processes").flatten();
    let theirs = processes.filter(|process| {
        // That of a process which has ended is empty.
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        command.windows(folder.len()).any(|part| part == folder)
    });
    let ids = theirs.filter_map(|process| process.file_name().to_str()?.parse().ok());
    ids.filter_map(Pid::from_raw).collect()
}

/// The main process of a session's browser.
pub(crate) fn browser_of(folder: &Path, session: &str) -> Pid {
    let file = folder.join("browsers").join(session).join("browser.json");
    let kept: Value = serde_json::from_slice(&std::fs::read(file).expect("the file")).expect("JSON");
    let id = kept["processId"].as_i64().and_then(|id| i32::try_from(id).ok());
    id.and_then(Pid::from_raw).expect("a process")
}
