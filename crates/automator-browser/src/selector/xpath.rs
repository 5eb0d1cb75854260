//! XPath as far as it works inside shadow roots: steps, names, positions, attributes and texts; pure.
//!
//! What goes beyond that is left to the browser, which takes any XPath but refuses a shadow root as its start.

use serde::Serialize;

use super::Scanner;

/// Nesting of parentheses and `not()` that is read; deeper ones are left to the browser.
const DEPTH_LIMIT: usize = 32;

/// What stands for one document in an XPath.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum XPath {
    /// It can be walked by the page library.
    Path(Path),
    /// It is for the browser.
    Other(String),
}

/// Steps from a document or shadow root.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Path {
    /// For `(path)[n]/more`: what is in the parentheses, and the predicates behind them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<Box<Group>>,
    pub(crate) steps: Vec<Step>,
    /// Every step has just a position. Then `//` behind an element with a shadow root means a child of that
    /// root, as in the paths that we write ourselves.
    pub(crate) indexed: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Group {
    pub(crate) path: Path,
    pub(crate) predicates: Vec<Expression>,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Step {
    pub(crate) axis: Axis,
    /// In lower case; `*` is any element.
    pub(crate) name: String,
    pub(crate) predicates: Vec<Expression>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Axis {
    /// `/`
    Child,
    /// `//`
    Descendant,
}

/// What stands in square brackets.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub(crate) enum Expression {
    Or {
        of: Vec<Expression>,
    },
    And {
        of: Vec<Expression>,
    },
    Not {
        of: Box<Expression>,
    },
    Position {
        compare: Comparison,
        number: f64,
    },
    Last,
    Compare {
        left: Operand,
        compare: Comparison,
        right: Operand,
    },
    Contains {
        text: Operand,
        part: Operand,
    },
    StartsWith {
        text: Operand,
        part: Operand,
    },
    Exists {
        operand: Operand,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Comparison {
    #[serde(rename = "=")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    LessOrEqual,
    #[serde(rename = ">")]
    Greater,
    #[serde(rename = ">=")]
    GreaterOrEqual,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "is", rename_all = "camelCase")]
pub(crate) enum Operand {
    Attribute {
        name: String,
    },
    /// `text()`
    Text,
    /// `.`
    Content,
    Literal {
        value: String,
    },
    Number {
        value: f64,
    },
    NormalizeSpace {
        of: Box<Operand>,
    },
    /// `name()` and `local-name()`
    Name,
}

/// Reads an XPath. There is one item for each document that it leads through, with its text.
pub(crate) fn read(expression: &str) -> Result<Vec<(String, XPath)>, &'static str> {
    if expression.is_empty() {
        return Err("it is empty");
    }
    check(expression)?;
    let expression = expression
        .strip_prefix('.')
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(expression);
    let (head, rest) = match group(expression) {
        Some((head, rest)) => (Some(head), rest),
        None => (None, expression),
    };
    let starts_well = rest.starts_with('/') || (head.is_some() && rest.is_empty());
    let Some(raw_steps) = starts_well.then(|| split_steps(rest)).flatten() else {
        return Ok(vec![(expression.to_owned(), XPath::Other(expression.to_owned()))]);
    };
    if raw_steps
        .last()
        .is_some_and(|step| step.text.starts_with('@') || step.text.starts_with("attribute::"))
    {
        return Err("it leads to an attribute, and not to an element");
    }
    let mut result = Vec::new();
    let mut pending: Vec<RawStep<'_>> = Vec::new();
    let mut head = head;
    for (index, step) in raw_steps.iter().enumerate() {
        // A trailing text() names the text of the element before it.
        let is_last = index + 1 == raw_steps.len();
        if is_last && step.text.starts_with("text()") && (!pending.is_empty() || head.is_some()) {
            break;
        }
        pending.push(*step);
        if is_frame(step.text) && !is_last {
            result.push(finish(head.take(), &std::mem::take(&mut pending)));
        }
    }
    if !pending.is_empty() || head.is_some() {
        result.push(finish(head, &pending));
    }
    if result.is_empty() {
        Err("it has no steps")
    } else {
        Ok(result)
    }
}

/// A step as it is written.
#[derive(Debug, Clone, Copy)]
struct RawStep<'a> {
    axis: Axis,
    text: &'a str,
}

