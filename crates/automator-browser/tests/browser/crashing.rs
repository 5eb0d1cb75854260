//! Pages whose process ends under them.

use std::process::Command;
use std::time::{Duration, Instant};

use automator_browser::{Browser, BrowserError, GotoOptions, LaunchOptions, Page, WaitUntil};
use automator_testing::{Route, Site};
use serde_json::{Value, json};

use crate::{browser_at, first_page, load, own_browser, until};

/// Less than the limits of the calls that are to end before them.
const AT_ONCE: Duration = Duration::from_secs(10);

fn long() -> GotoOptions {
    until(WaitUntil::Load, Duration::from_secs(60))
}

/// Kills every process that shows pages.
async fn kill_renderers(browser: &Browser) {
    signal_renderers(browser, "-KILL").await;
}

async fn signal_renderers(browser: &Browser, signal: &str) {
    let reply = browser
        .session()
        .send_raw("SystemInfo.getProcessInfo", json!({}))
        .await
        .unwrap();
    let reply: Value = serde_json::from_str(reply.get()).unwrap();
    let all = reply["processInfo"].as_array().unwrap();
    for process in all.iter().filter(|process| process["type"] == "renderer") {
        // One that has gone by itself meanwhile is as good.
        let _ = Command::new("kill")
            .args([signal, &process["id"].to_string()])
            .output()
            .unwrap();
    }
}

/// Goes somewhere after a crash. The browser keeps a process in store, and may not have seen yet that it was killed
/// with the others.
async fn goto_after_kill(page: &Page, url: &str) {
    for _ in 0..3 {
        match page.goto(url, load()).await {
            Ok(_) => return,
            Err(BrowserError::PageCrashed) => {}
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the page does not come back");
}

#[tokio::test]
async fn crashed_page_ends_its_calls_and_comes_back_by_going_somewhere() {
    let site = Site::start().await;
    let at = site.put("<title>back</title>");
    let (browser, page) = browser_at(&at.url).await;
    for _ in 0..2 {
        let started = Instant::now();
        let never = page.evaluate_in_page("new Promise(() => {})");
        let (never, crash) = tokio::join!(never, page.goto("chrome://crash", long()));
        assert!(matches!(never, Err(BrowserError::PageCrashed)), "{never:?}");
        assert!(matches!(crash, Err(BrowserError::PageCrashed)), "{crash:?}");
        assert!(started.elapsed() < AT_ONCE);
        page.goto(&at.url, load()).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "back");
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_whose_process_goes_while_it_is_attached_to_tells_of_navigations() {
    let site = Site::start().await;
    let at = site.put("<title>back</title>");
    let (browser, _) = browser_at(&at.url).await;
    let mut options = LaunchOptions::default();
    options.cdp_url = Some(browser.connect_url().await.unwrap());
    // What attaching asks the page is not read before its process is gone.
    signal_renderers(&browser, "-STOP").await;
    let attaching = tokio::spawn(async move { Browser::start(&options).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    kill_renderers(&browser).await;
    let second = attaching.await.unwrap().unwrap();
    let page = first_page(&second);
    goto_after_kill(&page, &at.url).await;
    assert_eq!(page.title().await.unwrap(), "back");
    second.close().await;
    browser.close().await;
}

#[tokio::test]
async fn crash_while_a_document_is_read_ends_goto_at_once() {
    let site = Site::start().await;
    let held = site.route("/held", Route::never());
    let half = site.put(format!("<p>half<script src='{}'></script>", held.url));
    let whole = site.put("<title>whole</title>");
    let browser = own_browser().await;
    let page = first_page(&browser);
    let crash = async {
        site.wait_for_hit("/held").await;
        kill_renderers(&browser).await;
    };
    let started = Instant::now();
    let (outcome, ()) = tokio::join!(page.goto(&half.url, long()), crash);
    assert!(matches!(outcome, Err(BrowserError::PageCrashed)), "{outcome:?}");
    assert!(started.elapsed() < AT_ONCE);
    goto_after_kill(&page, &whole.cross_url).await;
    assert_eq!(page.title().await.unwrap(), "whole");
    browser.close().await;
}

#[tokio::test]
async fn crash_while_a_server_is_waited_for_ends_goto_at_once() {
    let site = Site::start().await;
    let before = site.put("<p>before");
    let silent = site.route("/silent", Route::never());
    let (browser, page) = browser_at(&before.url).await;
    for url in [&silent.url, &silent.cross_url] {
        let asked = site.hits_of("/silent").len();
        let crash = async {
            let hit = async || (site.hits_of("/silent").len() > asked).then_some(());
            crate::eventually("the request", hit).await;
            kill_renderers(&browser).await;
        };
        let started = Instant::now();
        let (outcome, ()) = tokio::join!(page.goto(url, long()), crash);
        assert!(matches!(outcome, Err(BrowserError::PageCrashed)), "{outcome:?}");
        assert!(started.elapsed() < AT_ONCE);
        goto_after_kill(&page, &before.url).await;
    }
    browser.close().await;
}
