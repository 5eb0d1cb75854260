//! Clicks, taps, drags and scrolling on elements, and how they are seen to have happened.

use std::time::{Duration, Instant};

use automator_browser::{
    BrowserError, ElementClickOptions, ElementDragOptions, MouseButton, ObstacleKind, Page, PointerOptions,
    percentage,
};
use automator_testing::Site;
use serde_json::json;

use crate::{browser_at, load};

/// Loads a page with this content.
async fn show(page: &Page, site: &Site, content: &str) {
    page.goto(&site.put(format!("<!doctype html>{content}")).url, load())
        .await
        .unwrap();
}

fn click() -> ElementClickOptions {
    ElementClickOptions::default()
}

fn within(milliseconds: u64) -> ElementClickOptions {
    let mut options = click();
    options.timeout = Some(Duration::from_millis(milliseconds));
    options
}

async fn value(page: &Page, expression: &str) -> serde_json::Value {
    page.evaluate_in_page(expression).await.unwrap()
}

#[tokio::test]
async fn click_makes_one_trusted_sequence_and_double_click_one_double_click() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=b>Add</button><script>window.log=[];
        for (const t of ['pointerdown','mousedown','pointerup','mouseup','click','dblclick','contextmenu'])
          b.addEventListener(t, e => { log.push(t + (e.isTrusted ? '' : '!')); if (t === 'contextmenu') e.preventDefault() })
        </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let button = page.locator("#b");
    let performed = button.click(&click()).await.unwrap();
    assert_eq!((performed.attempts, performed.has_left), (1, false));
    let sequence = json!(["pointerdown", "mousedown", "pointerup", "mouseup", "click"]);
    assert_eq!(value(&page, "log").await, sequence);
    value(&page, "log.length = 0").await;
    button.double_click(&click()).await.unwrap();
    assert_eq!(value(&page, "log.filter(t => t === 'click').length").await, 2);
    assert_eq!(value(&page, "log.filter(t => t === 'dblclick').length").await, 1);
    value(&page, "log.length = 0").await;
    let mut right = click();
    right.button = MouseButton::Right;
    button.click(&right).await.unwrap();
    assert_eq!(value(&page, "log.includes('contextmenu')").await, true);
    browser.close().await;
}

#[tokio::test]
async fn covered_element_is_not_clicked_and_the_cover_is_named() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=save onclick='window.saved=1'>Save</button>
        <div id=veil class=dark onclick='window.veiled=1' style='position:fixed;inset:0'>Cookies?
        <button id=ok onclick='event.stopPropagation();veil.remove()'>Fine</button></div>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let error = page.locator("#save").click(&within(300)).await.unwrap_err();
    assert!(!error.may_have_happened());
    let BrowserError::NotActionable { obstacle, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(obstacle.kind, ObstacleKind::Covered);
    assert!(
        obstacle.by.as_deref().unwrap().starts_with("div#veil.dark"),
        "{error}"
    );
    assert_eq!(value(&page, "window.saved ?? window.veiled ?? 0").await, 0);
    page.locator("#ok").click(&click()).await.unwrap();
    page.locator("#save").click(&click()).await.unwrap();
    assert_eq!(value(&page, "window.saved").await, 1);
    browser.close().await;
}

#[tokio::test]
async fn element_that_is_not_ready_is_waited_for() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    let pages = [
        // Comes late.
        "<div id=o></div><script>setTimeout(() => o.innerHTML = '<button id=b onclick=\"window.hit=1\">x</button>', 300)</script>",
        // Is disabled at first.
        "<fieldset id=f disabled><button id=b onclick='window.hit=1'>x</button></fieldset><script>setTimeout(() => f.disabled = false, 300)</script>",
        // Is hidden at first.
        "<button id=b style='display:none' onclick='window.hit=1'>x</button><script>setTimeout(() => b.style.display = '', 300)</script>",
        // Is inert at first.
        "<div id=d inert><button id=b onclick='window.hit=1'>x</button></div><script>setTimeout(() => d.inert = false, 300)</script>",
        // Is covered at first.
        "<button id=b onclick='window.hit=1'>x</button><div id=c style='position:fixed;inset:0'></div><script>setTimeout(() => c.remove(), 300)</script>",
        // Moves at first.
        "<style>@keyframes m { to { transform: translateX(400px) } }</style><button id=b style='animation:m .4s linear' onclick='window.hit=1'>x</button>",
        // Is drawn anew at each frame for a while.
        "<div id=o></div><script>let n = 0; const draw = () => { o.innerHTML = '<button id=b onclick=\"window.hit=1\">x</button>'; if (n++ < 20) requestAnimationFrame(draw) }; draw()</script>",
    ];
    for content in pages {
        show(&page, &site, content).await;
        page.locator("#b").click(&click()).await.unwrap();
        assert_eq!(value(&page, "window.hit").await, 1, "{content}");
    }
    browser.close().await;
}

