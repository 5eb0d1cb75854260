//! The browser and the server that the pages are read with.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use automator_browser::{Browser, GotoOptions, LaunchOptions, Page, WaitUntil};
use automator_testing::Site;

/// No other host than this one can be reached, under its two names.
const LOOPBACK_ONLY: &str = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";

/// How long a page may take to load.
const LOAD_LIMIT: Duration = Duration::from_secs(60);

/// Answers when the page has been drawn once. A large page is laid out only after its load event, which can take
/// seconds; a reading that comes in between would mostly measure that.
const DRAWN: &str = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))";

/// The wait after a page was drawn, so that what it still does falls on no contender.
const REST: Duration = Duration::from_millis(300);

/// A browser, and a server on the loopback interface.
pub(crate) struct Stage {
    pub(crate) site: Site,
    browser: Browser,
}

impl Stage {
    pub(crate) async fn start(browser: Option<PathBuf>) -> Result<Self> {
        Ok(Self {
            site: Site::start().await,
            browser: start_browser(browser).await?,
        })
    }

    /// Loads a page in a new tab.
    pub(crate) async fn open(&self, path: &str) -> Result<Page> {
        open(&self.browser, &self.site.url(path)).await
    }

    pub(crate) async fn close(self) {
        self.browser.close().await;
    }
}

pub(crate) async fn start_browser(path: Option<PathBuf>) -> Result<Browser> {
    let mut options = LaunchOptions::default();
    options.executable_path = path;
    options.args = vec![LOOPBACK_ONLY.to_owned()];
    Ok(Browser::start(&options).await?)
}

/// Loads an address in a new tab.
pub(crate) async fn open(browser: &Browser, url: &str) -> Result<Page> {
    let page = browser.context().new_page("about:blank").await?;
    let mut options = GotoOptions::default();
    options.wait_until = WaitUntil::Load;
    options.timeout = Some(LOAD_LIMIT);
    page.goto(url, options)
        .await
        .with_context(|| format!("cannot load {url}"))?;
    page.evaluate_in_page(DRAWN).await?;
    tokio::time::sleep(REST).await;
    Ok(page)
}
