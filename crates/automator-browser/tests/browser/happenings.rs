//! What happens on pages and is told: console, errors, dialogs, downloads, file choosers, pop-ups, closing.

use std::time::Duration;

use automator_browser::{
    Browser, BrowserError, DialogAnswer, DownloadState, EventKind, LaunchOptions, Page, PageEvent, PageEvents,
};
use automator_cdp::protocol::input::{DispatchMouseEvent, dispatch_mouse_event_type};
use automator_testing::{Route, Site};
use serde_json::json;

use crate::{PATIENCE, browser_at, eventually, first_page, frame_at, load, own_browser};

async fn next(events: &mut PageEvents) -> PageEvent {
    tokio::time::timeout(PATIENCE, events.next())
        .await
        .expect("an event")
        .expect("an open page")
}

/// Presses the left mouse button at a place of the page, as a user does.
async fn press(page: &Page, x: f64, y: f64) {
    page.note_input();
    for kind in [
        dispatch_mouse_event_type::MOUSE_PRESSED,
        dispatch_mouse_event_type::MOUSE_RELEASED,
    ] {
        let event = DispatchMouseEvent {
            r#type: kind.to_owned(),
            x,
            y,
            button: Some("left".to_owned()),
            click_count: Some(1),
            ..DispatchMouseEvent::default()
        };
        page.session().send(&event).await.unwrap();
    }
    page.note_input();
}

#[tokio::test]
async fn console_of_page_frames_and_workers_is_told_from_when_it_is_listened_to() {
    let site = Site::start().await;
    let worker = site.route(
        "/worker.js",
        Route::typed(
            "text/javascript",
            "onmessage = () => console.log('from the worker')",
        ),
    );
    let inner = site.put("<script>window.say = () => console.warn('from the frame')</script>");
    let at = site.put(format!(
        "<iframe src='{}'></iframe><script>console.log('before');
           const worker = new Worker('{}');
           function say() {{ console.log('%s has %d', 'a', 1, {{ b: 2, c: [1] }}); console.error(new TypeError('bad')); }}
           function fail() {{ setTimeout(() => {{ throw new RangeError('uncaught') }}, 0); Promise.reject('rejected') }}</script>",
        inner.cross_url, worker.path
    ));
    let (browser, page) = browser_at(&at.url).await;
    let frame = frame_at(&page, &inner.path).await;
    let mut events = page
        .events(&[EventKind::Console, EventKind::Error])
        .await
        .unwrap();
    page.evaluate_in_page("say()").await.unwrap();
    let event = next(&mut events).await;
    let PageEvent::Console(message) = event else {
        panic!("{event:?}")
    };
    assert_eq!(
        (message.kind.as_str(), message.text.as_str()),
        ("log", "a has 1 {\"b\":2,\"c\":\"Array(1)\"}")
    );
    assert_eq!(message.location.url, at.url);
    assert!(message.timestamp > 1_600_000_000_000.0);
    let object = message.args[3].handle.clone().unwrap();
    let session = object.session().clone();
    let call = json!({ "objectId": object.object_id(), "functionDeclaration": "function() { return this.c[0] }", "returnByValue": true });
    let reply = session.send_raw("Runtime.callFunctionOn", call).await.unwrap();
    assert!(String::from_utf8_lossy(reply.bytes()).contains("\"value\":1"));
    let event = next(&mut events).await;
    let PageEvent::Console(message) = event else {
        panic!("{event:?}")
    };
    assert!(
        message.kind == "error" && message.text.starts_with("TypeError: bad\n"),
        "{message:?}"
    );
    frame.evaluate_in_page("say()").await.unwrap();
    let event = next(&mut events).await;
    let PageEvent::Console(message) = event else {
        panic!("{event:?}")
    };
    assert_eq!(
        (message.kind.as_str(), message.text.as_str()),
        ("warning", "from the frame")
    );
    page.evaluate_in_page("worker.postMessage(1)").await.unwrap();
    let event = next(&mut events).await;
    let PageEvent::Console(message) = event else {
        panic!("{event:?}")
    };
    assert_eq!(message.text, "from the worker");
    page.evaluate_in_page("fail()").await.unwrap();
    let mut thrown = Vec::new();
    for _ in 0..2 {
        let event = next(&mut events).await;
        let PageEvent::Error(error) = event else {
            panic!("{event:?}")
        };
        assert_eq!(error.location.url, at.url);
        thrown.push(error.message);
    }
    thrown.sort();
    assert_eq!(thrown, ["RangeError: uncaught", "rejected"]);
    browser.close().await;
}

