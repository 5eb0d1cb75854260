//! Joining browsers that run already.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use automator_browser::{
    Browser, BrowserError, DialogAnswer, DialogsElsewhere, ElementClickOptions, EventKind, LaunchOptions,
    Page, WaitUntil,
};
use automator_cdp::protocol::page::{Enable, HandleJavaScriptDialog, JavascriptDialogOpeningEvent};
use automator_cdp::protocol::runtime::Evaluate;
use automator_cdp::protocol::target::{AttachToTarget, CreateTarget};
use automator_cdp::{Connection, EventType as _, Session, WebSocketOptions, WebSocketTransport};
use automator_testing::{ProfileFolder, Route, Site};
use serde_json::json;

use crate::{PATIENCE, eventually, first_page, load};

/// A browser that this crate did not start.
struct Foreign {
    child: Child,
    address: String,
    _profile: ProfileFolder,
}

impl Foreign {
    fn start() -> Self {
        let profile = ProfileFolder::new();
        let mut child = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--no-first-run",
                "--remote-debugging-port=0",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Its own temporary files go with the profile, also when it is killed.
            .env("TMPDIR", profile.path())
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap())
            .lines()
            .map_while(Result::ok);
        let address = lines
            .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("the browser names its address");
        std::thread::spawn(move || lines.for_each(drop));
        Self {
            child,
            address,
            _profile: profile,
        }
    }

    fn host(&self) -> &str {
        self.address
            .trim_start_matches("ws://")
            .split('/')
            .next()
            .unwrap()
    }

    async fn attach(&self, address: &str) -> Result<Browser, BrowserError> {
        let mut options = LaunchOptions::default();
        options.cdp_url = Some(address.to_owned());
        Browser::start(&options).await
    }

    async fn connect(&self) -> Connection {
        let options = WebSocketOptions::default();
        Connection::new(
            WebSocketTransport::connect(&self.address, &options)
                .await
                .unwrap(),
        )
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn every_form_of_address_works_and_the_browser_is_never_ended() {
    let mut foreign = Foreign::start();
    let host = foreign.host().to_owned();
    let port = host.rsplit(':').next().unwrap();
    let forms = [
        foreign.address.clone(),
        format!("http://{host}"),
        format!("http://{host}/?token=x"),
        format!("http://localhost:{port}/"),
    ];
    for form in forms {
        let browser = foreign
            .attach(&form)
            .await
            .unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(first_page(&browser).evaluate_in_page("1 + 1").await.unwrap(), 2);
        assert!(!browser.is_own() && browser.connect_url().await.unwrap().starts_with("ws://"));
        browser.close().await;
        assert!(!browser.is_connected());
        assert!(
            foreign.child.try_wait().unwrap().is_none(),
            "{form} ended the browser"
        );
    }
    drop(foreign.attach(&foreign.address).await.unwrap());
    let again = foreign.attach(&foreign.address).await.unwrap();
    assert_eq!(again.context().pages().len(), 1);
    again.close().await;
}

#[tokio::test]
async fn pages_stay_as_they_were() {
    let site = Site::start().await;
    let at = site.put("<title>mine</title>");
    let foreign = Foreign::start();
    let first = foreign.attach(&foreign.address).await.unwrap();
    let size = first_page(&first)
        .evaluate_in_page("[innerWidth, innerHeight]")
        .await
        .unwrap();
    first_page(&first).goto(&at.url, load()).await.unwrap();
    first_page(&first)
        .evaluate_in_page("window.kept = 'state'")
        .await
        .unwrap();
    first.context().new_page(&at.url).await.unwrap();
    first.close().await;
    let second = foreign.attach(&foreign.address).await.unwrap();
    assert_eq!(second.context().pages().len(), 2);
    let mut kept = Vec::new();
    for page in second.context().pages() {
        assert_eq!(page.url(), at.url);
        let seen = page
            .evaluate_in_page("[[innerWidth, innerHeight], window.kept ?? null]")
            .await
            .unwrap();
        if seen[1] == "state" {
            kept.push(seen[0].clone());
        }
    }
    assert_eq!(kept, [size]);
    second.close().await;
}

#[tokio::test]
async fn nothing_at_the_address_is_an_error_that_names_it_without_its_secrets() {
    let foreign = Foreign::start();
    for address in [
        "http://127.0.0.1:1/?token=secret",
        "ws://me:secret@127.0.0.1:1/devtools/browser/x",
    ] {
        let text = foreign.attach(address).await.unwrap_err().to_string();
        assert!(text.contains("127.0.0.1:1") && !text.contains("secret"), "{text}");
    }
    let error = foreign.attach("127.0.0.1:9222").await.unwrap_err();
    assert!(matches!(error, BrowserError::InvalidUrl { .. }), "{error}");
    let site = Site::start().await;
    let error = foreign.attach(&site.url("/")).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::Discovery { problem, .. } if problem.contains("404")),
        "{error}"
    );
}

