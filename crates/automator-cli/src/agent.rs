//! `automator agent`: does a task of many steps, by a model.

mod confirming;
mod steps;

use automator::{
    AgentConfig, AgentExecuteOptions, AgentMode, AgentResult, Automator, ModelOptions as Model, Page,
};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::browser_options::InvalidValue;
use crate::exit::{Exit, Failure};
use crate::model_options::AskingOptions;
use crate::output::{Layout, print_json, print_text};
use crate::page_options::Budget;
use crate::place::{PlaceOptions, READING, address_and_instruction};
use crate::progress::Progress;
use crate::schema::read_schema;
use crate::session::Settings;
use crate::variables::VariableOptions;
use crate::whole_number::whole_number_from;
use confirming::Confirm;

/// What is printed.
const RESULTS: &str = "\
What is printed: what came of the task, as text; with --output the value as JSON, checked against the schema; with \
--json one object on one line: success, completed, message, actions, usage, messages, output. The steps are told on \
standard error while they are done, one line each.
";

/// Do a task of many steps on pages: a model decides on each
///
/// It is done when the model judges at the end that it is, and with exit code 7 it is not. Purchases, deletions,
/// messages, uploads and downloads are asked about on the terminal; where there is none, they are not done unless
/// --confirm allows them. Without a URL the task begins in the browser that `automator open` keeps.
#[derive(Debug, Args)]
#[command(after_help = format!("{READING}\n\n{RESULTS}\n{}", crate::exit::CODES))]
pub(crate) struct AgentArguments {
    /// The page to begin on: a URL, a host (https is added; http for localhost and IP addresses), or a file [default:
    /// the page of the open browser]
    #[arg(value_name = "URL", help_heading = "Arguments")]
    first: Option<String>,
    /// What to do, in your own words; %NAME% stands for a variable
    #[arg(value_name = "INSTRUCTION", help_heading = "Arguments")]
    second: Option<String>,
    #[command(flatten)]
    run: RunOptions,
    #[command(flatten)]
    variables: VariableOptions,
    /// Give data at the end that fits this JSON Schema: a file, or the schema itself, which begins with {
    #[arg(long, value_name = "FILE|JSON", help_heading = "Result")]
    output: Option<String>,
    /// Print one JSON object on one line
    #[arg(long, help_heading = "Result")]
    json: bool,
    #[command(flatten)]
    asking: AskingOptions,
    /// What a million tokens of the model cost, for --max-cost: sent and written, as in 0.4/1.6; a third number is for
    /// those sent that the provider had cached
    #[arg(long, value_name = "SENT/WRITTEN", allow_negative_numbers = true, value_parser = read_price, help_heading = "Model")]
    price: Option<Price>,
    #[command(flatten)]
    place: PlaceOptions,
}

/// How a task is done, and within which limits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Task")]
struct RunOptions {
    /// How many times the model may decide [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number_from::<u32>(1))]
    max_steps: Option<u32>,
    /// How pages are seen [default: hybrid for models that are known to point well, else dom]
    #[arg(long, value_name = "MODE", value_enum)]
    mode: Option<Mode>,
    /// What becomes of purchases, deletions, messages, uploads and downloads, and of what the provider of a model that
    /// uses computers has doubts about
    #[arg(long, value_name = "ANSWER", value_enum, default_value_t)]
    confirm: Confirm,
    /// The most tokens that all model calls may take together; looked at between calls
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole_number_from::<u64>(1))]
    max_tokens: Option<u64>,
    /// The most that all model calls may cost together, by --price; looked at between calls
    #[arg(long, value_name = "COST", allow_negative_numbers = true, value_parser = read_cost, requires = "price")]
    max_cost: Option<f64>,
}

/// How pages are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// As text; elements are named
    Dom,
    /// As text and as pictures; places in these can be pointed at
    Hybrid,
    /// As pictures, by a model that was made for using computers; without --variable and --output
    Cua,
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Price {
    input: f64,
    output: f64,
    cached_input: Option<f64>,
}

