//! Clients of the hosted contract that nobody here wrote, installed beside the scripts that use them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{program, setup};

/// Says to the tests where the clients are.
pub(crate) const VARIABLE: &str = "AUTOMATOR_CLIENTS";

/// Installs the clients, and gives the folder; none when a program failed.
pub(crate) fn install(root: &Path) -> Result<Option<PathBuf>> {
    setup::node().map_err(anyhow::Error::msg)?;
    let python = setup::python()?;
    let Some(npm) = program::find("npm") else {
        bail!("npm was not found");
    };
    let folder = program::target_folder(root).join("clients");
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let sources = root.join("crates/automator-server/tests/clients");
    for entry in std::fs::read_dir(&sources).with_context(|| format!("reading {}", sources.display()))? {
        let source = entry?.path();
        if let Some(name) = source.file_name() {
            std::fs::copy(&source, folder.join(name))?;
        }
    }
    let mut packages = Command::new(npm);
    packages
        .args(["install", "--silent", "--no-audit", "--no-fund"])
        .current_dir(&folder);
    let environment = folder.join("python");
    let mut make = Command::new(python);
    make.args(["-m", "venv"]).arg(&environment);
    let mut wheels = Command::new(environment.join("bin/pip"));
    wheels
        .args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--requirement",
        ])
        .arg(folder.join("requirements.txt"));
    let succeeds = program::succeeds(&mut packages)?
        && (environment.join("bin/pip").is_file() || program::succeeds(&mut make)?)
        && program::succeeds(&mut wheels)?;
    Ok(succeeds.then_some(folder))
}
