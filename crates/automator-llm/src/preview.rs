//! Short, printable pieces of replies and provider messages for errors and logs.

/// Longest preview, in characters.
pub const PREVIEW_CHARACTERS: usize = 300;

/// The beginning of a text for an error message: at most [`PREVIEW_CHARACTERS`] characters, on one line,
/// without control characters, `…` at the end when something was left out.
///
/// ```
/// assert_eq!(automator_llm::preview(" {\n  \"a\": 1 } "), "{ \"a\": 1 }");
/// ```
pub fn preview(text: &str) -> String {
    let mut short = String::new();
    let mut length = 0;
    let mut blank = false;
    for character in text.trim().chars() {
        if character.is_whitespace() || character.is_control() {
            blank = true;
            continue;
        }
        if length + usize::from(blank) >= PREVIEW_CHARACTERS {
            short.push('…');
            return short;
        }
        if std::mem::take(&mut blank) && !short.is_empty() {
            short.push(' ');
            length += 1;
        }
        short.push(character);
        length += 1;
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preview_collapses_blanks_and_control_characters() {
        assert_eq!(preview("\u{feff}a\u{0}\n\tb  c"), "\u{feff}a b c");
        assert_eq!(preview("\u{0} a"), "a");
    }

    #[test]
    fn preview_cuts_between_characters() {
        let short = preview(&"ä€😀".repeat(200));
        assert!(
            short.chars().count() <= PREVIEW_CHARACTERS + 1,
            "{}",
            short.chars().count()
        );
        assert!(short.ends_with('…'));
    }

    #[test]
    fn preview_of_nothing_is_empty() {
        assert_eq!(preview(" \n "), "");
    }
}
