//! Calls of operations to the platform that the session's browser runs on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_llm::{ModelOptions, UsageMeter};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::Remote;
use super::operations::{Call, Operations, Told};
use crate::extract::CacheStatus;
use crate::page::Page;
use crate::session::Session;
use crate::{Error, ErrorKind, Result};

/// How long it may take after a deadline to see what a run has left of the pages.
const LAST_LOOK: Duration = Duration::from_millis(250);

/// A platform that runs the operations of an open session.
pub(crate) struct Away<'s> {
    session: &'s Arc<Session>,
    remote: Arc<Remote>,
}

/// What a call says of itself while it runs.
#[derive(Clone, Copy)]
pub(crate) struct Accounts<'a> {
    /// Counts what it costs.
    pub(crate) meter: &'a UsageMeter,
    /// Knows what of it is in the log already.
    pub(crate) told: &'a Told,
}

/// What all operations have in common.
pub(crate) struct Common<'o> {
    pub(crate) model: Option<&'o ModelOptions>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) server_cache: Option<bool>,
}

/// The platform that runs the operations of a session; none when they run here.
pub(crate) fn away(session: &Arc<Session>) -> Option<Away<'_>> {
    let remote = session.remote()?;
    remote.operations.is_some().then_some(Away { session, remote })
}

impl Away<'_> {
    /// Runs an operation on a page.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        page: &Page,
        mut body: Map<String, Value>,
        mut options: Map<String, Value>,
        common: Common<'_>,
        accounts: Accounts<'_>,
    ) -> Result<(T, Option<CacheStatus>)> {
        let session = self.session;
        let model = session.models.revealed(common.model);
        options.extend(model.map(|model| ("model".to_owned(), model)));
        let timeout = common.timeout.map(|limit| json!(limit.as_millis()));
        options.extend(timeout.map(|limit| ("timeout".to_owned(), limit)));
        body.insert("options".to_owned(), Value::Object(options));
        let may_be_cached = common.server_cache.unwrap_or(session.options.server_cache);
        self.send(operation, page, body, may_be_cached, accounts).await
    }

    /// Runs an operation on a page, asked for by a body that is whole but for the page.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        operation: &'static str,
        page: &Page,
        mut body: Map<String, Value>,
        may_be_cached: bool,
        accounts: Accounts<'_>,
    ) -> Result<(T, Option<CacheStatus>)> {
        // Which page is active is known here; the platform may have another opinion.
        body.insert("frameId".to_owned(), page.id().into());
        let call = Call {
            session: self.session,
            operation,
            body: Value::Object(body),
            may_be_cached,
            meter: accounts.meter,
            told: accounts.told,
        };
        let outcome = self.operations()?.run(&call).await?;
        let value = serde_json::from_value(outcome.value).map_err(|error| {
            Error::new(
                ErrorKind::Protocol,
                format!("the platform's result cannot be read: {error}"),
            )
        })?;
        Ok((value, outcome.cache_status))
    }

    fn operations(&self) -> Result<&Operations> {
        // Looked at when `self` was made.
        self.remote.operations.as_ref().ok_or_else(Error::not_initialized)
    }

    /// Runs something that may change the page and open others, and learns of it here: what follows finds the pages
    /// as they are then. A page that was opened meanwhile becomes active, as when the input had come from here.
    ///
    /// Given a moment, what has come of the work is told soon after it, whatever is known here by then.
    pub(crate) async fn acting<T>(
        &self,
        page: &Page,
        until: Option<Instant>,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let Some(browser) = self.session.browser() else {
            return work.await;
        };
        let context = browser.context();
        let before = context.pages();
        let outcome = work.await;
        page.browser_page().note_input();
        let learning = async {
            // A failure shows in the next call.
            let _ = browser.catch_up().await;
            // Waits for a page that is just opening.
            drop(context.await_active_page().await);
        };
        match until {
            None => learning.await,
            // A browser that does not answer has nothing to tell.
            Some(until) => {
                let until = until.max(Instant::now() + LAST_LOOK);
                let _ = tokio::time::timeout_at(until.into(), learning).await;
            }
        }
        let opened = context
            .pages()
            .into_iter()
            .filter(|other| !before.contains(other) && other.opener().as_ref() == Some(page.browser_page()));
        for page in opened {
            context.set_active_page(&page);
        }
        outcome
    }
}
