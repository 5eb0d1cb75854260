//! Text as people read it: white space collapsed, icon-font characters and stray controls left out.

/// Collects pieces of text into one line.
#[derive(Debug, Default, Clone)]
pub(crate) struct Line {
    text: String,
    /// A space is owed before the next visible character.
    owes_space: bool,
}

impl Line {
    /// Adds a piece; its own white space decides whether it touches its neighbours.
    pub(crate) fn push(&mut self, piece: &str) {
        for character in piece.chars() {
            if is_space(character) {
                self.owes_space = true;
            } else if !is_silent(character) {
                self.settle();
                self.text.push(character);
            }
        }
    }

    /// Makes sure that what follows does not touch what stands here.
    pub(crate) fn space(&mut self) {
        self.owes_space = true;
    }

    /// Length in bytes of what was collected.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The line; empty when nothing in it can be seen.
    pub(crate) fn into_string(self) -> String {
        if self
            .text
            .chars()
            .all(|character| is_invisible(character) || character == ' ')
        {
            return String::new();
        }
        self.text
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    fn settle(&mut self) {
        if self.owes_space && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.owes_space = false;
    }
}

/// One piece of text as one line.
pub(crate) fn clean(text: &str) -> String {
    let mut line = Line::default();
    line.push(text);
    line.into_string()
}

pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|character| is_space(character) || is_silent(character) || is_invisible(character))
}

fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}')
}

/// Characters that show nothing a reader could use: icon fonts (private use), word joiners, controls, and
/// embeddings that turn the order of letters around on a screen only. Joiners, direction marks and places where a
/// word may break stay, since they belong to the words of the page.
fn is_silent(character: char) -> bool {
    matches!(character,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}'
        | '\u{FEFF}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{2060}')
        || character.is_control()
}

/// Characters that shape, join or part the words beside them and show nothing alone.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_across_pieces() {
        let mut line = Line::default();
        line.push("  a ");
        line.push(" b");
        line.push("c\n");
        line.push("\u{a0}d  ");
        assert_eq!(line.as_str(), "a bc d");
    }

    #[test]
    fn icon_characters_are_left_out_and_joiners_stay() {
        assert_eq!(clean("\u{e001} Cart \u{f0001}"), "Cart");
        assert_eq!(clean("a\u{202e}b\u{202c}"), "ab");
        assert_eq!(clean("\u{200b} \u{200d}"), "");
        assert_eq!(clean("क्\u{200d}ष"), "क्\u{200d}ष");
    }
}
