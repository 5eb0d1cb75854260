//! The npm package in `bindings/node`: its JavaScript, its native part, its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::node_platform::Platform;
use crate::program::Profile;
use crate::{program, setup};

/// The folder of the package.
pub(crate) fn folder(root: &Path) -> PathBuf {
    root.join("bindings/node")
}

/// Makes the package ready for use where it stands; `false` when one of the programs failed.
pub(crate) fn build(root: &Path, profile: Profile) -> Result<bool> {
    let node = setup::node().map_err(|reason| anyhow::anyhow!("{reason}"))?;
    Ok(install(root)? && compile(root, &node)? && build_native(root, profile)?)
}

/// Checks the types without writing anything.
pub(crate) fn check_types(root: &Path) -> Result<bool> {
    let node = setup::node().map_err(|reason| anyhow::anyhow!("{reason}"))?;
    if !install(root)? {
        return Ok(false);
    }
    let mut types = compiler(root, &node);
    program::succeeds(types.args(["--project", "tsconfig.tests.json"]))
}

/// What the lock file says, from the registry that npm is set to; nothing when it is there.
fn install(root: &Path) -> Result<bool> {
    let folder = folder(root);
    let changed = |path: PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    let wanted = changed(folder.join("package-lock.json"));
    let installed = changed(folder.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= wanted {
        return Ok(true);
    }
    let Some(npm) = program::find("npm") else {
        bail!("npm was not found");
    };
    eprintln!("Installing the npm packages of bindings/node");
    let mut command = Command::new(npm);
    command.args(["ci", "--silent", "--no-audit", "--no-fund"]);
    program::succeeds(command.current_dir(folder))
}

fn compiler(root: &Path, node: &Path) -> Command {
    let mut command = Command::new(node);
    command
        .arg("node_modules/typescript/bin/tsc")
        .current_dir(folder(root));
    command
}

/// From `src/*.ts` to `dist`, which is emptied first: a file whose source has gone must not stay.
fn compile(root: &Path, node: &Path) -> Result<bool> {
    let dist = folder(root).join("dist");
    if dist.exists() {
        std::fs::remove_dir_all(&dist).with_context(|| format!("emptying {}", dist.display()))?;
    }
    program::succeeds(compiler(root, node).args(["--project", "tsconfig.json"]))
}

fn build_native(root: &Path, profile: Profile) -> Result<bool> {
    let mut command = program::cargo(root);
    command.args(["build", "--package", "automator-node"]);
    command.args(program::quiet_unless_watched());
    let place = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            command.arg("--release");
            "release"
        }
    };
    if !program::succeeds(&mut command)? {
        return Ok(false);
    }
    let built = program::target_folder(root).join(place).join(library());
    let native = folder(root).join("native");
    std::fs::create_dir_all(&native)?;
    let file = native.join(Platform::here().library());
    // A new file in its place: one that a running program has loaded must not change under it.
    let fresh = native.join("fresh");
    std::fs::copy(&built, &fresh).with_context(|| format!("copying {}", built.display()))?;
    std::fs::rename(&fresh, &file).with_context(|| format!("writing {}", file.display()))?;
    Ok(true)
}

/// What Cargo calls a dynamic library.
fn library() -> String {
    let (prefix, ending) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    format!("{prefix}automator_node{ending}")
}
