//! `cargo xtask bench …`: the benchmarks.

use std::path::Path;

use anyhow::Result;

use crate::{Outcome, program, setup};

/// Finds or installs a browser, then runs a benchmark program with `arguments`: that of the tasks of MiniWoB++, or
/// the one that measures.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let browser = setup::browser()?;
    let mut bench = program::cargo(root);
    match arguments.split_first() {
        // Not to measure time but to see what works, so with the build that the tests have made.
        Some((word, rest)) if word == "miniwob" => bench
            .args(["run", "--quiet", "--package", "automator-miniwob", "--"])
            .args(rest),
        _ => bench
            .args(["run", "--release", "--package", "automator-bench", "--"])
            .args(arguments),
    };
    bench.env("CHROME_PATH", browser);
    Ok(if program::succeeds(&mut bench)? {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}
