//! Pages: navigation, input by coordinates and keys, pictures, frames, scripts. What each does is tested in the
//! browser crate; here that it can be reached, and that failures have their names.

use std::collections::BTreeMap;
use std::time::Duration;

use automator::{
    ClickOptions, Clip, DragOptions, Error, ErrorKind, GotoOptions, HistoryMethod, HoverOptions, ImageFormat,
    KeyPressOptions, ReloadOptions, ScreenshotOptions, TapOptions, TypingOptions, ViewportSizeOptions,
    WaitUntil,
};
use automator_testing::Route;
use serde_json::json;

use crate::rig::Rig;

fn kind<T: std::fmt::Debug>(outcome: Result<T, Error>) -> ErrorKind {
    outcome.unwrap_err().kind()
}

/// Width and height of a PNG.
fn png_size(png: &[u8]) -> (u32, u32) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

#[tokio::test]
async fn every_navigation_gives_a_response_and_is_in_the_history() {
    let rig = Rig::start().await;
    let page = &rig.page;
    let first = rig.site.put("<title>first</title>");
    let second = rig.site.put("<title>second</title>");
    let response = page.goto(&first.url).await.unwrap().unwrap();
    assert_eq!((response.status(), response.is_ok()), (200, true));
    page.goto(&second.url).await.unwrap();
    assert_eq!(page.go_back().await.unwrap().unwrap().url(), first.url);
    assert_eq!(page.title().await.unwrap(), "first");
    let response = page.go_forward().await.unwrap().unwrap();
    assert_eq!(response.url(), second.url);
    assert!(page.go_forward().await.unwrap().is_none());
    let options = ReloadOptions {
        wait_until: WaitUntil::Load,
        ignore_cache: true,
        ..ReloadOptions::default()
    };
    assert_eq!(
        page.reload_with(options).await.unwrap().unwrap().url(),
        second.url
    );
    let refused = page.goto("http://localhost:1/").await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Navigation);
    assert_eq!(kind(page.goto("no address").await), ErrorKind::InvalidArgument);

    let history = rig.automator.history();
    assert!(
        history
            .iter()
            .all(|entry| entry.method == HistoryMethod::Navigate)
    );
    let told: Vec<String> = history
        .iter()
        .map(|entry| {
            let to = entry.parameters.get("url").or(entry.parameters.get("to"));
            to.unwrap().as_str().unwrap().to_owned()
        })
        .collect();
    let expected = [
        first.url.as_str(),
        &second.url,
        "back",
        "forward",
        "forward",
        "reload",
        "http://localhost:1/",
        "no address",
    ];
    assert_eq!(told, expected);
    assert_eq!(history[2].result, json!({ "url": first.url, "status": 200 }));
    assert!(history[6].result.is_null());
    rig.close().await;
}

#[tokio::test]
async fn a_response_tells_headers_body_and_where_it_came_from() {
    let rig = Rig::start().await;
    let answer = Route::json(&json!({ "price": 9 }))
        .header("x-part", "one")
        .set_cookie("seen=1");
    rig.site.route("/data", answer);
    let url = rig.site.url("/data");
    let response = rig.page.goto(&url).await.unwrap().unwrap();
    response.finished().await.unwrap();
    assert_eq!(response.status_text(), "OK");
    assert_eq!(response.headers()["x-part"], "one");
    assert_eq!(response.header_value("X-Part").await.unwrap().unwrap(), "one");
    assert_eq!(response.header_values("x-part").await.unwrap(), ["one"]);
    let all = response.all_headers().await.unwrap();
    assert!(all["set-cookie"].starts_with("seen=1"), "{all:?}");
    assert!(!response.headers_array().await.unwrap().is_empty());
    assert_eq!(response.json().await.unwrap(), json!({ "price": 9 }));
    assert_eq!(
        response.text().await.unwrap().as_bytes(),
        response.body().await.unwrap()
    );
    assert_eq!(response.mime_type(), "application/json");
    assert_eq!(response.frame(), rig.page.main_frame());
    assert!(response.security_details().is_none() && !response.is_from_service_worker());

    let at = rig.site.put("<p>no JSON</p>");
    let page = rig.page.goto(&at.url).await.unwrap().unwrap();
    assert_eq!(kind(page.json().await), ErrorKind::ResponseParse);
    assert_eq!(kind(response.body().await), ErrorKind::ResponseBody);
    rig.close().await;
}

