//! What the methods of a locator take and give.

use std::path::PathBuf;
use std::time::Duration;

use crate::input::keys::Modifiers;
use crate::input::mouse::MouseButton;

/// A point relative to the upper left corner of an element, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementPosition {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// How [`Locator::click`](crate::Locator::click) clicks.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ElementClickOptions {
    /// Which button. Default: left.
    pub button: MouseButton,
    /// How many clicks follow each other as one gesture. Default: 1.
    pub click_count: u32,
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Where in the element. Default: in its middle, or where it is not covered.
    pub position: Option<ElementPosition>,
    /// How long the button stays down. Default: no time at all.
    pub delay: Duration,
    /// How long the element may take to appear and to become ready. Default: 2 s and 5 s.
    pub timeout: Option<Duration>,
}

impl Default for ElementClickOptions {
    fn default() -> Self {
        Self {
            button: MouseButton::Left,
            click_count: 1,
            modifiers: Modifiers::default(),
            position: None,
            delay: Duration::ZERO,
            timeout: None,
        }
    }
}

/// How [`Locator::hover`](crate::Locator::hover) and [`Locator::tap`](crate::Locator::tap) point.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PointerOptions {
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Where in the element. Default: in its middle, or where it is not covered.
    pub position: Option<ElementPosition>,
    /// How long the element may take to appear and to become ready. Default: 2 s and 5 s.
    pub timeout: Option<Duration>,
}

/// How [`Locator::type_text`](crate::Locator::type_text) and [`Locator::press`](crate::Locator::press) type.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TypeOptions {
    /// How long to wait after each character, or how long the key stays down. Default: not at all.
    pub delay: Duration,
    /// How long the element may take to appear and to become ready. Default: 2 s and 5 s.
    pub timeout: Option<Duration>,
}

/// How [`Locator::drag_to`](crate::Locator::drag_to) drags.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ElementDragOptions {
    /// How many moves lead from the start to the end. Default: 5.
    pub steps: u32,
    /// How long to wait after the press, after each move, and before the release. Default: not at all.
    pub delay: Duration,
    /// Where in the dragged element. Default: in its middle, or where it is not covered.
    pub from: Option<ElementPosition>,
    /// Where in the element that it is dragged to. Default: in its middle, or where it is not covered.
    pub to: Option<ElementPosition>,
    /// How long each element may take to appear and to become ready. Default: 2 s and 5 s.
    pub timeout: Option<Duration>,
}

impl Default for ElementDragOptions {
    fn default() -> Self {
        Self {
            steps: 5,
            delay: Duration::ZERO,
            from: None,
            to: None,
            timeout: None,
        }
    }
}

/// What [`Locator::wait_for`](crate::Locator::wait_for) waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ElementState {
    /// It is in the document.
    Attached,
    /// It is not in the document.
    Detached,
    /// People see it.
    #[default]
    Visible,
    /// People do not see it, or it is not there.
    Hidden,
}

impl ElementState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Attached => "attached",
            Self::Detached => "detached",
            Self::Visible => "visible",
            Self::Hidden => "hidden",
        }
    }
}

/// How [`Locator::wait_for`](crate::Locator::wait_for) waits.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SelectorWaitOptions {
    /// For what. Default: visible.
    pub state: ElementState,
    /// How long. Default: 30 s.
    pub timeout: Duration,
}

impl Default for SelectorWaitOptions {
    fn default() -> Self {
        Self {
            state: ElementState::default(),
            timeout: Duration::from_secs(30),
        }
    }
}

/// The event of [`Locator::send_click_event`](crate::Locator::send_click_event).
#[derive(Debug, Clone, serde::Serialize)]
#[non_exhaustive]
pub struct SendClickOptions {
    /// Whether it bubbles. Default: yes.
    pub bubbles: bool,
    /// Whether it can be cancelled. Default: yes.
    pub cancelable: bool,
    /// Whether it leaves shadow roots. Default: yes.
    pub composed: bool,
    /// The number of clicks that it tells. Default: 1.
    pub detail: u32,
}

impl Default for SendClickOptions {
    fn default() -> Self {
        Self {
            bubbles: true,
            cancelable: true,
            composed: true,
            detail: 1,
        }
    }
}

/// An option of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionChoice {
    /// By its value, its label or the text that people see, whichever fits exactly, else by the text in any case.
    Text(String),
    /// As [`Text`](Self::Text), but the text that people see counts more than a value.
    Shown(String),
    /// By its number, from 0.
    Index(usize),
}

impl From<&str> for OptionChoice {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for OptionChoice {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A file that exists in memory only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePayload {
    /// The name that the page sees.
    pub name: String,
    /// Its type, as `text/csv`; empty when unknown.
    pub mime_type: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// When it was last changed, in milliseconds since 1970. Default: now.
    pub last_modified: Option<i64>,
}

/// What a file input is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// Files of this computer; none clears the input.
    Paths(Vec<PathBuf>),
    /// Files that exist in memory only; none clears the input.
    Payloads(Vec<FilePayload>),
}

/// A rectangle in the page's viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BoundingBox {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// An action that has been done, and whose effect has been seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Performed {
    /// How often the press had to be tried before it could reach the element: something had come in between.
    pub attempts: u32,
    /// Whether the element's document went away because of it.
    pub has_left: bool,
    /// Whether a click on a checkbox or a radio button, or on its label, arrived and left it as it was: the page did
    /// not let it change.
    pub is_set_back: bool,
    /// Whether the browser has told by now of all navigations that the documents began because of it.
    pub has_told: bool,
}

/// What pressing an element is for, as [`Locator::purpose`](crate::Locator::purpose) tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that the markup says"
)]
pub struct Purpose {
    /// The tag of what is pressed: the button around a picture, the control of a label.
    pub tag: String,
    /// Its `type`; empty when it has none.
    pub kind: String,
    /// Its explicit role; empty when it has none.
    pub role: String,
    /// Its name; that of the button of its form when the Enter key sends the form. 200 characters at most.
    pub name: String,
    /// Its own name in any case.
    pub own_name: String,
    /// All that it is called, in whatever way: by its label, its text, its pictures; and what lies around it, when it
    /// lies in what was meant.
    pub names: Vec<String>,
    /// Where it leads; empty for what is no link.
    pub href: String,
    /// Whether it is a link that asks for its target to be saved.
    pub downloads: bool,
    /// Whether it takes files.
    pub takes_files: bool,
    /// Whether it is written in over several lines.
    pub is_editor: bool,
    /// Whether it sends its form.
    pub submits: bool,
    /// Where its form goes; empty when it is in none.
    pub action: String,
    /// How its form goes there: `get`, `post` or `dialog`; `delete` where a framework sends that instead.
    pub method: String,
    /// Label, role, id and name of its form.
    pub form_name: String,
    /// The fields of its form: tag, type, `autocomplete`, name and id of each.
    pub fields: Vec<String>,
}
