//! The part of TOML that settings need, read and written: `name = value`, where a value is a string on one line, a whole
//! number, `true` or `false`, or an array of these.

use std::iter::Peekable;
use std::str::Chars;

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

/// Reads a document.
pub(super) fn read(text: &str) -> Result<Vec<Member>, Problem> {
    let mut reader = Reader {
        rest: text.trim_start_matches('\u{feff}').chars().peekable(),
        line: 1,
    };
    let mut members: Vec<Member> = Vec::new();
    loop {
        reader.skip_lines();
        if reader.peek().is_none() {
            return Ok(members);
        }
        let member = reader.member()?;
        if members.iter().any(|before| before.name == member.name) {
            return Err(Problem {
                line: member.line,
                text: format!("`{}` is there twice", member.name),
            });
        }
        members.push(member);
    }
}

/// A value as it is read.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Number(number) => number.to_string(),
        Value::Truth(truth) => truth.to_string(),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(written).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            control if control.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(control))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    line: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        if next == Some('\n') {
            self.line += 1;
        }
        next
    }

    fn problem(&self, text: impl Into<String>) -> Problem {
        Problem {
            line: self.line,
            text: text.into(),
        }
    }

    /// Skips what stands for nothing on this line.
    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(|next| [' ', '\t', '\r'].contains(&next)) {
            self.next();
        }
    }

    /// Skips what stands for nothing, and goes on to further lines.
    fn skip_lines(&mut self) {
        loop {
            self.skip_spaces();
            match self.peek() {
                Some('\n') => drop(self.next()),
                Some('#') => {
                    while self.peek().is_some_and(|next| next != '\n') {
                        self.next();
                    }
                }
                _ => return,
            }
        }
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut word = String::new();
        while let Some(next) = self.rest.next_if(|next| is_part(*next)) {
            word.push(next);
        }
        word
    }

    fn member(&mut self) -> Result<Member, Problem> {
        let line = self.line;
        if self.peek() == Some('[') {
            return Err(self.problem("there are no tables here; every setting is `name = value`"));
        }
        let name = self.word(|next| next.is_ascii_alphanumeric() || next == '-' || next == '_');
        if name.is_empty() {
            return Err(self.problem("a line is `name = value`, or a comment that begins with `#`"));
        }
        self.skip_spaces();
        if self.next() != Some('=') {
            return Err(Problem {
                line,
                text: format!("`{name}` is not followed by `=`"),
            });
        }
        self.skip_spaces();
        let value = self.value(&name)?;
        self.skip_spaces();
        match self.peek() {
            None | Some('\n' | '#') => Ok(Member { name, value, line }),
            Some(_) => Err(self.problem(format!("something follows the value of `{name}`"))),
        }
    }

    fn value(&mut self, name: &str) -> Result<Value, Problem> {
        match self.peek() {
            Some('[') => {
                self.next();
                self.list(name)
            }
            _ => self.single(name),
        }
    }

    fn list(&mut self, name: &str) -> Result<Value, Problem> {
        let mut values = Vec::new();
        loop {
            self.skip_lines();
            if self.rest.next_if_eq(&']').is_some() {
                return Ok(Value::List(values));
            }
            values.push(self.single(name)?);
            self.skip_lines();
            match self.peek() {
                Some(',') => drop(self.next()),
                Some(']') => {}
                _ => return Err(self.problem(format!("the array of `{name}` is not closed by `]`"))),
            }
        }
    }

    fn single(&mut self, name: &str) -> Result<Value, Problem> {
        match self.peek() {
            Some('"') => {
                self.next();
                self.escaped(name).map(Value::Text)
            }
            Some('\'') => {
                self.next();
                let text = self.word(|next| next != '\'' && next != '\n');
                match self.next() {
                    Some('\'') => Ok(Value::Text(text)),
                    _ => Err(self.problem(format!("the string of `{name}` is not closed"))),
                }
            }
            _ => {
                let word = self.word(|next| next.is_ascii_alphanumeric() || "+-_.:".contains(next));
                bare(&word).ok_or_else(|| {
                    let text = format!(
                        "the value of `{name}` is no whole number, `true` or `false`; put text between quotes"
                    );
                    self.problem(text)
                })
            }
        }
    }

    /// The rest of a string between double quotes.
    fn escaped(&mut self, name: &str) -> Result<String, Problem> {
        let mut text = String::new();
        loop {
            match self.rest.next_if(|next| *next != '\n') {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape(name)?),
                Some(other) => text.push(other),
                None => return Err(self.problem(format!("the string of `{name}` is not closed"))),
            }
        }
    }

    fn escape(&mut self, name: &str) -> Result<char, Problem> {
        let character = match self.rest.next_if(|next| *next != '\n') {
            Some(plain @ ('"' | '\\')) => Some(plain),
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('u') => {
                let digits: String = (0..4)
                    .filter_map(|_| self.rest.next_if(char::is_ascii_hexdigit))
                    .collect();
                let number = u32::from_str_radix(&digits, 16).ok();
                number.filter(|_| digits.len() == 4).and_then(char::from_u32)
            }
            _ => None,
        };
        character.ok_or_else(|| {
            let text = format!(
                "`{name}` has a backslash before something unknown; between single quotes it stands for itself"
            );
            self.problem(text)
        })
    }
}

fn bare(word: &str) -> Option<Value> {
    match word {
        "true" => Some(Value::Truth(true)),
        "false" => Some(Value::Truth(false)),
        _ => {
            let is_grouped_well = !word.starts_with('_') && !word.ends_with('_') && !word.contains("__");
            let number = word.replace('_', "").parse().ok()?;
            is_grouped_well.then_some(Value::Number(number))
        }
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
        let expected = [
            ("a", text_value("x # \" \\ ä")),
            ("b", text_value("C:\\d")),
            ("c-d", Value::Number(1_000)),
            ("_e", Value::Truth(true)),
            ("f", Value::List(vec![text_value("g"), text_value("h")])),
            ("i", Value::List(Vec::new())),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
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
            ("a = 1\n[table]\n", 2, "no tables"),
            ("a = 1\na = 2\n", 2, "twice"),
            ("a\n", 1, "not followed by `=`"),
            ("\n= 1", 2, "name = value"),
            ("a = b\n", 1, "between quotes"),
            ("a = 1.5", 1, "whole number"),
            ("a = 1 2", 1, "follows the value of `a`"),
            ("a = \"b\nc = 1", 1, "not closed"),
            ("a = 'b", 1, "not closed"),
            ("a = [1, 2\nb = 3", 2, "closed by `]`"),
            ("a = \"\\q\"", 1, "backslash"),
        ] {
            let problem = read(text).expect_err(text);
            assert_eq!(problem.line, line, "{text:?}: {problem:?}");
            assert!(problem.text.contains(words), "{text:?}: {problem:?}");
        }
    }
}
