//! `automator snapshot`: the page as text, without a model.

use std::collections::BTreeMap;

use automator::{Automator, Page, SnapshotOptions};
use clap::Args;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::output::{Layout, print_json, print_text};
use crate::page_options::{Budget, ScopeOptions};
use crate::place::PlaceOptions;
use crate::progress::Progress;
use crate::session::Settings;

/// Print a page as text, as a model gets to see it; no model is asked
///
/// The text is an indented outline: one element or piece of text a line, elements with an id such as [0-5]. Without a
/// URL it is the page of the browser that `automator open` keeps.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct SnapshotArguments {
    /// The page: a URL, a host (https is added; http for localhost and IP addresses), or a file
    #[arg(value_name = "URL", help_heading = "Arguments")]
    address: Option<String>,
    #[command(flatten)]
    scope: ScopeOptions,
    /// Print one JSON object on one line: url, title, text, and by id the urls and xpaths of elements
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    place: PlaceOptions,
}

/// What is printed.
enum Printed {
    Text(String),
    Json(PageAsJson),
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct PageAsJson {
    /// Where the page stands, after redirects.
    url: String,
    title: String,
    text: String,
    /// Absolute addresses of links, images and documents.
    urls: BTreeMap<String, String>,
    xpaths: BTreeMap<String, String>,
}

pub(crate) async fn run(arguments: SnapshotArguments, progress: &Progress) -> Result<Exit, Failure> {
    let options = arguments.scope.to_snapshot_options();
    options.check()?;
    let work = arguments
        .place
        .work(arguments.address.as_deref(), Settings::without_model(), progress)?;
    let reading = async |_: &Automator, page: &Page, budget: Budget| {
        progress.step("Reading the page");
        let options = SnapshotOptions {
            timeout: budget.left(),
            ..options
        };
        read(page, &arguments, &options).await
    };
    let printed = work.run(reading).await?;
    match printed {
        Printed::Text(text) => print_text(&text)?,
        Printed::Json(page) => print_json(&page, Layout::Compact)?,
    }
    Ok(Exit::Success)
}

async fn read(
    page: &Page,
    arguments: &SnapshotArguments,
    options: &SnapshotOptions,
) -> Result<Printed, Failure> {
    let snapshot = page.snapshot_with(options).await?;
    let text = snapshot.text().to_owned();
    arguments.scope.warn_if_empty(&text);
    if !arguments.json {
        return Ok(Printed::Text(text));
    }
    let xpaths = page.xpaths(&snapshot).await?;
    let urls = snapshot.urls().iter();
    Ok(Printed::Json(PageAsJson {
        url: page.url(),
        title: page.title().await?,
        text,
        urls: urls.map(|(id, url)| (id.to_string(), url.clone())).collect(),
        xpaths: xpaths
            .into_iter()
            .map(|(id, path)| (id.to_string(), path))
            .collect(),
    }))
}
