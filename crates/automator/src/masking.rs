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

/// As many signs may stand between two of a number in groups, as in `(555) 123` and `4111 - 1111`.
const MOST_BETWEEN_GROUPS: usize = 3;

/// Values of fewer signs are no parts of longer words.
const LEAST_WITHIN_WORDS: usize = 6;

/// Values of letters alone, with fewer signs, are told from the same word in other letters.
const LEAST_IN_CAPITALS: usize = 8;

/// Characters of an id, its closing bracket among them.
const LONGEST_ID: usize = 16;

/// More blanks than this do not stand for one.
const MOST_BLANKS: usize = 100;

/// The text with a name, as `%name%`, in the place of each value; `pairs` are values and names. The longest value comes
/// first, and of two equal ones the first. A name that stands in the text stays, also where a value is part of it.
pub(crate) fn masked(text: &str, pairs: &[(&str, &str)]) -> String {
    if pairs.is_empty() || text.is_empty() {
        return text.to_owned();
    }
    let mut wanted: Vec<(Wanted, &str)> = pairs
        .iter()
        .map(|(value, name)| (Wanted::new(value), *name))
        .filter(|(wanted, _)| !wanted.signs.is_empty())
        .collect();
    wanted.sort_by_key(|(wanted, _)| Reverse(wanted.signs.len()));
    let (mut taken, left_alone) = names_in(text, pairs);
    let signs = signs_of(text);
    let mut is_free = free_of(&left_alone, &signs);
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

/// A place, and what is told there.
type Told<'n> = (Range<usize>, &'n str);