#[tokio::test]
async fn a_response_tells_the_address_of_the_server() {
    let rig = Rig::start().await;
    let at = rig.site.put("<p>x</p>");
    let response = rig.page.goto(&at.url).await.unwrap().unwrap();
    assert_eq!(response.server_address().unwrap().port, rig.site.port());
    rig.close().await;
}

#[tokio::test]
async fn the_address_is_known_when_a_navigation_within_the_document_has_ended() {
    let rig = Rig::start().await;
    let at = rig.show("<p>x</p>").await;
    for number in 0..5 {
        let url = format!("{}#{number}", at.url);
        rig.page.goto(&url).await.unwrap();
        assert_eq!(rig.page.url(), url);
    }
    rig.close().await;
}

#[tokio::test]
async fn load_states_are_waited_for_and_limits_have_their_kind() {
    let rig = Rig::start().await;
    rig.site.route("/never", Route::never());
    rig.show("<p>x</p>").await;
    rig.page
        .wait_for_load_state(WaitUntil::NetworkIdle)
        .await
        .unwrap();
    rig.page.evaluate("void fetch('/never')").await.unwrap();
    let limit = Duration::from_millis(700);
    let outcome = rig
        .page
        .wait_for_load_state_with(WaitUntil::NetworkIdle, limit)
        .await;
    assert_eq!(kind(outcome), ErrorKind::Timeout);
    let options = GotoOptions {
        timeout: Duration::from_millis(200),
        ..GotoOptions::default()
    };
    let outcome = rig.page.goto_with(&rig.site.url("/never"), options).await;
    assert_eq!(kind(outcome), ErrorKind::Timeout);
    rig.page.wait_for_timeout(Duration::from_millis(1)).await.unwrap();
    rig.close().await;
}

