//! A cheap estimate of how many tokens a text has, for budgets.

/// Estimates the tokens of a text without a tokenizer.
///
/// Meant for deciding whether a page fits into a model's window, so it leans to the high side. Measured
/// against the `o200k` encoding on 173 page texts (articles, shops, tables, forum pages, outlines with
/// element ids; 50 to 20,000 tokens): median 1.05 times the real count, 0.89 to 1.19 for nine texts in ten,
/// 0.69 for the worst (formulas in Unicode letters). Languages written without blanks are estimated 1.2 to
/// 1.7 times too high for `o200k`, because other tokenizers need more for them. A long run of letters (base64)
/// is estimated too low by half.
///
/// Costs one pass over the text.
///
/// ```
/// assert_eq!(automator_llm::estimate_tokens(""), 0);
/// assert!((5..=8).contains(&automator_llm::estimate_tokens("Put it in the basket.")));
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    let mut hundredths = 0_usize;
    let mut letters = 0_usize;
    let mut digits = 0_usize;
    let mut previous = '\0';
    for character in text.chars() {
        let class = Class::of(character);
        if class != Class::Letter && class != Class::AccentedLetter {
            letters = 0;
        }
        if class != Class::Digit {
            digits = 0;
        }
        hundredths += match class {
            Class::Letter | Class::AccentedLetter => {
                letters += 1;
                let start = if letters == 1 { 68 } else { 0 };
                let each = if letters <= 12 { 11 } else { 55 };
                start + each + if class == Class::AccentedLetter { 60 } else { 0 }
            }
            // Three digits share a token.
            Class::Digit => {
                digits += 1;
                if digits % 3 == 1 { 110 } else { 0 }
            }
            Class::Blank => 0,
            Class::LineBreak => {
                if previous == '\n' {
                    0
                } else {
                    100
                }
            }
            Class::Punctuation => 85,
            Class::Alphabet => 40,
            Class::Ideograph => 90,
            Class::Symbol => 100,
            Class::Pictograph => 200,
        };
        previous = character;
    }
    hundredths.div_ceil(100)
}

/// Characters that cost about the same.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    AccentedLetter,
    Digit,
    Blank,
    LineBreak,
    Punctuation,
    /// Greek, Cyrillic, Arabic, Hebrew, Thai, the scripts of India.
    Alphabet,
    Ideograph,
    Symbol,
    Pictograph,
}

impl Class {
    fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Self::Letter,
            '0'..='9' => Self::Digit,
            ' ' | '\t' => Self::Blank,
            '\n' | '\r' => Self::LineBreak,
            '\0'..='\u{7f}' => Self::Punctuation,
            '\u{80}'..='\u{bf}' => Self::Symbol,
            '\u{c0}'..='\u{24f}' => Self::AccentedLetter,
            '\u{250}'..='\u{1fff}' => Self::Alphabet,
            // Kana, CJK, Hangul and the supplementary ideographs.
            '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Ideograph,
            '\u{1f000}'..='\u{1ffff}' => Self::Pictograph,
            _ => Self::Symbol,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real counts are those of the `o200k` encoding.
    #[track_caller]
    fn within(text: &str, real: usize, low: f64, high: f64) {
        let ratio = estimate_tokens(text) as f64 / real as f64;
        assert!((low..=high).contains(&ratio), "{ratio:.2} of {real} for {text:?}");
    }

    #[test]
    fn russian_text_is_not_underestimated() {
        within(
            "Этот товар доставляется бесплатно в течение трёх дней, возврат возможен в течение тридцати дней.",
            24,
            1.0,
            1.8,
        );
    }

    #[test]
    fn chinese_and_korean_text_is_not_underestimated() {
        within(
            "该商品免运费，三天内送达，三十天内可退货。请联系客户服务了解更多信息。我们提供多种付款方式。",
            35,
            1.0,
            1.5,
        );
        within(
            "이 상품은 무료 배송이며 삼일 이내에 도착합니다. 고객 서비스에 문의해 주세요.",
            22,
            1.0,
            1.8,
        );
    }

    #[test]
    fn table_rows_stay_close() {
        within(
            &"1,299.00 | 12.5 % | 2026-11-27 | SKU-99812-X | € 49.00\n".repeat(5),
            160,
            0.8,
            1.2,
        );
    }

    #[test]
    fn longer_text_never_has_fewer_tokens() {
        let text = "Arc lamp € 49.00 [0-5] button: Add\n该商品";
        let mut last = 0;
        for (end, _) in text.char_indices() {
            let now = estimate_tokens(&text[..end]);
            assert!(now >= last);
            last = now;
        }
    }
}
