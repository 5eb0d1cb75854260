//! The mouse and the finger, by coordinates, as the page sees them.

use std::time::Duration;

use automator_browser::{
    Browser, BrowserError, ClickOptions, DragOptions, Frame, HoverOptions, LaunchOptions, MouseButton, Page,
    ScrollOptions, TapOptions,
};
use automator_testing::Site;
use serde_json::{Value, json};

use crate::{browser_at, first_page, frame_at, load, reachable};

/// Records events of an element as `log`, each as its type, whether it is trusted, and its button.
const RECORD: &str = "<script>
    const log = [];
    function record(element, ...types) {
        for (const type of types) {
            element.addEventListener(type, (e) => {
                log.push(`${e.type} ${e.isTrusted} ${e.button} ${e.detail}`);
                if (e.type === 'contextmenu') e.preventDefault();
            });
        }
    }
    const pointer = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick'];
</script>";

async fn log(page: &Page) -> Vec<String> {
    let log = page.evaluate_in_page("log.splice(0)").await.unwrap();
    serde_json::from_value(log).unwrap()
}

fn click() -> ClickOptions {
    ClickOptions::default()
}

#[tokio::test]
async fn a_click_has_the_events_of_a_person_in_their_order() {
    let site = Site::start().await;
    let at = site.put(format!(
        "{RECORD}<style>body{{margin:0}}</style><button id=b style='width:100px;height:50px'>B</button>
         <script>record(b, ...pointer)</script>"
    ));
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(page.click(50.0, 25.0, &click()).await.unwrap(), "");
    let once = [
        "pointerdown true 0 0",
        "mousedown true 0 1",
        "pointerup true 0 0",
        "mouseup true 0 1",
        "click true 0 1",
    ];
    assert_eq!(log(&page).await, once);

    let mut options = click();
    options.click_count = 2;
    page.click(50.0, 25.0, &options).await.unwrap();
    let twice = log(&page).await;
    assert_eq!(twice[..5], once);
    assert_eq!(
        twice[5..],
        [
            "pointerdown true 0 0",
            "mousedown true 0 2",
            "pointerup true 0 0",
            "mouseup true 0 2",
            "click true 0 2",
            "dblclick true 0 2"
        ]
    );

    let mut options = click();
    options.button = MouseButton::Right;
    options.delay = Duration::from_millis(30);
    page.click(50.0, 25.0, &options).await.unwrap();
    let right = log(&page).await;
    assert!(right.contains(&"contextmenu true 2 0".to_owned()), "{right:?}");
    assert!(!right.iter().any(|event| event.starts_with("click")), "{right:?}");
    options.button = MouseButton::Middle;
    page.click(50.0, 25.0, &options).await.unwrap();
    assert!(log(&page).await.contains(&"auxclick true 1 1".to_owned()));
    browser.close().await;
}

#[tokio::test]
async fn modifiers_are_held_during_a_click_and_not_after_it() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0;height:300px'><script>
            const seen = [];
            onclick = (e) => seen.push([e.ctrlKey, e.shiftKey, e.altKey, e.metaKey]);
         </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut options = click();
    options.modifiers.shift = true;
    options.modifiers.alt = true;
    page.click(20.0, 20.0, &options).await.unwrap();
    page.click(20.0, 20.0, &click()).await.unwrap();
    assert_eq!(
        page.evaluate_in_page("seen").await.unwrap(),
        json!([[false, true, true, false], [false, false, false, false]])
    );
    browser.close().await;
}

/// A page with a frame of another site at (40, 30), which holds one of the first site at (20, 10), and each has a
/// button at its upper left corner. Gives the innermost frame as well.
async fn nested(site: &Site, inner: &str) -> (Browser, Page, Frame) {
    let innermost = site.put_at("/innermost", inner);
    let middle = site.put_at(
        "/middle",
        format!(
            "<body style='margin:0'><iframe style='position:absolute;left:20px;top:10px;border:0;width:300px;height:200px'
             src='{}'></iframe>",
            innermost.url
        ),
    );
    let outer = site.put(format!(
        "<body style='margin:0'><div style='height:20px'></div><iframe style='position:absolute;left:35px;top:25px;
         border:5px solid;width:400px;height:300px' src='{}'></iframe>",
        middle.cross_url
    ));
    let (browser, page) = browser_at(&outer.url).await;
    let frame = frame_at(&page, "/innermost").await;
    assert_ne!(frame.session().unwrap().id(), page.session().id());
    reachable(&page, &frame, (40.0 + 20.0 + 250.0, 30.0 + 10.0 + 150.0)).await;
    (browser, page, frame)
}