#[tokio::test]
async fn the_mouse_works_by_coordinates_and_tells_what_is_there() {
    let rig = Rig::start().await;
    rig.show(
        "<style>body{margin:0} div{position:absolute;width:100px;height:100px;left:0}</style>\
         <div id=a style='top:0'></div><div id=b style='top:200px;overflow:auto'><p id=p style='margin:0;height:900px'></div>\
         <div id=c style='top:400px'></div><script>window.log = [];\
         for (const name of ['mouseover', 'click', 'dblclick', 'contextmenu', 'touchend', 'mouseup'])\
         addEventListener(name, event => log.push(name + ' ' + event.target.id))</script>",
    )
    .await;
    let page = &rig.page;
    page.click(50.0, 50.0).await.unwrap();
    let mut options = ClickOptions::default();
    options.click_count = 2;
    options.return_xpath = true;
    let path = page.click_with(50.0, 50.0, &options).await.unwrap();
    assert_eq!(path, "/html[1]/body[1]/div[1]");
    page.hover(50.0, 450.0).await.unwrap();
    let mut hovering = HoverOptions::default();
    hovering.return_xpath = true;
    let path = page.hover_with(50.0, 250.0, &hovering).await.unwrap();
    assert!(path.starts_with("/html[1]/body[1]/div[2]"), "{path}");
    page.scroll((50.0, 250.0), (0.0, 120.0)).await.unwrap();
    page.tap(50.0, 450.0).await.unwrap();
    page.tap_with(50.0, 450.0, &TapOptions::default()).await.unwrap();
    page.drag_and_drop((50.0, 50.0), (50.0, 450.0)).await.unwrap();
    let mut dragging = DragOptions::default();
    dragging.return_xpath = true;
    let paths = page
        .drag_and_drop_with((50.0, 50.0), (50.0, 450.0), &dragging)
        .await
        .unwrap();
    assert_eq!(paths.1, "/html[1]/body[1]/div[3]");
    let log = page.evaluate("log").await.unwrap().to_string();
    for part in [
        "click a",
        "dblclick a",
        "mouseover c",
        "mouseover p",
        "touchend c",
        "mouseup c",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    let scrolled = page
        .evaluate("document.getElementById('b').scrollTop")
        .await
        .unwrap();
    assert_eq!(scrolled, json!(120));
    assert_eq!(kind(page.click(f64::NAN, 0.0).await), ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn text_and_keys_go_where_the_focus_is() {
    let rig = Rig::start().await;
    rig.show("<textarea autofocus></textarea>").await;
    let page = &rig.page;
    page.locator("textarea").focus().await.unwrap();
    page.type_text("one\ntwo 漢").await.unwrap();
    let mut typing = TypingOptions::default();
    typing.delay = Duration::from_millis(5);
    page.type_text_with("!", &typing).await.unwrap();
    page.press("Home").await.unwrap();
    let mut pressing = KeyPressOptions::default();
    pressing.delay = Duration::from_millis(5);
    page.press_with("Shift+x", &pressing).await.unwrap();
    let value = page.locator("textarea").input_value().await.unwrap();
    assert_eq!(value, "one\nXtwo 漢!");
    let unknown = page.press("Entr").await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::InvalidArgument);
    assert!(unknown.to_string().contains("Enter"), "{unknown}");
    rig.close().await;
}

#[tokio::test]
async fn pictures_take_their_options_and_refuse_contradictions() {
    let rig = Rig::start().await;
    rig.show("<body style='margin:0;height:2000px;background:#fff'>")
        .await;
    let page = &rig.page;
    page.set_viewport_size(400, 300).await.unwrap();
    assert_eq!(png_size(&page.screenshot().await.unwrap()), (400, 300));
    let mut density = ViewportSizeOptions::default();
    density.device_scale_factor = Some(2.0);
    page.set_viewport_size_with(200, 100, &density).await.unwrap();
    assert_eq!(page.evaluate("devicePixelRatio").await.unwrap(), json!(2));
    let mut options = ScreenshotOptions::default();
    options.full_page = true;
    let png = page.screenshot_with(&options).await.unwrap();
    assert_eq!(png_size(&png).1, 4000);
    options.clip = Some(Clip {
        x: 0.0,
        y: 0.0,
        width: 10.0,
        height: 10.0,
    });
    assert_eq!(
        kind(page.screenshot_with(&options).await),
        ErrorKind::InvalidArgument
    );
    let folder = tempfile::tempdir().unwrap();
    let mut options = ScreenshotOptions::default();
    options.format = ImageFormat::Jpeg;
    options.path = Some(folder.path().join("page.jpg"));
    let jpeg = page.screenshot_with(&options).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("page.jpg")).unwrap(), jpeg);
    options.path = Some(folder.path().join("nowhere/page.jpg"));
    assert_eq!(
        kind(page.screenshot_with(&options).await),
        ErrorKind::InvalidArgument
    );
    assert_eq!(
        kind(page.set_viewport_size(0, 1).await),
        ErrorKind::InvalidArgument
    );
    rig.close().await;
}

