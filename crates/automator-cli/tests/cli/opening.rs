//! `automator open`, what works in a browser that is open, and `automator close`.

use std::process::Stdio;
use std::time::Duration;

use automator_testing::{Route, ScriptedModel, Shop, Site};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::command::{World, action, asking, choice, world_with_key};

const PAGE: &str = "\
<label>Name <input id=name></label>
<button onclick=\"document.title = 'Hello ' + document.querySelector('#name').value\">Greet</button>
<a href='/second' target=_blank>Second page</a>";

/// The process id of the browser's main process.
fn process_of(world: &World, name: &str) -> u32 {
    let text = std::fs::read_to_string(world.state_file(name)).unwrap();
    let state: Value = serde_json::from_str(&text).unwrap();
    state["browser"]["processId"]
        .as_u64()
        .unwrap()
        .try_into()
        .unwrap()
}

async fn signal(id: u32, signal: &str) {
    let sent = tokio::process::Command::new("kill")
        .args([signal, &id.to_string()])
        .status();
    assert!(sent.await.unwrap().success());
}

#[tokio::test]
async fn a_kept_browser_goes_on_from_command_to_command() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let model = ScriptedModel::start().await;
    model.script(|request| match request.text.contains("press greet") {
        true => action(request, "button: Greet", "click", &[]),
        false => automator_testing::Answer::value(
            json!({ "elements": [choice(request, "button: Greet", "click", &[])] }),
        ),
    });
    let [option, base_url] = asking(&model);
    let world = world_with_key();
    let opened = world.run_beside(&["open", "-q", &page.url, "--keep"]).await;
    assert!(opened.result().contains(&page.url), "{opened:?}");
    assert!(opened.stdout.contains("automator close"), "{opened:?}");
    assert_eq!(opened.stderr, "");

    let fill = [
        "act",
        "--selector",
        "#name",
        "--method",
        "fill",
        "--argument",
        "Ada",
    ];
    world.run_beside(&fill).await.result();
    world
        .run_beside(&["act", "press greet", &option, &base_url])
        .await
        .result();
    let found = world
        .run_beside(&["observe", "the buttons", &option, &base_url])
        .await;
    assert!(
        found.result().starts_with("the button: Greet\tclick\t\txpath="),
        "{found:?}"
    );
    let read = world.run_beside(&["snapshot"]).await;
    assert!(
        read.result().starts_with("[0-0] RootWebArea: Hello Ada\n"),
        "{read:?}"
    );
    let read = world.run_beside(&["extract", "--selector", "label"]).await;
    assert!(read.result().contains("Name = Ada"), "{read:?}");

    // A command with an address has a browser of its own.
    let other = world.run_beside(&["snapshot", &page.url]).await;
    assert!(!other.result().contains("Hello Ada"), "{other:?}");
    let closed = world.run(&["close"]).await;
    assert_eq!(closed.result(), "The browser is closed.\n");
}

#[tokio::test]
async fn the_page_that_was_worked_on_last_is_gone_on_with() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    site.route("/second", Route::html("<title>Second</title><p>Another tab</p>"));
    let world = World::new();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    let follow = ["act", "--selector", "a", "--method", "click"];
    world.run_beside(&follow).await.result();
    let read = world.run_beside(&["snapshot", "--json"]).await;
    assert_eq!(read.json()["url"], site.url("/second"));
    let read = world.run_beside(&["snapshot"]).await;
    assert!(read.result().contains("Another tab"), "{read:?}");
    world.run(&["close"]).await.result();
}

