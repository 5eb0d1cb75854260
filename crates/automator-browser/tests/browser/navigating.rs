//! Going to addresses: what is waited for, what comes back, and every way to fail.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_browser::{Browser, BrowserError, GotoOptions, LaunchOptions, Page, WaitUntil};
use automator_testing::{Route, Site};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::{PATIENCE, browser, browser_at, eventually, first_page, load, until};

async fn fails(page: &Page, url: &str) -> BrowserError {
    let outcome = page.goto(url, GotoOptions::default()).await;
    outcome
        .map(|response| format!("{url}: {response:?}"))
        .unwrap_err()
}

#[tokio::test]
async fn response_is_that_of_the_main_document_after_redirects() {
    let site = Site::start().await;
    let at = site.put("<title>Hello</title><p>text</p>");
    let hop = site.route("/hop", Route::redirect(&at.path));
    let (browser, page) = browser_at("about:blank").await;
    let response = page
        .goto(&hop.url, GotoOptions::default())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (response.url(), response.status(), response.status_text()),
        (at.url.as_str(), 200, "OK")
    );
    assert!(response.is_ok() && response.mime_type() == "text/html");
    assert!(
        response
            .headers()
            .get("content-type")
            .unwrap()
            .starts_with("text/html")
    );
    assert!(
        String::from_utf8(response.body().await.unwrap())
            .unwrap()
            .contains("<p>text</p>")
    );
    assert_eq!(
        (page.title().await.unwrap().as_str(), page.url()),
        ("Hello", at.url.clone())
    );
    browser.close().await;
}

#[tokio::test]
async fn http_errors_are_pages_also_without_content() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    for status in [404, 500, 403] {
        for body in ["", "<p>sorry</p>"] {
            let at = site.route(
                "/error",
                Route {
                    status,
                    ..Route::html(body)
                },
            );
            let response = page.goto(&at.url, load()).await.unwrap().unwrap();
            assert_eq!((response.status(), response.is_ok()), (status, false), "{body}");
        }
    }
    browser.close().await;
}

#[tokio::test]
async fn other_schemes_work_and_have_a_response_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.html");
    std::fs::write(&file, "<title>file</title>").unwrap();
    let (browser, page) = browser_at("about:blank").await;
    assert!(page.goto("about:blank", load()).await.unwrap().is_none());
    page.goto(&format!("file://{}", file.display()), load())
        .await
        .unwrap();
    assert_eq!(page.title().await.unwrap(), "file");
    let response = page
        .goto("data:text/html,<title>data</title>", load())
        .await
        .unwrap();
    assert_eq!(response.unwrap().status(), 200);
    page.goto("chrome://version", load()).await.unwrap();
    assert!(page.url().starts_with("chrome://version"));
    browser.close().await;
}

