//! Why sessions end.

use std::borrow::Cow;

use crate::store::SessionState;

/// Why a session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EndCause {
    /// Its owner has ended it.
    Released,
    /// Its browser was asked to close.
    Closed,
    /// Nobody was connected any more.
    Left,
    /// Nobody used it.
    Unused,
    /// Its time was over.
    TimeOver,
    /// Whoever asked for it did not wait.
    GivenUp,
    /// The server was ended.
    ServerEnded,
    /// Its browser did not start, for this reason.
    NotStarted(String),
    /// Its browser has gone by itself.
    BrowserGone,
    /// Its browser has stopped answering.
    BrowserSilent,
    /// It had no browser when the server was started again.
    NotAdopted,
    /// It could not be gone on with when the server was started again, for this reason.
    NotResumed(String),
}

impl EndCause {
    /// All names.
    pub(crate) const NAMES: [&'static str; 12] = [
        "released",
        "closed",
        "left",
        "unused",
        "time_over",
        "given_up",
        "server_ended",
        "not_started",
        "browser_gone",
        "browser_silent",
        "not_adopted",
        "not_resumed",
    ];

    /// As it is written in figures and in the audit log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Released => "released",
            Self::Closed => "closed",
            Self::Left => "left",
            Self::Unused => "unused",
            Self::TimeOver => "time_over",
            Self::GivenUp => "given_up",
            Self::ServerEnded => "server_ended",
            Self::NotStarted(_) => "not_started",
            Self::BrowserGone => "browser_gone",
            Self::BrowserSilent => "browser_silent",
            Self::NotAdopted => "not_adopted",
            Self::NotResumed(_) => "not_resumed",
        }
    }

    /// The state that the session has from then on.
    pub(crate) fn state(&self) -> SessionState {
        match self {
            Self::Released | Self::Closed | Self::Left | Self::Unused | Self::GivenUp | Self::ServerEnded => {
                SessionState::Completed
            }
            Self::TimeOver => SessionState::TimedOut,
            Self::NotStarted(_)
            | Self::BrowserGone
            | Self::BrowserSilent
            | Self::NotAdopted
            | Self::NotResumed(_) => SessionState::Error,
        }
    }

    /// In words, for the owner.
    pub(crate) fn reason(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Released => "its owner has ended it",
            Self::Closed => "its browser was closed",
            Self::Left => "nobody was connected to it any more",
            Self::Unused => "nobody used it any more",
            Self::TimeOver => "its time was over",
            Self::GivenUp => "the request for it was given up",
            Self::ServerEnded => "its server has ended",
            Self::NotStarted(problem) | Self::NotResumed(problem) => return Cow::Owned(problem.clone()),
            Self::BrowserGone => "its browser has gone",
            Self::BrowserSilent => "its browser has stopped answering",
            Self::NotAdopted => "its server was gone, and it has no browser any more",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_is_among_the_names_once() {
        use EndCause as C;
        let causes = [
            C::Released,
            C::Closed,
            C::Left,
            C::Unused,
            C::TimeOver,
            C::GivenUp,
            C::ServerEnded,
            C::NotStarted("x".to_owned()),
            C::BrowserGone,
            C::BrowserSilent,
            C::NotAdopted,
            C::NotResumed("x".to_owned()),
        ];
        let names: Vec<&str> = causes.iter().map(C::name).collect();
        assert_eq!(names, C::NAMES);
        assert!(causes.iter().all(|cause| cause.state().is_final()));
    }
}
