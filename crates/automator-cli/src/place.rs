//! Where a command works: in a browser of its own, or in one that is open.

use automator::EnvironmentSource;
use clap::Args;

use crate::address;
use crate::browser_options::BrowserOptions;
use crate::exit::Failure;
use crate::open_browsers::{Name, OpenBrowser, OpenBrowsers};
use crate::page_options::PageOptions;
use crate::progress::Progress;
use crate::session::{Settings, Work};

/// For the help text of commands that take both.
pub(crate) const READING: &str = "\
One argument that stands alone is an address if it begins with a scheme (https://) or is localhost, a host with a dot \
or a port, or the path of a file; everything else is what to do, in the browser that `automator open` keeps.";

/// The options of a command that works on a page.
#[derive(Debug, Args)]
pub(crate) struct PlaceOptions {
    #[command(flatten)]
    page: PageOptions,
    #[command(flatten)]
    open: OpenBrowserOption,
    #[command(flatten)]
    browser: BrowserOptions,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Browser")]
struct OpenBrowserOption {
    /// Work in the open browser of this name; see `automator open` [default: without a URL, the one without a name]
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,
}

/// Where a command works.
#[derive(Debug)]
pub(crate) enum Place {
    /// In a browser that is gone afterwards, at this address.
    Own { address: String },
    /// In an open browser: where it stands, or at this address.
    Open { name: Name, address: Option<String> },
}

impl PlaceOptions {
    /// The work at an address, or on the page of an open browser. An address that is none, and options for a browser
    /// that is not started, are refused.
    pub(crate) fn work<'w>(
        &'w self,
        address: Option<&str>,
        settings: Settings,
        progress: &'w Progress,
    ) -> Result<Work<'w>, Failure> {
        Ok(Work {
            place: self.place(address)?,
            browser: &self.browser,
            page: &self.page,
            settings,
            progress,
        })
    }

    fn place(&self, address: Option<&str>) -> Result<Place, Failure> {
        let address = address.map(address::read).transpose()?;
        let (name, address) = match (&self.open.name, address) {
            (None, Some(address)) => return Ok(Place::Own { address }),
            (name, address) => (name.clone().unwrap_or_default(), address),
        };
        if let Some(option) = self.browser.first_given() {
            return Err(only_for_a_start(option));
        }
        if address.is_none() && self.page.has_wait_until() {
            return Err(Failure::usage(
                "--wait-until says how a page is loaded, and without a URL none is",
            ));
        }
        Ok(Place::Open { name, address })
    }
}

/// The two arguments `[URL] [INSTRUCTION]` of a command, told apart.
pub(crate) fn address_and_instruction<'a>(
    first: Option<&'a str>,
    second: Option<&'a str>,
) -> (Option<&'a str>, Option<&'a str>) {
    match (first, second) {
        (Some(only), None) if !address::is_meant(only) => (None, Some(only)),
        both => both,
    }
}

/// An option of the browser where none is started.
fn only_for_a_start(option: &str) -> Failure {
    let failure = Failure::usage(format!(
        "{option} is for a browser that is started, and not for one that is open"
    ));
    match option {
        "--cdp-url" => failure.hint("with --cdp-url, give the URL of the page, too"),
        _ => failure.hint("give it to `automator open`, or give a URL for a browser of its own"),
    }
}

/// The open browser of a name.
pub(crate) fn open_browser(name: &Name) -> Result<(OpenBrowsers, OpenBrowser), Failure> {
    let browsers = OpenBrowsers::of_user(&EnvironmentSource::default())?;
    match browsers.find(name)? {
        Some(found) => Ok((browsers, found)),
        None => Err(none_open(name, &browsers.names())),
    }
}

fn none_open(name: &Name, others: &[Name]) -> Failure {
    let message = if *name == Name::default() {
        "no browser is open".to_owned()
    } else {
        format!("no browser named {name} is open")
    };
    let hint = if others.is_empty() {
        format!(
            "give a URL before what to do, or open a browser that stays: automator open URL --keep{}",
            name.as_option()
        )
    } else {
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        format!("these are open, chosen with --name: {}", others.join(", "))
    };
    Failure::no_browser(message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_argument_is_an_address_or_what_to_do() {
        let apart = address_and_instruction;
        assert_eq!(apart(None, None), (None, None));
        assert_eq!(apart(Some("lamps.example"), None), (Some("lamps.example"), None));
        assert_eq!(apart(Some("the price"), None), (None, Some("the price")));
        assert_eq!(
            apart(Some("intranet"), Some("it")),
            (Some("intranet"), Some("it"))
        );
    }

    #[test]
    fn names_that_are_open_are_told_when_another_is_asked_for() {
        let shop: Name = "shop".parse().unwrap();
        let text = none_open(&Name::default(), std::slice::from_ref(&shop)).to_string();
        assert!(text.contains("--name: shop"), "{text}");
        let text = none_open(&shop, &[]).to_string();
        assert!(text.contains("--keep --name shop"), "{text}");
    }
}
