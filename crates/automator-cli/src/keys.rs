//! `automator keys`: the API keys of a server.

use std::path::{Path, PathBuf};

use automator::EnvironmentSource;
use automator_server::audit::{Audit, AuditEvent};
use automator_server::store::{SqliteStore, Store as _, StoreError};
use automator_server::{create_key, make_folder};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::output::{Layout, print_json, print_rows, print_text};
use crate::server_folder::server_folder;

/// Make, list and revoke the API keys of `automator serve`
///
/// It works on the server's folder, whether the server runs or not; what is changed holds at once.
#[derive(Debug, Args)]
#[command(after_help = crate::exit::CODES, arg_required_else_help = true)]
pub(crate) struct KeysArguments {
    #[command(subcommand)]
    command: Command,
    /// The server's folder [default: that of `automator serve`]
    #[arg(long, value_name = "FOLDER", env = "AUTOMATOR_SERVE_FOLDER", global = true)]
    folder: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a key, and print it; it is not told again
    Create {
        /// What to call it in lists
        #[arg(value_name = "NAME", default_value = "unnamed")]
        name: String,
    },
    /// List the keys: public part, name, whether it is valid
    List,
    /// Revoke a key, at once and for ever
    Revoke {
        /// Its public part: the 8 characters after `amk_`
        #[arg(value_name = "PUBLIC")]
        key: String,
    },
}

pub(crate) async fn run(arguments: KeysArguments) -> Result<Exit, Failure> {
    let folder = match arguments.folder {
        Some(folder) => folder,
        None => server_folder(&EnvironmentSource::default())?,
    };
    let is_json = arguments.json;
    let store = open(&folder, &arguments.command)?;
    let audit = Audit::in_folder(&folder);
    match arguments.command {
        Command::Create { name } => {
            let key = create_key(&store, &name).await.map_err(Failure::server)?;
            audit.record(AuditEvent::KeyCreated {
                key: key.public(),
                name: &name,
            });
            if is_json {
                print_json(
                    &json!({ "id": key.public(), "apiKey": key.reveal() }),
                    Layout::Compact,
                )?;
            } else {
                print_text(key.reveal())?;
            }
        }
        Command::List => {
            let keys = store.keys().await.map_err(failed)?;
            if is_json {
                let keys: Vec<_> = keys
                    .iter()
                    .map(|key| json!({ "id": key.id, "name": key.name, "isValid": key.revoked_at.is_none() }))
                    .collect();
                print_json(&keys, Layout::Compact)?;
            } else {
                print_rows(keys.into_iter().map(|key| {
                    let state = if key.revoked_at.is_none() {
                        "valid"
                    } else {
                        "revoked"
                    };
                    [key.id, printable(&key.name), state.to_owned()]
                }))?;
            }
        }
        Command::Revoke { key } => {
            // The whole key is as good, for those who have it before them.
            let public = key
                .strip_prefix("amk_")
                .and_then(|rest| rest.get(..8))
                .unwrap_or(&key);
            match store.revoke_key(public).await {
                Err(StoreError::NotFound(_)) => {
                    let message = format!("there is no key `{public}`");
                    return Err(Failure::usage(message).hint("`automator keys list` lists them"));
                }
                revoked => revoked.map_err(failed)?,
            }
            audit.record(AuditEvent::KeyRevoked { key: public });
            if is_json {
                print_json(&json!({ "revoked": public }), Layout::Compact)?;
            } else {
                print_text(&format!("The key {public} is revoked."))?;
            }
        }
    }
    Ok(Exit::Success)
}

/// The store in a server's folder. Only to make a key a new one is made, which is said: a folder that is misspelt has
/// none either.
fn open(folder: &Path, command: &Command) -> Result<SqliteStore, Failure> {
    let shown = folder.display();
    let unusable =
        |error: std::io::Error| Failure::usage(format!("{shown} cannot be the server's folder: {error}"));
    let database = folder.join(automator_server::DATABASE);
    let is_there = database.try_exists().map_err(unusable)?;
    if !is_there && !matches!(command, Command::Create { .. }) {
        let message = format!("no server has ever run in {shown}");
        return Err(Failure::usage(message).hint("name the server's folder with --folder"));
    }
    make_folder(folder).map_err(unusable)?;
    let store = SqliteStore::open(&database).map_err(failed)?;
    if !is_there {
        tracing::warn!(
            "no server has ever run in {shown}: a new store was made there, and no server that runs knows the key"
        );
    }
    Ok(store)
}

/// A name without what terminals take as commands.
fn printable(name: &str) -> String {
    let shown = |character: char| {
        if character.is_control() {
            '\u{fffd}'
        } else {
            character
        }
    };
    name.chars().map(shown).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` hands over")]
fn failed(error: StoreError) -> Failure {
    Failure::failed(error.to_string())
}
