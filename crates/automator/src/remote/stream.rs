//! The stream of events that a platform answers an operation with; pure.
//!
//! Events are separated by empty lines. Their text stands in `data:` lines; whether `event:` lines stand before them
//! depends on the client's language, and says nothing that is not in the text as well.

use serde::Deserialize;
use serde_json::Value;

use crate::error::ToldError;
use crate::extract::CacheStatus;
use crate::log::ToldLine;

/// Takes the bytes of a stream, and gives the texts of its events.
#[derive(Debug, Default)]
pub(crate) struct Events {
    line: Vec<u8>,
    text: String,
}

/// One event.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Event {
    Log { data: LogData },
    // Boxed: it is much larger than a line of the log.
    System { data: Box<SystemData> },
}

#[derive(Debug, Deserialize)]
pub(crate) struct LogData {
    pub(crate) message: ToldLine,
}

/// How far the operation has come.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SystemData {
    pub(crate) status: String,
    /// What came of it, in `finished`.
    pub(crate) result: Value,
    pub(crate) usage: ToldUsage,
    /// What the steps of an action were, from a platform that says it.
    pub(crate) steps: Option<Value>,
    /// What a run of an agent cost by the kinds of its operations, from a platform that says it.
    #[serde(rename = "usageByOperation")]
    pub(crate) shares: Option<ToldShares>,
    pub(crate) cache_status: Option<CacheStatus>,
    /// The same in the words of the hosted platform.
    pub(crate) cache_hit: Option<bool>,
    /// What went wrong, in `error`.
    pub(crate) error: Option<String>,
    pub(crate) failure: Option<ToldError>,
}

/// What the model calls of an operation cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ToldUsage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) reasoning_tokens: u64,
    pub(crate) cached_input_tokens: u64,
    pub(crate) inference_time_ms: u64,
}

/// The same, for each kind of operation in a run of an agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct ToldShares {
    pub(crate) agent: ToldUsage,
    pub(crate) act: ToldUsage,
    pub(crate) extract: ToldUsage,
    pub(crate) observe: ToldUsage,
}

impl Events {
    /// The texts of the events that are complete with these bytes.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut complete = Vec::new();
        for &byte in bytes {
            if byte != b'\n' {
                self.line.push(byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches('\r');
            if line.is_empty() {
                if !self.text.is_empty() {
                    complete.push(std::mem::take(&mut self.text));
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                self.text.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_taken_in_any_pieces_with_and_without_their_names() {
        let stream = "event: running\ndata: {\"a\":\ndata: 1}\n\n: ping\n\ndata:{\"ä\":2}\r\n\r\ndata: cut";
        let whole = ["{\"a\":\n1}", "{\"ä\":2}"];
        for size in [1, 2, 3, 7, stream.len()] {
            let mut events = Events::default();
            let pieces = stream.as_bytes().chunks(size);
            let found: Vec<String> = pieces.flat_map(|piece| events.take(piece)).collect();
            assert_eq!(found, whole, "in pieces of {size}");
        }
    }

    #[test]
    fn both_kinds_of_events_are_read() {
        let line = r#"{"id":"1","type":"log","data":{"status":"running","message":{"category":"llm","message":"asking","level":2,"auxiliary":{"model":{"value":"m","type":"string"}}}}}"#;
        let Event::Log { data } = serde_json::from_str(line).unwrap() else {
            panic!("a line of the log")
        };
        assert_eq!(data.message.message, "asking");
        let end = r#"{"id":"1","type":"system","data":{"status":"finished","result":[1],"cacheStatus":"HIT","usage":{"promptTokens":7}}}"#;
        let Event::System { data } = serde_json::from_str(end).unwrap() else {
            panic!("the end")
        };
        assert_eq!(
            (data.usage.prompt_tokens, data.cache_status),
            (7, Some(CacheStatus::Hit))
        );
    }
}
