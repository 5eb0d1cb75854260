//! The keyboard, as the page sees it.

use std::time::Duration;

use automator_browser::{BrowserError, ClickOptions, Page};
use automator_testing::Site;
use serde_json::json;

use crate::{browser_at, eventually, frame_at, reachable};

const NO_DELAY: Duration = Duration::ZERO;

/// A field at the upper left corner that records its key events.
fn field(tag: &str) -> String {
    format!(
        "<body style='margin:0'><{tag} id=i style='width:300px;height:60px'></{tag}><input id=j><script>
            const log = [];
            for (const type of ['keydown', 'keypress', 'keyup', 'input']) i.addEventListener(type, (e) =>
                log.push(type === 'input' ? `input ${{e.data}}` : `${{type}} ${{e.key}} ${{e.code}} ${{e.keyCode}} ${{e.shiftKey}}`));
        </script>"
    )
}

async fn log(page: &Page) -> Vec<String> {
    let log = page.evaluate_in_page("log.splice(0)").await.unwrap();
    serde_json::from_value(log).unwrap()
}

async fn focus(page: &Page) {
    page.click(20.0, 20.0, &ClickOptions::default()).await.unwrap();
}

async fn value(page: &Page) -> String {
    let value = page.evaluate_in_page("i.value ?? i.innerText").await.unwrap();
    value.as_str().unwrap().to_owned()
}

#[tokio::test]
async fn mistakes_are_taken_back_and_always_the_same() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(field("input")).url).await;
    let text = "The quick brown fox jumps over the lazy dog, twice and once more";
    let mut logs = Vec::new();
    for _ in 0..2 {
        page.evaluate_in_page("i.value = ''").await.unwrap();
        focus(&page).await;
        page.type_text_with_mistakes(text, NO_DELAY).await.unwrap();
        assert_eq!(value(&page).await, text);
        logs.push(log(&page).await);
    }
    assert!(logs[0].iter().any(|line| line.starts_with("keydown Backspace")));
    assert_eq!(logs[0], logs[1]);
    browser.close().await;
}

#[tokio::test]
async fn each_character_is_one_key_with_its_code() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(field("input")).url).await;
    focus(&page).await;
    page.type_text("aB3!", NO_DELAY).await.unwrap();
    assert_eq!(value(&page).await, "aB3!");
    let one = |key: &str, code: &str, key_code: u32, shift: bool| {
        let character = key.chars().next().map_or(0, u32::from);
        [
            format!("keydown {key} {code} {key_code} {shift}"),
            format!("keypress {key} {code} {character} {shift}"),
            format!("input {key}"),
            format!("keyup {key} {code} {key_code} {shift}"),
        ]
    };
    let expected = [
        one("a", "KeyA", 65, false),
        one("B", "KeyB", 66, true),
        one("3", "Digit3", 51, false),
        one("!", "Digit1", 49, true),
    ];
    assert_eq!(log(&page).await, expected.concat());
    browser.close().await;
}

#[tokio::test]
async fn characters_without_a_key_are_put_in_whole() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(field("input")).url).await;
    focus(&page).await;
    page.type_text("é漢👩‍👧", NO_DELAY).await.unwrap();
    assert_eq!(value(&page).await, "é漢👩‍👧");
    assert_eq!(log(&page).await, ["input é", "input 漢", "input 👩‍👧"]);
    browser.close().await;
}

#[tokio::test]
async fn line_breaks_and_tabs_are_keys() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(field("textarea")).url).await;
    focus(&page).await;
    page.type_text("one\ntwo\r\nthree\tj", Duration::from_millis(1))
        .await
        .unwrap();
    assert_eq!(value(&page).await, "one\ntwo\nthree");
    assert_eq!(page.evaluate_in_page("j.value").await.unwrap(), "j");
    browser.close().await;
}

#[tokio::test]
async fn shortcuts_edit_without_a_window() {
    let site = Site::start().await;
    for tag in ["input", "textarea"] {
        let (browser, page) = browser_at(&site.put(field(tag)).url).await;
        focus(&page).await;
        let press = async |key: &str| page.press(key, NO_DELAY).await.unwrap();
        page.type_text("first second", NO_DELAY).await.unwrap();
        press("Control+Backspace").await;
        assert_eq!(value(&page).await, "first ");
        press("ctrl+z").await;
        press("cmd+a").await;
        press("ControlOrMeta+c").await;
        press("End").await;
        press("Control+V").await;
        let doubled = value(&page).await;
        assert_eq!(doubled.len() % 2, 0);
        let (one, other) = doubled.split_at(doubled.len() / 2);
        assert_eq!(one, other, "{doubled}");
        press("Control+A").await;
        press("Control+x").await;
        assert_eq!(value(&page).await, "");
        press("Control+v").await;
        assert_eq!(value(&page).await, doubled);
        press("Shift+Home").await;
        press("Delete").await;
        assert_eq!(value(&page).await, "");
        browser.close().await;
    }
}

