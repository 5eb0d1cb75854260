//! `automator open`: a browser that other commands go on with.

use automator::{Automator, EnvironmentSource, Page, ViewportOptions};
use clap::Args;
use serde_json::json;

use crate::address;
use crate::browser_options::BrowserOptions;
use crate::exit::{Exit, Failure};
use crate::interrupt::Signals;
use crate::open_browsers::{Name, OpenBrowser, OpenBrowsers};
use crate::output::{Layout, print_json, print_text};
use crate::page_options::PageOptions;
use crate::progress::Progress;
use crate::session::{Settings, end, load, start, with_open_page};

/// The size of the library's own pages. It is told to every command, since each of them gives it to the page anew.
const DEFAULT_VIEWPORT: ViewportOptions = ViewportOptions {
    width: 1288,
    height: 711,
};

/// Open a page in a browser that other commands go on with
///
/// With --keep the browser stays until `automator close`, without it until Ctrl-C. Meanwhile `act`, `observe`,
/// `extract` and `snapshot` work in it when they are given no URL. When a browser is open already, the page is opened in
/// that one.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct OpenArguments {
    /// The page: a URL, a host (https is added; http for localhost and IP addresses), or a file
    #[arg(value_name = "URL", help_heading = "Arguments")]
    address: String,
    /// Leave the browser running
    #[arg(long)]
    keep: bool,
    /// The name of the browser, when several are to be open
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    #[command(flatten)]
    page: PageOptions,
    /// Print one JSON object on one line: name, url, title, and connectUrl, where other programs reach the browser
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    browser: BrowserOptions,
}

pub(crate) async fn run(arguments: OpenArguments, progress: &Progress) -> Result<Exit, Failure> {
    let address = address::read(&arguments.address)?;
    if arguments.browser.is_attached() {
        return Err(
            Failure::usage("--cdp-url is of no use here: that browser is open already")
                .hint("give --cdp-url to the other commands"),
        );
    }
    let name = arguments.name.clone().unwrap_or_default();
    let browsers = OpenBrowsers::of_user(&EnvironmentSource::default())?;
    if let Some(known) = browsers.find(&name)? {
        if known.browser.is_alive().await {
            return go_on(&arguments, &name, &address, progress).await;
        }
        known.browser.end().await;
        browsers.forget_if(&name, &known.browser)?;
    }
    begin(&arguments, &name, &address, &browsers, progress).await
}

/// Opens the page in a browser that is open already.
async fn go_on(
    arguments: &OpenArguments,
    name: &Name,
    address: &str,
    progress: &Progress,
) -> Result<Exit, Failure> {
    if let Some(option) = arguments.browser.first_given() {
        return Err(Failure::usage(format!(
            "{option} is for a browser that is started, and this one is open already"
        ))
        .hint(format!("`automator close{}` ends it", name.as_option())));
    }
    let settings = Settings::without_model();
    let opened = with_open_page(name, settings, progress, async |automator, page| {
        load(
            page,
            address,
            arguments.page.goto(arguments.page.budget()),
            progress,
        )
        .await?;
        Opened::new(automator, page).await
    })
    .await?;
    opened.print(name, arguments.json)?;
    Ok(Exit::Success)
}

/// Starts a browser and opens the page in it.
async fn begin(
    arguments: &OpenArguments,
    name: &Name,
    address: &str,
    browsers: &OpenBrowsers,
    progress: &Progress,
) -> Result<Exit, Failure> {
    let launch = arguments.browser.to_launch()?;
    let viewport = Some(launch.viewport.unwrap_or(DEFAULT_VIEWPORT));
    let automator = Settings::without_model().build(launch, arguments.keep)?;
    let mut signals = Signals::listen().map_err(Failure::System)?;
    progress.step("Starting the browser");
    if let Err(failure) = start(&automator, &mut signals).await {
        // It may have come up just when the signal came.
        if let Ok(kept) = automator.kept_browser().await {
            kept.end().await;
        }
        return end(&automator, Err(failure), progress).await;
    }
    let kept = automator.kept_browser().await?;
    let working = async {
        let page = automator.context()?.active_page()?;
        // Before the page is loaded, so that a browser that outlives this program is always known.
        if !browsers.add(name, &OpenBrowser::new(kept.clone(), viewport, page.id()))? {
            return Err(
                Failure::no_browser("another browser of that name was opened at the same time")
                    .hint("open this one again, in that browser or with another --name"),
            );
        }
        load(
            &page,
            address,
            arguments.page.goto(arguments.page.budget()),
            progress,
        )
        .await?;
        let opened = Opened::new(&automator, &page).await?;
        progress.suspend(|| opened.print(name, arguments.json))
    };
    let outcome = signals.interrupting(working).await;
    if outcome.is_ok() && arguments.keep {
        return end(&automator, Ok(Exit::Success), progress).await;
    }
    let outcome = match outcome {
        Ok(()) => Ok(stay(&automator, &mut signals, progress).await),
        Err(failure) => Err(failure),
    };
    browsers.forget_if(name, &kept)?;
    let outcome = end(&automator, outcome, progress).await;
    if arguments.keep {
        kept.end().await;
    }
    outcome
}

/// Waits for Ctrl-C, which is the way to end it, or for the browser's end by other means.
async fn stay(automator: &Automator, signals: &mut Signals, progress: &Progress) -> Exit {
    progress.step("The browser is open until Ctrl-C");
    tokio::select! {
        exit = signals.next() => match exit {
            Exit::Interrupted => Exit::Success,
            other => other,
        },
        _ = automator.closed() => Exit::Success,
    }
}

/// What was opened.
struct Opened {
    url: String,
    title: String,
    connect_url: String,
}

impl Opened {
    async fn new(automator: &Automator, page: &Page) -> Result<Self, Failure> {
        Ok(Self {
            url: page.url(),
            title: page.title().await?,
            connect_url: automator.connect_url().await?,
        })
    }

    /// What is open, and how to go on.
    fn print(&self, name: &Name, as_json: bool) -> Result<(), Failure> {
        if as_json {
            let object = json!({
                "name": name.to_string(), "url": self.url, "title": self.title, "connectUrl": self.connect_url,
            });
            return print_json(&object, Layout::Compact);
        }
        let option = name.as_option();
        let title = if self.title.is_empty() {
            "A page"
        } else {
            &self.title
        };
        print_text(&format!(
            "{title} is open: {}\n\
             Go on with\n\
             \x20 automator act \"…\"{option}\n\
             \x20 automator observe \"…\"{option}\n\
             \x20 automator extract \"…\"{option}\n\
             \x20 automator snapshot{option}\n\
             \x20 automator close{option}",
            self.url
        ))
    }
}
