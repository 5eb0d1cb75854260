//! From the text of a reply to the JSON value that it most plainly means.
//!
//! Pure, total and bounded: any text gives an answer in time linear in its length. What is repaired must mean
//! one thing only; what stays doubtful is left to the judge, who asks the model again.

mod lenient_json;
mod reasoning;

use serde_json::{Map, Value};

use crate::schema::{Conformed, ResponseSchema};
use lenient_json::read_prefix;
use reasoning::strip_reasoning;

/// Members that models wrap an answer in.
const WRAPPERS: [&str; 10] = [
    "result",
    "value",
    "data",
    "answer",
    "output",
    "response",
    "json",
    "extraction",
    "items",
    "results",
];

/// Most values that are looked at in one reply.
const MOST_CANDIDATES: usize = 64;

/// Most levels of text within text.
const MOST_ENCODINGS: usize = 3;

/// The JSON value that a reply means, in the shape of the schema that was sent; `None` when there is no JSON in
/// it.
///
/// The value that comes back may still not fit the schema: then it is the one that comes nearest, and the judge
/// says what is wrong with it.
///
/// JSON that fits comes back unchanged. Otherwise, in this order:
/// 1. Reasoning in tags goes (`<think>`, `<reasoning>` and the like; closed, only closed, or never closed).
/// 2. JSON is looked for: the whole reply, code fences, then anywhere in the text; with the slips of
///    `lenient_json.rs`; also as text within text. JSON in an unclosed reasoning tag counts only when it ends the
///    reply and fits.
/// 3. Wrappers go (`{"result": …}`, a sole member that the schema does not know, an array of one) or are put
///    around (the value itself for `{"value": …}`, a list or a text for an object whose only member is one).
/// 4. Single values are rewritten as far as they mean one thing (numbers and booleans as text, `null` for a
///    missing member, `[0-5]` for an id, forbidden members).
///
/// Of several that fit, the one that loses least is taken, then one in a fence, then the last, because models
/// that think aloud end with the answer.
///
/// ```
/// use automator_llm::{ResponseSchema, repair};
/// use serde_json::json;
///
/// let schema = ResponseSchema::new(&json!({
///     "type": "object", "properties": { "height": { "type": "number" } }, "required": ["height"]
/// }))?;
/// let reply = "<think>Is it {\"height\": 3}?</think>Here it is:\n```json\n{\"height\": \"41\",}\n```";
/// assert_eq!(repair(reply, &schema), Some(json!({ "height": 41 })));
/// assert_eq!(repair("I would rather chat", &schema), None);
/// # Ok::<(), automator_llm::LlmError>(())
/// ```
pub fn repair(reply: &str, schema: &ResponseSchema) -> Option<Value> {
    let whole = trim(reply);
    if let Ok(value) = serde_json::from_str::<Value>(whole)
        && schema.fits(&value)
    {
        return Some(value);
    }
    let stripped = strip_reasoning(whole);
    let text = trim(&stripped.text);
    let best = candidates(text, schema, MOST_ENCODINGS)
        .into_iter()
        .filter_map(|candidate| judge(candidate, schema))
        // The last of equals.
        .min_by(|one, other| one.rank().cmp(&other.rank()).then(other.place.cmp(&one.place)));
    match best {
        Some(found) => Some(found.value),
        None if stripped.unclosed => ending(whole, schema),
        None => None,
    }
}

/// A reply that is no JSON at all, as the only member of a schema when that is a text.
///
/// Whoever calls this knows that the reply was not cut off: half a text cannot be told from a whole one.
pub(crate) fn plain_text(reply: &str, schema: &ResponseSchema) -> Option<Value> {
    let stripped = strip_reasoning(trim(reply));
    let text = without_outer_fence(trim(&stripped.text));
    // JSON was meant where a text begins like it.
    if stripped.unclosed || text.is_empty() || text.starts_with(['{', '[', '"', '`']) {
        return None;
    }
    let name = only_member(schema, "string")?;
    let value = Value::Object(Map::from_iter([(name, Value::from(text))]));
    schema.fits(&value).then_some(value)
}

