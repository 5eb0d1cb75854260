//! Which tab a run is in: it follows the tabs that its page opens, and comes back when they close.
//!
//! A tab that stays empty is not followed, nor is one whose address the domain policy forbids: nothing could be done
//! there.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use automator_browser::BrowserError;

use super::run::Run;
use super::view::short;
use crate::context::Context;
use crate::deadline::page_of;
use crate::page::Page;
use crate::reading::{read, scope};
use crate::{Error, Result};

/// How long a tab that was just opened may take to get its first document.
const FIRST_DOCUMENT: Duration = Duration::from_secs(15);

/// The pause between two looks at a tab that was just opened.
const PAUSE: Duration = Duration::from_millis(50);

/// How often a tab is found empty before it counts as one that stays so.
const LOOKS: u32 = 5;

/// How long it may take to see whether a tab is empty.
const LOOK: Duration = Duration::from_secs(2);

/// Of tabs that were opened at once, how many of the newest are looked at.
const MOST_OPENED: usize = 3;

/// Most characters of an address that was refused.
const LONGEST_ADDRESS: usize = 200;

/// Which tab a run is in.
#[derive(Debug, Default)]
pub(super) struct Tabs {
    /// Whether the run was given a page of its own; else it is in whichever is active, too.
    has_own: bool,
    /// The tab that the run is in, last, and those that it has come by.
    trail: Vec<Page>,
    known: HashSet<String>,
    /// A tab that was empty when it was opened; it may be filled later.
    empty: Option<Page>,
    /// The page of the present call.
    acted_on: Option<Page>,
    told: Vec<String>,
}

/// What a tab is that was just opened.
enum Opened {
    Filled,
    Empty,
    Refused(String),
}

impl Tabs {
    /// For a run that begins on a page, or on whichever is active.
    pub(super) fn new(run: &Run<'_>) -> Self {
        let own = run.options.page.clone();
        let active = || context(run).and_then(|context| context.active_page()).ok();
        if let Some(page) = own.clone().or_else(active) {
            // What was refused before the run is no news.
            page.browser_page().take_forbidden_address();
        }
        Self {
            has_own: own.is_some(),
            trail: own.into_iter().collect(),
            known: ids_of(&open_pages(run)),
            ..Self::default()
        }
    }

    /// The page that the run is on now.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`](crate::ErrorKind::PageNotFound) when no page is open.
    pub(super) async fn page(&mut self, run: &Run<'_>) -> Result<Page> {
        let found = Box::pin(self.find(run)).await;
        // The last page goes when the session is closed.
        found.map_err(|error| run.session.live("agent").err().unwrap_or(error))
    }

    async fn find(&mut self, run: &Run<'_>) -> Result<Page> {
        if let Some(current) = self.trail.last().cloned() {
            self.follow(run, &current).await?;
        }
        let before = self.trail.len();
        let open = open_pages(run);
        while self.trail.last().is_some_and(|page| !open.contains(page)) {
            self.trail.pop();
        }
        let Some(current) = self.trail.last().cloned() else {
            let page = page_of(run.session, "agent", None).await?;
            self.trail.push(page.clone());
            return Ok(page);
        };
        if self.trail.len() < before {
            self.told
                .push("the tab was closed, and this is the one before it".to_owned());
            self.turn_to(run, &current)?;
        }
        page_of(run.session, "agent", Some(&current)).await
    }

    /// Goes on in a tab that the current page has opened, or that the user has made the active one.
    async fn follow(&mut self, run: &Run<'_>, current: &Page) -> Result<()> {
        let active = if self.has_own {
            None
        } else {
            context(run)?.await_active_page().await.ok()
        };
        let pages = open_pages(run);
        let is_new = |page: &Page| !self.known.contains(page.id());
        let opened: Vec<Page> = pages
            .iter()
            .rev()
            .filter(|page| is_new(page) && page.opener().as_ref() == Some(current))
            .cloned()
            .collect();
        let is_unknown = active.as_ref().is_some_and(is_new);
        self.known.extend(ids_of(&pages));
        if let Some(filled) = self.filled_by_now(run, current).await {
            return self.turn_to(run, &filled);
        }
        match active {
            Some(active) if !opened.contains(&active) => {
                // Of a tab that has closed the trail knows better where it has come from.
                if active != *current && (is_unknown || !current.is_closed()) {
                    self.turn_to(run, &active)?;
                }
                Ok(())
            }
            _ => self.follow_opened(run, current, opened).await,
        }
    }

