//! The Python package in `bindings/python`: its wheel, its tests, its checks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::lender::Lender;
use crate::program::Profile;
use crate::report::Report;
use crate::test::{AT_ONCE, files_with_ending};
use crate::{program, setup};

/// What builds the wheel.
const MATURIN: &str = "maturin==1.16.0";

/// What the tests need beside the wheel, which brings pydantic.
const TEST_TOOLS: [&str; 7] = [
    "pytest==9.2.0",
    "pytest-asyncio==1.5.0",
    "pytest-xdist==3.8.0",
    "pydantic==2.14.4",
    // The examples.
    "pandas==3.1.1; python_version >= '3.11'",
    "tqdm==4.70.0",
    "mypy==2.4.1",
];

/// What the checks need.
const CHECK_TOOLS: [&str; 7] = [
    "ruff==0.17.6",
    "mypy==2.4.1",
    "pyright==1.1.414",
    "pydantic==2.14.4",
    "pandas-stubs==3.1.0.261029",
    "types-tqdm==4.70.0.20261106",
    "pytest==9.2.0",
];

/// The folder of the package.
fn folder(root: &Path) -> PathBuf {
    root.join("bindings/python")
}

/// Where wheels are put.
pub(crate) fn wheels(root: &Path) -> PathBuf {
    program::target_folder(root).join("wheels")
}

/// Builds the wheel; none when a program failed.
pub(crate) fn build(root: &Path, profile: Profile) -> Result<Option<PathBuf>> {
    let tools = Environment::of(root, "python-build", &[MATURIN])?;
    let place = wheels(root);
    if place.exists() {
        // What is found there afterwards has been built now.
        std::fs::remove_dir_all(&place).with_context(|| format!("emptying {}", place.display()))?;
    }
    let mut build = Command::new(tools.program("maturin"));
    build
        .args(["build", "--locked", "--target-dir"])
        .arg(program::target_folder(root))
        .arg("--out")
        .arg(&place)
        .args(program::quiet_unless_watched())
        .current_dir(folder(root));
    if profile == Profile::Release {
        build.arg("--release");
    }
    if !program::succeeds(&mut build)? {
        return Ok(None);
    }
    match files_with_ending(&place, ".whl").pop() {
        Some(wheel) => Ok(Some(wheel)),
        None => bail!("maturin left no wheel in {}", place.display()),
    }
}

/// Builds a wheel that is quickly built, and runs the tests in a virtual environment with it. Further words go to the
/// test runner.
pub(crate) fn test(root: &Path, lender: Option<&Lender>, report: &mut Report, words: &[String]) {
    if let Err(reason) = setup::python() {
        return report.skip("Python tests", &format!("{reason:#}"));
    }
    let mut wheel = None;
    report.step("Python wheel", || {
        wheel = build(root, Profile::Dev)?;
        Ok(wheel.is_some())
    });
    let Some(wheel) = wheel else { return };
    report.step("Python environment", || {
        let environment = Environment::of(root, "python-tests", &TEST_TOOLS)?;
        environment.replace(&wheel)?;
        Ok(true)
    });
    let environment = Environment::place(root, "python-tests");
    // As a program of its own: `python -m pytest` would find the package as it stands there, without its native part.
    let mut tests = Command::new(environment.program("pytest"));
    tests
        .args([
            "--quiet",
            "-p",
            "no:cacheprovider",
            "--numprocesses",
            &AT_ONCE.to_string(),
            // Tests that lie together share sessions and servers, so that each runner is given a row of them.
            "--dist=worksteal",
        ])
        .args(words)
        .env("AUTOMATOR_WHEEL", &wheel)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(folder(root));
    if let Some(lender) = lender {
        lender.lend_to(&mut tests);
    }
    report.program("Python tests", &mut tests);
}

/// Lints, format and types of the package, its tests and the examples. The native part is known by its stubs, so
/// nothing has to be built.
pub(crate) fn check(root: &Path, report: &mut Report) {
    if let Err(reason) = setup::python() {
        return report.skip("python", &format!("{reason:#}"));
    }
    let mut tools = None;
    report.step("python: tools", || {
        tools = Some(Environment::of(root, "python-checks", &CHECK_TOOLS)?);
        Ok(true)
    });
    let Some(tools) = tools else { return };
    let folder = folder(root);
    let examples = root.join("examples/python");
    let settings = folder.join("pyproject.toml");
    let mut lint = Command::new(tools.program("ruff"));
    lint.args(["check", "--quiet", "--no-cache", "--config"])
        .arg(&settings)
        .args([".", "../../examples/python"]);
    report.program("python: lint", lint.current_dir(&folder));
    let mut format = Command::new(tools.program("ruff"));
    format
        .args(["format", "--check", "--quiet", "--no-cache", "--config"])
        .arg(&settings)
        .args([".", "../../examples/python"]);
    report.program("python: format", format.current_dir(&folder));
    let mut types = Command::new(tools.program("mypy"));
    types
        .args(["--strict", "automator", "tests/typing_cases.py"])
        .args(files_with_ending(&examples, ".py"))
        .current_dir(&folder);
    report.program("python: types (mypy)", &mut types);
    let mut types = Command::new(tools.program("pyright"));
    types
        .arg("--pythonpath")
        .arg(tools.program("python"))
        .args(["--level", "error", "automator", "tests/typing_cases.py"])
        .arg(&examples)
        .current_dir(&folder);
    report.program("python: types (pyright)", &mut types);
}

/// A virtual environment in the target folder.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    fn place(root: &Path, name: &str) -> Self {
        Self {
            folder: program::target_folder(root).join("tools").join(name),
        }
    }

    /// One that has these packages, made or brought up to date when it has not.
    fn of(root: &Path, name: &str, packages: &[&str]) -> Result<Self> {
        let environment = Self::place(root, name);
        let list = packages.join("\n");
        let note = environment.folder.join("packages.txt");
        if std::fs::read_to_string(&note).is_ok_and(|installed| installed == list)
            && program::is_executable(&environment.program("python"))
        {
            return Ok(environment);
        }
        let environment = Self::fresh(root, name)?;
        eprintln!("Installing {}", packages.join(", "));
        environment.install(packages)?;
        std::fs::write(&note, list)?;
        Ok(environment)
    }

    /// An empty one.
    fn fresh(root: &Path, name: &str) -> Result<Self> {
        let python = setup::python()?;
        let environment = Self::place(root, name);
        let mut make = Command::new(python);
        make.args(["-m", "venv", "--clear"]).arg(&environment.folder);
        if !program::succeeds(&mut make)? {
            bail!("`{}` failed", program::shown(&make));
        }
        Ok(environment)
    }

    /// Puts a wheel in the place of the one that is installed, which may be of the same version.
    fn replace(&self, wheel: &Path) -> Result<()> {
        let only_this = ["--force-reinstall", "--no-deps", "--no-index"];
        self.install(only_this.map(OsStr::new).into_iter().chain([wheel.as_os_str()]))
    }

    fn install<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Result<()> {
        let mut install = Command::new(self.program("python"));
        install
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
            .args(words);
        if !program::succeeds(&mut install)? {
            bail!("`{}` failed", program::shown(&install));
        }
        Ok(())
    }

    fn program(&self, name: &str) -> PathBuf {
        if cfg!(windows) {
            self.folder.join("Scripts").join(format!("{name}.exe"))
        } else {
            self.folder.join("bin").join(name)
        }
    }
}
