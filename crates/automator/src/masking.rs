//! Names of variables in the place of their values, in whatever way a text writes these. Pure.
//!
//! A page may write a value in capitals, with other blanks, in groups as it does numbers of cards, with signs that
//! nobody sees, in the codes of an address, or cut off. What it turns round or splits among elements is not found.

mod reading;

use std::cmp::Reverse;
use std::ops::Range;

use reading::{Sign, signs_of};

/// As many signs of a value have to stand before an ellipsis for the value to be taken for a cut one.
const LEAST_BEFORE_CUT: usize = 8;

/// As many before the end of a line: names of elements are told up to 1,000 characters, without a sign of the cut.
const LEAST_BEFORE_END: usize = 500;

/// Values of at least this many letters and digits, of which half this many are digits, are found in groups, too.
const LEAST_IN_GROUPS: usize = 8;

/// As many signs may stand between two of a number in groups, as in `(555) 123`.
const MOST_BETWEEN_GROUPS: usize = 2;

/// The text with a name, as `%name%`, in the place of each value; `pairs` are values and names. The longest value comes
/// first, and of two equal ones the first. A name that stands in the text stays, also where a value is part of it.
pub(crate) fn masked(text: &str, pairs: &[(&str, &str)]) -> String {
    if pairs.is_empty() || text.is_empty() {
        return text.to_owned();
    }
    let mut wanted: Vec<(Wanted, &str)> = pairs
        .iter()
        .map(|(value, name)| (Wanted::new(value), *name))
        .filter(|(wanted, _)| !wanted.letters.is_empty())
        .collect();
    wanted.sort_by_key(|(wanted, _)| Reverse(wanted.letters.len()));
    let mut taken = names_in(text, pairs);
    let signs = signs_of(text);
    let mut is_free = free_of(&taken, &signs);
    for (wanted, name) in &wanted {
        for found in wanted.places_in(&signs, &is_free) {
            let (Some(first), Some(last)) = (signs.get(found.start), signs.get(found.end - 1)) else {
                continue;
            };
            taken.push((first.place.start..last.place.end, *name));
            if let Some(free) = is_free.get_mut(found) {
                free.fill(false);
            }
        }
    }
    put_in(text, taken)
}

/// Where names stand, in order.
fn names_in<'n>(text: &str, pairs: &[(&str, &'n str)]) -> Vec<(Range<usize>, &'n str)> {
    let mut places: Vec<(Range<usize>, &str)> = Vec::new();
    if text.contains('%') {
        for (_, name) in pairs {
            let found = text.match_indices(name);
            places.extend(found.map(|(start, _)| (start..start + name.len(), *name)));
        }
    }
    places.sort_by_key(|(place, _)| place.start);
    places
}

/// Of each sign whether it stands outside of the places, which are in order.
fn free_of(places: &[(Range<usize>, &str)], signs: &[Sign]) -> Vec<bool> {
    let mut places = places.iter().map(|(place, _)| place).peekable();
    let is_free = |sign: &Sign| {
        while places.next_if(|place| place.end <= sign.place.start).is_some() {}
        places.peek().is_none_or(|place| sign.place.end <= place.start)
    };
    signs.iter().map(is_free).collect()
}

/// The text with names in the place of parts of it; of two that overlap the first.
fn put_in(text: &str, mut parts: Vec<(Range<usize>, &str)>) -> String {
    parts.sort_by_key(|(place, _)| (place.start, Reverse(place.end)));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (place, name) in parts {
        if place.start < at {
            continue;
        }
        out.push_str(text.get(at..place.start).unwrap_or_default());
        out.push_str(name);
        at = place.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// A value as it is looked for.
struct Wanted {
    letters: Vec<char>,
    /// Whether signs between groups are passed over.
    is_in_groups: bool,
}

impl Wanted {
    fn new(value: &str) -> Self {
        let signs = signs_of(value.trim());
        let letters: Vec<char> = signs.iter().map(|sign| sign.letter).collect();
        let grouped: Vec<char> = letters
            .iter()
            .copied()
            .filter(|letter| !is_between_groups(*letter))
            .collect();
        let digits = grouped.iter().filter(|letter| letter.is_ascii_digit()).count();
        let is_in_groups = grouped.iter().all(|letter| letter.is_alphanumeric())
            && grouped.len() >= LEAST_IN_GROUPS
            && digits >= LEAST_IN_GROUPS / 2;
        Self {
            letters: if is_in_groups { grouped } else { letters },
            is_in_groups,
        }
    }

    /// Where it stands, none of them within another.
    fn places_in(&self, signs: &[Sign], is_free: &[bool]) -> Vec<Range<usize>> {
        let first = self.letters.first();
        let mut places: Vec<Range<usize>> = Vec::new();
        for (at, sign) in signs.iter().enumerate() {
            let is_within = places.last().is_some_and(|place| at < place.end);
            if Some(&sign.letter) == first
                && !is_within
                && let Some(end) = self.end_from(at, signs, is_free)
            {
                places.push(at..end);
            }
        }
        places
    }

    /// Where it ends when it begins there, whole or cut off.
    fn end_from(&self, start: usize, signs: &[Sign], is_free: &[bool]) -> Option<usize> {
        let letter_at = |at: usize| {
            let sign = signs
                .get(at)
                .filter(|_| is_free.get(at).is_some_and(|free| *free));
            sign.map(|sign| sign.letter)
        };
        if start > 0 && is_of_one_sign(signs, start) {
            return None;
        }
        let mut at = start;
        let mut letters = self.letters.iter().peekable();
        let mut met = 0;
        while let Some(letter) = letters.next() {
            if letter.is_whitespace() {
                let blanks = (at..)
                    .take_while(|at| letter_at(*at).is_some_and(is_blank))
                    .count();
                while letters.next_if(|next| next.is_whitespace()).is_some() {}
                if blanks == 0 {
                    return None;
                }
                at += blanks;
                continue;
            }
            let end_of_last = at;
            if self.is_in_groups && at > start {
                let between = (at..)
                    .take_while(|at| letter_at(*at).is_some_and(is_between_groups))
                    .take(MOST_BETWEEN_GROUPS)
                    .count();
                at += between;
            }
            let found = letter_at(at);
            if found != Some(*letter) {
                let is_cut = match found {
                    Some('…') => met >= LEAST_BEFORE_CUT,
                    _ if letter_at(end_of_last).is_none_or(|after| after == '\n') => met >= LEAST_BEFORE_END,
                    _ => false,
                };
                return is_cut.then_some(end_of_last);
            }
            at += 1;
            met += 1;
        }
        (!is_of_one_sign(signs, at)).then_some(at)
    }
}

/// Whether a letter is one of several that the same sign stands for, and not the first.
fn is_of_one_sign(signs: &[Sign], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| signs.get(before));
    matches!((before, signs.get(at)), (Some(before), Some(sign)) if before.place == sign.place)
}

/// How a text may write a blank of a value; forms send it as `+`.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '+'
}

