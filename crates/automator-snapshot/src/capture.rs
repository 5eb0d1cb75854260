//! Parsing: one `DOMSnapshot.captureSnapshot` reply → flat arrays.
//!
//! The reply of a large page is tens of megabytes, so it is read once, straight into the arrays that the rest
//! of the crate walks. Nothing is nested, nothing is copied that the reply already holds as plain text, and
//! members that a browser leaves out count as empty.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, SeqAccess, Visitor};

/// The computed styles that a capture must ask for, in this order.
pub const COMPUTED_STYLES: [&str; 6] = [
    "display",
    "visibility",
    "cursor",
    "overflow",
    "content-visibility",
    "content",
];

/// Position of a style in [`COMPUTED_STYLES`]; `display`, the first, is read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Visibility = 1,
    Cursor = 2,
    /// Of both directions: one word, or two.
    Overflow = 3,
    ContentVisibility = 4,
    Content = 5,
}

/// An entry of the strings array, or nothing when it is negative (as the protocol writes "absent").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(transparent)]
pub(crate) struct StringIndex(pub(crate) i32);

impl StringIndex {
    pub(crate) const NONE: StringIndex = StringIndex(-1);
}

impl Default for StringIndex {
    fn default() -> Self {
        Self::NONE
    }
}

/// A parsed reply of `DOMSnapshot.captureSnapshot`: the documents of one target.
#[derive(Debug, Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub struct Capture<'a> {
    pub(crate) documents: Vec<CapturedDocument>,
    pub(crate) strings: Strings<'a>,
}

impl<'a> Capture<'a> {
    /// Reads the `result` object of a reply.
    ///
    /// # Errors
    /// When the text is not the JSON of such a reply. Missing members are no error.
    pub fn parse(result: &'a str) -> Result<Capture<'a>, serde_json::Error> {
        serde_json::from_str(result)
    }

    pub(crate) fn string(&self, index: StringIndex) -> &str {
        self.strings.get(index)
    }

    /// How many nodes the documents of this target hold.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.documents
            .iter()
            .map(|document| document.nodes.node_type.len())
            .sum()
    }

    /// The frame ids of the documents, the main one first.
    pub fn frame_ids(&self) -> impl Iterator<Item = &str> {
        self.documents
            .iter()
            .map(|document| self.string(document.frame_id))
    }
}

/// One document of a capture.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CapturedDocument {
    #[serde(rename = "documentURL")]
    pub(crate) document_url: StringIndex,
    #[serde(rename = "baseURL")]
    pub(crate) base_url: StringIndex,
    pub(crate) title: StringIndex,
    pub(crate) encoding_name: StringIndex,
    pub(crate) frame_id: StringIndex,
    /// CSS pixels, what is scrolled out of view included.
    pub(crate) content_height: f32,
    pub(crate) nodes: CapturedNodes,
    pub(crate) layout: CapturedLayout,
}

/// The nodes of a document in flat-tree order, one entry an array position.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CapturedNodes {
    pub(crate) parent_index: Vec<i32>,
    pub(crate) node_type: Vec<u8>,
    pub(crate) shadow_root_type: RareStrings,
    pub(crate) node_name: Vec<StringIndex>,
    pub(crate) node_value: Vec<StringIndex>,
    pub(crate) backend_node_id: Vec<i64>,
    pub(crate) attributes: Rows,
    pub(crate) text_value: RareStrings,
    pub(crate) input_value: RareStrings,
    pub(crate) input_checked: RareFlags,
    pub(crate) option_selected: RareFlags,
    pub(crate) content_document_index: RareNumbers,
    pub(crate) pseudo_type: RareStrings,
    pub(crate) is_clickable: RareFlags,
    #[serde(rename = "currentSourceURL")]
    pub(crate) current_source_url: RareStrings,
}

/// A string that few nodes have.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RareStrings {
    pub(crate) index: Vec<u32>,
    pub(crate) value: Vec<StringIndex>,
}

impl RareStrings {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, StringIndex)> + '_ {
        self.index
            .iter()
            .map(|&index| index as usize)
            .zip(self.value.iter().copied())
    }
}

/// A number that few nodes have.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RareNumbers {
    pub(crate) index: Vec<u32>,
    pub(crate) value: Vec<i32>,
}

/// A mark that few nodes carry.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct RareFlags {
    pub(crate) index: Vec<u32>,
}

/// The boxes of a document. A node may own several.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CapturedLayout {
    pub(crate) node_index: Vec<u32>,
    pub(crate) styles: Rows,
    pub(crate) bounds: Rectangles,
    pub(crate) text: Vec<StringIndex>,
}

/// A list of rows of string indices, kept as one list and the place where each row ends.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    entries: Vec<StringIndex>,
    ends: Vec<u32>,
}

impl Rows {
    pub(crate) fn row(&self, index: usize) -> &[StringIndex] {
        let Some(&end) = self.ends.get(index) else {
            return &[];
        };
        let start = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        self.entries.get(start as usize..end as usize).unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowsVisitor;
        impl<'de> Visitor<'de> for RowsVisitor {
            type Value = Rows;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of lists of string indices")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Rows, A::Error> {
                let mut out = Rows::default();
                while rows.next_element_seed(Append(&mut out.entries))?.is_some() {
                    out.ends
                        .push(u32::try_from(out.entries.len()).unwrap_or(u32::MAX));
                }
                Ok(out)
            }
        }
        deserializer.deserialize_seq(RowsVisitor)
    }
}

