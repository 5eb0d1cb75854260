//! Options: every struct that a user fills in, in Rust as it is, in other languages through the same
//! `Deserialize`.
//!
//! Members are named as in the TypeScript interface (`camelCase`). A member that nobody knows is an error that
//! names the nearest known one.

mod agent;
mod check;
mod expectation;
mod launch;
mod page_calls;
mod page_extract;
mod read;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use automator_browser::DialogsElsewhere;
use automator_llm::{Environment, LlmClient, ModelConnections, ModelOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use agent::{AgentConfig, AgentExecuteOptions, AgentIntegration, AgentMode};
pub use launch::{IgnoreDefaultArgs, LocalBrowserLaunchOptions, ProxyOptions, ViewportOptions};
pub use page_calls::ReadOptions;
pub use page_extract::PageExtractOptions;
pub(crate) use page_extract::is_of_objects;
pub use read::from_json;
pub(crate) use read::{misfit, out_of_range};

use crate::log::Logger;
use crate::page::Page;
use crate::service::Service;
use crate::variables::Variable;
use crate::{Error, ErrorKind};

/// The model that is asked when none is given.
pub const DEFAULT_MODEL: &str = "openai/gpt-4.1-mini";

/// Where the browser runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Env {
    /// On this machine.
    Local,
    /// On a platform of browsers.
    Remote,
}

impl std::str::FromStr for Env {
    type Err = Error;

    /// # Errors
    /// [`ErrorKind::Environment`] for anything but `LOCAL` and `REMOTE`.
    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "LOCAL" => Ok(Self::Local),
            "REMOTE" => Ok(Self::Remote),
            other => Err(
                Error::new(ErrorKind::Environment, format!("there is no env \"{other}\""))
                    .hint("use \"LOCAL\" or \"REMOTE\""),
            ),
        }
    }
}

/// What a remote platform speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RemotePlatform {
    /// The interface of `automator serve`.
    Automator,
    /// The hosted platform's two services, at `REMOTE_BASE_URL` and `REMOTE_API_URL`.
    Hosted,
    /// The DevTools protocol of one browser, without sessions and without a key.
    Cdp,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema)]
#[serde(into = "u8")]
#[schemars(with = "u8", extend("maximum" = 2))]
pub enum Verbosity {
    /// Only what went wrong.
    Minimal,
    /// What is done.
    #[default]
    Standard,
    /// Everything.
    Detailed,
}

impl From<Verbosity> for u8 {
    fn from(verbosity: Verbosity) -> u8 {
        match verbosity {
            Verbosity::Minimal => 0,
            Verbosity::Standard => 1,
            Verbosity::Detailed => 2,
        }
    }
}

impl<'de> Deserialize<'de> for Verbosity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            0 => Ok(Self::Minimal),
            1 => Ok(Self::Standard),
            2 => Ok(Self::Detailed),
            other => Err(serde::de::Error::custom(format!(
                "verbose must be 0, 1 or 2, not {other}"
            ))),
        }
    }
}

