//! Answers act and observe requests by comparing words.
//!
//! A small stand-in for a model, for demos and tests without a key. It chooses the element whose name and role
//! share most words with the instruction; among equals the one that can be used, then the one with the shortest
//! name, then the first of the page. It knows a handful of verbs and no synonyms, sees no layout, draws no
//! conclusions ("the cheapest lamp"), and says that nothing fits when no word of a name is shared, instead of guessing.
//!
//! | instruction | action |
//! |---|---|
//! | `type X into T`, `enter X in T`, `fill T with X`, `set T to X` | `fill`; X is `%name%` or words, with or without quotes |
//! | `choose X in T`, `select X from T`, `choose X` | `selectOptionFromDropdown`; a click on an option; or a click that opens T, and `twoStep` |
//! | `press Enter`, `press Control+A in T` | `press`, when nothing on the page is called so |
//! | `scroll down`, `scroll T to 50%`, `scroll to the bottom` | `nextChunk`, `prevChunk`, `scrollTo` |
//! | `hover over T`, `double-click T` | `hover`, `doubleClick` |
//! | `press`, `click`, `open`, `follow`, `tick`, anything else | `click` |

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::super::outline::elements_of_line;
use super::words::{self, shared};

/// Words that say what kind of element is meant.
const KINDS: [&str; 16] = [
    "button", "link", "field", "box", "input", "textbox", "list", "dropdown", "select", "checkbox", "radio",
    "option", "tab", "menu", "image", "heading",
];

const FIELDS: [&str; 8] = [
    "textbox",
    "searchbox",
    "combobox",
    "spinbutton",
    "Date",
    "DateTime",
    "InputTime",
    "ColorWell",
];

/// What is shown rather than used; chosen only when nothing that is used fits.
const SHOWN: [&str; 2] = ["heading", "image"];

const KEYS: [&str; 14] = [
    "enter",
    "escape",
    "tab",
    "space",
    "backspace",
    "delete",
    "arrowup",
    "arrowdown",
    "arrowleft",
    "arrowright",
    "pageup",
    "pagedown",
    "home",
    "end",
];

/// The answer to an act request: an action, or null.
pub(super) fn act(text: &str) -> Value {
    let question = Question::new(text);
    let chosen = question.decide();
    json!({
        "action": chosen.as_ref().map(Choice::to_value),
        "twoStep": chosen.is_some_and(|choice| choice.two_step),
    })
}

/// The answer to an observe request: all elements that fit best, or everything that can be used.
pub(super) fn observe(text: &str) -> Value {
    let found: Vec<Value> = Question::new(text).find().iter().map(Choice::to_value).collect();
    json!({ "elements": found })
}

/// An element of the page text.
#[derive(Debug, Clone, PartialEq)]
struct Element {
    id: String,
    depth: usize,
    role: String,
    name: String,
    is_disabled: bool,
    is_expanded: bool,
}

/// What to do with which element.
#[derive(Debug, Clone, PartialEq)]
struct Choice {
    element: Element,
    method: &'static str,
    arguments: Vec<String>,
    two_step: bool,
}

/// How well an element fits: words shared with its name, with its role, whether it can be used, and how many words
/// of its name are not asked for.
type Fit = (usize, usize, bool, Reverse<usize>);

/// A page and what is wanted of it.
#[derive(Debug)]
struct Question<'q> {
    elements: Vec<Element>,
    instruction: &'q str,
}

impl<'q> Question<'q> {
    /// The page stands between the last lines `<page>` and `</page>`, the instruction is the first paragraph after
    /// it, behind its first colon. Without such lines all of it is the page, and its last line the instruction.
    fn new(text: &'q str) -> Self {
        let (page, question) = match text.rsplit_once("\n</page>\n") {
            Some((before, after)) => (
                before.rsplit_once("<page>\n").map_or(before, |(_, page)| page),
                after,
            ),
            None => text.trim_end().rsplit_once('\n').unwrap_or((text, text)),
        };
        let paragraph = question.trim().split("\n\n").next().unwrap_or_default();
        let instruction = paragraph.split_once(": ").map_or(paragraph, |(_, after)| after);
        Self {
            elements: page.lines().flat_map(read_line).collect(),
            instruction: instruction.trim().trim_end_matches('.'),
        }
    }

