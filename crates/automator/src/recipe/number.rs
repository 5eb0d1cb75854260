//! Numbers as pages write them.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

/// How a page writes numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NumberForm {
    /// `.` or `,`; none as long as no number has shown it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) decimal_mark: Option<DecimalMark>,
    /// Whether numbers have three decimals, as weights do. Otherwise three digits after a mark could be thousands.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub(super) three_decimals: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum DecimalMark {
    #[serde(rename = ".")]
    Point,
    #[serde(rename = ",")]
    Comma,
}

impl DecimalMark {
    pub(super) const ALL: [DecimalMark; 2] = [DecimalMark::Point, DecimalMark::Comma];

    fn character(self) -> char {
        match self {
            DecimalMark::Point => '.',
            DecimalMark::Comma => ',',
        }
    }

    fn of(character: char) -> Option<DecimalMark> {
        DecimalMark::ALL
            .into_iter()
            .find(|mark| mark.character() == character)
    }

    fn other(self) -> DecimalMark {
        match self {
            DecimalMark::Point => DecimalMark::Comma,
            DecimalMark::Comma => DecimalMark::Point,
        }
    }
}

/// Digits beyond which a number of JSON is no longer exact.
const MOST_DIGITS: usize = 15;

/// The number that a text is, when it can only be one.
pub(super) fn read(text: &str, form: NumberForm) -> Option<f64> {
    let (is_negative, digits) = unsigned(text);
    let mark = form.decimal_mark.or_else(|| mark_in(digits));
    let (whole, decimals) = match mark {
        Some(mark) => match digits.split_once(mark.character()) {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (digits, None),
        },
        None => (digits, None),
    };
    let groups: Vec<&str> = whole
        .split(|character: char| !character.is_ascii_digit())
        .collect();
    let (first, rest) = groups.split_first()?;
    let marks: Vec<char> = whole
        .chars()
        .filter(|character| !character.is_ascii_digit())
        .collect();
    let is_grouped = rest.is_empty()
        || ((1..=3).contains(&first.len())
            && rest.iter().all(|group| group.len() == 3)
            && marks
                .iter()
                .all(|&mark| is_group_mark(mark) && Some(&mark) == marks.first()));
    let are_digits =
        decimals.is_none_or(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let known = form.decimal_mark.is_some();
    let could_be_thousands = decimals.is_some_and(|decimals| is_like_thousands(whole, decimals))
        && !(known && form.three_decimals);
    let only_group = match (rest, &marks[..]) {
        ([group], [mark]) => {
            DecimalMark::of(*mark).is_some()
                && is_like_thousands(first, group)
                && !known
                && decimals.is_none()
        }
        _ => false,
    };
    if first.is_empty() || !is_grouped || !are_digits || could_be_thousands || only_group {
        return None;
    }
    let mut plain = groups.concat();
    if plain.len() + decimals.map_or(0, str::len) > MOST_DIGITS {
        return None;
    }
    if let Some(decimals) = decimals {
        plain = format!("{plain}.{decimals}");
    }
    let number: f64 = plain.parse().ok()?;
    Some(if is_negative { -number } else { number })
}

/// The form in which a text is that number.
pub(super) fn form_of(text: &str, number: f64) -> Option<NumberForm> {
    let is = |form: NumberForm| read(text, form) == Some(number);
    let (_, digits) = unsigned(text);
    let plain = NumberForm::default();
    if is(plain) {
        // The marks in it tell the form of others.
        let grouped = |digits: &str| {
            let mut marks = digits.chars().filter_map(DecimalMark::of);
            marks.next().map(DecimalMark::other)
        };
        let decimal_mark = mark_in(digits).or_else(|| grouped(digits));
        return Some(NumberForm {
            decimal_mark,
            three_decimals: false,
        });
    }
    let forms = [false, true].into_iter().flat_map(|three_decimals| {
        DecimalMark::ALL.map(|mark| NumberForm {
            decimal_mark: Some(mark),
            three_decimals,
        })
    });
    forms.into_iter().find(|&form| is(form))
}

/// Every number that a text may be, whatever the form of its page.
pub(super) fn readings(text: &str) -> Vec<f64> {
    let known = DecimalMark::ALL.into_iter().flat_map(|mark| {
        [false, true].map(|three_decimals| NumberForm {
            decimal_mark: Some(mark),
            three_decimals,
        })
    });
    let forms = std::iter::once(NumberForm::default()).chain(known);
    let mut found: Vec<f64> = forms.filter_map(|form| read(text, form)).collect();
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// The form of texts of one kind; none when they contradict each other.
pub(super) fn common_form(forms: impl Iterator<Item = NumberForm>) -> Option<NumberForm> {
    let mut common = NumberForm::default();
    for form in forms {
        match (common.decimal_mark, form.decimal_mark) {
            (Some(known), Some(mark)) if known != mark => return None,
            (None, mark) => common.decimal_mark = mark,
            _ => {}
        }
        common.three_decimals |= form.three_decimals;
    }
    Some(common)
}

/// A number of JSON: whole where it is.
pub(super) fn to_value(number: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "of at most 15 digits")]
    if number.fract() == 0.0 && number.abs() < 1e15 {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// The stretches of a text that may be numbers: start and end.
pub(super) fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text
        .get(from..)
        .and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
    {
        let start = from + start;
        let rest = text.get(start..).unwrap_or_default();
        let end_of = |accepts: &dyn Fn(char) -> bool| {
            let length = rest
                .find(|character: char| !accepts(character))
                .unwrap_or(rest.len());
            let token = rest.get(..length).unwrap_or_default();
            start
                + token
                    .trim_end_matches(|character: char| !character.is_ascii_digit())
                    .len()
        };
        let tight = end_of(&|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '’'));
        let loose = end_of(&|c| c.is_ascii_digit() || is_group_mark(c));
        let before = text.get(..start).unwrap_or_default();
        let sign = before
            .chars()
            .next_back()
            .filter(|&sign| matches!(sign, '-' | '−'));
        // A hyphen between words or numbers is no sign.
        let is_sign = sign.is_some_and(|sign| {
            let ahead = before.get(..before.len() - sign.len_utf8()).unwrap_or_default();
            !ahead.ends_with(char::is_alphanumeric)
        });
        let start = if is_sign {
            start - sign.map_or(0, char::len_utf8)
        } else {
            start
        };
        found.push((start, tight));
        if loose != tight {
            found.push((start, loose));
        }
        from = tight.max(start + 1);
        while !text.is_char_boundary(from) {
            from += 1;
        }
    }
    found
}

