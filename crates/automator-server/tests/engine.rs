//! What every engine has to do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use automator_cdp::protocol::browser::GetVersion;
use automator_cdp::{Connection, WebSocketOptions, WebSocketTransport};
use automator_server::engine::{BrowserSettings, Engine, EngineError, LocalChromium, LocalOptions, Profile};
use serde_json::Value;

fn local(folder: &Path) -> LocalChromium {
    LocalChromium::new(LocalOptions::new(folder)).expect("an engine")
}

async fn version(address: &str) -> String {
    let transport = WebSocketTransport::connect(address, &WebSocketOptions::default())
        .await
        .expect("a connection");
    let connection = Connection::new(transport);
    let version = connection.root().send(&GetVersion {}).await.expect("an answer");
    version.product
}

#[tokio::test]
async fn a_browser_is_created_found_and_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = local(folder.path());
    let handle = engine
        .create("first", &BrowserSettings::default())
        .await
        .expect("a browser");
    let address = engine.address(&handle).await.expect("an address");
    assert!(version(&address).await.contains("Chrome"));
    assert!(engine.is_alive(&handle).await.expect("an answer"));
    let listed = engine.list().await.expect("a list");
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (listed[0].session.as_str(), &listed[0].handle),
        ("first", &handle)
    );
    assert!(engine.end(&handle).await.expect("an end"));
    assert!(!engine.is_alive(&handle).await.expect("an answer"));
    assert!(matches!(engine.address(&handle).await, Err(EngineError::Gone)));
    assert!(engine.list().await.expect("a list").is_empty());
    assert!(!engine.end(&handle).await.expect("nothing left to end"));
    let left = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(left, 0, "nothing is left in its folder");
}

#[tokio::test]
async fn another_process_goes_on_with_the_browsers_of_an_earlier_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let earlier = local(folder.path());
    let handle = earlier
        .create("kept", &BrowserSettings::default())
        .await
        .expect("a browser");
    drop(earlier);
    let later = local(folder.path());
    let listed = later.list().await.expect("a list");
    let text = handle.to_string();
    let read: Value = serde_json::from_str(&text).expect("a handle is JSON");
    assert_eq!(listed[0].handle, read);
    let address = later.address(&read).await.expect("an address");
    assert!(!version(&address).await.is_empty());
    assert!(later.end(&read).await.expect("an end"));
}

#[tokio::test]
async fn a_browser_that_was_asked_for_is_known_also_when_nobody_waits_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = local(folder.path());
    let settings = BrowserSettings::default();
    let waiting = engine.create("left", &settings);
    let given_up = tokio::time::timeout(Duration::from_millis(20), waiting).await;
    assert!(given_up.is_err(), "no browser starts in 20 ms");
    let mut listed = Vec::new();
    for _ in 0..300 {
        listed = engine.list().await.expect("a list");
        if !listed.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let left = listed.first().expect("the browser is known");
    assert!(engine.end(&left.handle).await.expect("an end"));
}

#[tokio::test]
async fn a_browser_that_does_not_start_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = LocalOptions::new(folder.path());
    options.executable = Some("/no/such/browser".into());
    let engine = LocalChromium::new(options).expect("an engine");
    let error = engine
        .create("never", &BrowserSettings::default())
        .await
        .expect_err("there is no such browser");
    assert!(error.to_string().contains("/no/such/browser"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    for wrong in ["", "..", "a/b", "a b"] {
        let refused = engine.create(wrong, &BrowserSettings::default()).await;
        assert!(matches!(refused, Err(EngineError::Failed(_))), "{wrong}");
    }
}

/// The socket of a browser, which is among the temporary files when the path of the profile is a long one.
fn socket_in(folder: &Path) -> Option<PathBuf> {
    let profiles = std::fs::read_dir(folder).expect("the folder").flatten();
    profiles
        .filter_map(|profile| std::fs::read_link(profile.path().join("SingletonSocket")).ok())
        .next()
}

#[tokio::test]
async fn nothing_of_a_browser_is_left_among_the_temporary_files() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("a-folder-that-leaves-no-room-for-a-socket");
    let engine = local(&folder);
    for (profile, is_known) in [
        (Profile::Temporary, true),
        (Profile::Empty, true),
        // The server was killed before it had written down how to find the browser.
        (Profile::Temporary, false),
        (Profile::Empty, false),
    ] {
        let settings = BrowserSettings {
            profile: profile.clone(),
            ..BrowserSettings::default()
        };
        engine.create("one", &settings).await.expect("a browser");
        let session = folder.join("one");
        let socket = socket_in(&session).expect("a socket");
        let left = socket.parent().expect("a folder");
        assert!(
            !socket.starts_with(&folder) && left.exists(),
            "{}",
            socket.display()
        );
        if !is_known {
            std::fs::remove_file(session.join("browser.json")).expect("removed");
        }
        let listed = engine.list().await.expect("a list");
        assert!(engine.end(&listed[0].handle).await.expect("an end"));
        assert!(!left.exists(), "{profile:?}, {is_known}: {}", left.display());
        assert!(!session.exists());
    }
}
