//! `cargo xtask bench …`: the benchmarks, in the release profile.

use std::path::Path;

use anyhow::Result;

use crate::{Outcome, program, setup};

/// Finds or installs a browser, then runs the benchmark program with `arguments`.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let browser = setup::browser()?;
    let mut bench = program::cargo(root);
    bench
        .args(["run", "--release", "--package", "automator-bench", "--"])
        .args(arguments)
        .env("CHROME_PATH", browser);
    Ok(if program::succeeds(&mut bench)? {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}