fn is_between_groups(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '‐' | '‑' | '–' | '.' | ',' | '/' | '(' | ')' | '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_names_the_longest_first() {
        let pairs = [("secret", "%a%"), ("secret-long", "%b%")];
        assert_eq!(masked("secret-long, secret, x", &pairs), "%b%, %a%, x");
        assert_eq!(
            masked("one", &[("one", "%a%"), ("one", "%b%")]),
            "%a%",
            "the first of two"
        );
        assert_eq!(masked("", &pairs), "");
        assert_eq!(masked("a secret", &[]), "a secret");
    }

    #[test]
    fn addresses_write_values_in_their_own_ways() {
        let pairs = [("correct horse/ä9", "%a%")];
        for address in [
            "/?code=correct+horse%2F%C3%A49",
            "/?code=correct%20horse%2F%C3%A49",
            "/?code=correct%20horse/%c3%a49",
            "/?next=%2F%3Fcode%3Dcorrect%2520horse%252F%25C3%25A49",
            "/?next=correct%2520horse%252f%25c3%25a49",
            "/?each=%63%6f%72%72%65%63%74%20%68%6f%72%73%65%2f%c3%a4%39",
            "correct horse/ä9",
        ] {
            let told = masked(address, &pairs);
            assert!(
                told.contains("%a%") && !told.contains("horse") && !told.contains("9"),
                "{address}: {told}"
            );
        }
        let plus = masked("?q=1%2B1%3D2&q=1+1%3D2", &[("1+1=2", "%sum%")]);
        assert_eq!(plus, "?q=%sum%&q=%sum%");
    }

    #[test]
    fn pages_write_values_in_their_own_ways() {
        let pairs = [("Correct  horse-77", "%a%")];
        for (text, expected) in [
            ("HI, CORRECT HORSE-77!", "HI, %a%!"),
            ("correct\u{a0}\nhorse-77", "%a%"),
            ("c\u{200b}orrect hor\u{ad}se-77", "%a%"),
            ("cut: Correct hor…", "cut: %a%…"),
            ("cut: Correct h…", "cut: %a%…"),
            ("cut: Correct…", "cut: Correct…"),
            ("correcthorse-77", "correcthorse-77"),
        ] {
            assert_eq!(masked(text, &pairs), expected);
        }
        let long = "x1".repeat(600);
        let named = format!("title: {}\n", &long[..1_000]);
        assert_eq!(masked(&named, &[(&long, "%token%")]), "title: %token%\n");
        assert_eq!(masked("ada.", &[("  ada\n", "%user%")]), "%user%.");
        assert_eq!(masked("İİ", &[("i", "%x%")]), "İİ", "no half of a sign");
    }

    #[test]
    fn numbers_and_codes_are_found_in_groups() {
        let pairs = [("4111111111111111", "%card%"), ("+49 (170) 123-4567", "%phone%")];
        for (text, expected) in [
            ("card 4111 1111 1111 1111.", "card %card%."),
            ("4111-1111-1111-1111", "%card%"),
            ("(+491701234567)", "(+%phone%)"),
            ("4111 1111 - - 1111 1111", "4111 1111 - - 1111 1111"),
        ] {
            assert_eq!(masked(text, &pairs), expected);
        }
        assert_eq!(masked("12,345,678", &[("12345678", "%n%")]), "%n%");
        assert_eq!(masked("1-2-3", &[("123", "%n%")]), "1-2-3");
        assert_eq!(masked("in-the-end", &[("intheend", "%n%")]), "in-the-end");
    }

    #[test]
    fn names_stay_also_where_a_value_is_part_of_them() {
        let pairs = [("password", "%password%"), ("user", "%user%"), ("word", "%part%")];
        let once = masked("type %password% for user, a password, and é", &pairs);
        assert_eq!(once, "type %password% for %user%, a %password%, and é");
        assert_eq!(masked(&once, &pairs), once);
        assert_eq!(masked("pass%user%word", &pairs[..2]), "pass%user%word");
        assert_eq!(masked("%2password%", &[("é%2", "%x%")]), "%2password%");
    }
}
