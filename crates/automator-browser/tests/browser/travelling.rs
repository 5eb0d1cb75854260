//! Reloading, history, load states, and what is known of a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use automator_browser::{BrowserError, GotoOptions, ReloadOptions, WaitUntil};
use automator_testing::{Route, Site};
use serde_json::json;

use crate::{PATIENCE, browser_at, load, until};

#[tokio::test]
async fn reload_loads_anew_and_has_the_response() {
    let site = Site::start().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    let at = site.handler("/counted", move |_| {
        let number = counting.fetch_add(1, Ordering::Relaxed);
        Route::html(format!("<title>{number}</title>"))
    });
    let (browser, page) = browser_at(&at.url).await;
    let response = page.reload(&ReloadOptions::default()).await.unwrap().unwrap();
    assert_eq!((response.status(), response.url()), (200, at.url.as_str()));
    assert_eq!(page.title().await.unwrap(), "1");
    let mut options = ReloadOptions::default();
    options.ignore_cache = true;
    options.wait_until = WaitUntil::NetworkIdle;
    page.reload(&options).await.unwrap();
    assert_eq!(page.title().await.unwrap(), "2");
    let hits = site.hits_of("/counted");
    assert_eq!(hits.last().unwrap().header("cache-control"), Some("no-cache"));
    browser.close().await;
}

#[tokio::test]
async fn a_reload_that_fails_says_why() {
    let site = Site::start().await;
    let at = site.put("<p>here</p>");
    let (browser, page) = browser_at(&at.url).await;
    site.route(&at.path, Route::reset());
    let error = page.reload(&ReloadOptions::default()).await.unwrap_err();
    let BrowserError::Navigation { url, error_text } = error else {
        panic!("{error:?}")
    };
    assert_eq!(url, at.url);
    assert!(error_text.starts_with("net::ERR_"), "{error_text}");
    site.route(&at.path, Route::never());
    let mut options = ReloadOptions::default();
    options.timeout = Some(Duration::from_millis(400));
    let error = page.reload(&options).await.unwrap_err();
    assert!(
        matches!(error, BrowserError::NavigationTimeout { .. }),
        "{error:?}"
    );
    browser.close().await;
}

#[tokio::test]
async fn history_goes_back_and_forward_and_ends() {
    let site = Site::start().await;
    let one = site.put("<title>one</title>");
    // A page that listens for `unload` is not kept alive behind the scenes.
    for script in ["", "<script>addEventListener('unload', () => {})</script>"] {
        let other = site.put(format!("<title>other</title>{script}"));
        let (browser, page) = browser_at(&one.url).await;
        page.goto(&other.url, load()).await.unwrap();
        let back = page.go_back(&load()).await.unwrap().unwrap();
        assert_eq!((back.url(), page.url()), (one.url.as_str(), one.url.clone()));
        assert_eq!(page.title().await.unwrap(), "one");
        let forward = page.go_forward(&load()).await.unwrap().unwrap();
        assert_eq!(
            (forward.url(), page.url()),
            (other.url.as_str(), other.url.clone())
        );
        assert_eq!(page.title().await.unwrap(), "other");
        assert!(page.go_forward(&load()).await.unwrap().is_none());
        assert_eq!(page.url(), other.url);
        browser.close().await;
    }
}

#[tokio::test]
async fn a_step_within_a_document_has_no_response() {
    let site = Site::start().await;
    let at =
        site.put("<script>history.pushState({}, '', '/deep'); history.pushState({}, '', '/deeper')</script>");
    let (browser, page) = browser_at(&at.url).await;
    assert!(page.go_back(&GotoOptions::default()).await.unwrap().is_none());
    assert_eq!(page.url(), site.url("/deep"));
    assert!(page.go_forward(&GotoOptions::default()).await.unwrap().is_none());
    assert_eq!(page.url(), site.url("/deeper"));
    browser.close().await;
}