    /// The one action that carries out the instruction.
    fn decide(&self) -> Option<Choice> {
        let (verb, rest) = first_word(self.instruction);
        match verb.as_str() {
            "type" | "enter" | "write" | "fill" | "set" => self.fill(&verb, rest),
            "choose" | "select" | "pick" | "selectoptionfromdropdown" => self.choose(rest),
            "scroll" => self.scroll(rest),
            "press" => match self.key(rest) {
                Some(choice) => Some(choice),
                None => self.click("click", rest, &["button"]),
            },
            "hover" => self.click("hover", rest, &[]),
            "double-click" | "doubleclick" => self.click("doubleClick", rest, &[]),
            "open" | "follow" | "visit" => self.click("click", rest, &["link"]),
            "tick" | "untick" | "check" | "uncheck" => self.click("click", rest, &["checkbox"]),
            "click" => self.click("click", rest, &[]),
            _ => self.click("click", self.instruction, &[]),
        }
    }

    /// All elements that fit as well as the best one.
    fn find(&self) -> Vec<Choice> {
        let usable = |element: &&Element| is_usable(element) && element.role != "option";
        if first_word(self.instruction).0.starts_with("everything") {
            return self.elements.iter().filter(usable).map(by_role).collect();
        }
        if let Some(choice) = self
            .decide()
            .filter(|choice| choice.method != "click" || choice.two_step)
        {
            return vec![choice];
        }
        let fit =
            |element: &Element| fit(element, self.instruction, &[]).map(|(name, role, ..)| (name, role));
        let best = self.elements.iter().filter(usable).filter_map(fit).max();
        let fits = |element: &&Element| best.is_some() && fit(element) == best;
        self.elements
            .iter()
            .filter(usable)
            .filter(fits)
            .map(by_role)
            .collect()
    }

    fn fill(&self, verb: &str, rest: &str) -> Option<Choice> {
        let (text, target) = match verb {
            "fill" | "set" => {
                let middle: &[&str] = if verb == "set" { &[" to "] } else { &[" with "] };
                let (target, text) = split_at_first(rest, middle).unwrap_or((rest, ""));
                (text, target)
            }
            _ => split_at_last(rest, &[" into "])
                .or_else(|| split_at_last(rest, &[" in ", " to ", " on "]))
                .unwrap_or((rest, "")),
        };
        let element = self.best(target, &[], &|element| FIELDS.contains(&element.role.as_str()))?;
        let text = if text.is_empty() {
            vec![]
        } else {
            vec![unquoted(text)]
        };
        Some(Choice::new(element, "fill", text))
    }

    fn choose(&self, rest: &str) -> Option<Choice> {
        let parted = split_at_last(rest, &[" in ", " from ", " as ", " for "]);
        let (wanted, target) = parted.unwrap_or((rest, ""));
        let list = self.best(target, &[], &|element| element.role == "select");
        if let Some(list) = list {
            return Some(self.option_of(list, wanted));
        }
        let is_option = |element: &Element| {
            let role = element.role.as_str();
            matches!(
                role,
                "option" | "radio" | "tab" | "checkbox" | "switch" | "treeitem"
            ) || role.starts_with("menuitem")
        };
        let option = self
            .best(wanted, &[], &is_option)
            .or_else(|| self.best(rest, &[], &is_option));
        if let Some(option) = option {
            return Some(self.click_or_select(option, "click"));
        }
        let opens = |element: &Element| {
            matches!(element.role.as_str(), "button" | "combobox" | "listbox") && !element.is_expanded
        };
        match self.best(target, &[], &opens) {
            Some(opener) => Some(Choice {
                two_step: true,
                ..Choice::new(opener, "click", vec![])
            }),
            None => self.click("click", rest, &[]),
        }
    }

    /// A choice in a native list; by the words of its options, or by the text as it is when they share none.
    fn option_of(&self, list: &Element, wanted: &str) -> Choice {
        let options = self
            .elements
            .iter()
            .skip_while(|element| *element != list)
            .skip(1);
        let options: Vec<&Element> = options.take_while(|element| element.depth > list.depth).collect();
        let text = best_of(options.into_iter(), wanted, &[])
            .map_or_else(|| unquoted(wanted), |option| option.name.clone());
        Choice::new(list, "selectOptionFromDropdown", vec![text])
    }

