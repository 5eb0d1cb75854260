//! Names of keys and what the keys of a US keyboard do; pure.

use crate::BrowserError;
use crate::input::watch::PressingKey;

/// The modifier keys that are held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Modifiers {
    /// Alt, on a Mac Option.
    pub alt: bool,
    /// Control.
    pub control: bool,
    /// The Windows key, on a Mac Command.
    pub meta: bool,
    /// Shift.
    pub shift: bool,
}

/// The keyboard that shortcuts are meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Platform {
    Mac,
    Other,
}

/// A key of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// What it is called in key events, without Shift.
    pub(crate) key: &'static str,
    /// The same with Shift.
    pub(crate) shifted: &'static str,
    /// Where it is on the keyboard.
    pub(crate) code: &'static str,
    /// The old numeric code.
    pub(crate) key_code: i64,
    /// 1 on the left, 2 on the right, 3 on the number pad.
    pub(crate) location: i64,
}

/// A key with the modifiers to hold while it is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chord {
    /// In the order in which they are pressed.
    pub(crate) held: Vec<Key>,
    pub(crate) modifiers: Modifiers,
    pub(crate) key: ChordKey,
}

/// What a chord ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChordKey {
    Key(Key),
    /// A character that no key of the keyboard gives.
    Text(String),
}

/// What it takes to type one character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stroke<'a> {
    Key(Key, Modifiers),
    /// What no key of the keyboard gives: put in as text.
    Text(&'a str),
}

impl Modifiers {
    /// The bits of the protocol.
    pub(crate) fn bits(self) -> i64 {
        i64::from(self.alt)
            | i64::from(self.control) << 1
            | i64::from(self.meta) << 2
            | i64::from(self.shift) << 3
    }

    /// Whether a key pressed with them is a shortcut and not text.
    pub(crate) fn is_shortcut(self) -> bool {
        self.alt || self.control || self.meta
    }

    fn add(&mut self, key: Key) {
        match key.key {
            "Alt" => self.alt = true,
            "Control" => self.control = true,
            "Meta" => self.meta = true,
            "Shift" => self.shift = true,
            _ => {}
        }
    }

    pub(crate) fn without(mut self, key: Key) -> Self {
        match key.key {
            "Alt" => self.alt = false,
            "Control" => self.control = false,
            "Meta" => self.meta = false,
            "Shift" => self.shift = false,
            _ => {}
        }
        self
    }

    /// As [`add`](Self::add), as a value.
    pub(crate) fn with(mut self, key: Key) -> Self {
        self.add(key);
        self
    }
}

impl Platform {
    /// That of this computer.
    pub(crate) fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Other
        }
    }
}

impl Key {
    const fn plain(key: &'static str, code: &'static str, key_code: i64) -> Self {
        Self {
            key,
            shifted: key,
            code,
            key_code,
            location: 0,
        }
    }

    const fn at(self, location: i64) -> Self {
        Self { location, ..self }
    }

    pub(crate) fn is_modifier(self) -> bool {
        matches!(self.key, "Alt" | "Control" | "Meta" | "Shift")
    }

    /// Which of the keys that press what has the focus it is.
    pub(crate) fn presses(self) -> Option<PressingKey> {
        match self.key {
            "Enter" => Some(PressingKey::Enter),
            " " => Some(PressingKey::Space),
            "Delete" => Some(PressingKey::Delete),
            _ => None,
        }
    }

