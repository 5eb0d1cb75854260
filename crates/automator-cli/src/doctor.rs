//! `automator doctor`: whether a browser and a model are there, and what to do when not.

use std::time::{Duration, Instant};

use automator::{
    Automator, Environment as _, EnvironmentSource, Error, GotoOptions, ModelName, Page, Provider,
};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::browser_options::BrowserOptions;
use crate::exit::{Exit, Failure, exit_of};
use crate::model_options::ModelOptions;
use crate::output::{Layout, print_json, print_text};
use crate::page_options::read_seconds;
use crate::progress::Progress;
use crate::session::{Settings, with_page};

/// The page that is read, and that the model is asked about.
const PAGE: &str = "data:text/html,<title>Automator</title><h1>Ready</h1>";

/// Where Chromium tells about itself.
const VERSION_PAGE: &str = "chrome://version";

/// Full version and executable as that page shows them.
const VERSION_SCRIPT: &str = "['#version', '#executable_path'].map(selector => document.querySelector(selector)?.textContent.trim() ?? '')";

const VERSION_LIMIT: Duration = Duration::from_secs(5);

/// Variables by which programs are told to use a proxy.
const PROXY_VARIABLES: [&str; 8] = [
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// Check that a browser starts and a model answers, and say what to do when not
///
/// The model is asked one short question when its key is set, or when --model or --base-url is given. The exit code
/// is 0 when the browser works and, if --model or --base-url is given, the model answers.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct DoctorArguments {
    /// Print one JSON object on one line
    #[arg(long)]
    json: bool,
    /// The limit for the model's answer; 0 is none
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = read_seconds, allow_negative_numbers = true)]
    timeout: Duration,
    #[command(flatten)]
    model: ModelOptions,
    #[command(flatten)]
    browser: BrowserOptions,
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Ok,
    Warning,
    Failed,
    Skipped,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// One line of the list.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    status: Status,
    message: String,
    #[serde(rename = "toDo", skip_serializing_if = "Option::is_none")]
    to_do: Option<String>,
    /// How the command ends when this failed.
    #[serde(skip)]
    exit: Exit,
}

pub(crate) async fn run(arguments: DoctorArguments, progress: &Progress) -> Result<Exit, Failure> {
    let set_keys = set_keys();
    let plan = plan(&arguments.model, &set_keys);
    let asked = match &plan {
        Plan::Ask => Settings::new(arguments.model.to_model()),
        Plan::Report(_) => Settings::without_model(),
    };
    let outcome = with_page(&arguments.browser, asked, progress, async |automator, page| {
        let browser = check_browser(automator, page).await?;
        let model = match plan {
            Plan::Ask => {
                progress.step(&format!("Asking {}", arguments.model.name()));
                ask(automator, page, &arguments).await
            }
            Plan::Report(check) => check,
        };
        Ok((browser, model))
    })
    .await;
    let (browser, model) = match outcome {
        Ok(checks) => checks,
        Err(Failure::Library(error)) => (
            browser_failed(&error, arguments.browser.is_attached()),
            Check::skipped("model", "not asked without a browser"),
        ),
        Err(other) => return Err(other),
    };
    let checks = [browser, check_keys(&set_keys), model, check_proxy()];
    let failed = checks.iter().find(|check| check.status == Status::Failed);
    let exit = failed.map_or(Exit::Success, |check| check.exit);
    if arguments.json {
        print_json(
            &json!({ "ok": exit == Exit::Success, "checks": checks }),
            Layout::Compact,
        )?;
    } else {
        print_text(&checks.iter().map(Check::to_text).collect::<String>())?;
    }
    Ok(exit)
}

/// Whether the model is asked, or what is said instead.
enum Plan {
    Ask,
    Report(Check),
}

