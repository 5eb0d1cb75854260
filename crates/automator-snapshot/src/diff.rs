//! What changed between two snapshots of one page.

use std::collections::HashMap;

use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::snapshot::Snapshot;

/// The lines in which two texts differ, without their indentation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Lines of the new text that the old one lacks, in page order.
    pub added: Vec<String>,
    /// Lines of elements that both hold, with another name, value or state: as they are now.
    pub changed: Vec<String>,
    /// Lines of the old text that are gone, in page order.
    pub removed: Vec<String>,
}

impl Difference {
    /// Whether both texts say the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }

    /// One line a difference: `+` new, `~` changed, `-` gone.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mark = |mark: char, lines: &[String]| {
            lines
                .iter()
                .map(|line| format!("{mark} {line}"))
                .collect::<Vec<_>>()
        };
        let lines = [
            mark('+', &self.added),
            mark('~', &self.changed),
            mark('-', &self.removed),
        ]
        .concat();
        lines.join("\n")
    }
}

impl Snapshot {
    /// The lines that are new, changed or gone since `old`, a snapshot of the same page with the same ids.
    #[must_use]
    pub fn difference_from(&self, old: &Snapshot) -> Difference {
        difference(old.text(), self.text())
    }
}

/// Compares without indentation, since a line that only moved deeper says nothing new.
fn difference(old: &str, new: &str) -> Difference {
    let old: Vec<&str> = old.lines().map(str::trim_start).collect();
    let new: Vec<&str> = new.lines().map(str::trim_start).collect();
    let mut added = Vec::new();
    let mut removed: Vec<&str> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        for change in operation.iter_changes(&old, &new) {
            match change.tag() {
                ChangeTag::Insert => added.push(change.value()),
                ChangeTag::Delete => removed.push(change.value()),
                ChangeTag::Equal => {}
            }
        }
    }
    let mut gone: HashMap<&str, usize> = HashMap::new();
    for line in &removed {
        *gone.entry(id_of(line).unwrap_or(line)).or_default() += 1;
    }
    let mut difference = Difference::default();
    for line in added {
        let key = id_of(line).unwrap_or(line);
        match gone.get_mut(key).filter(|count| **count > 0) {
            // The same line elsewhere: it moved.
            Some(count) if key == line => *count -= 1,
            Some(count) => {
                *count -= 1;
                difference.changed.push(line.to_owned());
            }
            None => difference.added.push(line.to_owned()),
        }
    }
    for line in removed {
        if let Some(count) = gone
            .get_mut(id_of(line).unwrap_or(line))
            .filter(|count| **count > 0)
        {
            *count -= 1;
            difference.removed.push(line.to_owned());
        }
    }
    difference
}

/// The `[0-5]` at the beginning of an element's line, behind a bullet or not.
fn id_of(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches("- ");
    let end = bare.find(']')?;
    bare.starts_with('[').then(|| &bare[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_changed_and_gone_lines_are_told() {
        let old = "[0-0] RootWebArea: Shop\n  [0-1] button: Open\n  text\n  [0-2] textbox: Name = A\n  old";
        let new = "[0-0] RootWebArea: Shop\n  list\n    [0-1] button: Open [expanded]\n    [0-3] option: Red\n  text\n  [0-2] textbox: Name = B";
        let found = difference(old, new);
        assert_eq!(found.added, ["list", "[0-3] option: Red"]);
        assert_eq!(
            found.changed,
            ["[0-1] button: Open [expanded]", "[0-2] textbox: Name = B"]
        );
        assert_eq!(found.removed, ["old"]);
        assert_eq!(found.to_text().lines().count(), 5);
    }

    #[test]
    fn equal_texts_and_moved_lines_are_no_difference() {
        assert!(difference("a\n  b\nc", "a\nb\n    c").is_empty());
        assert!(difference("a\nb", "b\na").is_empty());
    }
}
