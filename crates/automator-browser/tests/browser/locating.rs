//! Locators: selectors, matches, waiting and reading.

use std::time::{Duration, Instant};

use automator_browser::{BrowserError, ElementState, Locator, Selector, SelectorWaitOptions};
use automator_testing::Site;

use crate::{browser_at, load};

fn until(state: ElementState, milliseconds: u64) -> SelectorWaitOptions {
    let mut options = SelectorWaitOptions::default();
    options.state = state;
    options.timeout = Duration::from_millis(milliseconds);
    options
}

#[tokio::test]
async fn selectors_of_every_kind_lead_to_elements() {
    let site = Site::start().await;
    let at = site.put(
        "<title>inner words</title><script>/* inner words */</script>
        <section><div id='a:b' class=k>First <b>Inner   Words</b></div><div class=k>Second <i>2</i></div></section>
        <x-s><template shadowrootmode=closed><p class=deep>In the dark</p></template></x-s><input type=submit value='Send it'>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (selector, count, text) in [
        (".k", 2, "First Inner   Words"),
        ("css=#a\\:b", 1, "First Inner   Words"),
        ("section >> .k >> i", 1, "2"),
        ("xpath=//div[2]", 1, "Second 2"),
        ("/html/body/section/div[2]", 1, "Second 2"),
        ("(//div)[2]", 1, "Second 2"),
        ("//section >> //i", 1, "2"),
        ("text=inner words", 1, "Inner   Words"),
        ("text=\"Second\"", 1, "Second 2"),
        ("text=the dark", 1, "In the dark"),
        (".deep", 1, "In the dark"),
    ] {
        let locator = page.locator(selector);
        assert_eq!(locator.count().await.unwrap(), count, "{selector}");
        assert_eq!(locator.text_content().await.unwrap(), text, "{selector}");
    }
    assert_eq!(
        page.locator("text=send it")
            .get_attribute("type")
            .await
            .unwrap()
            .as_deref(),
        Some("submit")
    );
    assert_eq!(page.locator(".k").nth(1).inner_text().await.unwrap(), "Second 2");
    assert_eq!(page.locator("b").inner_html().await.unwrap(), "Inner   Words");
    assert_eq!(page.locator(".none").count().await.unwrap(), 0);
    assert!(!page.locator(".none").is_visible().await.unwrap());
    assert_eq!(page.locator("b").get_attribute("no").await.unwrap(), None);
    for invalid in ["p[", ".k >> //p", "text="] {
        let error = page.locator(invalid).count().await.unwrap_err();
        assert!(
            matches!(error, BrowserError::InvalidSelector { .. }),
            "{invalid}: {error}"
        );
    }
    browser.close().await;
}

#[tokio::test]
async fn visible_is_what_people_see() {
    let site = Site::start().await;
    let at = site.put(
        "<p id=ok>x</p><p id=d style='display:none'>x</p><p id=v style='visibility:hidden'>x</p><p id=o style='opacity:0'>x</p>
        <p id=z style='width:0;height:0;margin:0;overflow:hidden'></p><div style='display:none'><p id=c>x</p></div>
        <div style='opacity:0'><p id=n>x</p></div><fieldset disabled><input id=f></fieldset>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for (id, expected) in [
        ("ok", true),
        ("d", false),
        ("v", false),
        ("o", false),
        ("z", false),
        ("c", false),
        ("n", false),
    ] {
        assert_eq!(
            page.locator(&format!("#{id}")).is_visible().await.unwrap(),
            expected,
            "{id}"
        );
    }
    assert!(!page.locator("#f").is_enabled().await.unwrap());
    assert!(page.locator("#ok").is_enabled().await.unwrap());
    browser.close().await;
}

#[tokio::test]
async fn states_are_waited_for_and_the_end_of_waiting_says_for_what() {
    let site = Site::start().await;
    let late = "setTimeout(() => { host.attachShadow({mode:'closed'}).innerHTML = '<i class=deep>s</i>'; x.remove(); y.hidden = true; z.hidden = false }, 250)";
    let at = site.put(format!(
        "<div id=host></div><p id=x>x</p><p id=y>y</p><p id=z hidden>z</p><script>{late}</script>"
    ));
    let (browser, page) = browser_at(&at.url).await;
    let (deep, gone, hidden, shown) = tokio::join!(
        async {
            page.wait_for_selector(".deep", &until(ElementState::Attached, 5000))
                .await
        },
        async {
            page.wait_for_selector("#x", &until(ElementState::Detached, 5000))
                .await
        },
        async {
            page.wait_for_selector("#y", &until(ElementState::Hidden, 5000))
                .await
        },
        async {
            page.wait_for_selector("#z", &until(ElementState::Visible, 5000))
                .await
        },
    );
    for outcome in [deep, gone, hidden, shown] {
        outcome.unwrap();
    }
    let error = page
        .wait_for_selector("#never", &until(ElementState::Visible, 150))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "waitForSelector: Timeout 150ms exceeded waiting for \"#never\" to be visible"
    );
    browser.close().await;
}

#[tokio::test]
async fn element_in_a_frame_that_is_still_coming_is_waited_for() {
    let site = Site::start().await;
    let inner = site.put("<p id=p>inside</p>");
    let at = site.put(format!(
        "<div id=o></div><script>setTimeout(()=>o.innerHTML='<iframe src=\"{}\"></iframe>',200)</script>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(
        page.deep_locator("iframe >> #p").text_content().await.unwrap(),
        "inside"
    );
    assert_eq!(
        page.locator("//iframe/html/body/p").text_content().await.unwrap(),
        "inside"
    );
    browser.close().await;
}

#[tokio::test]
async fn waiting_for_nothing_ends_in_time() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put("<p>x</p>").url).await;
    let begun = Instant::now();
    let error = page.locator("//table").text_content().await.unwrap_err();
    assert!(matches!(&error, BrowserError::XPathNotFound { selector } if selector == "//table"));
    let error = page.locator("p").nth(3).text_content().await.unwrap_err();
    assert!(error.to_string().contains("match 4"), "{error}");
    let waited = begun.elapsed();
    assert!(
        waited > Duration::from_secs(3) && waited < Duration::from_secs(12),
        "{waited:?}"
    );
    browser.close().await;
}

