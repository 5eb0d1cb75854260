//! `automator extract`: a checked value from a page, by a model.

use std::io::ErrorKind;
use std::path::Path;

use automator::{Automator, ExtractOptions, Page};
use clap::Args;
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use crate::model_options::AskingOptions;
use crate::output::{Layout, print_json, print_text};
use crate::page_options::{Budget, ScopeOptions};
use crate::place::{PlaceOptions, READING, address_and_instruction};
use crate::progress::Progress;

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
    let schema = arguments.schema.as_deref().map(read_schema).transpose()?;
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

/// The schema that `--schema` gives: JSON when it begins with `{`, the path of a file otherwise.
fn read_schema(given: &str) -> Result<Value, Failure> {
    if given.trim_start().starts_with('{') {
        return parse_schema("the schema", given);
    }
    match std::fs::read_to_string(Path::new(given)) {
        Ok(text) => parse_schema(&format!("the schema {given}"), &text),
        // What is JSON was not meant as the name of a file that does not exist.
        Err(error) if error.kind() == ErrorKind::NotFound && is_json(given) => {
            Err(no_object(&format!("--schema {given}")))
        }
        Err(error) => Err(
            Failure::usage(format!("the schema {given} cannot be read: {error}"))
                .hint("--schema takes the path of a JSON file, or a JSON Schema that begins with {"),
        ),
    }
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn parse_schema(what: &str, text: &str) -> Result<Value, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let schema: Value = serde_json::from_str(text)
        .map_err(|error| Failure::usage(format!("{what} is no valid JSON: {error}")))?;
    if schema.is_object() {
        Ok(schema)
    } else {
        Err(no_object(what))
    }
}

fn no_object(what: &str) -> Failure {
    Failure::usage(format!(
        "{what} is no JSON Schema: it must be an object, or a file that holds one"
    ))
    .hint(r#"for example {"type": "array", "items": {"type": "string"}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_that_is_no_json_is_refused_with_its_line_and_column() {
        let error = read_schema("{\n  \"type\": object }").unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        assert!(error.to_string().contains("at line 2 column 11"), "{error}");
    }

    #[test]
    fn a_schema_is_an_object_and_may_begin_with_a_byte_order_mark() {
        assert!(parse_schema("it", "\u{feff}{}").is_ok());
        for text in ["[]", "3", "\"string\"", "null", ""] {
            assert_eq!(
                parse_schema("it", text).unwrap_err().exit(),
                Exit::Usage,
                "{text}"
            );
        }
    }

    #[test]
    fn json_that_is_no_object_is_not_taken_for_the_name_of_a_file() {
        for text in ["true", "false", "[]", " [1]", "null", "5", "\"string\""] {
            let error = read_schema(text).unwrap_err();
            assert_eq!(error.exit(), Exit::Usage);
            assert!(
                error.to_string().contains("it must be an object, or a file"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_schema_file_that_is_missing_is_named() {
        let error = read_schema("no/such/schema.json").unwrap_err().to_string();
        assert!(error.contains("no/such/schema.json"), "{error}");
    }
}
