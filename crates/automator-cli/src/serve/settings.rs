//! What can be set, by flag, by variable and in a file.
//!
//! Every setting is without a default here, so that the next place can be asked; the defaults are the server's own.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use automator_server::egress::policy::{AllowRule, EgressMode};
use automator_server::options::MetricsAccess;
use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};

use crate::browser_options::InvalidValue;
use crate::whole_number::{whole_number, whole_number_from};

/// What can be set about a server.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Settings {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:4800]
    #[arg(long, value_name = "ADDRESS:PORT", env = "AUTOMATOR_SERVE_LISTEN", value_parser = read_listen)]
    pub(super) listen: Option<SocketAddr>,
    /// The folder for sessions, keys and browsers [default: automator/server in the user's folder for state]
    #[arg(long, value_name = "FOLDER", env = "AUTOMATOR_SERVE_FOLDER")]
    pub(super) folder: Option<PathBuf>,
    /// Where clients reach the server, when that is not the address it listens on
    #[arg(long, value_name = "URL", env = "AUTOMATOR_SERVE_PUBLIC_URL")]
    pub(super) public_url: Option<String>,
    /// An origin whose pages may call the server, as in https://desk.example; can be given several times
    #[arg(
        long,
        value_name = "ORIGIN",
        value_delimiter = ',',
        env = "AUTOMATOR_SERVE_ALLOW_ORIGIN"
    )]
    pub(super) allow_origin: Vec<String>,
    /// The address of a proxy before the server, which is believed where requests come from; can be given several times
    #[arg(
        long,
        value_name = "ADDRESS",
        value_delimiter = ',',
        env = "AUTOMATOR_SERVE_TRUSTED_PROXY",
        value_parser = read_trusted_proxy
    )]
    pub(super) trusted_proxy: Vec<IpAddr>,
    /// How many requests a key may make in a second; four times as many at once [default: 50]
    #[arg(long, value_name = "COUNT", env = "AUTOMATOR_SERVE_REQUESTS_PER_KEY", allow_negative_numbers = true, value_parser = whole_number::<u32>(1..=100_000))]
    pub(super) requests_per_key: Option<u32>,
    /// Who may read /metrics: `key` is whoever has a key, `open` everybody [default: key]
    #[arg(long, value_name = "WHO", env = "AUTOMATOR_SERVE_METRICS")]
    pub(super) metrics: Option<Metrics>,
    /// The label of the place that browsers run in [default: local]
    #[arg(long, value_name = "NAME", env = "AUTOMATOR_SERVE_REGION")]
    pub(super) region: Option<String>,
    /// How many browsers run at once [default: 10]
    #[arg(long, value_name = "COUNT", env = "AUTOMATOR_SERVE_SLOTS", allow_negative_numbers = true, value_parser = whole_number_from::<u16>(1))]
    pub(super) slots: Option<u16>,
    /// How many of them one key may have [default: all]
    #[arg(long, value_name = "COUNT", env = "AUTOMATOR_SERVE_SLOTS_PER_KEY", allow_negative_numbers = true, value_parser = whole_number_from::<u16>(1))]
    pub(super) slots_per_key: Option<u16>,
    /// How many requests wait for a browser before further ones are refused [default: 100]
    #[arg(long, value_name = "COUNT", env = "AUTOMATOR_SERVE_QUEUE", allow_negative_numbers = true, value_parser = whole_number_from::<u16>(0))]
    pub(super) queue: Option<u16>,
    /// How long a session without keepAlive goes on when nobody is connected any more [default: 30]
    #[arg(long, value_name = "SECONDS", env = "AUTOMATOR_SERVE_GRACE", allow_negative_numbers = true, value_parser = whole_number_from::<u32>(0))]
    pub(super) grace: Option<u32>,
    /// How long a session without keepAlive goes on that nobody has connected to [default: 600]
    #[arg(long, value_name = "SECONDS", env = "AUTOMATOR_SERVE_IDLE", allow_negative_numbers = true, value_parser = whole_number_from::<u32>(0))]
    pub(super) idle: Option<u32>,
    /// How long sessions that have ended, and the records of them, are kept [default: 30]
    #[arg(long, value_name = "DAYS", env = "AUTOMATOR_SERVE_RETENTION", allow_negative_numbers = true, value_parser = whole_number_from::<u32>(1))]
    pub(super) retention: Option<u32>,
    /// The browser's executable [default: that of CHROME_PATH, or a Chromium that is found]
    #[arg(long, value_name = "FILE", env = "AUTOMATOR_SERVE_EXECUTABLE_PATH")]
    pub(super) executable_path: Option<PathBuf>,
    /// What browsers may reach: `open` is the internet, private networks and this machine, `public` the internet,
    /// `list` nothing [default: open when it listens on this machine alone, else public]
    #[arg(long, value_name = "MODE", env = "AUTOMATOR_SERVE_EGRESS")]
    pub(super) egress: Option<EgressMode>,
    /// What they may reach besides: a host, *.host, address or network, each with a port if wanted; can be given
    /// several times
    #[arg(
        long,
        value_name = "HOST[:PORT]|CIDR",
        value_delimiter = ',',
        env = "AUTOMATOR_SERVE_EGRESS_ALLOW"
    )]
    pub(super) egress_allow: Vec<AllowRule>,
    /// A file of hosts, one a line, that sessions with blockAds do not reach either
    #[arg(long, value_name = "FILE", env = "AUTOMATOR_SERVE_BLOCK_LIST")]
    pub(super) block_list: Option<PathBuf>,
    /// Where the server may send model calls when a request names an address [default: as `--egress`]
    #[arg(long, value_name = "MODE", env = "AUTOMATOR_SERVE_MODEL_EGRESS")]
    pub(super) model_egress: Option<EgressMode>,
    /// Where it may send them besides: as --egress-allow
    #[arg(
        long,
        value_name = "HOST[:PORT]|CIDR",
        value_delimiter = ',',
        env = "AUTOMATOR_SERVE_MODEL_EGRESS_ALLOW"
    )]
    pub(super) model_egress_allow: Vec<AllowRule>,
    /// Serve requests without a model key with the provider keys of the server's environment [default: false]
    #[arg(long, value_name = "BOOLEAN", env = "AUTOMATOR_SERVE_MODEL_KEYS_FROM_ENV", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = BoolishValueParser::new())]
    pub(super) model_keys_from_env: Option<bool>,
    /// How much the server remembers of its answers; 0 is nothing [default: 67108864]
    #[arg(long, value_name = "BYTES", env = "AUTOMATOR_SERVE_CACHE_SIZE", allow_negative_numbers = true, value_parser = whole_number_from::<u64>(0))]
    pub(super) cache_size: Option<u64>,
    /// How long it remembers an answer [default: 86400]
    #[arg(long, value_name = "SECONDS", env = "AUTOMATOR_SERVE_CACHE_TTL", allow_negative_numbers = true, value_parser = whole_number_from::<u32>(0))]
    pub(super) cache_ttl: Option<u32>,
    /// How log lines are written: `text` or `json`; -v tells more [default: text]
    #[arg(long, value_name = "FORMAT", env = "AUTOMATOR_SERVE_LOG_FORMAT")]
    pub(super) log_format: Option<LogFormat>,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    #[default]
    Text,
    Json,
}