fn unsigned(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    }
}

fn is_group_mark(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}'
    )
}

/// `1` and `299`, which a mark between them makes a fraction in one country and thousands in another.
fn is_like_thousands(whole: &str, last: &str) -> bool {
    last.len() == 3
        && (1..=3).contains(&whole.len())
        && !whole.starts_with('0')
        && whole.bytes().all(|byte| byte.is_ascii_digit())
}

/// The decimal mark that a text shows by itself.
fn mark_in(digits: &str) -> Option<DecimalMark> {
    let last = digits.rfind(['.', ','])?;
    let mark = digits.get(last..)?.chars().next().and_then(DecimalMark::of)?;
    let is_only = digits.matches(mark.character()).count() == 1;
    let has_other = digits.contains(mark.other().character());
    let has_group = digits.contains(|c: char| is_group_mark(c) && DecimalMark::of(c).is_none());
    let (whole, decimals) = digits.split_once(mark.character())?;
    (is_only && (has_other || has_group || !is_like_thousands(whole, decimals))).then_some(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(mark: Option<DecimalMark>, three_decimals: bool) -> NumberForm {
        NumberForm {
            decimal_mark: mark,
            three_decimals,
        }
    }

    #[test]
    fn numbers_are_read_only_when_they_can_be_read_one_way() {
        let unknown = form(None, false);
        for (text, number) in [
            ("49", 49.0),
            ("49.00", 49.0),
            ("49,5", 49.5),
            ("1,299.00", 1299.0),
            ("1.299,00", 1299.0),
            ("1 299,50", 1299.5),
            ("-5", -5.0),
            ("1,299,000", 1_299_000.0),
            ("0.125", 0.125),
        ] {
            assert_eq!(read(text, unknown), Some(number), "{text}");
        }
        for text in [
            "1.299",
            "1,299",
            "",
            "-",
            "1.2.3",
            "12,34.5,6",
            "1,29,900",
            "9999999999999999",
            "5-6",
            "4 100 5",
        ] {
            assert_eq!(read(text, unknown), None, "{text}");
        }
    }

    #[test]
    fn the_form_of_a_page_decides_what_is_open_and_refuses_what_contradicts_it() {
        let point = form(Some(DecimalMark::Point), false);
        let comma = form(Some(DecimalMark::Comma), false);
        assert_eq!(read("1,299", point), Some(1299.0));
        assert_eq!(read("1.299", comma), Some(1299.0));
        assert_eq!(read("1.299", point), None);
        assert_eq!(read("1.299", form(Some(DecimalMark::Point), true)), Some(1.299));
        assert_eq!(read("1.299,00", point), None);
        assert_eq!(form_of("1.299", 1299.0), Some(comma));
        assert_eq!(
            form_of("1.299", 1.299),
            Some(form(Some(DecimalMark::Point), true))
        );
        assert_eq!(form_of("49", 49.0), Some(form(None, false)));
        assert_eq!(form_of("49", 50.0), None);
    }

    #[test]
    fn tokens_take_signs_but_no_hyphens() {
        let all = |text: &str| -> Vec<String> {
            tokens(text)
                .into_iter()
                .map(|(a, b)| text[a..b].to_owned())
                .collect()
        };
        assert_eq!(all("€ -5.00, was 1 299 €"), ["-5.00", "1", "1 299", "299"]);
        assert_eq!(all("A-7 at 3–4"), ["7", "3", "4"]);
        assert!(all("é—none").is_empty());
    }
}
