//! `cargo xtask build …`: what is handed to users.

use std::path::Path;

use anyhow::{Result, bail};

use crate::program::Profile;
use crate::{Outcome, node_pack, node_package, program, python_package};

/// Builds one part in the release profile.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    match arguments {
        [part] if part == "cli" => cli(root),
        [part] if part == "node" => node(root),
        [part, option] if part == "node" && option == "--pack" => packed_node(root),
        [part] if part == "python" => python(root),
        _ => bail!("say what to build: cargo xtask build cli, … build node [--pack], or … build python"),
    }
}

fn node(root: &Path) -> Result<Outcome> {
    if !node_package::build(root, Profile::Release)? {
        return Ok(Outcome::Failed);
    }
    println!("{}", node_package::folder(root).display());
    Ok(Outcome::Passed)
}

/// Builds the npm package, and the files that npm installs.
fn packed_node(root: &Path) -> Result<Outcome> {
    if !node_package::build(root, Profile::Release)? || !node_pack::pack(root)? {
        return Ok(Outcome::Failed);
    }
    println!("{}", node_pack::place(root).display());
    Ok(Outcome::Passed)
}

fn python(root: &Path) -> Result<Outcome> {
    let Some(wheel) = python_package::build(root, Profile::Release)? else {
        return Ok(Outcome::Failed);
    };
    println!("{}", wheel.display());
    Ok(Outcome::Passed)
}

fn cli(root: &Path) -> Result<Outcome> {
    let mut build = program::cargo(root);
    build.args(["build", "--release", "--package", "automator-cli"]);
    if !program::succeeds(&mut build)? {
        return Ok(Outcome::Failed);
    }
    println!(
        "{}",
        program::target_folder(root).join("release/automator").display()
    );
    Ok(Outcome::Passed)
}
