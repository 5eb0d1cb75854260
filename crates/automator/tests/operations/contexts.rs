//! The context: pages, cookies, scripts, headers, policy, clipboard, downloads, dialogs.

use std::collections::BTreeMap;
use std::time::Duration;

use automator::{
    CookieFilter, DialogAnswer, DomainPolicy, DownloadState, Error, ErrorKind, InitScript, NewCookie,
    TextFilter, WaitUntil,
};
use automator_testing::{Ending, Route};
use serde_json::json;

use crate::rig::Rig;

fn kind<T: std::fmt::Debug>(outcome: Result<T, Error>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

#[tokio::test]
async fn pages_are_opened_chosen_and_closed() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let at = rig.site.put("<title>second</title>");
    let second = context.new_page(&at.url).await.unwrap();
    assert_eq!(context.pages(), [rig.page.clone(), second.clone()]);
    assert_eq!(context.active_page().unwrap(), second);
    assert_eq!(context.await_active_page().await.unwrap(), second);
    context.set_active_page(&rig.page);
    assert_eq!(context.active_page().unwrap(), rig.page);
    assert_eq!(rig.automator.history()[0].parameters, json!({ "url": at.url }));
    assert_eq!(
        kind(context.new_page("no address").await),
        ErrorKind::InvalidArgument
    );
    second.close().await.unwrap();
    rig.page.close().await.unwrap();
    assert_eq!(kind(context.active_page()), ErrorKind::PageNotFound);
    assert_eq!(kind(context.await_active_page().await), ErrorKind::PageNotFound);
    assert_eq!(kind(rig.automator.page_text().await), ErrorKind::PageNotFound);
    rig.close().await;
}

#[tokio::test]
async fn a_new_page_is_waited_for_before_it_is_read() {
    let rig = Rig::start().await;
    let slow = Route::html("<h1>Arrived</h1>").delay(Duration::from_millis(500));
    rig.site.route("/slow", slow);
    let context = rig.automator.context().unwrap();
    let url = rig.site.url("/slow");
    let page = context.new_page(&url).await.unwrap();
    page.wait_for_load_state(WaitUntil::Load).await.unwrap();
    assert_eq!(page.url(), url);
    context.new_page(&url).await.unwrap();
    assert!(rig.text().await.contains("Arrived"));
    let page = context.new_page(&url).await.unwrap();
    assert!(page.snapshot().await.unwrap().text().contains("Arrived"));
    let nowhere = context.new_page("http://127.0.0.1:9/").await.unwrap();
    nowhere.wait_for_load_state(WaitUntil::Load).await.unwrap();
    rig.close().await;
}

#[tokio::test]
async fn an_operation_after_a_click_reads_the_tab_that_it_opened() {
    let rig = Rig::start().await;
    let at = rig.site.put("<h1>In the new tab</h1>");
    rig.show(format!("<a href='{}' target=_blank>Open</a>", at.url))
        .await;
    rig.page.locator("a").click().await.unwrap();
    // What was announced is waited for; its document may still be on its way.
    let page = rig
        .automator
        .context()
        .unwrap()
        .await_active_page()
        .await
        .unwrap();
    assert_ne!(page, rig.page);
    assert_eq!(page.opener(), Some(rig.page.clone()));
    let text = rig.text_with(&["In the new tab"]).await;
    assert!(!text.contains("Open"), "{text}");
    rig.close().await;
}