#[tokio::test]
async fn worlds_of_frames_are_reached_while_the_console_is_listened_to_and_after() {
    let site = Site::start().await;
    let inner = site.put("<script>window.say = () => 0</script>");
    let at = site.put(format!("<iframe src='{}'></iframe>", inner.path));
    let (browser, page) = browser_at(&at.url).await;
    let mut events = Some(page.events(&[EventKind::Console]).await.unwrap());
    for _ in 0..2 {
        for _ in 0..2 {
            let frame = frame_at(&page, &inner.path).await;
            assert_eq!(frame.evaluate_in_page("typeof say").await.unwrap(), "function");
            page.goto(&at.url, load()).await.unwrap();
        }
        events.take();
    }
    browser.close().await;
}

#[tokio::test]
async fn what_the_browser_says_about_a_page_is_on_its_console() {
    let site = Site::start().await;
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    let mut events = page.events(&[EventKind::Console]).await.unwrap();
    page.evaluate_in_page("fetch('/missing').then(() => 0)")
        .await
        .unwrap();
    let event = next(&mut events).await;
    let PageEvent::Console(message) = event else {
        panic!("{event:?}")
    };
    assert!(
        message.kind == "error" && message.text.contains("404"),
        "{message:?}"
    );
    assert!(message.location.url.ends_with("/missing"));
    browser.close().await;
}

#[tokio::test]
async fn dialogs_are_told_and_listed_with_their_answers() {
    let site = Site::start().await;
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    let mut events = page.events(&[EventKind::Dialog]).await.unwrap();
    page.evaluate_in_page("alert('hello'); confirm('sure?')")
        .await
        .unwrap();
    for (kind, text, answer) in [
        ("alert", "hello", DialogAnswer::Accept(None)),
        ("confirm", "sure?", DialogAnswer::Dismiss),
    ] {
        let event = next(&mut events).await;
        let PageEvent::Dialog(told) = event else {
            panic!("{event:?}")
        };
        assert_eq!(
            (told.dialog.kind.as_str(), told.dialog.message.as_str()),
            (kind, text)
        );
        assert_eq!((told.answer, told.page_id.as_str()), (answer, page.id()));
    }
    assert_eq!(browser.context().dialogs().len(), 2);
    browser.close().await;
}

#[tokio::test]
async fn dialog_waits_for_those_who_listen_and_the_first_answer_counts() {
    let site = Site::start().await;
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    let mut events = page.events(&[EventKind::DialogOpened]).await.unwrap();
    let answering = async {
        let PageEvent::DialogOpened(opened) = next(&mut events).await else {
            panic!("no dialog")
        };
        assert_eq!(opened.dialog().message, "your name?");
        let typed = DialogAnswer::Accept(Some("Ada".to_owned()));
        opened.answer(typed).await.unwrap();
        let late = opened.answer(DialogAnswer::Dismiss).await.unwrap_err();
        assert!(matches!(late, BrowserError::DialogAnswered), "{late:?}");
        opened.leave();
    };
    let (answer, ()) = tokio::join!(page.evaluate_in_page("prompt('your name?')"), answering);
    assert_eq!(answer.unwrap(), "Ada");
    let listed = browser.context().dialogs();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].answer, DialogAnswer::Accept(Some("Ada".to_owned())));
    browser.close().await;
}

#[tokio::test]
async fn dialog_that_is_left_or_forgotten_is_answered_by_the_policy() {
    let site = Site::start().await;
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    let mut events = page.events(&[EventKind::DialogOpened]).await.unwrap();
    let mut kept = Vec::new();
    for end in ["leave", "drop", "forget"] {
        let answering = async {
            let PageEvent::DialogOpened(opened) = next(&mut events).await else {
                panic!("no dialog")
            };
            match end {
                "leave" => opened.leave(),
                "drop" => drop(opened),
                _ => kept.push(opened),
            }
        };
        let (answer, ()) = tokio::join!(page.evaluate_in_page("confirm('sure?')"), answering);
        assert_eq!(answer.unwrap(), false, "{end}");
    }
    // Nobody reads the events any more, and then nobody listens.
    assert_eq!(kept.len(), 1);
    let (answer, ()) = tokio::join!(page.evaluate_in_page("confirm('sure?')"), async { drop(events) });
    assert_eq!(answer.unwrap(), false);
    assert_eq!(page.evaluate_in_page("confirm('sure?')").await.unwrap(), false);
    let answers: Vec<_> = browser
        .context()
        .dialogs()
        .into_iter()
        .map(|told| told.answer)
        .collect();
    assert_eq!(answers, vec![DialogAnswer::Dismiss; 5]);
    browser.close().await;
}

