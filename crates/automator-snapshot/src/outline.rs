//! The outline: what of the page is told, as a tree of lines without markup.
//!
//! One walk over the page, without recursion. On the way down each node gets a [`Plan`]; on the way up its
//! content, by then a list of texts and finished items, becomes one item or is handed on to its parent.

mod build;
mod plan;
mod tidy;

use std::borrow::Cow;

use crate::state::{States, ends_with_state};
use crate::tree::NodeIndex;

/// Position of an item in [`Outline::items`].
pub(crate) type ItemIndex = u32;

/// Part of [`Outline::text`], and how much of it is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    told: u32,
    end: u32,
}

impl Span {
    fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// How an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Bare text; its name is the text.
    Text,
    /// A line with a role word, and an id or none.
    Element,
    /// A list item without an id: `- `.
    Bullet,
    /// A table row: its cells on one line where that is possible.
    Row,
    /// A cell of a row.
    Cell,
}

/// One thing that is told.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    /// The element; for text the first text node.
    pub(crate) node: NodeIndex,
    pub(crate) form: Form,
    pub(crate) carries_id: bool,
    pub(crate) word: Cow<'static, str>,
    pub(crate) name: Span,
    pub(crate) value: Span,
    pub(crate) states: States,
    pub(crate) children: Vec<ItemIndex>,
}

/// The items of a page and their text.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) items: Vec<Item>,
    pub(crate) roots: Vec<ItemIndex>,
    text: String,
}

impl Outline {
    pub(crate) fn item(&self, index: ItemIndex) -> &Item {
        &self.items[index as usize]
    }

    pub(crate) fn str(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The part of a text that is told; shorter than the whole for very long names and values.
    pub(crate) fn told(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.told as usize)
            .unwrap_or_default()
    }

    /// Visits the items in page order.
    pub(crate) fn visit(&self, mut visitor: impl FnMut(&Item)) {
        let mut open: Vec<ItemIndex> = self.roots.iter().rev().copied().collect();
        while let Some(index) = open.pop() {
            let item = self.item(index);
            visitor(item);
            open.extend(item.children.iter().rev());
        }
    }

    fn store(&mut self, text: &str) -> Span {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let end = self.text.len() as u32;
        Span {
            start,
            told: end,
            end,
        }
    }

    /// Keeps the whole text, and has no more than `limit` characters of it told.
    fn store_up_to(&mut self, text: &str, limit: usize) -> Span {
        let mut span = self.store(text);
        if let Some((end, _)) = text.char_indices().nth(limit) {
            span.told = span.start + text[..end].trim_end().len() as u32;
        }
        span
    }

    /// Whether a row reads well as one line: cells of one part each; only the last filled one may hold several.
    pub(crate) fn fits_one_line(&self, cells: &[ItemIndex]) -> bool {
        let last = cells
            .iter()
            .rposition(|&cell| !self.item(cell).children.is_empty());
        cells.iter().enumerate().all(|(position, &cell)| {
            let cell = self.item(cell);
            cell.form == Form::Cell
                && (cell.children.len() < 2 || Some(position) == last)
                && cell.children.iter().all(|&part| {
                    let part = self.item(part);
                    let fits = matches!(part.form, Form::Text | Form::Element) && part.children.is_empty();
                    fits && !self.blurs_row(part)
                })
        })
    }

    /// Whether a part of a row could be taken for several, or for a state of the row.
    fn blurs_row(&self, part: &Item) -> bool {
        let blurs = |text: &str| text.contains(" | ") || text.starts_with("| ") || text.ends_with(" |");
        let name = self.told(part.name);
        blurs(name) || blurs(self.told(part.value)) || part.form == Form::Text && ends_with_state(name)
    }
}
