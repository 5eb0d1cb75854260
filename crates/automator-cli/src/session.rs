//! Work on a page: in a browser that is gone afterwards, whatever happens, or in one that stays open.

use std::path::PathBuf;
use std::pin::pin;
use std::sync::OnceLock;
use std::time::Duration;

use automator::{
    Automator, CloseOptions, Env, GotoOptions, LocalBrowserLaunchOptions, ModelOptions, Page, ViewportOptions,
};

use crate::browser_options::BrowserOptions;
use crate::exit::{Exit, Failure, exit_of};
use crate::interrupt::Signals;
use crate::open_browsers::{Name, OpenBrowser};
use crate::page_options::{Budget, PageOptions};
use crate::place::{Place, open_browser};
use crate::progress::Progress;

/// How long a browser that is starting may still take when a signal has come.
const START_GRACE: Duration = Duration::from_secs(3);

/// What a session is made of besides its browser.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) model: ModelOptions,
    /// Where actions and extractions are remembered.
    pub(crate) cache_dir: Option<PathBuf>,
    /// Whether a model may be asked for what an exact action does not find.
    pub(crate) self_heal: bool,
    /// Whether parts of the library that may change are used.
    pub(crate) experimental: bool,
}

impl Settings {
    pub(crate) fn new(model: ModelOptions) -> Self {
        Self {
            model,
            cache_dir: None,
            self_heal: true,
            experimental: false,
        }
    }

    /// For work that asks no model, so that it does not matter which.
    pub(crate) fn without_model() -> Self {
        Self::new(ModelOptions::new(automator::DEFAULT_MODEL))
    }

    pub(crate) fn build(
        self,
        launch: LocalBrowserLaunchOptions,
        keep_alive: bool,
    ) -> Result<Automator, Failure> {
        let mut builder = Automator::builder(Env::Local)
            .model(self.model)
            .local_browser(launch)
            .self_heal(self.self_heal)
            .keep_alive(keep_alive)
            .with(|options| options.experimental = self.experimental);
        if let Some(folder) = self.cache_dir {
            builder = builder.cache_dir(folder);
        }
        Ok(builder.build()?)
    }
}

/// What a command works with.
pub(crate) struct Work<'w> {
    pub(crate) place: Place,
    pub(crate) browser: &'w BrowserOptions,
    pub(crate) page: &'w PageOptions,
    pub(crate) settings: Settings,
    pub(crate) progress: &'w Progress,
}

impl Work<'_> {
    /// Goes to the address, if there is one, and does the work on the page.
    pub(crate) async fn run<T>(
        self,
        work: impl AsyncFnOnce(&Automator, &Page, Budget) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let Self {
            page: options,
            progress,
            ..
        } = self;
        let at = async |automator: &Automator, page: &Page, address: Option<&str>| {
            let budget = options.budget();
            if let Some(address) = address {
                load(page, address, options.goto(budget), progress).await?;
            }
            work(automator, page, budget).await
        };
        match self.place {
            Place::Own { address } => {
                with_page(self.browser, self.settings, progress, async |automator, page| {
                    at(automator, page, Some(&address)).await
                })
                .await
            }
            Place::Open { name, address } => {
                with_open_page(&name, self.settings, progress, async |automator, page| {
                    at(automator, page, address.as_deref()).await
                })
                .await
            }
        }
    }
}

/// Starts a browser, or attaches to one, and does the work with a page of its own.
///
/// A signal ends the work at once. The browser is closed in every case; one that was attached to only loses the
/// page that was opened in it.
pub(crate) async fn with_page<T>(
    browser: &BrowserOptions,
    settings: Settings,
    progress: &Progress,
    work: impl AsyncFnOnce(&Automator, &Page) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let automator = settings.build(browser.to_launch()?, false)?;
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
        signals.interrupting(working).await
    }
    .await;
    progress.step("Closing the browser");
    if let Some(page) = opened.get().filter(|_| is_attached) {
        // The browser may be gone, and then so is the page.
        let _ = page.close().await;
    }
    end(&automator, outcome, progress).await
}

/// Attaches to an open browser and does the work on the page that the last command worked on. The browser stays as
/// it is, and which page is worked on is remembered, also when the work fails.
pub(crate) async fn with_open_page<T>(
    name: &Name,
    settings: Settings,
    progress: &Progress,
    work: impl AsyncFnOnce(&Automator, &Page) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (browsers, mut open) = open_browser(name)?;
    let viewport = open
        .viewport
        .map(|(width, height)| ViewportOptions { width, height });
    let launch = LocalBrowserLaunchOptions {
        cdp_url: Some(open.browser.address().to_owned()),
        viewport,
        ..LocalBrowserLaunchOptions::default()
    };
    let automator = settings.build(launch, false)?;
    let mut signals = Signals::listen().map_err(Failure::System)?;
    let outcome = async {
        progress.step("Going on with the open browser");
        match start(&automator, &mut signals).await {
            Err(Failure::Library(error)) if exit_of(&error) == Exit::NoBrowser => {
                return Err(lost(name, &open).await);
            }
            started => started?,
        }
        let working = async {
            let context = automator.context()?;
            let last = context
                .pages()
                .into_iter()
                .find(|page| open.page.as_deref() == Some(page.id()));
            if let Some(page) = last {
                context.set_active_page(&page);
            }
            work(&automator, &context.active_page()?).await
        };
        signals.interrupting(working).await
    }
    .await;
    if let Ok(context) = automator.context()
        // A tab that the work has just opened is what the next command goes on with.
        && let Ok(page) = context.await_active_page().await
        && open.page.as_deref() != Some(page.id())
    {
        open.page = Some(page.id().to_owned());
        if let Err(failure) = browsers.update(name, &open) {
            tracing::warn!("which page is worked on is not remembered: {failure}");
        }
    }
    end(&automator, outcome, progress).await
}

/// Why an open browser cannot be attached to.
async fn lost(name: &Name, open: &OpenBrowser) -> Failure {
    let option = name.as_option();
    if open.browser.is_alive().await {
        Failure::no_browser("the open browser does not answer").hint(format!(
            "`automator close{option}` ends it, `automator open URL --keep{option}` opens another"
        ))
    } else {
        Failure::no_browser("the open browser is gone: somebody has closed it, or it has crashed").hint(
            format!("`automator open URL --keep{option}` opens another, `automator close{option}` tidies up"),
        )
    }
}

/// Ends a session, and gives what its work came to.
pub(crate) async fn end<T>(
    automator: &Automator,
    outcome: Result<T, Failure>,
    progress: &Progress,
) -> Result<T, Failure> {
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
pub(crate) async fn start(automator: &Automator, signals: &mut Signals) -> Result<(), Failure> {
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
