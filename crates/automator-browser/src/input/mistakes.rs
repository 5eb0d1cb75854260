//! Where people mistype, and what they hit instead.

/// The rows of a US keyboard.
const ROWS: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// One in so many letters and digits goes wrong.
const RARITY: u32 = 12;

/// A part of a text, and the character that is typed behind it by mistake.
#[derive(Debug, PartialEq)]
pub(crate) struct Part<'a> {
    pub(crate) right: &'a str,
    pub(crate) wrong: Option<char>,
}

/// The text in parts. What goes wrong depends on the text alone, so that a run can be repeated.
pub(crate) fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut start = 0;
    // FNV-1a over what has been typed so far.
    let mut hash = 0x811c_9dc5_u32;
    for (at, character) in text.char_indices() {
        hash = (hash ^ u32::from(character)).wrapping_mul(0x0100_0193);
        // The low bits of this hash are poor.
        if (hash >> 8).is_multiple_of(RARITY)
            && let Some(wrong) = neighbour(character)
        {
            parts.push(Part {
                right: &text[start..at],
                wrong: Some(wrong),
            });
            start = at;
        }
    }
    parts.push(Part {
        right: &text[start..],
        wrong: None,
    });
    parts
}

/// What is hit instead of a letter or a digit.
fn neighbour(character: char) -> Option<char> {
    let wanted = character.to_ascii_lowercase();
    let row = ROWS.iter().find(|row| row.contains(wanted))?;
    let mut after = row.chars().skip_while(|other| *other != wanted).skip(1);
    let before = row.chars().take_while(|other| *other != wanted);
    let hit = after.next().or_else(|| before.last())?;
    Some(if character.is_ascii_uppercase() {
        hit.to_ascii_uppercase()
    } else {
        hit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_on_the_same_row_and_of_the_same_case() {
        assert_eq!(neighbour('q'), Some('w'));
        assert_eq!(neighbour('P'), Some('O'));
        assert_eq!(neighbour('0'), Some('9'));
        assert_eq!(neighbour(' '), None);
        assert_eq!(neighbour('漢'), None);
    }

    #[test]
    fn mistakes_are_few_always_the_same_and_lose_nothing() {
        let text = "The quick brown fox jumps over the lazy dog, and 漢 stays as it is. ".repeat(20);
        let found = parts(&text);
        assert_eq!(found, parts(&text));
        let right: String = found.iter().map(|part| part.right).collect();
        assert_eq!(right, text);
        let mistakes = found.iter().filter(|part| part.wrong.is_some()).count();
        assert!((20..200).contains(&mistakes), "{mistakes}");
    }
}