/// Opens a page with a client of its own and leaves it with something that blocks it.
async fn leave_blocked_page(foreign: &Foreign, url: &str, expression: &str) {
    let connection = foreign.connect().await;
    let create = CreateTarget {
        url: url.to_owned(),
        ..CreateTarget::default()
    };
    let target_id = connection.root().send(&create).await.unwrap().target_id;
    let attach = AttachToTarget {
        target_id: target_id.clone(),
        flatten: Some(true),
    };
    let session = connection.root().send(&attach).await.unwrap().session_id;
    let session = connection.session(&session);
    let evaluate = |expression: &str| Evaluate {
        expression: expression.to_owned(),
        ..Evaluate::default()
    };
    eventually("the page to load", async || {
        let title = session
            .send(&evaluate("document.readyState + document.title"))
            .await
            .ok()?;
        title
            .result
            .value?
            .as_str()?
            .starts_with("completestuck")
            .then_some(())
    })
    .await;
    session
        .send(&evaluate(&format!("void setTimeout(() => {{ {expression} }})")))
        .await
        .unwrap();
    connection.close();
    let connection = foreign.connect().await;
    let attach = AttachToTarget {
        target_id,
        flatten: Some(true),
    };
    eventually("the page to be blocked", async || {
        let session = connection.root().send(&attach).await.ok()?.session_id;
        let session = connection.session(&session);
        let answer = session.send(&evaluate("1"));
        tokio::time::timeout(Duration::from_millis(500), answer)
            .await
            .is_err()
            .then_some(())
    })
    .await;
    connection.close();
}

#[tokio::test]
async fn dialog_that_is_open_already_is_closed_and_the_page_can_be_read() {
    let site = Site::start().await;
    let at = site.put("<title>stuck</title><p>text</p>");
    for (dialog, answer) in [
        ("alert", json!(null)),
        ("confirm", json!(false)),
        ("prompt", json!(null)),
    ] {
        let foreign = Foreign::start();
        leave_blocked_page(
            &foreign,
            &at.url,
            &format!("window.answer = [{dialog}('really?')]"),
        )
        .await;
        let started = Instant::now();
        let browser = foreign.attach(&foreign.address).await.unwrap();
        let pages = browser.context().pages();
        let page = pages
            .iter()
            .find(|page| page.url() == at.url)
            .expect("the page is listed");
        let read = page.evaluate_in_page("[document.body.innerText, window.answer, history.length]");
        let read = tokio::time::timeout(PATIENCE, read)
            .await
            .expect("the dialog blocks nothing")
            .unwrap();
        assert_eq!(read, json!(["text", [answer], 1]), "{dialog}");
        println!("{dialog}: read after {:?}", started.elapsed());
        browser.close().await;
    }
}

/// Attaches to the browser, and has a page of the site open a pop-up with its path `/slow`.
async fn with_slow_pop_up(foreign: &Foreign, site: &Site) -> Browser {
    let at = site.put("<button onclick=\"window.open('/slow')\">Open</button>");
    let browser = foreign.attach(&foreign.address).await.unwrap();
    let page = first_page(&browser);
    page.goto(&at.url, load()).await.unwrap();
    page.locator("button")
        .click(&ElementClickOptions::default())
        .await
        .unwrap();
    browser
}