/// Who may read the figures of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Metrics {
    Key,
    Open,
}

impl From<Metrics> for MetricsAccess {
    fn from(metrics: Metrics) -> Self {
        match metrics {
            Metrics::Key => Self::Key,
            Metrics::Open => Self::Open,
        }
    }
}

impl Settings {
    /// These, and others where these say nothing.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            listen: self.listen.or(other.listen),
            folder: self.folder.or(other.folder),
            public_url: self.public_url.or(other.public_url),
            allow_origin: first_given(self.allow_origin, other.allow_origin),
            trusted_proxy: first_given(self.trusted_proxy, other.trusted_proxy),
            requests_per_key: self.requests_per_key.or(other.requests_per_key),
            metrics: self.metrics.or(other.metrics),
            region: self.region.or(other.region),
            slots: self.slots.or(other.slots),
            slots_per_key: self.slots_per_key.or(other.slots_per_key),
            queue: self.queue.or(other.queue),
            grace: self.grace.or(other.grace),
            idle: self.idle.or(other.idle),
            retention: self.retention.or(other.retention),
            executable_path: self.executable_path.or(other.executable_path),
            egress: self.egress.or(other.egress),
            egress_allow: first_given(self.egress_allow, other.egress_allow),
            block_list: self.block_list.or(other.block_list),
            model_egress: self.model_egress.or(other.model_egress),
            model_egress_allow: first_given(self.model_egress_allow, other.model_egress_allow),
            model_keys_from_env: self.model_keys_from_env.or(other.model_keys_from_env),
            cache_size: self.cache_size.or(other.cache_size),
            cache_ttl: self.cache_ttl.or(other.cache_ttl),
            log_format: self.log_format.or(other.log_format),
        }
    }
}

