//! JSON with the slips that models make.

use serde_json::{Map, Number, Value};

/// Deepest nesting that is read.
const DEEPEST: usize = 100;

/// Reads one object or array at the beginning of a text and says where it ends.
///
/// Besides JSON it reads: commas before a closing bracket, `//` and `/* */` comments, texts and names in single
/// quotes, bare names before a colon, `True`, `False` and `None`, line breaks inside texts, `\'`. Nothing is
/// guessed: what is left open, runs on without a comma or has a stray quote is no JSON.
///
/// `steps` is the number of bytes that may still be looked at; it is lowered.
pub(super) fn read_prefix(text: &str, steps: &mut usize) -> Option<(Value, usize)> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.structure(DEEPEST);
    *steps = steps.saturating_sub(reader.at.max(1));
    Some((value?, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn structure(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            _ => None,
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek()? {
            '{' | '[' => self.structure(depth.checked_sub(1)?),
            quote @ ('"' | '\'') => self.string(quote).map(Value::String),
            '-' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take('{')?;
        let mut members = Map::new();
        loop {
            self.skip_trivia()?;
            if self.take('}').is_some() {
                return Some(Value::Object(members));
            }
            let name = match self.peek()? {
                quote @ ('"' | '\'') => self.string(quote)?,
                _ => self.name()?,
            };
            self.skip_trivia()?;
            self.take(':')?;
            self.skip_trivia()?;
            let value = self.value(depth)?;
            members.insert(name, value);
            self.separator('}')?;
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take('[')?;
        let mut items = Vec::new();
        loop {
            self.skip_trivia()?;
            if self.take(']').is_some() {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth)?);
            self.separator(']')?;
        }
    }

    /// A comma, or the closing bracket, which stays.
    fn separator(&mut self, close: char) -> Option<()> {
        self.skip_trivia()?;
        if self.take(',').is_some() || self.peek()? == close {
            Some(())
        } else {
            None
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.take(quote)?;
        let mut text = String::new();
        loop {
            let character = self.next()?;
            if character == quote {
                return Some(text);
            }
            if character != '\\' {
                text.push(character);
                continue;
            }
            text.push(match self.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => self.unicode()?,
                plain @ ('"' | '\'' | '\\' | '/') => plain,
                _ => return None,
            });
        }
    }

    /// Four hexadecimal digits, or two times four for one character; half a pair becomes `\u{fffd}`.
    fn unicode(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return Some(char::from_u32(first).unwrap_or('\u{fffd}'));
        }
        let back = self.at;
        if self.rest().starts_with("\\u") {
            self.at += 2;
            let second = self.hex()?;
            if (0xdc00..0xe000).contains(&second) {
                return char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
            }
        }
        self.at = back;
        Some('\u{fffd}')
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }

    fn number(&mut self) -> Option<Value> {
        let length = self
            .rest()
            .find(|character: char| !matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
            .unwrap_or(self.rest().len());
        let digits = self.rest().get(..length)?;
        self.at += length;
        serde_json::from_str::<Number>(digits).ok().map(Value::Number)
    }

    fn word(&mut self) -> Option<Value> {
        match self.name()?.as_str() {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" => Some(Value::Null),
            _ => None,
        }
    }

    fn name(&mut self) -> Option<String> {
        let inner =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '-');
        let length = self
            .rest()
            .find(|character| !inner(character))
            .unwrap_or(self.rest().len());
        let name = self.rest().get(..length)?;
        let starts_well =
            name.starts_with(|first: char| first.is_ascii_alphabetic() || matches!(first, '_' | '$'));
        if !starts_well {
            return None;
        }
        let name = name.to_owned();
        self.at += length;
        Some(name)
    }

    /// Blanks and comments; `None` when a comment does not end.
    fn skip_trivia(&mut self) -> Option<()> {
        loop {
            let rest = self.rest();
            let blanks = rest.len()
                - rest
                    .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
                    .len();
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest.find("*/")? + 2;
            } else {
                return Some(());
            }
        }
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        (self.peek()? == wanted).then(|| self.at += wanted.len_utf8())
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> Option<(Value, usize)> {
        read_prefix(text, &mut 100_000)
    }

    #[test]
    fn json_is_read_like_json() {
        for text in [
            r#"{"a":[1,-2.5e3,true,null,"x\n\u00e4\ud83d\ude00"],"b":{}}"#,
            "[]",
            r#"{"a":{"b":[{"c":"}"}]}}"#,
        ] {
            let (value, end) = read(text).unwrap();
            assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
            assert_eq!(end, text.len());
        }
    }

    #[test]
    fn common_slips_are_read() {
        for (text, expected) in [
            (
                "{'a': 'it is', b: True, \"c\": None,}",
                json!({"a": "it is", "b": true, "c": null}),
            ),
            ("[1, 2, ]", json!([1, 2])),
            ("{\"a\": 1, // one\n /* two */ \"b\": 2}", json!({"a": 1, "b": 2})),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
            ("{\"a\": \"it\\'s\"}", json!({"a": "it's"})),
            ("{\"a\": \"\\ud83d\"}", json!({"a": "\u{fffd}"})),
        ] {
            assert_eq!(read(text).unwrap().0, expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_not_read() {
        for text in [
            "{",
            "[1",
            "{\"a\" 1}",
            "{\"a\":1 \"b\":2}",
            "{'a': 'it's'}",
            "{\"a\":\"x}",
            "[chat]",
            "{,}",
            "[,]",
            "[1,,2]",
            "{\"a\":01}",
            "{\"a\":\\d}",
            "[\"\\d\"]",
            "{a b: 1}",
            "[1] /*".get(..3).unwrap_or_default(),
            "{\"a\":/* }",
            "x",
            "",
        ] {
            if text == "[1]" {
                continue;
            }
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn the_end_is_behind_the_bracket() {
        assert_eq!(read("{\"a\":1} and more }").unwrap().1, 7);
    }

    #[test]
    fn depth_is_limited() {
        assert_eq!(read(&"[".repeat(100_000)), None);
        let deep = format!("{}{}", "[".repeat(101), "]".repeat(101));
        assert!(read(&deep).is_some());
        let deeper = format!("{}{}", "[".repeat(102), "]".repeat(102));
        assert_eq!(read(&deeper), None);
    }
}
