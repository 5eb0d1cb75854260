//! Finding and starting other programs.

use std::ffi::OsStr;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

/// How what is compiled is built: quickly, or to be quick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Profile {
    Dev,
    Release,
}

/// The program of this name on the search path.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
pub(crate) fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Cargo, working on the workspace.
///
/// The variables that describe this very package are taken away: build scripts may watch them, and
/// would run again each time Cargo is called once from here and once by hand.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(describes_this_package) {
            command.env_remove(name);
        }
    }
    command
}

fn describes_this_package(variable: &str) -> bool {
    variable.starts_with("CARGO_PKG_")
        || variable.starts_with("CARGO_BIN_")
        || matches!(
            variable,
            "CARGO_MANIFEST_DIR" | "CARGO_MANIFEST_PATH" | "CARGO_CRATE_NAME" | "CARGO_PRIMARY_PACKAGE"
        )
}

/// Where Cargo puts what it builds.
pub(crate) fn target_folder(root: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root.join(folder),
        None => root.join("target"),
    }
}

/// What keeps Cargo from naming every crate it compiles: in a log that only hides the findings, on a
/// terminal it shows that work goes on.
pub(crate) fn quiet_unless_watched() -> &'static [&'static str] {
    if std::io::stderr().is_terminal() {
        &[]
    } else {
        &["--quiet"]
    }
}

/// Runs a program with our input and output; whether it succeeded.
pub(crate) fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command
        .status()
        .with_context(|| format!("starting {}", shown(command)))?;
    Ok(status.success())
}

/// Runs a program for its output alone; `None` when it is missing or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command line, for people.
pub(crate) fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words: Vec<String> = std::iter::once(name)
        .chain(command.get_args())
        .map(|word: &OsStr| word.to_string_lossy().into_owned())
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_on_the_search_path_and_a_made_up_one_is_not() {
        assert!(find("cargo").is_some());
        assert_eq!(find("no-program-has-this-name"), None);
    }

    #[test]
    fn only_what_describes_this_package_is_taken_from_cargo() {
        assert!(describes_this_package("CARGO_PKG_NAME") && describes_this_package("CARGO_MANIFEST_DIR"));
        assert!(!describes_this_package("CARGO_TARGET_DIR") && !describes_this_package("CARGO_HOME"));
    }

    #[test]
    fn a_command_is_shown_without_its_folder() {
        let mut command = Command::new("/usr/bin/apt-get");
        command.args(["install", "-y"]);
        assert_eq!(shown(&command), "apt-get install -y");
    }
}
