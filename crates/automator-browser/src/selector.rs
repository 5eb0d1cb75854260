//! Selectors as users write them; pure.
//!
//! A selector is a chain of parts joined by `>>`. Each part is CSS or XPath and leads, inside one document or
//! shadow root, to elements; a `>>` goes into the frame or the shadow root of what the part before it found. An
//! XPath step named `iframe` or `frame` with more steps behind it goes into the frame as well.

pub(crate) mod xpath;

use serde::Serialize;

use crate::BrowserError;
use xpath::XPath;

/// A selector that has been read.
///
/// - An XPath begins with `/`, `(`, `./` or `xpath=`.
/// - Everything else is CSS; a leading `css=` is allowed.
/// - `a >> b` looks for `b` inside the frame, or the shadow root, of `a`.
/// - `text=words` leads to the innermost elements whose text holds the words, in any case.
///
/// Both kinds see through shadow roots, open and closed: a CSS part is matched within each of them, and an
/// XPath step `//` goes down into them.
///
/// ```
/// use automator_browser::Selector;
///
/// assert!(Selector::parse("iframe#shop >> button.buy").is_ok());
/// assert!(Selector::parse("xpath=//iframe[1]/html//button[2]").is_ok());
/// assert!(Selector::parse("div >>").is_err());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    text: String,
    parts: Vec<Part>,
}

/// What leads from one document or shadow root to elements in it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// As the user wrote it, for error messages.
    pub(crate) text: String,
    pub(crate) query: Query,
}

/// What the page library looks for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(crate) enum Query {
    /// For `querySelectorAll`.
    Css { selector: String },
    /// Steps that the library takes itself, and that lead through shadow roots.
    Path(xpath::Path),
    /// The innermost elements with these words.
    Text { words: String },
    /// For `document.evaluate`, which knows all of XPath and nothing of shadow roots.
    Xpath { expression: String },
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// [`BrowserError::InvalidSelector`] with what is wrong. Mistakes inside CSS show only in the page.
    pub fn parse(text: &str) -> Result<Self, BrowserError> {
        let invalid = |problem: &str| BrowserError::InvalidSelector {
            selector: text.to_owned(),
            problem: problem.to_owned(),
        };
        let mut parts = Vec::new();
        for part in split(text).map_err(invalid)? {
            let part = part.trim();
            if part.is_empty() {
                return Err(invalid(if text.trim().is_empty() {
                    "it is empty"
                } else {
                    "there is nothing before or after a `>>`"
                }));
            }
            read_part(part, &mut parts).map_err(invalid)?;
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// Reads a selector that stays within one document: `>>` is just a blank between CSS selectors, and joins
    /// XPaths. An XPath step named `iframe` still goes into the frame.
    ///
    /// ```
    /// # use automator_browser::Selector;
    /// assert!(Selector::parse_within("form >> input").is_ok());
    /// assert!(Selector::parse_within("form >> //input").is_err());
    /// # Ok::<(), automator_browser::BrowserError>(())
    /// ```
    ///
    /// # Errors
    /// As [`parse`](Self::parse); besides when `>>` stands between selectors of different kinds.
    pub fn parse_within(text: &str) -> Result<Self, BrowserError> {
        let whole = Self::parse(text)?;
        let invalid = |problem: &str| BrowserError::InvalidSelector {
            selector: text.to_owned(),
            problem: problem.to_owned(),
        };
        let written = split(text).map_err(invalid)?;
        if written.len() < 2 {
            return Ok(whole);
        }
        let mut parts = Vec::new();
        if written.iter().copied().all(is_xpath) {
            let steps = written
                .iter()
                .map(|part| part.trim().trim_start_matches("xpath=").trim());
            let joined: String = steps
                .enumerate()
                .map(|(index, step)| {
                    if index == 0 {
                        step
                    } else {
                        step.strip_prefix('.').unwrap_or(step)
                    }
                })
                .collect();
            read_xpath(&joined, &mut parts).map_err(invalid)?;
        } else if whole
            .parts
            .iter()
            .all(|part| matches!(part.query, Query::Css { .. }))
        {
            let compounds = whole.parts.iter().map(|part| match &part.query {
                Query::Css { selector } if selector.contains(',') => format!(":is({selector})"),
                Query::Css { selector } => selector.clone(),
                _ => String::new(),
            });
            let selector = compounds.collect::<Vec<_>>().join(" ");
            parts.push(Part {
                text: selector.clone(),
                query: Query::Css { selector },
            });
        } else {
            return Err(invalid(
                "`>>` stands between selectors of different kinds; a deep locator takes them",
            ));
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// As the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether its last part is an XPath.
    pub fn is_xpath(&self) -> bool {
        self.parts
            .last()
            .is_some_and(|part| matches!(part.query, Query::Path(_) | Query::Xpath { .. }))
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }
}

fn read_part(part: &str, parts: &mut Vec<Part>) -> Result<(), &'static str> {
    if is_xpath(part) {
        return read_xpath(part.strip_prefix("xpath=").unwrap_or(part).trim(), parts);
    }
    if let Some(words) = part.strip_prefix("text=") {
        return read_text(part, words, parts);
    }
    let selector = part.strip_prefix("css=").unwrap_or(part).trim();
    if selector.is_empty() {
        return Err("it is empty");
    }
    parts.push(Part {
        text: part.to_owned(),
        query: Query::Css {
            selector: selector.to_owned(),
        },
    });
    Ok(())
}

/// Quotes around the words may be left out.
fn read_text(part: &str, words: &str, parts: &mut Vec<Part>) -> Result<(), &'static str> {
    let words = words.trim();
    let is_quoted = |quote: char| words.len() > 1 && words.starts_with(quote) && words.ends_with(quote);
    let words = if is_quoted('"') || is_quoted('\'') {
        words.get(1..words.len() - 1).unwrap_or_default()
    } else {
        words
    };
    if words.trim().is_empty() {
        return Err("there are no words behind `text=`");
    }
    parts.push(Part {
        text: part.to_owned(),
        query: Query::Text {
            words: words.to_owned(),
        },
    });
    Ok(())
}

fn is_xpath(part: &str) -> bool {
    let part = part.trim_start();
    part.starts_with("xpath=") || part.starts_with(['/', '(']) || part.starts_with("./")
}

fn read_xpath(expression: &str, parts: &mut Vec<Part>) -> Result<(), &'static str> {
    for (text, xpath) in xpath::read(expression)? {
        let query = match xpath {
            XPath::Path(path) => Query::Path(path),
            XPath::Other(expression) => Query::Xpath { expression },
        };
        parts.push(Part { text, query });
    }
    Ok(())
}

