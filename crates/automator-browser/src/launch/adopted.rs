//! Processes of a browser that are children of this one because their own parent has ended. The system makes them such
//! only of the first process of a container, and of one that has asked for it.

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::launch::living::{carries, parent_of};

/// Some of them, by their ids.
#[derive(Debug, Default)]
pub(crate) struct Adopted(Vec<Pid>);

impl Adopted {
    /// Notes those that bear a browser's mark, but for its main process. One that has ended bears none any more.
    pub(crate) fn note(&mut self, main: u32, mark: &str) {
        if !adopts() {
            return;
        }
        let own = std::process::id();
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        for process in processes {
            let id = process.file_name().to_str().and_then(|name| name.parse().ok());
            let Some(id) = id.and_then(Pid::from_raw) else {
                continue;
            };
            let folder = process.path();
            let is_own = std::fs::read_to_string(folder.join("stat"))
                .is_ok_and(|stat| parent_of(&stat) == Some(own))
                && id.as_raw_nonzero().get().unsigned_abs() != main;
            let is_marked =
                || std::fs::read(folder.join("environ")).is_ok_and(|variables| carries(&variables, mark));
            if is_own && !self.0.contains(&id) && is_marked() {
                self.0.push(id);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asks for the status of those that have ended.
    pub(crate) fn ask(&mut self) {
        self.0
            .retain(|id| matches!(waitpid(Some(*id), WaitOptions::NOHANG), Ok(None)));
    }

    /// Asks for the status of each when it has ended. Blocks.
    pub(crate) fn wait(self) {
        for id in self.0 {
            // It fails when somebody else has asked already.
            if let Err(error) = waitpid(Some(id), WaitOptions::empty()) {
                tracing::debug!(%error, "waiting for a process of a browser");
            }
        }
    }
}

/// Whether this process gets the children of others.
fn adopts() -> bool {
    #[cfg(target_os = "linux")]
    if rustix::process::child_subreaper().is_ok_and(|asked| asked.is_some()) {
        return true;
    }
    std::process::id() == 1
}
