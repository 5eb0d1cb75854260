//! `cargo xtask test [pure|soak|node|python|clients|remote]`: every test.
//!
//! The main run comes last, and nothing is printed after it when all passed: its summary is the last line.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::lender::Lender;
use crate::program::Profile;
use crate::remote::Scope;
use crate::report::Report;
use crate::{
    Outcome, clients, node_pack, node_package, program, properties, python_package, remote, setup, tools,
};

/// The crates whose tests are programs to measure with, not to test with.
pub(crate) const EXCLUDED: [&str; 1] = ["automator-bench"];

/// How many tests of the other languages run at once, each with a browser. They wait more than they work.
pub(crate) const AT_ONCE: u8 = 4;

/// How many tests the runner runs at once for each processor, for the same reason.
const AT_ONCE_EACH: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Run {
    /// Everything, each test in its short form.
    All,
    /// What needs no browser.
    Pure,
    /// Everything, with the long forms and the tests that are ignored otherwise.
    Soak,
}

/// Runs the tests; words after the name of the run go to the test runner.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let (run, rest) = match arguments.split_first() {
        Some((word, rest)) if word == "pure" => (Run::Pure, rest),
        Some((word, rest)) if word == "soak" => (Run::Soak, rest),
        _ => (Run::All, arguments),
    };
    let is_only = |name: &str| arguments.first().is_some_and(|word| word == name);
    if run != Run::Pure {
        let browser = setup::browser()?;
        eprintln!("Browser: {}", browser.display());
    }
    let mut report = Report::default();
    if is_only("node") {
        let lender = lender_of_bindings(root, &mut report);
        node_tests(root, lender.as_ref(), &mut report);
        return Ok(report.finish());
    }
    if is_only("python") {
        let lender = lender_of_bindings(root, &mut report);
        python_package::test(root, lender.as_ref(), &mut report, &arguments[1..]);
        return Ok(report.finish());
    }
    let runner = tools::NEXTEST.find_or_fetch(root, true);
    if is_only("clients") {
        foreign_clients(root, runner.as_deref(), &mut report);
        return Ok(report.finish());
    }
    if is_only("remote") {
        remote::run(root, Scope::All, runner.as_deref(), &arguments[1..], &mut report);
        return Ok(report.finish());
    }
    // With a filter in the arguments only the main run is wanted.
    if rest.is_empty() {
        javascript_tests(root, &mut report);
        report.program("doc tests", doc_tests(root).args(program::quiet_unless_watched()));
        if run != Run::Pure {
            let lender = lender_of_bindings(root, &mut report);
            node_tests(root, lender.as_ref(), &mut report);
            python_package::test(root, lender.as_ref(), &mut report, &[]);
            drop(lender);
            foreign_clients(root, runner.as_deref(), &mut report);
            let scope = if run == Run::Soak {
                Scope::All
            } else {
                Scope::Short
            };
            remote::run(root, scope, runner.as_deref(), &[], &mut report);
        }
    }
    if run == Run::Soak && rest.is_empty() {
        properties::run(root, &mut report);
    }
    if runner.is_none() {
        eprintln!("cargo-nextest was not found and could not be fetched, so `cargo test` runs the tests");
    }
    let mut main = main_run(root, run, runner.as_deref());
    let lender = match &runner {
        Some(runner) if run != Run::Pure => lender(root, run, runner)?,
        _ => None,
    };
    if let Some(lender) = &lender {
        lender.lend_to(&mut main);
    }
    report.last_program("tests", main.args(rest));
    drop(lender);
    Ok(report.finish())
}

/// Who lends browsers to the tests of a run, which are built first; none when they cannot be built, which the run
/// itself tells. Under `cargo test` the tests start their own: there a process has many tests, and gives none back.
fn lender(root: &Path, run: Run, runner: &Path) -> Result<Option<Lender>> {
    let mut build = main_run(root, run, Some(runner));
    let is_built = program::succeeds(build.args(["--no-run", "--cargo-quiet"]))?;
    if is_built {
        Lender::start(root).map(Some)
    } else {
        Ok(None)
    }
}

/// Who lends browsers to the tests of the other languages; where nobody does, they start their own.
fn lender_of_bindings(root: &Path, report: &mut Report) -> Option<Lender> {
    let mut lender = None;
    report.step("lender of browsers", || {
        lender = Lender::build(root)?;
        Ok(lender.is_some())
    });
    lender
}

/// The tests of the scripts that run in pages, under Node.
fn javascript_tests(root: &Path, report: &mut Report) {
    let folder = root.join("crates/automator-browser/js/tests");
    let files = files_with_ending(&folder, ".test.mjs");
    if files.is_empty() {
        return;
    }
    match setup::node() {
        Ok(node) => report.program(
            "JavaScript tests",
            Command::new(node).current_dir(root).arg("--test").args(files),
        ),
        Err(reason) => report.skip("JavaScript tests", reason),
    }
}

