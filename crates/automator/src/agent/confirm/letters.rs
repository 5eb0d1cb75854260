//! Names as people read them, whatever signs they are written with. Pure.

use crate::signs::{is_unseen, narrow};

/// Letters of other scripts that look like Latin ones, each with what it looks like.
const LOOK_ALIKE: [(char, char); 34] = [
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ү', 'y'),
    ('х', 'x'),
    ('ԝ', 'w'),
    ('α', 'a'),
    ('β', 'b'),
    ('ε', 'e'),
    ('η', 'n'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('ɡ', 'g'),
    ('ɑ', 'a'),
];

/// In small letters, without signs that nobody sees, and words that mix scripts in the Latin one.
pub(super) fn plain(name: &str) -> String {
    let seen: String = name
        .chars()
        .filter(|sign| !is_unseen(*sign))
        .map(narrow)
        .collect();
    let seen: String = seen.to_lowercase().chars().map(without_accent).collect();
    let mut out = String::with_capacity(seen.len());
    for word in seen.split_inclusive(char::is_whitespace) {
        if word.contains(|sign: char| sign.is_ascii_alphabetic()) {
            out.extend(word.chars().map(latin));
        } else {
            out.push_str(word);
        }
    }
    out
}

/// A plain name with the digits within words as the letters that they look like.
pub(super) fn without_digits(name: &str) -> String {
    let is_in_word = |sign: char| sign.is_alphanumeric();
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let ends = |sign: char| is_in_word(sign) != is_in_word(first);
        let (run, after) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        if run.contains(|sign: char| sign.is_ascii_alphabetic()) {
            out.extend(run.chars().map(letter_of_digit));
        } else {
            out.push_str(run);
        }
        rest = after;
    }
    out
}

fn letter_of_digit(sign: char) -> char {
    match sign {
        '0' => 'o',
        '1' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        '8' => 'b',
        '9' => 'g',
        _ => sign,
    }
}

/// Words that are spelt letter by letter, as one; none when there are none.
pub(super) fn spelt(words: &[&str]) -> Option<String> {
    let is_letter = |word: &&&str| word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let start = words.iter().position(|word| is_letter(&word))?;
    let letters: Vec<&str> = words
        .get(start..)?
        .iter()
        .take_while(is_letter)
        .copied()
        .collect();
    (letters.len() > 2).then(|| letters.concat())
}

/// Of Greek letters the plain ones, as capital letters have no accents there.
fn without_accent(sign: char) -> char {
    match sign {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        _ => sign,
    }
}

fn latin(sign: char) -> char {
    let found = LOOK_ALIKE.iter().find(|(other, _)| *other == sign);
    found.map_or(sign, |(_, latin)| *latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_people_read_them() {
        for (name, expected) in [
            ("Buy Now", "buy now"),
            ("Вuу nоw", "buy now"),
            ("Ｂｕｙ\u{3000}n\u{200b}o\u{ad}w", "buy now"),
            ("Купить", "купить"),
            ("Αγορά", "αγορα"),
            ("купить iphone", "купить iphone"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn digits_within_words_are_read_as_letters() {
        for (name, expected) in [
            ("8uy n0w", "buy now"),
            ("de1ete-4ll", "delete-all"),
            ("pay 49.00", "pay 49.00"),
            ("", ""),
        ] {
            assert_eq!(without_digits(name), expected);
        }
    }

    #[test]
    fn only_words_of_single_letters_are_put_together() {
        assert_eq!(spelt(&["b", "u", "y", "n", "o", "w"]).as_deref(), Some("buynow"));
        assert_eq!(spelt(&["now", "p", "a", "y"]).as_deref(), Some("pay"));
        assert_eq!(spelt(&["a", "b"]), None);
        assert_eq!(spelt(&["1", "2", "3"]), None);
        assert_eq!(spelt(&["plan", "b"]), None);
    }
}
