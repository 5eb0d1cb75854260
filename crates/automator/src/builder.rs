//! Options of a session, set one by one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use automator_llm::{LlmClient, ModelOptions};

use crate::log::{LogLine, Logger};
use crate::options::{AutomatorOptions, Env, LocalBrowserLaunchOptions, Verbosity};
use crate::{Automator, Result};

/// Builds a session; see [`AutomatorOptions`] for what each option means.
#[derive(Debug, Clone)]
#[must_use = "call build()"]
pub struct Builder {
    options: AutomatorOptions,
}

impl Builder {
    pub(crate) fn new(env: Env) -> Self {
        Self {
            options: AutomatorOptions::new(env),
        }
    }

    /// The model for all operations: `provider/model`, or a model object.
    pub fn model(mut self, model: impl Into<ModelOptions>) -> Self {
        self.options.model = Some(model.into());
        self
    }

    /// A client of your own instead of the model's.
    pub fn llm_client(mut self, client: impl LlmClient + 'static) -> Self {
        self.options.llm_client = Some(Arc::new(client));
        self
    }

    /// How the local browser is started or attached to.
    pub fn local_browser(mut self, launch: LocalBrowserLaunchOptions) -> Self {
        self.options.local_browser_launch_options = launch;
        self
    }

    /// Instructions that are part of every prompt.
    pub fn system_prompt(mut self, text: impl Into<String>) -> Self {
        self.options.system_prompt = Some(text.into());
        self
    }

    /// How long the page may take to come to rest.
    pub fn dom_settle_timeout(mut self, limit: Duration) -> Self {
        self.options.dom_settle_timeout = limit;
        self
    }

    /// Where actions and extractions are remembered.
    pub fn cache_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.options.cache_dir = Some(folder.into());
        self
    }

    /// Whether actions may recover from failures by asking the model once more.
    pub fn self_heal(mut self, self_heal: bool) -> Self {
        self.options.self_heal = self_heal;
        self
    }

    /// Leaves the browser running after the session.
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.options.keep_alive = Some(keep_alive);
        self
    }

    /// How much is logged.
    pub fn verbose(mut self, verbose: Verbosity) -> Self {
        self.options.verbose = verbose;
        self
    }

    /// Receives every log line up to the verbosity.
    pub fn logger(mut self, receive: impl Fn(&LogLine) + Send + Sync + 'static) -> Self {
        self.options.logger = Some(Logger::new(receive));
        self
    }

    /// Writes what goes to and comes from models into `./inference_summary`.
    pub fn log_inference_to_file(mut self, write: bool) -> Self {
        self.options.log_inference_to_file = write;
        self
    }

    /// Any option, by its field.
    pub fn with(mut self, change: impl FnOnce(&mut AutomatorOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// The session, not yet initialised.
    ///
    /// # Errors
    /// As [`Automator::new`].
    pub fn build(self) -> Result<Automator> {
        Automator::new(self.options)
    }
}
