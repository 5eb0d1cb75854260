//! What can be done to an element, and what came of doing it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::extract::CacheStatus;

/// One thing to do: `observe()` gives these, `act()` takes them back unchanged, without a model.
///
/// ```
/// use automator::Action;
///
/// let action = Action::new("#save", "click");
/// let typed = Action::new("input[name=user]", "fill").argument("%user%").described("the user name");
/// assert_eq!(typed.arguments, ["%user%"]);
/// # let _ = action;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Action {
    /// The element: an absolute XPath with `xpath=` when the library made it; any selector otherwise.
    pub selector: String,
    /// The element in words; what a new search for it goes by when it is gone.
    #[serde(default)]
    pub description: String,
    /// What to do: one of [`Method`]'s names. Without one nothing can be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What the method needs: the text of `fill`, the key of `press`, and so on. May hold `%name%`.
    #[serde(default)]
    pub arguments: Vec<String>,
}

impl Action {
    /// An action without arguments.
    pub fn new(selector: impl Into<String>, method: impl Into<String>) -> Self {
        Self {
            selector: selector.into(),
            description: String::new(),
            method: Some(method.into()),
            arguments: Vec::new(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Says in words which element it is.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }
}

/// What came of `act()`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActResult {
    /// Whether the page shows the effect.
    pub success: bool,
    /// What was done, or why not.
    pub message: String,
    /// The element of the first action in words; the instruction when there was none.
    pub action_description: String,
    /// What was done, as `act()` takes it back.
    pub actions: Vec<Action>,
    /// Present only on the remote platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_status: Option<CacheStatus>,
}

/// The things that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Clicks; the argument may name the button: `left`, `right` or `middle`.
    Click,
    /// Clicks twice.
    DoubleClick,
    /// Puts the pointer over it.
    Hover,
    /// Replaces the content by the argument.
    Fill,
    /// Types the argument key by key, after what is there.
    Type,
    /// Presses the key or combination of the argument, such as `Enter` or `Control+A`.
    Press,
    /// Scrolls to a share of its height, such as `50%`.
    ScrollTo,
    /// Scrolls it into view.
    ScrollIntoView,
    /// Scrolls by pixels: to the right, down.
    ScrollBy,
    /// Scrolls down by its own height.
    NextChunk,
    /// Scrolls up by its own height.
    PreviousChunk,
    /// Selects the option with the value or text of the argument; several arguments select several.
    SelectOption,
    /// Drags it to the element of the argument.
    DragAndDrop,
    /// Touches it.
    Tap,
    /// Gives a file input the files of the arguments; none empties it.
    SetInputFiles,
}

impl Method {
    /// The names that the model may choose from.
    pub(crate) const OFFERED: [&'static str; 11] = [
        "click",
        "doubleClick",
        "hover",
        "fill",
        "type",
        "press",
        "selectOptionFromDropdown",
        "scrollTo",
        "nextChunk",
        "prevChunk",
        "dragAndDrop",
    ];

    /// The one that is offered, too, where files are named.
    pub(crate) const FOR_FILES: &'static str = "setInputFiles";

    /// The method of a name; other names of the field for the same thing are understood.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "click" => Self::Click,
            "doubleClick" | "dblclick" => Self::DoubleClick,
            "hover" => Self::Hover,
            "fill" => Self::Fill,
            "type" => Self::Type,
            "press" | "keyPress" => Self::Press,
            "scrollTo" | "scroll" => Self::ScrollTo,
            "scrollIntoView" => Self::ScrollIntoView,
            "scrollByPixelOffset" | "mouse.wheel" => Self::ScrollBy,
            "nextChunk" => Self::NextChunk,
            "prevChunk" | "previousChunk" => Self::PreviousChunk,
            "selectOptionFromDropdown" | "selectOption" => Self::SelectOption,
            "dragAndDrop" => Self::DragAndDrop,
            "tap" => Self::Tap,
            "setInputFiles" => Self::SetInputFiles,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_offered_name_is_a_method() {
        assert!(
            Method::OFFERED
                .iter()
                .all(|name| Method::from_name(name).is_some())
        );
        assert_eq!(Method::from_name("fly"), None);
    }

    #[test]
    fn an_action_is_written_as_it_is_read() {
        let written = json!({ "selector": "xpath=/html[1]", "description": "page", "method": "click", "arguments": [] });
        let action: Action = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(&action).unwrap(), written);
        let short: Action = serde_json::from_value(json!({ "selector": "a" })).unwrap();
        assert_eq!((short.method, short.arguments.len()), (None, 0));
    }
}
