//! A text sign by sign as it is compared with values, each with the place where it is written. Pure.

use std::ops::Range;

use crate::signs::{is_unseen, narrow};

/// One sign: narrow, and out of its code when the text is an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sign {
    /// In small letters.
    pub(super) letter: char,
    /// As it is written.
    pub(super) written: char,
    /// Where it is written, in bytes. Letters that one sign stands for share it.
    pub(super) place: Range<usize>,
}

/// The signs of a text; what nobody sees is none.
pub(super) fn signs_of(text: &str) -> Vec<Sign> {
    let mut signs = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        // Most of what is read, and at most one letter each.
        if let Some(byte) = rest
            .bytes()
            .next()
            .filter(|byte| byte.is_ascii() && *byte != b'%')
        {
            signs.push(Sign {
                letter: char::from(byte.to_ascii_lowercase()),
                written: char::from(byte),
                place: at..at + 1,
            });
            at += 1;
            continue;
        }
        let (written, length) = coded(rest).unwrap_or_else(|| {
            let sign = rest.chars().next().unwrap_or_default();
            (sign, sign.len_utf8())
        });
        let place = at..at + length;
        at = place.end;
        if is_unseen(written) {
            continue;
        }
        let written = narrow(written);
        signs.extend(written.to_lowercase().map(|letter| Sign {
            letter,
            written,
            place: place.clone(),
        }));
    }
    signs
}

/// The character whose code in an address a text begins with, also of an address within another one, and how long
/// the code is.
fn coded(text: &str) -> Option<(char, usize)> {
    let (first, mut length) = coded_byte(text)?;
    let wanted = match first {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let mut bytes = vec![first];
    while bytes.len() < wanted {
        let (byte, more) = coded_byte(text.get(length..)?)?;
        bytes.push(byte);
        length += more;
    }
    let character = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    Some((character, length))
}

/// A byte as `%2F`, `%252F` and so on.
fn coded_byte(text: &str) -> Option<(u8, usize)> {
    let mut digits = text.strip_prefix('%')?;
    while let Some(inner) = digits.strip_prefix("25")
        && inner.get(..2).is_some_and(is_hex)
    {
        digits = inner;
    }
    let code = digits.get(..2).filter(|code| is_hex(code))?;
    let byte = u8::from_str_radix(code, 16).ok()?;
    Some((byte, text.len() - digits.len() + 2))
}

fn is_hex(code: &str) -> bool {
    code.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        signs_of(text).iter().map(|sign| sign.letter).collect()
    }

    #[test]
    fn signs_are_small_and_narrow_and_out_of_their_codes() {
        assert_eq!(read("Ab\u{200b}\u{ad}Ｃ\u{a0}d"), "abc d");
        assert_eq!(read("%41%2f%C3%A4%c3%a4"), "a/ää");
        assert_eq!(read("%2541%252F%25C3%25A4 %25252f"), "a/ä /");
        assert_eq!(read("100% %zz %4 %"), "100% %zz %4 %");
        assert_eq!(read("%C3%28 %ff"), "%c3( %ff");
        assert_eq!(read("%25 off"), "% off");
    }

    #[test]
    fn each_sign_knows_its_place() {
        let places: Vec<_> = signs_of("é%C3%A4İ").into_iter().map(|sign| sign.place).collect();
        assert_eq!(places, [0..2, 2..8, 8..10, 8..10]);
    }
}
