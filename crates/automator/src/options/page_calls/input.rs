//! Mouse, keyboard and touch, by coordinates and by element.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{no_time, read_by_form};
use crate::locator::{
    ElementClickOptions, ElementDragOptions, ElementPosition, FillOptions, HighlightOptions, Modifiers,
    MouseButton, PointerOptions, SendClickOptions, TypeOptions,
};
use crate::options::read;
use crate::page::{
    ClickOptions, DragOptions, HoverOptions, KeyPressOptions, ScrollOptions, TapOptions, TypingOptions,
};

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ButtonName {
    #[default]
    Left,
    Right,
    Middle,
}

impl From<ButtonName> for MouseButton {
    fn from(name: ButtonName) -> Self {
        match name {
            ButtonName::Left => Self::Left,
            ButtonName::Right => Self::Right,
            ButtonName::Middle => Self::Middle,
        }
    }
}

/// A key that is held.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
enum ModifierName {
    Alt,
    Control,
    Meta,
    Shift,
}

fn modifiers(names: &[ModifierName]) -> Modifiers {
    let mut modifiers = Modifiers::default();
    modifiers.alt = names.contains(&ModifierName::Alt);
    modifiers.control = names.contains(&ModifierName::Control);
    modifiers.meta = names.contains(&ModifierName::Meta);
    modifiers.shift = names.contains(&ModifierName::Shift);
    modifiers
}

/// A point of an element.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PositionForm {
    /// To the right of its upper left corner, in CSS pixels.
    x: f64,
    /// Down from it.
    y: f64,
}

impl From<PositionForm> for ElementPosition {
    fn from(form: PositionForm) -> Self {
        Self { x: form.x, y: form.y }
    }
}

