//! A browser that no library has started: each contender attaches to one of its own, all with the same flags.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::timeout;

/// No host but this one is reachable, pages in frames of other sites are processes of their own, and nothing slows
/// down because it is not in front.
const FLAGS: [&str; 17] = [
    "--headless=new",
    "--remote-debugging-port=0",
    "--remote-allow-origins=*",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-component-update",
    "--disable-sync",
    "--site-per-process",
    "--window-size=1288,798",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

/// What the browser says when it can be attached to.
const LISTENING: &str = "DevTools listening on ";

/// The longest that it may take to start, and to leave.
const STARTING: Duration = Duration::from_secs(30);
const LEAVING: Duration = Duration::from_secs(5);

/// How often its profile is tried to be removed, and the wait between.
const REMOVALS: usize = 20;
const BETWEEN_REMOVALS: Duration = Duration::from_millis(50);

pub(crate) struct OwnBrowser {
    child: Child,
    address: String,
    profile: TempDir,
}

impl OwnBrowser {
    pub(crate) async fn start(executable: &Path) -> Result<Self> {
        let profile = tempfile::Builder::new().prefix("automator-bench-").tempdir()?;
        let mut child = Command::new(executable)
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Its own temporary files go with the profile, also when it is killed.
            .env("TMPDIR", profile.path())
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", executable.display()))?;
        let stderr = child.stderr.take().context("the browser has no standard error")?;
        let mut lines = BufReader::new(stderr).lines();
        let address = timeout(STARTING, address_in(&mut lines))
            .await
            .with_context(|| format!("the browser did not start within {STARTING:?}"))??;
        // It must be read on, or the browser blocks when the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self {
            child,
            address,
            profile,
        })
    }

    /// The WebSocket address to attach to.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) async fn close(mut self) -> Result<()> {
        ask_to_leave(&self.child);
        if timeout(LEAVING, self.child.wait()).await.is_err() {
            self.child.kill().await?;
        }
        // Its last processes may still be writing.
        let mut tries = 0;
        while std::fs::remove_dir_all(self.profile.path()).is_err() && tries < REMOVALS {
            tries += 1;
            tokio::time::sleep(BETWEEN_REMOVALS).await;
        }
        Ok(())
    }
}

async fn address_in(lines: &mut Lines<BufReader<ChildStderr>>) -> Result<String> {
    let mut said = Vec::new();
    while let Some(line) = lines.next_line().await? {
        if let Some(address) = line.strip_prefix(LISTENING) {
            return Ok(address.trim().to_owned());
        }
        said.push(line);
    }
    bail!("the browser ended: {}", said.join("\n"))
}

#[cfg(unix)]
fn ask_to_leave(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process};

    let id = child
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(Pid::from_raw);
    if let Some(id) = id {
        // One that is gone already needs no asking.
        let _ = kill_process(id, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn ask_to_leave(_child: &Child) {}
