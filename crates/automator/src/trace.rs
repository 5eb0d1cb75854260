//! Spans: what a session is doing, for those who collect traces.

use tracing::Span;

use crate::session::Session;

/// The span of one operation. It carries the operation's name and the session's number and nothing of what the
/// caller passed, so that no secret can be in it.
pub(crate) fn span(session: &Session, operation: &'static str) -> Span {
    if session.options.disable_log_backend {
        return Span::none();
    }
    tracing::info_span!("automator", operation, session = session.number)
}