/// A value found in the reply.
struct Candidate {
    value: Value,
    /// The whole reply, or all that a fence holds.
    certain: bool,
    place: usize,
}

/// A candidate in its best writing.
struct Judged {
    value: Value,
    fits: bool,
    losses: u32,
    mismatch: u32,
    certain: bool,
    place: usize,
}

impl Judged {
    /// Smaller is better.
    fn rank(&self) -> (bool, u32, u32, bool) {
        if self.fits {
            (false, self.losses, 0, !self.certain)
        } else {
            (true, 0, self.mismatch, !self.certain)
        }
    }
}

/// All values that a text may mean.
fn candidates(text: &str, schema: &ResponseSchema, encodings: usize) -> Vec<Candidate> {
    let bare = without_outer_fence(text);
    for whole in [text, bare] {
        match serde_json::from_str::<Value>(whole) {
            // Text within text.
            Ok(Value::String(inner)) if encodings > 0 && trim(&inner).starts_with(['{', '[', '"', '`']) => {
                return candidates(trim(&inner), schema, encodings - 1);
            }
            Ok(value) => {
                return vec![Candidate {
                    value,
                    certain: true,
                    place: 0,
                }];
            }
            Err(_) => {}
        }
    }
    let found = scan(text);
    let lines = as_one_list(text, &found, schema);
    found
        .into_iter()
        .map(|found| found.candidate)
        .chain(lines)
        .collect()
}

/// A candidate and where it stands.
struct Found {
    candidate: Candidate,
    start: usize,
    end: usize,
}

/// Objects and arrays in a text, outermost only.
fn scan(text: &str) -> Vec<Found> {
    // Every byte may be looked at a few times: openings that lead nowhere are read again from the next one.
    let mut steps = text.len().saturating_mul(4).saturating_add(65_536);
    let mut found: Vec<Found> = Vec::new();
    let mut at = 0;
    while steps > 0 && found.len() < MOST_CANDIDATES {
        let Some(start) = text
            .get(at..)
            .and_then(|rest| rest.find(['{', '[']))
            .map(|offset| at + offset)
        else {
            break;
        };
        let rest = text.get(start..).unwrap_or_default();
        let Some((value, length)) = read_prefix(rest, &mut steps) else {
            at = start + 1;
            continue;
        };
        let end = start + length;
        // Strict reading is the more exact one where it works.
        let value = rest
            .get(..length)
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or(value);
        found.push(Found {
            candidate: Candidate {
                value,
                certain: is_fenced(
                    text.get(..start).unwrap_or_default(),
                    text.get(end..).unwrap_or_default(),
                ) || start == 0 && end == text.len(),
                place: found.len(),
            },
            start,
            end,
        });
        at = end;
    }
    found
}

/// Whether a value fills a code fence.
fn is_fenced(before: &str, after: &str) -> bool {
    let opened = before
        .trim_end()
        .trim_end_matches(|character: char| character.is_ascii_alphanumeric());
    opened.ends_with("```") && after.trim_start().starts_with("```")
}

/// What stands between the first and the last line of a reply that is one code fence.
fn without_outer_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, content)) if language.trim().bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            trim(content)
        }
        _ => text,
    }
}

/// Values one after the other, where a list is wanted and nothing else stands in the reply.
fn as_one_list(text: &str, found: &[Found], schema: &ResponseSchema) -> Option<Candidate> {
    if found.len() < 2 || !schema.is_wrapped() || !schema.member_takes("value", "array") {
        return None;
    }
    let mut at = 0;
    for one in found {
        let between = text.get(at..one.start)?;
        if !between
            .chars()
            .all(|character| character.is_whitespace() || character == ',')
        {
            return None;
        }
        at = one.end;
    }
    let items = found.iter().map(|one| one.candidate.value.clone()).collect();
    text.get(at..)?
        .trim_matches([',', ' ', '\n', '\r', '\t'])
        .is_empty()
        .then_some(Candidate {
            value: Value::Array(items),
            certain: true,
            place: found.len(),
        })
}

