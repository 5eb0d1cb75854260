//! Chromium and this crate against local pages. Every test has a browser, a profile and a server of its own.

mod launching;
mod navigating;

use automator_browser::{Browser, GotoOptions, LaunchOptions, Page};

/// A browser with the defaults.
async fn browser() -> Browser {
    Browser::start(&LaunchOptions::default()).await.unwrap()
}

/// A browser whose first page is at this address.
async fn browser_at(url: &str) -> (Browser, Page) {
    let browser = browser().await;
    let page = browser.context().active_page().unwrap();
    page.goto(url, GotoOptions::default()).await.unwrap();
    (browser, page)
}