#[tokio::test]
async fn modifiers_are_pressed_before_the_key_and_released_after_it() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(field("input")).url).await;
    focus(&page).await;
    page.press("Control+Shift+k", NO_DELAY).await.unwrap();
    page.press("Shift+a", NO_DELAY).await.unwrap();
    page.press("x", NO_DELAY).await.unwrap();
    let keys: Vec<_> = log(&page).await;
    let downs_and_ups: Vec<&str> = keys
        .iter()
        .filter(|entry| entry.starts_with("keydown") || entry.starts_with("keyup"))
        .map(String::as_str)
        .collect();
    assert_eq!(
        downs_and_ups,
        [
            "keydown Control ControlLeft 17 false",
            "keydown Shift ShiftLeft 16 true",
            "keydown K KeyK 75 true",
            "keyup K KeyK 75 true",
            "keyup Shift ShiftLeft 16 false",
            "keyup Control ControlLeft 17 false",
            "keydown Shift ShiftLeft 16 true",
            "keydown A KeyA 65 true",
            "keyup A KeyA 65 true",
            "keyup Shift ShiftLeft 16 false",
            "keydown x KeyX 88 false",
            "keyup x KeyX 88 false",
        ]
    );
    assert_eq!(value(&page).await, "Ax");
    browser.close().await;
}

#[tokio::test]
async fn function_and_number_pad_keys_are_told_as_such() {
    let site = Site::start().await;
    let at = site.put(
        "<input id=i><script>const log = []; onkeydown = (e) => { log.push(`${e.key} ${e.code} ${e.location}`); e.preventDefault() }</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    for key in [
        "F1",
        "f12",
        "pgdn",
        "Numpad5",
        "NumpadAdd",
        "win",
        "ControlRight",
        "Insert",
    ] {
        page.press(key, NO_DELAY).await.unwrap();
    }
    let expected = [
        "F1 F1 0",
        "F12 F12 0",
        "PageDown PageDown 0",
        "5 Numpad5 3",
        "+ NumpadAdd 3",
        "Meta MetaLeft 1",
        "Control ControlRight 2",
        "Insert Insert 0",
    ];
    assert_eq!(log(&page).await, expected);
    browser.close().await;
}

#[tokio::test]
async fn keys_go_to_the_frame_with_the_focus_in_any_process() {
    let site = Site::start().await;
    let inner = site.put_at("/inner", field("input"));
    let at = site.put(format!(
        "<body style='margin:0'><input id=outer><iframe style='position:absolute;left:0;top:100px;border:0' src='{}'></iframe>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    let frame = frame_at(&page, "/inner").await;
    assert_ne!(frame.session().unwrap().id(), page.session().id());
    reachable(&page, &frame, (20.0, 120.0)).await;
    page.click(20.0, 120.0, &ClickOptions::default()).await.unwrap();
    page.type_text("aé漢z", NO_DELAY).await.unwrap();
    assert_eq!(frame.evaluate_in_page("i.value").await.unwrap(), "aé漢z");
    page.press("Control+a", NO_DELAY).await.unwrap();
    page.press("q", NO_DELAY).await.unwrap();
    assert_eq!(frame.evaluate_in_page("i.value").await.unwrap(), "q");
    assert_eq!(page.evaluate_in_page("outer.value").await.unwrap(), "");
    // Focus given by script counts as well.
    page.evaluate_in_page("outer.focus()").await.unwrap();
    page.type_text("ü1", NO_DELAY).await.unwrap();
    assert_eq!(page.evaluate_in_page("outer.value").await.unwrap(), "ü1");
    browser.close().await;
}

#[tokio::test]
async fn a_press_that_is_given_up_leaves_no_key_down() {
    let site = Site::start().await;
    let at = site.put("<input autofocus><script>const log = []; onkeydown = onkeyup = (e) => log.push(`${e.type} ${e.key}`)</script>");
    let (browser, page) = browser_at(&at.url).await;
    let press = page.press("Control+Shift+F7", Duration::from_secs(60));
    let main = page.main_frame();
    let is_down = eventually("the keys to be down", async || {
        let log = main.evaluate_in_page("log").await.ok()?;
        (log.as_array()?.len() == 3).then_some(())
    });
    tokio::select! {
        _ = press => panic!("it cannot be over yet"),
        () = is_down => {}
    }
    let expected = json!([
        "keydown Control",
        "keydown Shift",
        "keydown F7",
        "keyup F7",
        "keyup Shift",
        "keyup Control"
    ]);
    eventually("the keys to be up", async || {
        (page.evaluate_in_page("log").await.ok()? == expected).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn an_unknown_key_is_an_error_that_names_near_ones() {
    let (browser, page) = browser_at("about:blank").await;
    let error = page.press("Control+Entre", NO_DELAY).await.unwrap_err();
    assert!(
        matches!(&error, BrowserError::UnknownKey { part, .. } if part == "Entre"),
        "{error:?}"
    );
    assert!(error.to_string().contains("Enter"), "{error}");
    browser.close().await;
}