/// Where names stand, and values that hold names; and all places, in order, where no other value is looked for: those, and
/// the ids of elements and the numbers of paths, which stand in brackets.
fn names_in<'n>(text: &str, pairs: &[(&str, &'n str)]) -> (Vec<Told<'n>>, Vec<Range<usize>>) {
    let mut names: Vec<Told<'_>> = Vec::new();
    if text.contains('%') {
        let holds_name = |value: &str| pairs.iter().any(|(_, name)| value.contains(name));
        let values = pairs.iter().filter(|(value, _)| holds_name(value));
        let named = pairs.iter().map(|(_, name)| (*name, *name));
        for (sought, name) in values.copied().chain(named) {
            for (start, _) in text.match_indices(sought) {
                let place = start..start + sought.len();
                if !names.iter().any(|(other, _)| overlap(other, &place)) {
                    names.push((place, name));
                }
            }
        }
    }
    let mut places: Vec<Range<usize>> = names.iter().map(|(place, _)| place.clone()).collect();
    places.extend(numbers_in_brackets(text));
    places.sort_by_key(|place| place.start);
    (names, places)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Ids as `[0-12]`, and places in paths as in `li[3]`.
fn numbers_in_brackets(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices('[').filter_map(|(start, _)| {
        let rest = text.get(start + 1..)?;
        let inner = rest.get(..rest.bytes().take(LONGEST_ID).position(|byte| byte == b']')?)?;
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        let is_left_alone = match inner.split_once('-') {
            Some((frame, node)) => is_number(frame) && is_number(node),
            None => {
                is_number(inner)
                    && text
                        .get(..start)?
                        .ends_with(|sign: char| sign.is_ascii_alphabetic())
            }
        };
        is_left_alone.then(|| start..start + inner.len() + 2)
    })
}

/// Of each sign whether it stands outside of the places, which are in order.
fn free_of(places: &[Range<usize>], signs: &[Sign]) -> Vec<bool> {
    let mut places = places.iter().peekable();
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
    signs: Vec<Sign>,
    /// Whether signs between groups are passed over.
    is_in_groups: bool,
    /// Whether capitals and small letters are the same.
    is_in_capitals: bool,
}

impl Wanted {
    fn new(value: &str) -> Self {
        let signs = signs_of(value.trim());
        let grouped: Vec<Sign> = signs
            .iter()
            .filter(|sign| !is_between_groups(sign.letter))
            .cloned()
            .collect();
        let digits = grouped.iter().filter(|sign| sign.letter.is_ascii_digit()).count();
        let is_in_groups = grouped.iter().all(|sign| sign.letter.is_alphanumeric())
            && grouped.len() >= LEAST_IN_GROUPS
            && digits >= LEAST_IN_GROUPS / 2;
        let is_word = signs.iter().all(|sign| sign.letter.is_alphabetic());
        let least = if is_word {
            LEAST_IN_CAPITALS
        } else {
            LEAST_WITHIN_WORDS
        };
        Self {
            is_in_capitals: signs.len() >= least,
            signs: if is_in_groups { grouped } else { signs },
            is_in_groups,
        }
    }

    /// Where it stands, none of them within another.
    fn places_in(&self, signs: &[Sign], is_free: &[bool]) -> Vec<Range<usize>> {
        let text = Text { signs, is_free };
        let first = self.signs.first().map(|sign| sign.letter);
        let mut places: Vec<Range<usize>> = Vec::new();
        for (at, sign) in signs.iter().enumerate() {
            let is_within = places.last().is_some_and(|place| at < place.end);
            if Some(sign.letter) == first
                && !is_within
                && !text.is_within_one(at)
                && let Some(end) = self.end_from(at, text)
                && self.is_by_itself(&(at..end), signs)
            {
                places.push(at..end);
            }
        }
        places
    }

    /// Whether it is no part of a number, nor a short word one of a longer.
    fn is_by_itself(&self, place: &Range<usize>, signs: &[Sign]) -> bool {
        let letter = |at: Option<usize>| at.and_then(|at| signs.get(at)).map(|sign| sign.letter);
        let (before, after) = (place.start.checked_sub(1), Some(place.end));
        if self.signs.iter().all(|sign| sign.letter.is_ascii_digit()) {
            let is_digit = |at| letter(at).is_some_and(|letter| letter.is_ascii_digit());
            let is_point = |at| matches!(letter(at), Some('.' | ','));
            let goes_on = |near, far| is_digit(near) || (is_point(near) && is_digit(far));
            return !goes_on(before, place.start.checked_sub(2)) && !goes_on(after, Some(place.end + 1));
        }
        let is_in_word = |edge: Option<&Sign>, beside| {
            let joins = |letter: char| letter.is_alphanumeric();
            edge.is_some_and(|sign| joins(sign.letter)) && letter(beside).is_some_and(joins)
        };
        self.signs.len() >= LEAST_WITHIN_WORDS
            || !(is_in_word(self.signs.first(), before) || is_in_word(self.signs.last(), after))
    }

    /// Where it ends when it begins there, whole or cut off.
    fn end_from(&self, start: usize, text: Text<'_>) -> Option<usize> {
        let mut at = start;
        let mut wanted = self.signs.iter().peekable();
        let mut met = 0;
        while let Some(sign) = wanted.next() {
            if sign.letter.is_whitespace() {
                while wanted.next_if(|next| next.letter.is_whitespace()).is_some() {}
                at += text
                    .count(at, MOST_BLANKS, is_blank)
                    .filter(|blanks| *blanks > 0)?;
                continue;
            }
            let end_of_last = at;
            if self.is_in_groups && at > start {
                at += text
                    .count(at, MOST_BETWEEN_GROUPS, is_between_groups)
                    .unwrap_or(MOST_BETWEEN_GROUPS);
            }
            // As JSON writes it.
            if matches!(sign.letter, '"' | '\\')
                && text.letter(at) == Some('\\')
                && text.letter(at + 1) == Some(sign.letter)
            {
                at += 1;
            }
            if !text.get(at).is_some_and(|found| self.are_same(sign, found)) {
                let is_cut = match text.letter(end_of_last) {
                    Some('…') => met >= LEAST_BEFORE_CUT,
                    Some('.') if text.count(end_of_last, 4, |letter| letter == '.') == Some(3) => {
                        met >= LEAST_BEFORE_CUT
                    }
                    None | Some('\n') => met >= LEAST_BEFORE_END,
                    _ => false,
                };
                return is_cut.then_some(end_of_last);
            }
            at += 1;
            met += 1;
        }
        (!text.is_within_one(at)).then_some(at)
    }

    fn are_same(&self, one: &Sign, other: &Sign) -> bool {
        one.letter == other.letter && (self.is_in_capitals || one.written == other.written)
    }
}

/// The signs of a text, and which of them may be part of a value.
#[derive(Clone, Copy)]
struct Text<'t> {
    signs: &'t [Sign],
    is_free: &'t [bool],
}

