//! How well a page text holds the known text of a page; pure.
//!
//! The figures are those of the corpus' own `score.mjs`, computed anew: tokens (o200k), word recall (a
//! multiset), 4-gram recall and must-have snippets. Recalls count for pages with at least 20 known words.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::LazyLock;

use icu_normalizer::ComposingNormalizer;
use regex::Regex;
use tiktoken_rs::CoreBPE;

use crate::corpus::Truth;

/// Pages with fewer known words say nothing about recall.
const LEAST_KNOWN_WORDS: usize = 20;

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}]+").expect("a valid pattern"));

/// A line that carries an id, with what follows its role word.
static ELEMENT_LINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*\[\d+-\d+\] [^:]*?(?:: (.*))?$").expect("a valid pattern"));

static TRAILING_STATES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?: \[[a-z]+\])+$").expect("a valid pattern"));

/// Counts tokens and recalls.
pub(crate) struct Scorer {
    tokens: CoreBPE,
}

/// The figures of one page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageScore {
    pub(crate) tokens: usize,
    /// Whether the known text is long enough for the recalls to count.
    pub(crate) counted: bool,
    pub(crate) word_recall: f64,
    pub(crate) gram_recall: f64,
    /// The share of must-have snippets that were found; none when the page has none.
    pub(crate) must_have: Option<f64>,
}

impl Scorer {
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            tokens: tiktoken_rs::o200k_base()?,
        })
    }

    pub(crate) fn score(&self, text: &str, truth: &Truth) -> PageScore {
        let known = words(&truth.text);
        let bare = words(&plain(text));
        let flat = format!(" {} ", bare.join(" "));
        let found = truth
            .must
            .iter()
            .filter(|snippet| flat.contains(&format!(" {} ", words(snippet).join(" "))));
        let must_have = (!truth.must.is_empty()).then(|| found.count() as f64 / truth.must.len() as f64);
        PageScore {
            tokens: self.tokens(text),
            counted: known.len() >= LEAST_KNOWN_WORDS,
            word_recall: word_recall(text, truth),
            gram_recall: recall(&bag(grams(&known)), &bag(grams(&bare))),
            must_have,
        }
    }

    /// Tokens of the o200k encoding; words that look like special tokens count as ordinary text.
    pub(crate) fn tokens(&self, text: &str) -> usize {
        self.tokens.encode_ordinary(text).len()
    }
}

/// The share of the known words that the text holds, each as often as it is known.
pub(crate) fn word_recall(text: &str, truth: &Truth) -> f64 {
    recall(&bag(words(&truth.text)), &bag(words(text)))
}

/// The text without the outline's own words: ids, role words, trailing states, the mark of text lines.
fn plain(text: &str) -> String {
    let bodies = text.split('\n').map(|line| {
        let body = match ELEMENT_LINE.captures(line) {
            Some(element) => element.get(1).map_or("", |body| body.as_str()),
            None => {
                let line = line.trim();
                line.strip_prefix("text: ").unwrap_or(line)
            }
        };
        TRAILING_STATES.replace(body, "")
    });
    bodies.collect::<Vec<_>>().join("\n")
}

/// The words in their compatibility form and in lower case.
fn words(text: &str) -> Vec<String> {
    let normal = ComposingNormalizer::new_nfkc().normalize(text).to_lowercase();
    WORD.find_iter(&normal)
        .map(|word| word.as_str().to_owned())
        .collect()
}

fn grams(words: &[String]) -> Vec<&[String]> {
    words.windows(4).collect()
}

fn bag<T: Hash + Eq>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut bag = HashMap::new();
    for item in items {
        *bag.entry(item).or_insert(0) += 1;
    }
    bag
}

fn recall<T: Hash + Eq>(known: &HashMap<T, usize>, got: &HashMap<T, usize>) -> f64 {
    let all: usize = known.values().sum();
    let hit: usize = known
        .iter()
        .map(|(item, count)| (*count).min(got.get(item).copied().unwrap_or(0)))
        .sum();
    if all == 0 { 1.0 } else { hit as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(text: &str, must: &[&str]) -> Truth {
        Truth {
            text: text.to_owned(),
            must: must.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn words_are_compared_in_lower_case_and_compatibility_form() {
        assert_eq!(words("The ﬁsh, CO₂ – Ä!"), ["the", "fish", "co2", "ä"]);
    }

    #[test]
    fn a_word_known_twice_must_stand_there_twice() {
        let known = truth("lamp lamp arc", &[]);
        assert_eq!(word_recall("an arc lamp", &known), 2.0 / 3.0);
        assert_eq!(word_recall("lamp, lamp: arc", &known), 1.0);
    }

    #[test]
    fn a_page_without_known_words_is_wholly_recalled() {
        assert_eq!(word_recall("anything", &truth("", &[])), 1.0);
    }

    #[test]
    fn the_words_of_the_outline_are_no_text() {
        let text = "[0-0] RootWebArea: Lamps\n  [0-1] link: Sale: all [current] [focused]\n  [1-12] button\n  text: [1-2] is a pair\n  - plain [selected]";
        assert_eq!(plain(text), "Lamps\nSale: all\n\n[1-2] is a pair\n- plain");
    }

    #[test]
    fn four_words_in_a_row_are_broken_by_a_word_between() {
        let scorer = Scorer::new().unwrap();
        let known = truth("one two three four five", &[]);
        assert_eq!(scorer.score("one two three four five", &known).gram_recall, 1.0);
        assert_eq!(
            scorer.score("one two three four and five", &known).gram_recall,
            0.5
        );
    }

    #[test]
    fn snippets_are_found_as_whole_words() {
        let scorer = Scorer::new().unwrap();
        let known = truth("x", &["arc lamp", "table"]);
        let score = scorer.score("[0-1] heading: Arc   Lamp\ntablets", &known);
        assert_eq!(score.must_have, Some(0.5));
        assert!(!score.counted);
        assert_eq!(scorer.score("x", &truth("x", &[])).must_have, None);
    }

    #[test]
    fn special_tokens_in_a_page_are_ordinary_text() {
        let scorer = Scorer::new().unwrap();
        assert_eq!(scorer.tokens("hello world"), 2);
        assert!(scorer.tokens("<|endoftext|>") > 1);
    }
}
