//! Page text in brief, for questions about one thing on it. Pure.
//!
//! Texts are cut or left out, and of long lists whose items are built alike those that a question has nothing to do
//! with. Every other element keeps its line.

use crate::replay::without_ids;

/// Page text in brief: every line that holds an element stays as it is, texts are cut after so many characters.
pub(crate) fn brief(text: &str, longest: usize) -> String {
    let lines = text.lines().map(|line| {
        let start = line.trim_start();
        let indent = line.len() - start.len();
        match start.char_indices().nth(longest) {
            Some((end, _)) if !holds_element(start) => {
                let kept = line.get(..indent + end).unwrap_or(line);
                format!("{}…", kept.trim_end())
            }
            _ => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The lines of a page text that hold an element, and the short ones between them.
pub(crate) fn usable_lines(text: &str, longest: usize) -> String {
    let lines = text.lines().filter(|line| {
        let start = line.trim_start();
        holds_element(start) || start.chars().nth(longest).is_none()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether an id such as `[0-12]` stands in a line.
fn holds_element(line: &str) -> bool {
    line.match_indices('[').any(|(start, _)| {
        let inner = line.get(start + 1..).and_then(|rest| rest.split_once(']'));
        inner.is_some_and(|(id, _)| {
            id.split_once('-').is_some_and(|(frame, number)| {
                let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                digits(frame) && digits(number)
            })
        })
    })
}

/// Fewest items of a list that is shortened.
const LEAST_ITEMS: usize = 8;

/// Items at the beginning of a list that stay, to show what they are like.
const EXAMPLES: usize = 3;

/// Fewest items that are worth a line that says so.
const LEAST_LEFT_OUT: usize = 4;

/// Most siblings that make up one item.
const LARGEST_ITEM: usize = 8;

/// A word in more than this share of the items tells none of them from the others: one of so many.
const TELLING_SHARE: usize = 4;

/// Roles that are for filling in, of which none is left out.
const FIELDS: [&str; 10] = [
    "] textbox",
    "] searchbox",
    "] checkbox",
    "] radio",
    "] combobox",
    "] select",
    "] spinbutton",
    "] slider",
    "] switch",
    "] input",
];

/// States of elements that something is just done with.
const STATES: [&str; 4] = ["[focused]", "[expanded]", "[selected]", "[current]"];

/// Words of a question that ask for an item by its place or by comparison.
const BY_PLACE: [&str; 28] = [
    "first", "second", "third", "fourth", "fifth", "last", "next", "previous", "every", "each", "all", "any",
    "top", "bottom", "middle", "cheapest", "lowest", "highest", "best", "worst", "newest", "oldest",
    "latest", "largest", "smallest", "nth", "other", "random",
];

/// The words of a question that can tell items apart.
pub(crate) fn words_of(question: &str) -> Vec<String> {
    let mut words: Vec<String> = question
        .to_lowercase()
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 || word.chars().any(|sign| sign.is_ascii_digit()))
        .map(str::to_owned)
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Whether a question asks for something by its place among others, so that none of them may be missing.
pub(crate) fn asks_by_place(words: &[String]) -> bool {
    words.iter().any(|word| BY_PLACE.contains(&word.as_str()))
}

/// Whether some element of a page is called by a word of a question.
pub(crate) fn names_something(text: &str, words: &[String]) -> bool {
    text.lines().filter(|line| holds_element(line)).any(|line| {
        let line = without_ids(line).to_lowercase();
        words.iter().any(|word| line.contains(word.as_str()))
    })
}

/// A page text without the items of long lists that have nothing to do with these words. A line says how many are
/// missing.
pub(crate) fn without_alike(text: &str, words: &[String]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let tree = Tree::of(&lines);
    let mut is_out = vec![false; lines.len()];
    let mut notes: Vec<Option<String>> = vec![None; lines.len()];
    for children in tree
        .children
        .iter()
        .filter(|children| children.len() >= LEAST_ITEMS)
    {
        for run in runs(&lines, children) {
            shorten(&lines, &tree, &run, words, &mut is_out, &mut notes);
        }
    }
    let mut kept = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(note) = notes.get(index).and_then(Option::as_ref) {
            kept.push(note.clone());
        }
        if !is_out.get(index).copied().unwrap_or_default() {
            kept.push((*line).to_owned());
        }
    }
    kept.join("\n")
}

/// The lines as a tree, by their indentation.
struct Tree {
    /// Of each line, and at the end those of the whole text.
    children: Vec<Vec<usize>>,
    /// Where what is below each line ends.
    ends: Vec<usize>,
}

impl Tree {
    fn of(lines: &[&str]) -> Self {
        let top = lines.len();
        let mut children = vec![Vec::new(); top + 1];
        let mut ends = vec![top; top];
        let mut above: Vec<(usize, usize)> = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let depth = line.len() - line.trim_start().len();
            while let Some((_, closed)) = above.pop_if(|(outer, _)| *outer >= depth) {
                if let Some(end) = ends.get_mut(closed) {
                    *end = index;
                }
            }
            let parent = above.last().map_or(top, |(_, parent)| *parent);
            if let Some(list) = children.get_mut(parent) {
                list.push(index);
            }
            above.push((depth, index));
        }
        Self { children, ends }
    }
}

/// Items that follow each other and are built alike: each as the lines of its parts.
fn runs(lines: &[&str], children: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let kinds: Vec<&str> = children
        .iter()
        .map(|child| kind_of(lines.get(*child).copied().unwrap_or_default()))
        .collect();
    let mut found = Vec::new();
    let mut start = 0;
    while start < kinds.len() {
        let best = (1..=LARGEST_ITEM)
            .map(|size| (size, repeats(&kinds, start, size)))
            .filter(|(_, count)| *count >= LEAST_ITEMS)
            // The smallest item of those that reach as far.
            .max_by_key(|(size, count)| (size * count, usize::MAX - size));
        match best {
            Some((size, count)) => {
                let run = children.get(start..start + size * count).unwrap_or_default();
                found.push(run.chunks(size).map(<[usize]>::to_vec).collect());
                start += size * count;
            }
            None => start += 1,
        }
    }
    found
}

/// How often the kinds of so many siblings follow each other from a place on.
fn repeats(kinds: &[&str], start: usize, size: usize) -> usize {
    let Some(first) = kinds.get(start..start + size) else {
        return 0;
    };
    kinds
        .get(start..)
        .unwrap_or_default()
        .chunks_exact(size)
        .take_while(|item| *item == first)
        .count()
}

/// A list item, the role of an element or of a structure, or a text.
fn kind_of(line: &str) -> &str {
    let line = line.trim_start();
    if line == "-" || line.starts_with("- ") {
        return "-";
    }
    let role = match line.split_once("] ") {
        Some((id, rest)) if id.starts_with('[') => rest,
        _ => line,
    };
    let word = role.split([':', ' ']).next().unwrap_or_default();
    let is_role = role.starts_with("row") || line.starts_with('[') || role.len() == word.len();
    if is_role { word } else { "text" }
}

/// Whether a line holds a field, or an element that something is just done with.
fn is_in_use(line: &str) -> bool {
    FIELDS.iter().any(|field| line.contains(field)) || STATES.iter().any(|state| line.contains(state))
}

fn shorten(
    lines: &[&str],
    tree: &Tree,
    run: &[Vec<usize>],
    words: &[String],
    is_out: &mut [bool],
    notes: &mut [Option<String>],
) {
    let ranges: Vec<std::ops::Range<usize>> = run
        .iter()
        .filter_map(|item| {
            let last = *item.last()?;
            Some(*item.first()?..tree.ends.get(last).copied()?)
        })
        .collect();
    let texts: Vec<String> = ranges
        .iter()
        .map(|range| {
            let item = lines.get(range.clone()).unwrap_or_default();
            without_ids(&item.join("\n")).to_lowercase()
        })
        .collect();
    let most = (texts.len() / TELLING_SHARE).max(EXAMPLES);
    let telling: Vec<&String> = words
        .iter()
        .filter(|word| texts.iter().filter(|text| text.contains(word.as_str())).count() <= most)
        .collect();
    let stays = |index: usize, text: &String| {
        index < EXAMPLES
            || telling.iter().any(|word| text.contains(word.as_str()))
            || ranges.get(index).is_some_and(|range| {
                let item = lines.get(range.clone()).unwrap_or_default();
                item.iter().any(|line| is_in_use(line))
            })
    };
    let left_out: Vec<&std::ops::Range<usize>> = ranges
        .iter()
        .zip(&texts)
        .enumerate()
        .filter(|(index, (_, text))| !stays(*index, text))
        .map(|(_, (range, _))| range)
        .collect();
    if left_out.len() < LEAST_LEFT_OUT {
        return;
    }
    for range in &left_out {
        for line in range.start..range.end {
            if let Some(out) = is_out.get_mut(line) {
                *out = true;
            }
        }
    }
    if let Some(first) = left_out.first().map(|range| range.start)
        && let (Some(note), Some(line)) = (notes.get_mut(first), lines.get(first))
    {
        let indent = line.len() - line.trim_start().len();
        *note = Some(format!(
            "{}… {} more like these",
            " ".repeat(indent),
            left_out.len()
        ));
    }
}

#[cfg(test)]
mod tests;