fn plan(model: &ModelOptions, set_keys: &[SetKey]) -> Plan {
    let name: ModelName = match model.name().parse() {
        Ok(name) => name,
        Err(error) => {
            let mut check = Check::new("model", Status::Failed, format!("{error}"));
            check.exit = Exit::Model;
            return Plan::Report(check.advise("give a name such as --model openai/gpt-4.1-mini"));
        }
    };
    let has_key = set_keys.iter().any(|key| key.is_of(name.provider()));
    if has_key || model.is_chosen() {
        return Plan::Ask;
    }
    let check = Check::new(
        "model",
        Status::Warning,
        format!("{name}, the default, has no key"),
    );
    let to_do = match set_keys.first() {
        Some(key) => format!(
            "choose a model that you have a key for: --model {}/…",
            key.provider.name()
        ),
        None => "set OPENAI_API_KEY, or choose another model with --model; snapshot needs none".to_owned(),
    };
    Plan::Report(check.advise(to_do))
}

/// Opens a page and reads it, as every command does.
async fn check_browser(automator: &Automator, page: &Page) -> Result<Check, Failure> {
    let begun = Instant::now();
    page.goto(PAGE).await?;
    let text = automator.page_text().page(page).await?.page_text;
    let took = begun.elapsed();
    if !text.contains("heading: Ready") {
        let mut check = Check::new(
            "browser",
            Status::Failed,
            format!("the browser starts, but its page reads as:\n{text}"),
        );
        check.exit = Exit::NoBrowser;
        return Ok(check.advise("name another browser with --executable-path"));
    }
    let version = version(page).await;
    // The model is asked about this page.
    page.goto(PAGE).await?;
    let message = format!("{version} works (a page in {} ms)", took.as_millis());
    Ok(Check::new("browser", Status::Ok, message))
}

/// Name, version and executable, as far as the browser tells.
async fn version(page: &Page) -> String {
    let options = GotoOptions {
        timeout: VERSION_LIMIT,
        ..GotoOptions::default()
    };
    // Browsers made of Chromium may lack that page; they work all the same.
    let told = match page.goto_with(VERSION_PAGE, options).await {
        Ok(_) => page.evaluate(VERSION_SCRIPT).await.ok(),
        Err(_) => None,
    };
    let part = |index: usize| {
        let text = told.as_ref().and_then(|told| told.get(index)?.as_str());
        text.filter(|text| !text.is_empty())
    };
    let number = part(0).and_then(|version| version.split_whitespace().next());
    match (number, part(1)) {
        (Some(number), Some(executable)) => format!("Chromium {number} at {executable}"),
        (Some(number), None) => format!("Chromium {number}"),
        _ => "the browser".to_owned(),
    }
}

fn browser_failed(error: &Error, is_attached: bool) -> Check {
    let mut check = Check::new("browser", Status::Failed, error.message());
    check.exit = match exit_of(error) {
        Exit::Usage => Exit::Usage,
        _ => Exit::NoBrowser,
    };
    let to_do = match (error.hint_text(), is_attached) {
        (Some(hint), _) => hint,
        (None, true) => {
            "start the browser with --remote-debugging-port=PORT, and give --cdp-url http://127.0.0.1:PORT"
        }
        (None, false) => {
            "install Chromium (such as `apt-get install chromium`), or name a browser with --executable-path or \
             CHROME_PATH"
        }
    };
    check.advise(to_do)
}

/// Asks one short question through the way that every extraction takes.
async fn ask(automator: &Automator, page: &Page, arguments: &DoctorArguments) -> Check {
    let name = arguments.model.name();
    let schema = json!({
        "type": "object",
        "properties": { "heading": { "type": "string" } },
        "required": ["heading"],
    });
    let question = automator
        .extract("the heading of the page")
        .json_schema(schema)
        .page(page)
        .timeout(arguments.timeout);
    let begun = Instant::now();
    match question.await {
        Ok(_) => {
            let metrics = automator.metrics();
            let message = format!(
                "{name} answers ({} ms, {} tokens)",
                begun.elapsed().as_millis(),
                metrics.total_prompt_tokens + metrics.total_completion_tokens
            );
            Check::new("model", Status::Ok, message)
        }
        Err(error) => {
            let status = if arguments.model.is_chosen() {
                Status::Failed
            } else {
                Status::Warning
            };
            let mut check = Check::new("model", status, error.message());
            check.exit = exit_of(&error);
            let to_do = match (error.hint_text(), check.exit) {
                (Some(hint), _) => hint.to_owned(),
                (None, Exit::Model) => "set the key, or choose another model with --model".to_owned(),
                (None, Exit::Timeout) => {
                    "see whether the address of the model is reachable from here, directly or by a proxy"
                        .to_owned()
                }
                (None, _) => {
                    "try again, choose another model with --model, or another address with --base-url"
                        .to_owned()
                }
            };
            check.advise(to_do)
        }
    }
}