#[tokio::test]
async fn pop_up_that_is_still_on_its_way_gets_its_document() {
    let site = Site::start().await;
    let slow = Route::html("<p>Arrived</p>").delay(Duration::from_millis(1500));
    site.route("/slow", slow);
    let foreign = Foreign::start();
    let first = with_slow_pop_up(&foreign, &site).await;
    eventually("the pop-up is there", async || {
        (first.context().pages().len() == 2).then_some(())
    })
    .await;
    drop(first);
    let second = foreign.attach(&foreign.address).await.unwrap();
    eventually("the pop-up has its document", async || {
        let pages = second.context().pages();
        let pop_up = pages.iter().find(|page| page.url().ends_with("/slow"))?;
        let text = pop_up.evaluate_in_page("document.body.innerText").await.ok()?;
        (text == "Arrived").then_some(())
    })
    .await;
    second.close().await;
}

#[tokio::test]
async fn page_met_in_the_middle_of_its_document_arrives_with_the_rest() {
    let site = Site::start().await;
    let slow = Route::html("<p>First half, second half</p>").body_delay(Duration::from_millis(2500));
    site.route("/slow", slow);
    let foreign = Foreign::start();
    let first = with_slow_pop_up(&foreign, &site).await;
    let is_slow = |page: &Page| page.url().ends_with("/slow");
    eventually("the document has begun", async || {
        first.context().pages().iter().any(is_slow).then_some(())
    })
    .await;
    let second = foreign.attach(&foreign.address).await.unwrap();
    let pages = second.context().pages();
    let met = pages.iter().find(|page| is_slow(page)).unwrap();
    let text = async || met.evaluate_in_page("document.body?.innerText").await.unwrap();
    assert_ne!(text().await, "First half, second half", "it has only begun");
    met.arrive(PATIENCE).await;
    assert_eq!(text().await, "First half, second half");
    // What has been read before is not waited for.
    let started = Instant::now();
    for page in second.context().pages() {
        page.arrive(PATIENCE).await;
    }
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
    second.close().await;
}

#[tokio::test]
async fn page_that_hangs_is_listed_and_holds_up_nothing_but_itself() {
    let site = Site::start().await;
    let at = site.put("<title>stuck</title>");
    let foreign = Foreign::start();
    leave_blocked_page(&foreign, &at.url, "for (;;) {}").await;
    let started = Instant::now();
    let browser = foreign.attach(&foreign.address).await.unwrap();
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
    let pages = browser.context().pages();
    assert_eq!(pages.len(), 2);
    let stuck = pages
        .iter()
        .find(|page| page.last_title() == "stuck" && page.url() == at.url)
        .expect("it is listed with title and address");
    let call = tokio::time::timeout(Duration::from_millis(300), stuck.evaluate_in_page("1")).await;
    assert!(call.is_err(), "a call on it waits, but: {call:?}");
    let other = pages.iter().find(|page| *page != stuck).unwrap();
    assert_eq!(other.evaluate_in_page("1").await.unwrap(), 1);
    let new = browser.context().new_page("about:blank").await.unwrap();
    new.goto(&at.cross_url, load()).await.unwrap();
    stuck.close().await.unwrap();
    browser.close().await;
}

#[tokio::test]
async fn a_dialog_is_left_to_another_client_as_long_as_there_is_one() {
    let foreign = Foreign::start();
    let first = foreign.attach(&foreign.address).await.unwrap();
    let page = first_page(&first);
    first.set_dialog_listener(Some(Arc::new(|dialog| {
        (dialog.kind == "prompt").then(|| DialogAnswer::Accept(Some(dialog.message.clone())))
    })));
    let is_there = Arc::new(AtomicBool::new(true));
    let mut options = LaunchOptions::default();
    options.cdp_url = Some(foreign.address.clone());
    let asked = Arc::clone(&is_there);
    options.dialogs_elsewhere = Some(DialogsElsewhere::new(move || asked.load(Ordering::Relaxed)));
    let second = Browser::start(&options).await.unwrap();
    for number in 0..20 {
        let answer = page.evaluate(&format!("prompt('{number}')"), None).await.unwrap();
        assert_eq!(answer, number.to_string());
    }
    assert!(second.context().dialogs().is_empty());

    // The other one has gone, also while a dialog waits for it.
    let mut opened = page.events(&[EventKind::DialogOpened]).await.unwrap();
    first.set_dialog_listener(None);
    let asking = tokio::spawn({
        let page = page.clone();
        async move { page.evaluate("prompt('late')", None).await }
    });
    let waiting = opened.next().await.expect("a dialog");
    is_there.store(false, Ordering::Relaxed);
    assert_eq!(asking.await.unwrap().unwrap(), json!(null));
    drop(waiting);
    assert_eq!(second.context().dialogs().len(), 1);
    second.close().await;
    first.close().await;
}

