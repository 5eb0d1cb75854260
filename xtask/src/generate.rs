//! `cargo xtask generate`: rewrites the generated files, or with `--check` compares them.

use std::path::Path;

use anyhow::{Result, bail};

use crate::{Outcome, generate_cdp, generate_python, program};

/// Rewrites, compares (`--check`), rewrites the Python classes alone (`python`), or first takes a newer protocol
/// description (`pin FOLDER`).
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            generate_cdp::generate(root, false)?;
            generate_python::generate(root, false)?;
            interface(root, &[])?;
        }
        ["python"] => generate_python::generate(root, false)?,
        ["--check"] => check(root)?,
        ["pin", folder] => {
            generate_cdp::pin(root, Path::new(folder))?;
            generate_cdp::generate(root, false)?;
        }
        _ => bail!(
            "say `cargo xtask generate`, `… generate --check`, `… generate python` or `… generate pin FOLDER`"
        ),
    }
    Ok(Outcome::Passed)
}

/// Fails when a generated file is not what the generator would write.
pub(crate) fn check(root: &Path) -> Result<()> {
    generate_cdp::generate(root, true)?;
    generate_python::generate(root, true)?;
    interface(root, &["--check"])
}

/// The options and error names in `interface/`, written by a program that sees the library.
fn interface(root: &Path, words: &[&str]) -> Result<()> {
    let mut command = program::cargo(root);
    command.args([
        "run",
        "--quiet",
        "--package",
        "automator",
        "--example",
        "interface",
        "--",
        "interface",
    ]);
    if !program::succeeds(command.args(words))? {
        bail!("interface/ was not written, or differs; run `cargo xtask generate`");
    }
    Ok(())
}
