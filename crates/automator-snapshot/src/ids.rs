//! Ids: short numbers by which a reader points at an element.
//!
//! `<frame>-<number>`. Numbers are given in page order to nodes that carry an id and stay with a node as long as
//! its document lives, so two snapshots of one page can be compared and a model can point at what it saw before.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The id of an element: `0-5`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId {
    /// The frame; the main frame is 0.
    pub frame: u32,
    /// The number within the frame.
    pub number: u32,
}

impl fmt::Display for ElementId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.frame, self.number)
    }
}

/// A text that is no element id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no element id: expected two numbers joined by a hyphen, such as 0-5")]
pub struct InvalidElementId(String);

impl FromStr for ElementId {
    type Err = InvalidElementId;

    /// Reads `0-5`; brackets around it and white space are accepted.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bare = text.trim();
        let bare = bare
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .unwrap_or(bare);
        let number = |digits: &str| {
            let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<u32>().ok().filter(|_| is_plain)
        };
        bare.split_once('-')
            .and_then(|(frame, number_text)| {
                Some(ElementId {
                    frame: number(frame)?,
                    number: number(number_text)?,
                })
            })
            .ok_or_else(|| InvalidElementId(text.to_owned()))
    }
}

/// Which node an id was given to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeKey {
    /// The frame that shows the node.
    pub frame_id: String,
    /// The document in that frame (its loader id).
    pub document_id: String,
    /// The node within the process of that document.
    pub backend_node_id: i64,
}

/// The ids given so far on one page. Keep one a page and hand it to every snapshot of it.
#[derive(Debug, Default)]
pub struct IdTable {
    main_document: Option<(String, String)>,
    frames: HashMap<String, Frame>,
}

#[derive(Debug)]
struct Frame {
    number: u32,
    document_id: String,
    next: u32,
    given: HashMap<i64, u32>,
}

impl IdTable {
    /// An empty table: the first snapshot of a page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts afresh when the main frame shows another document than before.
    pub(crate) fn enter_page(&mut self, frame_id: &str, document_id: &str) {
        let current = (frame_id.to_owned(), document_id.to_owned());
        if self.main_document.as_ref() != Some(&current) {
            self.frames.clear();
            self.main_document = Some(current);
        }
        self.frame(frame_id, document_id);
    }

    /// The id of a node, given now if it has none.
    pub(crate) fn give(&mut self, frame_id: &str, document_id: &str, backend_node_id: i64) -> ElementId {
        let frame = self.frame(frame_id, document_id);
        let next = &mut frame.next;
        let number = *frame.given.entry(backend_node_id).or_insert_with(|| {
            *next += 1;
            *next - 1
        });
        ElementId {
            frame: frame.number,
            number,
        }
    }

    /// A frame keeps its number; a new document in it goes on counting.
    fn frame(&mut self, frame_id: &str, document_id: &str) -> &mut Frame {
        let number = self.frames.len() as u32;
        let frame = self.frames.entry(frame_id.to_owned()).or_insert_with(|| Frame {
            number,
            document_id: document_id.to_owned(),
            next: 0,
            given: HashMap::new(),
        });
        if frame.document_id != document_id {
            document_id.clone_into(&mut frame.document_id);
            frame.given.clear();
        }
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_written_and_with_brackets() {
        assert_eq!("0-12".parse(), Ok(ElementId { frame: 0, number: 12 }));
        assert_eq!(" [3-0] ".parse(), Ok(ElementId { frame: 3, number: 0 }));
        for text in ["", "1", "1-", "-1", "1-2-3", "+1-2", "a-1", "1-99999999999"] {
            assert!(text.parse::<ElementId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_node_keeps_its_id_and_a_new_document_in_a_frame_goes_on_counting() {
        let mut table = IdTable::new();
        table.enter_page("main", "one");
        let first = table.give("child", "a", 7);
        assert_eq!(first.to_string(), "1-0");
        assert_eq!(table.give("child", "a", 9).to_string(), "1-1");
        assert_eq!(table.give("child", "a", 7), first);
        assert_eq!(table.give("child", "b", 7).to_string(), "1-2");
        assert_eq!(table.give("main", "one", 7).to_string(), "0-0");
    }

    #[test]
    fn a_navigation_of_the_main_frame_starts_afresh() {
        let mut table = IdTable::new();
        table.enter_page("main", "one");
        table.give("main", "one", 5);
        table.enter_page("main", "two");
        assert_eq!(table.give("main", "two", 8).to_string(), "0-0");
    }
}