fn check(expression: &str) -> Result<(), &'static str> {
    let mut scanner = Scanner::new(false);
    for letter in expression.chars() {
        scanner.take(letter)?;
    }
    scanner.end()
}

/// `(path)[1]` and what follows it.
fn group(expression: &str) -> Option<(&str, &str)> {
    let mut scanner = Scanner::new(false);
    let mut letters = expression.char_indices();
    scanner
        .take(letters.next().filter(|(_, letter)| *letter == '(')?.1)
        .ok()?;
    let end = letters.find_map(|(at, letter)| {
        let outside = scanner.take(letter).ok()?;
        (outside && letter == '/').then_some(at)
    });
    let end = end.unwrap_or(expression.len());
    Some((expression.get(..end)?, expression.get(end..)?))
}

/// Cuts a path at its slashes; `None` when a step is empty.
fn split_steps(path: &str) -> Option<Vec<RawStep<'_>>> {
    let mut cuts: Vec<usize> = Vec::new();
    let mut scanner = Scanner::new(false);
    for (at, letter) in path.char_indices() {
        let outside = scanner.take(letter).ok()?;
        if outside && letter == '|' {
            return None;
        }
        if outside && letter == '/' {
            cuts.push(at);
        }
    }
    let mut steps = Vec::new();
    let mut axis = Axis::Child;
    for (index, &at) in cuts.iter().enumerate() {
        let end = cuts.get(index + 1).copied().unwrap_or(path.len());
        let text = path.get(at + 1..end)?.trim();
        if !text.is_empty() {
            steps.push(RawStep { axis, text });
            axis = Axis::Child;
        } else if axis == Axis::Child && index + 1 < cuts.len() {
            axis = Axis::Descendant;
        } else {
            return None;
        }
    }
    Some(steps)
}

fn is_frame(step: &str) -> bool {
    let name = step
        .split('[')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    name == "iframe" || name == "frame"
}

