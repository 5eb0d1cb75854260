//! The pages, from the package index of Python.
//!
//! They are kept in the target folder. A file that is not the one we know by its digest is not used.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

const REQUIREMENT: &str = "miniwob==1.1.0";
const FILE: &str = "miniwob-1.1.0-py3-none-any.whl";
const SHA256: &str = "297006e84219d56ad037e843527ed773a4a82509dc43b6031ec4a3ad3e3e61d9";

/// The folder with the pages; fetched when it is not there.
///
/// # Errors
/// No Python, no package index, another file than expected.
pub fn pages() -> Result<PathBuf> {
    let folder = folder();
    std::fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    // Tests that run side by side fetch once.
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    let pages = folder.join("unpacked/miniwob/html");
    if !pages.is_dir() {
        let wheel = folder.join(FILE);
        if digest(&wheel).as_deref() != Some(SHA256) {
            fetch(&folder)?;
        }
        let found = digest(&wheel).with_context(|| format!("{} is missing", wheel.display()))?;
        ensure!(
            found == SHA256,
            "{} has the digest {found}, not {SHA256}",
            wheel.display()
        );
        unpack(&wheel, &folder)?;
    }
    ensure!(pages.is_dir(), "the wheel holds no {}", pages.display());
    Ok(pages)
}

/// Under the target folder of the workspace.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/miniwob-1.1.0")
}

fn digest(file: &Path) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    Some(
        Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
    )
}

/// Downloads the wheel with pip: with that of the system, or with one in a virtual environment where the system
/// has none.
fn fetch(folder: &Path) -> Result<()> {
    let mut pip = python();
    pip.args(["-m", "pip"]);
    if run(python().args(["-m", "pip", "--version"])).is_err() {
        let environment = folder.join("venv");
        run(python().args(["-m", "venv"]).arg(&environment))?;
        pip = Command::new(environment.join("bin/pip"));
    }
    pip.args([
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    run(pip.arg("--dest").arg(folder).arg(REQUIREMENT)).with_context(|| {
        format!(
            "the pages of MiniWoB++ ({REQUIREMENT}) could not be fetched from the package index of Python"
        )
    })
}

/// Unpacks to a folder beside, so that an interrupted run leaves nothing half done.
fn unpack(wheel: &Path, folder: &Path) -> Result<()> {
    let beside = folder.join("unpacking");
    let unpacked = folder.join("unpacked");
    for old in [&beside, &unpacked] {
        if old.exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    run(python().args(["-m", "zipfile", "-e"]).arg(wheel).arg(&beside))?;
    Ok(std::fs::rename(beside, unpacked)?)
}

fn python() -> Command {
    Command::new("python3")
}

/// Runs a program; the error holds its last words.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("starting {name}"))?;
    if !output.status.success() {
        bail!(
            "{name} failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}