#[tokio::test]
async fn what_never_gets_ready_is_told_with_its_reason() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=off disabled>x</button><button id=soft aria-disabled=true>x</button>
        <p id=gone style='display:none'>x</p><p id=unseen style='visibility:hidden'>x</p>
        <div id=dead inert><button>x</button></div>
        <b id=away style='position:absolute;left:-500px'>x</b>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let cases = [
        ("#off", ObstacleKind::Disabled),
        ("#soft", ObstacleKind::Disabled),
        ("#gone", ObstacleKind::Hidden),
        ("#unseen", ObstacleKind::Hidden),
        ("#dead button", ObstacleKind::Inert),
        ("#away", ObstacleKind::OutOfView),
    ];
    for (selector, kind) in cases {
        let error = page.locator(selector).click(&within(200)).await.unwrap_err();
        assert!(
            matches!(&error, BrowserError::NotActionable { obstacle, .. } if obstacle.kind == kind),
            "{selector}: {error}"
        );
    }
    let error = page.locator("#missing").click(&within(100)).await.unwrap_err();
    assert!(matches!(&error, BrowserError::ElementNotFound { selector } if selector == "#missing"));
    browser.close().await;
}

#[tokio::test]
async fn click_finds_a_place_that_people_would_find() {
    let site = Site::start().await;
    let (browser, page) = browser_at("about:blank").await;
    let pages = [
        // Far away in both directions.
        "<div style='height:5000px;width:3000px'></div><button id=b style='margin-left:2500px' onclick='window.hit=1'>x</button>",
        // In nested scrollers.
        "<div style='height:200px;overflow:auto'><div style='height:1000px'></div><div style='height:100px;overflow:auto'><div style='height:800px'></div><button id=b onclick='window.hit=1'>x</button></div><div style='height:900px'></div></div>",
        // Below a sticky header, above a fixed footer.
        "<div style='position:sticky;top:0;height:300px;background:#ccc;z-index:2'>head</div><div style='height:2000px'></div><button id=b onclick='window.hit=1'>x</button><div style='height:2000px'></div><div style='position:fixed;bottom:0;left:0;right:0;height:300px;background:#ccc'>foot</div>",
        // A link broken over two lines.
        "<div style='width:220px;font:20px monospace'>word word word <a id=b href='#' onclick='window.hit=1;return false'>linked words</a> tail</div>",
        // Half covered, its middle too.
        "<button id=b style='width:200px;height:40px' onclick='window.hit=1'>x</button><div style='position:absolute;left:60px;top:0;width:400px;height:80px;background:red'></div>",
        // An icon that lets presses through to its button.
        "<button onclick='window.hit=1'><i id=b style='pointer-events:none'>x</i></button>",
        // Its only box is that of its content.
        "<a id=b style='display:contents' href='#' onclick='window.hit=1;return false'><span>inside</span></a>",
        // A part of a picture.
        "<img usemap='#m' width=200 height=100 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'><map name=m><area id=b shape=rect coords='100,50,200,100' href='#' onclick='window.hit=1;return false'></map>",
        // A hidden checkbox behind its label.
        "<input id=b type=checkbox style='display:none' onchange='window.hit=1'><label for=b>Agree</label>",
        // Taller than the viewport.
        "<div id=b style='height:4000px' onclick='window.hit=1'>x</div>",
        // In a zoomed page.
        "<div style='zoom:1.5;transform:scale(.8)'><button id=b onclick='window.hit=1'>x</button></div>",
        // An option of a closed native list.
        "<select onchange='window.hit=this.selectedIndex'><option>a<option id=b>b</select>",
        // It takes itself away when it is pressed.
        "<button id=b onpointerdown='window.hit=1;this.remove()'>x</button>",
        // The list closes when an option is pressed.
        "<ul><li id=b onmousedown='window.hit=1;this.parentNode.hidden=true'>x</ul>",
        // Its class name changes and moves it while it is pressed.
        "<style>button:active{transform:translateY(2px)}</style><button id=b onclick='window.hit=1'>x</button>",
        // An alert holds the page up.
        "<button id=b onclick='alert(1);window.hit=1'>x</button>",
    ];
    for content in pages {
        show(&page, &site, content).await;
        if let Err(error) = page.locator("#b").click(&click()).await {
            panic!("{content}: {error}");
        }
        assert_eq!(value(&page, "window.hit").await, 1, "{content}");
    }
    browser.close().await;
}

