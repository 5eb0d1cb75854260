//! Waiting until a page has come to rest.
//!
//! What requests do is known here from events; what documents do is known in them, where `js/begin.js` watches from
//! their beginning. Both are counted backwards, so a page that is already at rest costs one question to each frame,
//! all at once, and one that is not is waited for by events and inside the page: nothing is asked twice.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;

use crate::{BrowserError, Page};

/// For how long nothing has happened in a page that is at rest. `js/begin.js` has the same number for changes of the
/// document.
const QUIET: Duration = Duration::from_millis(250);

/// How long a page that does not come to rest is waited for, as long as it is not loading anything new.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// How often frames are asked anew because one of them went away while it was waited for.
const ATTEMPTS: usize = 10;

/// What came of waiting for a page to come to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// How long it took.
    pub waited: Duration,
    /// What ended it.
    pub by: SettledBy,
}

/// What ended the waiting for a page to come to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettledBy {
    /// The page is at rest.
    Quiet,
    /// It never comes to rest: something in it goes on and on, or it does not answer.
    Restless,
    /// The limit was reached while the page was still loading.
    Limit,
}

impl Page {
    /// Waits until no request has been under way and no document has changed for 250 ms, at most `limit`.
    ///
    /// The 250 ms are counted backwards: a page that has been at rest for that long costs one round trip. These do
    /// not count: WebSocket and EventSource, a request that has been open for 2 s, a node that has been changing
    /// for 1 s, changes of `style` alone, changes in closed shadow roots. A page that does not come to rest all the
    /// same is waited for 2.5 s, and longer, up to the limit, only while it asks for content from addresses that
    /// it has not asked before.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`], [`BrowserError::ConnectionClosed`]. A page
    /// that does not answer is no error.
    pub async fn settle(&self, limit: Duration) -> Result<Settled, BrowserError> {
        self.settle_for(QUIET, limit).await
    }

    /// As [`settle`](Self::settle), with another time for which nothing may have happened: less for who knows what to
    /// look for and waits on when it is not there.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub async fn settle_for(&self, quiet: Duration, limit: Duration) -> Result<Settled, BrowserError> {
        let began = Instant::now();
        let by = match tokio::time::timeout(limit, self.or_end(rest(self, quiet, began))).await {
            Ok(by) => by?,
            Err(_) => SettledBy::Limit,
        };
        let waited = began.elapsed();
        tracing::debug!(?waited, ?by, "the page has settled");
        Ok(Settled { waited, by })
    }
}

impl Page {
    /// Waits until the page's own document can be acted on by who knows what to look for in it: it has been read, its
    /// scripts wait neither for more of them nor for data, and they have nothing left to do at present. Frames,
    /// pictures and styles are not waited for. At most 2.5 s, and at most `limit`.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub async fn settle_scripts(&self, limit: Duration) -> Result<Settled, BrowserError> {
        let began = Instant::now();
        let idle = tokio::time::timeout(limit.min(PATIENCE), self.or_end(idle(self))).await;
        let by = match idle {
            Ok(by) => by?,
            Err(_) => SettledBy::Restless,
        };
        let waited = began.elapsed();
        tracing::debug!(?waited, ?by, "the page's scripts have settled");
        Ok(Settled { waited, by })
    }
}

/// Waits until the main document is idle, and has asked for nothing by then.
async fn idle(page: &Page) -> Result<SettledBy, BrowserError> {
    let shared = page.shared();
    let waits = |state: &crate::page_state::PageState| {
        let main = state.frames.main_record();
        main.is_some_and(|main| {
            let now = Instant::now();
            main.is_under_way() || state.network.has_scripts_waiting(&main.loader_id, now)
        })
    };
    for _ in 0..ATTEMPTS {
        shared.wait_for(|state| (!waits(state)).then_some(())).await;
        let frame = page.main_frame();
        match frame.call_library("whenIdle", &[]).await {
            Ok(_) if !waits(&shared.state()) => return Ok(SettledBy::Quiet),
            // Its document went away meanwhile.
            Ok(_) | Err(_) => {}
        }
    }
    Ok(SettledBy::Restless)
}

async fn rest(page: &Page, quiet: Duration, began: Instant) -> Result<SettledBy, BrowserError> {
    let patience_ends = began + PATIENCE;
    let mut attempts = 0;
    loop {
        requests_rest(page, quiet, patience_ends).await;
        if Instant::now() >= patience_ends {
            return Ok(SettledBy::Restless);
        }
        let documents = documents_rest(page, quiet);
        let Ok(documents) = tokio::time::timeout_at(patience_ends.into(), documents).await else {
            continue;
        };
        attempts += 1;
        let all_answered = documents? || attempts >= ATTEMPTS;
        let requests_were_quiet = page.shared().state().network.restless_until() + quiet <= Instant::now();
        if all_answered && requests_were_quiet {
            return Ok(SettledBy::Quiet);
        }
    }
}

/// Waits until no request has counted for long enough. After the patience has ended, only loading counts.
async fn requests_rest(page: &Page, quiet: Duration, patience_ends: Instant) {
    let shared = page.shared();
    loop {
        let now = Instant::now();
        let is_patient = now < patience_ends;
        let look = |state: &crate::page_state::PageState| {
            if is_patient {
                state.network.restless_until()
            } else {
                state.network.loading_until()
            }
        };
        let busy_until = look(&shared.state());
        let due = busy_until + quiet;
        if due <= now {
            return;
        }
        let wake = if is_patient { due.min(patience_ends) } else { due };
        let changed = shared.wait_for(|state| (look(state) != busy_until).then_some(()));
        let _ = tokio::time::timeout_at(wake.into(), changed).await;
    }
}

/// Waits until the documents of all frames have come to rest. False when a frame went away meanwhile.
async fn documents_rest(page: &Page, quiet: Duration) -> Result<bool, BrowserError> {
    let quiet_ms = [json!(quiet.as_secs_f64() * 1e3).into()];
    let frames = page.frames();
    let asking = frames
        .iter()
        .map(|frame| frame.call_library("settled", &quiet_ms));
    let mut all_answered = true;
    for answer in join_all(asking).await {
        match answer {
            Ok(_) => {}
            Err(
                error @ (BrowserError::PageClosed
                | BrowserError::PageCrashed
                | BrowserError::ConnectionClosed { .. }),
            ) => return Err(error),
            Err(_) => all_answered = false,
        }
    }
    Ok(all_answered)
}
