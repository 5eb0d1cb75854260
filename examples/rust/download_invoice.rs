//! Downloads the invoice of an order: `cargo run -p automator --example download_invoice`.
//!
//! The number of the order is read from `ORDER` (1001 in the bundled shop). The file goes to the folder in `INVOICES`,
//! or to `invoices`; one of the same name that is there already stays.

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own may read its environment"
)]

mod bundled;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use automator::{Automator, Env, EventKind, LocalBrowserLaunchOptions, PageEvent, Variable};
use automator_testing::{SHOP_EMAIL, SHOP_PASSWORD};

/// How long the invoice may take.
const LIMIT: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    let folder = std::env::var("INVOICES").unwrap_or_else(|_| "invoices".to_owned());
    let order = std::env::var("ORDER").unwrap_or_else(|_| "1001".to_owned());
    let automator = Automator::builder(Env::Local)
        .model(place.model)
        .local_browser(LocalBrowserLaunchOptions {
            downloads_path: Some(std::path::absolute(folder)?),
            ..LocalBrowserLaunchOptions::default()
        })
        .build()?;
    automator.init().await?;
    let outcome = run(&automator, &place.address, &order).await;
    automator.close().await?;
    outcome.map(drop)
}

/// Signs in, opens the order and gives the path of its invoice.
pub(crate) async fn run(automator: &Automator, site: &str, order: &str) -> Result<PathBuf, Box<dyn Error>> {
    let page = automator.context()?.active_page()?;
    page.goto(&format!("{site}login")).await?;
    for instruction in [
        "type %email% into the email field",
        "type %password% into the password field",
        "press the sign in button",
    ] {
        act(automator, instruction).await?;
    }
    act(automator, &format!("open Order {order}")).await?;

    // Listened for before it begins: nothing that happens meanwhile is missed.
    let mut events = page.events(&[EventKind::Download]).await?;
    act(automator, "follow Download invoice").await?;
    let finished = async {
        match events.next().await {
            Some(PageEvent::Download(download)) => Ok(download.finished().await?),
            _ => Err(Box::<dyn Error>::from(
                "the page was closed before the download began",
            )),
        }
    };
    let path = tokio::time::timeout(LIMIT, finished).await??;
    let size = std::fs::metadata(&path)?.len();
    println!("\n{} ({size} bytes)", path.display());
    Ok(path)
}

/// Carries out one instruction, or fails with what was in the way.
async fn act(automator: &Automator, instruction: &str) -> Result<(), Box<dyn Error>> {
    let done = automator
        .act(instruction)
        .variable("email", SHOP_EMAIL)
        .variable("password", Variable::new(SHOP_PASSWORD))
        .await?;
    if !done.success {
        return Err(format!("{instruction}: {}", done.message).into());
    }
    println!("done: {instruction}");
    Ok(())
}