pub(crate) async fn run(arguments: AgentArguments, progress: &Progress) -> Result<Exit, Failure> {
    let (address, instruction) =
        address_and_instruction(arguments.first.as_deref(), arguments.second.as_deref());
    let instruction = checked(address, instruction)?;
    let output = arguments
        .output
        .as_deref()
        .map(|given| read_schema("--output", given))
        .transpose()?;
    if let Some(schema) = &output {
        automator::check_schema(schema)?;
    }
    let variables = arguments.variables.read()?;
    let options = AgentExecuteOptions {
        max_steps: arguments.run.max_steps,
        max_tokens: arguments.run.max_tokens,
        max_cost: arguments.run.max_cost,
        variables,
        output,
        callbacks: Some(steps::telling(progress)),
        confirm: arguments.run.confirm.answering(progress, arguments.run.mode),
        ..AgentExecuteOptions::new(instruction)
    };
    let work = arguments.place.work(address, arguments.settings(), progress)?;
    let working = async |automator: &Automator, page: &Page, budget: Budget| {
        progress.step(&format!("Asking {}", arguments.asking.model.name()));
        let config = AgentConfig {
            mode: arguments.run.mode.map(Into::into),
            ..AgentConfig::default()
        };
        let options = AgentExecuteOptions {
            page: Some(page.clone()),
            timeout: budget.left(),
            ..options
        };
        let result = automator.agent(config).execute(options).await?;
        Ok((result, budget.is_used_up()))
    };
    let (result, is_late) = work.run(working).await?;
    let exit = match result.success {
        true => Exit::Success,
        false if is_late => Exit::Timeout,
        false => Exit::NotDone,
    };
    arguments.print(&result, exit)?;
    Ok(exit)
}

/// What is to be done, which must be said.
fn checked<'i>(address: Option<&str>, instruction: Option<&'i str>) -> Result<&'i str, Failure> {
    match (instruction, address) {
        (Some(instruction), _) if instruction.trim().is_empty() => {
            Err(Failure::usage("the instruction is empty").hint("say what to do"))
        }
        (Some(instruction), _) => Ok(instruction),
        (None, Some(address)) => Err(Failure::usage(format!("it is not said what to do at {address}"))
            .hint("give an INSTRUCTION after the URL")),
        (None, None) => Err(Failure::usage("it is not said what to do").hint("give an INSTRUCTION")),
    }
}

impl AgentArguments {
    fn settings(&self) -> Settings {
        let mut settings = Settings {
            // Steps, and data at the end, are parts of agents that the library calls experimental.
            experimental: true,
            ..self.asking.settings()
        };
        if let Some(price) = self.price {
            price.write_to(&mut settings.model);
        }
        settings
    }

    fn print(&self, result: &AgentResult, exit: Exit) -> Result<(), Failure> {
        if self.json {
            return print_json(result, Layout::Compact);
        }
        match &result.output {
            _ if self.output.is_none() => print_text(&result.message),
            // What is printed is data that fits the schema, or nothing.
            None => Err(Failure::not_done(exit, &result.message)),
            Some(output) => {
                if !result.success {
                    tracing::warn!("{}", result.message);
                }
                print_json(output, Layout::Pretty)
            }
        }
    }
}

impl From<Mode> for AgentMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Dom => Self::Dom,
            Mode::Hybrid => Self::Hybrid,
            Mode::Cua => Self::Cua,
        }
    }
}

impl Price {
    fn write_to(self, model: &mut Model) {
        let cached: Value = self.cached_input.map_or(Value::Null, Value::from);
        model.price = Some(json!({ "input": self.input, "output": self.output, "cachedInput": cached }));
    }
}

/// The library says what is wrong with a number.
fn read_cost(text: &str) -> Result<f64, InvalidValue> {
    let problem = "a cost is a number, as in 0.5";
    text.parse().map_err(|_| InvalidValue::new(problem))
}

fn read_price(text: &str) -> Result<Price, InvalidValue> {
    let wrong =
        || InvalidValue::new("a price is two or three numbers from 0 on, as in 0.4/1.6 or 0.4/1.6/0.1");
    let parts: Vec<f64> = text
        .split('/')
        .map(|part| part.trim().parse().map_err(|_| wrong()))
        .collect::<Result<_, _>>()?;
    if !parts.iter().all(|part| part.is_finite() && *part >= 0.0) {
        return Err(wrong());
    }
    match parts[..] {
        [input, output] => Ok(Price {
            input,
            output,
            cached_input: None,
        }),
        [input, output, cached] => Ok(Price {
            input,
            output,
            cached_input: Some(cached),
        }),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_two_numbers_or_three() {
        let price = |input, output, cached_input| Price {
            input,
            output,
            cached_input,
        };
        assert_eq!(read_price("0.4/1.6").unwrap(), price(0.4, 1.6, None));
        assert_eq!(read_price("1/2/0").unwrap(), price(1.0, 2.0, Some(0.0)));
        for text in ["", "1", "1/x", "-1/2", "1/inf", "1/2/3/4"] {
            assert!(read_price(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_task_has_to_be_told() {
        assert_eq!(checked(None, Some("go")).unwrap(), "go");
        for (address, instruction) in [(None, None), (Some("a.test"), None), (None, Some(" "))] {
            assert_eq!(checked(address, instruction).unwrap_err().exit(), Exit::Usage);
        }
    }
}
