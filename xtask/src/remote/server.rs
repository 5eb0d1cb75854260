//! A server for one run of tests: `automator serve` with a folder of its own.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// How long it may take to end its sessions.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs. It is stopped when it is dropped, too.
pub(super) struct Server {
    child: Child,
    folder: PathBuf,
    url: String,
    key: String,
}

impl Server {
    /// Starts it, and waits until it listens.
    pub(super) fn start(binary: &Path) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("automator-remote-tests-{}", std::process::id()));
        let child = Command::new(binary)
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--folder"])
            .arg(&folder)
            // A session whose test failed is there for the time of grace, beside those of the tests that run.
            .args(["--slots", "8", "--grace", "5"])
            .args(["--egress", "open", "--model-egress", "open"])
            .args(["--requests-per-key", "1000"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("starting {}", binary.display()))?;
        let mut server = Self {
            child,
            folder,
            url: String::new(),
            key: String::new(),
        };
        let output = server.child.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output)
            .read_line(&mut line)
            .context("reading where the server listens")?;
        let told: Value = serde_json::from_str(&line).context("the server did not say where it listens")?;
        let text = |name: &str| {
            let text = told.get(name).and_then(Value::as_str);
            text.map(str::to_owned)
                .with_context(|| format!("the server told no {name}"))
        };
        server.url = text("url")?;
        server.key = text("apiKey")?;
        Ok(server)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Ends it with all its sessions; an error when it has to be killed.
    pub(super) fn stop(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_none() {
            // The standard library has no signal but the one that leaves no time to end sessions.
            Command::new("sh")
                .args(["-c", "kill -TERM \"$0\"", &self.child.id().to_string()])
                .status()
                .context("telling the server to end")?;
        }
        let started = Instant::now();
        while self.child.try_wait()?.is_none() {
            if started.elapsed() > PATIENCE {
                self.child.kill()?;
                self.child.wait()?;
                bail!("the server did not end within {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)
                .with_context(|| format!("removing {}", self.folder.display()))?;
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What failed before has been told; a second failure would only hide it.
        drop(self.end());
    }
}
