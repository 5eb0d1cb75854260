//! `cargo xtask check`: everything that is judged without running the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::node_package;
use crate::python_package;
use crate::report::Report;
use crate::test::files_with_ending;
use crate::{Outcome, generate, program, setup, tools};

/// The steps in their order, quick ones first.
const STEPS: [&str; 10] = [
    "format",
    "lockfile",
    "generated",
    "spelling",
    "dependencies",
    "licences",
    "javascript",
    "python",
    "clippy",
    "docs",
];

/// Runs all steps, or those named.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<Outcome> {
    if let Some(unknown) = arguments
        .iter()
        .find(|word| !STEPS.contains(&word.as_str()) && *word != "advisories")
    {
        bail!(
            "there is no step {unknown:?}; the steps are {}, and advisories, which needs the network",
            STEPS.join(", ")
        );
    }
    let mut report = Report::default();
    for step in STEPS
        .iter()
        .filter(|step| arguments.is_empty() || arguments.iter().any(|word| word == *step))
    {
        match *step {
            "format" => format(root, &mut report)?,
            "lockfile" => report.program(
                "lockfile",
                program::cargo(root).args(["fetch", "--quiet", "--locked"]),
            ),
            "generated" => report.step("generated: generate --check", || {
                generate::check(root).map(|()| true)
            }),
            "spelling" => tool(root, &mut report, "spelling", &tools::TYPOS, &[]),
            "dependencies" => tool(
                root,
                &mut report,
                "dependencies",
                &tools::SHEAR,
                &["--deny-warnings"],
            ),
            "licences" => tool(
                root,
                &mut report,
                "licences",
                &tools::DENY,
                &["check", "bans", "licenses", "sources"],
            ),
            "javascript" => javascript(root, &mut report),
            "python" => python_package::check(root, &mut report),
            "clippy" => clippy(root, &mut report)?,
            _ => docs(root, &mut report),
        }
    }
    // The list of known holes is fetched from the network, so it is no part of the ordinary run.
    if arguments.iter().any(|word| word == "advisories") {
        tool(
            root,
            &mut report,
            "advisories",
            &tools::DENY,
            &["check", "advisories"],
        );
    }
    Ok(report.finish())
}

fn format(root: &Path, report: &mut Report) -> Result<()> {
    setup::cargo_component(root, "fmt", "rustfmt")?;
    report.program("format", program::cargo(root).args(["fmt", "--all", "--check"]));
    Ok(())
}

fn clippy(root: &Path, report: &mut Report) -> Result<()> {
    setup::cargo_component(root, "clippy", "clippy")?;
    let mut clippy = program::cargo(root);
    clippy
        .args(["clippy", "--workspace", "--all-targets"])
        .args(program::quiet_unless_watched());
    report.program("clippy", clippy.args(["--", "-D", "warnings"]));
    Ok(())
}

fn docs(root: &Path, report: &mut Report) {
    let mut docs = program::cargo(root);
    docs.args(["doc", "--workspace", "--no-deps"])
        .args(program::quiet_unless_watched());
    report.program("docs", docs.env("RUSTDOCFLAGS", "-D warnings"));
}

fn tool(root: &Path, report: &mut Report, step: &str, tool: &tools::Tool, arguments: &[&str]) {
    report.step(step, || {
        let path = tool.find_or_build(root)?;
        program::succeeds(Command::new(path).args(arguments).current_dir(root))
    });
}

/// Syntax and types of the scripts that run in pages, and of the shop's.
fn javascript(root: &Path, report: &mut Report) {
    let node = match setup::node() {
        Ok(node) => node,
        Err(reason) => return report.skip("javascript", reason),
    };
    let files = scripts(root);
    report.step("javascript: syntax", || {
        let mut all_fine = true;
        for file in &files {
            all_fine &= program::succeeds(Command::new(&node).arg("--check").arg(file))?;
        }
        Ok(all_fine)
    });
    let Some(compiler) = tools::typescript(root) else {
        return report.skip(
            "javascript: types",
            "the TypeScript compiler could not be fetched with npm",
        );
    };
    let mut types = Command::new(&node);
    types
        .arg(compiler)
        .args(["--noEmit", "--allowJs", "--strict", "--target", "es2023"]);
    // Only files that ask for it with `// @ts-check` are checked. Node's types are not
    // installed, so the tests of the scripts are left to Node.
    types.args(["--lib", "es2023,dom,dom.iterable", "--moduleDetection", "force"]);
    types
        .args(
            files
                .iter()
                .filter(|file| !file.to_string_lossy().ends_with(".mjs")),
        )
        .current_dir(root);
    report.step("javascript: types", || program::succeeds(&mut types));
    report.step("javascript: types of the npm package", || {
        node_package::check_types(root)
    });
}

fn scripts(root: &Path) -> Vec<PathBuf> {
    let folders = [
        ("crates/automator-browser/js", ".js"),
        ("crates/automator-browser/js/tests", ".mjs"),
        ("crates/automator-server/web", ".js"),
        ("crates/automator-testing/pages/shop", ".js"),
        ("crates/automator-bench/peer", ".mjs"),
        ("bindings/node/bench", ".mjs"),
        ("bindings/node/tests", ".mjs"),
        ("examples/node", ".mjs"),
        ("examples/node/function", ".mjs"),
        ("examples/node/function/api", ".mjs"),
    ];
    folders
        .iter()
        .flat_map(|(folder, ending)| files_with_ending(&root.join(folder), ending))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_refused_with_the_list_of_steps() {
        let error = run(Path::new("/"), &["lint".to_owned()]).err().unwrap();
        assert!(
            error.to_string().contains("\"lint\"") && error.to_string().contains("clippy, docs"),
            "{error}"
        );
    }

    #[test]
    fn the_scripts_of_the_shop_are_checked() {
        assert!(
            scripts(&crate::root())
                .iter()
                .any(|path| path.ends_with("pages/shop/shop.js"))
        );
    }
}
