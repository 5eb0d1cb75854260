//! Where on the page the parts of a result stand, found by matching the result to the snapshot.

use std::collections::BTreeMap;

use automator_browser::Page;
use automator_snapshot::{Place, Snapshot, Sought, XPath};
use serde::Serialize;
use serde_json::Value;

use crate::Result;

/// Levels of a value that are looked into.
const DEEPEST: usize = 128;

/// An element on which a value stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The absolute XPath of the element.
    pub xpath: String,
    /// Its id in the page text, when it carries one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// For each JSON pointer of a result the places it stands on, in page order.
///
/// A value that stands nowhere on the page has an empty list: the model computed it, or made it up. Members that
/// are null are not looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Provenance {
    sources: BTreeMap<String, Vec<Source>>,
}

impl Provenance {
    /// The places of the value at a JSON pointer; none when there is no such value.
    #[must_use]
    pub fn get(&self, pointer: &str) -> Option<&[Source]> {
        self.sources.get(pointer).map(Vec::as_slice)
    }

    /// Every pointer with its places.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[Source])> {
        self.sources
            .iter()
            .map(|(pointer, sources)| (pointer.as_str(), sources.as_slice()))
    }

    /// Pointers to values that stand nowhere on the page.
    pub fn found_nowhere(&self) -> impl Iterator<Item = &str> {
        self.iter()
            .filter(|(_, sources)| sources.is_empty())
            .map(|(pointer, _)| pointer)
    }
}

/// Matches a result to the snapshot that it was extracted from.
pub(crate) async fn of(value: &Value, snapshot: &Snapshot, page: &Page) -> Result<Provenance> {
    let mut leaves = Vec::new();
    collect(value, String::new(), DEEPEST, &mut leaves);
    let sought: Vec<Sought<'_>> = leaves
        .iter()
        .filter_map(|(_, leaf)| sought(leaf, snapshot))
        .collect();
    let mut found = snapshot.locate(&sought).into_iter();
    let places: Vec<Vec<Place>> = leaves
        .iter()
        .map(|(_, leaf)| {
            if sought_at_all(leaf) {
                found.next().unwrap_or_default()
            } else {
                Vec::new()
            }
        })
        .collect();
    let all: Vec<&XPath> = places.iter().flatten().map(|place| &place.xpath).collect();
    let mut paths = page.xpaths_of(&all).await?.into_iter();
    let sources = leaves.into_iter().zip(&places).map(|((pointer, _), places)| {
        let sources = places.iter().filter_map(|place| {
            let xpath = paths.next().flatten()?;
            Some(Source {
                xpath,
                id: place.id.map(|id| id.to_string()),
            })
        });
        (pointer, sources.collect())
    });
    Ok(Provenance {
        sources: sources.collect(),
    })
}

/// The values that are no containers, with their pointers.
fn collect<'v>(value: &'v Value, pointer: String, depth: usize, leaves: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Null => {}
        Value::Array(list) if depth > 0 => {
            for (position, inner) in list.iter().enumerate() {
                collect(inner, format!("{pointer}/{position}"), depth - 1, leaves);
            }
        }
        Value::Object(members) if depth > 0 => {
            for (name, inner) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(inner, format!("{pointer}/{name}"), depth - 1, leaves);
            }
        }
        leaf => leaves.push((pointer, leaf)),
    }
}

/// Whether a value can stand on a page: `true` and `false` are judgements.
fn sought_at_all(leaf: &Value) -> bool {
    matches!(leaf, Value::String(_) | Value::Number(_))
}

fn sought<'v>(leaf: &'v Value, snapshot: &Snapshot) -> Option<Sought<'v>> {
    match leaf {
        Value::String(text) if snapshot.holds_address(text) => Some(Sought::Address(text)),
        Value::String(text) => Some(Sought::Text(text)),
        Value::Number(number) => Some(Sought::Number(number.as_f64().unwrap_or(f64::NAN))),
        _ => None,
    }
}
