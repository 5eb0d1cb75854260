//! `automator observe`: what can be done on a page, by a model.

use automator::{Action, Automator, ObserveOptions, Page};
use clap::Args;

use crate::exit::{Exit, Failure};
use crate::model_options::AskingOptions;
use crate::output::{Layout, print_json, print_rows};
use crate::page_options::{Budget, ScopeOptions};
use crate::place::{PlaceOptions, READING, address_and_instruction};
use crate::progress::Progress;
use crate::variables::VariableOptions;

/// What is printed.
const RESULTS: &str = "\
What is printed: one line an element, its columns divided by tabs: description, method, arguments (joined by commas), \
selector. With --json an array of objects with these members on one line. `automator act --selector … --method …` \
does it.
";

/// Find elements on a page, and what can be done to each
///
/// A model is asked once. Without an instruction it finds what can be used on the page at all. Without a URL the page
/// is that of the browser that `automator open` keeps.
#[derive(Debug, Args)]
#[command(after_help = format!("{READING}\n\n{RESULTS}\n{}", crate::exit::CODES))]
pub(crate) struct ObserveArguments {
    /// The page: a URL, a host (https is added; http for localhost and IP addresses), or a file [default: the page of
    /// the open browser]
    #[arg(value_name = "URL", help_heading = "Arguments")]
    first: Option<String>,
    /// What to find, in your own words
    #[arg(value_name = "INSTRUCTION", help_heading = "Arguments")]
    second: Option<String>,
    #[command(flatten)]
    scope: ScopeOptions,
    #[command(flatten)]
    variables: VariableOptions,
    /// Print a JSON array on one line
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    asking: AskingOptions,
    #[command(flatten)]
    place: PlaceOptions,
}

pub(crate) async fn run(arguments: ObserveArguments, progress: &Progress) -> Result<Exit, Failure> {
    let (address, instruction) =
        address_and_instruction(arguments.first.as_deref(), arguments.second.as_deref());
    if instruction.is_some_and(|text| text.trim().is_empty()) {
        return Err(Failure::usage("the instruction is empty")
            .hint("say what to find, or leave the instruction out to find all that can be used"));
    }
    let scope = arguments.scope.to_snapshot_options();
    scope.check()?;
    let variables = arguments.variables.read()?;
    let work = arguments
        .place
        .work(address, arguments.asking.settings(), progress)?;
    let observing = async |automator: &Automator, page: &Page, budget: Budget| {
        progress.step(&format!("Asking {}", arguments.asking.model.name()));
        let options = ObserveOptions {
            variables,
            timeout: budget.left(),
            selector: scope.selector,
            ignore_selectors: scope.ignore_selectors,
            page: Some(page.clone()),
            ..ObserveOptions::default()
        };
        Ok(automator
            .observe(instruction.unwrap_or_default())
            .options(options)
            .await?)
    };
    let found: Vec<Action> = work.run(observing).await?;
    if arguments.json {
        print_json(&found, Layout::Compact)?;
    } else {
        if found.is_empty() {
            tracing::warn!("nothing was found");
        }
        print_rows(found.into_iter().map(row))?;
    }
    Ok(Exit::Success)
}

fn row(action: Action) -> [String; 4] {
    let method = action.method.unwrap_or_default();
    [
        action.description,
        method,
        action.arguments.join(","),
        action.selector,
    ]
}
