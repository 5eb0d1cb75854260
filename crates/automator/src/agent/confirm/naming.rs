//! What a name says that is done. Pure.
//!
//! A name is read in the order of a person: signs and words such as "and" part it into clauses; compounds that only
//! hold a grave word ("order history") are left out; a clause that begins with a look ("view", "how to") is harmless;
//! what is left says what is done by a verb with its object, by a verb that it begins with, or by a word alone. So a
//! harmless word never takes anything away from a grave one beside it.

use super::AgentConfirmKind as Kind;
use super::phrases::{
    AT_THE_BEGINNING, BEFORE_THE_BEGINNING, BETWEEN, COMPOUNDS, CONJUNCTIONS, EXPLAINS, LOOKS,
    NAMES_OF_THINGS, NEGATIONS, Verbs, WITH_OBJECT,
};
use super::{letters, words};

/// Names longer than this are texts, in which every word stands by chance.
const LONGEST_NAME: usize = 60;

/// Words that a name may have besides the ones that count.
const MOST_WORDS: usize = 7;

/// Words of a long name of a button that count.
const FIRST_WORDS: usize = 4;

/// By the words of a name, the gravest first. Of a long name of a button the beginning counts.
pub(super) fn kind_of(name: &str, is_button: bool) -> Option<Kind> {
    let name = letters::plain(name);
    let kinds = [
        kind_of_plain(&name, is_button),
        kind_of_plain(&letters::without_digits(&name), is_button),
    ];
    gravest(kinds.into_iter().flatten())
}

fn kind_of_plain(name: &str, is_button: bool) -> Option<Kind> {
    let mut sentences = sentences(name);
    let words = sentences.iter().flatten().map(Vec::len).sum::<usize>();
    let is_long = name.chars().count() > LONGEST_NAME || words > MOST_WORDS;
    if is_long && !is_button {
        return None;
    }
    let mut text = name.to_owned();
    if is_long {
        shorten(&mut sentences, FIRST_WORDS);
        text = sentences.concat().concat().join(" ");
    }
    let by_parts = TABLES
        .iter()
        .filter(|table| table.parts.iter().any(|part| text.contains(part)));
    let all: Vec<&str> = sentences.concat().concat();
    let spelt = letters::spelt(&all);
    let by_letters = TABLES.iter().filter(|table| {
        let begins = |phrase: &&str| {
            spelt
                .as_ref()
                .is_some_and(|spelt| spelt.starts_with(&phrase.replace(' ', "")))
        };
        table.words.iter().any(begins)
    });
    let by_words = sentences.iter().filter_map(|sentence| of_sentence(sentence));
    gravest(by_parts.chain(by_letters).map(|table| table.kind).chain(by_words))
}

/// The words of one kind, and parts of words.
struct Table {
    kind: Kind,
    words: &'static [&'static str],
    parts: &'static [&'static str],
}

const TABLES: &[Table] = &[
    Table {
        kind: Kind::Purchase,
        words: words::PURCHASE,
        parts: words::PURCHASE_PARTS,
    },
    Table {
        kind: Kind::Delete,
        words: words::DELETE,
        parts: words::DELETE_PARTS,
    },
    Table {
        kind: Kind::Upload,
        words: words::UPLOAD,
        parts: words::UPLOAD_PARTS,
    },
    Table {
        kind: Kind::Download,
        words: words::DOWNLOAD,
        parts: words::DOWNLOAD_PARTS,
    },
    Table {
        kind: Kind::Send,
        words: words::SEND,
        parts: words::SEND_PARTS,
    },
];

/// The gravest of several.
pub(super) fn gravest(kinds: impl Iterator<Item = Kind>) -> Option<Kind> {
    let place = |kind: &Kind| TABLES.iter().position(|table| table.kind == *kind);
    kinds.min_by_key(place)
}

type Clause<'n> = Vec<&'n str>;

/// The sentences of a name, and their clauses.
fn sentences(name: &str) -> Vec<Vec<Clause<'_>>> {
    let is_end = |sign: char| {
        matches!(
            sign,
            ',' | ';' | ':' | '.' | '!' | '?' | '(' | ')' | '|' | '/' | '–' | '—' | '·' | '•' | '\n'
        )
    };
    let mut sentences = Vec::new();
    for sentence in name.split(is_end).flat_map(|part| part.split(" - ")) {
        let mut clauses = vec![Vec::new()];
        for part in sentence.split_inclusive(['&', '+']) {
            let words = part
                .split(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '\'' | '’' | '#'))
                .flat_map(|word| match word.strip_prefix('#') {
                    Some(number) => ["number", number],
                    None => ["", word],
                })
                .filter(|word| !word.is_empty());
            for word in words {
                if CONJUNCTIONS.contains(&word) {
                    clauses.push(Vec::new());
                } else if let Some(clause) = clauses.last_mut() {
                    clause.push(word);
                }
            }
            if part.ends_with(['&', '+']) {
                clauses.push(Vec::new());
            }
        }
        sentences.push(clauses);
    }
    sentences
}