/// The tests of the npm package, with a native part that is quickly built; and, when
/// `AUTOMATOR_CONFORMANCE` names the folder of a suite with a `run.mjs`, the open half of that suite.
fn node_tests(root: &Path, lender: Option<&Lender>, report: &mut Report) {
    let node = match setup::node() {
        Ok(node) => node,
        Err(reason) => return report.skip("Node tests", reason),
    };
    report.step("Node package", || node_package::build(root, Profile::Dev));
    report.step("npm files", || node_pack::pack(root));
    let package = node_package::folder(root);
    let files = files_with_ending(&package.join("tests"), ".test.mjs");
    let mut tests = Command::new(&node);
    tests
        .current_dir(&package)
        .args(["--test", "--test-reporter=dot"])
        .arg(format!("--test-concurrency={AT_ONCE}"))
        .args(files);
    if let Some(lender) = lender {
        lender.lend_to(&mut tests);
    }
    report.program("Node tests", &mut tests);
    let Some(suite) = std::env::var_os("AUTOMATOR_CONFORMANCE") else {
        return;
    };
    report.program(
        "conformance",
        Command::new(node)
            .current_dir(suite)
            .args(["run.mjs", "open"])
            .env("CONTENDER", "automator")
            .env("AUTOMATOR_PATH", package.join("dist/index.mjs")),
    );
}

/// The tests with clients that nobody here wrote, which are ignored otherwise.
fn foreign_clients(root: &Path, nextest: Option<&Path>, report: &mut Report) {
    let mut installed = None;
    report.step("foreign clients", || {
        installed = clients::install(root)?;
        Ok(installed.is_some())
    });
    let Some(installed) = installed else { return };
    let mut command = program::cargo(root);
    match nextest {
        Some(path) => {
            with_runner(&mut command, path).args(["nextest", "run", "--run-ignored", "only"]);
        }
        None => _ = command.arg("test"),
    }
    command.args(["--package", "automator-server", "--test", "foreign_clients"]);
    if nextest.is_none() {
        command.args(["--", "--ignored"]);
    }
    report.program(
        "tests of foreign clients",
        command.env(clients::VARIABLE, installed),
    );
}

fn doc_tests(root: &Path) -> Command {
    let mut command = program::cargo(root);
    command.args(["test", "--doc", "--workspace"]);
    for package in EXCLUDED {
        command.args(["--exclude", package]);
    }
    command
}

/// The main run. Nextest reads its profiles from `.config/nextest.toml`; `cargo test` has no profiles, so
/// for a pure run it is told to leave out the integration tests.
fn main_run(root: &Path, run: Run, nextest: Option<&Path>) -> Command {
    let mut command = program::cargo(root);
    match nextest {
        Some(path) => {
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            with_runner(&mut command, path)
                .args(["nextest", "run", "--workspace"])
                // A number among the words of a user comes before the variable.
                .env("NEXTEST_TEST_THREADS", (processors * AT_ONCE_EACH).to_string());
        }
        None => _ = command.args(["test", "--workspace", "--no-fail-fast"]),
    }
    for package in EXCLUDED {
        command.args(["--exclude", package]);
    }
    let words: &[&str] = match (run, nextest.is_some()) {
        (Run::All, true) => &[],
        (Run::Pure, true) => &["--profile", "pure"],
        (Run::Soak, true) => &["--profile", "soak", "--run-ignored", "all"],
        (Run::All, false) => &["--all-targets"],
        (Run::Pure, false) => &["--lib", "--bins"],
        (Run::Soak, false) => &["--all-targets", "--", "--include-ignored"],
    };
    command.args(words);
    if run == Run::Soak {
        command.env("AUTOMATOR_SOAK", "1");
        let clients = program::target_folder(root).join("clients");
        command.env(clients::VARIABLE, clients);
    }
    command
}

/// Lets Cargo find nextest.
pub(crate) fn with_runner<'c>(command: &'c mut Command, nextest: &Path) -> &'c mut Command {
    let folder = nextest.parent().map(Path::to_path_buf).unwrap_or_default();
    command.env("PATH", with_folder_first(&folder))
}

fn with_folder_first(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap_or(path.clone())
}

/// The files of a folder with this ending, in order; none when the folder is missing.
pub(crate) fn files_with_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().ends_with(ending))
        })
        .collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(run: Run, nextest: bool) -> String {
        let nextest = nextest.then(|| PathBuf::from("/tools/cargo-nextest"));
        program::shown(&main_run(Path::new("/"), run, nextest.as_deref()))
            .split_once(' ')
            .unwrap()
            .1
            .to_owned()
    }

    #[test]
    fn nextest_runs_with_the_profile_of_the_run() {
        assert_eq!(
            line(Run::All, true),
            "nextest run --workspace --exclude automator-bench"
        );
        assert_eq!(
            line(Run::Pure, true),
            "nextest run --workspace --exclude automator-bench --profile pure"
        );
        assert!(line(Run::Soak, true).ends_with("--profile soak --run-ignored all"));
    }

    #[test]
    fn cargo_test_stands_in_for_nextest() {
        assert_eq!(
            line(Run::Pure, false),
            "test --workspace --no-fail-fast --exclude automator-bench --lib --bins"
        );
        assert!(
            line(Run::Soak, false).ends_with("--exclude automator-bench --all-targets -- --include-ignored")
        );
    }

    #[test]
    fn only_a_soak_run_asks_for_the_long_forms() {
        let is_long = |run| {
            main_run(Path::new("/"), run, None)
                .get_envs()
                .any(|(name, _)| name == "AUTOMATOR_SOAK")
        };
        assert!(is_long(Run::Soak) && !is_long(Run::All));
    }

    #[test]
    fn files_are_listed_in_order_and_a_missing_folder_has_none() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let files = files_with_ending(&folder, "t.rs");
        let names: Vec<_> = files
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["report.rs", "test.rs"]);
        assert!(files_with_ending(&folder.join("none"), "").is_empty());
    }
}
