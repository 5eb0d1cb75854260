//! Recipes: how a value was taken from a page, learnt from one answer of a model and followed on later pages of
//! the same template without one.
//!
//! Pure. [`learn`] finds a place on the page for every part of the answer and keeps how to get there; it gives a
//! recipe only when following it on the very page gives the whole answer again. [`Recipe::replay`] judges itself:
//! whenever the page is not built as the one it was learnt from, it says so instead of giving a value.
//!
//! `path.rs` is the way to an element, `taken.rs` what is taken there, `read.rs` follows a recipe, `learn.rs`
//! learns one with `leaf.rs`, `steps.rs`, `found.rs` and `cover.rs`, and `instruction.rs` says which questions have answers
//! that only hold for the page they were asked on.

mod cover;
mod found;
mod instruction;
mod leaf;
mod learn;
mod number;
mod path;
mod read;
mod steps;
mod taken;

use std::fmt;

use automator_llm::{ResponseSchema, Urls};
use automator_snapshot::Snapshot;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use path::{Kind, Path};
use read::Reader;
use taken::Place;

/// The form of recipes that this version writes and follows.
const VERSION: u32 = 1;

/// How a value is taken from a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Recipe {
    version: u32,
    value: Part,
}

/// One part of a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Part {
    /// An object.
    Members(Vec<Member>),
    /// An array.
    List(Box<List>),
    /// Text, a number, or true and false.
    Taken(Taken),
    /// What no page has shown yet; the list it stands in knows all that its items may hold.
    Nothing,
}

impl Part {
    fn may_grow(&self) -> bool {
        match self {
            Self::Members(members) => members
                .iter()
                .any(|member| member.when_missing.is_some() || member.value.may_grow()),
            Self::List(_) => true,
            Self::Taken(taken) => !taken.says_nothing.is_empty(),
            Self::Nothing => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Member {
    name: String,
    value: Part,
    /// What stands for it where the page does not show it; without this the page must show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    when_missing: Option<Missing>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Missing {
    /// The member is left out.
    LeftOut,
    /// The member is null.
    Null,
}

/// A leaf: the ways to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Taken {
    /// Where it may stand; one of them, or several that say the same.
    places: Vec<Place>,
    /// Where the same stood on the page that this was learnt from. A page where they differ is another matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    also_at: Vec<Place>,
    /// Texts that stand there in place of a value: `–`, `No ratings yet`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    says_nothing: Vec<String>,
}

/// An array: what repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct List {
    /// The element that holds all items.
    container: Path,
    /// From the container to the items, level by level: all elements of that kind.
    items: Vec<Kind>,
    /// Kinds of elements that stand beside them and are none of the items. Another one may be an item of a kind
    /// that was not there before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    beside: Vec<Kind>,
    /// Whether elements that look like items but hold nothing of one are passed over: header rows, banners.
    #[serde(default, skip_serializing_if = "is_false")]
    passes_over: bool,
    /// Whether a missing container means an empty list.
    #[serde(default, skip_serializing_if = "is_false")]
    empty_without_container: bool,
    /// All that items hold, when some members are not in every item: an item that holds more may have a member
    /// under a new name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    may_hold: Option<Vec<String>>,
    item: Part,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Why a recipe does not fit a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The part of the value: a JSON pointer, with `*` for every item of a list.
    pub(crate) pointer: String,
    pub(crate) why: Why,
}

/// What is not as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    Version,
    Gone,
    Several,
    Changed,
    UnknownKind,
    NoNumber,
    Differs,
    TooLarge,
    Refused,
}

impl Why {
    fn words(self) -> &'static str {
        match self {
            Why::Version => "the recipe is of another version",
            Why::Gone => "its place is gone",
            Why::Several => "its place is no longer the only one",
            Why::Changed => "the words around it changed",
            Why::UnknownKind => "something of a kind that was not there before",
            Why::NoNumber => "no number that can be read one way only",
            Why::Differs => "places that said the same differ",
            Why::TooLarge => "following the recipe takes too long",
            Why::Refused => "the schema refuses the value",
        }
    }
}

impl Misfit {
    fn new(why: Why) -> Self {
        Self {
            pointer: String::new(),
            why,
        }
    }

    fn under(mut self, name: &str) -> Self {
        let name = name.replace('~', "~0").replace('/', "~1");
        self.pointer = format!("/{name}{}", self.pointer);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`: {}", self.pointer, self.why.words())
    }
}

impl std::error::Error for Misfit {}

/// Learns how a value was taken from a page.
///
/// `schema` is the JSON Schema as the caller gave it, `url` the address of the page. None when some part of the
/// value stands nowhere on the page, when its place cannot be told for sure, when the question is about this page
/// alone, or when following the recipe would not give the same value again.
pub(crate) fn learn(
    snapshot: &Snapshot,
    schema: &Value,
    instruction: &str,
    url: &str,
    value: &Value,
) -> Option<Recipe> {
    if instruction::is_about_one_page(instruction, url, value) {
        return None;
    }
    let structure = snapshot.structure();
    if instruction::names_heading(instruction, &structure) {
        return None;
    }
    let asked = instruction::asked_words(instruction, schema);
    let value = learn::part_of(&structure, schema, asked, url, value)?;
    Some(Recipe {
        version: VERSION,
        value,
    })
}

impl Recipe {
    /// The value of a page.
    ///
    /// # Errors
    /// [`Misfit`] when the page is not built as the one that the recipe was learnt from, or when the schema
    /// refuses the value.
    /// Whether a page of which a part is there would pass for the whole: there are lists, or members that may be
    /// missing.
    pub(crate) fn needs_rest(&self) -> bool {
        self.value.may_grow()
    }

    pub(crate) fn replay(&self, snapshot: &Snapshot, schema: &ResponseSchema) -> Result<Value, Misfit> {
        if self.version != VERSION {
            return Err(Misfit::new(Why::Version));
        }
        let structure = snapshot.structure();
        let value = Reader::new(&structure)
            .part(&self.value, 0)?
            .ok_or_else(|| Misfit::new(Why::Gone))?;
        let known = |url: &str| snapshot.holds_address(url);
        let urls = Urls {
            by_id: &|_| None,
            is_known: &known,
        };
        match schema.restore(schema.as_answer(value.clone()), &urls) {
            Ok(restored) if restored == value => Ok(value),
            Ok(_) => Err(Misfit::new(Why::Refused)),
            Err(violations) => Err(Misfit {
                pointer: violations
                    .into_iter()
                    .next()
                    .map_or_else(String::new, |first| first.pointer),
                why: Why::Refused,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
