//! Names of keys, as models write them, in the names of browsers. Pure.

use super::HeldKeys;

/// Names that browsers have another one for, in lower case. Those that differ in their case alone are not here.
const NAMES: &[(&str, &str)] = &[
    ("alt_l", "Alt"),
    ("alt_r", "Alt"),
    ("apostrophe", "'"),
    ("back_space", "Backspace"),
    ("backslash", "\\"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("caps_lock", "CapsLock"),
    ("comma", ","),
    ("control_l", "Control"),
    ("control_r", "Control"),
    ("ctrl", "Control"),
    ("equal", "="),
    ("down", "ArrowDown"),
    ("esc", "Escape"),
    ("grave", "`"),
    ("iso_left_tab", "Shift+Tab"),
    ("kp_add", "NumpadAdd"),
    ("kp_decimal", "NumpadDecimal"),
    ("kp_divide", "NumpadDivide"),
    ("kp_enter", "NumpadEnter"),
    ("kp_multiply", "NumpadMultiply"),
    ("kp_subtract", "NumpadSubtract"),
    ("left", "ArrowLeft"),
    ("meta_l", "Meta"),
    ("meta_r", "Meta"),
    ("minus", "-"),
    ("next", "PageDown"),
    ("num_lock", "NumLock"),
    ("page_down", "PageDown"),
    ("page_up", "PageUp"),
    ("period", "."),
    ("plus", "+"),
    ("print", "PrintScreen"),
    ("prior", "PageUp"),
    ("return", "Enter"),
    ("right", "ArrowRight"),
    ("scroll_lock", "ScrollLock"),
    ("semicolon", ";"),
    ("shift_l", "Shift"),
    ("shift_r", "Shift"),
    ("slash", "/"),
    ("super_l", "Meta"),
    ("super_r", "Meta"),
    ("underscore", "_"),
    ("up", "ArrowUp"),
];

/// Names of keys that are held while others are pressed.
const MODIFIERS: [&str; 10] = [
    "alt", "cmd", "command", "control", "meta", "option", "shift", "super", "win", "windows",
];

/// Keys in one text: combinations with `+`, one after the other with blanks between.
pub(super) fn in_text(text: &str) -> Vec<String> {
    if text.trim().is_empty() && !text.is_empty() {
        return vec![blank(text)];
    }
    text.split_whitespace().map(combination).collect()
}

/// Keys in a list: one combination, as long as only one of them is more than held.
pub(super) fn in_list(keys: &[&str]) -> Vec<String> {
    let names: Vec<String> = keys.iter().map(|key| name(key)).collect();
    let (held, pressed): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| is_modifier(name));
    let join = |last: Option<&String>| {
        let parts: Vec<&str> = held.iter().copied().chain(last).map(String::as_str).collect();
        parts.join("+")
    };
    match pressed.as_slice() {
        [] if held.is_empty() => Vec::new(),
        [] => vec![join(None)],
        pressed => pressed.iter().map(|key| join(Some(key))).collect(),
    }
}

/// The keys that are held, of those in a list. Others cannot be held while the mouse does something.
pub(super) fn held<'k>(keys: impl IntoIterator<Item = &'k str>) -> HeldKeys {
    let mut held = HeldKeys::default();
    for key in keys {
        match name(key).to_lowercase().as_str() {
            "alt" | "option" => held.alt = true,
            "control" => held.control = true,
            "shift" => held.shift = true,
            // What Command does on a Mac, Control does elsewhere.
            "cmd" | "command" if !cfg!(target_os = "macos") => held.control = true,
            "cmd" | "command" | "meta" | "super" | "win" | "windows" => held.meta = true,
            _ => {}
        }
    }
    held
}

fn combination(text: &str) -> String {
    // The last `+` of `ctrl++` is itself a key.
    let (before, plus) = match text.strip_suffix("++") {
        Some(before) => (before, true),
        None if text == "+" => return text.to_owned(),
        None => (text, false),
    };
    let mut parts: Vec<String> = before.split('+').map(name).collect();
    if plus {
        parts.push("+".to_owned());
    }
    parts.join("+")
}

fn name(key: &str) -> String {
    // A blank is a key, too.
    let trimmed = key.trim();
    if trimmed.is_empty() {
        return if key.is_empty() { String::new() } else { blank(key) };
    }
    let lower = trimmed.to_lowercase();
    let found = NAMES.iter().find(|(other, _)| *other == lower);
    found.map_or_else(|| trimmed.to_owned(), |(_, name)| (*name).to_owned())
}

/// The key that gives a character that cannot be seen.
fn blank(text: &str) -> String {
    let key = match text {
        text if text.contains(['\n', '\r']) => "Enter",
        text if text.contains('\t') => "Tab",
        _ => "Space",
    };
    key.to_owned()
}

fn is_modifier(name: &str) -> bool {
    MODIFIERS.contains(&name.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_a_text_are_combinations_and_follow_each_other() {
        for (text, expected) in [
            ("Return", vec!["Enter"]),
            ("ctrl+s", vec!["Control+s"]),
            ("ctrl+shift+Page_Down", vec!["Control+shift+PageDown"]),
            ("Tab Tab KP_Enter", vec!["Tab", "Tab", "NumpadEnter"]),
            ("ctrl++", vec!["Control++"]),
            ("ctrl+plus", vec!["Control++"]),
            ("+", vec!["+"]),
            (" ", vec!["Space"]),
            ("\n", vec!["Enter"]),
            ("alt+Left", vec!["alt+ArrowLeft"]),
            ("a", vec!["a"]),
        ] {
            assert_eq!(in_text(text), expected, "{text}");
        }
        assert!(in_text("").is_empty());
    }

    #[test]
    fn keys_in_a_list_are_one_combination() {
        for (keys, expected) in [
            (vec!["CTRL", "A"], vec!["Control+A"]),
            (vec!["ENTER"], vec!["ENTER"]),
            (vec!["A", "CTRL"], vec!["Control+A"]),
            (vec!["SHIFT"], vec!["SHIFT"]),
            (vec!["ARROWDOWN", "ENTER"], vec!["ARROWDOWN", "ENTER"]),
            (vec![" "], vec!["Space"]),
            (vec![], vec![]),
        ] {
            assert_eq!(in_list(&keys), expected, "{keys:?}");
        }
    }

    #[test]
    fn keys_are_held_by_any_of_their_names() {
        let all = held(["CTRL", "Shift_L", "option", "Super_R", "x"]);
        assert!(all.control && all.shift && all.alt && all.meta);
        assert_eq!(held(["x"]), HeldKeys::default());
    }
}