#[tokio::test]
async fn failures_of_the_network_are_errors_with_the_browsers_name_for_them() {
    let site = Site::start().await;
    let reset = site.route("/reset", Route::reset());
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let (browser, page) = browser_at("about:blank").await;
    let cases = [
        (
            format!("http://127.0.0.1:{closed}/"),
            "net::ERR_CONNECTION_REFUSED",
        ),
        (reset.url, "net::ERR_CONNECTION_RESET"),
        ("http://nowhere.invalid/".to_owned(), "net::ERR_NAME_NOT_RESOLVED"),
        ("file:///no/such/file".to_owned(), "net::ERR_FILE_NOT_FOUND"),
    ];
    for (url, expected) in cases {
        let error = fails(&page, &url).await;
        let BrowserError::Navigation {
            url: named,
            error_text,
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((named, error_text.as_str()), (url, expected));
    }
    let error = fails(&page, "example.com").await;
    assert_eq!(
        error.to_string(),
        "`example.com` is not a valid URL; did you mean https://example.com?"
    );
    browser.close().await;
}

#[tokio::test]
async fn answers_that_are_no_page_are_errors_and_the_page_stays() {
    let site = Site::start().await;
    let at = site.put("<title>stays</title>");
    let empty = site.route("/empty", Route::status(204));
    let file = site.route("/file", Route::download("a.bin", "x"));
    let (browser, page) = browser_at(&at.url).await;
    let error = fails(&page, &empty.url).await;
    assert!(
        matches!(error, BrowserError::NotAPage { download: false, .. }),
        "{error}"
    );
    let error = fails(&page, &file.url).await;
    assert!(
        matches!(error, BrowserError::NotAPage { download: true, .. }),
        "{error}"
    );
    assert_eq!(
        (page.title().await.unwrap().as_str(), page.url()),
        ("stays", at.url)
    );
    browser.close().await;
}

#[tokio::test]
async fn each_state_is_waited_for() {
    let site = Site::start().await;
    let slow_image = Route::typed("image/png", "x").delay(Duration::from_millis(600));
    let image = site.route("/image", slow_image);
    let slow_script = Route::typed("text/javascript", "window.late = true").delay(Duration::from_millis(400));
    let script = site.route("/script", slow_script);
    site.route("/data", Route::text("x").delay(Duration::from_millis(300)));
    let at = site.put(format!(
        "<img src='{}'><script src='{}'></script>\
         <script>onload = () => fetch('/data').then(() => {{ window.fetched = true }})</script>",
        image.url, script.url
    ));
    let (browser, page) = browser_at("about:blank").await;
    let reached = "[document.readyState !== 'loading', document.readyState === 'complete', !!window.fetched]";
    let cases = [
        (WaitUntil::Commit, [false, false, false]),
        (WaitUntil::DomContentLoaded, [true, false, false]),
        (WaitUntil::Load, [true, true, false]),
        (WaitUntil::NetworkIdle, [true, true, true]),
    ];
    for (wait_until, at_least) in cases {
        page.goto(&at.url, until(wait_until, PATIENCE)).await.unwrap();
        let state = page.evaluate_in_page(reached).await.unwrap();
        for (index, expected) in at_least.iter().enumerate() {
            assert!(!expected || state[index] == true, "{wait_until:?}: {state}");
        }
        page.goto("about:blank", load()).await.unwrap();
    }
    browser.close().await;
}

#[tokio::test]
async fn streams_do_not_keep_a_page_from_being_idle() {
    let site = Site::start().await;
    site.route(
        "/events",
        Route::typed("text/event-stream", "data: 1\n\n").ending(automator_testing::Ending::Stalled),
    );
    let at = site.put("<script>new EventSource('/events')</script>");
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, until(WaitUntil::NetworkIdle, PATIENCE))
        .await
        .unwrap();
    browser.close().await;
}

#[tokio::test]
async fn limit_holds_while_the_server_is_silent_and_nothing_happens_after_it() {
    let site = Site::start().await;
    let at = site.put("<title>before</title>");
    let silent = site.route("/silent", Route::never());
    let slow = site.route(
        "/slow",
        Route::html("<title>too late</title>").delay(Duration::from_millis(1500)),
    );
    let (browser, page) = browser_at(&at.url).await;
    for url in [&silent.url, &slow.url] {
        let started = Instant::now();
        let error = page
            .goto(url, until(WaitUntil::Load, Duration::from_millis(500)))
            .await
            .unwrap_err();
        assert!(
            matches!(
                error,
                BrowserError::NavigationTimeout {
                    wait_until: "load",
                    ..
                }
            ),
            "{error}"
        );
        assert!(started.elapsed() < Duration::from_secs(5));
    }
    // The browser has hung up both times, so no answer can come any more.
    tokio::time::timeout(PATIENCE, site.wait_for_abandoned(2))
        .await
        .unwrap();
    assert_eq!(
        (page.title().await.unwrap().as_str(), page.url()),
        ("before", at.url)
    );
    browser.close().await;
}

#[tokio::test]
async fn navigation_whose_caller_gives_up_is_stopped() {
    let site = Site::start().await;
    let at = site.put("<title>before</title>");
    let silent = site.route("/silent", Route::never());
    let (browser, page) = browser_at(&at.url).await;
    let going = page.goto(&silent.url, until(WaitUntil::Load, PATIENCE));
    let given_up = tokio::time::timeout(Duration::from_millis(300), going).await;
    assert!(given_up.is_err());
    tokio::time::timeout(PATIENCE, site.wait_for_abandoned(1))
        .await
        .unwrap();
    assert_eq!(
        (page.title().await.unwrap().as_str(), page.url()),
        ("before", at.url)
    );
    browser.close().await;
}

#[tokio::test]
async fn document_that_never_ends_runs_into_the_limit_but_can_be_read() {
    let site = Site::start().await;
    let endless = Route::html("<title>half</title><p>first half</p><p>second half</p>".repeat(50));
    let at = site.route("/endless", endless.ending(automator_testing::Ending::Stalled));
    let (browser, page) = browser_at("about:blank").await;
    let limit = Duration::from_millis(800);
    let error = page
        .goto(&at.url, until(WaitUntil::DomContentLoaded, limit))
        .await
        .unwrap_err();
    assert!(matches!(error, BrowserError::NavigationTimeout { .. }), "{error}");
    assert_eq!(page.title().await.unwrap(), "half");
    page.goto(&at.url, until(WaitUntil::Commit, PATIENCE))
        .await
        .unwrap();
    browser.close().await;
}

