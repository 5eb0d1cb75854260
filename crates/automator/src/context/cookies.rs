//! Cookies of the browser.

use automator_browser::{CookieFilter as BrowserFilter, TextFilter as BrowserTextFilter};

pub use automator_browser::{Cookie, NewCookie, SameSite};

use super::Context;
use crate::page::limited;
use crate::{Error, Result};

/// Which cookies: those that match every member that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CookieFilter {
    /// By name.
    pub name: Option<TextFilter>,
    /// By domain, as the cookie has it, with or without its dot in front.
    pub domain: Option<TextFilter>,
    /// By path.
    pub path: Option<TextFilter>,
}

/// Which texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextFilter {
    /// Just this one.
    Exact(String),
    /// Those in which this regular expression matches somewhere, in the syntax of the `regex` crate.
    Pattern(String),
}

impl From<&str> for TextFilter {
    fn from(text: &str) -> Self {
        Self::Exact(text.to_owned())
    }
}

impl Context {
    /// The cookies that a request to one of these addresses would carry; without any address, all.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for what is no URL;
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn cookies(&self, urls: &[&str]) -> Result<Vec<Cookie>> {
        limited(&self.session, "cookies", self.browser_context.cookies(urls)).await
    }

    /// Sets cookies. All are checked before the first one is set.
    ///
    /// ```no_run
    /// # async fn example(context: automator::Context) -> automator::Result<()> {
    /// let mut cookie = automator::NewCookie::new("consent", "yes");
    /// cookie.url = Some("https://example.com/".to_owned());
    /// context.add_cookies(&[cookie]).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::CookieValidation`](crate::ErrorKind::CookieValidation) when one of them contradicts itself, and
    /// then none is set; [`ErrorKind::CookieSet`](crate::ErrorKind::CookieSet) when the browser refuses one, and
    /// then the others may be set.
    pub async fn add_cookies(&self, cookies: &[NewCookie]) -> Result<()> {
        limited(
            &self.session,
            "add_cookies",
            self.browser_context.add_cookies(cookies),
        )
        .await
    }

    /// Removes all cookies.
    ///
    /// # Errors
    /// As [`clear_cookies_with`](Self::clear_cookies_with).
    pub async fn clear_cookies(&self) -> Result<()> {
        self.clear_cookies_with(&CookieFilter::default()).await
    }

    /// Removes the cookies that match the filter, and no other.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a pattern that is none;
    /// [`ErrorKind::CookieSet`](crate::ErrorKind::CookieSet) when the browser refuses to remove one.
    pub async fn clear_cookies_with(&self, filter: &CookieFilter) -> Result<()> {
        let filter = filter
            .to_browser()
            .map_err(|error| Error::from(error).during("clear_cookies"))?;
        let clearing = self.browser_context.clear_cookies(&filter);
        limited(&self.session, "clear_cookies", clearing).await
    }
}

impl CookieFilter {
    fn to_browser(&self) -> Result<BrowserFilter, automator_browser::BrowserError> {
        let text = |filter: &Option<TextFilter>| {
            filter
                .as_ref()
                .map(|filter| match filter {
                    TextFilter::Exact(text) => Ok(BrowserTextFilter::Exact(text.clone())),
                    TextFilter::Pattern(source) => BrowserTextFilter::pattern(source),
                })
                .transpose()
        };
        let mut filter = BrowserFilter::default();
        filter.name = text(&self.name)?;
        filter.domain = text(&self.domain)?;
        filter.path = text(&self.path)?;
        Ok(filter)
    }
}
