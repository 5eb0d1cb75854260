//! Runs named steps one after the other, and says at the end which of them failed.

use std::process::Command;
use std::time::Instant;

use anyhow::Result;

use crate::{Outcome, program};

/// The steps of one command.
#[derive(Default)]
pub(crate) struct Report {
    failed: Vec<String>,
}

impl Report {
    /// Runs a step that is one program.
    pub(crate) fn program(&mut self, name: &str, command: &mut Command) {
        let line = program::shown(command);
        self.step(&format!("{name}: {line}"), || program::succeeds(command));
    }

    /// Runs the program that has the last word: when it succeeds, nothing is printed after it.
    pub(crate) fn last_program(&mut self, name: &str, command: &mut Command) {
        let line = program::shown(command);
        eprintln!("==> {name}: {line}");
        match program::succeeds(command) {
            Ok(true) => {}
            Ok(false) => self.failed.push(format!("{name}: {line}")),
            Err(error) => self.failed.push(format!("{name}: {error:#}")),
        }
    }

    /// Runs a step; `Ok(false)` and an error are failures, and the steps after it run all the same.
    pub(crate) fn step(&mut self, name: &str, run: impl FnOnce() -> Result<bool>) {
        eprintln!("==> {name}");
        let start = Instant::now();
        let result = run();
        let seconds = start.elapsed().as_secs_f64();
        match result {
            Ok(true) => eprintln!("    passed in {seconds:.1} s"),
            Ok(false) => {
                eprintln!("    FAILED after {seconds:.1} s");
                self.failed.push(name.to_owned());
            }
            Err(error) => {
                eprintln!("    FAILED after {seconds:.1} s: {error:#}");
                self.failed.push(format!("{name}: {error:#}"));
            }
        }
    }

    /// Says that a step cannot run here, and why. It does not count as a failure.
    pub(crate) fn skip(&self, name: &str, reason: &str) {
        eprintln!("==> {name}\n    skipped: {reason}");
    }

    /// Whether a step has failed so far.
    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Lists the failures. Nothing is printed when there are none, so that the last line stays that of
    /// the last program.
    pub(crate) fn finish(self) -> Outcome {
        if self.failed.is_empty() {
            return Outcome::Passed;
        }
        eprintln!("\nfailed:");
        for step in self.failed {
            eprintln!("  {step}");
        }
        Outcome::Failed
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn every_step_runs_and_one_failure_fails_the_whole() {
        let mut report = Report::default();
        let mut ran = 0;
        report.step("one", || Err(anyhow!("broken")));
        report.step("two", || Ok(false));
        report.step("three", || {
            ran += 1;
            Ok(true)
        });
        assert_eq!((ran, report.failed.len()), (1, 2));
        assert!(matches!(report.finish(), Outcome::Failed));
    }

    #[test]
    fn skipped_steps_do_not_fail() {
        let report = Report::default();
        report.skip("one", "no node");
        assert!(matches!(report.finish(), Outcome::Passed));
    }
}