#[tokio::test]
async fn a_tab_whose_document_has_only_begun_is_read_when_it_is_there() {
    let rig = Rig::start().await;
    let slow = Route::html("<h1>All of it</h1>").body_delay(Duration::from_millis(700));
    rig.site.route("/slow", slow);
    rig.show("<a href=/slow target=_blank>Open</a>").await;
    rig.page.locator("a").click().await.unwrap();
    let context = rig.automator.context().unwrap();
    let opened = async {
        loop {
            if let Ok(page) = context.await_active_page().await
                && page.url().ends_with("/slow")
            {
                return page;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let opened = tokio::time::timeout(Duration::from_secs(5), opened)
        .await
        .unwrap();
    let text = rig.text().await;
    assert!(text.contains("All of it"), "{text}");
    assert_eq!(context.active_page().unwrap(), opened);
    rig.close().await;
}

#[tokio::test]
async fn cookies_are_set_read_and_removed_by_filter() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let at = rig.site.put("<p>x</p>");
    let cookie = |name: &str| {
        let mut cookie = NewCookie::new(name, "1");
        cookie.url = Some(at.url.clone());
        cookie
    };
    context
        .add_cookies(&[cookie("one"), cookie("two"), cookie("three")])
        .await
        .unwrap();
    let names = async || {
        let cookies = context.cookies(&[&at.url]).await.unwrap();
        let mut names: Vec<String> = cookies.into_iter().map(|cookie| cookie.name).collect();
        names.sort();
        names
    };
    assert_eq!(names().await, ["one", "three", "two"]);
    let filter = CookieFilter {
        name: Some(TextFilter::Pattern("^t".to_owned())),
        ..CookieFilter::default()
    };
    context.clear_cookies_with(&filter).await.unwrap();
    assert_eq!(names().await, ["one"]);
    let filter = CookieFilter {
        name: Some("other".into()),
        ..CookieFilter::default()
    };
    context.clear_cookies_with(&filter).await.unwrap();
    assert_eq!(names().await, ["one"]);
    context.clear_cookies().await.unwrap();
    assert!(names().await.is_empty());

    let nowhere = NewCookie::new("x", "1");
    assert_eq!(
        kind(context.add_cookies(&[nowhere]).await),
        ErrorKind::CookieValidation
    );
    // A name that only a secure cookie may have.
    let refused = cookie("__Host-x");
    assert_eq!(kind(context.add_cookies(&[refused]).await), ErrorKind::CookieSet);
    assert_eq!(
        kind(context.cookies(&["no address"]).await),
        ErrorKind::InvalidArgument
    );
    let filter = CookieFilter {
        path: Some(TextFilter::Pattern("(".to_owned())),
        ..CookieFilter::default()
    };
    assert_eq!(
        kind(context.clear_cookies_with(&filter).await),
        ErrorKind::InvalidArgument
    );
    rig.close().await;
}

#[tokio::test]
async fn scripts_and_headers_hold_for_every_page() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let script = InitScript::Function {
        source: "(seed) => { window.seed = seed }".to_owned(),
        argument: Some(json!({ "a": 1 })),
    };
    context.add_init_script(script).await.unwrap();
    let headers = BTreeMap::from([("x-all".to_owned(), "yes".to_owned())]);
    context.set_extra_http_headers(&headers).await.unwrap();
    let at = rig.show("<p>x</p>").await;
    assert_eq!(rig.page.evaluate("seed").await.unwrap(), json!({ "a": 1 }));
    assert_eq!(rig.site.hits_of(&at.path)[0].header("x-all"), Some("yes"));
    let missing = InitScript::File("no/such/file.js".into());
    assert_eq!(
        kind(context.add_init_script(missing).await),
        ErrorKind::InvalidArgument
    );
    rig.close().await;
}

#[tokio::test]
async fn the_domain_policy_forbids_and_lets_go_again() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let at = rig.site.put("<title>allowed</title>");
    let mut policy = DomainPolicy::default();
    policy.blocked_domains = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
    context.set_domain_policy(&policy).await.unwrap();
    let refused = rig.page.goto(&at.url).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Navigation);
    assert!(refused.message().contains("domain policy"), "{refused}");
    assert_eq!(kind(context.new_page(&at.url).await), ErrorKind::Navigation);
    policy.blocked_domains = vec!["a/b".to_owned()];
    assert_eq!(
        kind(context.set_domain_policy(&policy).await),
        ErrorKind::InvalidArgument
    );
    context.remove_domain_policy().await.unwrap();
    rig.page.goto(&at.url).await.unwrap();
    assert_eq!(rig.page.title().await.unwrap(), "allowed");
    rig.close().await;
}

