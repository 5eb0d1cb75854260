//! Writes the classes of the Python package that wait (`blocking/`) from those that are awaited (`asynchronous/`).
//!
//! One face is written by hand, so the two have the same methods, options and words. What really differs, how a call
//! is waited for and how functions of the user are called, is in `calling.py` of each, by hand.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::test::files_with_ending;

const PACKAGE: &str = "bindings/python/automator";

/// Files that each face has of its own.
const BY_HAND: [&str; 1] = ["calling.py"];

/// Writes the files, or with `only_compare` fails when one is not what would be written.
pub(crate) fn generate(root: &Path, only_compare: bool) -> Result<()> {
    let package = root.join(PACKAGE);
    let target = package.join("blocking");
    let mut names = Vec::new();
    for source in files_with_ending(&package.join("asynchronous"), ".py") {
        let name = source
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if BY_HAND.contains(&name.as_str()) {
            continue;
        }
        let text =
            std::fs::read_to_string(&source).with_context(|| format!("reading {}", source.display()))?;
        let written = blocking(&text, &name);
        let file = target.join(&name);
        names.push(name);
        if std::fs::read_to_string(&file).is_ok_and(|old| old == written) {
            continue;
        }
        if only_compare {
            bail!("{} differs; run `cargo xtask generate`", file.display());
        }
        std::fs::write(&file, written).with_context(|| format!("writing {}", file.display()))?;
    }
    for file in files_with_ending(&target, ".py") {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if names.contains(&name) || BY_HAND.contains(&name.as_str()) {
            continue;
        }
        if only_compare {
            bail!(
                "{} has no source any more; run `cargo xtask generate`",
                file.display()
            );
        }
        std::fs::remove_file(&file)?;
    }
    Ok(())
}

/// The source of a class that waits for one that is awaited.
fn blocking(source: &str, name: &str) -> String {
    let mut text = source.to_owned();
    for (from, to) in [
        ("automator.asynchronous", "automator.blocking"),
        ("__aenter__", "__enter__"),
        ("__aexit__", "__exit__"),
        ("__aiter__", "__iter__"),
        ("async def ", "def "),
        ("async with ", "with "),
        ("async for ", "for "),
        ("await ", ""),
        ("The classes that are awaited.", "The classes that wait."),
    ] {
        text = text.replace(from, to);
    }
    let text = without_prefix(&text, "Async");
    format!("# Written by `cargo xtask generate` from `asynchronous/{name}`; change that.\n{text}")
}

/// Class names without a prefix: it begins a word, and a capital letter follows.
fn without_prefix(text: &str, prefix: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(prefix) {
        let (before, found) = rest.split_at(place);
        let after = &found[prefix.len()..];
        kept.push_str(before);
        let begins_word = !kept.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        if !(begins_word && after.starts_with(|next: char| next.is_ascii_uppercase())) {
            kept.push_str(prefix);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_awaited_is_waited_for() {
        let source = "from automator.asynchronous.page import AsyncPage\n\
            async def title(page: AsyncPage) -> str:\n    return await finished(page.native.title())\n";
        assert_eq!(
            blocking(source, "x.py"),
            "# Written by `cargo xtask generate` from `asynchronous/x.py`; change that.\n\
            from automator.blocking.page import Page\n\
            def title(page: Page) -> str:\n    return finished(page.native.title())\n"
        );
    }

    #[test]
    fn only_names_of_classes_lose_their_prefix() {
        assert_eq!(
            without_prefix("AsyncPage MyAsyncPage Async Asynchronous", "Async"),
            "Page MyAsyncPage Async Asynchronous"
        );
        assert_eq!(without_prefix("list[AsyncPage]", "Async"), "list[Page]");
    }

    #[test]
    fn the_committed_classes_are_what_would_be_written() {
        generate(&crate::root(), true).unwrap();
    }
}
