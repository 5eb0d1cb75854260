//! The TypeScript peer: npm's package in a Node process of its own.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::contender::Done;

/// The package, in the version that `package.json` asks for.
pub(crate) const PACKAGE: &str = "@browserbasehq/stagehand";
pub(crate) const VERSION: &str = "3.7.3";

const MANIFEST: &str = include_str!("../peer/package.json");
const DRIVER: &str = include_str!("../peer/driver.mjs");

/// How much of what npm says about a failure is passed on.
const REASON_LINES: usize = 4;

/// The longest that a single call may take.
const LIMIT: Duration = Duration::from_secs(120);

/// The longest that the process may take to leave.
const LEAVING: Duration = Duration::from_secs(5);

/// A session of the peer, attached to a browser.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

/// One line of the driver.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reply {
    Failed { error: String },
    Done { ms: f64, value: Value },
}

/// Installs the package into a folder, unless it is there, and puts the driver beside it.
///
/// # Errors
/// Without npm, or when npm cannot reach its registry.
pub(crate) async fn install(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(folder.join("package.json"), MANIFEST)?;
    std::fs::write(folder.join("driver.mjs"), DRIVER)?;
    if is_installed(folder) {
        return Ok(());
    }
    eprintln!("Fetching {PACKAGE} {VERSION} (once)");
    let output = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
        .args(["install", "--no-audit", "--no-fund", "--loglevel", "error"])
        .current_dir(folder)
        // Its dependencies would fetch browsers of their own.
        .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")
        .env("PUPPETEER_SKIP_DOWNLOAD", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .context("npm cannot be started; install Node 20 or later")?;
    let said = String::from_utf8_lossy(&output.stderr);
    // What follows is where in npm it happened.
    let reason: Vec<&str> = said.lines().take(REASON_LINES).collect();
    ensure!(
        output.status.success() && is_installed(folder),
        "`npm install` of {PACKAGE} {VERSION} failed:\n{}",
        reason.join("\n")
    );
    Ok(())
}

fn is_installed(folder: &Path) -> bool {
    let manifest = folder.join("node_modules").join(PACKAGE).join("package.json");
    let Ok(bytes) = std::fs::read(manifest) else {
        return false;
    };
    let version = serde_json::from_slice::<Value>(&bytes).ok();
    version.is_some_and(|manifest| manifest.get("version").and_then(Value::as_str) == Some(VERSION))
}

impl Peer {
    /// Starts the driver in the folder of [`install`] and attaches it to a browser; with `memory`, the folder for what
    /// it remembers.
    pub(crate) async fn open(
        folder: &Path,
        browser: &str,
        model: &str,
        memory: Option<&Path>,
    ) -> Result<Self> {
        let mut child = Command::new("node")
            .arg("driver.mjs")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("node cannot be started; install Node 20 or later")?;
        let input = child.stdin.take().context("the driver has no input")?;
        let output = child.stdout.take().context("the driver has no output")?;
        let output = BufReader::new(output).lines();
        let mut peer = Self { child, input, output };
        peer.call(
            "open",
            json!({ "browser": browser, "model": model, "memory": memory }),
        )
        .await?;
        Ok(peer)
    }

    pub(crate) async fn goto(&mut self, url: &str) -> Result<()> {
        self.call("goto", url.into()).await?;
        Ok(())
    }

    pub(crate) async fn evaluate(&mut self, expression: &str) -> Result<Value> {
        Ok(self.call("evaluate", expression.into()).await?.value)
    }

    pub(crate) async fn close(mut self) -> Result<()> {
        self.call("close", Value::Null).await?;
        let Self { mut child, input, .. } = self;
        drop(input);
        // One that stays is killed when it is dropped.
        if let Ok(status) = timeout(LEAVING, child.wait()).await {
            status?;
        }
        Ok(())
    }

    /// Has the driver do one of its operations.
    pub(crate) async fn call(&mut self, operation: &str, argument: Value) -> Result<Done> {
        let line = format!("{}\n", json!({ "op": operation, "argument": argument }));
        let asking = async {
            self.input.write_all(line.as_bytes()).await?;
            self.output.next_line().await
        };
        let reply = timeout(LIMIT, asking)
            .await
            .with_context(|| format!("{PACKAGE} did not answer {operation} within {LIMIT:?}"))?
            .with_context(|| format!("{PACKAGE} is gone"))?;
        let Some(reply) = reply else {
            bail!("{PACKAGE} ended at {operation}: {}", self.child.wait().await?);
        };
        match serde_json::from_str(&reply).with_context(|| format!("the driver said {reply:?}"))? {
            Reply::Done { ms, value } => Ok(Done {
                took: Duration::try_from_secs_f64(ms / 1e3)?,
                value,
            }),
            Reply::Failed { error } => bail!("{PACKAGE}, {operation}: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_asks_for_the_version_that_is_named() {
        let manifest: Value = serde_json::from_str(MANIFEST).unwrap();
        assert_eq!(manifest["dependencies"][PACKAGE], VERSION);
    }

    #[test]
    fn replies_of_the_driver_are_told_apart() {
        let done = serde_json::from_str(r#"{"ms":1.5,"value":null}"#).unwrap();
        assert!(matches!(done, Reply::Done { ms, .. } if (ms - 1.5).abs() < 1e-9));
        let failed = serde_json::from_str(r#"{"error":"no"}"#).unwrap();
        assert!(matches!(failed, Reply::Failed { error } if error == "no"));
    }
}
