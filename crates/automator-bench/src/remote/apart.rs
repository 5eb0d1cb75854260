//! The server in a process of its own, so that its memory and its processor time are its own.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use automator_server::{Server, ServerOptions};
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::requests::Requests;

/// The name of the hidden command that runs [`serve`].
pub(crate) const COMMAND: &str = "serve-apart";

/// The longest that it may take to start, and to end all sessions.
const STARTING: Duration = Duration::from_secs(30);
const ENDING: Duration = Duration::from_secs(30);

/// Where the server works, and under which address its sessions are reached.
#[derive(Args)]
pub(crate) struct Place {
    folder: PathBuf,
    public_url: String,
}

/// What the server says when it listens.
#[derive(Serialize, Deserialize)]
pub(crate) struct Listening {
    address: SocketAddr,
    key: String,
}

/// A server that runs in another process, until this one ends or closes it.
pub(super) struct Apart {
    child: Child,
    folder: TempDir,
    address: SocketAddr,
    key: String,
}

/// Starts a server with its first key.
pub(crate) async fn start(browser: Option<PathBuf>, place: &Place) -> Result<(Server, Listening)> {
    let mut options = ServerOptions::new(&place.folder);
    options.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    options.executable = browser;
    options.public_url = Some(place.public_url.clone());
    let server = Server::start(options).await?;
    let key = server.first_key().await?.context("the folder has keys already")?;
    let listening = Listening {
        address: server.address(),
        key: key.reveal().to_owned(),
    };
    Ok((server, listening))
}

/// Serves until the standard input ends: also when the process that started this one has gone.
pub(crate) async fn serve(server: Server) -> Result<()> {
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    server.stop().await;
    Ok(())
}

impl Apart {
    pub(super) async fn start(browser: Option<&Path>, public: SocketAddr) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("automator-bench-").tempdir()?;
        let program = std::env::current_exe().context("this program cannot be found")?;
        let mut command = Command::new(program);
        if let Some(browser) = browser {
            command.arg("--browser").arg(browser);
        }
        let mut child = command
            .arg(COMMAND)
            .arg(folder.path())
            .arg(format!("http://{public}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        timeout(STARTING, BufReader::new(output).read_line(&mut line))
            .await
            .context("the server did not start")??;
        let Listening { address, key } = serde_json::from_str(&line).context("the server did not start")?;
        Ok(Self {
            child,
            folder,
            address,
            key,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn process(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// A client that reaches the server at this address.
    pub(super) fn requests(&self, address: SocketAddr) -> Requests {
        Requests::new(address, &self.key)
    }

    /// Where the browser of a session itself listens, and its process.
    pub(super) fn browser_of(&self, session: &str) -> Result<(String, u32)> {
        let path = self
            .folder
            .path()
            .join("browsers")
            .join(session)
            .join("browser.json");
        let kept: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
        let address = kept.get("address").and_then(Value::as_str);
        let process = kept.get("processId").and_then(Value::as_u64);
        Ok((
            address.context("the browser has no address")?.to_owned(),
            u32::try_from(process.context("the browser has no process")?)?,
        ))
    }

    /// Ends the server with its sessions.
    pub(super) async fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let ended = timeout(ENDING, self.child.wait())
            .await
            .context("the server does not end")??;
        ensure!(ended.success(), "the server ended with {ended}");
        Ok(())
    }
}
