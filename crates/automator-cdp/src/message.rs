//! One message: the envelope is read once, the rest stays raw text until someone wants it.
//!
//! Nothing here trusts the other side. Reading never panics and never recurses on the depth of a message,
//! except within a bound that is checked first.

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::CdpError;

/// Nesting that [`RawReply::parse`] still reads. Chrome itself ends values at 1,000 levels. The bound exists
/// because values of that depth are dropped by recursion.
const DEPTH_LIMIT: usize = 2_500;

/// The plain reader of `serde_json` stops here, so shallower texts need no care.
const PLAIN_DEPTH: usize = 120;

/// The outer members of a message.
#[derive(Debug, Default)]
pub struct Envelope<'a> {
    /// The number of the command that this answers.
    pub id: Option<u64>,
    /// The name of an event.
    pub method: Option<Cow<'a, str>>,
    /// The session it belongs to; none for the browser itself.
    pub session_id: Option<Cow<'a, str>>,
    /// The result of a command.
    pub result: Option<&'a RawValue>,
    /// The parameters of an event.
    pub params: Option<&'a RawValue>,
    /// Why a command failed.
    pub error: Option<&'a RawValue>,
}

/// A message that is no JSON object, or whose outer members have the wrong types.
#[derive(Debug, thiserror::Error)]
#[error("malformed message: {source}")]
pub struct DecodeError {
    /// The number of the command that it answers, if reading came so far.
    pub id: Option<u64>,
    /// What stopped the reading.
    pub source: serde_json::Error,
}

/// Reads the outer members of a message; pure, and proof against any bytes.
///
/// # Errors
/// When `message` is not a JSON object in UTF-8, or when `id`, `method` or `sessionId` is of another type.
pub fn decode(message: &[u8]) -> Result<Envelope<'_>, DecodeError> {
    let mut envelope = Envelope::default();
    let mut reader = serde_json::Deserializer::from_slice(message);
    let outcome = reader
        .deserialize_map(EnvelopeVisitor(&mut envelope))
        .and_then(|()| reader.end());
    match outcome {
        Ok(()) => Ok(envelope),
        Err(source) => Err(DecodeError {
            id: envelope.id,
            source,
        }),
    }
}

/// Fills the envelope in place, so that an id that came before the trouble is known.
struct EnvelopeVisitor<'e, 'a>(&'e mut Envelope<'a>);

impl<'de> Visitor<'de> for EnvelopeVisitor<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a DevTools message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "id" => self.0.id = map.next_value()?,
                "method" => self.0.method = map.next_value::<Option<Text>>()?.map(|text| text.0),
                "sessionId" => self.0.session_id = map.next_value::<Option<Text>>()?.map(|text| text.0),
                "result" => self.0.result = map.next_value()?,
                "params" => self.0.params = map.next_value()?,
                "error" => self.0.error = map.next_value()?,
                _ => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// A string that is borrowed when it holds no escapes. Half surrogates become U+FFFD.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(String::from_utf8_lossy(bytes)))
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned())))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_bytes(TextVisitor)
    }
}

/// The `error` member of a reply, every part of which may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorMember {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Box<RawValue>>,
}

/// The result of a command as the browser wrote it, of any size and depth. Clones share the memory.
#[derive(Clone)]
pub struct RawReply {
    message: Bytes,
    range: Range<usize>,
}

impl std::fmt::Debug for RawReply {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "RawReply({} bytes)", self.range.len())
    }
}

impl RawReply {
    /// The part of `message` that `raw`, read from it, covers. Without one: an empty object.
    pub(crate) fn new(message: &Bytes, raw: Option<&RawValue>) -> Self {
        match raw.and_then(|raw| range_within(message, raw.get())) {
            Some(range) => Self {
                message: message.clone(),
                range,
            },
            None => Self {
                message: Bytes::from_static(b"{}"),
                range: 0..2,
            },
        }
    }

    /// The JSON text. A half surrogate stands in it as a bare escape, which plain readers of strings refuse;
    /// [`parse`](Self::parse) copes with it.
    pub fn get(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// The JSON text as bytes, without a check.
    pub fn bytes(&self) -> &[u8] {
        self.message.get(self.range.clone()).unwrap_or_default()
    }

    /// Reads the text into `T`. Half surrogates become U+FFFD. Texts nested deeper than 2,500 levels are
    /// refused, unless `T` skips the deep part without looking into it.
    ///
    /// # Errors
    /// When the text does not have the shape of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let first = match serde_json::from_slice(self.bytes()) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let text = well_formed(self.bytes());
        let depth = depth(&text);
        if matches!(text, Cow::Borrowed(_)) && !(PLAIN_DEPTH..=DEPTH_LIMIT).contains(&depth) {
            return Err(first);
        }
        let mut reader = serde_json::Deserializer::from_slice(&text);
        if depth <= DEPTH_LIMIT {
            reader.disable_recursion_limit();
        }
        let value = T::deserialize(serde_stacker::Deserializer::new(&mut reader))?;
        reader.end()?;
        Ok(value)
    }

    pub(crate) fn parse_for<T: DeserializeOwned>(&self, method: &str) -> Result<T, CdpError> {
        self.parse().map_err(|source| CdpError::Malformed {
            method: method.to_owned(),
            source,
        })
    }
}

/// Where `part`, a slice of `whole`, lies in it.
fn range_within(whole: &[u8], part: &str) -> Option<Range<usize>> {
    let start = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    let end = start.checked_add(part.len())?;
    (end <= whole.len()).then_some(start..end)
}

/// JSON text in which every escaped half surrogate, as JavaScript strings may hold them, is `\ufffd`.
pub fn well_formed(json: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired: Vec<u8> = Vec::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some(offset) = json
        .get(position..)
        .and_then(|rest| rest.iter().position(|&byte| byte == b'\\'))
    {
        position += offset;
        match escaped_unit(json, position) {
            None => position += 2,
            Some(0xD800..=0xDBFF) if matches!(escaped_unit(json, position + 6), Some(0xDC00..=0xDFFF)) => {
                position += 12;
            }
            Some(0xD800..=0xDFFF) => {
                repaired.extend_from_slice(json.get(copied..position).unwrap_or_default());
                repaired.extend_from_slice(br"\ufffd");
                position += 6;
                copied = position;
            }
            Some(_) => position += 6,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    repaired.extend_from_slice(json.get(copied..).unwrap_or_default());
    Cow::Owned(repaired)
}

/// The number in a `\u` escape that begins at `position`.
fn escaped_unit(json: &[u8], position: usize) -> Option<u16> {
    let escape = json.get(position..position.checked_add(6)?)?;
    let digits = escape.strip_prefix(br"\u")?;
    digits.iter().try_fold(0_u16, |value, &digit| {
        let digit = char::from(digit).to_digit(16)?;
        Some(value << 4 | u16::try_from(digit).ok()?)
    })
}

/// How deep arrays and objects nest.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string) = (0_usize, 0, false);
    let mut bytes = json.iter();
    while let Some(byte) = bytes.next() {
        match (byte, in_string) {
            (b'"', _) => in_string = !in_string,
            (b'\\', true) => {
                bytes.next();
            }
            (b'[' | b'{', false) => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (b']' | b'}', false) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests;