#[tokio::test]
async fn listener_for_all_pages_decides_before_those_of_a_page() {
    let site = Site::start().await;
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    browser.set_dialog_listener(Some(std::sync::Arc::new(|dialog| {
        (dialog.message == "for all").then_some(DialogAnswer::Accept(None))
    })));
    let mut events = page.events(&[EventKind::DialogOpened]).await.unwrap();
    assert_eq!(page.evaluate_in_page("confirm('for all')").await.unwrap(), true);
    assert!(events.try_next().is_none());
    let answering = async {
        let PageEvent::DialogOpened(opened) = next(&mut events).await else {
            panic!("no dialog")
        };
        opened.answer(DialogAnswer::Accept(None)).await.unwrap();
    };
    let (answer, ()) = tokio::join!(page.evaluate_in_page("confirm('for one')"), answering);
    assert_eq!(answer.unwrap(), true);
    browser.close().await;
}

#[tokio::test]
async fn page_that_asks_before_it_is_left_closes_all_the_same() {
    let site = Site::start().await;
    let at = site.put("<body style='height:100vh' onbeforeunload='return false'>x");
    let (browser, page) = browser_at(&at.url).await;
    let other = browser.context().new_page("about:blank").await.unwrap();
    // The browser asks only on behalf of pages that the user has touched.
    press(&page, 10.0, 10.0).await;
    let began = std::time::Instant::now();
    page.close().await.unwrap();
    assert!(page.is_closed() && began.elapsed() < Duration::from_secs(4));
    assert_eq!(browser.context().pages(), [other]);
    browser.close().await;
}

#[tokio::test]
async fn downloads_are_told_listed_and_saved_under_safe_names_of_their_own() {
    let site = Site::start().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.csv"), "mine").unwrap();
    let report = site.route("/report", Route::download("report.csv", "a,b\n"));
    let nasty = site.route(
        "/nasty",
        Route::typed("application/octet-stream", "x").header(
            "content-disposition",
            "attachment; filename=\"..%2F..%2Fevil/../up.bin\"",
        ),
    );
    let at = site.put("<p>x</p>");
    let mut options = LaunchOptions::default();
    options.downloads_path = Some(folder.path().join("."));
    let browser = Browser::start(&options).await.unwrap();
    let page = first_page(&browser);
    page.goto(&at.url, load()).await.unwrap();
    let mut events = page.events(&[EventKind::Download]).await.unwrap();
    let mut names = Vec::new();
    for path in [&report.path, &report.path, &nasty.path] {
        page.evaluate_in_page(&format!(
            "var a = document.createElement('a'); a.href = '{path}'; a.click(); 0"
        ))
        .await
        .unwrap();
        let event = next(&mut events).await;
        let PageEvent::Download(download) = event else {
            panic!("{event:?}")
        };
        assert_eq!(
            (download.url(), download.page_id()),
            (site.url(path).as_str(), Some(page.id()))
        );
        let saved = tokio::time::timeout(PATIENCE, download.finished())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (download.state(), download.path()),
            (DownloadState::Completed, Some(saved.clone()))
        );
        assert_eq!(
            saved.parent().unwrap().canonicalize().unwrap(),
            folder.path().canonicalize().unwrap()
        );
        assert_eq!(
            download.received_bytes(),
            std::fs::metadata(&saved).unwrap().len()
        );
        names.push(saved.file_name().unwrap().to_string_lossy().into_owned());
    }
    assert_eq!(&names[..2], ["report (1).csv", "report (2).csv"]);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("report.csv")).unwrap(),
        "mine"
    );
    assert_eq!(browser.context().downloads().len(), 3);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        4,
        "nothing half done stays"
    );
    browser.close().await;
}

#[tokio::test]
async fn download_that_a_navigation_begins_is_listed_and_can_be_canceled() {
    let site = Site::start().await;
    let slow = site.route(
        "/slow",
        Route::download("slow.bin", "0123456789".repeat(2_000)).body_delay(Duration::from_secs(60)),
    );
    // A browser that is joined keeps its own way with downloads.
    let browser = own_browser().await;
    let page = first_page(&browser);
    let mut events = page.events(&[EventKind::Download]).await.unwrap();
    assert!(matches!(
        page.goto(&slow.url, load()).await,
        Err(BrowserError::NotAPage { download: true, .. })
    ));
    let event = next(&mut events).await;
    let PageEvent::Download(download) = event else {
        panic!("{event:?}")
    };
    assert_eq!(download.state(), DownloadState::InProgress);
    download.cancel().await.unwrap();
    let outcome = tokio::time::timeout(PATIENCE, download.finished()).await.unwrap();
    assert!(
        matches!(outcome, Err(BrowserError::Download { .. })),
        "{outcome:?}"
    );
    assert_eq!(browser.context().downloads().len(), 1);
    browser.close().await;
}