    /// What it is called while these are held.
    pub(crate) fn name(self, modifiers: Modifiers) -> &'static str {
        if modifiers.shift { self.shifted } else { self.key }
    }

    /// The text that it gives while these are held; none for keys and shortcuts that give none.
    pub(crate) fn text(self, modifiers: Modifiers) -> Option<&'static str> {
        if modifiers.is_shortcut() {
            return None;
        }
        match self.name(modifiers) {
            "Enter" => Some("\r"),
            name if name.chars().count() == 1 => Some(name),
            _ => None,
        }
    }

    /// The names of editing commands that the key stands for on a Mac, where the browser takes them from the
    /// system and not from key events.
    pub(crate) fn commands(self, modifiers: Modifiers, platform: Platform) -> Vec<String> {
        if platform != Platform::Mac {
            return Vec::new();
        }
        let Modifiers {
            alt,
            control,
            meta,
            shift,
        } = modifiers;
        let command = match (self.code, meta, alt, shift) {
            ("KeyA", true, false, false) => "selectAll",
            ("KeyC", true, false, false) => "copy",
            ("KeyX", true, false, false) => "cut",
            ("KeyV", true, false, false) => "paste",
            ("KeyV", true, false, true) => "pasteAndMatchStyle",
            ("KeyZ", true, false, false) => "undo",
            ("KeyZ", true, false, true) => "redo",
            ("Backspace", false, true, _) => "deleteWordBackward",
            ("Backspace", true, false, _) => "deleteToBeginningOfLine",
            ("Delete", false, true, _) => "deleteWordForward",
            ("ArrowLeft", false, true, false) => "moveWordLeft",
            ("ArrowLeft", false, true, true) => "moveWordLeftAndModifySelection",
            ("ArrowRight", false, true, false) => "moveWordRight",
            ("ArrowRight", false, true, true) => "moveWordRightAndModifySelection",
            ("ArrowLeft", true, false, false) => "moveToLeftEndOfLine",
            ("ArrowLeft", true, false, true) => "moveToLeftEndOfLineAndModifySelection",
            ("ArrowRight", true, false, false) => "moveToRightEndOfLine",
            ("ArrowRight", true, false, true) => "moveToRightEndOfLineAndModifySelection",
            _ => return Vec::new(),
        };
        if control {
            Vec::new()
        } else {
            vec![command.to_owned()]
        }
    }
}

/// Reads the name of a key, or of several joined with `+`.
pub(crate) fn parse(name: &str, platform: Platform) -> Result<Chord, BrowserError> {
    let unknown = |part: &str| BrowserError::UnknownKey {
        name: name.to_owned(),
        part: part.to_owned(),
        nearest: nearest(part),
    };
    let parts = split(name).ok_or_else(|| unknown(name))?;
    let Some((last, before)) = parts.split_last() else {
        return Err(unknown(name));
    };
    let mut held: Vec<Key> = Vec::new();
    let mut modifiers = Modifiers::default();
    for part in before {
        let key = named(part, platform).filter(|key| key.is_modifier());
        let key = key.ok_or_else(|| unknown(part))?;
        if !held.iter().any(|other| other.key == key.key) {
            held.push(key);
        }
        modifiers.add(key);
    }
    if let Some(key) = named(last, platform) {
        return Ok(Chord {
            held,
            modifiers,
            key: ChordKey::Key(key),
        });
    }
    let mut clusters = clusters(last);
    let (Some(cluster), None) = (clusters.next(), clusters.next()) else {
        return Err(unknown(last));
    };
    match stroke(cluster) {
        Stroke::Key(key, implied) => {
            // In a shortcut the case of a letter says nothing: `Control+A` is the key A without Shift.
            let is_letter_of_shortcut = modifiers.is_shortcut() && key.code.starts_with("Key");
            modifiers.shift |= implied.shift && !is_letter_of_shortcut;
            Ok(Chord {
                held,
                modifiers,
                key: ChordKey::Key(key),
            })
        }
        Stroke::Text(text) if modifiers.is_shortcut() || text.chars().all(char::is_control) => {
            Err(unknown(last))
        }
        Stroke::Text(text) => Ok(Chord {
            held,
            modifiers,
            key: ChordKey::Text(text.to_owned()),
        }),
    }
}

/// What it takes to type a text, one stroke for each character that people see as one.
pub(crate) fn strokes(text: &str) -> impl Iterator<Item = Stroke<'_>> {
    clusters(text).map(stroke)
}

fn clusters(text: &str) -> impl Iterator<Item = &str> {
    use unicode_segmentation::UnicodeSegmentation as _;
    text.graphemes(true)
}

fn stroke(cluster: &str) -> Stroke<'_> {
    let plain = Modifiers::default();
    let shifted = Modifiers { shift: true, ..plain };
    let key = |name: &str| KEYS.iter().find(|key| key.key == name).copied();
    match cluster {
        "\n" | "\r" | "\r\n" => key("Enter").map(|key| Stroke::Key(key, plain)),
        "\t" => key("Tab").map(|key| Stroke::Key(key, plain)),
        _ => {
            let is_it = |key: &&Key| key.location == 0 && (key.key == cluster || key.shifted == cluster);
            let found = KEYS
                .iter()
                .find(is_it)
                .filter(|_| cluster.chars().count() == 1)
                .copied();
            found.map(|key| Stroke::Key(key, if key.key == cluster { plain } else { shifted }))
        }
    }
    .unwrap_or(Stroke::Text(cluster))
}

