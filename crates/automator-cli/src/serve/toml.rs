//! Settings as TOML: `name = value`, where a value is a string, a whole number, `true` or `false`, or an array of these.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Number(i64),
    Truth(bool),
    List(Vec<Value>),
}

/// A name with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) value: Value,
    /// Where it stands, from 1.
    pub(super) line: usize,
}

/// What cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) text: String,
}

/// Reads a document; its members in the order of their names.
pub(super) fn read(text: &str) -> Result<Vec<Member>, Problem> {
    let table = DeTable::parse(text).map_err(|error| Problem {
        line: line_of(text, error.span().map_or(0, |span| span.start)),
        text: error.message().to_owned(),
    })?;
    let members = table.into_inner().into_iter().map(|(name, value)| {
        let line = line_of(text, name.span().start);
        match value_of(value) {
            Ok(value) => Ok(Member {
                name: name.into_inner().into_owned(),
                value,
                line,
            }),
            Err(problem) => Err(Problem {
                line,
                text: format!("`{}` {problem}", name.get_ref()),
            }),
        }
    });
    members.collect()
}

fn value_of(value: Spanned<DeValue<'_>>) -> Result<Value, &'static str> {
    match value.into_inner() {
        DeValue::String(text) => Ok(Value::Text(text.into_owned())),
        DeValue::Boolean(truth) => Ok(Value::Truth(truth)),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(Value::Number)
            .map_err(|_| "is a number that is too large"),
        DeValue::Array(values) => values
            .into_iter()
            .map(value_of)
            .collect::<Result<_, _>>()
            .map(Value::List),
        DeValue::Table(_) => Err("is a table, and there are none here; every setting is `name = value`"),
        DeValue::Float(_) | DeValue::Datetime(_) => {
            Err("is neither a string, a whole number, true, false nor an array of these")
        }
    }
}

fn line_of(text: &str, place: usize) -> usize {
    let before = text.get(..place).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// A value as it is read.
pub(super) fn written(value: &Value) -> String {
    as_toml(value).to_string()
}

fn as_toml(value: &Value) -> toml::Value {
    match value {
        Value::Text(text) => toml::Value::String(text.clone()),
        Value::Number(number) => toml::Value::Integer(*number),
        Value::Truth(truth) => toml::Value::Boolean(*truth),
        Value::List(values) => toml::Value::Array(values.iter().map(as_toml).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, Value)> {
        let members = read(text).expect("a document");
        members
            .into_iter()
            .map(|member| (member.name, member.value))
            .collect()
    }

    #[test]
    fn values_of_every_kind_are_read() {
        let text = "# first\r\n\r\na = \"x # \\\" \\\\ \\u00e4\" # more\nb='C:\\d'\nc-d = 1_000\n_e = true\n\
                    f = [\n  \"g\", # one\n  'h',\n]\ni = []\n";
        let text_value = |text: &str| Value::Text(text.to_owned());
        let mut expected = [
            ("a", text_value("x # \" \\ ä")),
            ("b", text_value("C:\\d")),
            ("c-d", Value::Number(1_000)),
            ("_e", Value::Truth(true)),
            ("f", Value::List(vec![text_value("g"), text_value("h")])),
            ("i", Value::List(Vec::new())),
        ]
        .map(|(name, value)| (name.to_owned(), value));
        expected.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(values(text), expected);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let value = Value::List(vec![
            Value::Text("a\"b\\c\nd\u{1}".to_owned()),
            Value::Number(-5),
            Value::Truth(false),
        ]);
        let text = format!("x = {}", written(&value));
        assert_eq!(values(&text), [("x".to_owned(), value)]);
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_line() {
        for (text, line, words) in [
            ("a = 1\n[table]\n", 2, "is a table"),
            ("a = 1\na = 2\n", 2, "duplicate"),
            ("a = 1.5", 1, "whole number"),
            ("b = 1\na = [1, 2001-01-01]", 2, "whole number"),
            ("a = 99999999999999999999", 1, "too large"),
            ("a\n", 1, ""),
            ("b = 1\na = \"b\nc = 1", 2, ""),
        ] {
            let problem = read(text).expect_err(text);
            assert_eq!(problem.line, line, "{text:?}: {problem:?}");
            assert!(problem.text.contains(words), "{text:?}: {problem:?}");
        }
    }
}
