//! The pages of a session.

use std::sync::Arc;

use crate::automator::Session;
use crate::page::{Page, limited};
use crate::{Error, ErrorKind, Result};

/// The set of pages; a cheap clone.
#[derive(Debug, Clone)]
pub struct Context {
    session: Arc<Session>,
    browser_context: automator_browser::Context,
}

impl Context {
    pub(crate) fn new(session: Arc<Session>, browser_context: automator_browser::Context) -> Self {
        Self {
            session,
            browser_context,
        }
    }

    /// All open pages, the oldest first.
    #[must_use]
    pub fn pages(&self) -> Vec<Page> {
        self.browser_context
            .pages()
            .into_iter()
            .map(|page| Page::new(Arc::clone(&self.session), page))
            .collect()
    }

    /// The page that operations work on: the one made or selected last that is still open.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`] when no page is open.
    pub fn active_page(&self) -> Result<Page> {
        let page = self.browser_context.active_page();
        page.map(|page| Page::new(Arc::clone(&self.session), page))
            .ok_or_else(|| {
                Error::new(ErrorKind::PageNotFound, "no page is open").hint("open one with new_page()")
            })
    }

    /// Makes a page the active one.
    pub fn set_active_page(&self, page: &Page) {
        self.browser_context.set_active_page(page.browser_page());
    }

    /// Opens a page, which becomes the active one, and begins to load `url` without waiting for it.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`], [`ErrorKind::InvalidArgument`] for what is no URL,
    /// [`ErrorKind::CdpConnectionClosed`].
    pub async fn new_page(&self, url: &str) -> Result<Page> {
        let page = limited("new_page", self.browser_context.new_page(url)).await?;
        Ok(Page::new(Arc::clone(&self.session), page))
    }
}
