//! Telling the source of a function from an expression; pure.

/// Whether the source is that of one function, as far as its beginning shows.
pub(super) fn is_function(source: &str) -> bool {
    let mut rest = skip_blanks(source);
    // Functions are often put in parentheses.
    while let Some(group) = rest.strip_prefix('(') {
        let Some(end) = end_of_group(group) else {
            return false;
        };
        let after = skip_blanks(group.get(end + 1..).unwrap_or_default());
        if after.starts_with("=>") {
            return true;
        }
        if !after.trim_start_matches(';').trim().is_empty() {
            return false;
        }
        rest = skip_blanks(group.get(..end).unwrap_or_default());
    }
    if keyword(rest, "function").is_some() || is_arrow(rest) {
        return true;
    }
    let Some(after) = keyword(rest, "async").map(skip_blanks) else {
        return false;
    };
    keyword(after, "function").is_some() || is_arrow(after)
}

/// Whether it begins with the parameters of an arrow function and the arrow.
fn is_arrow(source: &str) -> bool {
    let after = match source.strip_prefix('(') {
        Some(group) => end_of_group(group).and_then(|end| group.get(end + 1..)),
        None => {
            let end = source.find(|c: char| !is_name(c)).unwrap_or(source.len());
            (end > 0).then(|| source.get(end..)).flatten()
        }
    };
    after.is_some_and(|after| skip_blanks(after).starts_with("=>"))
}

/// What follows a keyword.
fn keyword<'a>(source: &'a str, word: &str) -> Option<&'a str> {
    source
        .strip_prefix(word)
        .filter(|rest| !rest.starts_with(is_name))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What follows blanks and comments.
fn skip_blanks(source: &str) -> &str {
    let mut rest = source.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest;
        };
        rest = after.trim_start();
    }
}

/// Where the parenthesis closes that was opened just before. Strings and comments may hold others.
fn end_of_group(source: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut position = 0;
    while let Some(rest) = source.get(position..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next()?;
        let length = match first {
            '"' | '\'' | '`' => length_of_string(rest, first),
            '/' if rest.starts_with("//") || rest.starts_with("/*") => rest.len() - skip_comment(rest).len(),
            _ => first.len_utf8(),
        };
        match first {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(position),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        position += length;
    }
    None
}

fn skip_comment(source: &str) -> &str {
    let end = if source.starts_with("//") { "\n" } else { "*/" };
    source
        .get(2..)
        .and_then(|rest| rest.split_once(end))
        .map_or("", |(_, after)| after)
}

fn length_of_string(source: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (position, c) in source.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return position + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn functions_of_every_form_are_told_from_expressions() {
        let functions = [
            "() => 1",
            "x=>x",
            "(x) => x + 1",
            " async () => 1",
            "async x => x",
            "async => 1",
            "function f() {}",
            "function() { return 1 }",
            "function* g() {}",
            "async function () {}",
            "// why\n/* and how */ ({ a, b = ')' }, [c]) /* so */ => a",
            "(function () {})",
            "((() => 1));",
            "(a = `)`, b = /* ) */ 1) => a",
        ];
        for source in functions {
            assert!(is_function(source), "{source}");
        }
        let expressions = [
            "1 + 1",
            "document.title",
            "(() => 1)()",
            "(function () {})()",
            "(1, 2)",
            "({ a: 1 })",
            "functional()",
            "asynchronous",
            "async()",
            "async",
            "[1].map((x) => x)",
            "f(() => 1)",
            "",
            "(",
            "'() => 1'",
        ];
        for source in expressions {
            assert!(!is_function(source), "{source}");
        }
    }

    proptest! {
        #[test]
        fn any_source_is_looked_at_without_a_panic(source in "[()\\[\\]{}'\"`/*\\\\\n =>a-zé]{0,40}") {
            is_function(&source);
        }
    }
}
