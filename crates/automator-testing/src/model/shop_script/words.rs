//! Words of names and instructions, as far as they can be compared.

/// Words that say nothing about which element is meant.
const EMPTY: [&str; 24] = [
    "a", "an", "the", "of", "in", "into", "on", "onto", "over", "to", "from", "at", "by", "for", "with",
    "and", "or", "all", "that", "this", "my", "your", "please", "is",
];

/// The words of a text in small letters, without those that say nothing; `basketCount` has two, `Terms` is `term`.
pub(super) fn of(text: &str) -> Vec<String> {
    let mut parted = String::new();
    let mut was_small = false;
    for character in text.chars() {
        if was_small && character.is_uppercase() {
            parted.push(' ');
        }
        was_small = character.is_lowercase();
        parted.extend(character.to_lowercase());
    }
    parted
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(singular)
        .collect()
}

/// How many different words of one text stand in another.
pub(super) fn shared(wanted: &[String], given: &[String]) -> usize {
    let first = |index: usize, word: &String| wanted.iter().position(|other| other == word) == Some(index);
    let stands = |(index, word): &(usize, &String)| first(*index, word) && given.contains(word);
    wanted.iter().enumerate().filter(stands).count()
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(one) if one.chars().count() > 2 && !one.ends_with('s') => one.to_owned(),
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_case_number_and_what_says_nothing() {
        assert_eq!(
            of("Press the Terms of orderNumber!"),
            ["press", "term", "order", "number"]
        );
        assert_eq!(of("glass bus – %user_name%"), ["glass", "bus", "user", "name"]);
    }

    #[test]
    fn a_word_counts_once() {
        assert_eq!(shared(&of("red red lamp"), &of("lamp, red")), 2);
        assert_eq!(shared(&of("red"), &of("blue")), 0);
    }
}
