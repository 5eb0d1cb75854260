//! The pages of a session, and what holds for all of them.

mod clipboard;
mod cookies;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Value, json};
use tracing::Instrument as _;

pub use automator_browser::{DomainPolicy, InitScript};
pub use clipboard::Clipboard;
pub use cookies::{Cookie, CookieFilter, NewCookie, SameSite, TextFilter};

use crate::options::Env;
use crate::page::{AnsweredDialog, Dialog, DialogAnswer, Download, Page, limited};
use crate::records::HistoryMethod;
use crate::session::Session;
use crate::{Error, ErrorKind, Result, trace};

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

    /// A remote session may have another connection by now than when this context was taken from it.
    fn browser(&self) -> automator_browser::Context {
        if self.session.options.env == Env::Remote
            && let Some(browser) = self.session.browser()
        {
            return browser.context();
        }
        self.browser_context.clone()
    }

    /// All open pages, the oldest first.
    #[must_use]
    pub fn pages(&self) -> Vec<Page> {
        self.browser()
            .pages()
            .into_iter()
            .map(|page| Page::new(Arc::clone(&self.session), page))
            .collect()
    }

    /// The page that operations work on: the one made or selected last that is still open. A page that another one
    /// opens becomes active when that follows input of ours within a second.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`] when no page is open.
    pub fn active_page(&self) -> Result<Page> {
        self.found(self.browser().active_page())
    }

    /// The active page, once a page that is just being opened has come: after a click on a link that opens a tab,
    /// this is that tab. Waits only when one was announced within the last 300 ms, and for 2 s at most. `act`,
    /// `observe` and `extract` choose their page so.
    ///
    /// # Errors
    /// As [`active_page`](Self::active_page).
    pub async fn await_active_page(&self) -> Result<Page> {
        let context = self.browser();
        let waiting = context.await_active_page();
        let span = trace::span(&self.session, "await_active_page");
        self.found(waiting.instrument(span).await)
    }

    /// The open page with this target id, as other libraries that work with the same browser know it. One that
    /// such a library has just opened is waited for, 2 s at most, and 15 s more when it is too busy to be attached to.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`].
    pub async fn page_of_target(&self, target_id: &str) -> Result<Page> {
        let context = self.browser();
        let waiting = context.page_of_target(target_id);
        let span = trace::span(&self.session, "page_of_target");
        let page = waiting.instrument(span).await;
        page.map(|page| Page::new(Arc::clone(&self.session), page))
            .ok_or_else(|| {
                let message = format!("no open page of this browser has the target id {target_id}");
                Error::new(ErrorKind::PageNotFound, message)
                    .hint("a page of another library must be one of the same browser")
            })
    }

    fn found(&self, page: Option<automator_browser::Page>) -> Result<Page> {
        page.map(|page| Page::new(Arc::clone(&self.session), page))
            .ok_or_else(|| {
                Error::new(ErrorKind::PageNotFound, "no page is open").hint("open one with new_page()")
            })
    }

    /// Makes a page the active one. One that is closed is left out of account.
    pub fn set_active_page(&self, page: &Page) {
        self.browser().set_active_page(page.browser_page());
    }

    /// Opens a page, which becomes the active one, and begins to load `url` without waiting for it.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] after 5 s, [`ErrorKind::InvalidArgument`] for what is no URL,
    /// [`ErrorKind::Navigation`] for an address that the domain policy forbids,
    /// [`ErrorKind::CdpConnectionClosed`].
    pub async fn new_page(&self, url: &str) -> Result<Page> {
        let session = &self.session;
        let outcome = limited(session, "new_page", self.browser().new_page(url)).await;
        // An empty page is no navigation.
        if !url.starts_with("about:") {
            let result = match &outcome {
                Ok(_) => json!({ "url": session.masked(url), "status": null }),
                Err(_) => Value::Null,
            };
            session.records.add_history(
                HistoryMethod::Navigate,
                json!({ "url": session.masked(url) }),
                result,
            );
        }
        Ok(Page::new(Arc::clone(session), outcome?))
    }

    /// Adds a script to every page: those that are open (from their next document on), later ones and pop-ups, with
    /// all their frames. It runs once in each document, before the page's own scripts; of several, in the order in
    /// which they were added, those of the context before those of the page.
    ///
    /// ```no_run
    /// # async fn example(context: automator::Context) -> automator::Result<()> {
    /// context.add_init_script("window.isTest = true").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a file that cannot be read.
    pub async fn add_init_script(&self, script: impl Into<InitScript>) -> Result<()> {
        let context = self.browser();
        let adding = context.add_init_script(script);
        limited(&self.session, "add_init_script", adding).await
    }

    /// Sends these headers with every request of every page, in place of the set given before; an empty set ends
    /// it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a header that cannot be sent; then nothing is changed.
    pub async fn set_extra_http_headers(&self, headers: &BTreeMap<String, String>) -> Result<()> {
        let context = self.browser();
        let setting = context.set_extra_headers(headers);
        limited(&self.session, "set_extra_http_headers", setting).await
    }

    /// Sets which hosts documents may come from, in place of the policy before. It holds for navigations,
    /// redirects, frames and pop-ups of all pages; documents that are there already stay.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for an entry that is no domain; then nothing is changed.
    pub async fn set_domain_policy(&self, policy: &DomainPolicy) -> Result<()> {
        let context = self.browser();
        let setting = context.set_domain_policy(Some(policy));
        limited(&self.session, "set_domain_policy", setting).await
    }

    /// Lets pages go everywhere again.
    ///
    /// # Errors
    /// [`ErrorKind::CdpConnectionClosed`].
    pub async fn remove_domain_policy(&self) -> Result<()> {
        let context = self.browser();
        let removing = context.set_domain_policy(None);
        limited(&self.session, "set_domain_policy", removing).await
    }

    /// The clipboard as the active page reaches it.
    ///
    /// # Errors
    /// [`ErrorKind::PageNotFound`] when no page is open.
    pub fn clipboard(&self) -> Result<Clipboard> {
        Ok(self.active_page()?.clipboard())
    }

    /// The files that pages made the browser save, the oldest first.
    #[must_use]
    pub fn downloads(&self) -> Vec<Download> {
        let downloads = self.browser().downloads().into_iter();
        downloads
            .map(|download| Download::new(Arc::clone(&self.session), download))
            .collect()
    }

    /// The dialogs that pages have opened, with their answers, the oldest first. The last 1,000 are kept.
    #[must_use]
    pub fn dialogs(&self) -> Vec<AnsweredDialog> {
        self.browser().dialogs()
    }

    /// Decides about dialogs from now on. For `None` the policy decides, which accepts `alert` and `beforeunload`
    /// and dismisses the others; so it does when the listener panics. Dialogs are answered at once, because the
    /// page stands still meanwhile: the listener must not wait for anything.
    ///
    /// ```no_run
    /// # fn example(context: automator::Context) {
    /// use automator::DialogAnswer;
    ///
    /// context.set_dialog_listener(|dialog| (dialog.kind == "confirm").then_some(DialogAnswer::Accept(None)));
    /// # }
    /// ```
    pub fn set_dialog_listener(
        &self,
        listener: impl Fn(&Dialog) -> Option<DialogAnswer> + Send + Sync + 'static,
    ) {
        let guarded = move |dialog: &Dialog| {
            catch_unwind(AssertUnwindSafe(|| listener(dialog))).unwrap_or_else(|_| {
                tracing::warn!("the listener for dialogs panicked");
                None
            })
        };
        self.browser()
            .browser()
            .set_dialog_listener(Some(Arc::new(guarded)));
    }

    /// Lets the policy decide about dialogs again.
    pub fn remove_dialog_listener(&self) {
        self.browser().browser().set_dialog_listener(None);
    }

    /// Sends any DevTools command to the browser itself; see [`Page::send_cdp`].
    ///
    /// # Errors
    /// As [`Page::send_cdp`].
    pub async fn send_cdp(&self, method: &str, params: &Value) -> Result<Value> {
        let context = self.browser();
        let sending = context.send_cdp(method, params);
        limited(&self.session, "send_cdp", sending).await
    }
}
