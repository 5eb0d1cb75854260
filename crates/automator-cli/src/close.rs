//! `automator close`: ends a browser that `automator open` keeps.

use automator::EnvironmentSource;
use clap::Args;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::open_browsers::{Name, OpenBrowsers};
use crate::output::{Layout, print_json, print_text};
use crate::progress::Progress;

/// End the browser that `automator open` keeps, with all that belongs to it
///
/// It is no failure when the browser is gone already, or when none is open.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct CloseArguments {
    /// The name that was given to `automator open` [default: the browser without a name]
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
    /// Print one JSON object on one line: closed is true when the browser still ran
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: CloseArguments, progress: &Progress) -> Result<Exit, Failure> {
    let name = arguments.name.unwrap_or_default();
    let browsers = OpenBrowsers::of_user(&EnvironmentSource::default())?;
    let (message, lived) = match browsers.find(&name)? {
        Some(open) => {
            progress.step("Closing the browser");
            let lived = open.browser.end().await;
            browsers.forget_if(&name, &open.browser)?;
            let message = if lived {
                "The browser is closed."
            } else {
                "The browser was gone already; what it had left is removed."
            };
            (message, lived)
        }
        None => {
            // It may be a file that was not understood.
            browsers.forget(&name)?;
            ("No browser is open.", false)
        }
    };
    progress.finish();
    if arguments.json {
        print_json(&json!({ "closed": lived }), Layout::Compact)?;
    } else {
        print_text(message)?;
    }
    Ok(Exit::Success)
}
