//! `cargo xtask …`: every command that a person or CI runs, one file per command.
//!
//! Each command finds or installs what it needs ([`setup`], [`tools`]) and then starts other programs;
//! nothing is installed that is there already. Start reading at [`run`].
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program talks to a person"
)]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

mod bench;
mod build;
mod check;
mod clients;
mod demo;
mod generate;
mod generate_cdp;
mod generate_python;
mod lender;
mod node_pack;
mod node_package;
mod node_platform;
mod program;
mod properties;
mod python_package;
mod remote;
mod report;
mod setup;
mod test;
mod tools;

const USAGE: &str = "\
cargo xtask demo            sets up what is missing and runs the main job on the bundled site
cargo xtask test [args]     sets up what is missing and runs every test; args go to the test runner
cargo xtask test pure       the tests that need no browser, and the doc tests
cargo xtask test soak       the long runs: many launches, many random cases
cargo xtask test node       the tests of the npm package alone
cargo xtask test python     the tests of the Python package alone; args go to pytest
cargo xtask test clients    clients of the hosted contract, from npm and PyPI, against `automator serve`
cargo xtask test remote     the behaviour tests of the library with env REMOTE, on `automator serve`; only
                            `served` (operations there) or `socket` (here), if named
cargo xtask check [step]    format, lints, documentation, licences, spelling, unused dependencies,
                            generated files, JavaScript, Python; or only the steps named
cargo xtask generate        rewrites the generated files; --check only compares them; python only rewrites the
                            classes of the Python package that wait;
                            pin FOLDER takes a newer protocol from the unpacked npm package
cargo xtask build cli       the command line program, target/release/automator
cargo xtask build node      the npm package, ready for use in bindings/node; with --pack also the files that
                            npm installs, in bindings/node/npm
cargo xtask build python    the wheel, in target/wheels
cargo xtask bench ARGS      benchmarks, for example: bench read, bench agent, bench remote, bench miniwob";

/// How a command ended when nothing went wrong on the way: what it ran passed, or did not.
enum Outcome {
    Passed,
    Failed,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(Outcome::Passed) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<Outcome> {
    let root = root();
    let Some((command, rest)) = arguments.split_first() else {
        println!("{USAGE}");
        return Ok(Outcome::Passed);
    };
    match command.as_str() {
        "demo" => demo::run(&root, rest),
        "test" => test::run(&root, rest),
        "check" => check::run(&root, rest),
        "generate" => generate::run(&root, rest),
        "build" => build::run(&root, rest),
        "bench" => bench::run(&root, rest),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(Outcome::Passed)
        }
        other => bail!("there is no command {other:?}. The commands are:\n\n{USAGE}"),
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
