//! `cargo xtask test remote [served|socket]`: the behaviour tests of the library once more, with `env: REMOTE`.
//!
//! A server is started for each form and ended after it, with all its sessions. Results and error names have to be
//! those of `env: LOCAL`: the tests are the same.

mod left_out;
mod server;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::report::Report;
use crate::{program, test};
use left_out::LEFT_OUT;
use server::Server;

/// Where the operations run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// On the server, beside the browser.
    Served,
    /// In the tests, with the server's browser at the other end of a socket.
    Socket,
}

/// How many of the tests run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scope {
    All,
    /// What tells most for its time.
    Short,
}

/// How many tests run at once, each with a browser.
const AT_ONCE: u8 = 3;

impl Form {
    const ALL: [Self; 2] = [Self::Served, Self::Socket];

    /// As the tests are told.
    fn name(self) -> &'static str {
        match self {
            Self::Served => "served",
            Self::Socket => "socket",
        }
    }

    /// The modules of the short scope.
    fn short(self) -> &'static [&'static str] {
        match self {
            Self::Served => &["acting", "observing", "extracting"],
            // The calls to the browser are tested over the socket by the other form, too.
            Self::Socket => &["observing", "on_pages"],
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == word)
    }
}

/// Runs one form, or both when the first argument names none; the other arguments go to the test runner.
pub(crate) fn run(
    root: &Path,
    scope: Scope,
    nextest: Option<&Path>,
    arguments: &[String],
    report: &mut Report,
) {
    let (forms, rest) = match arguments
        .split_first()
        .map(|(word, rest)| (Form::named(word), rest))
    {
        Some((Some(form), rest)) => (vec![form], rest),
        _ => (Form::ALL.to_vec(), arguments),
    };
    let mut built = None;
    report.step("server for remote tests", || {
        built = build(root)?;
        Ok(built.is_some())
    });
    let Some(binary) = built else { return };
    if scope == Scope::All {
        for test in LEFT_OUT {
            report.skip(test.name, test.reason);
        }
    }
    for form in forms {
        report.step(&format!("remote tests, {}", form.name()), || {
            let server = Server::start(&binary)?;
            let mut tests = command(root, form, scope, nextest);
            tests
                .env("REMOTE_BASE_URL", server.url())
                .env("REMOTE_API_KEY", server.key())
                .args(rest);
            let passed = program::succeeds(&mut tests)?;
            server.stop()?;
            Ok(passed)
        });
    }
}

/// Builds the server; none when that failed.
fn build(root: &Path) -> Result<Option<PathBuf>> {
    let mut command = program::cargo(root);
    command
        .args(["build", "--package", "automator-cli"])
        .args(program::quiet_unless_watched());
    let is_built = program::succeeds(&mut command)?;
    let binary = program::target_folder(root).join("debug/automator");
    let binary = binary.canonicalize().context("the server was not built");
    if is_built { binary.map(Some) } else { Ok(None) }
}

/// The tests of a form.
fn command(root: &Path, form: Form, scope: Scope, nextest: Option<&Path>) -> Command {
    let mut command = program::cargo(root);
    match nextest {
        Some(path) => {
            test::with_runner(&mut command, path)
                .args(["nextest", "run"])
                .args(["--test-threads", &AT_ONCE.to_string()])
                .args(["--filterset", &filterset(form, scope)]);
        }
        None => _ = command.arg("test"),
    }
    command.args(["--package", "automator", "--test", "operations"]);
    if nextest.is_none() {
        command
            .args(["--", "--test-threads", &AT_ONCE.to_string()])
            .args(modules(form, scope).iter().map(|module| format!("{module}::")));
        for test in LEFT_OUT {
            command.args(["--skip", test.name]);
        }
    }
    command.env("AUTOMATOR_TEST_ENV", form.name());
    command
}

/// The modules of a form; none are all.
fn modules(form: Form, scope: Scope) -> &'static [&'static str] {
    match scope {
        Scope::All => &[],
        Scope::Short => form.short(),
    }
}

/// The tests of a form, in the words of nextest.
fn filterset(form: Form, scope: Scope) -> String {
    let modules: Vec<String> = modules(form, scope)
        .iter()
        .map(|module| format!("test(/^{module}::/)"))
        .collect();
    let chosen = match modules.as_slice() {
        [] => "all()".to_owned(),
        some => some.join(" | "),
    };
    let names: Vec<String> = LEFT_OUT
        .iter()
        .map(|test| format!("test(={})", test.name))
        .collect();
    match names.as_slice() {
        [] => chosen,
        some => format!("({chosen}) - ({})", some.join(" | ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_that_is_left_out_is_there_and_has_a_reason() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/automator/tests/operations");
        for test in LEFT_OUT {
            let (module, function) = test.name.split_once("::").unwrap();
            let source = std::fs::read_to_string(folder.join(format!("{module}.rs"))).unwrap();
            assert!(source.contains(&format!("fn {function}()")), "{}", test.name);
            assert!(test.reason.len() > 10, "{}", test.name);
        }
        for module in Form::ALL.into_iter().flat_map(Form::short) {
            assert!(folder.join(format!("{module}.rs")).is_file(), "{module}");
        }
    }

    #[test]
    fn a_form_is_known_by_its_name() {
        assert_eq!(Form::named("socket"), Some(Form::Socket));
        assert_eq!(Form::named("acting"), None);
    }

    #[test]
    fn a_short_run_is_of_its_modules_without_what_is_left_out() {
        let short = filterset(Form::Served, Scope::Short);
        assert!(short.starts_with("(test(/^acting::/) | "), "{short}");
        let all = filterset(Form::Socket, Scope::All);
        assert!(all.starts_with("(all()) - (test(="), "{all}");
    }
}