#[tokio::test]
async fn evaluation_takes_arguments_and_tells_what_the_page_threw() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let page = &rig.page;
    assert_eq!(page.evaluate("1 + 1").await.unwrap(), json!(2));
    let given = json!({ "a": [1, "two"] });
    let value = page
        .evaluate_with("async (given) => given", &given)
        .await
        .unwrap();
    assert_eq!(value, given);
    let thrown = page
        .evaluate("(function inner() { throw new TypeError('not today') })()")
        .await
        .unwrap_err();
    assert_eq!(
        (thrown.kind(), thrown.operation()),
        (ErrorKind::Eval, Some("evaluate"))
    );
    assert!(thrown.message().contains("not today"), "{thrown}");
    let context: BTreeMap<&str, &str> = thrown.context().collect();
    assert_eq!(context["name"], "TypeError");
    assert!(context["stack"].contains("inner"), "{context:?}");
    rig.close().await;
}

#[tokio::test]
async fn frames_are_listed_with_names_parents_and_elements() {
    let rig = Rig::start().await;
    let inner = rig
        .site
        .put("<button onclick='this.textContent = 1'>deep</button>");
    let other = rig.site.cross_url(&inner.path);
    rig.show(format!("<iframe name=part src='{other}'></iframe>"))
        .await;
    let page = &rig.page;
    let frames = page.frames();
    assert_eq!(frames.len(), 2, "{frames:?}");
    assert_eq!(frames[0], page.main_frame());
    assert_eq!(page.main_frame().id(), page.id());
    let part = &frames[1];
    assert_eq!((part.name(), part.url()), ("part".to_owned(), other));
    assert_eq!(part.parent(), Some(page.main_frame()));
    assert_eq!(part.page(), *page);
    part.locator("button").click().await.unwrap();
    assert_eq!(
        part.evaluate("document.body.innerText").await.unwrap(),
        json!("1")
    );
    assert_eq!(part.evaluate_with("x => x", &json!(5)).await.unwrap(), json!(5));
    let by_path = page.main_frame().deep_locator("iframe >> button");
    assert_eq!(by_path.text_content().await.unwrap(), "1");
    let by_frame = page.main_frame().frame_locator("iframe").locator("button");
    assert_eq!(by_frame.text_content().await.unwrap(), "1");
    rig.close().await;
}

#[tokio::test]
async fn scripts_headers_and_commands_are_for_one_page() {
    let rig = Rig::start().await;
    let page = &rig.page;
    page.add_init_script("window.mine = 'yes'").await.unwrap();
    let headers = BTreeMap::from([("x-page".to_owned(), "one".to_owned())]);
    page.set_extra_http_headers(&headers).await.unwrap();
    let at = rig.show("<p>x</p>").await;
    assert_eq!(page.evaluate("mine").await.unwrap(), json!("yes"));
    assert_eq!(rig.site.hits_of(&at.path)[0].header("x-page"), Some("one"));
    let bad = BTreeMap::from([("host".to_owned(), "x".to_owned())]);
    assert_eq!(
        kind(page.set_extra_http_headers(&bad).await),
        ErrorKind::InvalidArgument
    );
    let reply = page
        .send_cdp("Runtime.evaluate", &json!({ "expression": "6 * 7" }))
        .await
        .unwrap();
    assert_eq!(reply["result"]["value"], json!(42));
    assert_eq!(
        kind(page.send_cdp("No.such", &json!(null)).await),
        ErrorKind::Protocol
    );
    rig.close().await;
}

#[tokio::test]
async fn calls_on_a_closed_page_say_that_it_is_closed() {
    let rig = Rig::start().await;
    let page = rig.new_page().await;
    page.close().await.unwrap();
    assert!(page.is_closed());
    assert_eq!(kind(page.title().await), ErrorKind::Closed);
    assert_eq!(kind(page.click(1.0, 1.0).await), ErrorKind::Closed);
    assert_eq!(kind(page.evaluate("1").await), ErrorKind::Closed);
    assert_eq!(kind(page.screenshot().await), ErrorKind::Closed);
    assert_eq!(kind(page.goto("about:blank").await), ErrorKind::Closed);
    assert_eq!(
        kind(page.wait_for_timeout(Duration::from_millis(1)).await),
        ErrorKind::Closed
    );
    rig.close().await;
}
