//! How the command ends: exit codes, and what is said about a failure.

use std::error::Error as _;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

use automator::{Error, ErrorKind, LlmError};
use automator_server::ServerError;

use crate::flags;
use crate::output::clean;

/// For the help text.
pub(crate) const CODES: &str = "\
Exit codes:
    0  done
    1  the operation failed: nothing matches the selector, or the model's answer is of no use
    2  wrong use: an option, address, schema or selector that cannot be used
    3  no browser: none was found, it did not start, or it was lost
    4  the model cannot be asked: no key, a key that is refused, or a name that nobody knows
    5  the page cannot be loaded
    6  a time limit was reached
    7  act: the page did not let it happen; agent: the task was not done; the message says why
  130  interrupted (Ctrl-C); 143 when ended by SIGTERM, 129 by SIGHUP

The result goes to standard output, everything else to standard error.";

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Success = 0,
    Failed = 1,
    Usage = 2,
    NoBrowser = 3,
    Model = 4,
    Navigation = 5,
    Timeout = 6,
    NotDone = 7,
    HungUp = 129,
    Interrupted = 130,
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command did not give its result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library could not do it.
    Library(Error),
    /// What the command itself has to say: what the user typed cannot be used, or no browser is open.
    Told {
        exit: Exit,
        message: String,
        hint: Option<String>,
    },
    /// The result could not be written.
    Output(io::Error),
    /// The operating system refused something that every command needs.
    System(io::Error),
    /// The user, or the system, wants an end.
    Signal(Exit),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl Failure {
    /// What the user typed cannot be used.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::told(Exit::Usage, message)
    }

    /// There is no browser to work in.
    pub(crate) fn no_browser(message: impl Into<String>) -> Self {
        Self::told(Exit::NoBrowser, message)
    }

    /// It was tried, and failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::told(Exit::Failed, message)
    }

    /// It was not done, and there is nothing to print.
    pub(crate) fn not_done(exit: Exit, message: &str) -> Self {
        Self::told(exit, message)
    }

    /// A server did not start, or cannot be worked on.
    #[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
    pub(crate) fn server(error: ServerError) -> Self {
        match error {
            ServerError::PublicUrl { .. } => Self::usage(format!("--public-url: {error}")),
            ServerError::Origin(_) => Self::usage(format!("--allow-origin: {error}")),
            ServerError::NoPublicUrl(_) | ServerError::Executable(_) | ServerError::KeyName(_) => {
                Self::usage(error.to_string())
            }
            ServerError::Listen { .. } => {
                Self::failed(error.to_string()).hint("--listen takes another address, and port 0 a free one")
            }
            _ => Self::failed(error.to_string()),
        }
    }

    fn told(exit: Exit, message: impl Into<String>) -> Self {
        Self::Told {
            exit,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        match self {
            Self::Told { exit, message, .. } => Self::Told {
                exit,
                message,
                hint: Some(hint.into()),
            },
            other => other,
        }
    }

    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Library(error) => exit_of(error),
            Self::Told { exit, .. } => *exit,
            Self::Output(_) | Self::System(_) => Exit::Failed,
            Self::Signal(exit) => *exit,
        }
    }

    /// Says on standard error what failed and what to try, and gives the exit code.
    pub(crate) fn report(&self) -> Exit {
        let said = clean(&self.to_string());
        // Standard error may be closed; the exit code still tells.
        let _ = io::stderr().lock().write_all(said.as_bytes());
        self.exit()
    }
}

