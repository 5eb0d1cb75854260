//! Browsers whose start was broken off because the server was killed: nobody has written down how to find them, but
//! their processes name their folder.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// What the handle of such a browser has, instead of how to find it.
const MEMBER: &str = "unfinished";

/// The handle of the browser of a session that was never started in whole.
pub(super) fn handle(session: &str) -> Value {
    json!({ MEMBER: session })
}

/// The session of such a handle.
pub(super) fn session(handle: &Value) -> Option<&str> {
    handle.get(MEMBER)?.as_str()
}

/// The sessions whose browsers are being started by this process.
#[derive(Debug, Clone, Default)]
pub(super) struct Starting {
    sessions: Arc<Mutex<HashSet<String>>>,
}

/// One of them, as long as this is there.
#[derive(Debug)]
pub(super) struct StartingSession {
    all: Starting,
    session: String,
}

impl Starting {
    pub(super) fn begin(&self, session: &str) -> StartingSession {
        self.sessions().insert(session.to_owned());
        StartingSession {
            all: self.clone(),
            session: session.to_owned(),
        }
    }

    pub(super) fn has(&self, session: &str) -> bool {
        self.sessions().contains(session)
    }

    fn sessions(&self) -> MutexGuard<'_, HashSet<String>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StartingSession {
    fn drop(&mut self) {
        self.all.sessions().remove(&self.session);
    }
}

/// Ends the processes that name a folder, those that they start meanwhile too. Gives whether there were any.
pub(super) async fn end_processes(folder: &Path) -> bool {
    const ATTEMPTS: u32 = 50;
    const PAUSE: Duration = Duration::from_millis(20);
    for attempt in 0..ATTEMPTS {
        if !end_processes_once(folder) {
            return attempt > 0;
        }
        tokio::time::sleep(PAUSE).await;
    }
    tracing::warn!(folder = %folder.display(), "the processes of a browser could not be ended");
    true
}

#[cfg(target_os = "linux")]
fn end_processes_once(folder: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::process::{Pid, Signal, kill_process};

    let folder = folder.as_os_str().as_bytes();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let mut found = false;
    for process in processes.flatten() {
        // That of a process which has ended is empty.
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if !command.windows(folder.len()).any(|part| part == folder) {
            continue;
        }
        let name = process.file_name();
        let id = name
            .to_str()
            .and_then(|name| name.parse().ok())
            .and_then(Pid::from_raw);
        if let Some(id) = id {
            found = true;
            if let Err(error) = kill_process(id, Signal::KILL) {
                tracing::debug!(%error, "a process of a browser has gone by itself");
            }
        }
    }
    found
}

/// Other systems do not tell which processes there are.
#[cfg(not(target_os = "linux"))]
fn end_processes_once(_folder: &Path) -> bool {
    false
}
