//! String members that are addresses: out as element ids, back as absolute addresses.

use serde_json::{Map, Value};

use super::document::{Budget, Document, alternatives, branches, item_schema, property};
use super::normalise::escape;
use super::{ID_PATTERN, URL_MARK};
use crate::error::Violation;

/// Told to the model beside the member's own description.
const ID_HINT: &str = "Give the id of the element whose address is meant, such as 0-12.";

/// How ids and addresses of one page are looked up.
#[derive(Clone, Copy)]
pub struct Urls<'a> {
    /// The absolute address of an element id; `None` when no element with an address has this id.
    pub by_id: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Whether an absolute address stands on the page.
    pub is_known: &'a (dyn Fn(&str) -> bool + Sync),
}

impl Urls<'_> {
    /// For values that come from no page: every id and address is unknown.
    pub const NONE: Urls<'static> = Urls {
        by_id: &|_| None,
        is_known: &|_| false,
    };
}

/// Marks every string with a URL format. Fixed values (`enum`, `const`) stay as they are, because there is
/// nothing to look up.
pub(super) fn mark(node: &mut Value) -> bool {
    let Value::Object(members) = node else {
        return false;
    };
    let mut found = false;
    if is_url_member(members) {
        members.insert(URL_MARK.to_owned(), Value::Bool(true));
        found = true;
    }
    for keyword in ["items", "additionalItems", "additionalProperties"] {
        match members.get_mut(keyword) {
            Some(Value::Array(list)) => found |= mark_all(list.iter_mut()),
            Some(schema) => found |= mark(schema),
            None => {}
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(list)) = members.get_mut(keyword) {
            found |= mark_all(list.iter_mut());
        }
    }
    for keyword in ["properties", "$defs"] {
        if let Some(Value::Object(named)) = members.get_mut(keyword) {
            found |= mark_all(named.values_mut());
        }
    }
    found
}

fn mark_all<'a>(nodes: impl Iterator<Item = &'a mut Value>) -> bool {
    let mut found = false;
    for node in nodes {
        found |= mark(node);
    }
    found
}

fn is_url_member(members: &Map<String, Value>) -> bool {
    let format = members.get("format").and_then(Value::as_str).unwrap_or_default();
    let string = match members.get("type") {
        None => true,
        Some(Value::String(name)) => name == "string",
        Some(Value::Array(names)) => {
            names.iter().any(|name| name == "string")
                && names.iter().all(|name| name == "string" || name == "null")
        }
        Some(_) => false,
    };
    matches!(format, "uri" | "url" | "uri-reference" | "iri" | "iri-reference")
        && string
        && !members.contains_key("enum")
        && !members.contains_key("const")
}

/// Which of the three readings of a marked schema is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// What the model sees: an id.
    Sent,
    /// What a reply may hold before ids are looked up: any string.
    Reply,
    /// What the caller gets: the address, under the caller's own rules except the format, because addresses
    /// of real pages do not always keep to the standard.
    Result,
}

/// Writes a marked schema in one of its readings.
pub(super) fn read_as(node: &Value, reading: Reading) -> Value {
    match node {
        Value::Object(members) if members.contains_key(URL_MARK) => url_member(members, reading),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, value)| (key.clone(), read_as(value, reading)))
                .collect(),
        ),
        Value::Array(items) => items.iter().map(|item| read_as(item, reading)).collect(),
        other => other.clone(),
    }
}

fn url_member(members: &Map<String, Value>, reading: Reading) -> Value {
    let mut copy = Map::new();
    for (key, value) in members {
        let dropped = match key.as_str() {
            URL_MARK | "format" => true,
            "pattern" | "minLength" | "maxLength" => reading != Reading::Result,
            "default" | "examples" => reading == Reading::Sent,
            _ => false,
        };
        if !dropped {
            copy.insert(key.clone(), read_as(value, reading));
        }
    }
    if reading == Reading::Sent {
        copy.entry("type").or_insert_with(|| Value::from("string"));
        let own = members
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim();
        let description = if own.is_empty() {
            ID_HINT.to_owned()
        } else {
            format!("{own} ({ID_HINT})")
        };
        copy.insert("description".to_owned(), Value::from(description));
        copy.insert("pattern".to_owned(), Value::from(ID_PATTERN));
    }
    Value::Object(copy)
}

/// Puts addresses in the place of ids.
pub(super) struct Restorer<'a> {
    pub(super) document: &'a Document,
    pub(super) urls: Urls<'a>,
    pub(super) budget: Budget,
    pub(super) violations: Vec<Violation>,
}

impl Restorer<'_> {
    pub(super) fn restore(&mut self, node: &Value, value: &mut Value, pointer: &str, depth: usize) {
        let node = self.document.resolve(node);
        let (Value::Object(members), Some(depth)) = (node, depth.checked_sub(1)) else {
            return;
        };
        if !self.budget.spend() {
            self.too_large();
            return;
        };
        if members.contains_key(URL_MARK) {
            if let Value::String(text) = value {
                match self.address(text) {
                    Ok(address) => *text = address,
                    Err(problem) => self.violations.push(Violation {
                        pointer: pointer.to_owned(),
                        keyword: "format".to_owned(),
                        message: problem.to_string(),
                    }),
                }
            }
            return;
        }
        for branch in branches(members, "allOf") {
            self.restore(branch, value, pointer, depth);
        }
        if let Some(branch) = self.alternative(members, value) {
            self.restore(branch, value, pointer, depth);
        }
        match value {
            Value::Object(parts) => {
                for (name, part) in parts.iter_mut() {
                    if let Some(schema) = property(members, name) {
                        self.restore(schema, part, &format!("{pointer}/{}", escape(name)), depth);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let Some(schema) = item_schema(members, index) {
                        self.restore(schema, item, &format!("{pointer}/{index}"), depth);
                    }
                }
            }
            _ => {}
        }
    }

    /// An id that was not looked up must not pass for an answer.
    fn too_large(&mut self) {
        if self.violations.is_empty() {
            self.violations.push(Violation {
                pointer: String::new(),
                keyword: "format".to_owned(),
                message: "the value is too large for its addresses to be looked up".to_owned(),
            });
        }
    }

    /// The alternative that a value was written for. A string that is no link of this page belongs to an
    /// alternative that takes plain strings, when there is one.
    fn alternative<'s>(&self, members: &'s Map<String, Value>, value: &Value) -> Option<&'s Value> {
        let list = alternatives(members);
        let plain_wanted = value.as_str().is_some_and(|text| self.address(text).is_err());
        // Of several that fit equally the first goes, but one with an address before plain strings.
        list.iter().min_by_key(|branch| {
            let is_address = self.document.resolve(branch).get(URL_MARK).is_some();
            let mismatch = self.document.mismatch(branch, value);
            if plain_wanted && is_address {
                (mismatch + 1, true)
            } else {
                (mismatch, !is_address)
            }
        })
    }

    fn address(&self, text: &str) -> Result<String, NoAddress> {
        let given = text.trim();
        if let Some(id) = super::element_id(given) {
            return (self.urls.by_id)(id).ok_or_else(|| NoAddress::OfElement { id: id.to_owned() });
        }
        if (self.urls.is_known)(given) {
            return Ok(given.to_owned());
        }
        Err(NoAddress::OfPage {
            preview: crate::preview(given),
        })
    }
}

/// Why a text is not taken for an address.
#[derive(Debug, thiserror::Error)]
enum NoAddress {
    #[error("\"{id}\" is not the id of an element with an address")]
    OfElement { id: String },
    #[error("\"{preview}\" is neither the id of an element nor an address that stands on the page")]
    OfPage { preview: String },
}
