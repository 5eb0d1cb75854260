//! `automator extract`: a checked value from a page, by a model.

use automator::{Automator, ExtractOptions, Page};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::model_options::AskingOptions;
use crate::output::{Layout, print_json, print_text};
use crate::page_options::{Budget, ScopeOptions};
use crate::place::{PlaceOptions, READING, address_and_instruction};
use crate::progress::Progress;
use crate::schema::read_schema;

/// What is printed, by what is given.
const RESULTS: &str = "\
What is printed:
  URL                                    the page as text; no model is asked
  URL INSTRUCTION                        the answer as text
  URL INSTRUCTION --schema …             the value as JSON, checked against the schema
  … --provenance                         {\"value\": …, \"provenance\": {\"/json/pointer\": [{\"xpath\": …, \"id\": …}]}};
                                         an empty list: that value stands nowhere on the page
  … --json                               JSON on one line: the value, {\"extraction\": …} or {\"pageText\": …}
";

/// Extract what an instruction describes from a page, as text or as checked JSON
#[derive(Debug, Args)]
#[command(after_help = format!("{READING}\n\n{RESULTS}\n{}", crate::exit::CODES))]
pub(crate) struct ExtractArguments {
    /// The page: a URL, a host (https is added; http for localhost and IP addresses), or a file [default: the page of
    /// the open browser]
    #[arg(value_name = "URL", help_heading = "Arguments")]
    first: Option<String>,
    /// What to extract, in your own words
    #[arg(value_name = "INSTRUCTION", help_heading = "Arguments")]
    second: Option<String>,
    #[command(flatten)]
    scope: ScopeOptions,
    /// The JSON Schema that the result must fit: a file, or the schema itself, which begins with {
    #[arg(long, value_name = "FILE|JSON", help_heading = "Result")]
    schema: Option<String>,
    /// Show the model a picture of the page, too
    #[arg(long, help_heading = "Model")]
    screenshot: bool,
    /// Say also where on the page each part of the result stands
    #[arg(long, help_heading = "Result")]
    provenance: bool,
    /// Print JSON on one line
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    asking: AskingOptions,
    #[command(flatten)]
    place: PlaceOptions,
}

/// What comes of it.
enum Found {
    Text { member: &'static str, text: String },
    Json(Value),
}

pub(crate) async fn run(arguments: ExtractArguments, progress: &Progress) -> Result<Exit, Failure> {
    let (address, instruction) =
        address_and_instruction(arguments.first.as_deref(), arguments.second.as_deref());
    check_instruction(&arguments, instruction)?;
    let schema = arguments
        .schema
        .as_deref()
        .map(|given| read_schema("--schema", given))
        .transpose()?;
    if let Some(schema) = &schema {
        automator::check_schema(schema)?;
    }
    let options = options(&arguments);
    options.check()?;
    let work = arguments
        .place
        .work(address, arguments.asking.settings(), progress)?;
    let extracting = async |automator: &Automator, page: &Page, budget: Budget| {
        match instruction {
            None => progress.step("Reading the page"),
            Some(_) => progress.step(&format!("Asking {}", arguments.asking.model.name())),
        }
        let options = ExtractOptions {
            timeout: budget.left(),
            page: Some(page.clone()),
            ..options
        };
        extract(automator, &arguments, instruction, schema, options).await
    };
    let found = work.run(extracting).await?;
    let layout = if arguments.json {
        Layout::Compact
    } else {
        Layout::Pretty
    };
    match found {
        Found::Json(value) => print_json(&value, layout)?,
        Found::Text { member, text } if arguments.json => print_json(&json!({ member: text }), layout)?,
        Found::Text { text, .. } => print_text(&text)?,
    }
    Ok(Exit::Success)
}

/// An instruction says something, and what only makes sense with one has one.
fn check_instruction(arguments: &ExtractArguments, instruction: Option<&str>) -> Result<(), Failure> {
    if instruction.is_some_and(|text| text.trim().is_empty()) {
        return Err(Failure::usage("the instruction is empty")
            .hint("say what to extract, or leave the instruction out to print the page as text"));
    }
    let needing = [
        (arguments.schema.is_some(), "--schema"),
        (arguments.screenshot, "--screenshot"),
        (arguments.provenance, "--provenance"),
    ];
    match needing.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) if instruction.is_none() => Err(Failure::usage(format!(
            "{option} needs an INSTRUCTION: without one the page is printed as text"
        ))),
        _ => Ok(()),
    }
}

/// What the library is told, but for the page and the time, which come later.
fn options(arguments: &ExtractArguments) -> ExtractOptions {
    ExtractOptions {
        selector: arguments.scope.selector.clone(),
        ignore_selectors: arguments.scope.ignore_selectors.clone(),
        screenshot: arguments.screenshot,
        ..ExtractOptions::default()
    }
}

async fn extract(
    automator: &Automator,
    arguments: &ExtractArguments,
    instruction: Option<&str>,
    schema: Option<Value>,
    options: ExtractOptions,
) -> Result<Found, Failure> {
    let Some(instruction) = instruction else {
        let text = automator.page_text().options(options).await?.page_text;
        arguments.scope.warn_if_empty(&text);
        return Ok(Found::Text {
            member: "pageText",
            text,
        });
    };
    let request = automator.extract(instruction).options(options);
    match (schema, arguments.provenance) {
        (None, false) => Ok(Found::Text {
            member: "extraction",
            text: request.await?.extraction,
        }),
        (None, true) => to_json(&request.with_provenance().await?),
        (Some(schema), false) => Ok(Found::Json(request.json_schema(schema).await?)),
        (Some(schema), true) => to_json(&request.json_schema(schema).with_provenance().await?),
    }
}

fn to_json(value: &impl Serialize) -> Result<Found, Failure> {
    serde_json::to_value(value)
        .map(Found::Json)
        .map_err(|error| Failure::Output(error.into()))
}