/// The name that is so much like this one that it may be meant: at most one character in three is another one.
pub(super) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distances = names
        .into_iter()
        .map(|other| (strsim::osa_distance(name, other), other));
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= name.chars().count() / 3).then_some(nearest)
}

fn read_listen(text: &str) -> Result<SocketAddr, InvalidValue> {
    let problem = "it has to be an IP address and a port, as in 127.0.0.1:4800";
    text.parse().map_err(|_| InvalidValue::new(problem))
}

fn read_trusted_proxy(text: &str) -> Result<IpAddr, InvalidValue> {
    let problem = "it has to be an IP address, as in 127.0.0.1";
    text.parse().map_err(|_| InvalidValue::new(problem))
}

fn first_given<T>(these: Vec<T>, others: Vec<T>) -> Vec<T> {
    if these.is_empty() { others } else { these }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_variable_of_its_name() {
        let command = Settings::augment_args(clap::Command::new("serve"));
        let mut found = 0;
        for argument in command.get_arguments() {
            let flag = argument.get_long().expect("a flag");
            let variable = format!("AUTOMATOR_SERVE_{}", flag.to_uppercase().replace('-', "_"));
            let env = argument.get_env().and_then(|name| name.to_str());
            assert_eq!(env, Some(variable.as_str()));
            found += 1;
        }
        assert!(found >= 24, "{found}");
    }

    #[test]
    fn only_names_that_are_much_alike_may_be_meant() {
        let names = ["slots", "slots-per-key", "listen", "log-format"];
        for (name, meant) in [
            ("slot", Some("slots")),
            ("solts", Some("slots")),
            ("slot-per-kye", Some("slots-per-key")),
            ("log_format", Some("log-format")),
            ("api-key", None),
            ("config", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, names), meant, "{name}");
        }
    }

    /// The flags with their defaults, as the help tells them.
    fn in_help() -> Vec<(String, String)> {
        let command = Settings::augment_args(clap::Command::new("serve"));
        let arguments = command.get_arguments();
        arguments
            .map(|argument| {
                let flag = argument.get_long().expect("a flag").to_owned();
                let help = argument.get_long_help().or(argument.get_help());
                let help = help.expect("a help text").to_string();
                let default = help.split_once("[default: ").map_or("", |(_, rest)| rest);
                (flag, default.trim_end_matches(']').to_owned())
            })
            .collect()
    }

    #[test]
    fn the_guide_has_every_flag_with_its_default() {
        let guide = include_str!("../../../../docs/guides/serving.md");
        let rows: Vec<(String, String)> = guide
            .lines()
            .filter_map(|line| line.strip_prefix("| `--"))
            .filter_map(|row| row.split_once("` |"))
            .filter_map(|(flag, rest)| {
                let default = rest.split('|').next()?.trim().to_owned();
                Some((flag.to_owned(), default))
            })
            .collect();
        assert_eq!(rows, in_help());
    }
}
