//! What changes over a run.

use std::collections::HashSet;

use super::conversation::Conversation;
use super::plan::Recorder;
use super::repeats::Repeats;
use super::result::AgentAction;
use super::run::Run;
use super::view::View;
use crate::Result;
use crate::context::Context;
use crate::deadline::page_of;
use crate::page::Page;

/// What has been done so far, and what is known by now.
pub(super) struct Progress {
    pub(super) conversation: Conversation,
    pub(super) view: View,
    pub(super) actions: Vec<AgentAction>,
    pub(super) repeats: Repeats,
    pub(super) recorder: Recorder,
    pub(super) tabs: Tabs,
    /// What the model said last.
    pub(super) last_words: String,
}

/// Which page a run is on.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    /// None for whichever is active.
    current: Option<Page>,
    known: HashSet<String>,
}

impl Tabs {
    /// For a run that begins on a page, or on whichever is active.
    pub(super) fn new(run: &Run<'_>) -> Self {
        let current = run.options.page.clone();
        let mut tabs = Self {
            current,
            known: HashSet::new(),
        };
        if tabs.current.is_some() {
            tabs.known = open_pages(run).iter().map(|page| page.id().to_owned()).collect();
        }
        tabs
    }

    /// The page as it is now. A run that began on a page of its own follows the tabs that it opens, and goes back when
    /// they close.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`](crate::ErrorKind::PageNotFound) when no page is open.
    pub(super) async fn page(&mut self, run: &Run<'_>) -> Result<Page> {
        let session = run.session;
        let Some(current) = &self.current else {
            return page_of(session, "agent", None).await;
        };
        let pages = open_pages(run);
        let opened = pages
            .iter()
            .rev()
            .find(|page| !self.known.contains(page.id()) && page.opener().as_ref() == Some(current))
            .cloned();
        self.known.extend(pages.iter().map(|page| page.id().to_owned()));
        if let Some(opened) = opened {
            self.current = Some(opened.clone());
            return page_of(session, "agent", Some(&opened)).await;
        }
        if current.is_closed() {
            let before = run.options.page.clone().filter(|page| !page.is_closed());
            let page = page_of(session, "agent", before.as_ref()).await?;
            self.current = Some(page.clone());
            return Ok(page);
        }
        page_of(session, "agent", Some(current)).await
    }
}

fn open_pages(run: &Run<'_>) -> Vec<Page> {
    match run.session.live("agent") {
        Ok(browser) => Context::new(std::sync::Arc::clone(run.session), browser.context()).pages(),
        Err(_) => Vec::new(),
    }
}
