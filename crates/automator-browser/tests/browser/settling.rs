//! Waiting for pages to come to rest: what counts, what does not, and that a page at rest costs next to nothing.

use std::time::{Duration, Instant};

use automator_browser::{BrowserError, GotoOptions, Page, SettledBy, WaitUntil};
use automator_testing::{Route, Site};
use serde_json::json;

use crate::{browser_at, eventually, frame_at};

/// The limit that users get when they say nothing.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits until the page's own clock is that far.
async fn aged(page: &Page, milliseconds: u64) {
    let script = format!(
        "new Promise(resolve => setTimeout(resolve, Math.max(0, {milliseconds} - performance.now())))"
    );
    page.evaluate_in_page(&script).await.unwrap();
}

async fn text(page: &Page, script: &str) -> serde_json::Value {
    page.evaluate_in_page(script).await.unwrap()
}

#[tokio::test]
async fn page_at_rest_costs_one_round_trip_also_with_frames() {
    let site = Site::start().await;
    let inner = site.put("<p>inside</p>");
    let at = site.put(format!(
        "<p>text</p><iframe src='{}'></iframe><iframe src='{}'></iframe>",
        inner.path, inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, &inner.path).await;
    page.settle(LIMIT).await.unwrap();
    aged(&page, 1_000).await;
    let quickest = {
        let mut quickest = LIMIT;
        for _ in 0..20 {
            let settled = page.settle(LIMIT).await.unwrap();
            assert_eq!(settled.by, SettledBy::Quiet);
            quickest = quickest.min(settled.waited);
        }
        quickest
    };
    assert!(quickest < Duration::from_millis(50), "{quickest:?}");
    browser.close().await;
}

#[tokio::test]
async fn document_of_a_frame_of_another_site_does_not_hold_up() {
    let site = Site::start().await;
    let inner = site.put("<p>inside</p>");
    let at = site.put(format!("<p>text</p><iframe src='{}'></iframe>", inner.cross_url));
    let (browser, page) = browser_at("about:blank").await;
    for _ in 0..2 {
        page.goto(&at.url, GotoOptions::default()).await.unwrap();
        frame_at(&page, &inner.path).await;
        let settled = page.settle(LIMIT).await.unwrap();
        assert_eq!(settled.by, SettledBy::Quiet);
        // A request that nobody ends is waited for two seconds.
        assert!(settled.waited < Duration::from_millis(1_500), "{settled:?}");
        page.wait_for_load_state(WaitUntil::NetworkIdle, Some(LIMIT))
            .await
            .unwrap();
    }
    browser.close().await;
}

#[tokio::test]
async fn content_that_comes_by_a_late_request_is_waited_for() {
    let site = Site::start().await;
    let api = site.route("/api", Route::text("Arrived").delay(Duration::from_millis(600)));
    let at = site.put(format!(
        "<div id=o></div><script>setTimeout(() => fetch('{}').then(r => r.text())
           .then(t => setTimeout(() => o.textContent = t, 60)), 120)</script>",
        api.path
    ));
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    let settled = page.settle(LIMIT).await.unwrap();
    assert_eq!(settled.by, SettledBy::Quiet);
    assert_eq!(text(&page, "o.textContent").await, "Arrived");
    browser.close().await;
}

#[tokio::test]
async fn changes_in_frames_and_open_shadow_roots_are_waited_for() {
    let site = Site::start().await;
    let slowly = "let n = 0; const id = setInterval(() => { target().append(++n); if (n === 8) clearInterval(id) }, 60)";
    let inner = site.put(format!(
        "<p id=p></p><script>const target = () => p; {slowly}</script>"
    ));
    let at = site.put(format!("<iframe src='{}'></iframe>", inner.cross_url));
    let host = site.put(format!(
        "<div id=h></div><script>h.attachShadow({{mode: 'open'}}).innerHTML = '<p></p>';
           const target = () => h.shadowRoot.firstChild; {slowly}</script>"
    ));
    let (browser, page) = browser_at(&at.url).await;
    let frame = frame_at(&page, &inner.path).await;
    page.settle(LIMIT).await.unwrap();
    assert_eq!(frame.evaluate_in_page("p.textContent").await.unwrap(), "12345678");
    page.goto(&host.url, GotoOptions::default()).await.unwrap();
    page.settle(LIMIT).await.unwrap();
    assert_eq!(text(&page, "h.shadowRoot.textContent").await, "12345678");
    browser.close().await;
}