#[tokio::test]
async fn an_address_is_opened_in_the_browser_that_is_open() {
    let site = Site::start().await;
    let page = site.put(PAGE);
    let second = site.put("<p>Second</p>");
    let world = World::new();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    let process = process_of(&world, "default");
    let outcome = world.run_beside(&["open", &second.url, "--json"]).await;
    let json = outcome.json();
    assert_eq!(
        (json["url"].as_str(), json["name"].as_str()),
        (Some(second.url.as_str()), Some("default"))
    );
    assert!(
        json["connectUrl"]
            .as_str()
            .unwrap()
            .starts_with("ws://127.0.0.1:"),
        "{json}"
    );
    assert_eq!(process_of(&world, "default"), process);
    let outcome = world.run_beside(&["open", &second.url, "--headed"]).await;
    outcome.assert_failed(2, &["--headed", "open already", "automator close"]);
    let there = world
        .run_beside(&["snapshot", &page.url, "--name", "default"])
        .await;
    assert!(
        there.result().contains("Greet"),
        "an address and a name: {there:?}"
    );
    let here = world.run_beside(&["snapshot"]).await;
    assert!(here.result().contains("Greet"), "{here:?}");
    world.run(&["close"]).await.result();
}

#[tokio::test]
async fn several_browsers_are_told_apart_by_name() {
    let site = Site::start().await;
    let world = World::new();
    for name in ["one", "two"] {
        let page = site.put(format!("<p>This is {name}</p>"));
        let opened = world
            .run_beside(&["open", &page.url, "--keep", "--name", name])
            .await;
        assert!(
            opened
                .result()
                .contains(&format!("automator close --name {name}\n")),
            "{opened:?}"
        );
    }
    for name in ["two", "one"] {
        let read = world.run_beside(&["snapshot", "--name", name]).await;
        assert!(read.result().contains(&format!("This is {name}")), "{read:?}");
    }
    let outcome = world.run_beside(&["snapshot"]).await;
    outcome.assert_failed(3, &["no browser is open", "one, two"]);
    world.run_beside(&["close", "--name", "one"]).await.result();
    let outcome = world.run_beside(&["act", "press it", "--name", "one"]).await;
    outcome.assert_failed(3, &["no browser named one is open", "two"]);
    world.run(&["close", "--name", "two"]).await.result();
}

#[tokio::test]
async fn where_none_is_open_it_is_said_how_to_open_one() {
    for command in [
        &["snapshot"][..],
        &["extract", "the price"],
        &["act", "buy it"],
        &["observe"],
    ] {
        let outcome = World::new().run(command).await;
        outcome.assert_failed(3, &["no browser is open", "automator open URL --keep"]);
    }
    let closed = World::new().run(&["close"]).await;
    assert_eq!(closed.result(), "No browser is open.\n");
}

#[tokio::test]
async fn a_browser_that_has_died_is_told_and_cleaned_up() {
    let site = Site::start().await;
    let page = site.put("<p>Here</p>");
    let world = World::new();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    signal(process_of(&world, "default"), "-KILL").await;
    world.wait_until_no_process_is_left().await;
    let outcome = world.run_beside(&["snapshot"]).await;
    outcome.assert_failed(
        3,
        &[
            "the open browser is gone",
            "automator open URL --keep",
            "automator close",
        ],
    );
    let closed = world.run(&["close"]).await;
    assert!(closed.result().contains("gone already"), "{closed:?}");

    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    signal(process_of(&world, "default"), "-KILL").await;
    world.wait_until_no_process_is_left().await;
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    world.run_beside(&["snapshot"]).await.result();
    let closed = world.run(&["close", "--json"]).await;
    assert_eq!(closed.json(), json!({ "closed": true }));
}

#[tokio::test]
async fn a_browser_that_hangs_is_told_and_can_be_closed() {
    let site = Site::start().await;
    let page = site.put("<p>Here</p>");
    let world = World::new();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    signal(process_of(&world, "default"), "-STOP").await;
    let outcome = world.run_beside(&["snapshot"]).await;
    outcome.assert_failed(3, &["does not answer", "automator close"]);
    let closed = world.run(&["close"]).await;
    assert_eq!(closed.result(), "The browser is closed.\n");
}

