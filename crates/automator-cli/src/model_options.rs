//! Which model is asked, and where, and what is remembered of its answers.

use std::path::PathBuf;

use automator::{DEFAULT_MODEL, ModelOptions as Model};
use clap::Args;

use crate::session::Settings;

#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct ModelOptions {
    /// The model as PROVIDER/MODEL; its key is read from PROVIDER_API_KEY [default: openai/gpt-4.1-mini]
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub(crate) model: Option<String>,
    /// Where the model is served, for a gateway or a server of your own, as in http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

/// Which model is asked, and what is remembered of its answers.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub(crate) struct AskingOptions {
    #[command(flatten)]
    pub(crate) model: ModelOptions,
    /// Remember what has worked in this folder, and do it again without a model; secrets are not written
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache_dir: Option<PathBuf>,
}

impl AskingOptions {
    /// What a session is told of it.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            cache_dir: self.cache_dir.clone(),
            ..Settings::new(self.model.to_model())
        }
    }
}

impl ModelOptions {
    /// The name of the model that is asked.
    pub(crate) fn name(&self) -> &str {
        self.model.as_deref().unwrap_or(DEFAULT_MODEL)
    }

    /// What the library is told.
    pub(crate) fn to_model(&self) -> Model {
        let mut model = Model::new(self.name());
        model.base_url.clone_from(&self.base_url);
        model
    }

    /// Whether the user wants a certain model, and not just any that works.
    pub(crate) fn is_chosen(&self) -> bool {
        self.model.is_some() || self.base_url.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_names_the_default_model() {
        let command = ModelOptions::augment_args(clap::Command::new("test"));
        let help = command
            .get_arguments()
            .find(|argument| argument.get_id() == "model");
        let help = help
            .and_then(|argument| argument.get_help())
            .map(ToString::to_string);
        assert!(help.unwrap().contains(DEFAULT_MODEL));
    }
}
