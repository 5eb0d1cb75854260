//! `cargo xtask bench …`: the benchmarks.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::program::Profile;
use crate::{Outcome, node_package, program, setup};

/// Finds or installs a browser, then runs a benchmark program with `arguments`: that of the npm package, that of the
/// tasks of MiniWoB++, or the one that measures.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let browser = setup::browser()?;
    if arguments.first().is_some_and(|word| word == "node") {
        return node(root, &browser);
    }
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

/// The way between JavaScript and Rust, with the package as users get it.
fn node(root: &Path, browser: &Path) -> Result<Outcome> {
    if !node_package::build(root, Profile::Release)? {
        return Ok(Outcome::Failed);
    }
    let node = setup::node().map_err(|reason| anyhow::anyhow!("{reason}"))?;
    let mut bench = Command::new(node);
    bench
        .arg("bench/run.mjs")
        .current_dir(node_package::folder(root))
        .env("CHROME_PATH", browser);
    Ok(if program::succeeds(&mut bench)? {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}
