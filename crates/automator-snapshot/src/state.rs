//! States and values: what a reader must know of a control beyond its role and name.

use crate::attribute::{Attribute, Tag};
use crate::role::Role;
use crate::text::clean;
use crate::tree::{Kind, NodeIndex, Tree, flag};

/// What stands for a password: its length is nobody's business.
pub(crate) const MASK: &str = "••••";

/// Roles that are told without a value, so that ` = ` in their name can be nothing else.
pub(crate) const WITHOUT_VALUE: [Role; 7] = [
    Role::Button,
    Role::Heading,
    Role::Iframe,
    Role::Link,
    Role::Option,
    Role::RootWebArea,
    Role::ToggleButton,
];

/// The states of an element, one bit each, in the order in which they are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct States(u16);

const WORDS: [&str; 11] = [
    "selected", "checked", "mixed", "disabled", "expanded", "required", "invalid", "focused", "current",
    "pressed", "unread",
];

impl States {
    pub(crate) const SELECTED: States = States(1);
    pub(crate) const CHECKED: States = States(1 << 1);
    pub(crate) const MIXED: States = States(1 << 2);
    pub(crate) const DISABLED: States = States(1 << 3);
    pub(crate) const EXPANDED: States = States(1 << 4);
    pub(crate) const REQUIRED: States = States(1 << 5);
    pub(crate) const INVALID: States = States(1 << 6);
    pub(crate) const FOCUSED: States = States(1 << 7);
    pub(crate) const CURRENT: States = States(1 << 8);
    pub(crate) const PRESSED: States = States(1 << 9);
    pub(crate) const UNREAD: States = States(1 << 10);

    pub(crate) fn set(&mut self, state: States, holds: bool) {
        if holds {
            self.0 |= state.0;
        }
    }

    pub(crate) fn words(self) -> impl Iterator<Item = &'static str> {
        WORDS
            .iter()
            .enumerate()
            .filter(move |(bit, _)| self.0 & (1 << bit) != 0)
            .map(|(_, word)| *word)
    }
}

/// Whether a text ends as a line with a state does.
pub(crate) fn ends_with_state(text: &str) -> bool {
    text.strip_suffix(']')
        .and_then(|text| text.rsplit_once('['))
        .is_some_and(|(before, word)| WORDS.contains(&word) && (before.is_empty() || before.ends_with(' ')))
}

/// The states of an element that people can act on, or of structure with a state of its own.
pub(crate) fn states_of(tree: &Tree<'_>, index: NodeIndex, role: Role) -> States {
    let node = tree.node(index);
    let mut states = States::default();
    if node.kind != Kind::Element {
        return states;
    }
    let is_true = |attribute| tree.is_true(index, attribute);
    let has = |attribute| tree.has_attribute(index, attribute);
    let is_aria = node.is(flag::ARIA);
    states.set(
        States::SELECTED,
        node.is(flag::SELECTED) || is_aria && is_true(Attribute::AriaSelected),
    );
    let aria_checked = if is_aria {
        tree.attribute(index, Attribute::AriaChecked)
    } else {
        None
    };
    let is_mixed = node.is(flag::INDETERMINATE) || aria_checked.is_some_and(|value| value.trim() == "mixed");
    let is_checkable = matches!(
        role,
        Role::Checkbox
            | Role::Radio
            | Role::Switch
            | Role::MenuItemCheckbox
            | Role::MenuItemRadio
            | Role::ToggleButton
    ) || node.tag == Tag::Input;
    let is_native = node.is_html(Tag::Input);
    let is_checked =
        node.is(flag::CHECKED) || (!is_native && aria_checked.is_some_and(|value| value.trim() == "true"));
    states.set(States::CHECKED, is_checkable && is_checked && !is_mixed);
    states.set(States::MIXED, is_mixed);
    states.set(States::DISABLED, is_disabled(tree, index));
    states.set(
        States::EXPANDED,
        is_aria && is_true(Attribute::AriaExpanded) || is_open_details(tree, index, role),
    );
    states.set(
        States::REQUIRED,
        has(Attribute::Required) || is_aria && is_true(Attribute::AriaRequired),
    );
    let says_invalid = is_aria
        && tree
            .attribute(index, Attribute::AriaInvalid)
            .is_some_and(|value| !matches!(value.trim(), "" | "false"));
    states.set(States::INVALID, node.is(flag::INVALID) || says_invalid);
    states.set(
        States::FOCUSED,
        node.is(flag::FOCUSED) && !matches!(node.tag, Tag::Body | Tag::Html),
    );
    let is_current = is_aria
        && tree
            .attribute(index, Attribute::AriaCurrent)
            .is_some_and(|value| !matches!(value.trim(), "" | "false"));
    states.set(States::CURRENT, is_current);
    states.set(States::PRESSED, is_aria && is_true(Attribute::AriaPressed));
    states
}

/// Disabled by itself or by what stands around it. A disabled fieldset disables the form controls in it (HTML,
/// 4.10.18.5) and leaves links alone; `aria-disabled` holds for all that is below.
pub(crate) fn is_disabled(tree: &Tree<'_>, index: NodeIndex) -> bool {
    let node = tree.node(index);
    if !node.is(flag::DISABLED) {
        return false;
    }
    let is_form_control = matches!(
        node.tag,
        Tag::Button | Tag::Input | Tag::Select | Tag::TextArea | Tag::FieldSet | Tag::OptGroup | Tag::Option
    );
    let says = |index| tree.node(index).is(flag::ARIA) && tree.is_true(index, Attribute::AriaDisabled);
    is_form_control || says(index) || tree.ancestors(index).any(says)
}

fn is_open_details(tree: &Tree<'_>, index: NodeIndex, role: Role) -> bool {
    role == Role::DisclosureTriangle
        && tree
            .ancestors(index)
            .find(|&above| tree.node(above).is_html(Tag::Details))
            .is_some_and(|details| tree.has_attribute(details, Attribute::Open))
}

/// The value of a control as people see it; empty when it has none or its options speak for it.
pub(crate) fn value_of(tree: &Tree<'_>, index: NodeIndex, role: Role) -> String {
    let node = tree.node(index);
    if WITHOUT_VALUE.contains(&role) {
        return String::new();
    }
    let attribute = |attribute| {
        tree.attribute(index, attribute)
            .map(clean)
            .filter(|text| !text.is_empty())
    };
    if is_secret(tree, index) {
        return if tree.text(index).is_empty() {
            String::new()
        } else {
            MASK.to_owned()
        };
    }
    let aria = || attribute(Attribute::AriaValueText).or_else(|| attribute(Attribute::AriaValueNow));
    match role {
        Role::ColorWell
        | Role::ComboBox
        | Role::Date
        | Role::DateTime
        | Role::InputTime
        | Role::SearchBox
        | Role::Slider
        | Role::SpinButton
        | Role::TextBox
            if matches!(node.tag, Tag::Input | Tag::TextArea) =>
        {
            clean(&tree.text(index))
        }
        Role::Meter | Role::ProgressBar => aria().or_else(|| attribute(Attribute::Value)).unwrap_or_default(),
        Role::Slider | Role::SpinButton | Role::ScrollBar => aria().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Whether the value of a field is for nobody's eyes: a password, or drawn as marks like one.
pub(crate) fn is_secret(tree: &Tree<'_>, index: NodeIndex) -> bool {
    tree.node(index).is(flag::CONCEALED) || is_password(tree, index)
}

fn is_password(tree: &Tree<'_>, index: NodeIndex) -> bool {
    tree.node(index).is_html(Tag::Input)
        && tree
            .attribute(index, Attribute::Type)
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"))
}
