//! What a snapshot waits for, and what it tells of frames that are not there.

use std::time::{Duration, Instant};

use automator_browser::{Browser, GotoOptions, LaunchOptions, Page, SnapshotOptions};
use automator_testing::{Ending, Route, Site};

use crate::{browser, browser_at, eventually, first_page};

async fn text(page: &Page) -> String {
    let snapshot = page.snapshot(&SnapshotOptions::default()).await.unwrap();
    snapshot.text().to_owned()
}

/// The text of a page right after its document has been read.
async fn text_at(page: &Page, url: &str) -> String {
    page.goto(url, GotoOptions::default()).await.unwrap();
    text(page).await
}

#[tokio::test]
async fn frames_that_are_just_coming_are_read() {
    let site = Site::start().await;
    let srcdoc: String = (0..20)
        .map(|number| format!("<iframe srcdoc='<p>inner {number}'></iframe>"))
        .collect();
    let srcdoc = site.put(srcdoc);
    let slow = site.route(
        "/slow",
        Route::html("<p>came late").delay(Duration::from_millis(300)),
    );
    let cross = site.put(format!(
        "<iframe src='{}'></iframe><iframe src='{}'></iframe>",
        slow.url, slow.cross_url
    ));
    let frameset = site.put(format!(
        "<html><frameset cols='*,*'><frame src='{}'><frame src='{}'></frameset></html>",
        slow.url, slow.cross_url
    ));
    let browser = browser().await;
    let page = first_page(&browser);
    for (at, words, count) in [
        (&srcdoc, "inner ", 20),
        (&cross, "came late", 2),
        (&frameset, "came late", 2),
    ] {
        let first = text_at(&page, &at.url).await;
        assert_eq!(first.matches(words).count(), count, "{first}");
        assert!(!first.contains("[unread]"), "{first}");
        assert_eq!(text(&page).await, first);
    }
    browser.close().await;
}

#[tokio::test]
async fn frames_that_do_not_come_are_told_as_unread_and_cost_their_wait_once() {
    let site = Site::start().await;
    let silent = site.route("/silent", Route::never());
    let half = Route::html("<p>first half</p>".repeat(500)).ending(Ending::Stalled);
    let half = site.route("/half", half);
    let at = site.put(format!(
        "<iframe title=near src='{}'></iframe><iframe title=far src='{}'></iframe>\
         <iframe title=half src='{}'></iframe><iframe title=fine srcdoc='<p>fine text'></iframe>",
        silent.url, silent.cross_url, half.url
    ));
    let browser = browser().await;
    let page = first_page(&browser);
    let told = text_at(&page, &at.url).await;
    for name in ["near", "far", "half"] {
        let mark = format!("Iframe: {name} [unread]");
        assert!(told.contains(&mark), "{told}");
    }
    assert!(
        told.contains("fine text") && told.contains("first half"),
        "{told}"
    );
    assert_eq!(told.matches("[unread]").count(), 3, "{told}");
    let started = Instant::now();
    for _ in 0..5 {
        assert_eq!(text(&page).await, told);
    }
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "each reading waits again"
    );
    browser.close().await;
}

#[tokio::test]
async fn frames_without_a_document_of_their_own_and_slow_pictures_are_not_waited_for() {
    let site = Site::start().await;
    let silent = site.route("/silent", Route::never());
    let inner = site.put(format!("<p>inner text<img src='{}'>", silent.url));
    let at = site.put(format!(
        "<img src='{0}'><iframe src='{1}'></iframe><iframe src='{2}'></iframe>\
         <iframe></iframe><iframe src='about:blank'></iframe><iframe id=written></iframe>\
         <script>written.contentDocument.open(); written.contentDocument.write('<p>written text')</script>",
        silent.url, inner.url, inner.cross_url
    ));
    let browser = browser().await;
    let page = first_page(&browser);
    let first = text_at(&page, &at.url).await;
    assert_eq!(first.matches("inner text").count(), 2, "{first}");
    assert!(first.contains("written text"), "{first}");
    assert!(!first.contains("[unread]"), "{first}");
    let state = page.evaluate_in_page("document.readyState").await.unwrap();
    assert_eq!(state, "interactive", "the pictures are still to come");
    browser.close().await;
}

#[tokio::test]
async fn frames_that_were_there_before_us_are_not_told_as_unread() {
    let site = Site::start().await;
    let inner = site.put("<p>inner text");
    let at = site.put(format!(
        "<iframe src='{}'></iframe><iframe src='{}'></iframe>",
        inner.url, inner.cross_url
    ));
    let (first, page) = browser_at(&at.url).await;
    let mut options = LaunchOptions::default();
    options.cdp_url = Some(first.connect_url().await.unwrap());
    let second = Browser::start(&options).await.unwrap();
    let same = eventually("the page", async || {
        let pages = second.context().pages();
        pages.into_iter().find(|other| other.url() == page.url())
    })
    .await;
    eventually("both frames", async || (same.frames().len() == 3).then_some(())).await;
    assert_eq!(text(&same).await, text(&page).await);
    assert_eq!(text(&same).await.matches("inner text").count(), 2);
    second.close().await;
    first.close().await;
}

#[tokio::test]
async fn documents_in_objects_and_the_fallback_of_those_that_fail_are_read() {
    let site = Site::start().await;
    let inner = site.put("<p>inner text");
    let at = site.put(format!(
        "<object data='{0}'>unused</object><embed src='{0}'><object data='{1}'>unused</object>\
         <object data='/missing'><p>instead <a href=x>a link</a></object>",
        inner.url, inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let text = text(&page).await;
    assert_eq!(text.matches("inner text").count(), 3, "{text}");
    assert!(
        text.contains("instead") && text.contains("link: a link"),
        "{text}"
    );
    assert!(!text.contains("unused"), "{text}");
    browser.close().await;
}
