//! Numbers that a model wrote as text.

use serde_json::Number;

/// Reads a number that was written as text, when it can only mean one number.
///
/// Read: JSON numbers (`"41"`, `"-3.5"`, `"1e3"`); one currency sign or code before or after; digits grouped in
/// threes by blanks, apostrophes or underscores (`"1 299"`), by commas or dots that occur more than once
/// (`"1,299,000"`), or together with the other one as decimal mark (`"1,299.00"`, `"1.299,00"`); a single
/// comma that can only be a decimal mark (`"49,90"`, `"0,125"`).
///
/// Not read, because they mean two things or none: `"1,299"` and `"€ 1.299"` (thousands or thousandths),
/// `"007"` (perhaps a code), `"49 %"` (49 or 0.49), `"5 kg"`, `"about 5"`, `"3-5"`, and whole numbers beyond
/// 64 bits.
pub(super) fn read_number(text: &str) -> Option<Number> {
    let (text, currency) = strip_currency(text.trim());
    let (negative, digits) = strip_sign(text);
    // A sign may also stand before the currency.
    let (digits, inner_currency) = if currency {
        (digits, false)
    } else {
        strip_currency(digits)
    };
    let currency = currency || inner_currency;
    let plain = if is_json_number(digits) {
        if currency && has_three_decimals(digits) {
            return None;
        }
        digits.to_owned()
    } else {
        ungroup(digits)?
    };
    let sign = if negative { "-" } else { "" };
    to_number(&format!("{sign}{plain}"))
}

const CURRENCY_CODES: [&str; 18] = [
    "EUR", "USD", "GBP", "JPY", "CHF", "CNY", "INR", "AUD", "CAD", "NZD", "SEK", "NOK", "DKK", "PLN", "CZK",
    "HUF", "BRL", "KRW",
];

fn strip_currency(text: &str) -> (&str, bool) {
    let sign = |character: char| {
        matches!(
            character,
            '$' | '£' | '¥' | '¤' | '\u{20a0}'..='\u{20cf}' | '\u{e3f}'
        )
    };
    if let Some(rest) = text.strip_prefix(sign).or_else(|| text.strip_suffix(sign)) {
        return (rest.trim(), true);
    }
    for code in CURRENCY_CODES {
        if let Some(rest) = text.strip_prefix(code).or_else(|| text.strip_suffix(code)) {
            return (rest.trim(), true);
        }
    }
    (text, false)
}

fn strip_sign(text: &str) -> (bool, &str) {
    if let Some(rest) = text.strip_prefix(['-', '\u{2212}']) {
        (true, rest.trim_start())
    } else {
        (false, text.strip_prefix('+').unwrap_or(text))
    }
}

/// Whether a text without sign is a number by the rules of JSON.
fn is_json_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && serde_json::from_str::<Number>(text).is_ok()
}

/// `1.299`, but not `0.299` or `1234.567`: a group of three that could be thousands.
fn has_three_decimals(text: &str) -> bool {
    text.split_once('.')
        .is_some_and(|(whole, decimals)| is_ambiguous_group(whole, decimals))
}

fn is_ambiguous_group(whole: &str, last: &str) -> bool {
    last.len() == 3 && (1..=3).contains(&whole.len()) && !whole.starts_with('0')
}