#[tokio::test]
async fn a_client_that_was_silent_once_is_waited_for_less_until_it_answers() {
    let foreign = Foreign::start();
    let mut options = LaunchOptions::default();
    options.cdp_url = Some(foreign.address.clone());
    options.dialogs_elsewhere = Some(DialogsElsewhere::new(|| true));
    let second = Browser::start(&options).await.unwrap();
    let silent = foreign.connect().await;
    let session = silent_session(&silent, first_page(&second).id()).await;
    let took = async || {
        let begun = Instant::now();
        let asked = Evaluate {
            expression: "prompt('name?')".to_owned(),
            ..Evaluate::default()
        };
        session.send(&asked).await.unwrap();
        begun.elapsed()
    };
    let patient = took().await;
    assert!(patient >= Duration::from_secs(11), "{patient:?}");
    let short = took().await;
    assert!(short < Duration::from_secs(4), "{short:?}");
    let again = took().await;
    assert!(again < Duration::from_secs(4), "{again:?}");
    assert_eq!(second.context().dialogs().len(), 3);

    // One answer in time, and it is waited for as before.
    let mut opened = session.subscribe([JavascriptDialogOpeningEvent::METHOD]);
    let asking = session.send(&Evaluate {
        expression: "prompt('name?')".to_owned(),
        ..Evaluate::default()
    });
    opened.next().await.expect("a dialog");
    let answer = HandleJavaScriptDialog {
        accept: true,
        prompt_text: Some("Ada".to_owned()),
    };
    session.send(&answer).await.unwrap();
    asking.await.unwrap();
    let asking = session.send(&Evaluate {
        expression: "prompt('name?')".to_owned(),
        ..Evaluate::default()
    });
    opened.next().await.expect("a dialog");
    tokio::time::sleep(Duration::from_secs(3)).await;
    session.send(&answer).await.expect("it waits for its answer");
    let answered = asking.await.unwrap();
    assert_eq!(answered.result.value, Some(json!("Ada")));
    assert_eq!(second.context().dialogs().len(), 3);
    second.close().await;
    silent.close();
}

/// A session of a page that looks at dialogs and says nothing.
async fn silent_session(connection: &Connection, target: &str) -> Session {
    let attach = AttachToTarget {
        target_id: target.to_owned(),
        flatten: Some(true),
    };
    let attached = connection.root().send(&attach).await.unwrap();
    let session = connection.session(&attached.session_id);
    session.send(&Enable::default()).await.unwrap();
    session
}

#[tokio::test]
async fn pages_that_were_there_are_in_the_order_of_their_opening_and_the_newest_is_active() {
    let site = Site::start().await;
    let foreign = Foreign::start();
    let browser = foreign.attach(&foreign.address).await.unwrap();
    // The document that a browser begins with may still be on its way.
    let first = first_page(&browser);
    first.goto(&site.url("/first"), load()).await.unwrap();
    let mut expected = vec![first.id().to_owned()];
    for number in 0..7 {
        let url = if number % 2 == 0 {
            "about:blank".to_owned()
        } else {
            site.url("/")
        };
        // The browser numbers a page's first entry when its document comes, so each has to be there before the next.
        let page = browser.context().new_page(&url).await.unwrap();
        page.wait_for_load_state(WaitUntil::Load, Some(PATIENCE))
            .await
            .unwrap();
        expected.push(page.id().to_owned());
    }
    // What is done on pages later changes nothing.
    for number in [5, 2, 0] {
        let page = browser.context().page_of_target(&expected[number]).await.unwrap();
        page.goto(&site.url("/later"), load()).await.unwrap();
    }
    drop(first);
    browser.close().await;
    for _ in 0..3 {
        let browser = foreign.attach(&foreign.address).await.unwrap();
        let pages = browser.context().pages();
        let found: Vec<&str> = pages.iter().map(Page::id).collect();
        assert_eq!(found, expected);
        let active = browser.context().active_page().expect("a page");
        assert_eq!(active.id(), expected[7]);
        drop(pages);
        browser.close().await;
    }
}
