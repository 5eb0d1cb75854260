//! Ctrl-C, and the other ways in which a command is asked to end.

use crate::exit::{Exit, Failure};

impl Signals {
    /// Does some work, unless the command is asked to end before it is done.
    pub(crate) async fn interrupting<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            exit = self.next() => Err(Failure::Signal(exit)),
            outcome = work => outcome,
        }
    }
}

/// Signals that ask the command to end. From their making on they no longer end it by themselves, and none that
/// comes between two calls of [`next`](Self::next) is lost.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits until the command is asked to end.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            _ = self.hangup.recv() => Exit::HungUp,
        }
    }
}

/// Ctrl-C, where there are no other signals.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// Waits until the command is asked to end.
    pub(crate) async fn next(&mut self) -> Exit {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Exit::Interrupted,
            Err(_) => std::future::pending().await,
        }
    }
}
