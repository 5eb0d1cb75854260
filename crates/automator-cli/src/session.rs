//! Work on a page, in a browser that is gone afterwards, whatever happens.

use std::sync::OnceLock;

use automator::{Automator, CloseOptions, Env, GotoOptions, ModelOptions, Page};

use crate::browser_options::BrowserOptions;
use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;

/// Starts a browser, or attaches to one, and does the work with a page of its own.
///
/// A signal ends the work at once. The browser is closed in every case; one that was attached to only loses the
/// page that was opened in it.
pub(crate) async fn with_page<T>(
    browser: &BrowserOptions,
    model: ModelOptions,
    progress: &Progress,
    work: impl AsyncFnOnce(&Automator, &Page) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let automator = Automator::builder(Env::Local)
        .model(model)
        .local_browser(browser.to_launch()?)
        .build()?;
    let is_attached = browser.is_attached();
    let opened = OnceLock::new();
    let working = async {
        progress.step("Starting the browser");
        automator.init().await?;
        let context = automator.context()?;
        let page = if is_attached {
            context.new_page("about:blank").await?
        } else {
            context.active_page()?
        };
        work(&automator, opened.get_or_init(|| page)).await
    };
    let outcome = tokio::select! {
        // Heard first, so that no signal ends the process before its browser.
        biased;
        exit = interrupt::requested() => Err(Failure::Signal(exit)),
        outcome = working => outcome,
    };
    progress.step("Closing the browser");
    if let Some(page) = opened.get().filter(|_| is_attached) {
        // The browser may be gone, and then so is the page.
        let _ = page.close().await;
    }
    let force = matches!(outcome, Err(Failure::Signal(_)));
    let closed = automator.close_with(CloseOptions { force }).await;
    progress.finish();
    let value = outcome?;
    closed?;
    Ok(value)
}

/// Goes to an address. A page that is an HTTP error is read like any other, but the user hears of it.
pub(crate) async fn load(
    page: &Page,
    address: &str,
    options: GotoOptions,
    progress: &Progress,
) -> Result<(), Failure> {
    progress.step(&format!("Loading {address}"));
    let response = page.goto_with(address, options).await?;
    if let Some(response) = response.filter(|response| response.status() >= 400) {
        tracing::warn!("{address} answers with HTTP status {}", response.status());
    }
    Ok(())
}
