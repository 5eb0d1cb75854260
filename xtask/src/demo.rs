//! `cargo xtask demo`: the main job on the bundled site.

use std::path::Path;

use anyhow::Result;

use crate::{Outcome, program, setup};

/// Finds or installs a browser, then builds and runs the example; `arguments` go to the example.
///
/// The development profile is used: the first build takes half the time, and reading a shop page is no
/// work for the processor.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let browser = setup::browser()?;
    eprintln!("Browser: {}", browser.display());
    let mut demo = program::cargo(root);
    demo.args(["run", "--package", "automator", "--example", "demo", "--"])
        .args(arguments);
    Ok(if program::succeeds(&mut demo)? {
        Outcome::Passed
    } else {
        Outcome::Failed
    })
}