    fn click(&self, method: &'static str, target: &str, kinds: &[&str]) -> Option<Choice> {
        let element = self
            .best(target, kinds, &is_usable)
            .or_else(|| self.best(target, kinds, &|element| SHOWN.contains(&element.role.as_str())))?;
        Some(self.click_or_select(element, method))
    }

    /// An option of a native list cannot be clicked: its list is what is acted on.
    fn click_or_select(&self, element: &Element, method: &'static str) -> Choice {
        let before = self.elements.iter().take_while(|other| *other != element);
        let parent = before
            .filter(|other| other.depth < element.depth)
            .last()
            .filter(|parent| parent.role == "select" && element.role == "option");
        match parent {
            Some(list) => Choice::new(list, "selectOptionFromDropdown", vec![element.name.clone()]),
            None => Choice::new(element, method, vec![]),
        }
    }

    /// A key, unless something that can be clicked bears its name.
    fn key(&self, rest: &str) -> Option<Choice> {
        let (key, target) = split_at_last(rest, &[" in ", " on "]).unwrap_or((rest, ""));
        let key = key.trim().trim_start_matches("the ").trim_end_matches(" key");
        let last = key.rsplit('+').next().unwrap_or_default().to_ascii_lowercase();
        let is_function_key =
            last.len() > 1 && last.starts_with('f') && last[1..].bytes().all(|byte| byte.is_ascii_digit());
        let is_combination = key.contains('+') && last.chars().count() == 1;
        if !(KEYS.contains(&last.as_str()) || is_function_key || is_combination) {
            return None;
        }
        let wanted = words::of(key);
        let is_named = |element: &Element| is_usable(element) && words::of(&element.name) == wanted;
        if self.elements.iter().any(is_named) {
            return None;
        }
        let element = if words::of(target).is_empty() {
            self.elements.first()?
        } else {
            self.best(target, &[], &is_usable)?
        };
        Some(Choice::new(element, "press", vec![key.to_owned()]))
    }

    fn scroll(&self, rest: &str) -> Option<Choice> {
        const WAYS: [&str; 12] = [
            "down", "up", "bottom", "top", "end", "start", "page", "screen", "one", "by", "further", "back",
        ];
        let all = words::of(rest);
        let has = |ways: &[&str]| all.iter().any(|word| ways.contains(&word.as_str()));
        let percent = rest.split_whitespace().find(|word| {
            word.strip_suffix('%')
                .is_some_and(|number| number.parse::<f64>().is_ok())
        });
        let (method, arguments) = if let Some(percent) = percent {
            ("scrollTo", vec![percent.to_owned()])
        } else if has(&["bottom", "end"]) {
            ("scrollTo", vec!["100%".to_owned()])
        } else if has(&["top", "start"]) {
            ("scrollTo", vec!["0%".to_owned()])
        } else if has(&["up", "back"]) {
            ("prevChunk", vec![])
        } else if has(&["down", "further"]) {
            ("nextChunk", vec![])
        } else {
            return None;
        };
        let is_place = |word: &&String| !WAYS.contains(&word.as_str()) && word.parse::<f64>().is_err();
        let place: Vec<&str> = all.iter().filter(is_place).map(String::as_str).collect();
        let element = if place.is_empty() {
            self.elements.first()?
        } else {
            self.best(&place.join(" "), &[], &|_| true)?
        };
        Some(Choice::new(element, method, arguments))
    }

    fn best(&self, target: &str, kinds: &[&str], is_meant: &dyn Fn(&Element) -> bool) -> Option<&Element> {
        best_of(
            self.elements.iter().filter(|element| is_meant(element)),
            target,
            kinds,
        )
    }
}

impl Choice {
    fn new(element: &Element, method: &'static str, arguments: Vec<String>) -> Self {
        Self {
            element: element.clone(),
            method,
            arguments,
            two_step: false,
        }
    }

    fn to_value(&self) -> Value {
        let Element { id, role, name, .. } = &self.element;
        let description = if name.is_empty() {
            role.clone()
        } else {
            format!("{role} {name}")
        };
        json!({
            "elementId": id, "description": description, "method": self.method, "arguments": self.arguments,
        })
    }
}

/// What a person would do with an element.
fn by_role(element: &Element) -> Choice {
    let method = match element.role.as_str() {
        "select" => "selectOptionFromDropdown",
        role if FIELDS.contains(&role) => "fill",
        _ => "click",
    };
    Choice::new(element, method, vec![])
}

