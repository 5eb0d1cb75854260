//! A program with `env: REMOTE` that is killed: what becomes of its session, and of the browser.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::client::{Client, browser_of, processes_in};
use crate::{Rig, open, resuming, session};

/// Tells a test process that it is to be a program with a session, and how.
const SETTINGS: &str = "AUTOMATOR_TEST_CLIENT";

/// What the line begins with that tells which session the program has.
const READY: &str = "ready ";

/// What the program shows in its session.
const PAGE: &str = "data:text/html,<title>Lamps</title><h1>Lamps</h1>";

/// How long a session of a [`Rig`] goes on that nobody is connected to.
const GRACE: Duration = Duration::from_secs(2);

/// How long anything may take that has to happen; less than the grace of a server that nobody has set one for.
const PATIENCE: Duration = Duration::from_secs(15);

/// A program that has a session, in a process of its own. It ends with this.
struct Program {
    process: Child,
    session: String,
}

impl Program {
    async fn start(rig: &Rig, is_kept: bool) -> Self {
        let settings =
            json!({ "url": rig.server.public_url(), "key": rig.client.key(), "keepAlive": is_kept });
        let this = std::env::current_exe().expect("this program");
        let mut process = Command::new(this)
            .args([
                "--exact",
                "killed::has_a_session_as_a_child",
                "--ignored",
                "--nocapture",
            ])
            .env(SETTINGS, settings.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("a process");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let session = loop {
            let line = lines.next_line().await.expect("a line");
            let line = line.expect("the program has ended before it had a session");
            // The test program tells what it runs first, without the end of the line.
            if let Some((_, session)) = line.split_once(READY) {
                break session.to_owned();
            }
        };
        Self { process, session }
    }

    /// Kills it, so that it says nothing more to anybody, and waits until it is gone. Gives the id of its session.
    async fn kill(mut self) -> String {
        self.process.kill().await.expect("killed");
        self.session
    }
}

/// The program, in a process that another test has started. It ends, without a close, when that one lets go of its
/// input.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it is the other half of tests that start it"]
async fn has_a_session_as_a_child() {
    let Some(settings) = std::env::var_os(SETTINGS) else {
        return;
    };
    let settings: Value = serde_json::from_str(settings.to_str().expect("a text")).expect("JSON");
    let text = |name: &str| settings[name].as_str().expect("a text");
    let is_kept = settings["keepAlive"] == true;
    let automator = open(session(text("url"), text("key")).keep_alive(is_kept)).await;
    let page = automator.context().expect("open").active_page().expect("a page");
    page.goto(PAGE).await.expect("a page");
    // The server has a connection of its own to the browser from now on, which must not count.
    let read = automator.page_text().await.expect("a text");
    assert!(read.page_text.contains("Lamps") && read.cache_status.is_some());
    println!("{READY}{}", automator.remote_session_id().expect("an id"));
    let mut input = tokio::io::stdin();
    let _ = input.read(&mut [0]).await;
    std::process::exit(0);
}

async fn retrieve(client: &Client, id: &str) -> Value {
    let (status, session) = client.get(&format!("/v1/sessions/{id}")).await;
    assert_eq!(status, 200, "{session}");
    session
}

/// Waits until a session has ended and no process of a browser is left.
async fn until_ended(rig: &Rig, id: &str) -> Value {
    let begun = Instant::now();
    loop {
        let session = retrieve(&rig.client, id).await;
        let left = processes_in(&rig.folder);
        if session["status"] == "COMPLETED" && left.is_empty() {
            return session;
        }
        assert!(begun.elapsed() < PATIENCE, "{left:?} of {session}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_session_of_a_killed_program_ends_with_its_browser_after_the_grace() {
    let rig = Rig::start().await;
    let program = Program::start(&rig, false).await;
    // Connected, it goes on for longer than the grace.
    tokio::time::sleep(GRACE + GRACE / 2).await;
    assert_eq!(retrieve(&rig.client, &program.session).await["status"], "RUNNING");
    assert!(processes_in(&rig.folder).contains(&browser_of(&rig.folder, &program.session)));
    let begun = Instant::now();
    let id = program.kill().await;
    let ended = until_ended(&rig, &id).await;
    assert!(begun.elapsed() >= GRACE, "{:?}", begun.elapsed());
    let reason = ended["endReason"].as_str().unwrap_or_default();
    assert!(reason.contains("connected"), "{ended}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_session_of_a_killed_program_goes_on_with_its_page() {
    let rig = Rig::start().await;
    let program = Program::start(&rig, true).await;
    let browser = browser_of(&rig.folder, &program.session);
    let id = program.kill().await;
    tokio::time::sleep(GRACE * 2).await;
    assert_eq!(retrieve(&rig.client, &id).await["status"], "RUNNING");
    assert_eq!(browser_of(&rig.folder, &id), browser, "it is the same browser");
    let again = open(resuming(rig.session(), &id).keep_alive(false)).await;
    let page = again.context().expect("open").active_page().expect("a page");
    assert_eq!(page.title().await.expect("a title"), "Lamps");
    again.close().await.expect("a close");
    until_ended(&rig, &id).await;
    rig.server.stop().await;
}