fn once() -> u32 {
    1
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClickForm {
    /// Which button. Default: `left`.
    #[serde(default)]
    button: ButtonName,
    /// How many clicks follow each other as one gesture. Default: 1.
    #[serde(default = "once")]
    click_count: u32,
    /// Keys that are held meanwhile. Default: none.
    #[serde(default)]
    modifiers: Vec<ModifierName>,
    /// How long the button stays down in each click. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// Whether the XPath of the element under the point is wanted. Default: false.
    #[serde(default)]
    return_xpath: bool,
}

impl From<ClickForm> for ClickOptions {
    fn from(form: ClickForm) -> Self {
        let mut options = Self::default();
        options.button = form.button.into();
        options.click_count = form.click_count;
        options.modifiers = modifiers(&form.modifiers);
        options.delay = form.delay;
        options.return_xpath = form.return_xpath;
        options
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PointForm {
    /// Keys that are held meanwhile. Default: none.
    modifiers: Vec<ModifierName>,
    /// Whether the XPath of the element under the point is wanted. Default: false.
    return_xpath: bool,
}

impl From<PointForm> for HoverOptions {
    fn from(form: PointForm) -> Self {
        let mut options = Self::default();
        options.modifiers = modifiers(&form.modifiers);
        options.return_xpath = form.return_xpath;
        options
    }
}

impl From<PointForm> for ScrollOptions {
    fn from(form: PointForm) -> Self {
        let mut options = Self::default();
        options.modifiers = modifiers(&form.modifiers);
        options.return_xpath = form.return_xpath;
        options
    }
}

impl From<PointForm> for TapOptions {
    fn from(form: PointForm) -> Self {
        let mut options = Self::default();
        options.modifiers = modifiers(&form.modifiers);
        options.return_xpath = form.return_xpath;
        options
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DragForm {
    /// How many moves lead from the start to the end. Default: 1.
    #[serde(default = "once")]
    steps: u32,
    /// How long to wait after the press, after each move, and before the release. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// Which button. Default: `left`.
    #[serde(default)]
    button: ButtonName,
    /// Keys that are held meanwhile. Default: none.
    #[serde(default)]
    modifiers: Vec<ModifierName>,
    /// Whether the XPaths of the elements at start and end are wanted. Default: false.
    #[serde(default)]
    return_xpath: bool,
}

impl From<DragForm> for DragOptions {
    fn from(form: DragForm) -> Self {
        let mut options = Self::default();
        options.steps = form.steps;
        options.delay = form.delay;
        options.button = form.button.into();
        options.modifiers = modifiers(&form.modifiers);
        options.return_xpath = form.return_xpath;
        options
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ElementClickForm {
    /// Which button. Default: `left`.
    #[serde(default)]
    button: ButtonName,
    /// How many clicks follow each other as one gesture. Default: 1.
    #[serde(default = "once")]
    click_count: u32,
    /// Keys that are held meanwhile. Default: none.
    #[serde(default)]
    modifiers: Vec<ModifierName>,
    /// Where in the element. Default: in its middle, or where it is not covered.
    #[serde(default)]
    position: Option<PositionForm>,
    /// How long the button stays down. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// How long the element is waited for. Default: 2 s to be there, 5 s to be usable. In JSON: milliseconds.
    #[serde(default, deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<ElementClickForm> for ElementClickOptions {
    fn from(form: ElementClickForm) -> Self {
        let mut options = Self::default();
        options.button = form.button.into();
        options.click_count = form.click_count;
        options.modifiers = modifiers(&form.modifiers);
        options.position = form.position.map(Into::into);
        options.delay = form.delay;
        options.timeout = form.timeout;
        options
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct PointerForm {
    /// Keys that are held meanwhile. Default: none.
    modifiers: Vec<ModifierName>,
    /// Where in the element. Default: in its middle, or where it is not covered.
    position: Option<PositionForm>,
    /// How long the element is waited for. Default: 2 s to be there, 5 s to be usable. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<PointerForm> for PointerOptions {
    fn from(form: PointerForm) -> Self {
        let mut options = Self::default();
        options.modifiers = modifiers(&form.modifiers);
        options.position = form.position.map(Into::into);
        options.timeout = form.timeout;
        options
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TypingForm {
    /// How long to wait after each character. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// Hits a neighbouring key now and then and takes that back, as people do. Default: false.
    #[serde(default)]
    with_mistakes: bool,
}

impl From<TypingForm> for TypingOptions {
    fn from(form: TypingForm) -> Self {
        Self {
            delay: form.delay,
            with_mistakes: form.with_mistakes,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct KeyPressForm {
    /// How long the key stays down. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
}

impl From<KeyPressForm> for KeyPressOptions {
    fn from(form: KeyPressForm) -> Self {
        Self { delay: form.delay }
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct FillForm {
    /// How long the element is waited for. Default: 2 s to be there, 5 s to be usable. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<FillForm> for FillOptions {
    fn from(form: FillForm) -> Self {
        Self {
            timeout: form.timeout,
        }
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct HighlightForm {
    /// For how long. Default: 800 ms. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    duration_ms: Option<Duration>,
}

impl From<HighlightForm> for HighlightOptions {
    fn from(form: HighlightForm) -> Self {
        match form.duration_ms {
            Some(duration) => Self { duration },
            None => Self::default(),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TypeForm {
    /// How long to wait after each character, or how long a key stays down. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// How long an element is waited for. Default: 2 s to be there, 5 s to be usable. In JSON: milliseconds.
    #[serde(default, deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<TypeForm> for TypeOptions {
    fn from(form: TypeForm) -> Self {
        let mut options = Self::default();
        options.delay = form.delay;
        options.timeout = form.timeout;
        options
    }
}

fn some_steps() -> u32 {
    ElementDragOptions::default().steps
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ElementDragForm {
    /// How many moves lead from the start to the end. Default: 5.
    #[serde(default = "some_steps")]
    steps: u32,
    /// How long to wait after the press, after each move, and before the release. Default: 0. In JSON: milliseconds.
    #[serde(default = "no_time", deserialize_with = "read::milliseconds")]
    #[schemars(schema_with = "read::milliseconds_schema")]
    delay: Duration,
    /// Where in the dragged element. Default: in its middle, or where it is not covered.
    #[serde(default)]
    from: Option<PositionForm>,
    /// Where in the element that it is dragged to. Default: in its middle, or where it is not covered.
    #[serde(default)]
    to: Option<PositionForm>,
    /// How long each element is waited for. Default: 2 s to be there, 5 s to be usable. In JSON: milliseconds.
    #[serde(default, deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<ElementDragForm> for ElementDragOptions {
    fn from(form: ElementDragForm) -> Self {
        let mut options = Self::default();
        options.steps = form.steps;
        options.delay = form.delay;
        options.from = form.from.map(Into::into);
        options.to = form.to.map(Into::into);
        options.timeout = form.timeout;
        options
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct SendClickForm {
    /// Whether the event bubbles. Default: true.
    bubbles: Option<bool>,
    /// Whether it can be cancelled. Default: true.
    cancelable: Option<bool>,
    /// Whether it leaves shadow roots. Default: true.
    composed: Option<bool>,
    /// The number of clicks that it tells. Default: 1.
    detail: Option<u32>,
}

impl From<SendClickForm> for SendClickOptions {
    fn from(form: SendClickForm) -> Self {
        let mut options = Self::default();
        options.bubbles = form.bubbles.unwrap_or(options.bubbles);
        options.cancelable = form.cancelable.unwrap_or(options.cancelable);
        options.composed = form.composed.unwrap_or(options.composed);
        options.detail = form.detail.unwrap_or(options.detail);
        options
    }
}

read_by_form!(
    ClickOptions: ClickForm,
    HoverOptions: PointForm,
    ScrollOptions: PointForm,
    TapOptions: PointForm,
    DragOptions: DragForm,
    ElementClickOptions: ElementClickForm,
    PointerOptions: PointerForm,
    TypeOptions: TypeForm,
    ElementDragOptions: ElementDragForm,
    SendClickOptions: SendClickForm,
    TypingOptions: TypingForm,
    KeyPressOptions: KeyPressForm,
    FillOptions: FillForm,
    HighlightOptions: HighlightForm,
);
