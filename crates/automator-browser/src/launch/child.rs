//! A browser's process that this one has started: whoever lets go of it, in the end somebody asks for its status. Else
//! it would stay in the system's table, as a zombie, for as long as this process lives.
//!
//! Where this process is the first of a container, it is the parent also of what a browser leaves without one, as its
//! crash handler; they are found by the mark that they bear while they run.

use std::io;
use std::process::ExitStatus;

use process_wrap::std::ChildWrapper;

#[cfg(unix)]
use crate::launch::adopted::Adopted;

/// A child process. Dropping it leaves it running, and a thread waits for its end.
#[derive(Debug)]
pub(crate) struct Child {
    id: u32,
    /// `name=value` in the environment of its processes.
    mark: String,
    /// None once the thread has it.
    process: Option<Box<dyn ChildWrapper>>,
    #[cfg(unix)]
    adopted: Adopted,
}

impl Child {
    pub(crate) fn new(process: Box<dyn ChildWrapper>, mark: String) -> Self {
        Self {
            id: process.id(),
            mark,
            process: Some(process),
            #[cfg(unix)]
            adopted: Adopted::default(),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// Notes which processes of the browser are children of this one, too, while they can be told by their mark.
    pub(crate) fn look_around(&mut self) {
        #[cfg(unix)]
        self.adopted.note(self.id, &self.mark);
    }

    /// Kills it with its group, without waiting for it.
    pub(crate) fn kill(&mut self) -> io::Result<()> {
        self.look_around();
        self.process
            .as_mut()
            .map_or(Ok(()), |process| process.start_kill())
    }

    /// How it has ended, if it has.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process
            .as_mut()
            .map_or(Ok(None), |process| process.try_wait())
    }
}

#[cfg(unix)]
impl Drop for Child {
    /// A thread and no task: the runtime may be ending, or have ended, or never have been.
    fn drop(&mut self) {
        self.look_around();
        let runs = matches!(self.try_wait(), Ok(None));
        let process = self.process.take().filter(|_| runs);
        let mut adopted = std::mem::take(&mut self.adopted);
        adopted.ask();
        if process.is_none() && adopted.is_empty() {
            return;
        }
        let thread = std::thread::Builder::new().name("browser-status".to_owned());
        let waiting = thread.spawn(move || {
            // It fails when somebody else has asked already.
            if let Some(mut process) = process
                && let Err(error) = process.wait()
            {
                tracing::debug!(%error, "waiting for a browser that was left");
            }
            adopted.wait();
        });
        if let Err(error) = waiting {
            tracing::warn!(%error, "waiting for a browser that was left");
        }
    }
}