#[tokio::test]
async fn clicks_and_paths_reach_frames_of_other_processes() {
    let site = Site::start().await;
    let inner = "<body style='margin:0'><button id=b style='width:80px;height:40px' onclick='window.hits=(window.hits||0)+1;
        window.at=[event.clientX,event.clientY]'>B</button>";
    let (browser, page, frame) = nested(&site, inner).await;
    let mut options = click();
    options.return_xpath = true;
    let path = page
        .click(40.0 + 20.0 + 10.0, 30.0 + 10.0 + 15.0, &options)
        .await
        .unwrap();
    assert_eq!(
        path,
        "/html[1]/body[1]/iframe[1]/html[1]/body[1]/iframe[1]/html[1]/body[1]/button[1]"
    );
    assert_eq!(frame.evaluate_in_page("window.hits").await.unwrap(), 1);
    assert_eq!(
        frame.evaluate_in_page("window.at").await.unwrap(),
        json!([10, 15])
    );
    assert_eq!(page.xpath_at(5.0, 5.0).await.unwrap(), "/html[1]/body[1]/div[1]");
    assert_eq!(page.xpath_at(5.0, 500.0).await.unwrap(), "/html[1]");
    assert_eq!(page.xpath_at(-5.0, 5.0).await.unwrap(), "");
    assert_eq!(page.xpath_at(5.0, 100_000.0).await.unwrap(), "");
    browser.close().await;
}

#[tokio::test]
async fn paths_below_a_point_go_through_closed_roots_and_scrolled_pages() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0'><div style='height:3000px'></div><x-a id=host></x-a><div style='height:3000px'></div><script>
            host.attachShadow({ mode: 'closed' }).innerHTML = '<button style=\"width:100px;height:50px\">in</button>';
            scrollTo(0, 2980);
         </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    assert_eq!(
        page.xpath_at(30.0, 40.0).await.unwrap(),
        "/html[1]/body[1]/x-a[1]//button[1]"
    );
    browser.close().await;
}

#[tokio::test]
async fn operations_that_send_input_wait_for_each_other_in_their_order() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0;height:400px'><input id=i><script>
            const log = [];
            for (const type of ['mousedown', 'mouseup']) addEventListener(type, (e) => log.push(`${type} ${e.clientX}`));
            addEventListener('keydown', (e) => log.push(e.key));
            i.focus();
         </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut slow = click();
    slow.delay = Duration::from_millis(200);
    let quick = click();
    let (first, second, third) = tokio::join!(
        page.click(300.0, 200.0, &slow),
        page.type_text("ab", Duration::from_millis(20)),
        page.click(200.0, 200.0, &quick),
    );
    first.unwrap();
    second.unwrap();
    third.unwrap();
    let expected = [
        "mousedown 300",
        "mouseup 300",
        "a",
        "b",
        "mousedown 200",
        "mouseup 200",
    ];
    assert_eq!(log(&page).await, expected);
    browser.close().await;
}

#[tokio::test]
async fn hovering_makes_what_is_under_the_mouse_react() {
    let site = Site::start().await;
    let at = site.put(
        "<style>body{margin:0} #h:hover{color:rgb(1,2,3)}</style><p id=h style='margin:0;height:40px'
         onmouseover='window.over=event.isTrusted'>hover</p>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.hover(20.0, 20.0, &HoverOptions::default()).await.unwrap();
    assert_eq!(
        page.evaluate_in_page("[window.over, getComputedStyle(h).color]")
            .await
            .unwrap(),
        json!([true, "rgb(1, 2, 3)"])
    );
    browser.close().await;
}

#[tokio::test]
async fn the_wheel_scrolls_what_is_under_it_and_has_come_to_rest() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0'><div id=box style='width:200px;height:200px;overflow:auto'><div style='height:1000px'></div></div>
         <div style='height:5000px'></div>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let options = ScrollOptions::default();
    let position = async || page.evaluate_in_page("[box.scrollTop, scrollY]").await.unwrap();
    page.scroll((50.0, 50.0), (0.0, 300.0), &options).await.unwrap();
    assert_eq!(position().await, json!([300, 0]));
    page.scroll((500.0, 400.0), (0.0, 250.0), &options).await.unwrap();
    assert_eq!(position().await, json!([300, 250]));
    page.scroll((500.0, 400.0), (0.0, -1000.0), &options)
        .await
        .unwrap();
    assert_eq!(position().await, json!([300, 0]));
    // Nothing to scroll to: it returns all the same.
    page.scroll((500.0, 400.0), (0.0, -100.0), &options)
        .await
        .unwrap();
    browser.close().await;
}