#[tokio::test]
async fn less_quiet_is_waited_for_when_less_is_asked_for() {
    let site = Site::start().await;
    let at = site.put(
        "<div id=o>0</div><script>const timer = setInterval(() => {
           o.textContent = Number(o.textContent) + 1;
           if (o.textContent === '9') clearInterval(timer);
         }, 100)</script>",
    );
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    let briefly = page.settle_for(Duration::from_millis(20), LIMIT).await.unwrap();
    assert_eq!(briefly.by, SettledBy::Quiet);
    assert_ne!(text(&page, "o.textContent").await, "9");
    page.settle(LIMIT).await.unwrap();
    assert_eq!(text(&page, "o.textContent").await, "9");
    browser.close().await;
}

#[tokio::test]
async fn scripts_that_are_still_to_come_are_waited_for_when_only_they_count() {
    let site = Site::start().await;
    let late = |body: &str| Route::typed("text/javascript", body).delay(Duration::from_millis(400));
    // A script that is not waited for by the document, one that it asks for, data that this asks for, and what it
    // puts off then.
    site.route("/first.js", late("import('/second.js')"));
    site.route(
        "/second.js",
        late("fetch('/data').then(() => setTimeout(() => { document.title = 'ready' }))"),
    );
    site.route("/data", Route::text("1").delay(Duration::from_millis(400)));
    let at = site.put("<title>bare</title><script async src=/first.js></script>");
    let (browser, page) = browser_at("about:blank").await;
    let mut parsed = GotoOptions::default();
    parsed.wait_until = WaitUntil::DomContentLoaded;
    page.goto(&at.url, parsed).await.unwrap();
    let settled = page.settle_scripts(LIMIT).await.unwrap();
    assert_eq!(settled.by, SettledBy::Quiet);
    assert_eq!(text(&page, "document.title").await, "ready");
    browser.close().await;
}

#[tokio::test]
async fn pictures_styles_and_frames_do_not_count_when_only_scripts_do() {
    let site = Site::start().await;
    site.route("/never", Route::never());
    let at = site.put(
        "<p>text</p><img src=/never><iframe src=/never></iframe><script>
            for (const rel of ['stylesheet', 'icon']) {
                const link = Object.assign(document.createElement('link'), { rel, href: '/never' });
                document.body.append(link);
            }
        </script>",
    );
    let (browser, page) = browser_at("about:blank").await;
    let mut parsed = GotoOptions::default();
    parsed.wait_until = WaitUntil::DomContentLoaded;
    page.goto(&at.url, parsed).await.unwrap();
    site.wait_for_hit("/never").await;
    let settled = page.settle_scripts(LIMIT).await.unwrap();
    assert_eq!(settled.by, SettledBy::Quiet);
    assert!(settled.waited < Duration::from_secs(1), "{settled:?}");
    // A page that works all the time is acted on as well.
    page.evaluate_in_page(
        "void (function work() { const end = performance.now() + 20; while (performance.now() < end); \
         const { port1, port2 } = new MessageChannel(); port1.onmessage = work; port2.postMessage(0); })()",
    )
    .await
    .unwrap();
    let settled = page.settle_scripts(LIMIT).await.unwrap();
    assert!(settled.waited < Duration::from_millis(2_600), "{settled:?}");
    browser.close().await;
}

