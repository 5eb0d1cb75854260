//! A server in a process of its own, which can be killed and measured.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use automator_server::store::SqliteStore;
use automator_server::{DATABASE, Server, ServerOptions};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::client::{Client, processes_in};
use crate::fake::FakeEngine;
use crate::until;

/// Tells a test process that it is to be a server, and how.
const SETTINGS: &str = "AUTOMATOR_TEST_SERVER";

/// What the line begins with that tells where the server is.
const READY: &str = "ready ";

/// Where such a server and its browsers keep their temporary files.
const TEMPORARY: &str = "tmp";

/// A server in a process of its own. It ends with this.
pub(crate) struct ServerProcess {
    process: Child,
    pub(crate) address: SocketAddr,
    /// With the key that the server has made, if it was the first one in its folder.
    pub(crate) key: String,
}

impl ServerProcess {
    /// Starts one in a folder. `settings`: `grace`, `beat`, `silence` and `reading` in milliseconds, `slots`, and the
    /// address of a fake `browser`.
    pub(crate) async fn start(folder: &Path, settings: &Value) -> Self {
        let mut settings = settings.clone();
        settings["folder"] = folder.to_str().expect("a path").into();
        std::fs::create_dir_all(folder.join(TEMPORARY)).expect("a folder");
        let this = std::env::current_exe().expect("this program");
        let mut process = Command::new(this)
            .args(["--exact", "child::serves_as_a_child", "--ignored", "--nocapture"])
            .env(SETTINGS, settings.to_string())
            .env("TMPDIR", folder.join(TEMPORARY))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let ready = loop {
            let line = lines.next_line().await.expect("a line");
            let line = line.expect("the server has ended before it was ready");
            // The test program tells what it runs first, without the end of the line.
            if let Some((_, ready)) = line.split_once(READY) {
                break serde_json::from_str::<Value>(ready).expect("JSON");
            }
        };
        // What else it says must not hold it up.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            process,
            address: ready["address"]
                .as_str()
                .expect("an address")
                .parse()
                .expect("one"),
            key: ready["key"].as_str().unwrap_or_default().to_owned(),
        }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address, &self.key)
    }

    /// Kills it, and waits until it is gone.
    pub(crate) async fn kill(mut self) {
        self.process.kill().await.expect("killed");
    }

    fn id(&self) -> u32 {
        self.process.id().expect("it runs")
    }

    /// A line of what the system tells of it, in kB.
    fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_whitespace().nth(1));
        value.and_then(|value| value.parse().ok()).expect("a number")
    }

    /// Its resident memory in kB.
    pub(crate) fn resident(&self) -> u64 {
        self.memory("VmRSS:")
    }

    /// The most that this ever was.
    pub(crate) fn most_resident(&self) -> u64 {
        self.memory("VmHWM:")
    }

    pub(crate) fn descriptors(&self) -> usize {
        let folder = std::fs::read_dir(format!("/proc/{}/fd", self.id())).expect("it runs");
        folder.count()
    }
}

impl Drop for ServerProcess {
    /// Waits for its end: until then it writes to its folder.
    fn drop(&mut self) {
        let _ = self.process.start_kill();
        for _ in 0..500 {
            if !matches!(self.process.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Ends all processes of a folder, also when the test fails: those that nothing else knows.
pub(crate) struct Reaper<'a>(pub(crate) &'a Path);

impl Drop for Reaper<'_> {
    fn drop(&mut self) {
        for process in processes_in(self.0) {
            // One that has gone meanwhile is no trouble.
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

/// Waits until no browser of a server is left over, and nothing of one among the temporary files.
pub(crate) async fn nothing_is_left(folder: &Path) {
    until("no browser is left over", async || {
        processes_in(folder).is_empty()
    })
    .await;
    let temporary = folder.join(TEMPORARY);
    until("no temporary file is left over", async || {
        std::fs::read_dir(&temporary).is_ok_and(|files| files.count() == 0)
    })
    .await;
}

fn options(settings: &Value) -> ServerOptions {
    let milliseconds = |name: &str| settings[name].as_u64().map(Duration::from_millis);
    let mut options = ServerOptions::new(settings["folder"].as_str().expect("a folder"));
    options.listen = ([127, 0, 0, 1], 0).into();
    options.limits.key_rate.burst = 1_000_000;
    let platform = &mut options.platform;
    platform.round = Duration::from_millis(100);
    for (name, option) in [
        ("grace", &mut platform.grace),
        ("beat", &mut platform.beat),
        ("silence", &mut platform.silence),
        ("reading", &mut platform.reading),
    ] {
        *option = milliseconds(name).unwrap_or(*option);
    }
    if let Some(slots) = settings["slots"].as_u64() {
        platform.slots.slots = usize::try_from(slots).expect("a number");
    }
    options
}

/// The server, in a process that another test has started. It ends when that one lets go of its input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it is the other half of tests that start it"]
async fn serves_as_a_child() {
    let Some(settings) = std::env::var_os(SETTINGS) else {
        return;
    };
    let settings: Value = serde_json::from_str(settings.to_str().expect("a text")).expect("JSON");
    let options = options(&settings);
    let server = match settings["browser"].as_str() {
        None => Server::start(options).await,
        Some(address) => {
            let store = SqliteStore::open(&options.folder.join(DATABASE)).expect("a store");
            Server::start_with(options, Arc::new(store), Arc::new(FakeEngine::new(address))).await
        }
    };
    let server = server.expect("a server");
    let key = server.first_key().await.expect("an answer");
    let key = key.as_ref().map(automator_server::key::ApiKey::reveal);
    println!(
        "{READY}{}",
        json!({ "address": server.address().to_string(), "key": key })
    );
    let mut input = tokio::io::stdin();
    let _ = input.read(&mut [0]).await;
    // Not ended, but gone; and reading the input would hold up the runtime.
    std::process::exit(0);
}
