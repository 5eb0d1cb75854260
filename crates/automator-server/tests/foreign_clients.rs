//! Clients of the hosted contract that nobody here wrote, from npm and PyPI, against this server.
//!
//! `cargo xtask test clients` installs them and runs these; the folder that they are installed in is in
//! `AUTOMATOR_CLIENTS`.

mod client;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use automator_server::{Server, ServerOptions, create_key};
use automator_testing::{Answer, Kind, Request, ScriptedModel, Site};
use client::{Client, Folder};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

const PAGE: &str = "<h1>A lamp</h1><button onclick=\"navigator.sendBeacon('/pressed')\">Go</button>";

struct Rig {
    server: Server,
    client: Client,
    model: ScriptedModel,
    page: String,
    /// The id of a session of another key.
    foreign: String,
    _site: Site,
    _folder: Folder,
}

impl Rig {
    async fn start() -> Self {
        let folder = Folder::new();
        let mut options = ServerOptions::new(folder.path());
        options.listen = ([127, 0, 0, 1], 0).into();
        options.platform.grace = Duration::from_secs(3);
        options.platform.round = Duration::from_millis(200);
        let server = Server::start(options).await.expect("a server");
        let key = server.first_key().await.expect("a key").expect("the first one");
        let other = create_key(server.store().as_ref(), "other").await.expect("a key");
        let other = Client::new(server.address(), other.reveal());
        let (_, foreign) = other.post("/v1/sessions", &json!({ "keepAlive": true })).await;
        let site = Site::start().await;
        let page = site.put(PAGE).url.to_string();
        let model = ScriptedModel::start().await;
        model.script(answer);
        Self {
            client: Client::new(server.address(), key.reveal()),
            server,
            model,
            page,
            foreign: foreign["id"].as_str().expect("an id").to_owned(),
            _site: site,
            _folder: folder,
        }
    }

    fn command(&self, program: &Path, script: &str) -> Command {
        let mut command = Command::new(program);
        command
            .arg(installed().join(script))
            .current_dir(installed())
            .env("SERVER", self.server.public_url())
            .env("KEY", self.client.key())
            .env("PAGE", &self.page)
            .env("MODEL", self.model.base_url())
            .env("FOREIGN_SESSION", &self.foreign)
            .kill_on_drop(true);
        command
    }

    /// Runs a script to its end, and gives what it printed.
    async fn run(&self, program: &Path, script: &str) -> String {
        let output = self.command(program, script).output().await.expect("the program");
        let (printed, complaints) = (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        );
        assert!(output.status.success(), "{script}:\n{printed}\n{complaints}");
        printed
    }

    async fn until_ended(&self, id: &str) {
        let begun = Instant::now();
        loop {
            let (_, session) = self.client.get(&format!("/v1/sessions/{id}")).await;
            if session["status"] == "COMPLETED" {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(40), "{session}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

fn answer(request: &Request) -> Answer {
    let choice = |request: &Request| {
        json!({ "elementId": request.id_of("button: Go"), "description": "the go button", "method": "click",
            "arguments": [] })
    };
    match request.kind {
        Kind::Agent => task(request),
        Kind::Act => Answer::value(json!({ "action": choice(request), "twoStep": false })),
        Kind::Observe => Answer::value(json!({ "elements": [choice(request)] })),
        _ if request.text.contains("as an object") => Answer::value(json!({ "name": "A lamp" })),
        _ => Answer::value(json!({ "extraction": "A lamp" })),
    }
}

/// Presses the button, and is done.
fn task(request: &Request) -> Answer {
    match (request.tools.len(), request.tool_results.len()) {
        (1, _) => Answer::tool(
            "done",
            json!({ "reasoning": "Pressed it.", "taskComplete": true }),
        ),
        (_, 0) => {
            let action = format!("click [{}]", request.id_of("button: Go"));
            Answer::tool("act", json!({ "action": action }))
        }
        _ => Answer::text("That is all."),
    }
}

/// Where the clients are installed, and the scripts beside them.
fn installed() -> PathBuf {
    let folder = std::env::var_os("AUTOMATOR_CLIENTS");
    folder.map(PathBuf::from).expect("run `cargo xtask test clients`")
}

fn node() -> PathBuf {
    PathBuf::from("node")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the clients of `cargo xtask test clients`"]
async fn the_typescript_client_of_sessions_is_served() {
    let rig = Rig::start().await;
    rig.run(&node(), "sdk.mjs").await;
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the clients of `cargo xtask test clients`"]
async fn the_typescript_library_runs_its_operations_here() {
    let rig = Rig::start().await;
    let printed = rig.run(&node(), "stagehand.mjs").await;
    let last = printed.lines().last().unwrap_or_default();
    let left: Value = serde_json::from_str(last).expect("JSON");
    // Its client of sessions ends nothing; the server sees that it has gone.
    rig.until_ended(left["left"].as_str().expect("an id")).await;
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the clients of `cargo xtask test clients`"]
async fn the_session_of_a_killed_client_ends() {
    let rig = Rig::start().await;
    let mut child = rig
        .command(&node(), "stagehand_killed.mjs")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let id = loop {
        let line = lines.next_line().await.expect("a line").expect("an id");
        if line.len() == 36 {
            break line;
        }
    };
    child.kill().await.expect("killed");
    rig.until_ended(&id).await;
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the clients of `cargo xtask test clients`"]
async fn the_python_client_runs_its_operations_here() {
    let rig = Rig::start().await;
    let python = installed().join("python/bin/python");
    rig.run(&python, "stagehand_client.py").await;
    rig.server.stop().await;
}
