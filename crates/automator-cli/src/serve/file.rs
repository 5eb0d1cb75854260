//! Settings in a file, and the settings that hold as such a file.

use std::path::Path;

use automator_server::ServerOptions;
use automator_server::options::MetricsAccess;
use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Args as _, FromArgMatches as _};

use super::options::{DAY, requests_a_second};
use super::settings::{LogFormat, Settings, nearest};
use super::toml::{self, Member, Value};
use crate::exit::Failure;

/// Reads the settings of a file. They have the names and values of the flags.
pub(super) fn read(path: &Path) -> Result<Settings, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("the file {shown} of --config cannot be read: {error}")))?;
    parse(&text).map_err(|problem| {
        let toml::Problem { line, text } = problem;
        Failure::usage(format!("{shown}, line {line}: {text}"))
            .hint("`automator serve --print-config` prints such a file")
    })
}

fn parse(text: &str) -> Result<Settings, toml::Problem> {
    let mut settings = Settings::default();
    for member in toml::read(text)? {
        let of_member = read_member(&member).map_err(|text| toml::Problem {
            line: member.line,
            text,
        })?;
        settings = settings.or(of_member);
    }
    Ok(settings)
}

/// The settings that have this one alone, read as its flag would be.
fn read_member(member: &Member) -> Result<Settings, String> {
    let name = &member.name;
    // Without variables, which come before the file.
    let command = Settings::augment_args(clap::Command::new("serve").no_binary_name(true))
        .mut_args(|argument| argument.env(Resettable::Reset));
    let argument = command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(name))
        .ok_or_else(|| unknown(name, &command))?;
    let values = values_of(member, argument)?;
    let flags = values.iter().map(|value| format!("--{name}={value}"));
    let read = |matches: ArgMatches| Settings::from_arg_matches(&matches);
    let settings = command
        .clone()
        .try_get_matches_from(flags)
        .and_then(read)
        .map_err(|error| in_one_line(&error))?;
    settings
        .check_addresses()
        .map_err(|error| format!("{name}: {error}"))?;
    Ok(settings)
}

fn unknown(name: &str, command: &clap::Command) -> String {
    match nearest(name, command.get_arguments().filter_map(Arg::get_long)) {
        Some(nearest) => format!("there is no setting `{name}`; the nearest one is `{nearest}`"),
        None => format!("there is no setting `{name}`"),
    }
}

/// The texts that the flag would have.
fn values_of(member: &Member, argument: &Arg) -> Result<Vec<String>, String> {
    let takes_many = matches!(argument.get_action(), ArgAction::Append);
    let values = match &member.value {
        Value::List(values) if takes_many => values.as_slice(),
        Value::List(_) => return Err(format!("`{}` has one value, and no array", member.name)),
        one => std::slice::from_ref(one),
    };
    Ok(values
        .iter()
        .map(|value| match value {
            Value::Text(text) => text.clone(),
            other => toml::written(other),
        })
        .collect())
}

/// What is wrong, without what a command line says besides.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("error: ").replace("'--", "'")
}

/// The settings that hold, as a file that says the same; those that are not set as comments.
pub(super) fn print(options: &ServerOptions, settings: &Settings) -> String {
    let mut text =
        String::from("# What `automator serve` runs with. A file like this is read with --config.\n");
    for (name, value) in members(options, settings) {
        match value {
            Some(value) => text.push_str(&format!("{name} = {}\n", toml::written(&value))),
            None => text.push_str(&format!("# {name} is not set\n")),
        }
    }
    text
}

