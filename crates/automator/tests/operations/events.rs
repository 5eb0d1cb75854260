//! Events of pages, by subscription and in the log.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use automator::{
    Automator, DialogAnswer, Env, ErrorKind, EventKind, LocalBrowserLaunchOptions, LogLine, PageEvent,
    PageEvents, Verbosity,
};
use automator_testing::Route;
use serde_json::json;

use crate::rig::Rig;

async fn next(events: &mut PageEvents) -> PageEvent {
    tokio::time::timeout(Duration::from_secs(20), events.next())
        .await
        .expect("an event comes")
        .expect("the page is open")
}

#[tokio::test]
async fn the_console_and_uncaught_errors_are_told() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let mut events = rig
        .page
        .events(&[EventKind::Console, EventKind::Error])
        .await
        .unwrap();
    rig.page
        .evaluate(
            "console.warn('a %s', 'b', { deep: 1 }); setTimeout(() => { throw new Error('lost') }, 0); 0",
        )
        .await
        .unwrap();
    let PageEvent::Console(message) = next(&mut events).await else {
        panic!("no console message");
    };
    assert_eq!(message.kind(), "warning");
    assert!(message.text().starts_with("a b"), "{}", message.text());
    assert_eq!(*message.page(), rig.page);
    assert!(message.timestamp() > 0.0);
    assert_eq!(message.location().line, 0);
    let args = message.args();
    assert_eq!(args[1].preview(), &json!("b"));
    assert!(args[1].object_id().is_none());
    let object = args[2].object_id().unwrap();
    let members = rig
        .page
        .send_cdp(
            "Runtime.getProperties",
            &json!({ "objectId": object, "ownProperties": true }),
        )
        .await
        .unwrap();
    assert_eq!(members["result"][0]["name"], "deep");
    let PageEvent::Error(error) = next(&mut events).await else {
        panic!("no error");
    };
    assert!(error.message.contains("lost"), "{error:?}");
    assert_eq!((events.missed(), events.page()), (0, rig.page.clone()));
    assert!(events.try_next().is_none());
    rig.close().await;
}

#[tokio::test]
async fn dialogs_downloads_pop_ups_and_the_end_are_told() {
    let rig = Rig::with_own_browser().await;
    rig.site.route("/bill", Route::download("bill.txt", "42 euros"));
    rig.show("<p>x</p>").await;
    let kinds = [
        EventKind::Dialog,
        EventKind::Download,
        EventKind::PopUp,
        EventKind::Closed,
    ];
    let mut events = rig.page.events(&kinds).await.unwrap();
    rig.page.evaluate("alert('hello')").await.unwrap();
    let PageEvent::Dialog(answered) = next(&mut events).await else {
        panic!("no dialog");
    };
    assert_eq!(answered.dialog.message, "hello");
    assert_eq!(answered.answer, DialogAnswer::Accept(None));
    rig.page.evaluate("void (location.href = '/bill')").await.unwrap();
    let PageEvent::Download(download) = next(&mut events).await else {
        panic!("no download");
    };
    assert!(download.finished().await.is_ok());
    assert_eq!((download.received_bytes(), download.total_bytes()), (8, Some(8)));
    rig.page.evaluate("void open('about:blank')").await.unwrap();
    let PageEvent::PopUp(opened) = next(&mut events).await else {
        panic!("no pop-up");
    };
    assert_eq!(opened.opener(), Some(rig.page.clone()));
    rig.page.close().await.unwrap();
    assert!(matches!(next(&mut events).await, PageEvent::Closed));
    assert!(events.next().await.is_none());
    let late = rig.page.events(&kinds).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Closed);
    rig.close().await;
}

#[tokio::test]
async fn a_dialog_is_answered_by_who_listens() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let mut events = rig.page.events(&[EventKind::DialogOpened]).await.unwrap();
    let asking = rig
        .page
        .evaluate("[prompt('a', 'offered'), prompt('b'), confirm('c'), confirm('d')]");
    let answering = async {
        for number in 0..4 {
            let PageEvent::DialogOpened(dialog) = next(&mut events).await else {
                panic!("no dialog");
            };
            assert_eq!(dialog.page(), &rig.page);
            match number {
                0 => dialog.accept().await.unwrap(),
                1 => dialog.accept_with("typed").await.unwrap(),
                2 => dialog.dismiss().await.unwrap(),
                _ => {
                    dialog.accept().await.unwrap();
                    let late = dialog.dismiss().await.unwrap_err();
                    assert_eq!(late.kind(), ErrorKind::Closed);
                }
            }
        }
    };
    let (answers, ()) = tokio::join!(asking, answering);
    assert_eq!(answers.unwrap(), json!(["offered", "typed", false, true]));
    rig.close().await;
}

#[tokio::test]
async fn a_file_chooser_takes_files() {
    let rig = Rig::start().await;
    rig.show("<input type=file>").await;
    let mut events = rig.page.events(&[EventKind::FileChooser]).await.unwrap();
    rig.page.locator("input").click().await.unwrap();
    let PageEvent::FileChooser(chooser) = next(&mut events).await else {
        panic!("no file chooser");
    };
    assert_eq!((chooser.is_multiple(), chooser.page()), (false, rig.page.clone()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.txt");
    std::fs::write(&path, "x").unwrap();
    let refused = chooser.set_files([&path, &path]).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    chooser.set_files([&path]).await.unwrap();
    let name = rig
        .page
        .evaluate("document.querySelector('input').files[0].name")
        .await
        .unwrap();
    assert_eq!(name, json!("one.txt"));
    rig.close().await;
}

#[tokio::test]
async fn the_logger_hears_of_events_at_the_highest_verbosity_only() {
    for (verbose, expected) in [(Verbosity::Standard, false), (Verbosity::Detailed, true)] {
        let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let rig = Rig::with(|builder| {
            builder.verbose(verbose).logger(move |line: &LogLine| {
                if line.message.starts_with("page event") {
                    let text = line.auxiliary.get("text").map(|text| text.value.clone());
                    let _ = sender.send((line.level, line.message.clone(), text));
                }
            })
        })
        .await;
        rig.show("<p>x</p>").await;
        rig.page.evaluate("alert('hello')").await.unwrap();
        if expected {
            let line = tokio::time::timeout(Duration::from_secs(20), heard.recv());
            let (level, message, text) = line.await.unwrap().unwrap();
            assert_eq!(
                (level, message.as_str()),
                (Verbosity::Detailed, "page event: dialog")
            );
            assert_eq!(text.as_deref(), Some("alert accepted: hello"));
        }
        rig.close().await;
        // Without the session nobody writes lines any more, so this ends.
        let heard_any = expected || heard.recv().await.is_some();
        assert_eq!(heard_any, expected, "{verbose:?}");
    }
}

#[tokio::test]
async fn a_browser_that_does_not_answer_is_a_connection_timeout() {
    // Takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let options = LocalBrowserLaunchOptions {
        cdp_url: Some(format!("ws://127.0.0.1:{port}/devtools")),
        connect_timeout: Some(Duration::from_millis(300)),
        ..LocalBrowserLaunchOptions::default()
    };
    let heard = Arc::clone(&lines);
    let automator = Automator::builder(Env::Local)
        .local_browser(options)
        .logger(move |line: &LogLine| heard.lock().unwrap().push(line.message.clone()))
        .build()
        .unwrap();
    let error = automator.init().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionTimeout);
    assert_eq!(error.kind().parent(), Some(ErrorKind::Init));
    assert!(error.to_string().contains(&port.to_string()), "{error}");
    assert!(lines.lock().unwrap().is_empty());
}
