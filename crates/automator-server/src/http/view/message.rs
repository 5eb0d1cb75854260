//! What the page of a session and the server say to each other; pure.
//!
//! Both send JSON texts. Besides, the server sends pictures as binary messages: the width and the height of the page in CSS
//! pixels, two bytes each, the higher one first, and then a JPEG file. The page answers each with `shown`; until then few
//! more are sent.

use serde::{Deserialize, Serialize};

use crate::platform::OperationNews;
use crate::store::SessionState;

/// A message of the page.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum FromPage {
    /// A picture is on the screen.
    Shown,
    /// Another tab is to be looked at.
    Look {
        tab: String,
    },
    Mouse(Mouse),
    Key(Key),
    /// Text that is to be inserted as a whole: pasted, or from an input method.
    Text {
        text: String,
    },
    Navigate {
        address: String,
    },
    History {
        step: Step,
    },
    /// A new tab.
    Open,
    /// Closes a tab.
    Close {
        tab: String,
    },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Mouse {
    pub(super) action: MouseAction,
    /// From the left and the upper edge of the page's visible part, in CSS pixels.
    pub(super) x: f64,
    pub(super) y: f64,
    #[serde(default)]
    pub(super) button: Button,
    /// The buttons that are held down, as in `MouseEvent.buttons`.
    #[serde(default)]
    pub(super) buttons: u8,
    /// The how many-th click in a row it is.
    #[serde(default)]
    pub(super) clicks: u8,
    #[serde(default)]
    pub(super) delta_x: f64,
    #[serde(default)]
    pub(super) delta_y: f64,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    #[serde(default)]
    pub(super) modifiers: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum MouseAction {
    Move,
    Press,
    Release,
    Wheel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Button {
    #[default]
    None,
    Left,
    Middle,
    Right,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Key {
    pub(super) action: KeyAction,
    /// As in `KeyboardEvent`; so are the others.
    pub(super) key: String,
    pub(super) code: String,
    #[serde(default)]
    pub(super) key_code: u8,
    #[serde(default)]
    pub(super) location: u8,
    #[serde(default)]
    pub(super) repeat: bool,
    #[serde(default)]
    pub(super) modifiers: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum KeyAction {
    Down,
    Up,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Step {
    Back,
    Forward,
    Reload,
}

/// Why a message of the page is not followed.
#[derive(Debug, thiserror::Error)]
pub(super) enum MessageError {
    #[error("the message cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error("this address is for looking on; ask for one with control (`/v1/sessions/{{id}}/debug`)")]
    OnlyLooking,
}

/// Reads a message. Without control only those that change nothing in the browser are let through.
pub(super) fn read(text: &str, control: bool) -> Result<FromPage, MessageError> {
    let message = serde_json::from_str(text)?;
    match message {
        FromPage::Shown | FromPage::Look { .. } => Ok(message),
        _ if control => Ok(message),
        _ => Err(MessageError::OnlyLooking),
    }
}

/// A message of the server.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum ToPage {
    /// The first one: what there is to be seen.
    Session {
        state: SessionState,
        region: String,
        keep_alive: bool,
        control: bool,
        /// In milliseconds since 1970.
        created_at: i64,
        /// How long it goes on at most, in milliseconds.
        time_left: u64,
    },
    /// The tabs, the oldest first, and which one is looked at.
    Tabs {
        tabs: Vec<Tab>,
        looking: Option<String>,
    },
    Operation(OperationNews),
    /// Something that was asked for was not done.
    Problem {
        message: String,
    },
    /// The last one.
    Ended {
        state: SessionState,
        reason: String,
    },
}

/// A tab.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Tab {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) url: String,
}

/// A picture as it is sent.
pub(super) fn picture(width: u16, height: u16, jpeg: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(4 + jpeg.len());
    message.extend_from_slice(&width.to_be_bytes());
    message.extend_from_slice(&height.to_be_bytes());
    message.extend_from_slice(jpeg);
    message
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_only_looks_may_send_nothing_to_the_browser() {
        for text in [
            r#"{"type":"mouse","action":"press","x":1,"y":2,"button":"left"}"#,
            r#"{"type":"key","action":"down","key":"a","code":"KeyA"}"#,
            r#"{"type":"text","text":"a"}"#,
            r#"{"type":"navigate","address":"shop.example"}"#,
            r#"{"type":"history","step":"back"}"#,
            r#"{"type":"open"}"#,
            r#"{"type":"close","tab":"A"}"#,
        ] {
            assert!(read(text, true).is_ok(), "{text}");
            let refused = read(text, false);
            assert!(matches!(refused, Err(MessageError::OnlyLooking)), "{text}");
        }
        for text in [r#"{"type":"shown"}"#, r#"{"type":"look","tab":"A"}"#] {
            assert!(read(text, false).is_ok(), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_message() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"type":"evaluate","expression":"1"}"#,
            r#"{"type":"look"}"#,
            r#"{"type":"look","tab":"A","more":1}"#,
            r#"{"type":"mouse","action":"press","x":1}"#,
            r#"{"type":"mouse","action":"throw","x":1,"y":1}"#,
            r#"{"type":"mouse","action":"move","x":1,"y":1,"force":1}"#,
            r#"{"type":"mouse","action":"move","x":1e999,"y":1}"#,
            r#"{"type":"key","action":"down","key":"a","code":"KeyA","keyCode":300}"#,
            r#"{"type":"history","step":"home"}"#,
        ] {
            let error = read(text, true).expect_err(text);
            assert!(matches!(error, MessageError::Malformed(_)), "{text}");
        }
    }

    #[test]
    fn news_of_operations_have_their_type_beside_them() {
        let news = ToPage::Operation(OperationNews {
            time: 5,
            method: "act".to_owned(),
            instruction: "press".to_owned(),
            selector: Some("/html".to_owned()),
            tokens: None,
            ok: false,
        });
        let expected = json!({
            "type": "operation", "time": 5, "method": "act", "instruction": "press", "selector": "/html", "ok": false,
        });
        assert_eq!(serde_json::to_value(news).ok(), Some(expected));
    }

    #[test]
    fn a_picture_tells_the_size_of_the_page_first() {
        assert_eq!(picture(1288, 711, b"JPEG"), b"\x05\x08\x02\xc7JPEG");
    }
}