fn members(options: &ServerOptions, settings: &Settings) -> Vec<(&'static str, Option<Value>)> {
    let platform = &options.platform;
    let metrics = match options.metrics {
        MetricsAccess::Key => "key",
        MetricsAccess::Open => "open",
    };
    let log_format = match settings.log_format.unwrap_or_default() {
        LogFormat::Text => "text",
        LogFormat::Json => "json",
    };
    let always = |name, value| (name, Some(value));
    vec![
        always("listen", text(&options.listen)),
        always("folder", path(&options.folder)),
        ("public-url", options.public_url.as_ref().map(text)),
        always("allow-origin", list(&options.origins)),
        always("trusted-proxy", list(&options.trusted_proxies)),
        always(
            "requests-per-key",
            number(requests_a_second(options.limits.key_rate)),
        ),
        always("metrics", text(&metrics)),
        always("region", text(&platform.region)),
        always("slots", number(platform.slots.slots)),
        always("slots-per-key", number(platform.slots.per_owner)),
        always("queue", number(platform.slots.waiting)),
        always("grace", number(platform.grace.as_secs())),
        always("idle", number(platform.idle.as_secs())),
        always("retention", number(platform.retention.as_secs() / DAY)),
        ("executable-path", options.executable.as_deref().map(path)),
        always("egress", text(&platform.egress.mode)),
        always("egress-allow", list(&platform.egress.allow)),
        ("block-list", settings.block_list.as_deref().map(path)),
        always("model-egress", text(&platform.model_egress.mode)),
        always("model-egress-allow", list(&platform.model_egress.allow)),
        always("model-keys-from-env", Value::Truth(platform.model_keys_from_env)),
        always("cache-size", number(platform.cache.bytes)),
        always("cache-ttl", number(platform.cache.time_to_live.as_secs())),
        always("log-format", text(&log_format)),
    ]
}

fn text(value: &impl ToString) -> Value {
    Value::Text(value.to_string())
}

fn path(path: &Path) -> Value {
    text(&path.display())
}

fn number(value: impl TryInto<i64>) -> Value {
    Value::Number(value.try_into().unwrap_or(i64::MAX))
}

fn list<T: ToString>(values: &[T]) -> Value {
    Value::List(values.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use automator::EnvironmentSource;

    use super::*;

    #[test]
    fn every_setting_is_printed_and_read_again() {
        let names: Vec<String> = Settings::augment_args(clap::Command::new("serve"))
            .get_arguments()
            .filter_map(Arg::get_long)
            .map(str::to_owned)
            .collect();
        let nothing = EnvironmentSource::new(|name| (name == "HOME").then(|| "/home/ann".to_owned()));
        let options = ServerOptions::new("/srv/automator");
        let printed = members(&options, &Settings::default());
        let printed_names: Vec<&str> = printed.iter().map(|(name, _)| *name).collect();
        assert_eq!(printed_names, names);
        let text = "slots = 3\negress-allow = ['10.0.0.0/8', \"a.example:80\"]\nlisten = \"[::1]:80\"\n\
                    model-keys-from-env = true\nrequests-per-key = 7\nretention = 2\n";
        let settings = parse(text).expect("settings");
        let options = settings.clone().into_options(&nothing).expect("options");
        let again = print(&options, &settings);
        for line in [
            "slots = 3",
            "egress-allow = [\"10.0.0.0/8\", \"a.example:80\"]",
            "listen = \"[::1]:80\"",
            "model-keys-from-env = true",
            "requests-per-key = 7",
            "retention = 2",
            "cache-size = 67108864",
            "# public-url is not set",
        ] {
            assert!(
                again.lines().any(|found| found == line),
                "{line} is not in\n{again}"
            );
        }
        let read_again = parse(&again).expect("what was printed");
        let options_again = read_again.clone().into_options(&nothing).expect("options");
        assert_eq!(print(&options_again, &read_again), again);
    }

    #[test]
    fn what_a_file_has_wrong_is_named() {
        for (text, words) in [
            ("slot = 3", "`slot`; the nearest one is `slots`"),
            ("slots-per-kye = 3", "`slots-per-key`"),
            ("slots = 0", "'slots <COUNT>'"),
            (
                "slots = -1",
                "'slots <COUNT>': it has to be a whole number from 1",
            ),
            ("listen = 'localhost:1'", "as in 127.0.0.1:4800"),
            (
                "public-url = 'http://ann:sekret@a.example'",
                "public-url: the server cannot be",
            ),
            (
                "allow-origin = ['a.example']",
                "allow-origin: `a.example` is no origin",
            ),
            ("slots = [1]", "one value"),
            (
                "slots = 'many'",
                "'many' for 'slots <COUNT>': it has to be a whole number",
            ),
            ("egress = 'closed'", "`closed` is no egress mode"),
            ("egress-allow = ['a b']", "a b"),
            ("model-keys-from-env = 5", "5"),
        ] {
            let problem = parse(text).expect_err(text);
            assert!(problem.text.contains(words), "{text}: {problem:?}");
            assert!(!problem.text.contains("sekret"), "{problem:?}");
        }
        for (text, problem) in [
            ("config = 'x'", "there is no setting `config`"),
            ("api-key = 'x'", "there is no setting `api-key`"),
        ] {
            assert_eq!(parse(text).expect_err(text).text, problem);
        }
    }
}
