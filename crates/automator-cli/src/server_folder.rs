//! Where a server keeps what outlives it.

use std::path::PathBuf;

use automator::Environment;

use crate::exit::Failure;

/// `$XDG_STATE_HOME/automator/server`, or `~/.local/state/automator/server`. It need not exist.
pub(crate) fn server_folder(environment: &dyn Environment) -> Result<PathBuf, Failure> {
    crate::open_browsers::state_folder(environment)
        .map(|folder| folder.join("server"))
        .ok_or_else(|| {
            Failure::usage("there is no place for the server's data: neither XDG_STATE_HOME nor HOME is set")
                .hint("name a folder with --folder")
        })
}
