//! Options of an agent, and of one run of it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::ModelOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read;
use crate::agent::{AbortSignal, AgentCallbacks, AgentConfirm, AgentTool};
use crate::page::Page;
use crate::service::Service;
use crate::variables::Variable;

/// How an agent sees pages and what it does them with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AgentMode {
    /// It reads pages as text and names elements.
    Dom,
    /// As [`Dom`](Self::Dom), and besides it looks at pictures and points at places in them.
    Hybrid,
    /// A model that was made for using computers looks at pictures and says where to press.
    Cua,
}

/// A server of tools by the Model Context Protocol.
///
/// In JSON: the address as a text, or `{ command, args?, env? }`.
///
/// ```
/// use automator::AgentIntegration;
///
/// let files = serde_json::json!({ "command": "mcp-files", "args": ["--read-only"], "env": { "ROOT": "/srv" } });
/// let files: AgentIntegration = automator::from_json("integration", &files)?;
/// assert!(matches!(files, AgentIntegration::Command { .. }));
/// # Ok::<(), automator::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum AgentIntegration {
    /// One that is reached by streamable HTTP at this address.
    Url(String),
    /// A program that is started, and talked to over its standard input and output.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
        /// Variables of its environment, besides those of this program.
        #[serde(default)]
        env: BTreeMap<String, String>,
    },
}

impl From<&str> for AgentIntegration {
    fn from(url: &str) -> Self {
        Self::Url(url.to_owned())
    }
}

impl fmt::Debug for AgentIntegration {
    /// Addresses, arguments and environments may hold secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(_) => formatter.write_str("Url"),
            Self::Command { command, .. } => write!(formatter, "Command({command})"),
        }
    }
}

/// What an agent is made of.
///
/// ```
/// use automator::{AgentConfig, AgentMode};
///
/// let config = AgentConfig { mode: Some(AgentMode::Dom), ..AgentConfig::default() };
/// assert!(config.tools.is_empty() && !config.stream);
/// ```
#[derive(Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AgentConfig {
    /// The model that decides. Default: that of the session. Its member `price` (`{ input, cachedInput, output }`, a
    /// million tokens each) is what [`AgentExecuteOptions::max_cost`] counts with.
    #[schemars(with = "Option<Value>")]
    pub model: Option<ModelOptions>,
    /// The model of the `act`, `observe` and `extract` calls inside. Default: the agent's.
    #[schemars(with = "Option<Value>")]
    pub execution_model: Option<ModelOptions>,
    /// Instructions for every run, besides those of the session.
    pub system_prompt: Option<String>,
    /// How it works. Default: hybrid for models known to point well (Gemini 3, Claude, GPT 5.4 to 5.6), else dom.
    pub mode: Option<AgentMode>,
    /// Tools of your own, besides the built-in ones. Their names must be free. Needs `experimental`.
    #[serde(skip)]
    pub tools: Vec<Arc<dyn AgentTool>>,
    /// Servers of tools by the Model Context Protocol, connected for each run and ended with it. A tool whose name is
    /// taken gets a number behind it. Needs `experimental`.
    pub integrations: Vec<AgentIntegration>,
    /// Whether bindings give a stream for [`execute`](crate::Agent::execute). In Rust a run is made a stream by
    /// [`stream`](crate::AgentRun::stream). Default: false. Needs `experimental`.
    pub stream: bool,
}

impl fmt::Debug for AgentConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name()).collect();
        formatter
            .debug_struct("AgentConfig")
            .field("model", &self.model)
            .field("execution_model", &self.execution_model)
            .field("mode", &self.mode)
            .field("tools", &tools)
            .field("integrations", &self.integrations)
            .field("stream", &self.stream)
            .finish_non_exhaustive()
    }
}

/// What one run of an agent is to do, and within which limits.
///
/// ```
/// use automator::{AgentExecuteOptions, from_json};
///
/// let options = serde_json::json!({ "instruction": "find the cheapest lamp", "maxSteps": 8, "toolTimeout": 20000 });
/// let options: AgentExecuteOptions = from_json("options", &options)?;
/// assert_eq!(options.max_steps, Some(8));
/// # Ok::<(), automator::Error>(())
/// ```
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentExecuteOptions {
    /// What to do, in words.
    pub instruction: String,
    /// How many times the model may decide, at least 1. Default: 20. When they are used up, it is asked what came of
    /// the task, and that is the result.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    /// The page to begin on; tabs that it opens are followed. Default: whichever page is active, at each step.
    #[serde(skip)]
    pub page: Option<Page>,
    /// Values for `%name%`, which only pages get to see. The model is told the names and what they are for.
    #[serde(default)]
    pub variables: BTreeMap<String, Variable>,
    /// The limit of time of each call of a tool; zero is none. The model is told when it was reached. Default: 45 s.
    /// In JSON: milliseconds.
    #[serde(default, deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub tool_timeout: Option<Duration>,
    /// Names of tools that are not offered. Needs `experimental`.
    #[serde(default)]
    pub exclude_tools: Vec<String>,
    /// The JSON Schema of [`AgentResult::output`](crate::AgentResult::output). Default: there is none. Needs
    /// `experimental`.
    #[serde(default)]
    pub output: Option<Value>,
    /// Ends the run from outside, with [`ErrorKind::AgentAbort`](crate::ErrorKind::AgentAbort). Needs `experimental`.
    #[serde(skip)]
    pub signal: Option<AbortSignal>,
    /// Told what happens while it happens. Needs `experimental`.
    #[serde(skip)]
    pub callbacks: Option<AgentCallbacks>,
    /// The [`messages`](crate::AgentResult::messages) of an earlier run, which this one goes on with. Needs
    /// `experimental`.
    #[serde(default)]
    pub messages: Option<Vec<Value>>,
    /// Shows in the window where the agent points, for people who watch. Default: false.
    #[serde(default)]
    pub highlight_cursor: Option<bool>,
    /// A search of the web as a tool. There is none built in: true is refused. Default: false.
    #[serde(default)]
    pub use_search: Option<bool>,
    /// The limit of time of the whole run; zero is none. Default: none. In JSON: milliseconds.
    #[serde(default, deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    pub timeout: Option<Duration>,
    /// The most tokens that all model calls of the run may take together, sent and written. It is looked at between
    /// calls, so the last one may go beyond it. At least 1. Default: no limit.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// The most that all model calls of the run may cost together, in the unit of the models' `price`, without
    /// which it cannot be used. It is looked at between calls. Default: no limit.
    #[serde(default)]
    pub max_cost: Option<f64>,
    /// Asked before purchases, deletions, messages, uploads and downloads, as far as they can be told by the element.
    /// A no, and an error, means that it is not done, and the model is told. Default: all is allowed.
    #[serde(skip)]
    pub confirm: Option<AgentConfirm>,
    /// What a server that runs this for a client hands in.
    #[serde(skip)]
    pub service: Service,
}

impl AgentExecuteOptions {
    /// A task, with the defaults for everything else.
    #[must_use]
    pub fn new(instruction: impl Into<String>) -> Self {
        Self {
            instruction: instruction.into(),
            ..Self::default()
        }
    }
}

impl From<&str> for AgentExecuteOptions {
    fn from(instruction: &str) -> Self {
        Self::new(instruction)
    }
}

impl From<String> for AgentExecuteOptions {
    fn from(instruction: String) -> Self {
        Self::new(instruction)
    }
}

impl From<&String> for AgentExecuteOptions {
    fn from(instruction: &String) -> Self {
        Self::new(instruction.as_str())
    }
}
