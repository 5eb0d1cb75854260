//! Names of variables in the place of their values, in whatever way a text writes these. Pure.

use std::cmp::Reverse;
use std::ops::Range;

/// A part of a text.
enum Piece<'t> {
    /// In which values are still looked for.
    Open(&'t str),
    /// In which they are not: a name, whether it stood there or took the place of a value.
    Name(&'t str),
}

/// The text with a name, as `%name%`, in the place of each value; `pairs` are values and names. The longest value comes
/// first, and of two equal ones the first. A name that stands in the text stays, also where a value is part of it.
pub(crate) fn masked(text: &str, pairs: &[(&str, &str)]) -> String {
    let mut forms: Vec<(String, &str)> = Vec::new();
    for (value, name) in pairs {
        forms.extend(forms_of(value).into_iter().map(|form| (form, *name)));
    }
    forms.sort_by_key(|(form, _)| Reverse(form.len()));
    let mut pieces = vec![Piece::Open(text)];
    if text.contains('%') {
        for (_, name) in pairs {
            pieces = split(pieces, name, name);
        }
    }
    for (form, name) in &forms {
        pieces = split(pieces, form, name);
    }
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Open(text) | Piece::Name(text) => *text,
    });
    texts.collect()
}

/// How an address may hold a value: as scripts write it into one, for a part of it or for a whole one, as a form sends
/// it, as it is, and each of these in an address that is part of another one.
fn forms_of(value: &str) -> Vec<String> {
    let sent: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let mut written = sent.replace('+', "%20");
    for (code, sign) in [
        ("%21", "!"),
        ("%27", "'"),
        ("%28", "("),
        ("%29", ")"),
        ("%7E", "~"),
    ] {
        written = written.replace(code, sign);
    }
    let mut whole = written.clone();
    for (code, sign) in [
        ("%2F", "/"),
        ("%3A", ":"),
        ("%40", "@"),
        ("%2C", ","),
        ("%3B", ";"),
        ("%2B", "+"),
        ("%24", "$"),
        ("%26", "&"),
        ("%3D", "="),
        ("%3F", "?"),
        ("%23", "#"),
    ] {
        whole = whole.replace(code, sign);
    }
    let once = [written, whole, sent.replace('+', "%20"), sent];
    let twice: Vec<String> = once
        .iter()
        .filter(|form| form.contains('%'))
        .map(|form| form.replace('%', "%25"))
        .collect();
    let mut forms = vec![value.to_owned()];
    for form in once.into_iter().chain(twice) {
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

/// Puts a name in the place of a form, wherever it is still looked for.
fn split<'t>(pieces: Vec<Piece<'t>>, form: &str, name: &'t str) -> Vec<Piece<'t>> {
    let mut parted = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let Piece::Open(mut rest) = piece else {
            parted.push(piece);
            continue;
        };
        while let Some(found) = find(rest, form) {
            let (before, after) = (&rest[..found.start], &rest[found.end..]);
            if !before.is_empty() {
                parted.push(Piece::Open(before));
            }
            parted.push(Piece::Name(name));
            rest = after;
        }
        if !rest.is_empty() {
            parted.push(Piece::Open(rest));
        }
    }
    parted
}

/// The first place of a form. The digits of codes, as in `%2F`, may be small letters or capitals.
fn find(text: &str, form: &str) -> Option<Range<usize>> {
    if form.is_empty() {
        return None;
    }
    if !form.contains('%') {
        return text.find(form).map(|start| start..start + form.len());
    }
    let wanted = form.as_bytes();
    let start = text
        .as_bytes()
        .windows(wanted.len())
        .position(|window| is_same(window, wanted))?;
    // Both begin with the same byte, which begins a character in one of them, and so do their ends.
    Some(start..start + wanted.len())
}

fn is_same(one: &[u8], other: &[u8]) -> bool {
    let follows = |place: usize, back: usize, sign: &[u8]| {
        let at = place.checked_sub(back).and_then(|at| other.get(at..));
        at.is_some_and(|at| at.starts_with(sign))
    };
    let is_digit_of_code = |place: usize| {
        (1..=2).any(|back| follows(place, back, b"%")) || (3..=4).any(|back| follows(place, back, b"%25"))
    };
    one.iter().zip(other).enumerate().all(|(place, (one, other))| {
        one == other || (is_digit_of_code(place) && one.eq_ignore_ascii_case(other))
    })
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
            "correct horse/ä9",
        ] {
            let told = masked(address, &pairs);
            assert!(
                told.contains("%a%") && !told.contains("horse"),
                "{address}: {told}"
            );
        }
        let capital = masked("Correct%20Horse%2F%C3%A49", &pairs);
        assert_eq!(capital, "Correct%20Horse%2F%C3%A49", "letters are told apart");
    }

    #[test]
    fn names_stay_also_where_a_value_is_part_of_them() {
        let pairs = [("password", "%password%"), ("user", "%user%"), ("word", "%part%")];
        let once = masked("type %password% for user, a password, and é", &pairs);
        assert_eq!(once, "type %password% for %user%, a %password%, and é");
        assert_eq!(masked(&once, &pairs), once);
        assert_eq!(masked("%2password%", &[("é%2", "%x%")]), "%2password%");
    }
}