#[tokio::test]
async fn page_that_never_goes_quiet_holds_up_for_two_and_a_half_seconds_at_most() {
    let site = Site::start().await;
    let hang = site.route("/hang", Route::never());
    let poll = site.route("/poll", Route::text("x"));
    let ticker = "<p id=t></p><script>let i = 0; setInterval(() => { t.textContent = ++i; t.setAttribute('data-i', i) }, 40)</script>";
    let endless = format!(
        "<script>(function again() {{ fetch('{}?' + Math.random()).finally(again) }})()</script>",
        hang.path
    );
    let polling = format!(
        "<script>setInterval(() => fetch('{}?' + Math.random()), 100)</script>",
        poll.path
    );
    let (browser, page) = browser_at("about:blank").await;
    for body in [ticker, &endless, &polling, &format!("{ticker}{endless}{polling}")] {
        let at = site.put(body);
        page.goto(&at.url, GotoOptions::default()).await.unwrap();
        let settled = page.settle(LIMIT).await.unwrap();
        assert!(settled.waited < Duration::from_secs(5), "{body}: {settled:?}");
    }
    // The ticker alone has been going on for so long that it costs nothing any more.
    let at = site.put(ticker);
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    page.settle(LIMIT).await.unwrap();
    aged(&page, 2_000).await;
    // A machine that is busy with other things lets the ticker pause now and then.
    eventually("a settle that costs nothing", async || {
        let settled = page.settle(LIMIT).await.unwrap();
        (settled.by == SettledBy::Quiet && settled.waited < Duration::from_millis(50)).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn real_change_beside_a_ticker_is_waited_for() {
    let site = Site::start().await;
    let at = site.put(
        "<p id=t></p><div id=o></div><script>let i = 0; setInterval(() => t.textContent = ++i, 40);
         function render() { let n = 0; const id = setInterval(() => {
           const row = document.createElement('p'); row.textContent = ++n; o.append(row);
           if (n === 5) clearInterval(id) }, 100) }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    aged(&page, 1_500).await;
    text(&page, "render()").await;
    // The first row is there, so that the rest is what is waited for.
    eventually("the first row", async || {
        (text(&page, "o.children.length").await != 0).then_some(())
    })
    .await;
    page.settle(LIMIT).await.unwrap();
    assert_eq!(text(&page, "o.children.length").await, 5);
    browser.close().await;
}

#[tokio::test]
async fn page_that_loads_step_by_step_is_waited_for_until_the_limit() {
    let site = Site::start().await;
    site.fallback(|hit| Route::text(hit.path.clone()).delay(Duration::from_millis(400)));
    let at = site.put(
        "<p id=o></p><script>(async () => { for (const step of 'abcdefghij')
           o.textContent = await (await fetch('/step-' + step)).text() })()</script>",
    );
    let (browser, page) = browser_at("about:blank").await;
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    let settled = page.settle(LIMIT).await.unwrap();
    assert_eq!(text(&page, "o.textContent").await, "/step-j", "{settled:?}");
    page.goto(&at.url, GotoOptions::default()).await.unwrap();
    let settled = page.settle(Duration::from_millis(700)).await.unwrap();
    assert_eq!(settled.by, SettledBy::Limit);
    browser.close().await;
}

#[tokio::test]
async fn limit_holds_on_a_page_that_hangs_and_end_of_the_page_ends_the_wait() {
    let site = Site::start().await;
    let at = site.put("<p>text</p>");
    let (browser, page) = browser_at(&at.url).await;
    let other = browser.context().new_page(&at.url).await.unwrap();
    let hanging = page.evaluate_in_page("setTimeout(() => { for (;;); }, 0)");
    hanging.await.unwrap();
    let began = Instant::now();
    page.settle(Duration::from_millis(300)).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(2));
    other
        .evaluate_in_page("setInterval(() => document.body.append(1), 30)")
        .await
        .unwrap();
    let settling = tokio::spawn({
        let page = page.clone();
        async move { page.settle(LIMIT).await }
    });
    page.close().await.unwrap();
    let outcome = settling.await.unwrap();
    // The page hangs, so either the wait had given up or the end was seen.
    assert!(
        matches!(outcome, Err(BrowserError::PageClosed) | Ok(_)),
        "{outcome:?}"
    );
    browser.close().await;
}

#[tokio::test]
async fn streams_do_not_hold_up() {
    let site = Site::start().await;
    let events = site.route(
        "/events",
        Route::typed("text/event-stream", "data: 1\n\n").body_delay(Duration::from_secs(20)),
    );
    let at = site.put(format!("<script>new EventSource('{}')</script>", events.path));
    let (browser, page) = browser_at(&at.url).await;
    site.wait_for_hit(&events.path).await;
    let settled = page.settle(LIMIT).await.unwrap();
    assert_eq!(settled.by, SettledBy::Quiet);
    assert!(settled.waited < Duration::from_millis(1_500), "{settled:?}");
    browser.close().await;
}

/// A tenth of what `test soak` would do; memory is that of this process.
#[tokio::test]
async fn memory_stays_flat_over_many_waits() {
    let site = Site::start().await;
    let at = site.put("<p>text</p>");
    let (browser, page) = browser_at(&at.url).await;
    let heap = async || {
        let nothing = json!({});
        page.session()
            .send_raw("HeapProfiler.collectGarbage", &nothing)
            .await
            .unwrap();
        let usage = page
            .session()
            .send_raw("Runtime.getHeapUsage", &nothing)
            .await
            .unwrap();
        let usage: serde_json::Value = serde_json::from_slice(usage.bytes()).unwrap();
        usage["usedSize"].as_f64().unwrap()
    };
    for _ in 0..200 {
        page.settle(LIMIT).await.unwrap();
    }
    let (before, heap_before) = (resident(), heap().await);
    for _ in 0..1_000 {
        page.settle(LIMIT).await.unwrap();
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 2_000, "{grown} kB");
    let heap_grown = heap().await - heap_before;
    assert!(heap_grown < 300_000.0, "{heap_grown} bytes in the page");
    assert_eq!(text(&page, "document.body.children.length").await, json!(1));
    browser.close().await;
}

/// The resident memory of this process in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