/// Takes grouping out and makes the decimal mark a dot.
fn ungroup(text: &str) -> Option<String> {
    let is_neutral = |character: char| {
        matches!(
            character,
            ' ' | '\'' | '’' | '_' | '\u{a0}' | '\u{202f}' | '\u{2009}'
        )
    };
    let known = |character: char| {
        character.is_ascii_digit() || is_neutral(character) || matches!(character, '.' | ',')
    };
    if text.len() > 64 || !text.chars().all(known) {
        return None;
    }
    let count = |mark: char| text.matches(mark).count();
    let (dots, commas) = (count('.'), count(','));
    let neutral = text.chars().any(is_neutral);
    let (whole, decimals) = match (dots, commas) {
        (0, 0) => (text, None),
        // Both: the last one is the decimal mark.
        (_, 1) if dots > 0 && text.rfind(',') > text.rfind('.') => split(text, ',')?,
        (1, _) if commas > 0 && text.rfind('.') > text.rfind(',') => split(text, '.')?,
        (0, 1) => {
            let (whole, decimals) = text.split_once(',')?;
            if is_ambiguous_group(whole, decimals) {
                return None;
            }
            (whole, Some(decimals))
        }
        (1, 0) if neutral => split(text, '.')?,
        (0, _) | (_, 0) => (text, None),
        _ => return None,
    };
    let groups: Vec<&str> = whole
        .split(|character: char| !character.is_ascii_digit())
        .collect();
    let (first, rest) = groups.split_first()?;
    let well_grouped =
        rest.is_empty() || (1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3);
    let one_kind = whole
        .chars()
        .filter(|character| !character.is_ascii_digit())
        .collect::<std::collections::BTreeSet<_>>();
    let starts_well = !first.is_empty() && (*first == "0" && rest.is_empty() || !first.starts_with('0'));
    let decimals_are_digits =
        decimals.is_none_or(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if !well_grouped || one_kind.len() > 1 || !starts_well || !decimals_are_digits {
        return None;
    }
    let mut plain = groups.concat();
    if let Some(decimals) = decimals {
        plain.push('.');
        plain.push_str(decimals);
    }
    Some(plain)
}

fn split(text: &str, mark: char) -> Option<(&str, Option<&str>)> {
    let (whole, decimals) = text.rsplit_once(mark)?;
    Some((whole, Some(decimals)))
}

fn to_number(text: &str) -> Option<Number> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Number::from(whole));
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Some(Number::from(whole));
    }
    // A whole number that fits in neither would lose digits.
    if text
        .trim_start_matches('-')
        .bytes()
        .all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    Number::from_f64(text.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<f64> {
        read_number(text).and_then(|number| number.as_f64())
    }

    #[test]
    fn plain_numbers_are_read() {
        for (text, number) in [
            ("41", 41.0),
            (" -3.5 ", -3.5),
            ("1e3", 1000.0),
            ("+7", 7.0),
            ("−2", -2.0),
            ("0", 0.0),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
        assert!(read_number("41").unwrap().is_i64());
    }

    #[test]
    fn grouped_numbers_are_read_when_they_mean_one_thing() {
        for (text, number) in [
            ("1,299.00", 1299.0),
            ("1.299,00", 1299.0),
            ("12,345,678", 12_345_678.0),
            ("12.345.678", 12_345_678.0),
            ("1 299", 1299.0),
            ("1\u{202f}299,5", 1299.5),
            ("1'299.50", 1299.5),
            ("49,90", 49.9),
            ("0,125", 0.125),
            ("1234,567", 1234.567),
            ("1,234,567.891", 1_234_567.891),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
    }

    #[test]
    fn one_currency_does_not_disturb() {
        for (text, number) in [
            ("€ 49", 49.0),
            ("49 €", 49.0),
            ("$1,299.00", 1299.0),
            ("EUR 49.00", 49.0),
            ("-€5", -5.0),
            ("€ -5", -5.0),
            ("49,90 EUR", 49.9),
        ] {
            assert_eq!(read(text), Some(number), "{text}");
        }
    }

    #[test]
    fn what_means_two_things_is_not_read() {
        for text in [
            "1,299",
            "€ 1.299",
            "007",
            "49 %",
            "5 kg",
            "about 5",
            "3-5",
            "1,29,00",
            "1.2.3",
            "1,2.3,4",
            "",
            "-",
            ",",
            ".5",
            "5.",
            "5,",
            "1 2",
            "€",
            "1e",
            "Infinity",
            "NaN",
            "0x10",
            "1,299.00.00",
            "1 299,5,5",
            "12 1,299",
            "99999999999999999999999",
            "€€5",
            "1.000 000,5",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
