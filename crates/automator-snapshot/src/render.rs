//! Writing: items → lines of text.
//!
//! An indented outline, two spaces a level. No line is empty and none ends in white space.

use std::borrow::Cow;

use crate::outline::{Form, Item, ItemIndex, Outline, Span};
use crate::role::Role;
use crate::state::{WITHOUT_VALUE, ends_with_state};
use crate::text::is_invisible;
use crate::tree::NodeIndex;

/// Levels beyond this one are not indented further: nobody can tell 60 levels from 61, and each would cost.
const DEEPEST_INDENT: usize = 60;

/// Stands before a bare text that could be taken for the line of an element.
const TEXT_MARK: &str = "text: ";

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
                if item.form == Form::Text && looks_like_structure(outline.str(item.name)) {
                    writer.out.text.push_str(TEXT_MARK);
                }
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

impl<'o> Writer<'o> {
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
        if self.outline.fits_one_line(&item.children) && !self.ends_with_element(item) {
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

    /// Whether the states of a row would stand where those of its last element do.
    fn ends_with_element(&self, row: &Item) -> bool {
        let cells = row.children.iter().rev();
        let mut parts = cells.filter_map(|&cell| self.outline.item(cell).children.last());
        row.states.words().next().is_some()
            && parts
                .next()
                .is_some_and(|&part| self.outline.item(part).form == Form::Element)
    }

    fn item(&mut self, item: &Item) {
        if item.form == Form::Text {
            let text = self.outline.str(item.name);
            if looks_like_id(text) {
                self.out.text.push_str(TEXT_MARK);
            }
            self.out.text.push_str(text);
            return;
        }
        self.head(item);
        let name = self.told(item.name);
        if !name.is_empty() {
            let looks_like_value =
                name.contains(" = ") && !WITHOUT_VALUE.iter().any(|role| role.word() == item.word);
            self.out.text.push_str(": ");
            self.quoted_if(looks_like_value || ends_with_state(&name), &name);
        }
        let value = self.told(item.value);
        if !value.is_empty() {
            self.out.text.push_str(" = ");
            self.quoted_if(ends_with_state(&value), &value);
        }
        self.states(item);
    }

    /// A name or a value as far as it is told, with a mark where it was cut.
    fn told(&self, span: Span) -> Cow<'o, str> {
        let told = self.outline.told(span);
        if told.len() < self.outline.str(span).len() {
            Cow::Owned(format!("{told}…"))
        } else {
            Cow::Borrowed(told)
        }
    }

    /// Writes a text, between quotes when it could be taken for what follows a name or a value.
    fn quoted_if(&mut self, is_quoted: bool, text: &str) {
        if is_quoted {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
            self.out.text.push('"');
            self.out.text.push_str(&escaped);
            self.out.text.push('"');
        } else {
            self.out.text.push_str(text);
        }
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
    let Some(rest) = without_marks(text).strip_prefix('[') else {
        return false;
    };
    let rest = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    let Some(rest) = rest.strip_prefix('-') else {
        return false;
    };
    rest.trim_start_matches(|character: char| character.is_ascii_digit())
        .starts_with(']')
}

/// Whether a bare text could be taken for a line of structure, such as `navigation: Main`.
fn looks_like_structure(text: &str) -> bool {
    let text = without_marks(text);
    let end = text.find([':', ' ']).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let is_word = match word {
        "row" => true,
        "text" => return rest.starts_with(": "),
        word => Role::from_word(word).is_some_and(Role::is_structure),
    };
    let follows = |mark| rest.starts_with(mark);
    is_word && (rest.is_empty() || rest == ":" || [": ", " [", " = "].into_iter().any(follows))
}

/// A text without what could be a bullet before it.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches(|character: char| matches!(character, '-' | ' ') || is_invisible(character))
}

#[cfg(test)]
mod tests {
    use super::{looks_like_id, looks_like_structure};

    #[test]
    fn texts_that_could_be_taken_for_elements_are_known() {
        for text in ["[0-1] trap", "- [0-1] trap", "\u{200b}[12-3]", "\u{ad}- [0-0]"] {
            assert!(looks_like_id(text), "{text:?}");
        }
        for text in ["[1] note", "[a-b]", "0-1", "see [0-1]", "[0-1"] {
            assert!(!looks_like_id(text), "{text:?}");
        }
    }

    #[test]
    fn texts_that_could_be_taken_for_structure_are_known() {
        for text in [
            "row: 1 | 2",
            "navigation",
            "- list",
            "group [disabled]",
            "meter = 5",
            "text: x",
            "main:",
        ] {
            assert!(looks_like_structure(text), "{text:?}");
        }
        for text in [
            "Row: 1",
            "rows: 1",
            "main street",
            "a list",
            "text",
            "link: no id",
            "time: 10:00",
            "note 5: x",
        ] {
            assert!(!looks_like_structure(text), "{text:?}");
        }
    }
}
