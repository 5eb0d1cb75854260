//! Signals: the command ends at once, and its browser with it.

use std::time::Duration;

use automator_testing::{Fault, Route, ScriptedModel, Site};
use tokio::process::Child;

use crate::command::{Outcome, World, asking, path_text, world_with_key};

/// Ends the command with a signal, and gives what it came to.
async fn end(child: Child, signal: &str) -> Outcome {
    let id = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill")
        .args([signal, &id])
        .status()
        .await
        .unwrap();
    assert!(sent.success());
    Outcome::of(child.wait_with_output().await.unwrap())
}

#[tokio::test]
async fn ctrl_c_while_a_page_loads_leaves_nothing_behind() {
    let site = Site::start().await;
    let page = site.route("/silent", Route::never());
    let world = World::new();
    let child = world.automator(&["snapshot", "-q", &page.url]).spawn().unwrap();
    site.wait_for_hit("/silent").await;
    assert!(
        world.processes().len() > 2,
        "the browser runs: {:?}",
        world.processes()
    );
    let outcome = end(child, "-INT").await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (130, ""));
    assert_eq!(outcome.stderr, "interrupted\n");
    world.assert_nothing_left();
}

#[tokio::test]
async fn sigterm_while_a_model_answers_leaves_nothing_behind() {
    let site = Site::start().await;
    let page = site.put("<p>Hi</p>");
    let model = ScriptedModel::start().await;
    model.fault_always(Some(Fault::Hang));
    let world = world_with_key();
    let [option, base_url] = asking(&model);
    let child = world
        .automator(&["extract", &page.url, "it", &option, &base_url])
        .spawn()
        .unwrap();
    model.wait_for_requests(1).await;
    let outcome = end(child, "-TERM").await;
    assert_eq!(outcome.code, 143, "{outcome:?}");
    world.assert_nothing_left();
}

/// Starts the command with a script in place of the browser, and waits until the script runs.
async fn start_with_script(world: &World, script: &str) -> Child {
    use std::os::unix::fs::PermissionsExt as _;

    world.write("browser", &format!("#!/bin/sh\ntouch started\n{script}\n"));
    let path = world.work().join("browser");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let child = world
        .automator(&["snapshot", "x.test", "--executable-path", &path_text(&path)])
        .spawn()
        .unwrap();
    while !world.work().join("started").exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child
}

#[tokio::test]
async fn ctrl_c_while_the_browser_starts_leaves_nothing_behind() {
    let world = World::new();
    let child = start_with_script(&world, r#"exec chromium "$@""#).await;
    let outcome = end(child, "-INT").await;
    assert_eq!((outcome.code, outcome.stdout.as_str()), (130, ""), "{outcome:?}");
    world.assert_nothing_left();
}

#[tokio::test]
async fn a_browser_that_hangs_at_its_start_is_ended_too() {
    let world = World::new();
    let child = start_with_script(&world, "exec sleep 1000").await;
    // What the script has started before it became the browser may still be ending.
    while world.processes().len() > 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(world.processes().len(), 2, "{:?}", world.processes());
    let outcome = end(child, "-INT").await;
    assert_eq!(outcome.code, 130, "{outcome:?}");
    // The kill is on its way; its profile may stay until the next start, which sweeps it away.
    world.wait_until_no_process_is_left().await;
    let site = Site::start().await;
    world
        .run(&["snapshot", &site.put("<p>Hi</p>").url])
        .await
        .result();
}

#[tokio::test]
async fn a_command_that_is_killed_takes_its_browser_along() {
    let site = Site::start().await;
    let page = site.route("/silent", Route::never());
    let world = World::new();
    let mut child = world.automator(&["snapshot", "-q", &page.url]).spawn().unwrap();
    site.wait_for_hit("/silent").await;
    child.kill().await.unwrap();
    world.wait_until_no_process_is_left().await;
    // Its profile stays until the next start sweeps it away.
    let other = site.put("<p>Hi</p>");
    world.run(&["snapshot", &other.url]).await.result();
}