/// Options of a session.
///
/// ```
/// use automator::{AutomatorOptions, Env};
///
/// let options = AutomatorOptions { model: Some("openai/gpt-4.1-mini".into()), ..AutomatorOptions::new(Env::Local) };
/// assert!(options.self_heal);
/// ```
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of the documented interface"
)]
pub struct AutomatorOptions {
    /// Where the browser runs.
    pub env: Env,
    /// Key of the remote platform. Default: the environment variable `REMOTE_API_KEY`.
    #[serde(default)]
    pub api_key: Option<String>,
    /// Resumes an existing remote session instead of creating one.
    #[serde(default, rename = "remoteSessionID")]
    pub remote_session_id: Option<String>,
    /// Where the remote platform is: its HTTP address, or the WebSocket address of a browser (`ws:`, `wss:`). Default:
    /// the environment variable `REMOTE_BASE_URL`, else `http://127.0.0.1:4800`, where `automator serve` listens.
    #[serde(default, rename = "remoteBaseURL")]
    pub remote_base_url: Option<String>,
    /// What is spoken there. Default: [`RemotePlatform::Automator`]; [`RemotePlatform::Cdp`] for a WebSocket address.
    #[serde(default)]
    pub remote_platform: Option<RemotePlatform>,
    /// Extra parameters for the creation of a remote session.
    #[serde(default)]
    pub remote_session_create_params: Option<BTreeMap<String, Value>>,
    /// How the local browser is started or attached to.
    #[serde(default)]
    pub local_browser_launch_options: LocalBrowserLaunchOptions,
    /// The model for all operations. Default: [`DEFAULT_MODEL`].
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub model: Option<ModelOptions>,
    /// A client that is used instead of the model's.
    #[serde(skip)]
    pub llm_client: Option<Arc<dyn LlmClient>>,
    /// Instructions that are part of every prompt.
    #[serde(default)]
    pub system_prompt: Option<String>,
    /// Whether actions may recover from failures. Default: true.
    #[serde(default = "yes")]
    pub self_heal: bool,
    /// Accepts features that may change between versions without notice. Default: false.
    #[serde(default)]
    pub experimental: bool,
    /// How long the page may take to come to rest. Default: 30 s. In JSON: milliseconds.
    #[serde(default = "settle_limit", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    pub dom_settle_timeout: Duration,
    /// Where actions and extractions are remembered. Default: nowhere.
    #[serde(default)]
    pub cache_dir: Option<PathBuf>,
    /// Leaves the browser running after `close()` and after the end of the program. Default: false. When it is given,
    /// it counts instead of `remoteSessionCreateParams.keepAlive`.
    #[serde(default)]
    pub keep_alive: Option<bool>,
    /// Whether the remote platform answers repeated calls from its cache. Default: true. No effect locally.
    #[serde(default = "yes")]
    pub server_cache: bool,
    /// How much is logged. Default: [`Verbosity::Standard`].
    #[serde(default)]
    pub verbose: Verbosity,
    /// Writes what goes to and comes from models into `./inference_summary`. Default: false.
    #[serde(default)]
    pub log_inference_to_file: bool,
    /// Leaves the `tracing` events out, for a program that only wants its `logger`. Default: false.
    #[serde(default)]
    pub disable_log_backend: bool,
    /// Receives every log line up to the verbosity.
    #[serde(skip)]
    pub logger: Option<Logger>,
    /// The connections that models are reached by. Default: some of the session's own, straight to the provider or
    /// through the proxy that the environment names. With it no client of a model, and no key, outlives its call.
    #[serde(skip)]
    pub model_connections: Option<ModelConnections>,
    /// The folder that actions may give files from, each by its bare name. Default: any file of this machine.
    #[serde(skip)]
    pub file_folder: Option<PathBuf>,
    /// Says whether another client of the browser at `cdpUrl` answers its dialogs. Default: none does.
    #[serde(skip)]
    pub dialogs_elsewhere: Option<DialogsElsewhere>,
    /// Whether operations are kept in the history. Default: true.
    #[serde(skip, default = "yes")]
    pub keeps_history: bool,
    /// Looks up environment variables. Default: those of the process.
    #[serde(skip)]
    pub environment: EnvironmentSource,
    /// The language that the program is written in, which a remote platform is told. Default: `rust`.
    #[serde(skip, default = "own_language")]
    pub language: &'static str,
}

impl AutomatorOptions {
    /// The defaults.
    #[must_use]
    pub fn new(env: Env) -> Self {
        Self {
            env,
            api_key: None,
            remote_session_id: None,
            remote_base_url: None,
            remote_platform: None,
            remote_session_create_params: None,
            local_browser_launch_options: LocalBrowserLaunchOptions::default(),
            model: None,
            llm_client: None,
            system_prompt: None,
            self_heal: true,
            experimental: false,
            dom_settle_timeout: settle_limit(),
            cache_dir: None,
            keep_alive: None,
            server_cache: true,
            verbose: Verbosity::default(),
            log_inference_to_file: false,
            disable_log_backend: false,
            logger: None,
            model_connections: None,
            file_folder: None,
            dialogs_elsewhere: None,
            keeps_history: true,
            environment: EnvironmentSource::default(),
            language: own_language(),
        }
    }

    /// Reads options from a plain object, as other languages hand them over.
    ///
    /// # Errors
    /// [`ErrorKind::Environment`] for an `env` that does not exist, [`ErrorKind::InvalidArgument`] for every other
    /// option that cannot be used, with its full path; an unknown member is named with the nearest known one.
    /// [`ErrorKind::InvalidModelFormat`] for a model that is not `provider/model`.
    pub fn from_json(options: &Value) -> Result<Self, Error> {
        if let Some(env) = options.get("env").and_then(Value::as_str) {
            env.parse::<Env>()?;
        }
        let options: Self = from_json("options", options)?;
        options.check()?;
        Ok(options)
    }
}

