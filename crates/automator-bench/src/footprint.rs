//! Memory of a process that does nothing but read pages with our library.
//!
//! It is a process of its own because the answers that the floors get stay in a process' peak, and the server
//! holds the pages.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context as _, Result, ensure};
use automator_browser::SnapshotOptions;
use serde::{Deserialize, Serialize};

use crate::processor::{Memory, memory};
use crate::stage;

/// How often each page is read.
const READINGS: usize = 4;

/// What the process has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Footprint {
    /// With the browser started and nothing read.
    pub(crate) before: Memory,
    /// After the last page was read.
    pub(crate) after: Memory,
}

/// The name of the hidden command that runs [`measure`].
pub(crate) const COMMAND: &str = "footprint";

/// Reads pages and tells what this process used.
pub(crate) async fn measure(browser: Option<PathBuf>, urls: &[String]) -> Result<Footprint> {
    let browser = stage::start_browser(browser).await?;
    let tell = || memory().context("the system does not tell the memory of a process");
    let before = tell()?;
    for url in urls {
        let page = stage::open(&browser, url).await?;
        for _ in 0..READINGS {
            page.snapshot(&SnapshotOptions::default()).await?;
        }
        page.close().await?;
    }
    let after = tell()?;
    browser.close().await;
    Ok(Footprint { before, after })
}

/// Runs [`measure`] in a process of its own.
pub(crate) async fn measure_apart(browser: Option<&Path>, urls: &[String]) -> Result<Footprint> {
    let program = std::env::current_exe().context("this program cannot be found")?;
    let mut command = tokio::process::Command::new(program);
    if let Some(browser) = browser {
        command.arg("--browser").arg(browser);
    }
    let output = command
        .arg(COMMAND)
        .args(urls)
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "the reading process ended with {}",
        output.status
    );
    serde_json::from_slice(&output.stdout).context("the reading process told no memory")
}
