//! Everything that can go wrong here, and why a connection ended.

use std::fmt;
use std::io;
use std::sync::Arc;

/// Why a command has no reply.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CdpError {
    /// The browser answered with an error.
    #[error("{method}: {message} (code {code}){}", data.as_deref().map(|data| format!(": {data}")).unwrap_or_default())]
    Protocol {
        /// The command's method.
        method: String,
        /// The code of the reply; -32000 for most failures, -32601 for an unknown method.
        code: i64,
        /// The browser's own words.
        message: String,
        /// More of them, when there are any.
        data: Option<String>,
    },
    /// The connection has ended. Commands that were pending, and all later ones, end with this.
    #[error("the DevTools connection is closed: {reason}")]
    Closed {
        /// Why it ended.
        reason: CloseReason,
    },
    /// The session was detached, because its target has gone or someone detached it.
    #[error("{method}: the session of this target has been detached")]
    SessionDetached {
        /// The command's method.
        method: String,
    },
    /// The reply, or an event's parameters, do not have the expected shape.
    #[error("{method}: cannot read the browser's message: {source}")]
    Malformed {
        /// The method of the command or event.
        method: String,
        /// Where reading stopped.
        source: serde_json::Error,
    },
    /// The parameters of a command cannot be written as JSON.
    #[error("{method}: cannot write the parameters: {source}")]
    Parameters {
        /// The command's method.
        method: String,
        /// What serde refused.
        source: serde_json::Error,
    },
    /// No connection came about.
    #[error("cannot connect to {address}: {problem}")]
    Connect {
        /// The address without user, password and query, which may hold keys.
        address: String,
        /// What happened, in one line.
        problem: ConnectProblem,
    },
}

/// Why a connection did not come about; part of [`CdpError::Connect`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectProblem {
    /// The address cannot be read, or is neither `ws:` nor `wss:`.
    #[error("not a ws:// or wss:// address")]
    Address,
    /// A header has a name or a value that HTTP does not allow.
    #[error("the header `{0}` is not valid")]
    Header(String),
    /// Nothing answered in time.
    #[error("no answer within {0:?}")]
    Timeout(std::time::Duration),
    /// The server answered the handshake with another status than 101.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// Name resolution or the TCP connection failed.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The TLS set-up or the WebSocket handshake failed.
    #[error("{0}")]
    Handshake(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a connection ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CloseReason {
    /// [`Connection::close`](crate::Connection::close) was called, or the last handle was dropped.
    Requested,
    /// The other side ended it: the browser has exited, crashed or hung up.
    EndOfStream,
    /// The other side ended the WebSocket, and said why.
    Told {
        /// The close code of RFC 6455, section 7.4; from 4000 it is one of the platform's own.
        code: u16,
        /// The reason, in words.
        reason: String,
    },
    /// Reading or writing failed.
    Transport(Arc<io::Error>),
}

impl CloseReason {
    /// A browser that exits leaves broken pipes and reset sockets: that is an end, not a failure.
    pub(crate) fn of(error: io::Error) -> Self {
        if let Some(told) = error.get_ref().and_then(|inner| inner.downcast_ref::<Told>()) {
            return Self::Told {
                code: told.code,
                reason: told.reason.clone(),
            };
        }
        match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => Self::EndOfStream,
            _ => Self::Transport(Arc::new(error)),
        }
    }
}

impl fmt::Display for CloseReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested => formatter.write_str("it was closed on this side"),
            Self::EndOfStream => formatter.write_str("the browser ended it"),
            Self::Told { code, reason } => write!(formatter, "it was ended: {reason} (code {code})"),
            Self::Transport(error) => write!(formatter, "{error}"),
        }
    }
}

/// What the other side said when it ended a WebSocket, on its way to [`CloseReason::Told`].
#[derive(Debug, thiserror::Error)]
#[error("{reason} (code {code})")]
pub(crate) struct Told {
    pub(crate) code: u16,
    pub(crate) reason: String,
}
