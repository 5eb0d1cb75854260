//! Files that the browser of a session saves: brought to the machine of the program, and kept by the platform.

use std::time::Duration;

use automator::{
    Action, Automator, Builder, Download, ErrorKind, EventKind, LocalBrowserLaunchOptions, PageEvent,
};
use automator_testing::{Route, Site};

use crate::{Rig, open};

/// How long anything may take that has to happen.
const PATIENCE: Duration = Duration::from_secs(20);

/// No text in UTF-8, and more than is sent at a time.
fn report() -> Vec<u8> {
    (0_u8..=255).cycle().take(300_000).collect()
}

/// A session, and a file that its browser saves because a link was clicked.
async fn downloading(builder: Builder, site: &Site) -> (Automator, Download) {
    site.route("/report", Route::download("report 1.bin", report()));
    let automator = open(builder).await;
    let page = automator.context().expect("open").active_page().expect("a page");
    let at = site.put("<a href=/report>Report</a>");
    page.goto(&at.url).await.expect("a page");
    let mut events = page.events(&[EventKind::Download]).await.expect("events");
    // Done on the platform; what comes of it is heard here.
    let clicked = automator.act(Action::new("a", "click")).await.expect("an action");
    assert!(clicked.success, "{clicked:?}");
    let event = tokio::time::timeout(PATIENCE, events.next())
        .await
        .expect("in time");
    let Some(PageEvent::Download(download)) = event else {
        panic!("{event:?}")
    };
    (automator, download)
}

/// What the platform gives at an address.
async fn given(rig: &Rig, path: &str) -> (u16, Vec<u8>) {
    let (status, _, body) = rig.client.send_bytes("GET", path, &[], b"").await;
    (status, body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_download_is_brought_here_and_kept_by_the_platform_after_the_end() {
    let (rig, site) = (Rig::start().await, Site::start().await);
    let (automator, download) = downloading(rig.session(), &site).await;
    assert_eq!(download.path(), None, "a path over there means nothing here");
    let path = download.finished().await.expect("a file");
    assert_eq!(std::fs::read(&path).expect("it is here"), report());
    assert_eq!(
        path.file_name().and_then(|name| name.to_str()),
        Some("report 1.bin")
    );
    assert!(!path.starts_with(rig.folder.path()), "{path:?}");
    let [listed] = automator
        .context()
        .expect("open")
        .downloads()
        .try_into()
        .expect("one");
    assert_eq!(download.path(), Some(path.clone()));
    assert_eq!(listed.path(), Some(path.clone()));
    assert_eq!(
        listed.finished().await.expect("a file"),
        path,
        "it is brought once"
    );
    let session = automator.remote_session_id().expect("an id");
    let there = format!("/v1/sessions/{session}/downloads/report%201.bin");
    assert_eq!(given(&rig, &there).await, (200, report()));
    automator.close().await.expect("a close");
    assert!(!path.exists(), "its folder goes with the session");
    let late = download.finished().await.expect_err("it is gone");
    assert_eq!(late.kind(), ErrorKind::Download, "{late}");
    assert_eq!(given(&rig, &there).await, (200, report()));
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_of_ones_own_keeps_what_is_brought_under_a_free_name() {
    let (rig, site) = (Rig::start().await, Site::start().await);
    let own = tempfile::tempdir().expect("a folder");
    std::fs::write(own.path().join("report 1.bin"), "mine").expect("a file");
    let launch = LocalBrowserLaunchOptions {
        downloads_path: Some(own.path().to_owned()),
        ..LocalBrowserLaunchOptions::default()
    };
    let (automator, download) = downloading(rig.session().local_browser(launch), &site).await;
    let path = download.finished().await.expect("a file");
    automator.close().await.expect("a close");
    assert_eq!(std::fs::read(&path).expect("it stays"), report());
    assert_eq!(
        std::fs::read(own.path().join("report 1.bin")).expect("it stays"),
        b"mine"
    );
    let names: Vec<_> = std::fs::read_dir(own.path()).expect("the folder").collect();
    assert_eq!(names.len(), 2, "nothing half done stays: {names:?}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_the_platform_has_no_more_is_an_error_that_says_where_the_others_are() {
    let (rig, site) = (Rig::start().await, Site::start().await);
    let (automator, download) = downloading(rig.session(), &site).await;
    let session = automator.remote_session_id().expect("an id");
    let there = format!("/v1/sessions/{session}/downloads/report%201.bin");
    let begun = std::time::Instant::now();
    while rig.client.send_bytes("DELETE", &there, &[], b"").await.0 != 204 {
        assert!(begun.elapsed() < PATIENCE, "it is not there");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let error = download.finished().await.expect_err("it is gone");
    assert_eq!(error.kind(), ErrorKind::Download);
    let hint = error.hint_text().unwrap_or_default();
    assert!(
        hint.ends_with(&format!("/v1/sessions/{session}/downloads")),
        "{hint}"
    );
    automator.close().await.expect("a close");
    rig.server.stop().await;
}