/// The first of those that fit best; none when none shares a word.
fn best_of<'e>(
    elements: impl Iterator<Item = &'e Element>,
    target: &str,
    kinds: &[&str],
) -> Option<&'e Element> {
    let mut best: Option<(Fit, &Element)> = None;
    for element in elements {
        if let Some(fit) = fit(element, target, kinds)
            && best.is_none_or(|(best, _)| fit > best)
        {
            best = Some((fit, element));
        }
    }
    best.map(|(_, element)| element)
}

/// How well an element fits; `kinds` are words that the verb adds. None when no word of its name is shared, unless
/// only the kind of element is asked for.
fn fit(element: &Element, target: &str, kinds: &[&str]) -> Option<Fit> {
    let wanted = words::of(target);
    let name = words::of(&element.name);
    let in_name = shared(&wanted, &name);
    let of_role = |word: &str| kinds_of(&element.role).contains(&word);
    let in_role = wanted.iter().filter(|word| of_role(word)).count();
    let only_kind = wanted.iter().all(|word| KINDS.contains(&word.as_str()));
    if in_name == 0 && !(only_kind && in_role > 0) {
        return None;
    }
    let by_verb = kinds.iter().filter(|word| of_role(word)).count();
    Some((
        in_name,
        in_role + by_verb,
        !element.is_disabled,
        Reverse(name.len() - in_name.min(name.len())),
    ))
}

/// The words that people have for a role.
fn kinds_of(role: &str) -> &'static [&'static str] {
    match role {
        "button" => &["button"],
        "link" => &["link"],
        "select" | "listbox" => &["list", "dropdown", "select", "field", "box"],
        "combobox" => &["field", "box", "input", "list", "dropdown"],
        "checkbox" | "switch" => &["checkbox", "box"],
        "radio" => &["radio", "button", "option"],
        "option" => &["option"],
        "tab" => &["tab"],
        "image" => &["image"],
        "heading" => &["heading"],
        role if role.starts_with("menu") => &["menu"],
        role if FIELDS.contains(&role) => &["field", "box", "input", "textbox"],
        _ => &[],
    }
}

fn is_usable(element: &Element) -> bool {
    !SHOWN.contains(&element.role.as_str()) && element.role != "RootWebArea" && element.role != "Iframe"
}

fn read_line(line: &str) -> Vec<Element> {
    let depth = line.len() - line.trim_start().len();
    let found = elements_of_line(line).into_iter();
    found
        .map(|element| {
            let (role, name) = element.role_and_name();
            // What a field holds is no part of what it is called.
            let name = if FIELDS.contains(&role) {
                name.split(" = ").next().unwrap_or_default()
            } else {
                name
            };
            // A name that might be read as something else stands between quotes.
            let name = name
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .unwrap_or(name);
            let states = &element.rest[element.without_states().len()..];
            Element {
                depth,
                role: role.to_owned(),
                name: name.to_owned(),
                is_disabled: states.contains("[disabled]"),
                is_expanded: states.contains("[expanded]"),
                id: element.id,
            }
        })
        .collect()
}

/// The first word in small letters, and what follows it.
fn first_word(text: &str) -> (String, &str) {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    (word.trim_end_matches(':').to_ascii_lowercase(), rest.trim())
}

/// The two sides of the last of some words, whatever their case.
fn split_at_last<'t>(text: &'t str, middle: &[&str]) -> Option<(&'t str, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let places = middle.iter().filter_map(|word| Some((lower.rfind(word)?, word)));
    let (start, word) = places.max()?;
    Some((&text[..start], &text[start + word.len()..]))
}

/// The two sides of the first of some words, whatever their case.
fn split_at_first<'t>(text: &'t str, middle: &[&str]) -> Option<(&'t str, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let places = middle.iter().filter_map(|word| Some((lower.find(word)?, word)));
    let (start, word) = places.min()?;
    Some((&text[..start], &text[start + word.len()..]))
}

fn unquoted(text: &str) -> String {
    text.trim()
        .trim_matches(|character| matches!(character, '"' | '\'' | '“' | '”' | '‘' | '’'))
        .to_owned()
}

#[cfg(test)]
mod tests;
