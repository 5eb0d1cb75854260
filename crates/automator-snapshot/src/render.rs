//! Writing: items → lines of text.
//!
//! An indented outline, two spaces a level. No line is empty and none ends in white space.

use crate::outline::{Form, Item, ItemIndex, Outline};
use crate::tree::NodeIndex;

/// Levels beyond this one are not indented further: nobody can tell 60 levels from 61, and each would cost.
const DEEPEST_INDENT: usize = 60;

/// One written line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenLine {
    /// Where the line ends in the text, without the line break.
    pub(crate) end: usize,
    pub(crate) depth: usize,
    /// What the line tells: an element, or the first text node of a bare text.
    pub(crate) node: NodeIndex,
}

/// A page in text form.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) lines: Vec<WrittenLine>,
}

/// Writes an outline; `id` gives the id of an element that carries one.
pub(crate) fn write(outline: &Outline, id: &dyn Fn(NodeIndex) -> Option<(u32, u32)>) -> Written {
    let mut writer = Writer {
        outline,
        id,
        out: Written::default(),
    };
    let mut open: Vec<(ItemIndex, usize, usize)> = Vec::new();
    open.extend(outline.roots.iter().rev().map(|&root| (root, 0, 0)));
    while let Some((index, depth, bullets)) = open.pop() {
        let item = outline.item(index);
        match item.form {
            Form::Text | Form::Element => {
                writer.begin(depth, bullets);
                writer.item(item);
                writer.end(depth, item.node);
                open.extend(item.children.iter().rev().map(|&child| (child, depth + 1, 0)));
            }
            Form::Bullet | Form::Cell => writer.bullet(item, depth, bullets, &mut open),
            Form::Row => writer.row(item, depth, bullets, &mut open),
        }
    }
    writer.out
}

struct Writer<'o> {
    outline: &'o Outline,
    id: &'o dyn Fn(NodeIndex) -> Option<(u32, u32)>,
    out: Written,
}

impl Writer<'_> {
    fn begin(&mut self, depth: usize, bullets: usize) {
        if !self.out.lines.is_empty() {
            self.out.text.push('\n');
        }
        for _ in 0..depth.min(DEEPEST_INDENT) {
            self.out.text.push_str("  ");
        }
        for _ in 0..bullets {
            self.out.text.push_str("- ");
        }
    }

    fn end(&mut self, depth: usize, node: NodeIndex) {
        let kept = self.out.text.trim_end_matches(' ').len();
        self.out.text.truncate(kept);
        self.out.lines.push(WrittenLine {
            end: kept,
            depth,
            node,
        });
    }

    /// `- ` in front of the only line below, or `-` with the content on lines of its own.
    fn bullet(
        &mut self,
        item: &Item,
        depth: usize,
        bullets: usize,
        open: &mut Vec<(ItemIndex, usize, usize)>,
    ) {
        match item.children[..] {
            [only] if self.outline.item(only).form != Form::Bullet || bullets == 0 => {
                open.push((only, depth, bullets + 1));
            }
            _ => {
                self.begin(depth, bullets);
                self.out.text.push('-');
                self.end(depth, item.node);
                open.extend(item.children.iter().rev().map(|&child| (child, depth + 1, 0)));
            }
        }
    }

    /// Cells joined by ` | ` where each is one part; else each cell as a list item.
    fn row(&mut self, item: &Item, depth: usize, bullets: usize, open: &mut Vec<(ItemIndex, usize, usize)>) {
        self.begin(depth, bullets);
        self.head(item);
        if self.outline.fits_one_line(&item.children) {
            for (position, &cell) in item.children.iter().enumerate() {
                self.out.text.push_str(if position == 0 { ": " } else { " | " });
                for (position, &part) in self.outline.item(cell).children.iter().enumerate() {
                    if position > 0 {
                        self.out.text.push_str(" | ");
                    }
                    self.item(self.outline.item(part));
                }
            }
            self.states(item);
            self.end(depth, item.node);
        } else {
            self.states(item);
            self.end(depth, item.node);
            open.extend(item.children.iter().rev().map(|&child| (child, depth + 1, 0)));
        }
    }

    fn item(&mut self, item: &Item) {
        let name = self.outline.str(item.name);
        if item.form == Form::Text {
            if looks_like_id(name) {
                self.out.text.push_str("text: ");
            }
            self.out.text.push_str(name);
            return;
        }
        self.head(item);
        if !name.is_empty() {
            self.out.text.push_str(": ");
            self.out.text.push_str(name);
        }
        let value = self.outline.str(item.value);
        if !value.is_empty() {
            self.out.text.push_str(" = ");
            self.out.text.push_str(value);
        }
        self.states(item);
    }

    fn head(&mut self, item: &Item) {
        if item.carries_id
            && let Some((frame, number)) = (self.id)(item.node)
        {
            self.out.text.push_str(&format!("[{frame}-{number}] "));
        }
        self.out.text.push_str(&item.word);
    }

    fn states(&mut self, item: &Item) {
        for word in item.states.words() {
            self.out.text.push_str(" [");
            self.out.text.push_str(word);
            self.out.text.push(']');
        }
    }
}

/// Whether a bare text could be taken for the id of an element.
fn looks_like_id(text: &str) -> bool {
    let is_skipped = |character: char| matches!(character, '-' | ' ' | '\u{AD}' | '\u{200B}'..='\u{200F}');
    let Some(rest) = text.trim_start_matches(is_skipped).strip_prefix('[') else {
        return false;
    };
    let rest = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    let Some(rest) = rest.strip_prefix('-') else {
        return false;
    };
    rest.trim_start_matches(|character: char| character.is_ascii_digit())
        .starts_with(']')
}

#[cfg(test)]
mod tests {
    use super::looks_like_id;

    #[test]
    fn texts_that_could_be_taken_for_elements_are_known() {
        for text in ["[0-1] trap", "- [0-1] trap", "\u{200b}[12-3]", "\u{ad}- [0-0]"] {
            assert!(looks_like_id(text), "{text:?}");
        }
        for text in ["[1] note", "[a-b]", "0-1", "see [0-1]", "[0-1"] {
            assert!(!looks_like_id(text), "{text:?}");
        }
    }
}