#[tokio::test]
async fn the_clipboard_is_read_and_written() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let refused = context.clipboard().unwrap().read_text().await;
    assert_eq!(kind(refused), ErrorKind::UnsupportedBrowserFeature);
    rig.show("<input autofocus>").await;
    rig.page.clipboard().write_text("from here").await.unwrap();
    assert_eq!(
        context.clipboard().unwrap().read_text().await.unwrap(),
        "from here"
    );
    rig.page.locator("input").focus().await.unwrap();
    rig.page.press("ControlOrMeta+v").await.unwrap();
    assert_eq!(
        rig.page.locator("input").input_value().await.unwrap(),
        "from here"
    );
    rig.close().await;
}

#[tokio::test]
async fn downloads_are_listed_and_waited_for() {
    let rig = Rig::with_own_browser().await;
    rig.site.route("/bill", Route::download("bill.txt", "42 euros"));
    rig.site.route(
        "/slow",
        Route::download("slow.bin", "0123456789".repeat(2_000)).ending(Ending::Stalled),
    );
    rig.show("<a href=/bill>Bill</a><a id=slow href=/slow>Slow</a>")
        .await;
    rig.page.locator("a").click().await.unwrap();
    let download = download_of(&rig, "/bill").await;
    let path = download.finished().await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "42 euros");
    assert_eq!(download.suggested_filename(), "bill.txt");
    assert_eq!(
        (download.state(), download.path()),
        (DownloadState::Completed, Some(path))
    );
    assert_eq!(download.page_id(), Some(rig.page.id()));
    assert_eq!(download.url(), rig.site.url("/bill"));
    assert_eq!(
        kind(rig.page.goto(&rig.site.url("/bill")).await),
        ErrorKind::Navigation
    );
    rig.page.locator("#slow").click().await.unwrap();
    let slow = download_of(&rig, "/slow").await;
    slow.cancel().await.unwrap();
    assert_eq!(kind(slow.finished().await), ErrorKind::Download);
    rig.close().await;
}

/// The first download from a path, once it is there.
async fn download_of(rig: &Rig, path: &str) -> automator::Download {
    let url = rig.site.url(path);
    for _ in 0..400 {
        let downloads = rig.automator.context().unwrap().downloads();
        if let Some(download) = downloads.into_iter().find(|download| download.url() == url) {
            return download;
        }
        rig.page
            .wait_for_timeout(Duration::from_millis(50))
            .await
            .unwrap();
    }
    panic!("no download from {path} came");
}

#[tokio::test]
async fn a_listener_decides_about_dialogs_and_may_panic() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    rig.show("<p>x</p>").await;
    let ask = async || rig.page.evaluate("confirm('really?')").await.unwrap();
    assert_eq!(ask().await, json!(false));
    context.set_dialog_listener(|dialog| {
        assert_eq!(dialog.message, "really?", "a listener that panics harms nothing");
        Some(DialogAnswer::Accept(None))
    });
    assert_eq!(ask().await, json!(true));
    assert_eq!(rig.page.evaluate("confirm('other')").await.unwrap(), json!(false));
    context.remove_dialog_listener();
    assert_eq!(ask().await, json!(false));
    let dialogs = context.dialogs();
    assert_eq!(dialogs.len(), 4);
    assert_eq!(dialogs[1].answer, DialogAnswer::Accept(None));
    assert_eq!(dialogs[1].page_id, rig.page.id());
    rig.close().await;
}

#[tokio::test]
async fn commands_go_to_the_browser_itself() {
    let rig = Rig::start().await;
    let context = rig.automator.context().unwrap();
    let version = context.send_cdp("Browser.getVersion", &json!({})).await.unwrap();
    assert!(
        version["product"].as_str().unwrap().contains("Chrome"),
        "{version}"
    );
    assert_eq!(
        kind(context.send_cdp("Nothing.here", &json!({})).await),
        ErrorKind::Protocol
    );
    rig.close().await;
}
