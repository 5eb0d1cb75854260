//! Reloading, going back and forward, and waiting for a page to have come so far.

use std::sync::atomic::Ordering;
use std::time::Duration;

use automator_cdp::Command;
use automator_cdp::protocol::page::{GetNavigationHistory, NavigateToHistoryEntry, Reload};

use crate::frame_table::FrameRecord;
use crate::navigation::{GotoOptions, Navigation, WaitUntil};
use crate::page_state::PageState;
use crate::{BrowserError, Page, Response};

/// How [`Page::reload`] reloads.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReloadOptions {
    /// How far the page must come. Default: [`WaitUntil::DomContentLoaded`].
    pub wait_until: WaitUntil,
    /// How long it may take; `None` is no limit. Default: 15 s.
    pub timeout: Option<Duration>,
    /// Asks the servers again for what is in the browser's cache. Default: no.
    pub ignore_cache: bool,
}

impl Default for ReloadOptions {
    fn default() -> Self {
        let GotoOptions { wait_until, timeout } = GotoOptions::default();
        Self {
            wait_until,
            timeout,
            ignore_cache: false,
        }
    }
}

impl Page {
    /// Loads the page anew. Returns as [`goto`](Self::goto) does.
    ///
    /// # Errors
    /// [`BrowserError::Navigation`] for network errors; [`BrowserError::NavigationSuperseded`];
    /// [`BrowserError::NavigationTimeout`], which says the address that the page is at;
    /// [`BrowserError::PageClosed`].
    pub async fn reload(&self, options: &ReloadOptions) -> Result<Option<Response>, BrowserError> {
        let command = Reload {
            ignore_cache: Some(options.ignore_cache),
            ..Reload::default()
        };
        travel(self, &command, options.wait_until, options.timeout).await
    }

    /// Goes one step back in the history of the page. Returns the response of the document there; none when there
    /// is no step back, and for a step within the same document.
    ///
    /// # Errors
    /// As [`reload`](Self::reload).
    pub async fn go_back(&self, options: &GotoOptions) -> Result<Option<Response>, BrowserError> {
        self.go(-1, options).await
    }

    /// Goes one step forward in the history of the page. Returns as [`go_back`](Self::go_back) does.
    ///
    /// # Errors
    /// As [`reload`](Self::reload).
    pub async fn go_forward(&self, options: &GotoOptions) -> Result<Option<Response>, BrowserError> {
        self.go(1, options).await
    }

    async fn go(&self, step: i64, options: &GotoOptions) -> Result<Option<Response>, BrowserError> {
        let asking = async { Ok(self.session().send(&GetNavigationHistory {}).await?) };
        let history = self.or_end_unless_crashed(asking).await?;
        let entry = usize::try_from(history.current_index.saturating_add(step))
            .ok()
            .and_then(|index| history.entries.get(index));
        let Some(entry) = entry else {
            return Ok(None);
        };
        let command = NavigateToHistoryEntry { entry_id: entry.id };
        travel(self, &command, options.wait_until, options.timeout).await
    }

    /// Does nothing for a while.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`], [`BrowserError::ConnectionClosed`]: when it ends
    /// meanwhile.
    pub async fn wait_for_timeout(&self, duration: Duration) -> Result<(), BrowserError> {
        let sleeping = async {
            tokio::time::sleep(duration).await;
            Ok(())
        };
        self.or_end(sleeping).await
    }

    /// Waits until the document that the page has, or gets meanwhile, has come so far; at once when it has. A page
    /// that is on its way elsewhere, as a new one is to the address that it was opened with, has to arrive first.
    ///
    /// `timeout` is how long that may take, `None` no limit; 15 s are usual.
    ///
    /// # Errors
    /// [`BrowserError::NavigationTimeout`]; [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn wait_for_load_state(
        &self,
        state: WaitUntil,
        timeout: Option<Duration>,
    ) -> Result<(), BrowserError> {
        let shared = self.shared();
        let waiting = async {
            shared
                .wait_for(|page| {
                    let goes_elsewhere = page.frames.main_record().is_some_and(FrameRecord::goes_elsewhere);
                    page.current_document()
                        .filter(|document| !goes_elsewhere && state.is_reached(document))
                        .map(drop)
                })
                .await;
            if state == WaitUntil::NetworkIdle {
                shared.wait_for_idle_network(|_| None).await?;
            }
            Ok(())
        };
        let waiting = self.or_end(waiting);
        match timeout {
            Some(limit) => tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| {
                Err(BrowserError::NavigationTimeout {
                    url: self.url(),
                    wait_until: state.name(),
                    limit,
                })
            }),
            None => waiting.await,
        }
    }
}

/// Sends a command that makes the page go somewhere, and waits until it has come so far there.
async fn travel<C: Command>(
    page: &Page,
    command: &C,
    wait_until: WaitUntil,
    timeout: Option<Duration>,
) -> Result<Option<Response>, BrowserError> {
    let url = page.url();
    let navigation = Navigation::new(page, &url);
    let running = navigation.or_stop(run(page, command, &navigation, wait_until));
    let Some(limit) = timeout else {
        return running.await;
    };
    let outcome = tokio::time::timeout(limit, running).await;
    outcome.unwrap_or_else(|_| {
        Err(BrowserError::NavigationTimeout {
            url: page.url(),
            wait_until: wait_until.name(),
            limit,
        })
    })
}

async fn run<C: Command>(
    page: &Page,
    command: &C,
    navigation: &Navigation<'_>,
    wait_until: WaitUntil,
) -> Result<Option<Response>, BrowserError> {
    let (moves, loader) = {
        let state = page.shared().state();
        (state.moves, state.main_loader().to_owned())
    };
    page.browser().inner().interception().take_forbidden(page.id());
    let superseded = |state: &PageState| navigation.superseded(state);
    let going = async {
        page.session().send(command).await?;
        let shared = page.shared();
        shared
            .wait_for(|state| match superseded(state) {
                Some(error) => Some(Err(error)),
                None => (state.moves != moves).then_some(Ok(())),
            })
            .await?;
        navigation.is_answered.store(true, Ordering::Relaxed);
        shared
            .wait_for(|state| match superseded(state) {
                Some(error) => Some(Err(error)),
                None => {
                    let document = state.current_document();
                    document
                        .filter(|document| wait_until.is_reached(document))
                        .map(|_| Ok(()))
                }
            })
            .await?;
        if wait_until == WaitUntil::NetworkIdle {
            shared.wait_for_idle_network(superseded).await?;
        }
        Ok(())
    };
    page.or_end_unless_crashed(going).await?;
    let (failure, response) = {
        let state = page.shared().state();
        let Some(document) = state.current_document() else {
            return Ok(None);
        };
        let failed_url = document.failed_url.clone().unwrap_or_default();
        // A step within the same document has no answer of a server.
        let is_same = document.loader_id == loader;
        let response = if is_same {
            None
        } else {
            Response::of(document, page)
        };
        (
            document.failure().map(|error_text| (failed_url, error_text)),
            response,
        )
    };
    let Some((url, error_text)) = failure else {
        return Ok(response);
    };
    match page.browser().inner().interception().take_forbidden(page.id()) {
        Some(forbidden) => Err(forbidden.into()),
        None => Err(BrowserError::Navigation { url, error_text }),
    }
}
