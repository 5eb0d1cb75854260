//! The limits of an operation: its deadline, and the life of the browser.

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument as _;

use crate::context::Context;
use crate::page::Page;
use crate::service::Service;
use crate::session::Session;
use crate::{Error, ErrorKind, Result, trace};

/// Runs an operation of the session under a deadline that cancels it (zero is none) and ends it also when the
/// browser is lost, which a call that waits for a model would not notice.
pub(crate) async fn under<T>(
    session: &Session,
    operation: &'static str,
    limit: Duration,
    service: &Service,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let span = trace::span(session, operation);
    let connected = while_connected(session, operation, work).instrument(span);
    let outcome = if limit.is_zero() {
        connected.await
    } else {
        match tokio::time::timeout(service.left_of(limit), connected).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::past_deadline(operation, limit)),
        }
    };
    outcome.map_err(|error| error.during(operation))
}

async fn while_connected<T>(
    session: &Session,
    operation: &'static str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let browser = session.live_again(operation).await?;
    let reason = tokio::select! {
        biased;
        outcome = work => match outcome {
            // The browser went after the call had begun, and a part of the call noticed it first, by whatever it missed.
            Err(error) if error.kind() == ErrorKind::NotInitialized || session.is_closed() => {
                browser.closed().await
            }
            outcome => return outcome,
        },
        reason = browser.closed() => reason,
    };
    Err(automator_browser::BrowserError::ConnectionClosed { reason }.into())
}

/// How long a page that was just opened may take to get its first document.
const FIRST_DOCUMENT: Duration = Duration::from_secs(15);

/// The page of a call: the one it names, else the active one. Either may just be opening.
pub(crate) async fn page_of(
    session: &Arc<Session>,
    operation: &'static str,
    given: Option<&Page>,
) -> Result<Page> {
    let page = match given {
        Some(page) if page.belongs_to(session) => page.clone(),
        Some(_) => return Err(Error::invalid_argument("the page belongs to another session")),
        None => {
            let browser = session.live(operation)?;
            let context = Context::new(Arc::clone(session), browser.context());
            context.await_active_page().await?
        }
    };
    page.browser_page().arrive(FIRST_DOCUMENT).await;
    Ok(page)
}
