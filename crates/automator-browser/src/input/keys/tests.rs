use proptest::prelude::*;

use super::*;

fn chord(name: &str) -> Chord {
    parse(name, Platform::Other).unwrap()
}

fn key_of(name: &str) -> (String, &'static str, i64) {
    let chord = chord(name);
    let ChordKey::Key(key) = chord.key else {
        panic!("{name}: {chord:?}")
    };
    (
        key.name(chord.modifiers).to_owned(),
        key.code,
        chord.modifiers.bits(),
    )
}

#[test]
fn names_and_other_names_in_any_case_are_known() {
    let cases = [
        ("a", "a", "KeyA", 0),
        ("A", "A", "KeyA", 8),
        ("Control+A", "a", "KeyA", 2),
        ("ctrl+shift+a", "A", "KeyA", 10),
        ("CMD+a", "a", "KeyA", 2),
        ("ControlOrMeta+z", "z", "KeyZ", 2),
        ("Meta+z", "z", "KeyZ", 4),
        ("option+left", "ArrowLeft", "ArrowLeft", 1),
        ("win", "Meta", "MetaLeft", 0),
        ("return", "Enter", "Enter", 0),
        ("ESC", "Escape", "Escape", 0),
        ("space", " ", "Space", 0),
        (" ", " ", "Space", 0),
        ("del", "Delete", "Delete", 0),
        ("PgDn", "PageDown", "PageDown", 0),
        ("f24", "F24", "F24", 0),
        ("+", "+", "Equal", 8),
        ("Control++", "+", "Equal", 10),
        ("Shift+1", "!", "Digit1", 8),
        ("!", "!", "Digit1", 8),
        ("NumpadAdd", "+", "NumpadAdd", 0),
        ("Numpad7", "7", "Numpad7", 0),
        ("NumpadEnter", "Enter", "NumpadEnter", 0),
        ("ControlRight", "Control", "ControlRight", 0),
        ("KeyQ", "q", "KeyQ", 0),
        ("Ctrl + Enter", "Enter", "Enter", 2),
    ];
    for (name, key, code, modifiers) in cases {
        assert_eq!(key_of(name), (key.to_owned(), code, modifiers), "{name}");
    }
}

#[test]
fn command_is_meta_on_a_mac_and_brings_its_editing_commands() {
    let chord = parse("cmd+a", Platform::Mac).unwrap();
    assert_eq!(chord.modifiers.bits(), 4);
    let ChordKey::Key(key) = chord.key else { panic!() };
    assert_eq!(key.commands(chord.modifiers, Platform::Mac), ["selectAll"]);
    assert!(key.commands(chord.modifiers, Platform::Other).is_empty());
}

#[test]
fn unknown_names_are_errors_that_name_the_nearest() {
    let cases = [
        ("Entr", "Enter"),
        ("Control+Bakspace", "Backspace"),
        ("Cotrol+a", "Control"),
        ("ArowDown", "ArrowDown"),
        ("F25", "F2"),
    ];
    for (name, expected) in cases {
        let error = parse(name, Platform::Other).unwrap_err();
        let BrowserError::UnknownKey { nearest, .. } = &error else {
            panic!("{name}: {error:?}")
        };
        assert!(
            nearest.iter().any(|near| near.starts_with(expected)),
            "{name}: {nearest:?}"
        );
        assert!(error.to_string().contains(expected), "{error}");
    }
    for name in ["", "Control+", "+a", "a+b", "Control+é", "\u{1}"] {
        assert!(parse(name, Platform::Other).is_err(), "{name:?}");
    }
}

#[test]
fn text_is_typed_by_keys_where_there_are_some() {
    let typed: Vec<_> = strokes("aB\r\n\té👩‍👧e\u{301}").collect();
    let names: Vec<_> = typed
        .iter()
        .map(|stroke| match stroke {
            Stroke::Key(key, modifiers) => key.name(*modifiers),
            Stroke::Text(text) => text,
        })
        .collect();
    assert_eq!(names, ["a", "B", "Enter", "Tab", "é", "👩‍👧", "e\u{301}"]);
    assert!(matches!(typed[4], Stroke::Text(_)) && matches!(typed[6], Stroke::Text(_)));
}

#[test]
fn shortcuts_give_no_text() {
    let Chord {
        modifiers,
        key: ChordKey::Key(key),
        ..
    } = chord("Control+a")
    else {
        panic!()
    };
    assert_eq!(key.text(modifiers), None);
    assert_eq!(key.text(Modifiers::default()), Some("a"));
}

proptest! {
    /// Whatever is given, reading it ends without a panic, and an error names what was given.
    #[test]
    fn any_text_is_read_or_refused(name in "\\PC{0,12}|([A-Za-z]{1,9}\\+){0,4}[A-Za-z0-9+]{0,9}") {
        for platform in [Platform::Mac, Platform::Other] {
            match parse(&name, platform) {
                Ok(chord) => prop_assert!(chord.held.len() <= 4),
                Err(BrowserError::UnknownKey { name: given, .. }) => prop_assert_eq!(&given, &name),
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
    }

    /// Strokes put together are the text that was to be typed.
    #[test]
    fn strokes_lose_nothing(text in "\\PC{0,20}") {
        let typed: String = strokes(&text)
            .map(|stroke| match stroke {
                Stroke::Key(key, modifiers) => key.text(modifiers).unwrap_or_default().to_owned(),
                Stroke::Text(text) => text.to_owned(),
            })
            .collect();
        prop_assert_eq!(typed, text);
    }
}
