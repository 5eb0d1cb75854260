//! Questions whose answer holds for the page alone on which they were asked.

use std::collections::HashSet;

use automator_snapshot::Structure;
use serde_json::Value;
use url::Url;

/// Words that ask for a choice by comparing: where the answer stood says nothing about where it stands next time.
const CHOICES: &[&str] = &[
    "average",
    "best",
    "biggest",
    "cheaper",
    "cheapest",
    "closest",
    "earliest",
    "fewest",
    "greatest",
    "highest",
    "how many",
    "how much more",
    "largest",
    "latest",
    "least",
    "longest",
    "lowest",
    "maximum",
    "minimum",
    "most",
    "nearest",
    "newest",
    "oldest",
    "recommend",
    "shortest",
    "smallest",
    "sum of",
    "worst",
];

/// Words that ask for some items of a list or for another order.
const SELECTIONS: &[&str] = &[
    "above",
    "after",
    "alphabetical",
    "at least",
    "at most",
    "available",
    "before",
    "below",
    "between",
    "discounted",
    "every other",
    "except",
    "excluding",
    "first",
    "five",
    "half",
    "in stock",
    "last",
    "less than",
    "more than",
    "not",
    "on sale",
    "only",
    "order by",
    "ordered",
    "over",
    "second",
    "sort",
    "sorted",
    "ten",
    "than",
    "third",
    "three",
    "top",
    "two",
    "under",
    "unique",
    "where",
    "which",
    "whose",
    "within",
    "without",
];

/// Whether the question names something of this page, or asks for a choice that each page answers anew.
///
/// It names something of the page when one of these stands in it as whole words, in any case: a text of the
/// answer of three characters or more, a number of the answer, a value of the query, a segment of the path that
/// differs between pages of a pattern (it is a number, an UUID, or long with a digit), or one that is a slug of
/// several words. Plain segments are part of the pattern, as `lamps` in `/lamps?page=2`.
pub(super) fn is_about_one_page(instruction: &str, url: &str, value: &Value) -> bool {
    let asked = words(instruction);
    let holds = |text: &str| {
        let sought = words(text);
        !sought.trim().is_empty() && asked.contains(&sought)
    };
    if CHOICES.iter().any(|entry| holds(entry)) {
        return true;
    }
    let without_names = asked.replace(" first name ", " ").replace(" last name ", " ");
    let selects = SELECTIONS
        .iter()
        .any(|entry| without_names.contains(&words(entry)));
    let has_list = holds_list(value);
    let has_number = asked.contains(|character: char| character.is_ascii_digit());
    if has_list && (has_number || selects) {
        return true;
    }
    let mut leaves = Vec::new();
    texts_of(value, &mut leaves);
    leaves.iter().any(|leaf| holds(leaf)) || address_values(url).iter().any(|text| holds(text))
}

/// Whether the question names the main heading of the page: of two words or more, since one alone is as often what
/// is asked for (`the products`).
pub(super) fn names_heading(instruction: &str, structure: &Structure) -> bool {
    let asked = words(instruction);
    let headings = structure
        .nodes()
        .iter()
        .enumerate()
        .filter(|(_, node)| node.tag == "h1");
    headings.take(20).any(|(number, _)| {
        let heading = words(&structure.lines(number).join(" "));
        heading.split_whitespace().count() > 1 && asked.contains(&heading)
    })
}

/// All words of the question and of its schema, in lower case: what is asked for by name.
pub(super) fn asked_words(instruction: &str, schema: &Value) -> HashSet<String> {
    let mut split = String::new();
    let mut was_lower = false;
    // `unitPrice` is two words.
    for character in format!("{instruction} {schema}").chars() {
        if was_lower && character.is_uppercase() {
            split.push(' ');
        }
        was_lower = character.is_lowercase();
        split.push(character);
    }
    words(&split).split_whitespace().map(str::to_owned).collect()
}

/// Whether one of the words of a label was asked for.
pub(super) fn is_asked_for(label: &str, asked: &HashSet<String>) -> bool {
    words(label)
        .split_whitespace()
        .any(|word| word.chars().count() > 2 && asked.contains(word))
}

/// The words of a text, in lower case, each with a space around it.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let mut words = String::from(" ");
    for word in lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        words.push_str(word);
        words.push(' ');
    }
    words
}

fn holds_list(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(members) => members.values().any(holds_list),
        _ => false,
    }
}

/// Every text and number of a value by which a question could name it.
pub(super) fn texts_of(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.chars().count() > 2 => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Array(list) => list.iter().for_each(|inner| texts_of(inner, found)),
        Value::Object(members) => members.values().for_each(|inner| texts_of(inner, found)),
        _ => {}
    }
}

/// What of an address differs between the pages of a pattern.
pub(super) fn address_values(url: &str) -> Vec<String> {
    let Ok(url) = Url::parse(url) else {
        return Vec::new();
    };
    let is_telling = |text: &String| text.chars().count() > 2 || text.chars().any(|c| c.is_ascii_digit());
    let mut values: Vec<String> = url.query_pairs().map(|(_, value)| value.into_owned()).collect();
    let segments = url.path_segments().into_iter().flatten();
    values.extend(segments.filter(|segment| is_value(segment)).map(decoded));
    values.retain(is_telling);
    values
}

/// Whether a segment of a path is one that differs between pages, or names a thing.
fn is_value(segment: &str) -> bool {
    let has_digit = segment.contains(|character: char| character.is_ascii_digit());
    let is_number = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    is_number
        || (has_digit && segment.len() > 8)
        || segment.contains(['-', '_', '+'])
        || segment.contains("%20")
}

fn decoded(segment: &str) -> String {
    // The query decoder of the URL standard also undoes the escapes of a path.
    let pair = format!("v={}", segment.replace('&', "%26"));
    url::form_urlencoded::parse(pair.as_bytes())
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn questions_that_name_something_of_the_page_are_known() {
        let url = "http://shop.test/lamps/arc-lamp-xl/4711?sort=price&q=tall%20lamps";
        let value = json!({ "name": "Arc Lamp", "price": 49.5, "sizes": "XL" });
        let is = |instruction: &str| is_about_one_page(instruction, url, &value);
        for instruction in [
            "the price of the arc lamp",
            "is it 49.5?",
            "item 4711",
            "arc lamp xl",
            "all tall lamps",
            "the price",
        ] {
            assert!(is(instruction), "{instruction}");
        }
        for instruction in ["the product", "the lamps", "arc lamps", "name and cost", "sizes"] {
            assert!(!is(instruction), "{instruction}");
        }
    }

    #[test]
    fn questions_that_ask_for_a_choice_are_known() {
        let list = json!([{ "name": "Arc" }]);
        for instruction in [
            "the first lamps",
            "lamps under 50",
            "lamps in stock",
            "all lamps, sorted by price",
        ] {
            assert!(
                is_about_one_page(instruction, "http://a.test/", &list),
                "{instruction}"
            );
        }
        assert!(is_about_one_page(
            "the cheapest lamp",
            "",
            &json!({ "name": "Arc" })
        ));
        assert!(!is_about_one_page(
            "all lamps with name and price",
            "http://a.test/",
            &list
        ));
        assert!(!is_about_one_page(
            "the first name",
            "http://a.test/",
            &json!("Ada")
        ));
    }
}