/// A variable with a provider's key.
struct SetKey {
    variable: &'static str,
    provider: &'static Provider,
}

impl SetKey {
    fn is_of(&self, provider: &str) -> bool {
        Provider::lookup(provider).is_some_and(|wanted| wanted.name() == self.provider.name())
    }
}

fn set_keys() -> Vec<SetKey> {
    let named = Provider::all().flat_map(|provider| {
        let variables = provider.key_variables().iter();
        variables.map(move |&variable| SetKey { variable, provider })
    });
    named.filter(|key| is_set(key.variable)).collect()
}

fn check_keys(set_keys: &[SetKey]) -> Check {
    if set_keys.is_empty() {
        let check = Check::new("keys", Status::Warning, "no provider's key is set");
        return check.advise("set one, such as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY");
    }
    let mut names: Vec<&str> = set_keys.iter().map(|key| key.variable).collect();
    names.dedup();
    Check::new("keys", Status::Ok, format!("set: {}", names.join(", ")))
}

fn check_proxy() -> Check {
    let names: Vec<&str> = PROXY_VARIABLES.into_iter().filter(|name| is_set(name)).collect();
    let message = if names.is_empty() {
        "none in the environment".to_owned()
    } else {
        format!(
            "set: {}; requests to models follow them, the browser's are set with --proxy",
            names.join(", ")
        )
    };
    Check::new("proxy", Status::Ok, message)
}

/// Looks only whether there is a value, and never at it.
fn is_set(variable: &str) -> bool {
    EnvironmentSource::default().variable(variable).is_some()
}

impl Check {
    fn new(name: &'static str, status: Status, message: impl Into<String>) -> Self {
        Self {
            name,
            status,
            message: message.into(),
            to_do: None,
            exit: Exit::Success,
        }
    }

    fn skipped(name: &'static str, why: &str) -> Self {
        Self::new(name, Status::Skipped, why)
    }

    fn advise(self, to_do: impl Into<String>) -> Self {
        Self {
            to_do: Some(to_do.into()),
            ..self
        }
    }

    /// `browser  ok       Chromium …`, further lines and what to do below the message.
    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut lines = self.message.lines();
        let first = lines.next().unwrap_or_default();
        text.push_str(&format!("{:<8} {:<8} {first}\n", self.name, self.status.word()));
        for line in lines {
            text.push_str(&format!("{:18}{line}\n", ""));
        }
        if let Some(to_do) = &self.to_do {
            text.push_str(&format!("{:18}→ {to_do}\n", ""));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(provider: &str) -> SetKey {
        let provider = Provider::lookup(provider).unwrap();
        SetKey {
            variable: provider.key_variables()[0],
            provider,
        }
    }

    fn model(name: Option<&str>) -> ModelOptions {
        ModelOptions {
            model: name.map(str::to_owned),
            base_url: None,
        }
    }

    #[test]
    fn the_default_model_is_asked_only_with_its_key() {
        assert!(matches!(plan(&model(None), &[key_of("openai")]), Plan::Ask));
        let Plan::Report(check) = plan(&model(None), &[key_of("anthropic")]) else {
            panic!("the model would be asked");
        };
        assert_eq!(check.status, Status::Warning);
        assert!(check.to_do.unwrap().contains("--model anthropic/"));
    }

    #[test]
    fn a_chosen_model_is_asked_in_any_case_and_a_bad_name_fails() {
        assert!(matches!(plan(&model(Some("groq/x")), &[]), Plan::Ask));
        let Plan::Report(check) = plan(&model(Some("gpt-4")), &[]) else {
            panic!("the model would be asked");
        };
        assert_eq!((check.status, check.exit), (Status::Failed, Exit::Model));
    }

    #[test]
    fn further_lines_and_what_to_do_stand_below_the_message() {
        let check = Check::new("browser", Status::Failed, "one\ntwo").advise("three");
        assert_eq!(
            check.to_text(),
            "browser  failed   one\n                  two\n                  → three\n"
        );
    }
}
