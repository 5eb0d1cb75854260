//! `logInferenceToFile`: what went to and came from a model, as files under the working directory.

use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use automator_llm::Usage;
use serde_json::{Value, json};

/// One question and its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) operation: &'static str,
    pub(crate) timestamp: String,
    pub(crate) model: String,
    pub(crate) prompt: String,
    pub(crate) schema: Value,
    pub(crate) reply: String,
    pub(crate) error: Option<String>,
    pub(crate) usage: Usage,
}

/// Writes `<operation>_summary/<timestamp>_<operation>_call.txt`, `…_response.txt`, and adds a member to the list in
/// `<operation>_summary.json`, below `folder`.
pub(crate) fn write_exchange(folder: &Path, exchange: &Exchange) -> io::Result<()> {
    let operation = exchange.operation;
    let own = folder
        .join("inference_summary")
        .join(format!("{operation}_summary"));
    fs::create_dir_all(&own)?;
    let stamp = exchange.timestamp.replace([':', '.'], "-");
    let schema = serde_json::to_string_pretty(&exchange.schema).unwrap_or_default();
    let call = format!(
        "model: {}\n\n{}\n\nschema:\n{schema}\n",
        exchange.model, exchange.prompt
    );
    let call_path = unused(&own, &stamp, &format!("{operation}_call"));
    let response_path = unused(&own, &stamp, &format!("{operation}_response"));
    fs::write(own.join(&call_path), call)?;
    let reply = exchange.error.as_ref().map_or_else(
        || exchange.reply.clone(),
        |error| format!("{error}\n\n{}", exchange.reply),
    );
    fs::write(own.join(&response_path), reply)?;
    let entry = json!({
        "timestamp": exchange.timestamp, "model": exchange.model, "call": call_path, "response": response_path,
        "error": exchange.error, "usage": exchange.usage.tokens,
        "inferenceTimeMs": u64::try_from(exchange.usage.inference_time.as_millis()).unwrap_or(u64::MAX),
    });
    append(&own.join(format!("{operation}_summary.json")), &entry)
}

/// Adds to the list that a file holds, without reading it. What is no list, as after a disk that was full, is kept,
/// and a new list begun below it.
fn append(path: &Path, entry: &Value) -> io::Result<()> {
    const END: &str = "\n]\n";
    let mut file = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)?;
    file.lock()?;
    let length = file.seek(SeekFrom::End(0))?;
    let mut last = String::new();
    if length > END.len() as u64 {
        let end = file.seek(SeekFrom::End(-(END.len() as i64)))?;
        file.read_to_string(&mut last).ok();
        if last == END {
            file.seek(SeekFrom::Start(end))?;
        }
    }
    let before = if last == END { ",\n" } else { "[\n" };
    write!(file, "{before}{entry}{END}")
}

/// A file name that two calls within one millisecond do not share.
fn unused(folder: &Path, stamp: &str, what: &str) -> String {
    let name = |number: u32| match number {
        0 => format!("{stamp}_{what}.txt"),
        number => format!("{stamp}-{number}_{what}.txt"),
    };
    (0..)
        .map(name)
        .find(|name| !folder.join(name).exists())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_and_answer_are_written_and_two_at_once_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();
        let exchange = Exchange {
            operation: "extract",
            timestamp: "2026-11-28T01:02:03.456Z".to_owned(),
            model: "openai/gpt-4.1-mini".to_owned(),
            prompt: "see-me-55".to_owned(),
            schema: json!({ "type": "object" }),
            reply: "{\"price\":49}".to_owned(),
            error: Some("cut off".to_owned()),
            usage: Usage::default(),
        };
        write_exchange(folder.path(), &exchange).unwrap();
        write_exchange(folder.path(), &exchange).unwrap();
        let own = folder.path().join("inference_summary/extract_summary");
        let read = |name: &str| fs::read_to_string(own.join(name)).unwrap();
        let call = read("2026-11-28T01-02-03-456Z_extract_call.txt");
        assert!(
            call.contains("see-me-55") && call.contains("\"object\""),
            "{call}"
        );
        assert_eq!(
            read("2026-11-28T01-02-03-456Z-1_extract_response.txt"),
            "cut off\n\n{\"price\":49}"
        );
        let summary: Vec<Value> = serde_json::from_str(&read("extract_summary.json")).unwrap();
        assert_eq!(summary.len(), 2);
        assert_eq!(summary[1]["error"], "cut off");
    }
}
