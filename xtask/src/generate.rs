//! `cargo xtask generate`: rewrites the generated files, or with `--check` compares them.

use std::path::Path;

use anyhow::{Result, bail};

use crate::{Outcome, generate_cdp};

/// Rewrites, compares (`--check`), or first takes a newer protocol description (`pin FOLDER`).
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => generate_cdp::generate(root, false)?,
        ["--check"] => check(root)?,
        ["pin", folder] => {
            generate_cdp::pin(root, Path::new(folder))?;
            generate_cdp::generate(root, false)?;
        }
        _ => bail!("say `cargo xtask generate`, `… generate --check` or `… generate pin FOLDER`"),
    }
    Ok(Outcome::Passed)
}

/// Fails when a generated file is not what the generator would write.
pub(crate) fn check(root: &Path) -> Result<()> {
    generate_cdp::generate(root, true)
}