#[tokio::test]
async fn later_navigation_ends_an_earlier_one() {
    let site = Site::start().await;
    let silent = site.route("/silent", Route::never());
    let at = site.put("<title>second</title>");
    let (browser, page) = browser_at("about:blank").await;
    let first = page.goto(&silent.url, GotoOptions::default());
    let second = async {
        site.wait_for_hit("/silent").await;
        page.goto(&at.url, load()).await
    };
    let (first, second) = tokio::join!(first, second);
    let error = first.unwrap_err();
    assert!(
        matches!(&error, BrowserError::NavigationSuperseded { url } if *url == silent.url),
        "{error}"
    );
    second.unwrap();
    assert_eq!(page.title().await.unwrap(), "second");
    // While a navigation is pending the browser holds back all commands to the page, so the page acts by itself.
    let later = format!(
        "void setTimeout(() => {{ location.href = '{}' }}, 500)",
        at.cross_url
    );
    page.evaluate_in_page(&later).await.unwrap();
    let error = fails(&page, &silent.url).await;
    assert!(
        matches!(error, BrowserError::NavigationSuperseded { .. }),
        "{error}"
    );
    eventually("the page to go its own way", async || {
        (page.url() == at.cross_url).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn redirect_by_script_is_followed() {
    let site = Site::start().await;
    let last = site.put("<title>last</title>");
    let at = site.put(format!("<script>location.replace('{}')</script>", last.cross_url));
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, load()).await.unwrap();
    eventually("the last page", async || {
        (page.url() == last.cross_url).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn step_to_a_fragment_returns_at_once_and_changes_the_address() {
    let site = Site::start().await;
    let at = site.put("<p id=there>x</p>");
    let (browser, page) = browser_at(&at.url).await;
    page.evaluate_in_page("window.same = true").await.unwrap();
    let target = format!("{}#there", at.url);
    assert!(page.goto(&target, load()).await.unwrap().is_none());
    assert_eq!(page.evaluate_in_page("window.same").await.unwrap(), true);
    eventually("the address", async || (page.url() == target).then_some(())).await;
    page.evaluate_in_page("history.pushState(0, '', '/other?x#y')")
        .await
        .unwrap();
    eventually("the address", async || {
        page.url().ends_with("/other?x#y").then_some(())
    })
    .await;
    browser.close().await;
}

/// A server with a certificate that nobody vouches for. Returns its address.
async fn https_server() -> String {
    let certificate = CertificateDer::from(
        include_bytes!("../../../automator-cdp/tests/certificate/localhost.der").as_slice(),
    );
    let key = include_bytes!("../../../automator-cdp/tests/certificate/localhost.key.der").as_slice();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate],
            PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key)),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<title>safe</title>";
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}

#[tokio::test]
async fn certificates_that_nobody_vouches_for_are_accepted_on_request_only() {
    let url = https_server().await;
    for ignore in [false, true] {
        let mut options = LaunchOptions::default();
        options.ignore_https_errors = ignore;
        let browser = Browser::start(&options).await.unwrap();
        let outcome = first_page(&browser).goto(&url, load()).await;
        if ignore {
            assert_eq!(outcome.unwrap().unwrap().status(), 200);
        } else {
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains("net::ERR_CERT_"), "{error}");
        }
        browser.close().await;
    }
}

#[tokio::test]
async fn many_pages_load_at_the_same_time() {
    let site = Site::start().await;
    let at = site.put("<title>one of many</title>");
    let browser = browser().await;
    let context = browser.context();
    let loading = (0..8).map(|index| {
        let (context, url) = (
            context.clone(),
            if index % 2 == 0 {
                at.url.clone()
            } else {
                at.cross_url.clone()
            },
        );
        tokio::spawn(async move {
            let page = context.new_page("about:blank").await.unwrap();
            page.goto(&url, load()).await.unwrap();
            page.title().await.unwrap()
        })
    });
    for loaded in loading.collect::<Vec<_>>() {
        assert_eq!(loaded.await.unwrap(), "one of many");
    }
    assert_eq!(context.pages().len(), 9);
    browser.close().await;
}
