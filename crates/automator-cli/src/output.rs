//! Results on standard output: exactly the result, ended by one line break.

use std::io::{self, Write};

use serde::Serialize;

use crate::exit::Failure;

/// How JSON is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Indented, for people.
    Pretty,
    /// On one line, for programs.
    Compact,
}

/// Prints text.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    print(clean(text).trim_end_matches('\n'))
}

/// Prints rows of columns that are divided by tabs; nothing at all when there is no row.
pub(crate) fn print_rows<const N: usize>(rows: impl IntoIterator<Item = [String; N]>) -> Result<(), Failure> {
    let rows: Vec<String> = rows
        .into_iter()
        .map(|row| row.map(|column| on_one_line(&column)).join("\t"))
        .collect();
    if rows.is_empty() {
        Ok(())
    } else {
        print(&rows.join("\n"))
    }
}

/// Prints a value as JSON.
pub(crate) fn print_json(value: &impl Serialize, layout: Layout) -> Result<(), Failure> {
    let text = match layout {
        Layout::Pretty => serde_json::to_string_pretty(value),
        Layout::Compact => serde_json::to_string(value),
    };
    let text = text.map_err(|error| Failure::Output(error.into()))?;
    print(&escape_controls(&text))
}

/// A reader that has had enough, such as `head`, is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::Output(error)),
        _ => Ok(()),
    }
}

/// Text of a page or a model without characters that steer a terminal; line breaks and tabs stay.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control() || matches!(character, '\n' | '\t'))
        .collect()
}

/// The same on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    clean(text).replace(['\n', '\t'], " ")
}

/// JSON escapes the control characters below the blank itself; these are the others. They can only stand in
/// strings.
fn escape_controls(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{9f}' => escaped.push_str(&format!("\\u{:04x}", u32::from(character))),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_loses_what_steers_a_terminal_and_keeps_its_lines() {
        assert_eq!(clean("a\u{1b}[31m\u{9b}b\r\n\tc\u{7}"), "a[31mb\n\tc");
    }

    #[test]
    fn json_keeps_its_value_when_controls_are_escaped() {
        let value = serde_json::json!({ "a": "x\u{9b}\u{1b}\u{7f}ü" });
        let escaped = escape_controls(&value.to_string());
        assert!(!escaped.contains(char::is_control), "{escaped}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&escaped).unwrap(),
            value
        );
    }
}
