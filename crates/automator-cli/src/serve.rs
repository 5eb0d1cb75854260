//! `automator serve`: a platform of browsers on this machine.

use std::net::SocketAddr;
use std::path::PathBuf;

use automator::EnvironmentSource;
use automator_server::egress::policy::{AllowRule, EgressMode, EgressPolicy};
use automator_server::slots::SlotLimits;
use automator_server::{Server, ServerOptions};
use clap::Args;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::interrupt::Signals;
use crate::output::{Layout, print_json, print_text};
use crate::progress::Progress;
use crate::server_folder::server_folder;

/// Serve browsers to programs, on this machine or others
///
/// Everything is there in one command: the browsers are Chromium on this machine, and what has to outlive the server is
/// in one folder. The first time, a new API key is printed; it is not told again. `automator keys` makes more of them.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES)]
pub(crate) struct ServeArguments {
    /// Where to listen; port 0 takes a free one
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:4800",
        env = "AUTOMATOR_LISTEN"
    )]
    listen: SocketAddr,
    /// The folder for sessions, keys and browsers [default: automator/server in the user's folder for state]
    #[arg(long, value_name = "FOLDER", env = "AUTOMATOR_SERVER_FOLDER")]
    folder: Option<PathBuf>,
    /// Where clients reach the server, when that is not the address it listens on
    #[arg(long, value_name = "URL", env = "AUTOMATOR_PUBLIC_URL")]
    public_url: Option<String>,
    /// An origin whose pages may call the server, as in https://desk.example; can be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN")]
    origins: Vec<String>,
    /// How many browsers run at once
    #[arg(long, value_name = "COUNT", default_value = "10", value_parser = clap::value_parser!(u16).range(1..))]
    slots: u16,
    /// How many of them one key may have [default: all]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    slots_per_key: Option<u16>,
    /// How many requests wait for a browser before further ones are refused
    #[arg(long, value_name = "COUNT", default_value = "100")]
    queue: u16,
    /// What browsers may reach: `open` is the internet, private networks and this machine, `public` the internet,
    /// `list` nothing [default: open when it listens on this machine alone, else public]
    #[arg(long, value_name = "MODE", env = "AUTOMATOR_EGRESS")]
    egress: Option<EgressMode>,
    /// What they may reach besides: a host, *.host, address or network, each with a port if wanted; can be given
    /// several times
    #[arg(long, value_name = "HOST[:PORT]|CIDR")]
    egress_allow: Vec<AllowRule>,
    /// The browser's executable [default: a Chromium that is found]
    #[arg(long, value_name = "FILE", env = "CHROME_PATH")]
    executable_path: Option<PathBuf>,
    /// Print one JSON object on one line once it listens: url, and apiKey when there is a new one
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(arguments: ServeArguments, progress: &Progress) -> Result<Exit, Failure> {
    let is_json = arguments.json;
    let options = options(arguments)?;
    let folder = options.folder.clone();
    let mut signals = Signals::listen().map_err(Failure::System)?;
    progress.step("Starting the server");
    let server = Server::start(options).await.map_err(Failure::server)?;
    let key = server.first_key().await.map_err(Failure::server)?;
    progress.finish();
    let key = key.as_ref().map(automator_server::key::ApiKey::reveal);
    let url = server.public_url();
    if is_json {
        print_json(&json!({ "url": url, "apiKey": key }), Layout::Compact)?;
    } else {
        let about_keys = match key {
            Some(key) => {
                format!("Your API key, which is not shown again:\n\n    export REMOTE_API_KEY={key}\n")
            }
            None => "It has API keys already; `automator keys create` makes another one.\n".to_owned(),
        };
        let folder = folder.display();
        print_text(&format!(
            "The server listens on {url}\n{about_keys}\nWhat outlives it is in {folder}\nCtrl-C ends it."
        ))?;
    }
    let exit = signals.next().await;
    progress.step("Ending sessions");
    server.stop().await;
    // Whoever interrupts a server wants it to end, and it has done all that it had to.
    Ok(if exit == Exit::Interrupted {
        Exit::Success
    } else {
        exit
    })
}

fn options(arguments: ServeArguments) -> Result<ServerOptions, Failure> {
    let folder = match arguments.folder {
        Some(folder) => folder,
        None => server_folder(&EnvironmentSource::default())?,
    };
    let mut options = ServerOptions::new(folder);
    options.listen = arguments.listen;
    options.platform.egress = EgressPolicy {
        mode: arguments
            .egress
            .unwrap_or_else(|| EgressMode::for_listener(arguments.listen.ip())),
        allow: arguments.egress_allow,
    };
    options.executable = arguments.executable_path;
    options.public_url = arguments
        .public_url
        .map(|url| url.trim_end_matches('/').to_owned());
    options.origins = arguments.origins;
    options.platform.slots = SlotLimits {
        slots: arguments.slots.into(),
        per_owner: arguments.slots_per_key.unwrap_or(arguments.slots).into(),
        waiting: arguments.queue.into(),
    };
    Ok(options)
}