/// Leaves the first words alone.
fn shorten(sentences: &mut [Vec<Clause<'_>>], mut most: usize) {
    for clause in sentences.iter_mut().flatten() {
        clause.truncate(most);
        most -= clause.len();
    }
}

fn of_sentence(sentence: &[Clause<'_>]) -> Option<Kind> {
    let first = sentence.iter().find(|clause| !clause.is_empty())?;
    if EXPLAINS.iter().any(|phrase| begins(first, phrase)) {
        return None;
    }
    gravest(sentence.iter().filter_map(|clause| of_clause(clause)))
}

fn of_clause(clause: &[&str]) -> Option<Kind> {
    let clause = without_things(clause);
    if let Some(kind) = with_object(&clause) {
        // "Cancel my order" is no mere cancelling.
        return Some(kind);
    }
    if LOOKS.iter().any(|phrase| begins(&clause, phrase)) {
        return None;
    }
    let start = clause
        .iter()
        .position(|word| {
            !BEFORE_THE_BEGINNING.contains(word) && !word.chars().all(|sign| sign.is_ascii_digit())
        })
        .unwrap_or_default();
    let rest = clause.get(start..).unwrap_or_default();
    let at_beginning = AT_THE_BEGINNING
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(|phrase| begins(rest, phrase)))
        .map(|(kind, _)| *kind);
    let plain = format!(" {} ", clause.join(" "));
    let by_words = TABLES
        .iter()
        .filter(|table| {
            table
                .words
                .iter()
                .any(|phrase| plain.contains(&format!(" {phrase} ")))
        })
        .map(|table| table.kind);
    let with_object = (1..clause.len()).filter_map(|from| with_object(clause.get(from..)?));
    gravest(at_beginning.chain(by_words).chain(with_object))
}

/// What words come to that begin with a verb and its object.
fn with_object(words: &[&str]) -> Option<Kind> {
    let found = WITH_OBJECT.iter().filter(|verbs| has_object(words, verbs));
    gravest(found.map(|verbs| verbs.kind))
}

/// Whether words begin with one of these verbs, and an object of it follows.
fn has_object(words: &[&str], verbs: &Verbs) -> bool {
    let ends = verbs
        .verbs
        .iter()
        .filter(|verb| begins(words, verb))
        .map(|verb| verb.split(' ').count());
    ends.into_iter().any(|end| {
        let mut rest = words
            .get(end..)
            .unwrap_or_default()
            .iter()
            .filter(|word| !BETWEEN.contains(word) || verbs.objects.contains(word));
        rest.by_ref().take(2).any(|word| verbs.objects.contains(word))
    })
}

fn begins(words: &[&str], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|part| words.next() == Some(&part))
}

/// A clause without names of things and what is negated.
fn without_things<'n>(clause: &[&'n str]) -> Vec<&'n str> {
    let mut left = Vec::new();
    let mut rest = clause;
    while let Some((word, after)) = rest.split_first() {
        let taken = things_at(rest);
        rest = if taken == 0 {
            left.push(*word);
            after
        } else {
            rest.get(taken..).unwrap_or_default()
        };
    }
    left
}

/// How many words at the beginning say nothing.
fn things_at(words: &[&str]) -> usize {
    let length = |phrase: &&str| phrase.split(' ').count();
    if let Some(phrase) = NAMES_OF_THINGS.iter().find(|phrase| begins(words, phrase)) {
        return length(phrase);
    }
    if let Some(phrase) = NEGATIONS.iter().find(|phrase| begins(words, phrase)) {
        return (length(phrase) + 1).min(words.len());
    }
    let is_compound = |(firsts, seconds): &&(&[&str], &[&str])| match words {
        [first, second, ..] => firsts.contains(first) && seconds.contains(second),
        _ => false,
    };
    if COMPOUNDS.iter().any(|compound| is_compound(&compound)) {
        2
    } else {
        0
    }
}

#[cfg(test)]
mod tests;