#[tokio::test]
async fn known_element_is_followed_when_the_page_draws_it_anew() {
    let site = Site::start().await;
    let at = site.put("<div id=o><button onclick='window.hit=1'>x</button></div>");
    let (browser, page) = browser_at(&at.url).await;
    let element = page.locator("button").element().await.unwrap();
    let path = Selector::parse("/html[1]/body[1]/div[1]/button[1]").unwrap();
    let known = Locator::of_element(element.clone(), Some(path));
    let strict = Locator::of_element(element.clone(), None);
    strict.click(&Default::default()).await.unwrap();
    assert_eq!(strict.backend_node_id().await.unwrap(), element.backend_node_id);
    page.evaluate_in_page(
        "window.hit = 0; void (o.innerHTML = '<button onclick=\"window.hit=2\">y</button>')",
    )
    .await
    .unwrap();
    assert!(matches!(
        strict.text_content().await,
        Err(BrowserError::ElementGone { .. })
    ));
    known.click(&Default::default()).await.unwrap();
    assert_eq!(page.evaluate_in_page("window.hit").await.unwrap(), 2);
    // Another tag at its place is another element.
    page.evaluate_in_page("void (o.innerHTML = '<a href=#>y</a>')")
        .await
        .unwrap();
    assert!(matches!(
        known.text_content().await,
        Err(BrowserError::ElementGone { .. })
    ));
    // In another document there is nothing to follow.
    page.goto(&at.url, load()).await.unwrap();
    assert!(matches!(
        known.text_content().await,
        Err(BrowserError::PageChanged { .. })
    ));
    browser.close().await;
}

#[tokio::test]
async fn click_event_by_script_asks_nobody() {
    let site = Site::start().await;
    let at = site.put("<button id=b style='display:none' onclick='window.got=[event.isTrusted,event.bubbles,event.detail].join()'>x</button>");
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#b")
        .send_click_event(&Default::default())
        .await
        .unwrap();
    assert_eq!(page.evaluate_in_page("got").await.unwrap(), "false,true,1");
    let area = page.locator("body").bounding_box().await.unwrap().unwrap();
    assert!(area.width > 100.0);
    page.locator("body")
        .highlight(Some(Duration::from_millis(50)))
        .await
        .unwrap();
    browser.close().await;
}

#[tokio::test]
async fn operations_can_be_spawned() {
    fn spawnable(_: impl Future + Send) {}
    let (browser, page) = browser_at("about:blank").await;
    let locator = page.locator("p");
    let files = automator_browser::Files::Paths(Vec::new());
    spawnable(locator.click(&Default::default()));
    spawnable(locator.tap(&Default::default()));
    spawnable(locator.fill("x", None));
    spawnable(locator.type_text("x", &Default::default()));
    spawnable(locator.check(&Default::default()));
    spawnable(locator.select_option(&[], None));
    spawnable(locator.set_input_files(&files));
    spawnable(locator.drag_to(&locator, &Default::default()));
    spawnable(locator.wait_for(&Default::default()));
    spawnable(locator.count());
    spawnable(locator.highlight(None));
    browser.close().await;
}
