//! Work on a page, in a browser that is gone afterwards, whatever happens.

use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use automator::{Automator, CloseOptions, Env, GotoOptions, ModelOptions, Page};

use crate::browser_options::BrowserOptions;
use crate::exit::Failure;
use crate::interrupt::Signals;
use crate::progress::Progress;

/// How long a browser that is starting may still take when a signal has come.
const START_GRACE: Duration = Duration::from_secs(3);

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
    let mut signals = Signals::listen().map_err(Failure::System)?;
    let is_attached = browser.is_attached();
    let opened = OnceLock::new();
    let outcome = async {
        progress.step("Starting the browser");
        start(&automator, &mut signals).await?;
        let working = async {
            let context = automator.context()?;
            let page = if is_attached {
                context.new_page("about:blank").await?
            } else {
                context.active_page()?
            };
            work(&automator, opened.get_or_init(|| page)).await
        };
        tokio::select! {
            exit = signals.next() => Err(Failure::Signal(exit)),
            outcome = working => outcome,
        }
    }
    .await;
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

/// Starts the browser. When a signal comes meanwhile, the start may still come to its end, because a browser that
/// is there can be closed without a trace, and one that is just coming up cannot: its folder would stay until the
/// next start. A second signal does not wait for that.
async fn start(automator: &Automator, signals: &mut Signals) -> Result<(), Failure> {
    let mut starting = pin!(automator.init());
    let exit = tokio::select! {
        exit = signals.next() => exit,
        started = &mut starting => return started.map_err(Failure::from),
    };
    tokio::select! {
        _ = tokio::time::timeout(START_GRACE, starting) => {}
        _ = signals.next() => {}
    }
    Err(Failure::Signal(exit))
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
