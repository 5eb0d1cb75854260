//! The files that npm installs: the npm package and that of this computer's platform, made from what was built in
//! `bindings/node`.
//!
//! What the package needs comes inside it (`bundleDependencies`), so that two files and no registry are enough. Its
//! optional dependencies are the platforms whose files are there: npm asks registries for every one that is named, and
//! `npm ci` fails where one is not to be found. So for a release the files that were made on other computers are put
//! beside that of this one first.

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
    let main = read(&folder(root).join("package.json"))?;
    let platform = lay_out_platform(root, &main, Platform::here())?;
    if !pack_folder(&npm, &platform)? {
        return Ok(false);
    }
    match lay_out_main(root, &main, &npm)? {
        Some(package) => pack_folder(&npm, &package),
        None => Ok(false),
    }
}

/// Packs a folder into a file beside it.
fn pack_folder(npm: &Path, package: &Path) -> Result<bool> {
    let mut command = Command::new(npm);
    command
        .args(["pack", "--silent", "--ignore-scripts", "--pack-destination", ".."])
        .current_dir(package);
    program::succeeds(&mut command)
}

/// A folder for a package, without what an earlier run has left there.
fn empty(root: &Path, package: &str) -> Result<PathBuf> {
    let folder = place(root).join(package);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    Ok(folder)
}

/// Lays out the package itself; `None` when npm failed.
///
/// Package files are changed by npm, which keeps the order of their members: in `exports` it has a meaning.
fn lay_out_main(root: &Path, main: &Value, npm: &Path) -> Result<Option<PathBuf>> {
    let built = folder(root);
    let package = empty(root, "automator-browser")?;
    for file in ["dist", "README.md", "package.json"] {
        copy(&built.join(file), &package.join(file))?;
    }
    for file in WITH_BOTH {
        copy(&root.join(file), &package.join(file))?;
    }
    let change = |folder: &Path, words: &[String]| {
        program::succeeds(Command::new(npm).arg("pkg").args(words).current_dir(folder))
    };
    let mut is_changed =
        change(&package, &additions(main, &place(root))?)? && change(&package, &words(&OMITTED))?;
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
    let package = empty(root, &platform.package())?;
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
fn additions(main: &Value, place: &Path) -> Result<Vec<String>> {
    let version = main["version"].as_str().context("package.json has no version")?;
    let platforms: serde_json::Map<String, Value> = node_platform::all()
        .iter()
        .map(Platform::package)
        .filter(|package| place.join(format!("{package}-{version}.tgz")).is_file())
        .map(|package| (package, json!(version)))
        .collect();
    let (platforms, inside) = (json!(platforms), json!(dependencies(main)));
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

    /// A folder of this test alone, that is not there yet.
    fn fresh(name: &str) -> PathBuf {
        let target = program::target_folder(Path::new(env!("CARGO_MANIFEST_DIR")));
        target.join(format!("tmp/{name}-{}", std::process::id()))
    }

    #[test]
    fn the_packed_package_file_names_what_comes_inside_and_the_platforms_that_are_there() {
        let place = fresh("platforms");
        std::fs::create_dir_all(&place).unwrap();
        for file in ["linux-arm64-gnu-1.2.3", "darwin-x64-1.2.3", "linux-x64-gnu-1.2.2"] {
            std::fs::write(place.join(format!("automator-browser-{file}.tgz")), "").unwrap();
        }
        let main = json!({ "version": "1.2.3", "dependencies": { "converter": "1.0.0" } });
        let additions = additions(&main, &place).unwrap();
        std::fs::remove_dir_all(&place).unwrap();
        let platforms = additions[2].strip_prefix("optionalDependencies=").unwrap();
        let platforms: Value = serde_json::from_str(platforms).unwrap();
        let expected = json!({
            "automator-browser-darwin-x64": "1.2.3",
            "automator-browser-linux-arm64-gnu": "1.2.3",
        });
        assert_eq!(platforms, expected);
        assert_eq!(
            additions[3..],
            ["bundleDependencies=[\"converter\"]", "files=[\"dist\"]"]
        );
    }

    #[test]
    fn folders_are_copied_with_all_that_is_in_them() {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let to = fresh("copied");
        copy(&from, &to).unwrap();
        let copied = std::fs::read(to.join("generate_cdp/domain.rs")).unwrap();
        std::fs::remove_dir_all(&to).unwrap();
        assert_eq!(
            copied,
            std::fs::read(from.join("generate_cdp/domain.rs")).unwrap()
        );
    }
}