impl<'t> Text<'t> {
    fn get(self, at: usize) -> Option<&'t Sign> {
        self.signs
            .get(at)
            .filter(|_| self.is_free.get(at).is_some_and(|free| *free))
    }

    fn letter(self, at: usize) -> Option<char> {
        self.get(at).map(|sign| sign.letter)
    }

    /// How many signs of a kind follow each other; none when there are more than that.
    fn count(self, at: usize, most: usize, is_such: impl Fn(char) -> bool) -> Option<usize> {
        let all = (at..).take_while(|at| self.letter(*at).is_some_and(&is_such));
        let count = all.take(most + 1).count();
        (count <= most).then_some(count)
    }

    /// Whether a letter is one of several that the same sign stands for, and not the first.
    fn is_within_one(self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.signs.get(before));
        matches!((before, self.signs.get(at)), (Some(before), Some(sign)) if before.place == sign.place)
    }
}

/// How a text may write a blank of a value; forms send it as `+`.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '+'
}

fn is_between_groups(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '-' | '–' | '.' | ',' | '/' | '(' | ')' | '+' | '·' | '_')
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
            ("cut: Correct Horse...", "cut: %a%..."),
            ("cut: Correct Horse....", "cut: Correct Horse...."),
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
            ("4111 - 1111 - 1111 - 1111", "%card%"),
            ("4111 1111 - - 1111 1111", "4111 1111 - - 1111 1111"),
        ] {
            assert_eq!(masked(text, &pairs), expected);
        }
        assert_eq!(masked("12,345,678", &[("12345678", "%n%")]), "%n%");
        assert_eq!(masked("1-2-3", &[("123", "%n%")]), "1-2-3");
        assert_eq!(masked("in-the-end", &[("intheend", "%n%")]), "in-the-end");
    }

    #[test]
    fn short_values_are_no_parts_of_other_words_and_numbers() {
        let pairs = [("100", "%n%"), ("USA", "%c%"), ("Ann", "%u%"), ("Button", "%b%")];
        for (text, expected) in [
            (
                "100 of 1100, 100.50 and 1,100 or 100.",
                "%n% of 1100, 100.50 and 1,100 or %n%.",
            ),
            ("x100y, a100", "x%n%y, a%n%"),
            ("usage in the USA", "usage in the %c%"),
            ("Ann's annual Annex", "%u%'s annual Annex"),
            ("[0-1] button: Button", "[0-1] button: %b%"),
            (
                "[0-100] link: 100 /ul[1]/li[100]/a",
                "[0-100] link: %n% /ul[1]/li[100]/a",
            ),
            ("[100] and [100-]", "[%n%] and [%n%-]"),
        ] {
            assert_eq!(masked(text, &pairs), expected);
        }
        assert_eq!(masked("xhunter2x HUNTER2", &[("hunter2", "%p%")]), "x%p%x %p%");
    }

    #[test]
    fn values_are_found_as_json_writes_them_and_when_they_hold_names() {
        let pairs = [("q\"u\\o'te", "%a%"), ("aa%a%bb", "%b%")];
        assert_eq!(masked(r#"{"v":"q\"u\\o'te"}"#, &pairs), r#"{"v":"%a%"}"#);
        assert_eq!(masked("aa%a%bb and %a%", &pairs), "%b% and %a%");
    }

    #[test]
    fn texts_that_repeat_a_beginning_are_read_in_time() {
        let text = "+".repeat(300_000);
        assert_eq!(masked(&text, &[("+ 49x", "%a%")]), text);
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