/// The parts between the `+`; one at the end that follows another is itself a key.
fn split(name: &str) -> Option<Vec<&str>> {
    if name == "+" {
        return Some(vec!["+"]);
    }
    // A blank alone is the key of that name; around other names blanks say nothing.
    let trimmed = |part| if part == " " { part } else { str::trim(part) };
    let mut parts: Vec<&str> = match name.strip_suffix("++") {
        Some(before) => before.split('+').chain(["+"]).collect(),
        None => name.split('+').collect(),
    };
    for part in &mut parts {
        *part = trimmed(part);
    }
    (!parts.iter().any(|part| part.is_empty())).then_some(parts)
}

/// The key with this name or one of its other names, in any case. Names of one letter are not names here: a
/// letter's case says whether Shift is held.
fn named(name: &str, platform: Platform) -> Option<Key> {
    let lower = name.to_ascii_lowercase();
    lower.chars().nth(1)?;
    let alias = ALIASES.iter().find(|(alias, _)| *alias == lower);
    let official = match alias {
        Some((_, COMMAND)) => match platform {
            Platform::Mac => "meta".to_owned(),
            Platform::Other => "control".to_owned(),
        },
        Some((_, official)) => official.to_ascii_lowercase(),
        None => lower,
    };
    // Codes name keys, too: `KeyA`, `Digit1`, `NumpadAdd`, `ControlRight`. A name comes before a code.
    let by_key = KEYS.iter().find(|key| key.key.eq_ignore_ascii_case(&official));
    let by_code = || KEYS.iter().find(|key| key.code.eq_ignore_ascii_case(&official));
    by_key.or_else(by_code).copied()
}

/// Up to three names that are spelt much like this one.
fn nearest(name: &str) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    let known = KEYS
        .iter()
        .map(|key| key.key)
        .chain(KEYS.iter().map(|key| key.code))
        .chain(ALIASES.iter().map(|(alias, _)| *alias))
        .filter(|known| known.chars().count() > 1);
    let mut ranked: Vec<(f64, &str)> = known
        .map(|known| {
            (
                strsim::normalized_damerau_levenshtein(&lower, &known.to_ascii_lowercase()),
                known,
            )
        })
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut names: Vec<String> = Vec::new();
    for (_, known) in ranked {
        if !names.iter().any(|name| name.eq_ignore_ascii_case(known)) {
            names.push(known.to_owned());
        }
    }
    names.truncate(3);
    names
}

/// Stands in the list of other names for the key that shortcuts are made with: Command on a Mac, else Control.
const COMMAND: &str = "ControlOrMeta";

/// Other names, in lower case, and the key they mean.
const ALIASES: [(&str, &str); 28] = [
    ("cmd", COMMAND),
    ("command", COMMAND),
    ("controlormeta", COMMAND),
    ("cmdorctrl", COMMAND),
    ("ctrl", "Control"),
    ("option", "Alt"),
    ("opt", "Alt"),
    ("win", "Meta"),
    ("windows", "Meta"),
    ("super", "Meta"),
    ("return", "Enter"),
    ("esc", "Escape"),
    ("space", "Space"),
    ("spacebar", "Space"),
    ("del", "Delete"),
    ("ins", "Insert"),
    ("left", "ArrowLeft"),
    ("right", "ArrowRight"),
    ("up", "ArrowUp"),
    ("down", "ArrowDown"),
    ("pgup", "PageUp"),
    ("pgdn", "PageDown"),
    ("pagedn", "PageDown"),
    ("pgdown", "PageDown"),
    ("bksp", "Backspace"),
    ("back", "Backspace"),
    ("menu", "ContextMenu"),
    ("prtsc", "PrintScreen"),
];

/// A key that gives other characters with Shift.
const fn pair(key: &'static str, shifted: &'static str, code: &'static str, key_code: i64) -> Key {
    Key {
        key,
        shifted,
        code,
        key_code,
        location: 0,
    }
}

mod table;
use table::KEYS;

#[cfg(test)]
mod tests;
