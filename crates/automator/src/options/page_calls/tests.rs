use serde_json::json;

use super::*;
use crate::{
    ClickOptions, CloseOptions, CookieFilter, ElementClickOptions, FillOptions, GotoOptions,
    HighlightOptions, ImageFormat, InitScript, KeyPressOptions, MouseButton, NewCookie, ScreenshotOptions,
    SelectorWaitOptions, TextFilter, TypingOptions, WaitUntil,
};

fn refusal<T: ReadOptions>(options: &Value) -> String {
    match T::read("options", options) {
        Ok(_) => "nothing".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn nothing_given_is_the_defaults() {
    let options = ElementClickOptions::read("options", &Value::Null).unwrap();
    assert_eq!((options.click_count, options.button), (1, MouseButton::Left));
    let options = GotoOptions::read("options", &json!({ "waitUntil": null })).unwrap();
    assert_eq!(options.wait_until, WaitUntil::DomContentLoaded);
    assert_eq!(options.timeout, GotoOptions::default().timeout);
    let wait = SelectorWaitOptions::read("options", &json!({ "timeout": 400 })).unwrap();
    assert_eq!(wait.timeout, Duration::from_millis(400));
    assert!(SelectorWaitOptions::read("options", &json!({ "pierceShadow": true })).is_ok());
    let message = refusal::<SelectorWaitOptions>(&json!({ "pierceShadow": false }));
    assert!(message.contains("options.pierceShadow must be true"), "{message}");
}

#[test]
fn names_are_read_and_other_names_refused_with_those_that_there_are() {
    let options = ScreenshotOptions::read("options", &json!({ "type": "jpeg", "timeout": 0 })).unwrap();
    assert_eq!((options.format, options.timeout), (ImageFormat::Jpeg, None));
    let message = refusal::<ScreenshotOptions>(&json!({ "type": "gif" }));
    assert!(message.contains("\"png\", \"jpeg\" or \"webp\""), "{message}");
    let message = refusal::<GotoOptions>(&json!({ "timeout": 5 }));
    assert!(message.contains("did you mean \"timeoutMs\"?"), "{message}");
    let message = refusal::<ClickOptions>(&json!({ "clickCount": -1 }));
    assert!(message.contains("options.clickCount must be"), "{message}");
}

#[test]
fn options_with_one_member_are_read_like_all_others() {
    let typing = TypingOptions::read("options", &json!({ "delay": 5, "withMistakes": true })).unwrap();
    assert_eq!(
        (typing.delay, typing.with_mistakes),
        (Duration::from_millis(5), true)
    );
    let pressing = KeyPressOptions::read("options", &json!({ "delay": 5 })).unwrap();
    assert_eq!(pressing.delay, Duration::from_millis(5));
    let filling = FillOptions::read("options", &json!({ "timeout": 5 })).unwrap();
    assert_eq!(filling.timeout, Some(Duration::from_millis(5)));
    let marking = HighlightOptions::read("options", &Value::Null).unwrap();
    assert_eq!(marking.duration, Duration::from_millis(800));
    assert!(
        CloseOptions::read("options", &json!({ "force": true }))
            .unwrap()
            .force
    );
    let message = refusal::<CloseOptions>(&json!({ "forced": true }));
    assert!(message.contains("did you mean \"force\"?"), "{message}");
    let message = refusal::<FillOptions>(&json!({ "timeoutMs": 5 }));
    assert!(message.contains("did you mean \"timeout\"?"), "{message}");
    let message = refusal::<HighlightOptions>(&json!({ "duration": 5 }));
    assert!(message.contains("did you mean \"durationMs\"?"), "{message}");
}

#[test]
fn cookies_are_filtered_by_text_or_pattern() {
    let filter = json!({ "name": "a", "domain": { "pattern": "^b" } });
    let filter = CookieFilter::read("filter", &filter).unwrap();
    assert_eq!(filter.name, Some(TextFilter::Exact("a".to_owned())));
    assert_eq!(filter.domain, Some(TextFilter::Pattern("^b".to_owned())));
    let message = refusal::<NewCookie>(&json!({ "name": "a" }));
    assert!(message.contains("options.value is missing"), "{message}");
}

#[test]
fn an_init_script_is_one_of_three() {
    let script = json!({ "function": "x => x", "argument": [1] });
    assert!(matches!(
        InitScript::read("script", &script),
        Ok(InitScript::Function {
            argument: Some(_),
            ..
        })
    ));
    assert_ne!(refusal::<InitScript>(&json!({})), "nothing");
    assert_ne!(
        refusal::<InitScript>(&json!({ "content": "1", "path": "a" })),
        "nothing"
    );
    assert_ne!(
        refusal::<InitScript>(&json!({ "content": "1", "argument": 1 })),
        "nothing"
    );
}