#[tokio::test]
async fn press_that_would_go_astray_is_kept_from_the_page_and_tried_again() {
    let site = Site::start().await;
    // A cover comes up under the mouse, once.
    let at = site.put(
        "<button id=b onclick='window.hit=(window.hit||0)+1'>x</button>
        <div id=c style='position:fixed;inset:0;display:none' onclick='window.astray=1' onpointerdown='window.astray=1'></div>
        <script>let n = 0; addEventListener('mousemove', () => {
          if (n++ === 0) { c.style.display = ''; setTimeout(() => c.remove(), 200) } })</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let performed = page.locator("#b").click(&click()).await.unwrap();
    assert!(performed.attempts > 1);
    assert_eq!(
        value(&page, "[window.hit, window.astray ?? 0]").await,
        json!([1, 0])
    );
    browser.close().await;
}

#[tokio::test]
async fn click_that_the_page_leaves_by_has_arrived() {
    let site = Site::start().await;
    let next = site.put("<p>next</p>");
    let at = site.put(format!(
        "<a href='{}'>go</a><a id=pop target=_blank href='{}'>pop</a>",
        next.cross_url, next.url
    ));
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#pop").click(&click()).await.unwrap();
    crate::eventually("the new page", async || {
        (browser.context().pages().len() == 2).then_some(())
    })
    .await;
    page.locator("a").click(&click()).await.unwrap();
    crate::eventually("the next page", async || {
        (page.url() == next.cross_url).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn frames_and_shadow_roots_are_clicked_through() {
    let site = Site::start().await;
    let leaf = site.put_at(
        "/leaf",
        "<div style='height:1500px'></div><button id=b onclick=\"this.textContent='hit'\">go</button><input id=i>
        <div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<button class=z onclick=\"this.textContent=`hit`\">go</button>'</script>",
    );
    let middle = site.put_at(
        "/middle",
        format!("<div style='height:900px'></div><iframe id=inner style='border:7px solid;padding:9px' src='{}'></iframe>", leaf.url),
    );
    let at = site.put(format!(
        "<div style='height:1200px'></div><iframe id=outer style='transform:scale(.7)' width=500 height=300 src='{}'></iframe>
        <div id=cover style='position:fixed;inset:0;display:none'>over all</div>",
        middle.cross_url
    ));
    let mut options = automator_browser::LaunchOptions::default();
    options.args = vec!["--site-per-process".to_owned()];
    let browser = automator_browser::Browser::start(&options).await.unwrap();
    let page = crate::first_page(&browser);
    page.goto(&at.url, load()).await.unwrap();
    for selector in ["#b", ".z"] {
        let button = page.deep_locator(&format!("#outer >> #inner >> {selector}"));
        button.click(&click()).await.unwrap();
        assert_eq!(button.text_content().await.unwrap(), "hit");
    }
    let field = page.deep_locator("#outer >> #inner >> #i");
    field.fill("far away", None).await.unwrap();
    field.type_text("!", &Default::default()).await.unwrap();
    assert_eq!(field.input_value().await.unwrap(), "far away!");
    let centre = field.centroid().await.unwrap();
    assert_eq!(
        page.xpath_at(centre.0, centre.1)
            .await
            .unwrap()
            .split('/')
            .next_back()
            .unwrap(),
        "input[1]"
    );
    value(&page, "cover.style.display = ''").await;
    let error = page
        .frame_locator("#outer")
        .frame_locator("#inner")
        .locator("#b")
        .click(&within(300))
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("covered by div#cover \"over all\""),
        "{error}"
    );
    browser.close().await;
}

#[tokio::test]
async fn hover_and_tap_arrive() {
    let site = Site::start().await;
    let at = site.put(
        "<p id=t ontouchstart='window.touched=1' onclick='window.tapped=1'>tap</p>
        <style>#m{display:none} #h:hover #m{display:block}</style><div id=h>menu<button id=m onclick='window.hit=1'>item</button></div>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#h")
        .hover(&PointerOptions::default())
        .await
        .unwrap();
    page.locator("#m").click(&click()).await.unwrap();
    assert_eq!(value(&page, "window.hit").await, 1);
    page.locator("#t").tap(&PointerOptions::default()).await.unwrap();
    assert_eq!(
        value(&page, "[window.touched, window.tapped]").await,
        json!([1, 1])
    );
    browser.close().await;
}

#[tokio::test]
async fn drags_are_seen_by_pointer_and_by_native_drag_and_drop() {
    let site = Site::start().await;
    let at = site.put(
        "<b id=a style='display:block;width:80px;height:40px'>Knob</b><div style='height:1500px'></div>
        <b id=z style='display:block;width:160px;height:80px'>Slot</b>
        <i id=n draggable=true style='display:block;width:50px;height:20px'>native</i>
        <p id=d style='height:60px'>drop</p>
        <script>let on = false; addEventListener('mousedown', e => on = e.target.id === 'a');
        addEventListener('mouseup', e => { if (on) window.dropped = e.target.id; on = false });
        n.ondragstart = e => e.dataTransfer.setData('text/plain', 'cargo');
        d.ondragover = e => e.preventDefault();
        d.ondrop = e => window.cargo = e.dataTransfer.getData('text/plain')</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let options = ElementDragOptions::default();
    page.locator("#a")
        .drag_to(&page.locator("#z"), &options)
        .await
        .unwrap();
    assert_eq!(value(&page, "window.dropped").await, "z");
    page.locator("#n")
        .drag_to(&page.locator("#d"), &options)
        .await
        .unwrap();
    assert_eq!(value(&page, "window.cargo").await, "cargo");
    browser.close().await;
}

#[tokio::test]
async fn scrolling_goes_where_it_is_told() {
    let site = Site::start().await;
    let at = site.put(
        "<!doctype html><body style='margin:0'><div id=s style='height:100px;overflow:auto;scroll-behavior:smooth'><div style='height:1100px'></div></div>
        <p id=flat>flat</p><div style='height:6000px'></div><p id=end>end</p>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let inner = page.locator("#s");
    inner.scroll_to(percentage("50%").unwrap()).await.unwrap();
    assert_eq!(value(&page, "s.scrollTop").await, 500);
    inner.next_chunk().await.unwrap();
    assert_eq!(value(&page, "s.scrollTop").await, 600);
    inner.scroll_by(0.0, -30.0).await.unwrap();
    assert_eq!(value(&page, "s.scrollTop").await, 570);
    inner.scroll_to(100.0).await.unwrap();
    inner.next_chunk().await.unwrap();
    for root in ["html", "body"] {
        let whole = page.locator(root);
        whole.scroll_to(0.0).await.unwrap();
        whole.next_chunk().await.unwrap();
        assert_eq!(value(&page, "scrollY === innerHeight").await, true);
        whole.previous_chunk().await.unwrap();
        assert_eq!(value(&page, "scrollY").await, 0);
    }
    page.locator("#end").scroll_into_view().await.unwrap();
    assert_eq!(
        value(&page, "end.getBoundingClientRect().bottom <= innerHeight").await,
        true
    );
    assert!(matches!(
        page.locator("#flat").scroll_to(101.0).await,
        Err(BrowserError::InvalidArgument { .. })
    ));
    browser.close().await;
}

#[tokio::test]
async fn a_box_whose_content_fits_is_at_its_end() {
    let site = Site::start().await;
    let at =
        site.put("<textarea id=t>short</textarea><div id=s style='height:100px;overflow:auto'>short</div>");
    let (browser, page) = browser_at(&at.url).await;
    for selector in ["#t", "#s"] {
        let fitting = page.locator(selector);
        fitting.scroll_to(100.0).await.unwrap();
        fitting.next_chunk().await.unwrap();
    }
    browser.close().await;
}

#[tokio::test]
async fn pages_in_the_background_and_busy_pages_are_acted_on() {
    let site = Site::start().await;
    let at = site.put("<button id=b onclick='window.hit=(window.hit||0)+1'>go</button><input id=i>");
    let (browser, page) = browser_at(&at.url).await;
    let front = browser.context().new_page(&at.url).await.unwrap();
    for each in [&page, &front] {
        each.locator("#b").click(&click()).await.unwrap();
        each.locator("#i").fill("abc", None).await.unwrap();
        assert_eq!(value(each, "window.hit + i.value").await, "1abc");
    }
    value(
        &page,
        "void setTimeout(() => { const end = Date.now() + 1500; while (Date.now() < end); })",
    )
    .await;
    page.locator("#b").click(&click()).await.unwrap();
    assert_eq!(value(&page, "window.hit").await, 2);
    browser.close().await;
}

#[tokio::test]
async fn a_limit_of_the_caller_holds_on_a_page_that_hangs() {
    let site = Site::start().await;
    let at = site.put("<button id=b>go</button>");
    let (browser, page) = browser_at(&at.url).await;
    value(&page, "void setTimeout(() => { for (;;); })").await;
    let started = Instant::now();
    let mut options = click();
    options.timeout = Some(Duration::from_millis(300));
    page.locator("#b").click(&options).await.unwrap_err();
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "{:?}",
        started.elapsed()
    );
    browser.close().await;
}

#[tokio::test]
async fn press_that_the_page_keeps_to_itself_has_arrived() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=b>go</button><script>window.seen=[];
        for (const t of ['pointerdown','mousedown','pointerup','mouseup','click'])
          window.addEventListener(t, e => { e.stopImmediatePropagation(); seen.push(t) }, true)</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.locator("#b").click(&click()).await.unwrap();
    assert_eq!(value(&page, "seen.length").await, 5);
    browser.close().await;
}

#[tokio::test]
async fn frames_without_scripts_or_address_are_acted_on() {
    let site = Site::start().await;
    let leaf = site.put("<button id=b>go</button><input id=i><select id=s><option>A<option>B</select>");
    let at = site.put(format!(
        "<iframe id=a srcdoc=\"<button id=b onclick='parent.hit=1'>go</button>\"></iframe><iframe id=w></iframe>
        <script>w.contentDocument.write('<button id=b onclick=\"parent.hit=2\">go</button>');w.contentDocument.close()</script>
        <iframe id=s sandbox src='{}'></iframe><iframe id=x sandbox src='{}'></iframe>",
        leaf.url, leaf.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    for (frame, number) in [("#a", 1), ("#w", 2)] {
        let found = page
            .deep_locator(&format!("{frame} >> #b"))
            .element()
            .await
            .unwrap();
        automator_browser::Locator::of_element(found, None)
            .click(&click())
            .await
            .unwrap();
        assert_eq!(value(&page, "window.hit").await, number);
    }
    for frame in ["#s", "#x"] {
        let inside = page.frame_locator(frame);
        inside.locator("#b").click(&click()).await.unwrap();
        inside.locator("#i").fill("abc", None).await.unwrap();
        assert_eq!(inside.locator("#i").input_value().await.unwrap(), "abc");
        inside
            .locator("#s")
            .select_option(&["B".into()], None)
            .await
            .unwrap();
        assert_eq!(inside.locator("#s").input_value().await.unwrap(), "B");
    }
    browser.close().await;
}
