//! `automator serve`: a platform of browsers on this machine.
//!
//! What is set comes from flags, variables, a file and the server's defaults, in this order: `serve/settings.rs` names
//! it, `serve/file.rs` reads and prints it as a file, `serve/options.rs` makes the options of a server of it.

mod file;
mod options;
mod settings;
mod toml;
mod variables;

use std::path::PathBuf;

use automator::EnvironmentSource;
use automator_server::{Server, ServerOptions};
use clap::Args;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::interrupt::Signals;
use crate::output::{Layout, print_json, print_text};
use crate::progress::Progress;
use settings::Settings;

pub(crate) use settings::LogFormat;

/// Serve browsers to programs, on this machine or others
///
/// Everything is there in one command: the browsers are Chromium on this machine, and what has to outlive the server is
/// in one folder. The first time, a new API key is printed; it is not told again. `automator keys` makes more of them.
///
/// Every option can also be given as a variable, or in a file under its name without the dashes. A flag comes before a
/// variable, and a variable before the file.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    settings: Settings,
    /// A TOML file with options, as `slots = 4`
    #[arg(long, value_name = "FILE", env = "AUTOMATOR_SERVE_CONFIG")]
    config: Option<PathBuf>,
    /// Print the options that hold as such a file, and end
    #[arg(long, conflicts_with = "json")]
    print_config: bool,
    /// Print one JSON object on one line once it listens: url, and apiKey when there is a new one
    #[arg(long)]
    json: bool,
}

impl ServeArguments {
    /// Adds what the file says to what was given.
    pub(crate) fn read_config(&mut self) -> Result<(), Failure> {
        if let Some(path) = self.config.take() {
            let given = std::mem::take(&mut self.settings);
            self.settings = given.or(file::read(&path)?);
        }
        Ok(())
    }

    pub(crate) fn log_format(&self) -> LogFormat {
        self.settings.log_format.unwrap_or_default()
    }
}

pub(crate) async fn run(arguments: ServeArguments, progress: &Progress) -> Result<Exit, Failure> {
    variables::check(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()))?;
    let settings = arguments.settings;
    let options = settings.clone().into_options(&EnvironmentSource::default())?;
    let slots = &options.platform.slots;
    if slots.per_owner > slots.slots {
        tracing::warn!(
            "--slots-per-key {} has no effect: there are only {} slots for all keys together (--slots)",
            slots.per_owner,
            slots.slots
        );
    }
    if arguments.print_config {
        options.check().map_err(Failure::server)?;
        print_text(&file::print(&options, &settings))?;
        return Ok(Exit::Success);
    }
    let mut signals = Signals::listen().map_err(Failure::System)?;
    progress.step("Starting the server");
    let is_usual_folder = settings.folder.is_none();
    let folder = options.folder.clone();
    let server = start(options).await?;
    let key = server.first_key().await.map_err(Failure::server)?;
    progress.finish();
    let key = key.as_ref().map(automator_server::key::ApiKey::reveal);
    let url = server.public_url();
    if arguments.json {
        print_json(&json!({ "url": url, "apiKey": key }), Layout::Compact)?;
    } else {
        let folder = folder.display();
        let about_keys = match key {
            Some(key) => {
                format!("Your API key, which is not shown again:\n\n    export REMOTE_API_KEY={key}\n")
            }
            None if is_usual_folder => {
                "It has API keys already; `automator keys create` makes another one.\n".to_owned()
            }
            None => format!(
                "It has API keys already; `automator keys create --folder {folder}` makes another one.\n"
            ),
        };
        print_text(&format!(
            "The server listens on {url}\n{about_keys}\nWhat outlives it is in {folder}\nCtrl-C ends it."
        ))?;
    }
    signals.next().await;
    progress.step("Ending sessions");
    server.stop().await;
    // Whoever sends a signal to a server wants it to end, and it has done all that it had to.
    Ok(Exit::Success)
}

async fn start(options: ServerOptions) -> Result<Server, Failure> {
    Server::start(options).await.map_err(Failure::server)
}