    /// Goes on in the newest of the tabs in which something can be done.
    async fn follow_opened(&mut self, run: &Run<'_>, current: &Page, opened: Vec<Page>) -> Result<()> {
        if opened.is_empty() {
            return Ok(());
        }
        for page in opened.into_iter().take(MOST_OPENED) {
            match look_at(run, &page).await {
                Opened::Filled => return self.turn_to(run, &page),
                Opened::Empty => {
                    self.told.push("the tab that it opened is empty".to_owned());
                    self.empty = Some(page);
                }
                Opened::Refused(why) => self
                    .told
                    .push(format!("the tab that it opened was refused: {why}")),
            }
        }
        self.turn_to(run, current)
    }

    /// The tab that was empty, when it is so no more and the page that has opened it is still the current one.
    async fn filled_by_now(&mut self, run: &Run<'_>, current: &Page) -> Option<Page> {
        let page = self.empty.take()?;
        if page.is_closed() {
            return None;
        }
        if let Some(why) = refused(run, &page) {
            self.told
                .push(format!("the tab that it opened was refused: {why}"));
            return None;
        }
        if page.opener().as_ref() == Some(current) && !is_empty(&page).await {
            return Some(page);
        }
        self.empty = Some(page);
        None
    }

    /// Goes on in this tab.
    ///
    /// # Errors
    /// A session that is closed.
    pub(super) fn turn_to(&mut self, run: &Run<'_>, page: &Page) -> Result<()> {
        match self.trail.iter().position(|known| known == page) {
            Some(index) => self.trail.truncate(index + 1),
            None => self.trail.push(page.clone()),
        }
        if !self.has_own {
            context(run)?.set_active_page(page);
        }
        Ok(())
    }

    /// A call is about to be done on a page. What the tabs were not let do until then has nothing to do with it.
    pub(super) fn begin_call(&mut self, run: &Run<'_>, page: &Page) {
        for page in &self.trail {
            if let Some(why) = refused(run, page) {
                self.told
                    .push(format!("before that the page was not let go on: {why}"));
            }
        }
        self.acted_on = Some(page.clone());
    }

    /// Where the page of the call was not let go to since it was begun, and why.
    pub(super) fn take_refused(&mut self, run: &Run<'_>) -> Option<String> {
        refused(run, &self.acted_on.take()?)
    }

    /// What has become of tabs since this was asked for last.
    pub(super) fn take_told(&mut self) -> Vec<String> {
        std::mem::take(&mut self.told)
    }
}

/// Waits until a tab has its first document, or is not to get one.
async fn look_at(run: &Run<'_>, page: &Page) -> Opened {
    let began = Instant::now();
    let mut looks = 0;
    while began.elapsed() < FIRST_DOCUMENT {
        if let Some(why) = refused(run, page) {
            return Opened::Refused(why);
        }
        if page.is_closed() {
            return Opened::Empty;
        }
        let arriving = page.browser_page().arrive(FIRST_DOCUMENT);
        if tokio::time::timeout(PAUSE, arriving).await.is_err() {
            continue;
        }
        if !is_empty(page).await {
            return Opened::Filled;
        }
        looks += 1;
        if looks >= LOOKS {
            return Opened::Empty;
        }
        tokio::time::sleep(PAUSE).await;
    }
    // On its way all that time.
    Opened::Filled
}

/// Whether a tab has no address and shows nothing.
async fn is_empty(page: &Page) -> bool {
    if !matches!(page.url().as_str(), "" | ":" | "about:blank") {
        return false;
    }
    let Ok(scope) = scope(None, &[], Duration::ZERO) else {
        return true;
    };
    match tokio::time::timeout(LOOK, Box::pin(read(page, &scope))).await {
        // The page itself is a line.
        Ok(Ok(snapshot)) => snapshot.text().lines().nth(1).is_none(),
        _ => true,
    }
}

/// Where a tab was not let go to, and why.
fn refused(run: &Run<'_>, page: &Page) -> Option<String> {
    match page.browser_page().take_forbidden_address()? {
        BrowserError::ForbiddenAddress { url, reason } => {
            let url = short(&run.mask_address(&url), LONGEST_ADDRESS);
            Some(format!("the domain policy forbids {url}: {reason}"))
        }
        other => Some(run.mask(&Error::from(other).to_string())),
    }
}

fn ids_of(pages: &[Page]) -> HashSet<String> {
    pages.iter().map(|page| page.id().to_owned()).collect()
}

fn context(run: &Run<'_>) -> Result<Context> {
    let browser = run.session.live("agent")?;
    Ok(Context::new(
        std::sync::Arc::clone(run.session),
        browser.context(),
    ))
}

fn open_pages(run: &Run<'_>) -> Vec<Page> {
    context(run).map(|context| context.pages()).unwrap_or_default()
}