#[tokio::test]
async fn the_wheel_scrolls_frames_of_other_processes() {
    let site = Site::start().await;
    let inner = "<body style='margin:0'><div style='height:3000px'></div>";
    let (browser, page, frame) = nested(&site, inner).await;
    page.scroll((120.0, 100.0), (0.0, 180.0), &ScrollOptions::default())
        .await
        .unwrap();
    assert_eq!(frame.evaluate_in_page("scrollY").await.unwrap(), 180);
    browser.close().await;
}

#[tokio::test]
async fn a_drag_moves_what_follows_the_pointer() {
    let site = Site::start().await;
    let at = site.put(
        "<div id=k style='position:absolute;left:20px;top:20px;width:40px;height:40px;background:red'></div><script>
            let on = false; let moves = 0;
            k.onpointerdown = (e) => { on = true; k.setPointerCapture(e.pointerId) };
            k.onpointermove = (e) => { if (on) { moves++; k.style.left = e.clientX - 20 + 'px'; k.style.top = e.clientY - 20 + 'px' } };
            k.onpointerup = () => on = false;
         </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut options = DragOptions::default();
    options.steps = 6;
    options.return_xpath = true;
    let paths = page
        .drag_and_drop((40.0, 40.0), (300.0, 200.0), &options)
        .await
        .unwrap();
    assert_eq!(
        paths,
        ("/html[1]/body[1]/div[1]".to_owned(), "/html[1]".to_owned())
    );
    assert_eq!(
        page.evaluate_in_page("[k.style.left, k.style.top, on, moves >= 6]")
            .await
            .unwrap(),
        json!(["280px", "180px", false, true])
    );
    browser.close().await;
}

/// A thing to drag and two places to put it, which record the events.
const NATIVE: &str = "<body style='margin:0'>
    <div id=thing draggable=true style='position:absolute;left:0;top:0;width:60px;height:60px;background:red'></div>
    <div id=place style='position:absolute;left:200px;top:0;width:60px;height:60px;background:blue'></div><script>
    const log = [];
    for (const type of ['dragstart', 'dragend', 'mouseup', 'click']) thing.addEventListener(type, (e) => log.push(type));
    thing.addEventListener('dragstart', (e) => { e.dataTransfer.setData('text/plain', 'the thing'); e.dataTransfer.setData('x/own', '7') });
    thing.addEventListener('dragend', (e) => log.push(e.dataTransfer.dropEffect));
    place.addEventListener('dragenter', (e) => { log.push('dragenter'); e.preventDefault() });
    place.addEventListener('dragover', (e) => { if (log.at(-1) !== 'dragover') log.push('dragover'); e.dataTransfer.dropEffect = 'move'; e.preventDefault() });
    place.addEventListener('drop', (e) => { e.preventDefault(); log.push('drop', e.dataTransfer.getData('text/plain'), e.dataTransfer.getData('x/own')) });
    </script>";

#[tokio::test]
async fn a_native_drag_has_its_events_and_its_data() {
    let site = Site::start().await;
    let at = site.put(NATIVE);
    let (browser, page) = browser_at(&at.url).await;
    for steps in [1, 5] {
        let mut options = DragOptions::default();
        options.steps = steps;
        page.drag_and_drop((30.0, 30.0), (230.0, 30.0), &options)
            .await
            .unwrap();
        assert_eq!(
            log(&page).await,
            [
                "dragstart",
                "dragenter",
                "dragover",
                "drop",
                "the thing",
                "7",
                "dragend",
                "move"
            ],
            "{steps} steps"
        );
    }
    // The button is up again: a click is a click, and dragging is not intercepted any more.
    page.click(30.0, 30.0, &click()).await.unwrap();
    assert_eq!(log(&page).await, ["mouseup", "click"]);
    browser.close().await;
}

#[tokio::test]
async fn a_native_drag_works_in_frames_of_other_processes() {
    let site = Site::start().await;
    let (browser, page, frame) = nested(&site, NATIVE).await;
    let (x, y) = (60.0, 40.0);
    page.drag_and_drop(
        (x + 30.0, y + 30.0),
        (x + 230.0, y + 30.0),
        &DragOptions::default(),
    )
    .await
    .unwrap();
    let log = frame.evaluate_in_page("log").await.unwrap();
    assert_eq!(
        log,
        json!([
            "dragstart",
            "dragenter",
            "dragover",
            "drop",
            "the thing",
            "7",
            "dragend",
            "move"
        ])
    );
    browser.close().await;
}

#[tokio::test]
async fn a_drag_that_the_page_forbids_goes_on_with_the_pointer() {
    let site = Site::start().await;
    let at = site.put(
        "<a id=thing href='#x' style='position:absolute;left:0;top:0;width:60px;height:60px'>thing</a><script>
            const log = [];
            thing.ondragstart = (e) => { log.push('dragstart'); e.preventDefault() };
            onmousemove = (e) => { if (e.buttons === 1) log.push(e.clientX) };
            onmouseup = () => log.push('up');
         </script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    page.drag_and_drop((10.0, 10.0), (200.0, 30.0), &DragOptions::default())
        .await
        .unwrap();
    let log = page.evaluate_in_page("log").await.unwrap();
    assert_eq!(log.as_array().unwrap().last(), Some(&json!("up")), "{log}");
    assert!(log.as_array().unwrap().contains(&json!(200)), "{log}");
    browser.close().await;
}

#[tokio::test]
async fn a_drag_that_is_given_up_leaves_no_button_down() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='height:400px'><script>let down = 0; onmousedown = () => down++; onmouseup = () => down--;</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut options = DragOptions::default();
    options.delay = Duration::from_secs(60);
    let drag = page.drag_and_drop((10.0, 10.0), (200.0, 30.0), &options);
    let pressed = page.main_frame();
    let is_down = crate::eventually("the press", async || {
        (pressed.evaluate_in_page("down").await.ok()? == 1).then_some(())
    });
    tokio::select! {
        _ = drag => panic!("it cannot be over yet"),
        () = is_down => {}
    }
    crate::eventually("the release", async || {
        (page.evaluate_in_page("down").await.ok()? == 0).then_some(())
    })
    .await;
    // And the next operation has its turn.
    page.click(50.0, 50.0, &click()).await.unwrap();
    browser.close().await;
}

#[tokio::test]
async fn a_tap_touches_and_clicks_with_and_without_a_touch_screen() {
    let site = Site::start().await;
    let at = site.put(
        "<button id=b style='position:absolute;left:0;top:0;width:100px;height:100px'>B</button><script>
            const log = [];
            for (const type of ['touchstart', 'touchend', 'click']) b.addEventListener(type, (e) => log.push(`${type} ${e.isTrusted}`));
            b.addEventListener('pointerdown', (e) => log.push(e.pointerType));
         </script>",
    );
    for has_touch in [false, true] {
        let mut options = LaunchOptions::default();
        options.has_touch = has_touch;
        let browser = Browser::start(&options).await.unwrap();
        let page = first_page(&browser);
        page.goto(&at.url, load()).await.unwrap();
        page.tap(50.0, 50.0, &TapOptions::default()).await.unwrap();
        let expected: Value = json!(["touch", "touchstart true", "touchend true", "click true"]);
        crate::eventually("the click", async || {
            (page.evaluate_in_page("log").await.ok()? == expected).then_some(())
        })
        .await;
        browser.close().await;
    }
}

#[tokio::test]
async fn arguments_that_make_no_sense_are_refused() {
    let (browser, page) = browser_at("about:blank").await;
    let mut none = click();
    none.click_count = 0;
    let mut many = click();
    many.click_count = 101;
    let refused = [
        page.click(f64::NAN, 1.0, &click()).await.unwrap_err(),
        page.click(1.0, 1.0, &none).await.unwrap_err(),
        page.click(1.0, 1.0, &many).await.unwrap_err(),
        page.scroll((1.0, 1.0), (0.0, f64::INFINITY), &ScrollOptions::default())
            .await
            .unwrap_err(),
        "centre".parse::<MouseButton>().unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, BrowserError::InvalidArgument { .. }), "{error:?}");
    }
    browser.close().await;
}