fn finish(head: Option<&str>, raw_steps: &[RawStep<'_>]) -> (String, XPath) {
    let mut text = head.unwrap_or_default().to_owned();
    for step in raw_steps {
        text.push_str(if step.axis == Axis::Child { "/" } else { "//" });
        text.push_str(step.text);
    }
    let path = read_path(head, raw_steps);
    let xpath = path.map_or_else(|| XPath::Other(text.clone()), XPath::Path);
    (text, xpath)
}

fn read_path(head: Option<&str>, raw_steps: &[RawStep<'_>]) -> Option<Path> {
    let group = match head {
        Some(head) => Some(Box::new(read_group(head)?)),
        None => None,
    };
    let steps: Vec<Step> = raw_steps
        .iter()
        .map(|step| read_step(*step))
        .collect::<Option<_>>()?;
    let is_indexed = |step: &Step| {
        matches!(
            step.predicates.as_slice(),
            [Expression::Position {
                compare: Comparison::Equal,
                ..
            }]
        )
    };
    let indexed = group.is_none() && steps.iter().all(is_indexed);
    Some(Path {
        group,
        steps,
        indexed,
    })
}

fn read_group(head: &str) -> Option<Group> {
    let mut scanner = Scanner::new(false);
    let close = head.char_indices().find_map(|(at, letter)| {
        scanner.take(letter).ok()?;
        (at > 0 && scanner.end().is_ok()).then_some(at)
    })?;
    let inner = head.get(1..close)?.trim();
    let predicates = read_predicates(head.get(close + 1..)?)?;
    // One level of parentheses; more are for the browser.
    let path = read_path(None, &split_steps(inner.starts_with('/').then_some(inner)?)?)?;
    (!path.steps.is_empty()).then_some(Group { path, predicates })
}

fn read_step(raw: RawStep<'_>) -> Option<Step> {
    let end = raw.text.find('[').unwrap_or(raw.text.len());
    let name = raw.text.get(..end)?.trim();
    let name = name.strip_prefix("child::").unwrap_or(name);
    let is_name = name == "*" || is_name(name);
    let predicates = read_predicates(raw.text.get(end..)?)?;
    is_name.then(|| Step {
        axis: raw.axis,
        name: name.to_lowercase(),
        predicates,
    })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

fn read_predicates(text: &str) -> Option<Vec<Expression>> {
    let mut parser = Parser::new(text)?;
    let mut predicates = Vec::new();
    while parser.eat("[") {
        predicates.push(parser.predicate()?);
        if !parser.eat("]") {
            return None;
        }
    }
    parser.is_at_end().then_some(predicates)
}

/// Reads expressions from their words.
struct Parser {
    words: Vec<Word>,
    position: usize,
    depth: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Symbol(String),
    Name(String),
    Literal(String),
    Number(f64),
}

impl Parser {
    fn new(text: &str) -> Option<Self> {
        Some(Self {
            words: words(text)?,
            position: 0,
            depth: 0,
        })
    }

    fn peek(&self) -> Option<&Word> {
        self.words.get(self.position)
    }

    fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.position).cloned();
        self.position += 1;
        word
    }

    fn is_at_end(&self) -> bool {
        self.position >= self.words.len()
    }

    /// Takes the word if it is this symbol or name.
    fn eat(&mut self, wanted: &str) -> bool {
        let is_it = match self.peek() {
            Some(Word::Symbol(text) | Word::Name(text)) => text == wanted,
            _ => false,
        };
        if is_it {
            self.position += 1;
        }
        is_it
    }

    fn predicate(&mut self) -> Option<Expression> {
        // A bare number is a position.
        if let (Some(Word::Number(number)), Some(Word::Symbol(close))) =
            (self.words.get(self.position), self.words.get(self.position + 1))
            && close == "]"
        {
            let number = *number;
            self.position += 1;
            return Some(Expression::Position {
                compare: Comparison::Equal,
                number,
            });
        }
        self.or()
    }

    fn or(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return None;
        }
        let mut of = vec![self.and()?];
        while self.eat("or") {
            of.push(self.and()?);
        }
        self.depth -= 1;
        if of.len() == 1 {
            of.pop()
        } else {
            Some(Expression::Or { of })
        }
    }

    fn and(&mut self) -> Option<Expression> {
        let mut of = vec![self.comparison()?];
        while self.eat("and") {
            of.push(self.comparison()?);
        }
        if of.len() == 1 {
            of.pop()
        } else {
            Some(Expression::And { of })
        }
    }

    fn comparison(&mut self) -> Option<Expression> {
        if self.eat("(") {
            let inner = self.or()?;
            return self.eat(")").then_some(inner);
        }
        match self.function_ahead() {
            Some("not") => {
                self.position += 2;
                let of = Box::new(self.or()?);
                self.eat(")").then_some(Expression::Not { of })
            }
            Some(name @ ("contains" | "starts-with")) => {
                let is_contains = name == "contains";
                self.position += 2;
                let text = self.operand()?;
                let part = self.eat(",").then(|| self.operand())??;
                self.eat(")").then_some(if is_contains {
                    Expression::Contains { text, part }
                } else {
                    Expression::StartsWith { text, part }
                })
            }
            Some("position") => self.position_test(),
            Some("last") => {
                self.position += 2;
                self.eat(")").then_some(Expression::Last)
            }
            _ => {
                let left = self.operand()?;
                match self.comparison_sign() {
                    Some(compare) => Some(Expression::Compare {
                        left,
                        compare,
                        right: self.operand()?,
                    }),
                    None if matches!(left, Operand::Literal { .. } | Operand::Number { .. }) => None,
                    None => Some(Expression::Exists { operand: left }),
                }
            }
        }
    }

    fn position_test(&mut self) -> Option<Expression> {
        self.position += 2;
        if !self.eat(")") {
            return None;
        }
        let compare = self.comparison_sign()?;
        if self.function_ahead() == Some("last") && compare == Comparison::Equal {
            self.position += 2;
            return self.eat(")").then_some(Expression::Last);
        }
        match self.next()? {
            Word::Number(number) => Some(Expression::Position { compare, number }),
            _ => None,
        }
    }

    fn comparison_sign(&mut self) -> Option<Comparison> {
        const SIGNS: [(&str, Comparison); 6] = [
            ("=", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<", Comparison::Less),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            (">=", Comparison::GreaterOrEqual),
        ];
        SIGNS
            .into_iter()
            .find(|(sign, _)| self.eat(sign))
            .map(|(_, comparison)| comparison)
    }

    /// The name of a function that is called next.
    fn function_ahead(&self) -> Option<&str> {
        match (self.words.get(self.position)?, self.words.get(self.position + 1)?) {
            (Word::Name(name), Word::Symbol(open)) if open == "(" => Some(name),
            _ => None,
        }
    }

    fn operand(&mut self) -> Option<Operand> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return None;
        }
        let operand = self.operand_within()?;
        self.depth -= 1;
        Some(operand)
    }

    fn operand_within(&mut self) -> Option<Operand> {
        match self.function_ahead().map(str::to_owned).as_deref() {
            Some("text") => {
                self.position += 2;
                return self.eat(")").then_some(Operand::Text);
            }
            Some("name" | "local-name") => {
                self.position += 2;
                return self.eat(")").then_some(Operand::Name);
            }
            Some("normalize-space" | "string") => {
                let is_normalize = self.eat("normalize-space") || !self.eat("string");
                self.position += 1;
                let of = if matches!(self.peek(), Some(Word::Symbol(close)) if close == ")") {
                    Operand::Content
                } else {
                    self.operand()?
                };
                let whole = if is_normalize {
                    Operand::NormalizeSpace { of: Box::new(of) }
                } else {
                    of
                };
                return self.eat(")").then_some(whole);
            }
            _ => {}
        }
        match self.next()? {
            Word::Symbol(symbol) if symbol == "@" => match self.next()? {
                Word::Name(name) => Some(Operand::Attribute { name }),
                _ => None,
            },
            Word::Symbol(symbol) if symbol == "." => Some(Operand::Content),
            Word::Literal(value) => Some(Operand::Literal { value }),
            Word::Number(value) => Some(Operand::Number { value }),
            _ => None,
        }
    }
}

fn words(text: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, length) = match first {
            '"' | '\'' => {
                let end = rest.get(1..)?.find(first)?;
                (Word::Literal(rest.get(1..=end)?.to_owned()), end + 2)
            }
            '0'..='9' => {
                let end = rest
                    .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
                    .unwrap_or(rest.len());
                (Word::Number(rest.get(..end)?.parse().ok()?), end)
            }
            '!' | '<' | '>' if rest.get(1..)?.starts_with('=') => {
                (Word::Symbol(rest.get(..2)?.to_owned()), 2)
            }
            '[' | ']' | '(' | ')' | ',' | '@' | '.' | '=' | '<' | '>' => (Word::Symbol(first.to_string()), 1),
            _ => {
                let is_part =
                    |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':');
                let end = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len());
                if end == 0 {
                    return None;
                }
                (Word::Name(rest.get(..end)?.to_owned()), end)
            }
        };
        words.push(word);
        rest = rest.get(length..)?.trim_start();
    }
    Some(words)
}
