//! The files that npm installs: the npm package and that of this computer's platform, made from what was built in
//! `bindings/node`.
//!
//! What the package needs comes inside it (`bundleDependencies`), so that two files and no registry are enough. The
//! packages of the platforms are named as its dependencies only here: they have to be there to be asked for, and who
//! builds the package where it stands needs none.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::node_package::folder;
use crate::node_platform::{self, Platform};
use crate::program;

/// What goes into both packages.
const WITH_BOTH: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// What only this repository needs of the package file.
const OMITTED: [&str; 3] = ["delete", "scripts", "devDependencies"];

/// Where the files are made.
pub(crate) fn place(root: &Path) -> PathBuf {
    folder(root).join("npm")
}

/// Makes the files anew; `false` when npm failed.
pub(crate) fn pack(root: &Path) -> Result<bool> {
    let Some(npm) = program::find("npm") else {
        bail!("npm was not found");
    };
    let place = place(root);
    if place.exists() {
        std::fs::remove_dir_all(&place).with_context(|| format!("emptying {}", place.display()))?;
    }
    let main = read(&folder(root).join("package.json"))?;
    let Some(package) = lay_out_main(root, &main, &npm)? else {
        return Ok(false);
    };
    for package in [package, lay_out_platform(root, &main, Platform::here())?] {
        let mut command = Command::new(&npm);
        command
            .args(["pack", "--silent", "--ignore-scripts", "--pack-destination"])
            .arg(&place)
            .current_dir(package);
        if !program::succeeds(&mut command)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Lays out the package itself; `None` when npm failed.
///
/// Package files are changed by npm, which keeps the order of their members: in `exports` it has a meaning.
fn lay_out_main(root: &Path, main: &Value, npm: &Path) -> Result<Option<PathBuf>> {
    let built = folder(root);
    let package = place(root).join("automator-browser");
    for file in ["dist", "README.md", "package.json"] {
        copy(&built.join(file), &package.join(file))?;
    }
    for file in WITH_BOTH {
        copy(&root.join(file), &package.join(file))?;
    }
    let change = |folder: &Path, words: &[String]| {
        program::succeeds(Command::new(npm).arg("pkg").args(words).current_dir(folder))
    };
    let mut is_changed = change(&package, &additions(main)?)? && change(&package, &words(&OMITTED))?;
    for name in dependencies(main) {
        let inside = package.join("node_modules").join(&name);
        copy(&built.join("node_modules").join(&name), &inside)?;
        // What it expects beside it is for our own package file to say: there Zod is optional.
        is_changed &= change(&inside, &words(&["delete", "peerDependencies"]))?;
    }
    Ok(is_changed.then_some(package))
}

/// Lays out the package of a platform, with the library that was built.
fn lay_out_platform(root: &Path, main: &Value, platform: Platform) -> Result<PathBuf> {
    let package = place(root).join(platform.package());
    let library = platform.library();
    copy(
        &folder(root).join("native").join(&library),
        &package.join(&library),
    )?;
    for file in WITH_BOTH {
        copy(&root.join(file), &package.join(file))?;
    }
    write(&package.join("package.json"), &platform.manifest(main)?)?;
    Ok(package)
}

/// What the package file says beyond that of the repository.
fn additions(main: &Value) -> Result<Vec<String>> {
    let version = main["version"].as_str().context("package.json has no version")?;
    let platforms = node_platform::packages(version);
    let inside = json!(dependencies(main));
    Ok(vec![
        "set".to_owned(),
        "--json".to_owned(),
        format!("optionalDependencies={platforms}"),
        format!("bundleDependencies={inside}"),
        "files=[\"dist\"]".to_owned(),
    ])
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn dependencies(main: &Value) -> Vec<String> {
    let dependencies = main["dependencies"].as_object();
    dependencies
        .map(|members| members.keys().cloned().collect())
        .unwrap_or_default()
}

fn read(file: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("reading {}", file.display()))
}

fn write(file: &Path, value: &Value) -> Result<()> {
    let text = format!("{value:#}\n");
    std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}

/// Copies a file, or a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let shown = || format!("copying {}", from.display());
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).with_context(shown)?;
        }
        std::fs::copy(from, to).with_context(shown)?;
        return Ok(());
    }
    for entry in std::fs::read_dir(from).with_context(shown)? {
        let name = entry.with_context(shown)?.file_name();
        copy(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packed_package_file_names_platforms_and_what_comes_inside() {
        let main = json!({ "version": "1.2.3", "dependencies": { "converter": "1.0.0" } });
        let additions = additions(&main).unwrap();
        assert!(additions.contains(&"bundleDependencies=[\"converter\"]".to_owned()));
        assert!(additions.contains(&"files=[\"dist\"]".to_owned()));
        let platforms = &additions[2];
        assert!(
            platforms.contains("\"automator-browser-linux-x64-gnu\":\"1.2.3\""),
            "{platforms}"
        );
    }

    #[test]
    fn folders_are_copied_with_all_that_is_in_them() {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let to = program::target_folder(Path::new(env!("CARGO_MANIFEST_DIR")))
            .join("tmp/copied")
            .join(std::process::id().to_string());
        copy(&from, &to).unwrap();
        let copied = std::fs::read(to.join("generate_cdp/domain.rs")).unwrap();
        std::fs::remove_dir_all(&to).unwrap();
        assert_eq!(
            copied,
            std::fs::read(from.join("generate_cdp/domain.rs")).unwrap()
        );
    }
}
