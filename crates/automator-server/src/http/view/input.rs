//! Input of a viewer as commands of the DevTools protocol; pure.

use serde_json::{Value, json};

use super::message::{Button, Key, KeyAction, Mouse, MouseAction};

/// The largest coordinate, and the farthest that one turn of the wheel goes.
const FARTHEST: f64 = 100_000.0;

/// Alt, Control and Meta: with one of them a key writes nothing.
const COMMANDING: u8 = 1 | 2 | 4;

const ALL_MODIFIERS: u8 = COMMANDING | 8;

/// A command, and its parameters.
pub(super) type Command = (&'static str, Value);

/// What the mouse does.
pub(super) fn mouse(mouse: &Mouse) -> Command {
    let kind = match mouse.action {
        MouseAction::Move => "mouseMoved",
        MouseAction::Press => "mousePressed",
        MouseAction::Release => "mouseReleased",
        MouseAction::Wheel => "mouseWheel",
    };
    let mut parameters = json!({
        "type": kind,
        "x": mouse.x.clamp(0.0, FARTHEST),
        "y": mouse.y.clamp(0.0, FARTHEST),
        "button": mouse.button,
        "buttons": mouse.buttons & 7,
        "modifiers": mouse.modifiers & ALL_MODIFIERS,
        "clickCount": mouse.clicks.min(3),
    });
    if let (MouseAction::Wheel, Some(members)) = (mouse.action, parameters.as_object_mut()) {
        let limited = |delta: f64| json!(delta.clamp(-FARTHEST, FARTHEST));
        members.insert("button".to_owned(), json!(Button::None));
        members.insert("deltaX".to_owned(), limited(mouse.delta_x));
        members.insert("deltaY".to_owned(), limited(mouse.delta_y));
    }
    ("Input.dispatchMouseEvent", parameters)
}

/// What a key does.
pub(super) fn key(key: &Key) -> Command {
    let text = match key.action {
        KeyAction::Down => text_of(key),
        KeyAction::Up => None,
    };
    let kind = match (key.action, &text) {
        (KeyAction::Down, Some(_)) => "keyDown",
        (KeyAction::Down, None) => "rawKeyDown",
        (KeyAction::Up, _) => "keyUp",
    };
    let parameters = json!({
        "type": kind,
        "key": key.key,
        "code": key.code,
        "windowsVirtualKeyCode": key.key_code,
        "location": key.location.min(3),
        "isKeypad": key.location == 3,
        "autoRepeat": key.repeat,
        "modifiers": key.modifiers & ALL_MODIFIERS,
        "text": text.unwrap_or_default(),
    });
    ("Input.dispatchKeyEvent", parameters)
}

/// What a key writes.
fn text_of(key: &Key) -> Option<String> {
    if key.modifiers & COMMANDING != 0 {
        return None;
    }
    if key.key == "Enter" {
        return Some("\r".to_owned());
    }
    let mut characters = key.key.chars();
    let only = characters.next()?;
    characters.next().is_none().then(|| only.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::view::message::{FromPage, read};

    fn command(text: &str) -> Value {
        let (method, mut parameters) = match read(text, true).expect("a message") {
            FromPage::Mouse(message) => mouse(&message),
            FromPage::Key(message) => key(&message),
            other => panic!("{other:?} is no input"),
        };
        parameters["method"] = method.into();
        parameters
    }

    #[test]
    fn a_press_is_one_at_its_place() {
        let pressed = command(
            r#"{"type":"mouse","action":"press","x":10.5,"y":20,"button":"left","buttons":1,"clicks":2,"modifiers":8}"#,
        );
        let expected = json!({
            "method": "Input.dispatchMouseEvent", "type": "mousePressed", "x": 10.5, "y": 20.0, "button": "left",
            "buttons": 1, "clickCount": 2, "modifiers": 8,
        });
        assert_eq!(pressed, expected);
    }

    #[test]
    fn the_wheel_turns_and_what_is_too_far_is_cut() {
        let turned =
            command(r#"{"type":"mouse","action":"wheel","x":-5,"y":1e300,"deltaY":120,"button":"left"}"#);
        assert_eq!(turned["deltaY"], 120.0);
        assert_eq!((&turned["x"], &turned["y"]), (&json!(0.0), &json!(FARTHEST)));
        assert_eq!(turned["button"], "none");
    }

    #[test]
    fn keys_write_what_they_would() {
        for (key, modifiers, kind, text) in [
            ("a", 0, "keyDown", "a"),
            ("A", 8, "keyDown", "A"),
            ("é", 0, "keyDown", "é"),
            ("Enter", 0, "keyDown", "\r"),
            ("Tab", 0, "rawKeyDown", ""),
            ("ArrowLeft", 0, "rawKeyDown", ""),
            ("a", 2, "rawKeyDown", ""),
        ] {
            let message = json!({
                "type": "key", "action": "down", "key": key, "code": "", "modifiers": modifiers,
            });
            let pressed = command(&message.to_string());
            assert_eq!(
                (&pressed["type"], &pressed["text"]),
                (&json!(kind), &json!(text)),
                "{key}"
            );
        }
        let released = command(r#"{"type":"key","action":"up","key":"a","code":"KeyA","keyCode":65}"#);
        assert_eq!(
            (&released["type"], &released["text"]),
            (&json!("keyUp"), &json!(""))
        );
    }
}