/// A value at the very end of a reply whose reasoning was never closed; only one that fits as it is.
fn ending(whole: &str, schema: &ResponseSchema) -> Option<Value> {
    let found = scan(whole);
    let last = found.into_iter().next_back()?;
    let closes = whole
        .get(last.end..)?
        .trim_matches(['`', ' ', '\n', '\r', '\t'])
        .is_empty();
    let judged = judge(last.candidate, schema)?;
    (closes && judged.fits && judged.losses == 0).then_some(judged.value)
}

/// The best writing of a candidate. A value that merely stands in prose and is of another kind altogether is
/// none: `[1]` in a sentence is a footnote.
fn judge(candidate: Candidate, schema: &ResponseSchema) -> Option<Judged> {
    let mut best: Option<(Conformed, bool)> = None;
    for writing in writings(candidate.value, schema, 2) {
        if schema.fits(&writing) {
            let conformed = Conformed {
                value: writing,
                mismatch: 0,
                losses: 0,
                edits: 0,
            };
            best = Some((conformed, true));
            break;
        }
        let conformed = schema.conform(writing);
        let fits = schema.fits(&conformed.value);
        let rank = |fits: bool, one: &Conformed| {
            if fits {
                (false, one.losses, one.edits)
            } else {
                (true, one.mismatch, one.edits)
            }
        };
        if best
            .as_ref()
            .is_none_or(|(known, known_fits)| rank(fits, &conformed) < rank(*known_fits, known))
        {
            best = Some((conformed, fits));
        }
    }
    let (conformed, fits) = best?;
    if !fits && !candidate.certain && conformed.mismatch >= 100 {
        return None;
    }
    Some(Judged {
        value: conformed.value,
        fits,
        losses: conformed.losses,
        mismatch: conformed.mismatch,
        certain: candidate.certain,
        place: candidate.place,
    })
}

/// A value as it is, without a wrapper, and with the one that the schema wants.
fn writings(value: Value, schema: &ResponseSchema, depth: usize) -> Vec<Value> {
    let mut list = Vec::new();
    if let Some(depth) = depth.checked_sub(1) {
        for inner in unwrapped(&value, schema) {
            list.extend(writings(inner, schema, depth));
        }
    }
    if let Some(around) = rewrapped(&value, schema) {
        list.insert(0, around);
    }
    list.insert(0, value);
    list
}

/// Values within a wrapper that the schema does not know.
fn unwrapped(value: &Value, schema: &ResponseSchema) -> Vec<Value> {
    match value {
        Value::Object(members) => {
            let sole = members.len() == 1;
            members
                .iter()
                .filter(|(name, _)| !is_member(schema, name) && (sole || WRAPPERS.contains(&name.as_str())))
                .filter(|(_, inner)| schema.is_wrapped() || inner.is_object() || inner.is_array())
                .map(|(_, inner)| inner.clone())
                .collect()
        }
        Value::Array(items) if !schema.is_wrapped() && items.len() == 1 => items.clone(),
        _ => Vec::new(),
    }
}

/// The value within the wrapper that the schema wants.
fn rewrapped(value: &Value, schema: &ResponseSchema) -> Option<Value> {
    let name = if schema.is_wrapped() {
        let is_wrapped = value
            .as_object()
            .is_some_and(|members| members.contains_key("value"));
        if is_wrapped {
            return None;
        }
        "value".to_owned()
    } else {
        match value {
            Value::Array(_) => only_member(schema, "array")?,
            Value::String(_) => only_member(schema, "string")?,
            _ => return None,
        }
    };
    Some(Value::Object(Map::from_iter([(name, value.clone())])))
}

/// The only member of an object schema, when it is of this type.
fn only_member(schema: &ResponseSchema, type_name: &str) -> Option<String> {
    let properties = schema.root().get("properties")?.as_object()?;
    let (name, _) = properties.iter().next().filter(|_| properties.len() == 1)?;
    schema.member_takes(name, type_name).then(|| name.clone())
}

fn is_member(schema: &ResponseSchema, name: &str) -> bool {
    schema
        .root()
        .get("properties")
        .is_some_and(|properties| properties.get(name).is_some())
}

/// Blanks and byte order marks around a reply.
fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || matches!(character, '\u{feff}' | '\0'))
}

#[cfg(test)]
mod tests;