/// Cuts at every `>>` that is not inside quotes or brackets.
fn split(text: &str) -> Result<Vec<&str>, &'static str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut scanner = Scanner::of_part(text);
    let mut previous = None;
    for (at, letter) in text.char_indices() {
        let outside = scanner.take(letter)?;
        if outside && letter == '>' && previous == Some('>') {
            parts.push(text.get(start..at - 1).unwrap_or_default());
            start = at + 1;
            previous = None;
            scanner = Scanner::of_part(text.get(start..).unwrap_or_default());
        } else {
            previous = outside.then_some(letter);
        }
    }
    scanner.end()?;
    parts.push(text.get(start..).unwrap_or_default());
    Ok(parts)
}

/// Knows, letter by letter, whether it is inside quotes or brackets.
#[derive(Debug)]
pub(crate) struct Scanner {
    /// CSS has escapes, XPath has not.
    has_escapes: bool,
    /// In plain words an apostrophe is just that.
    is_plain: bool,
    quote: Option<char>,
    is_escaped: bool,
    closing: Vec<char>,
}

impl Scanner {
    pub(crate) fn new(has_escapes: bool) -> Self {
        Self {
            has_escapes,
            is_plain: false,
            quote: None,
            is_escaped: false,
            closing: Vec::new(),
        }
    }

    /// For a part of a selector, whose beginning tells its kind.
    fn of_part(text: &str) -> Self {
        Self {
            is_plain: text.trim_start().starts_with("text="),
            ..Self::new(!is_xpath(text))
        }
    }

    /// Takes the next letter; tells whether it stands outside of all quotes and brackets.
    pub(crate) fn take(&mut self, letter: char) -> Result<bool, &'static str> {
        if self.is_plain {
            return Ok(true);
        }
        if std::mem::take(&mut self.is_escaped) {
            return Ok(false);
        }
        match (self.quote, letter) {
            (_, '\\') if self.has_escapes => self.is_escaped = true,
            (Some(quote), _) if quote == letter => self.quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => self.quote = Some(letter),
            (None, '[') => self.closing.push(']'),
            (None, '(') => self.closing.push(')'),
            (None, ']' | ')') => {
                if self.closing.pop() != Some(letter) {
                    return Err("a bracket is closed that is not open");
                }
            }
            (None, _) => return Ok(self.closing.is_empty()),
        }
        Ok(false)
    }

    /// Whether everything is closed that was opened.
    pub(crate) fn end(&self) -> Result<(), &'static str> {
        if self.quote.is_some() {
            return Err("a quote is not closed");
        }
        if self.closing.is_empty() {
            Ok(())
        } else {
            Err("a bracket is not closed")
        }
    }
}

#[cfg(test)]
mod tests;
