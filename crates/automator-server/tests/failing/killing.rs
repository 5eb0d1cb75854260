//! Servers and browsers that are killed or stand still.

use std::time::{Duration, Instant};

use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::child::{Reaper, ServerProcess, nothing_is_left};
use super::client::{Client, Folder, browser_of, processes_in};
use super::{closed, connect, create, figure, is_soak, release, retrieve, text, until, until_status};

/// The titles of a browser's tabs.
async fn titles(connect_url: &str) -> Vec<String> {
    let browser = connect(connect_url).await;
    let targets = browser.root().send_raw("Target.getTargets", json!({})).await;
    let targets: Value = serde_json::from_str(targets.expect("an answer").get()).expect("JSON");
    let targets = targets["targetInfos"].as_array().expect("a list").iter();
    let mut titles: Vec<String> = targets
        .filter(|target| target["type"] == "page")
        .map(|target| text(target, "title").to_owned())
        .collect();
    titles.sort();
    titles
}

async fn open_tab(connect_url: &str, title: &str) {
    let browser = connect(connect_url).await;
    let url = format!("data:text/html,<title>{title}</title>");
    browser
        .root()
        .send_raw("Target.createTarget", json!({ "url": url }))
        .await
        .expect("a tab");
    until("the title", async || {
        titles(connect_url).await.contains(&title.to_owned())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kept_sessions_survive_the_killing_of_their_server_and_nothing_else_does() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let each = if is_soak() { 5 } else { 2 };
    let settings = json!({ "grace": 1_000, "slots": 10 });
    let server = ServerProcess::start(folder.path(), &settings).await;
    let client = server.client();
    let (mut kept, mut unkept) = (Vec::new(), Vec::new());
    for number in 0..each {
        let session = create(&client, &json!({ "keepAlive": true })).await;
        open_tab(text(&session, "connectUrl"), &format!("tab {number}")).await;
        kept.push(session);
        unkept.push(create(&client, &json!({})).await);
    }
    let in_use = connect(text(&kept[0], "connectUrl")).await;
    let begun = Instant::now();
    server.kill().await;
    closed(&in_use).await;
    assert!(
        !processes_in(folder.path()).is_empty(),
        "browsers outlive their server"
    );

    let server = ServerProcess::start(folder.path(), &settings).await;
    assert_eq!(server.key, "", "its keys are still there");
    let client = Client::new(server.address, client.key());
    for (number, session) in kept.iter().enumerate() {
        let session = retrieve(&client, session).await;
        assert_eq!(session["status"], "RUNNING", "{session}");
        let titles = titles(text(&session, "connectUrl")).await;
        assert!(titles.contains(&format!("tab {number}")), "{titles:?}");
    }
    let attached = begun.elapsed();
    assert!(attached < Duration::from_secs(10), "{attached:?}");
    for session in &unkept {
        until_status(&client, session, "COMPLETED").await;
    }
    for session in &kept {
        assert_eq!(release(&client, session).await.0, 200);
    }
    nothing_is_left(folder.path()).await;
    assert_eq!(figure(&client, "automator_slots_used").await, 0.0);
    eprintln!("all was attached again after {attached:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_was_being_started_when_its_server_was_killed_is_not_left_over() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let server = ServerProcess::start(folder.path(), &json!({})).await;
    let client = server.client();
    let creating = tokio::spawn({
        let client = client.clone();
        async move { client.post("/v1/sessions", &json!({ "keepAlive": true })).await }
    });
    until("a process of the browser", async || {
        !processes_in(folder.path()).is_empty()
    })
    .await;
    server.kill().await;
    assert!(
        creating.await.is_err(),
        "the server is gone before it has answered"
    );
    let server = ServerProcess::start(folder.path(), &json!({})).await;
    let client = Client::new(server.address, client.key());
    nothing_is_left(folder.path()).await;
    until("its folder has gone", async || {
        std::fs::read_dir(folder.path().join("browsers")).is_ok_and(|folders| folders.count() == 0)
    })
    .await;
    let (_, sessions) = client.get("/v1/sessions").await;
    assert_eq!(sessions[0]["status"], "ERROR", "{sessions}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_connected_hears_within_a_second_that_the_browser_was_killed() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let server = ServerProcess::start(folder.path(), &json!({ "slots": 1 })).await;
    let client = server.client();
    let session = create(&client, &json!({ "keepAlive": true })).await;
    let browser = connect(text(&session, "connectUrl")).await;
    let begun = Instant::now();
    let process = browser_of(folder.path(), text(&session, "id"));
    kill_process(process, Signal::KILL).expect("killed");
    let (code, reason) = closed(&browser).await;
    let heard = begun.elapsed();
    assert!(heard < Duration::from_secs(1), "{heard:?}");
    assert!(code.is_some() && !reason.is_empty(), "{code:?} {reason}");
    until_status(&client, &session, "ERROR").await;
    // The only place is free again.
    let next = create(&client, &json!({})).await;
    release(&client, &next).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_that_stands_still_is_noticed_and_ended() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let settings = json!({ "slots": 1, "beat": 200, "silence": 1_000 });
    let server = ServerProcess::start(folder.path(), &settings).await;
    let client = server.client();
    let session = create(&client, &json!({ "keepAlive": true })).await;
    let browser = connect(text(&session, "connectUrl")).await;
    let process = browser_of(folder.path(), text(&session, "id"));
    let begun = Instant::now();
    kill_process(process, Signal::STOP).expect("stopped");
    let (code, reason) = closed(&browser).await;
    let heard = begun.elapsed();
    assert_eq!(code, Some(4000), "{reason}");
    assert!(reason.contains("stopped answering"), "{reason}");
    assert!(
        heard > Duration::from_millis(900) && heard < Duration::from_secs(5),
        "{heard:?}"
    );
    until_status(&client, &session, "ERROR").await;
    nothing_is_left(folder.path()).await;
    until("its place is free", async || {
        figure(&client, "automator_slots_used").await == 0.0
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn browsers_of_ended_sessions_leave_no_zombies() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let server = ServerProcess::start(folder.path(), &json!({ "slots": 2 })).await;
    let client = server.client();
    let mut browsers = Vec::new();
    for is_killed in [false, true] {
        let session = create(&client, &json!({ "keepAlive": true })).await;
        let process = browser_of(folder.path(), text(&session, "id"));
        if is_killed {
            kill_process(process, Signal::KILL).expect("killed");
            until_status(&client, &session, "ERROR").await;
        } else {
            assert_eq!(release(&client, &session).await.0, 200);
        }
        browsers.push(process);
    }
    for browser in browsers {
        let stat = format!("/proc/{}/stat", browser.as_raw_nonzero());
        until("nobody has to ask for its status any more", async || {
            !std::fs::exists(&stat).unwrap_or(true)
        })
        .await;
    }
}

/// A deadline is that of the whole call: the server is not connected with the browser yet, and never will be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_keeps_its_deadline_also_while_its_browser_stands_still() {
    let folder = Folder::new();
    let _reaper = Reaper(folder.path());
    let server = ServerProcess::start(folder.path(), &json!({ "slots": 1 })).await;
    let client = server.client();
    let session = create(&client, &json!({ "keepAlive": true })).await;
    let id = text(&session, "id");
    kill_process(browser_of(folder.path(), id), Signal::STOP).expect("stopped");
    let model = json!({ "modelName": "openai/gpt-4.1-mini", "apiKey": "sk-test" });
    let options = json!({ "timeout": 1_000, "model": model });
    let input = json!({ "selector": "xpath=/html/body", "method": "click", "description": "the page" });
    let url = "http://127.0.0.1:9/";
    for (operation, body, error) in [
        (
            "navigate",
            json!({ "url": url, "options": { "timeout": 1_000 } }),
            "TimeoutError",
        ),
        (
            "act",
            json!({ "input": input, "options": options }),
            "ActTimeoutError",
        ),
        (
            "extract",
            json!({ "instruction": "the name", "options": options }),
            "ExtractTimeoutError",
        ),
        (
            "observe",
            json!({ "instruction": "buttons", "options": options }),
            "ObserveTimeoutError",
        ),
        (
            "agentExecute",
            json!({ "agentConfig": { "model": model },
                "executeOptions": { "instruction": "order it", "timeout": 1_000 } }),
            "",
        ),
    ] {
        let begun = Instant::now();
        let (status, answer) = client
            .post(&format!("/v1/sessions/{id}/{operation}"), &body)
            .await;
        let taken = begun.elapsed();
        assert!(
            taken >= Duration::from_secs(1) && taken < Duration::from_millis(2_500),
            "{operation}: {taken:?}"
        );
        if error.is_empty() {
            let message = "Stopped: the run reached its timeout of 1 s";
            assert_eq!(
                (status, &answer["data"]["result"]["message"]),
                (200, &json!(message)),
                "{answer}"
            );
        } else {
            assert_eq!(answer["error"]["automator"], error, "{operation}: {answer}");
        }
    }
}