#[tokio::test]
async fn file_choosers_are_told_and_take_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<_> = ["a.txt", "b.txt"]
        .iter()
        .map(|name| folder.path().join(name))
        .collect();
    for path in &paths {
        std::fs::write(path, "x").unwrap();
    }
    let site = Site::start().await;
    let at = site.put(
        "<style>button{display:block;width:100px;height:40px;margin:0}body{margin:0}</style>
         <button onclick='one.click()'>one</button><button onclick='many.click()'>many</button>
         <input type=file id=one hidden><input type=file id=many multiple hidden>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut events = page.events(&[EventKind::FileChooser]).await.unwrap();
    press(&page, 20.0, 20.0).await;
    let event = next(&mut events).await;
    let PageEvent::FileChooser(chooser) = event else {
        panic!("{event:?}")
    };
    assert!(!chooser.is_multiple() && chooser.frame() == Some(page.main_frame()));
    let error = chooser.set_files(&paths).await.unwrap_err();
    assert!(matches!(error, BrowserError::Files { .. }), "{error}");
    chooser.set_files(&paths[..1]).await.unwrap();
    assert_eq!(page.evaluate_in_page("one.files[0].name").await.unwrap(), "a.txt");
    press(&page, 20.0, 60.0).await;
    let event = next(&mut events).await;
    let PageEvent::FileChooser(chooser) = event else {
        panic!("{event:?}")
    };
    assert!(chooser.is_multiple());
    chooser.set_files(&paths).await.unwrap();
    assert_eq!(page.evaluate_in_page("many.files.length").await.unwrap(), 2);
    chooser.set_files(&[]).await.unwrap();
    assert_eq!(page.evaluate_in_page("many.files.length").await.unwrap(), 0);
    let error = chooser
        .set_files(&[folder.path().join("none")])
        .await
        .unwrap_err();
    assert!(matches!(error, BrowserError::Files { .. }), "{error}");
    browser.close().await;
}

#[tokio::test]
async fn tab_that_input_opens_becomes_active_and_gives_the_place_back() {
    let site = Site::start().await;
    let landing = site.put("<h1>landing</h1>");
    let at = site.put(format!(
        "<style>a{{display:block;width:100px;height:40px}}body{{margin:0}}</style>
         <a target=_blank href='{0}'>blank</a><a href='#' onclick='setTimeout(() => window.open(\"{0}\"), 300)'>script</a>",
        landing.path
    ));
    let (browser, page) = browser_at(&at.url).await;
    let context = browser.context();
    let mut events = page.events(&[EventKind::PopUp, EventKind::Closed]).await.unwrap();
    for y in [20.0, 60.0] {
        press(&page, 20.0, y).await;
        let event = next(&mut events).await;
        let PageEvent::PopUp(opened) = event else {
            panic!("{event:?}")
        };
        assert_eq!(context.await_active_page().await.as_ref(), Some(&opened));
        assert_eq!(context.active_page().as_ref(), Some(&opened));
        assert_eq!(opened.opener().as_ref(), Some(&page));
        eventually("the landing page", async || {
            (opened.url() == landing.url).then_some(())
        })
        .await;
        opened.close().await.unwrap();
        assert_eq!(context.active_page().as_ref(), Some(&page));
    }
    page.close().await.unwrap();
    assert!(matches!(next(&mut events).await, PageEvent::Closed));
    assert!(events.next().await.is_none());
    assert!(matches!(
        page.events(&[EventKind::Closed]).await,
        Err(BrowserError::PageClosed)
    ));
    browser.close().await;
}

#[tokio::test]
async fn tab_that_a_page_opens_by_itself_only_joins_the_list() {
    let site = Site::start().await;
    let landing = site.put("<h1>landing</h1>");
    let at = site.put("<p>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    let context = browser.context();
    page.evaluate_in_page(&format!("window.open('{}'); 0", landing.path))
        .await
        .unwrap();
    eventually("the pop-up", async || (context.pages().len() == 2).then_some(())).await;
    assert_eq!(context.await_active_page().await.as_ref(), Some(&page));
    assert_eq!(context.pages()[0], page, "the oldest comes first");
    let quick = std::time::Instant::now();
    eventually("the announcement to be old", async || {
        context.await_active_page().await;
        (quick.elapsed() > Duration::from_millis(400)).then_some(())
    })
    .await;
    let made = context.new_page("about:blank").await.unwrap();
    assert_eq!(
        (context.active_page().as_ref(), context.pages().last()),
        (Some(&made), Some(&made))
    );
    browser.close().await;
}