impl std::fmt::Display for Failure {
    /// `error: …` on one line, further lines of the message indented, then `hint: …`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (message, hint) = match self {
            Self::Library(error) => (message_of(error), hint_for(error)),
            Self::Told { message, hint, .. } => (message.clone(), hint.clone()),
            Self::Output(error) => (format!("the result cannot be written: {error}"), None),
            Self::System(error) => (format!("the system does not let the command run: {error}"), None),
            Self::Signal(_) => return formatter.write_str("interrupted\n"),
        };
        let mut lines = message.lines();
        writeln!(formatter, "error: {}", lines.next().unwrap_or_default())?;
        for line in lines {
            writeln!(formatter, "  {line}")?;
        }
        match hint {
            Some(hint) => writeln!(formatter, "hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The exit code for an error of the library.
pub(crate) fn exit_of(error: &Error) -> Exit {
    use ErrorKind as K;
    match error.kind() {
        K::InvalidArgument => Exit::Usage,
        K::Init
        | K::NotInitialized
        | K::RemoteSessionNotFound
        | K::MissingEnvironmentVariable
        | K::Environment
        | K::PageNotFound
        | K::Closed
        | K::CdpConnectionClosed
        | K::ConnectionTimeout => Exit::NoBrowser,
        K::MissingLlmConfiguration | K::UnsupportedModel | K::InvalidModelFormat => Exit::Model,
        K::LlmResponse if is_refused_key(error) => Exit::Model,
        K::Navigation => Exit::Navigation,
        kind if kind == K::Timeout || kind.parent() == Some(K::Timeout) => Exit::Timeout,
        _ => Exit::Failed,
    }
}

fn is_refused_key(error: &Error) -> bool {
    let cause = error.source().and_then(|cause| cause.downcast_ref::<LlmError>());
    matches!(cause, Some(LlmError::Auth { .. }))
}

/// What failed, in the words of the command line.
fn message_of(error: &Error) -> String {
    match error.kind() {
        // A session that is under way is there unless its browser has gone.
        ErrorKind::NotInitialized => "the browser is gone".to_owned(),
        _ => flags::in_words_of_the_command(error.message()),
    }
}

/// What to try: the library's own words where it has some that fit, or what this command offers.
fn hint_for(error: &Error) -> Option<String> {
    if let Some(hint) = error.hint_text()
        && !matches!(error.kind(), ErrorKind::NotInitialized | ErrorKind::PageNotFound)
    {
        return Some(flags::in_words_of_the_command(hint));
    }
    let is_about_a_selector = error.context().any(|(name, _)| name == "selector");
    let hint = match exit_of(error) {
        Exit::Usage if is_about_a_selector => Some(
            "a selector is CSS, an XPath that gives elements, such as //h1 or (//a)[2], or text= and words",
        ),
        Exit::Model => Some("`automator doctor` shows which keys are set and tries a model with --model"),
        Exit::NoBrowser => Some("`automator doctor` tells what is wrong with the browser"),
        Exit::Timeout => Some("--timeout SECONDS gives it more time"),
        Exit::Failed => match error.kind() {
            ErrorKind::ElementNotFound | ErrorKind::XPathResolution => {
                Some("`automator snapshot` prints what is on the page")
            }
            _ => None,
        },
        _ => None,
    };
    hint.map(str::to_owned)
}

/// Turns the report of a panic, which is a bug of ours, into one line.
pub(crate) fn report_panics() {
    std::panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let place = panic
            .location()
            .map(|location| format!(" ({}:{})", location.file(), location.line()))
            .unwrap_or_default();
        let payload = panic.payload();
        let words = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("without a message");
        let said = format!("error: this is a bug in automator, please report it: {words}{place}\n");
        let _ = io::stderr().lock().write_all(clean(&said).as_bytes());
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_lines_of_a_message_are_indented_and_the_hint_comes_last() {
        let failure = Failure::usage("one\ntwo").hint("three");
        assert_eq!(failure.to_string(), "error: one\n  two\nhint: three\n");
        assert_eq!(failure.exit(), Exit::Usage);
    }

    #[test]
    fn every_exit_code_is_in_the_help() {
        for exit in [
            Exit::Success,
            Exit::Failed,
            Exit::Usage,
            Exit::NoBrowser,
            Exit::Model,
            Exit::Navigation,
            Exit::Timeout,
            Exit::NotDone,
            Exit::HungUp,
            Exit::Interrupted,
            Exit::Terminated,
        ] {
            assert!(CODES.contains(&(exit as u8).to_string()), "{exit:?}");
        }
    }
}
