//! Pages beyond a model's window: one text → parts that each stand for themselves.

use crate::snapshot::{Line, Snapshot};

impl Snapshot {
    /// Cuts the text into parts of at most `limit`, measured by `size`.
    ///
    /// Cuts fall between subtrees, as high in the outline as the limit allows, and each part begins with the
    /// lines that stand above it, so that ids, headings and landmarks keep their place. A single line beyond the
    /// limit is cut between words. A text within the limit comes back whole.
    ///
    /// `size` must be additive in the sense that a longer text is never smaller; it is asked about single lines.
    #[must_use]
    pub fn split(&self, limit: usize, size: &dyn Fn(&str) -> usize) -> Vec<String> {
        split(self.text(), self.lines(), limit, size)
    }
}

/// From which share of the limit on a part may end, when that keeps a larger subtree whole.
const EARLIEST_END: f64 = 0.6;

fn split(text: &str, lines: &[Line], limit: usize, size: &dyn Fn(&str) -> usize) -> Vec<String> {
    if size(text) <= limit {
        return vec![text.to_owned()];
    }
    let str_of = |line: &Line| text.get(line.start..line.end).unwrap_or_default();
    let sizes: Vec<usize> = lines.iter().map(|line| size(str_of(line)) + 1).collect();
    let mut parts = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let above = ancestors(lines, start);
        let mut used: usize = above.iter().map(|&line| sizes[line]).sum();
        let room_of_ancestors = used.min(limit / 2);
        let mut end = start;
        while end < lines.len() && (end == start || used + sizes[end] <= limit) {
            used += sizes[end];
            end += 1;
        }
        if end < lines.len() {
            end = highest_border(lines, &sizes, start, end, limit);
        }
        if end < lines.len() && ancestors(lines, end).ends_with(&(start..end).collect::<Vec<_>>()) {
            // Nothing but lines that the next part repeats.
            start = end;
            continue;
        }
        let mut head = String::new();
        let mut taken = 0;
        for &line in &above {
            taken += sizes[line];
            if taken > limit / 2 {
                break;
            }
            head.push_str(str_of(&lines[line]));
            head.push('\n');
        }
        if end == start + 1 && sizes[start] + room_of_ancestors > limit {
            let room = limit.saturating_sub(room_of_ancestors).max(1);
            parts.extend(
                words(str_of(&lines[start]), room, size)
                    .into_iter()
                    .map(|piece| format!("{head}{piece}")),
            );
        } else {
            let body: Vec<&str> = lines[start..end].iter().map(str_of).collect();
            parts.push(head + &body.join("\n"));
        }
        start = end;
    }
    parts
}

/// The lines above a line in the outline, outermost first.
fn ancestors(lines: &[Line], of: usize) -> Vec<usize> {
    let mut above = Vec::new();
    let mut depth = lines[of].depth;
    for (position, line) in lines[..of].iter().enumerate().rev() {
        if line.depth < depth {
            depth = line.depth;
            above.push(position);
        }
        if depth == 0 {
            break;
        }
    }
    above.reverse();
    above
}

/// The last place before `end` where the outline is least deep, not earlier than a part may end.
fn highest_border(lines: &[Line], sizes: &[usize], start: usize, end: usize, limit: usize) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a positive number"
    )]
    let earliest = (limit as f64 * EARLIEST_END) as usize;
    let mut used = 0;
    let mut best = end;
    for position in start + 1..=end {
        used += sizes[position - 1];
        if used >= earliest && lines[position].depth <= lines[best].depth {
            best = position;
        }
    }
    best
}

/// Pieces of a line of at most `room`, cut between words where there are any.
fn words(line: &str, room: usize, size: &dyn Fn(&str) -> usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let mut end = rest.len();
        while size(rest.get(..end).unwrap_or(rest)) > room && end > 1 {
            end = rest.floor_char_boundary(end / 2).max(1);
            end = rest.ceil_char_boundary(end);
        }
        let piece = rest.get(..end).unwrap_or(rest);
        let at_word = piece
            .rfind(' ')
            .filter(|&at| end < rest.len() && at > piece.len() / 2);
        let (piece, after) = rest.split_at(at_word.unwrap_or(end));
        pieces.push(piece.to_owned());
        rest = after.trim_start();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str) -> (String, Vec<Line>) {
        let mut start = 0;
        let lines = text.lines().map(|line| {
            let depth = (line.len() - line.trim_start().len()) / 2;
            let made = Line {
                start,
                end: start + line.len(),
                depth,
            };
            start = made.end + 1;
            made
        });
        (text.to_owned(), lines.collect())
    }

    fn parts(text: &str, limit: usize) -> Vec<String> {
        let (text, lines) = outline(text);
        split(&text, &lines, limit, &str::len)
    }

    #[test]
    fn a_text_within_the_limit_comes_back_whole() {
        assert_eq!(parts("page\n  a\n  b", 100), ["page\n  a\n  b"]);
    }

    #[test]
    fn cuts_fall_between_subtrees_and_the_lines_above_are_repeated() {
        let text = "page\n  list one\n    aaaa\n    bbbb\n  list two\n    cccc\n    dddd";
        assert_eq!(
            parts(text, 40),
            [
                "page\n  list one\n    aaaa\n    bbbb",
                "page\n  list two\n    cccc\n    dddd"
            ]
        );
    }

    #[test]
    fn every_line_stands_in_some_part_and_no_part_is_beyond_the_limit() {
        let mut text = "page".to_owned();
        for item in 0..500 {
            text.push_str(&format!("\n  item {item}\n    text of item {item}"));
        }
        let parts = parts(&text, 300);
        assert!(parts.iter().all(|part| part.len() <= 300));
        for line in text.lines() {
            assert!(
                parts.iter().any(|part| part.lines().any(|other| other == line)),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_between_words() {
        let text = format!("page\n  {}", "word ".repeat(100).trim_end());
        let parts = parts(&text, 60);
        assert!(
            parts
                .iter()
                .all(|part| part.len() <= 66 && part.starts_with("page\n"))
        );
        let words: usize = parts.iter().map(|part| part.matches("word").count()).sum();
        assert_eq!(words, 100);
    }
}
