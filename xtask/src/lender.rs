//! The browsers that the tests of one run borrow, because starting one for each test takes most of the run.
//!
//! The program that lends them is an example of the crate of browsers; it ends them when its input ends, so that
//! none stays behind, whatever becomes of this program.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::program;
use crate::test::EXCLUDED;

/// Where tests look for a lender.
const VARIABLE: &str = "AUTOMATOR_TEST_BROWSERS";

/// A lender that runs. It ends with its browsers when it is dropped.
pub(crate) struct Lender {
    child: Child,
    /// Profiles and what else the browsers put aside.
    folder: PathBuf,
    address: String,
}

impl Lender {
    /// Builds the lender, with the features that it has beside the tests of Rust, and starts it; none when it cannot
    /// be built.
    pub(crate) fn build(root: &Path) -> Result<Option<Self>> {
        let mut build = program::cargo(root);
        build
            .args(["build", "--workspace", "--example", "lend_browsers"])
            .args(program::quiet_unless_watched());
        for package in EXCLUDED {
            build.args(["--exclude", package]);
        }
        if program::succeeds(&mut build)? {
            Self::start(root).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Starts the lender, which was built with the tests.
    pub(crate) fn start(root: &Path) -> Result<Self> {
        let binary = program::target_folder(root).join("debug/examples/lend_browsers");
        let folder = std::env::temp_dir().join(format!("automator-lent-{}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
        let child = Command::new(&binary)
            .env("TMPDIR", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", binary.display()))?;
        let mut lender = Self {
            child,
            folder,
            address: String::new(),
        };
        let output = lender.child.stdout.take().context("the lender has no output")?;
        BufReader::new(output)
            .read_line(&mut lender.address)
            .context("reading where browsers are lent")?;
        lender.address.truncate(lender.address.trim_end().len());
        ensure!(!lender.address.is_empty(), "the lender did not say where it is");
        Ok(lender)
    }

    /// Tells the tests that a program runs where browsers are lent.
    pub(crate) fn lend_to(&self, tests: &mut Command) {
        tests.env(VARIABLE, &self.address);
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if let Err(error) = self.child.wait() {
            eprintln!("waiting for the lender of browsers: {error}");
        }
        // The last processes of a browser may still be writing.
        for turn in 1.. {
            match std::fs::remove_dir_all(&self.folder) {
                Ok(()) => break,
                Err(_) if turn < 50 => std::thread::sleep(Duration::from_millis(100)),
                Err(error) => {
                    eprintln!("removing {}: {error}", self.folder.display());
                    break;
                }
            }
        }
    }
}