#[tokio::test]
async fn load_states_are_waited_for() {
    let site = Site::start().await;
    site.route("/slow.png", Route::status(404).delay(Duration::from_millis(600)));
    let at = site.put("<img src='/slow.png'><script>onload = () => { window.done = true }</script>");
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, until(WaitUntil::DomContentLoaded, PATIENCE))
        .await
        .unwrap();
    page.wait_for_load_state(WaitUntil::DomContentLoaded, Some(PATIENCE))
        .await
        .unwrap();
    let short = Some(Duration::from_millis(50));
    let early = page
        .wait_for_load_state(WaitUntil::Load, short)
        .await
        .unwrap_err();
    assert!(
        matches!(
            early,
            BrowserError::NavigationTimeout {
                wait_until: "load",
                ..
            }
        ),
        "{early:?}"
    );
    page.wait_for_load_state(WaitUntil::Load, Some(PATIENCE))
        .await
        .unwrap();
    assert_eq!(page.evaluate("window.done", None).await.unwrap(), true);
    page.evaluate(
        "fetch('/slow.png').then(() => { window.fetched = true }), 0",
        None,
    )
    .await
    .unwrap();
    page.wait_for_load_state(WaitUntil::NetworkIdle, Some(PATIENCE))
        .await
        .unwrap();
    assert_eq!(page.evaluate("window.fetched", None).await.unwrap(), true);
    browser.close().await;
}

#[tokio::test]
async fn a_response_has_all_headers_of_the_last_hop() {
    let site = Site::start().await;
    let at = site.route(
        "/end",
        Route::json(&json!({ "a": [1] }))
            .header("X-Tag", "one")
            .header("X-Tag", "two")
            .set_cookie("first=1")
            .set_cookie("second=2, with a comma"),
    );
    let hop = site.route("/hop", Route::redirect(&at.path).set_cookie("hop=1"));
    let (browser, page) = browser_at("about:blank").await;
    let response = page.goto(&hop.url, load()).await.unwrap().unwrap();
    assert_eq!(response.url(), at.url);
    assert_eq!(response.header_value("x-TAG").await.unwrap().unwrap(), "one, two");
    assert_eq!(response.header_values("X-Tag").await.unwrap(), ["one", "two"]);
    assert_eq!(response.header_value("x-none").await.unwrap(), None);
    let all = response.all_headers().await.unwrap();
    assert_eq!(all["set-cookie"], "first=1\nsecond=2, with a comma");
    assert_eq!(response.header_values("set-cookie").await.unwrap().len(), 2);
    assert!(!response.headers().contains_key("set-cookie"));
    let array = response.headers_array().await.unwrap();
    assert_eq!(
        array
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("x-tag"))
            .count(),
        2
    );
    assert_eq!(response.json().await.unwrap(), json!({ "a": [1] }));
    assert_eq!(response.text().await.unwrap(), r#"{"a":[1]}"#);
    response.finished().await.unwrap();
    let server = response.server_address().unwrap();
    assert_eq!(
        (server.ip_address.as_str(), server.port),
        ("127.0.0.1", site.port())
    );
    assert!(response.security_details().is_none());
    assert_eq!(response.frame(), page.main_frame());
    browser.close().await;
}

#[tokio::test]
async fn bodies_that_are_gone_or_no_json_are_errors() {
    let site = Site::start().await;
    let at = site.put("<p>words</p>");
    let (browser, page) = browser_at("about:blank").await;
    let response = page.goto(&at.url, load()).await.unwrap().unwrap();
    let error = response.json().await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::ResponseParse { url, .. } if *url == at.url),
        "{error:?}"
    );
    page.goto("about:blank", load()).await.unwrap();
    page.goto(&site.put("other").url, load()).await.unwrap();
    let error = response.body().await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::ResponseBody { url, .. } if *url == at.url),
        "{error:?}"
    );
    browser.close().await;
}

#[tokio::test]
async fn raw_commands_reach_the_page_and_the_browser() {
    let (browser, page) = browser_at("about:blank").await;
    let reply = page
        .send_cdp("Runtime.evaluate", &json!({ "expression": "6 * 7" }))
        .await
        .unwrap();
    assert_eq!(reply["result"]["value"], 42);
    let version = browser
        .context()
        .send_cdp("Browser.getVersion", &json!(null))
        .await;
    assert!(version.unwrap()["product"].is_string());
    let unknown = page.send_cdp("No.such", &json!({})).await.unwrap_err();
    assert!(matches!(unknown, BrowserError::Protocol(_)), "{unknown:?}");
    let wrong = page.send_cdp("Runtime.evaluate", &json!([1])).await.unwrap_err();
    assert!(matches!(wrong, BrowserError::InvalidArgument { .. }), "{wrong:?}");
    browser.close().await;
}
