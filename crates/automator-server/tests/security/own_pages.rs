//! Pages of the browser's own: its tools for developers, history, settings. They can do what no page of a site can, so no
//! client gets to one, whatever it tries, and one that is opened is closed.

use std::path::Path;
use std::time::Duration;

use automator_cdp::{Connection, Filter, Session, WebSocketOptions, WebSocketTransport};
use serde_json::{Value, json};

use super::PATIENCE;
use super::client::Folder;
use super::setup::{Tab, connect, options, send, session, start};
use super::text;

/// Keys that open a page of the browser's own when the system says that they were pressed, with their modifiers
/// (2 is Ctrl, 8 is Shift).
const SHORTCUTS: [(&str, u32, u32); 6] = [
    ("F12", 123, 0),
    ("I", 73, 10),
    ("J", 74, 2),
    ("H", 72, 2),
    ("T", 84, 2),
    ("U", 85, 2),
];

/// A connection with the browser of a session that goes past the server.
async fn past_the_server(folder: &Path, session: &Value) -> Connection {
    let file = folder
        .join("browsers")
        .join(text(session, "id"))
        .join("browser.json");
    let handle: Value = serde_json::from_slice(&std::fs::read(file).expect("a handle")).expect("JSON");
    let address = find_address(&handle).expect("an address");
    connect(&address).await
}

/// The first DevTools address in a handle, which only its engine knows the form of.
fn find_address(handle: &Value) -> Option<String> {
    match handle {
        Value::String(text) if text.starts_with("ws://") => Some(text.clone()),
        Value::Object(members) => members.values().find_map(find_address),
        _ => None,
    }
}

async fn press(session: &Session, key: &str, code: u32, modifiers: u32) {
    for kind in ["rawKeyDown", "keyUp"] {
        let parameters = json!({
            "type": kind, "key": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code,
            "modifiers": modifiers,
        });
        // The page may be gone with what the first one opened.
        let _ = send(session, "Input.dispatchKeyEvent", parameters).await;
    }
}

/// The addresses of the browser's targets.
async fn targets(browser: &Connection) -> Vec<String> {
    let told = send(&browser.root(), "Target.getTargets", json!({})).await;
    let told = told.expect("targets");
    let targets = told["targetInfos"].as_array().expect("a list").iter();
    targets.map(|target| text(target, "url").to_owned()).collect()
}

fn own(addresses: &[String]) -> Vec<&String> {
    let is_own = |address: &&String| {
        ["chrome:", "chrome-untrusted:", "devtools:", "view-source:"]
            .iter()
            .any(|scheme| address.starts_with(scheme))
    };
    addresses.iter().filter(is_own).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_and_no_key_opens_one() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (created, browser) = session(&client, &json!({})).await;
    let tab = Tab::open(&browser).await;
    let told = send(&browser.root(), "Target.getTargets", json!({}))
        .await
        .expect("targets");
    let target = &told["targetInfos"][0]["targetId"];
    for command in ["Target.openDevTools", "Target.getDevToolsTarget"] {
        let refusal = send(&browser.root(), command, json!({ "targetId": target })).await;
        assert!(refusal.expect_err(command).to_string().contains("refused"));
    }
    for (key, code, modifiers) in SHORTCUTS {
        press(&tab.session, key, code, modifiers).await;
    }
    // Keys are worked off one after the other, and this one goes to the page.
    tab.evaluate("new Promise(done => setTimeout(done, 1000))").await;
    assert_eq!(own(&targets(&browser).await), Vec::<&String>::new());
    // The same keys open one when they are not judged: what was just seen is not for want of such pages.
    let past = past_the_server(folder.path(), &created).await;
    let mut opened =
        past.subscribe(Filter::all().methods(["Target.targetCreated", "Target.targetInfoChanged"]));
    send(
        &past.root(),
        "Target.setDiscoverTargets",
        json!({ "discover": true }),
    )
    .await
    .expect("targets");
    let second = Tab::open(&past).await;
    press(&second.session, "H", 72, 2).await;
    let seen = tokio::time::timeout(PATIENCE, async {
        while let Some(event) = opened.next().await {
            if event.params().get().contains("\"url\":\"chrome://") {
                break;
            }
        }
    });
    seen.await.expect("a page of the browser's own");
    closed(&past).await;
    server.stop().await;
}

/// Waits until no page of the browser's own is left.
async fn closed(browser: &Connection) {
    let gone = async {
        while !own(&targets(browser).await).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone)
        .await
        .expect("they are closed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_is_there_is_closed_and_cannot_be_attached_to() {
    let folder = Folder::new();
    let (server, client) = start(options(folder.path())).await;
    let (created, browser) = session(&client, &json!({})).await;
    let past = past_the_server(folder.path(), &created).await;
    let mut told = browser.subscribe(Filter::all());
    for (command, parameters) in [
        ("Target.setDiscoverTargets", json!({ "discover": true })),
        (
            "Target.setAutoAttach",
            json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true }),
        ),
    ] {
        send(&browser.root(), command, parameters)
            .await
            .expect("told of targets");
    }
    for address in [
        "chrome://version",
        "devtools://devtools/bundled/inspector.html",
        "chrome://downloads",
    ] {
        let opened = send(&past.root(), "Target.createTarget", json!({ "url": address })).await;
        let target = text(&opened.expect(address), "targetId").to_owned();
        // It may be gone already.
        let attach = json!({ "targetId": target, "flatten": true });
        if let Ok(attached) = send(&browser.root(), "Target.attachToTarget", attach).await {
            let own = browser.session(text(&attached, "sessionId"));
            let expression = json!({ "expression": "location.href" });
            let answer = send(&own, "Runtime.evaluate", expression).await;
            assert!(answer.is_err(), "{address}: {answer:?}");
        }
        closed(&past).await;
        let path = format!("/v1/sessions/{}/debug", text(&created, "id"));
        let (_, debug) = client.get(&path).await;
        let socket = text(&debug, "wsUrl").replacen('?', &format!("/page/{target}?"), 1);
        let options = WebSocketOptions::default();
        let dialled = WebSocketTransport::connect(&socket, &options);
        assert!(dialled.await.is_err(), "{address}");
    }
    while let Some(event) = told.try_next() {
        let text = event.params().get();
        assert!(
            !text.contains("devtools:") && !text.contains("\"url\":\"chrome:"),
            "{text}"
        );
    }
    server.stop().await;
}
