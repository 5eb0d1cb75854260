//! The property tests of code that reads pages, replies and messages, for a minute each.
//!
//! Each round draws new cases. A finding is kept as a seed beside the test, and commits with it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::program;
use crate::report::Report;

/// How long each property is tried.
const MINUTE: Duration = Duration::from_secs(60);

/// Cases of one round.
const CASES: &str = "512";

/// The crates, and the names that their properties have in common.
const PROPERTIES: [(&str, &str); 6] = [
    ("automator-snapshot", "any_reply_is_read_without_a_panic"),
    ("automator-llm", "repair::"),
    ("automator-cdp", "message::"),
    ("automator-browser", "input::keys::"),
    ("automator-browser", "selector::"),
    ("automator", "recipe::tests::random"),
];

/// Tries each property for a minute.
pub(crate) fn run(root: &Path, report: &mut Report) {
    for (package, name) in PROPERTIES {
        let started = Instant::now();
        let mut rounds = 0;
        while started.elapsed() < MINUTE && !report.has_failed() {
            rounds += 1;
            report.program(
                &format!("properties of {package}, round {rounds}"),
                &mut round(root, package, name),
            );
        }
    }
}

fn round(root: &Path, package: &str, name: &str) -> Command {
    let mut command = program::cargo(root);
    command.args(["test", "--quiet", "--package", package, "--tests", "--", name]);
    command.env("PROPTEST_CASES", CASES);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_runs_one_property_of_one_crate() {
        let command = round(Path::new("/"), "automator-cdp", "message::");
        assert!(
            program::shown(&command).ends_with("test --quiet --package automator-cdp --tests -- message::")
        );
    }
}