/// Reads one list onto the end of another.
struct Append<'v, T>(&'v mut Vec<T>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Append<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Append<'_, T> {
    type Value = ();
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element()? {
            self.0.push(entry);
        }
        Ok(())
    }
}

/// A box in CSS pixels, relative to the document.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// A list of boxes; one that does not hold four numbers counts as empty.
#[derive(Debug, Default)]
pub(crate) struct Rectangles(pub(crate) Vec<Rectangle>);

impl<'de> Deserialize<'de> for Rectangles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RectanglesVisitor;
        impl<'de> Visitor<'de> for RectanglesVisitor {
            type Value = Rectangles;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of boxes")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut boxes: A) -> Result<Rectangles, A::Error> {
                let mut out = Vec::new();
                let mut numbers: Vec<f32> = Vec::with_capacity(4);
                while boxes.next_element_seed(Append(&mut numbers))?.is_some() {
                    out.push(match numbers[..] {
                        [left, top, width, height] => Rectangle {
                            left,
                            top,
                            width,
                            height,
                        },
                        _ => Rectangle::default(),
                    });
                    numbers.clear();
                }
                Ok(Rectangles(out))
            }
        }
        deserializer.deserialize_seq(RectanglesVisitor)
    }
}

/// The shared strings of a capture, always well-formed.
///
/// A page can hold half of a surrogate pair, which arrives as a bare escape. Read as text that would fail the
/// whole reply, so strings are read as bytes and each half becomes one U+FFFD.
#[derive(Debug, Default)]
pub(crate) struct Strings<'a>(pub(crate) Vec<Cow<'a, str>>);

impl Strings<'_> {
    fn get(&self, index: StringIndex) -> &str {
        usize::try_from(index.0)
            .ok()
            .and_then(|index| self.0.get(index))
            .map_or("", |string| string)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Strings<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StringsVisitor;
        impl<'de> Visitor<'de> for StringsVisitor {
            type Value = Vec<Cow<'de, str>>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of strings")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::with_capacity(list.size_hint().unwrap_or(0));
                while let Some(string) = list.next_element_seed(WellFormed)? {
                    out.push(string);
                }
                Ok(out)
            }
        }
        deserializer.deserialize_seq(StringsVisitor).map(Strings)
    }
}

/// Reads one string as bytes and makes it well-formed; anything that is no string is empty.
struct WellFormed;

impl<'de> DeserializeSeed<'de> for WellFormed {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_bytes(self)
    }
}

impl<'de> Visitor<'de> for WellFormed {
    type Value = Cow<'de, str>;
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }
    fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
        Ok(std::str::from_utf8(bytes).map_or_else(|_| Cow::Owned(mend(bytes)), Cow::Borrowed))
    }
    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        Ok(Cow::Owned(
            std::str::from_utf8(bytes).map_or_else(|_| mend(bytes), str::to_owned),
        ))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Cow::Borrowed(""))
    }
}

/// Replaces each half surrogate (three bytes in this encoding) and each stray byte by one U+FFFD.
fn mend(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                return out;
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                out.push_str(&String::from_utf8_lossy(valid));
                out.push(char::REPLACEMENT_CHARACTER);
                let is_half_surrogate = matches!(after, [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..]);
                let skip = if is_half_surrogate {
                    3
                } else {
                    error.error_len().unwrap_or(after.len())
                };
                rest = after.get(skip..).unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_surrogates_become_one_replacement_character_each() {
        let capture =
            Capture::parse(r#"{"strings":["plain","a\ud83db","\ude00","\ud83d\ude00","\n"]}"#).unwrap();
        let strings: Vec<&str> = capture.strings.0.iter().map(AsRef::as_ref).collect();
        assert_eq!(strings, ["plain", "a\u{fffd}b", "\u{fffd}", "😀", "\n"]);
    }

    #[test]
    fn rows_and_boxes_keep_their_borders() {
        let reply = r#"{"documents":[{"nodes":{"attributes":[[1,2],[],[3]]},
            "layout":{"bounds":[[1,2,3.5,4],[],[9]]}}]}"#;
        let capture = Capture::parse(reply).unwrap();
        let document = &capture.documents[0];
        let rows: Vec<usize> = (0..4)
            .map(|row| document.nodes.attributes.row(row).len())
            .collect();
        assert_eq!(rows, [2, 0, 1, 0]);
        assert_eq!(document.layout.bounds.0[0].width, 3.5);
        assert_eq!(document.layout.bounds.0[1], Rectangle::default());
        assert_eq!(document.layout.bounds.0[2], Rectangle::default());
    }

    #[test]
    fn unknown_and_missing_members_are_no_error() {
        let capture =
            Capture::parse(r#"{"news":[{}],"documents":[{"frameId":7,"later":{"a":[[]]}}]}"#).unwrap();
        assert_eq!(capture.frame_ids().collect::<Vec<_>>(), [""]);
        assert_eq!(capture.node_count(), 0);
    }
}
