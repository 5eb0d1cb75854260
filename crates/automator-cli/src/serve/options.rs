//! Settings as the options of a server.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use automator::Environment;
use automator_server::egress::policy::{AllowRule, EgressMode, EgressPolicy};
use automator_server::options::Rate;
use automator_server::{ServerError, ServerOptions};

use super::settings::Settings;
use crate::exit::Failure;
use crate::server_folder::server_folder;

/// In seconds.
pub(super) const DAY: u64 = 24 * 60 * 60;

/// The longest list of hosts, in bytes.
const BLOCK_LIST: u64 = 16 * 1024 * 1024;

/// How many times the requests of a second a key may make at once.
const BURST: u32 = 4;

impl Settings {
    /// Whether the server could use the addresses that are set, as far as they alone tell.
    pub(super) fn check_addresses(&self) -> Result<(), ServerError> {
        let mut options = ServerOptions::new("");
        options.public_url.clone_from(&self.public_url);
        options.origins.clone_from(&self.allow_origin);
        options.check()
    }

    /// The options of a server with these settings, and its own defaults.
    pub(super) fn into_options(self, environment: &dyn Environment) -> Result<ServerOptions, Failure> {
        let folder = match self.folder {
            Some(folder) => folder,
            None => server_folder(environment)?,
        };
        let mut options = ServerOptions::new(folder);
        set(&mut options.listen, self.listen);
        options.executable = self
            .executable_path
            .or_else(|| environment.variable("CHROME_PATH").map(PathBuf::from));
        options.public_url = self.public_url.map(|url| url.trim_end_matches('/').to_owned());
        options.origins = self.allow_origin;
        options.trusted_proxies = self.trusted_proxy;
        set(&mut options.metrics, self.metrics.map(Into::into));
        set(&mut options.limits.key_rate, self.requests_per_key.map(rate));
        let usual = EgressMode::for_listener(options.listen.ip());
        let policy = |mode: Option<EgressMode>, allow: Vec<AllowRule>| EgressPolicy {
            mode: mode.unwrap_or(usual),
            allow,
        };
        let platform = &mut options.platform;
        platform.egress = policy(self.egress, self.egress_allow);
        platform.model_egress = policy(self.model_egress, self.model_egress_allow);
        set(&mut platform.model_keys_from_env, self.model_keys_from_env);
        set(&mut platform.region, self.region);
        set(&mut platform.slots.slots, self.slots.map(Into::into));
        platform.slots.per_owner = self.slots_per_key.map_or(platform.slots.slots, Into::into);
        set(&mut platform.slots.waiting, self.queue.map(Into::into));
        let seconds = |seconds: u32| Duration::from_secs(seconds.into());
        set(&mut platform.grace, self.grace.map(seconds));
        set(&mut platform.idle, self.idle.map(seconds));
        set(&mut platform.cache.time_to_live, self.cache_ttl.map(seconds));
        set(&mut platform.cache.bytes, self.cache_size);
        let days = |days: u32| Duration::from_secs(u64::from(days) * DAY);
        set(&mut platform.retention, self.retention.map(days));
        if let Some(path) = &self.block_list {
            platform.block_list = read_hosts(path)?;
        }
        Ok(options)
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn rate(requests_a_second: u32) -> Rate {
    Rate {
        burst: requests_a_second.saturating_mul(BURST),
        interval: Duration::from_secs(1) / requests_a_second,
    }
}

/// The requests of a second that make a rate.
pub(super) fn requests_a_second(rate: Rate) -> u32 {
    rate.burst / BURST
}

/// Reads a list of hosts: one a line, with comments from `#` on.
fn read_hosts(path: &Path) -> Result<Vec<String>, Failure> {
    let shown = path.display();
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(BLOCK_LIST + 1).read_to_string(&mut text))
        .map_err(|error| Failure::usage(format!("the block list {shown} cannot be read: {error}")))?;
    if text.len() as u64 > BLOCK_LIST {
        let most = BLOCK_LIST / 1024 / 1024;
        return Err(Failure::usage(format!(
            "the block list {shown} has more than {most} MB"
        )));
    }
    let mut hosts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let host = line.split('#').next().unwrap_or_default().trim();
        if host.is_empty() {
            continue;
        }
        match url::Host::parse(host) {
            Ok(parsed) => hosts.push(parsed.to_string()),
            Err(_) => {
                let message = format!("the block list {shown}, line {number}: `{host}` is no host");
                return Err(Failure::usage(message).hint("write one host a line, as in ads.example"));
            }
        }
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use automator::EnvironmentSource;

    use super::*;

    fn nothing() -> EnvironmentSource {
        EnvironmentSource::new(|_| None)
    }

    fn settings() -> Settings {
        Settings {
            folder: Some("/srv".into()),
            ..Settings::default()
        }
    }

    #[test]
    fn without_settings_the_defaults_of_the_server_hold() {
        let options = settings().into_options(&nothing()).expect("options");
        let expected = ServerOptions::new("/srv");
        assert_eq!(options.platform, expected.platform);
        assert_eq!(
            (options.listen, options.limits),
            (expected.listen, expected.limits)
        );
    }

    #[test]
    fn beyond_loopback_both_kinds_of_egress_are_public() {
        let mode = |listen: &str| {
            let settings = Settings {
                listen: Some(listen.parse().expect("an address")),
                ..settings()
            };
            let platform = settings.into_options(&nothing()).expect("options").platform;
            (platform.egress.mode, platform.model_egress.mode)
        };
        assert_eq!(mode("127.0.0.1:1"), (EgressMode::Open, EgressMode::Open));
        assert_eq!(mode("0.0.0.0:1"), (EgressMode::Public, EgressMode::Public));
        assert_eq!(mode("192.0.2.1:1"), (EgressMode::Public, EgressMode::Public));
    }

    #[test]
    fn a_block_list_has_hosts_and_comments() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hosts");
        let read = |text: &str| {
            std::fs::write(&path, text).expect("written");
            read_hosts(&path).map_err(|failure| failure.to_string())
        };
        assert_eq!(
            read("# ours\nAds.Example\n\nx.example # why\n"),
            Ok(vec!["ads.example".to_owned(), "x.example".to_owned()])
        );
        let problem = read("a.example\nb c\n").expect_err("no host");
        assert!(
            problem.contains("line 2") && problem.contains("`b c`"),
            "{problem}"
        );
    }
}
