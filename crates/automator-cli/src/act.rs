//! `automator act`: does something on a page, by words or exactly.

use automator::{ActInput, ActOptions, ActResult, Action, Automator, Method, Page, SnapshotOptions};
use clap::Args;

use crate::address;
use crate::exit::{Exit, Failure};
use crate::model_options::AskingOptions;
use crate::output::{Layout, print_json, print_text};
use crate::page_options::Budget;
use crate::place::PlaceOptions;
use crate::progress::Progress;
use crate::session::Settings;
use crate::variables::VariableOptions;

/// The methods, with what their arguments are.
const METHODS: &str = "\
Methods and their arguments:
  click                      left, right or middle, if not left
  doubleClick, hover, tap
  fill, type                 the text; fill replaces what is there, type adds to it key by key
  press                      a key or combination: Enter, Control+A
  selectOptionFromDropdown   value or text of the option; several for a multiple list
  scrollTo                   a share of the height: 50%
  scrollByPixelOffset        pixels to the right, pixels down
  scrollIntoView, nextChunk, prevChunk
  dragAndDrop                the selector of the element to drop it on
  setInputFiles              paths of files; none empties the field
";

/// What is printed.
const RESULTS: &str = "\
What is printed: what was done, or why not, as text; with --json one object on one line: success, message, \
actionDescription, actions.
";

/// Do something on a page: what an instruction says, or exactly one action
///
/// It is done when the page shows the effect, and with exit code 7 it is not. An instruction is read by a model; an
/// action given by --selector and --method needs none. Without a URL it is done in the browser that `automator open`
/// keeps.
#[derive(Debug, Args)]
#[command(
    after_help = format!("{METHODS}\n{RESULTS}\n{}", crate::exit::CODES),
    override_usage = "automator act [OPTIONS] [URL] <INSTRUCTION>\n       \
                      automator act [OPTIONS] [URL] --selector <SELECTOR> --method <METHOD> [--argument <TEXT>]..."
)]
pub(crate) struct ActArguments {
    /// The page: a URL, a host (https is added; http for localhost and IP addresses), or a file [default: the page of
    /// the open browser]
    #[arg(value_name = "URL", help_heading = "Arguments")]
    first: Option<String>,
    /// What to do, in your own words; %NAME% stands for a variable
    #[arg(value_name = "INSTRUCTION", help_heading = "Arguments")]
    second: Option<String>,
    /// The element of an exact action: a CSS selector, an XPath, or text= and a part of its text; `>>` leads into a
    /// frame
    #[arg(
        long,
        value_name = "SELECTOR",
        requires = "method",
        help_heading = "Exact action"
    )]
    selector: Option<String>,
    /// What to do to it
    #[arg(
        long,
        value_name = "METHOD",
        requires = "selector",
        help_heading = "Exact action"
    )]
    method: Option<String>,
    /// What the method needs; can be given several times
    #[arg(
        long = "argument",
        value_name = "TEXT",
        requires = "selector",
        allow_hyphen_values = true,
        help_heading = "Exact action"
    )]
    arguments: Vec<String>,
    #[command(flatten)]
    variables: VariableOptions,
    /// Print one JSON object on one line
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    asking: AskingOptions,
    #[command(flatten)]
    place: PlaceOptions,
}

pub(crate) async fn run(arguments: ActArguments, progress: &Progress) -> Result<Exit, Failure> {
    let (address, input) = match &arguments.selector {
        Some(selector) => (arguments.page_only()?, exact(selector, &arguments)?),
        None => arguments.in_words()?,
    };
    let variables = arguments.variables.read()?;
    let is_exact = matches!(input, ActInput::Action(_));
    let settings = Settings {
        self_heal: !is_exact,
        ..arguments.asking.settings()
    };
    let work = arguments.place.work(address, settings, progress)?;
    let acting = async |automator: &Automator, page: &Page, budget: Budget| {
        if is_exact {
            progress.step("Acting");
        } else {
            progress.step(&format!("Acting by {}", arguments.asking.model.name()));
        }
        let options = ActOptions {
            variables,
            timeout: budget.left(),
            page: Some(page.clone()),
            ..ActOptions::default()
        };
        Ok(automator.act(input).options(options).await?)
    };
    let result: ActResult = work.run(acting).await?;
    if arguments.json {
        print_json(&result, Layout::Compact)?;
    } else {
        print_text(&result.message)?;
    }
    Ok(if result.success {
        Exit::Success
    } else {
        Exit::NotDone
    })
}

impl ActArguments {
    /// The address of an exact action, which has no instruction.
    fn page_only(&self) -> Result<Option<&str>, Failure> {
        let first = self.first.as_deref();
        let instruction = self
            .second
            .as_deref()
            .or(first.filter(|only| !address::is_meant(only)));
        if let Some(instruction) = instruction {
            return Err(Failure::usage(format!(
                "\"{instruction}\" is an instruction, and --selector gives an action already"
            ))
            .hint("give one of them"));
        }
        let asking = [
            (
                self.asking.model.is_chosen(),
                "--model and --base-url choose a model",
            ),
            (
                self.asking.cache_dir.is_some(),
                "--cache-dir remembers what a model chose",
            ),
        ];
        match asking.into_iter().find(|(is_given, _)| *is_given) {
            Some((_, what)) => Err(Failure::usage(format!("{what}, and an exact action asks none"))),
            None => Ok(first),
        }
    }

    /// Address and instruction; one argument alone is the instruction.
    fn in_words(&self) -> Result<(Option<&str>, ActInput), Failure> {
        let (address, instruction) = match (self.first.as_deref(), self.second.as_deref()) {
            (Some(only), None) if address::is_meant(only) => {
                return Err(Failure::usage(format!("it is not said what to do at {only}"))
                    .hint("give an instruction after the URL, or --selector and --method"));
            }
            (Some(only), None) => (None, only),
            (first, Some(second)) => (first, second),
            (None, None) => {
                return Err(Failure::usage("it is not said what to do")
                    .hint("give an INSTRUCTION, or --selector and --method"));
            }
        };
        if instruction.trim().is_empty() {
            return Err(Failure::usage("the instruction is empty").hint("say what to do"));
        }
        Ok((address, instruction.into()))
    }
}

/// The action that `--selector` and its companions give.
fn exact(selector: &str, arguments: &ActArguments) -> Result<ActInput, Failure> {
    let method = arguments.method.clone().unwrap_or_default();
    if Method::from_name(&method).is_none() {
        return Err(Failure::usage(format!("there is no method \"{method}\""))
            .hint("`automator act --help` lists them: click, fill, press, …"));
    }
    if selector.trim().is_empty() {
        return Err(Failure::usage("the selector is empty"));
    }
    // Selectors mean the same in every command.
    let scope = SnapshotOptions {
        selector: Some(selector.to_owned()),
        ..SnapshotOptions::default()
    };
    scope.check()?;
    let mut action = Action::new(selector, method);
    action.arguments.clone_from(&arguments.arguments);
    Ok(action.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_methods_of_the_help_are_all_there() {
        let lines = METHODS.lines().skip(1);
        let mut count = 0;
        for line in lines {
            let names = line.trim().split("  ").next().unwrap();
            for name in names.split(", ") {
                assert!(Method::from_name(name).is_some(), "{name}");
                count += 1;
            }
        }
        assert_eq!(count, 15);
    }
}
