//! The set of pages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_cdp::protocol::page::Navigate;
use automator_cdp::protocol::target::CreateTarget;

use crate::navigation::checked_url;
use crate::page_state::{Attaching, PageShared};
use crate::{AnsweredDialog, Browser, BrowserError, Download, Page};

/// How long a new page may take to be attached.
const NEW_PAGE_LIMIT: Duration = Duration::from_secs(5);

/// How long after it was announced a pop-up is waited for, and how long at most.
const ANNOUNCED: Duration = Duration::from_millis(300);
const POP_UP_LIMIT: Duration = Duration::from_secs(2);

/// How long a page is waited for that another library has just opened.
const ANNOUNCED_ELSEWHERE: Duration = Duration::from_secs(2);

/// How long a page may be too busy to be attached to.
const BUSY: Duration = Duration::from_secs(15);

const BLANK: &str = "about:blank";

/// The pages of a browser; a cheap clone. Only top-level pages are here, frames belong to their page.
#[derive(Debug, Clone)]
pub struct Context {
    browser: Browser,
}

impl Context {
    pub(crate) fn new(browser: Browser) -> Self {
        Self { browser }
    }

    /// The browser.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// All open pages, the oldest first. Of pages that were there before the browser was attached to, one that has
    /// replaced the first entry of its history, as going to the same address again does, or has more than 50, may come
    /// later than it is.
    pub fn pages(&self) -> Vec<Page> {
        self.browser
            .inner()
            .pages()
            .into_iter()
            .map(|shared| self.page(shared))
            .collect()
    }

    /// The page that was made or chosen last and is still open; in a browser that was attached to, the newest at first. A
    /// page that another one opens by itself only joins the list; one that follows our own input within a second becomes
    /// active.
    pub fn active_page(&self) -> Option<Page> {
        self.browser.inner().active_page().map(|shared| self.page(shared))
    }

    /// The active page, after a page that is just being opened has come: what follows a click on a link that opens a
    /// tab should read that tab. Waits only when one was announced within the last 300 ms, and for 2 s at most.
    pub async fn await_active_page(&self) -> Option<Page> {
        let inner = self.browser.inner();
        let began = Instant::now();
        if let Some(announced) = inner
            .pop_up_announced()
            .filter(|at| began.duration_since(*at) <= ANNOUNCED)
        {
            let arrived = inner.wait_for_pages(|pages| {
                // It is listed as soon as it is attached to, but cannot be worked with before it is ready.
                let came = inner.pop_up_arrived().is_some_and(|at| at >= announced);
                let is_ready = |page: &Arc<PageShared>| page.state().attaching == Attaching::Done;
                let newest = pages.iter().rev().find(|page| page.opener.is_some());
                (came && newest.is_none_or(is_ready)).then_some(())
            });
            let _ = tokio::time::timeout(POP_UP_LIMIT, arrived).await;
        }
        self.active_page()
    }

    /// The open page with this target id. One that somebody else has opened in the same browser may be known there
    /// a little earlier than here, so it is waited for, 2 s at most; and 15 s more when its scripts leave it no time to
    /// be attached to. None when it does not come.
    pub async fn page_of_target(&self, target_id: &str) -> Option<Page> {
        let inner = self.browser.inner();
        let is_it = |page: &&Arc<PageShared>| page.target_id == target_id;
        let listed = inner.wait_for_pages(|pages| pages.iter().find(is_it).map(drop));
        tokio::time::timeout(ANNOUNCED_ELSEWHERE, listed).await.ok()?;
        let ready = inner.wait_for_pages(|pages| match pages.iter().find(is_it) {
            Some(page) if page.state().attaching == Attaching::Pending => None,
            found => Some(found.cloned()),
        });
        let shared = tokio::time::timeout(BUSY, ready).await.ok()??;
        Some(self.page(shared))
    }

    /// Makes a page the active one. A page that is closed is left out of account.
    pub fn set_active_page(&self, page: &Page) {
        self.browser.inner().activate(page.id());
    }

    /// Opens a page, makes it active, and begins to load `url` without waiting for it; `about:blank` loads
    /// nothing.
    ///
    /// # Errors
    /// [`BrowserError::InvalidUrl`]; [`BrowserError::ForbiddenAddress`]; [`BrowserError::NewPageTimeout`] after 5 s.
    pub async fn new_page(&self, url: &str) -> Result<Page, BrowserError> {
        let url = checked_url(url)?;
        let inner = self.browser.inner();
        if let Some(forbidden) = inner.interception().forbids(&url) {
            return Err(forbidden.into());
        }
        let opening = async {
            let create = CreateTarget {
                url: BLANK.to_owned(),
                ..CreateTarget::default()
            };
            let target = inner.root().send(&create).await?.target_id;
            // A page that is navigated before it has taken all that it is prepared with crashes now and then.
            let is_ready = |page: &&Arc<PageShared>| {
                page.target_id == target && page.state().attaching == Attaching::Done
            };
            let shared = inner.wait_for_pages(|pages| pages.iter().find(is_ready).cloned());
            tokio::select! {
                shared = shared => Ok(shared),
                reason = inner.connection().closed() => Err(BrowserError::ConnectionClosed { reason }),
            }
        };
        let shared = match tokio::time::timeout(NEW_PAGE_LIMIT, opening).await {
            Ok(shared) => shared?,
            Err(_) => {
                return Err(BrowserError::NewPageTimeout {
                    limit: NEW_PAGE_LIMIT,
                });
            }
        };
        inner.activate(&shared.target_id);
        if url != BLANK {
            let navigating = shared.session.send(&Navigate {
                url,
                ..Navigate::default()
            });
            let (frame, session) = (shared.target_id.clone(), Arc::clone(&shared.session_id));
            shared.update(|state| state.frames.send(&session, &frame));
            let opened = Arc::clone(&shared);
            let browser = Arc::downgrade(inner);
            tokio::spawn(async move {
                // What it says of the navigation is told by events, which have come by then, but may not be known yet.
                let _ = navigating.await;
                if let Some(browser) = browser.upgrade() {
                    browser.catch_up().await;
                }
                opened.update(|state| state.frames.sent(&session, &frame));
            });
        }
        Ok(self.page(shared))
    }

    /// Sends any DevTools command to the browser itself; see [`Page::send_cdp`].
    ///
    /// # Errors
    /// As [`Page::send_cdp`]; [`BrowserError::ConnectionClosed`].
    pub async fn send_cdp(
        &self,
        method: &str,
        params: &serde_json::Value,
    ) -> Result<serde_json::Value, BrowserError> {
        crate::page::send_cdp(self.browser.session(), method, params).await
    }

    /// The files that pages made the browser save, the oldest first.
    pub fn downloads(&self) -> Vec<Download> {
        self.browser.inner().downloads().all()
    }

    /// The dialogs that pages have opened, with their answers, the oldest first. The last 1,000 are kept.
    pub fn dialogs(&self) -> Vec<AnsweredDialog> {
        self.browser.inner().dialogs()
    }

    /// Makes sure that there is a page.
    pub(crate) async fn await_first_page(&self) -> Result<(), BrowserError> {
        if self.browser.inner().pages().is_empty() {
            self.new_page(BLANK).await?;
        }
        Ok(())
    }

    fn page(&self, shared: Arc<PageShared>) -> Page {
        Page::new(self.browser.clone(), shared)
    }
}