#[tokio::test]
async fn a_page_that_cannot_be_opened_leaves_no_browser() {
    let port = Site::start().await.port();
    let world = World::new();
    let outcome = world.run(&["open", &format!("127.0.0.1:{port}"), "--keep"]).await;
    outcome.assert_failed(5, &["ERR_CONNECTION_REFUSED"]);
    let site = Site::start().await;
    let silent = site.route("/silent", Route::never());
    let child = world.automator(&["open", &silent.url, "--keep"]).spawn().unwrap();
    site.wait_for_hit("/silent").await;
    signal(child.id().unwrap(), "-INT").await;
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130));
    world.assert_nothing_left();
}

#[tokio::test]
async fn a_profile_of_the_users_own_is_kept_with_what_pages_stored() {
    let shop = Shop::start().await;
    let world = World::new();
    let profile = world.work().join("profile");
    let open = [
        "open",
        &shop.url,
        "--keep",
        "--user-data-dir",
        profile.to_str().unwrap(),
    ];
    world.run_beside(&open).await.result();
    let accept = ["act", "--selector", "text=Accept all", "--method", "click"];
    world.run_beside(&accept).await.result();
    world.run(&["close"]).await.result();
    assert!(profile.join("Default").is_dir());
    world.run_beside(&open).await.result();
    let read = world.run_beside(&["snapshot"]).await;
    assert!(
        !read.result().contains("Accept all"),
        "the answer is remembered: {read:?}"
    );
    world.run(&["close"]).await.result();
}

/// Starts `automator open` without `--keep`, and waits until the page is open.
async fn stay(world: &World, url: &str) -> tokio::process::Child {
    let mut child = world
        .automator(&["open", url])
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = lines.next_line().await.unwrap();
    assert!(first.is_some_and(|line| line.contains(url)));
    child
}

#[tokio::test]
async fn without_keep_the_browser_stays_until_ctrl_c() {
    let site = Site::start().await;
    let page = site.put("<p>Here for now</p>");
    let world = World::new();
    let mut child = stay(&world, &page.url).await;
    let read = world.run_beside(&["snapshot"]).await;
    assert!(read.result().contains("Here for now"), "{read:?}");
    signal(child.id().unwrap(), "-INT").await;
    assert_eq!(child.wait().await.unwrap().code(), Some(0));
    world.assert_nothing_left();
}

#[tokio::test]
async fn a_browser_without_keep_can_be_closed_from_elsewhere() {
    let site = Site::start().await;
    let page = site.put("<p>Here for now</p>");
    let world = World::new();
    let mut child = stay(&world, &page.url).await;
    let closed = world.run_beside(&["close"]).await;
    assert_eq!(closed.result(), "The browser is closed.\n");
    let ended = tokio::time::timeout(Duration::from_secs(10), child.wait()).await;
    assert_eq!(ended.unwrap().unwrap().code(), Some(0));
    world.assert_nothing_left();
}

#[tokio::test]
async fn a_signal_ends_a_command_and_not_the_open_browser() {
    let site = Site::start().await;
    let page = site.put("<p>Here</p>");
    let model = ScriptedModel::start().await;
    model.fault_always(Some(automator_testing::Fault::Hang));
    let [option, base_url] = asking(&model);
    let world = world_with_key();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    let child = world
        .automator(&["act", "do it", &option, &base_url])
        .spawn()
        .unwrap();
    model.wait_for_requests(1).await;
    signal(child.id().unwrap(), "-INT").await;
    assert_eq!(child.wait_with_output().await.unwrap().status.code(), Some(130));
    world.run_beside(&["snapshot"]).await.result();
    world.run(&["close"]).await.result();
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_remembered_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let site = Site::start().await;
    let page = site.put("<p>Here</p>");
    let world = World::new();
    world.run_beside(&["open", &page.url, "--keep"]).await.result();
    let file = world.state_file("default");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    world.run(&["close"]).await.result();
}