impl fmt::Debug for AutomatorOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AutomatorOptions")
            .field("env", &self.env)
            .field("model", &self.model)
            .field("verbose", &self.verbose)
            .finish_non_exhaustive()
    }
}

fn yes() -> bool {
    true
}

fn own_language() -> &'static str {
    "rust"
}

fn settle_limit() -> Duration {
    Duration::from_secs(30)
}

/// Where environment variables come from; the only place that reads those of the process.
#[derive(Clone)]
pub struct EnvironmentSource(Arc<Lookup>);

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

impl EnvironmentSource {
    /// Variables from a function.
    pub fn new(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }
}

impl fmt::Debug for EnvironmentSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EnvironmentSource")
    }
}

impl Default for EnvironmentSource {
    fn default() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place that reads the environment"
        )]
        Self::new(|name| std::env::var(name).ok())
    }
}

impl Environment for EnvironmentSource {
    fn variable(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }
}

/// Options of one [`extract`](crate::Automator::extract) call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ExtractOptions {
    /// The model of this call. Default: that of the session.
    #[schemars(with = "Option<Value>")]
    pub model: Option<ModelOptions>,
    /// The limit of time; zero is none. Default: 120 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub timeout: Option<Duration>,
    /// Limits the extraction to one part of the page: a CSS selector, or an XPath, bare or with `xpath=`; `>>`
    /// leads into a frame or a shadow root. One that matches nothing is an error. Default: the whole page.
    pub selector: Option<String>,
    /// Selectors whose elements are left out with all that is below them. One that matches nothing is fine.
    pub ignore_selectors: Vec<String>,
    /// Sends a PNG of the viewport with the page text. Default: false.
    pub screenshot: bool,
    /// The page. Default: the active one.
    #[serde(skip)]
    pub page: Option<Page>,
    /// Overrides the session's setting. No effect locally.
    pub server_cache: Option<bool>,
    /// For a server that runs the call for a client. Default: nothing of it.
    #[serde(skip)]
    pub service: Service,
}

/// Options of one [`snapshot_with`](crate::Page::snapshot_with) call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SnapshotOptions {
    /// Limits the snapshot to one part of the page; see [`ExtractOptions::selector`]. Default: the whole page.
    pub selector: Option<String>,
    /// Selectors whose elements are left out with all that is below them. One that matches nothing is fine.
    pub ignore_selectors: Vec<String>,
    /// Whether the content of frames is read, too. Default: true.
    pub include_iframes: Option<bool>,
    /// The limit of time; zero is none. Default: 30 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub timeout: Option<Duration>,
}

/// Options of one [`act`](crate::Automator::act) call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ActOptions {
    /// The model of this call. Default: that of the session.
    #[schemars(with = "Option<Value>")]
    pub model: Option<ModelOptions>,
    /// Values for `%name%` in the instruction and in arguments. The model is told the names and what they are
    /// for, never a value.
    pub variables: BTreeMap<String, Variable>,
    /// The limit of time for all of it; zero is none. Three quarters of it are how long an element is waited for,
    /// which is 2 s to be there and 5 s to be usable otherwise. Default: 60 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(with = "Option<u64>")]
    pub timeout: Option<Duration>,
    /// The page. Default: the active one.
    #[serde(skip)]
    pub page: Option<Page>,
    /// Overrides the session's setting. No effect locally.
    pub server_cache: Option<bool>,
    /// For a server that runs the call for a client. Default: nothing of it.
    #[serde(skip)]
    pub service: Service,
}

/// Options of one [`observe`](crate::Automator::observe) call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ObserveOptions {
    /// The model of this call. Default: that of the session.
    #[schemars(with = "Option<Value>")]
    pub model: Option<ModelOptions>,
    /// Values for `%name%`; see [`ActOptions::variables`].
    pub variables: BTreeMap<String, Variable>,
    /// The limit of time; zero is none. Default: 60 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(with = "Option<u64>")]
    pub timeout: Option<Duration>,
    /// Limits the search to one part of the page; see [`ExtractOptions::selector`]. Default: the whole page.
    pub selector: Option<String>,
    /// Selectors whose elements are left out with all that is below them. One that matches nothing is fine.
    pub ignore_selectors: Vec<String>,
    /// The page. Default: the active one.
    #[serde(skip)]
    pub page: Option<Page>,
    /// Overrides the session's setting. No effect locally.
    pub server_cache: Option<bool>,
    /// For a server that runs the call for a client. Default: nothing of it.
    #[serde(skip)]
    pub service: Service,
}
