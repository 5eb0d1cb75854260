//! Actions that name their element by its id, read without a model. Pure.
//!
//! Only what can mean one thing is read; everything else is for a model.

use automator_snapshot::ElementId;

use crate::action::Method;

/// Stands for the id in the words of an action.
const ID: &str = "\u{1}";
/// Stands for the text.
const TEXT: &str = "\u{2}";

/// Words that say nothing about what is done.
const FILLERS: [&str; 8] = ["the", "a", "on", "at", "please", "value", "text", "over"];

/// Words after which something else is to be done, or done otherwise.
const MORE: [&str; 16] = [
    "and", "then", "twice", "until", "while", "if", "unless", "but", "not", "again", "hold", "holding",
    "after", "before", "times", "with",
];

/// Keys that are pressed by their names.
const KEYS: [&str; 16] = [
    "enter",
    "escape",
    "tab",
    "space",
    "backspace",
    "delete",
    "home",
    "end",
    "pageup",
    "pagedown",
    "arrowup",
    "arrowdown",
    "arrowleft",
    "arrowright",
    "return",
    "esc",
];

/// What is done to which element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Direct {
    pub(super) id: ElementId,
    pub(super) method: &'static str,
    pub(super) arguments: Vec<String>,
    /// Where it is dropped.
    pub(super) onto: Option<ElementId>,
}

/// Reads an action; none when it is not plain what it means.
pub(super) fn read(action: &str) -> Option<Direct> {
    let (action, texts) = without_texts(action)?;
    let (action, ids) = without_ids(&action);
    if texts.len() > 1 {
        return None;
    }
    let words: Vec<String> = action
        .split_whitespace()
        .map(|word| {
            word.trim_matches(|sign: char| ".,:;!".contains(sign))
                .to_lowercase()
        })
        .filter(|word| !word.is_empty() && !FILLERS.contains(&word.as_str()))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let text = texts.into_iter().next();
    match ids[..] {
        [id] => {
            let (method, arguments) = one(&words, text)?;
            Some(Direct {
                id,
                method,
                arguments,
                onto: None,
            })
        }
        [id, onto] => match words[..] {
            ["drag" | "move", ID, "onto" | "to" | "into" | "in", ID] => Some(Direct {
                id,
                method: "dragAndDrop",
                arguments: Vec::new(),
                onto: Some(onto),
            }),
            _ => None,
        },
        _ => None,
    }
}

/// What is done to the one element.
fn one(words: &[&str], text: Option<String>) -> Option<(&'static str, Vec<String>)> {
    let is_plain = |rest: &[&str]| !rest.iter().any(|word| MORE.contains(word));
    let none = Vec::new;
    Some(match (words, text) {
        (
            [
                "click" | "press" | "tap" | "open" | "follow" | "push",
                ID,
                rest @ ..,
            ],
            _,
        ) if is_plain(rest) => ("click", none()),
        (["double-click" | "doubleclick", ID, rest @ ..], _) if is_plain(rest) => ("doubleClick", none()),
        (["double", "click", ID, rest @ ..], _) if is_plain(rest) => ("doubleClick", none()),
        (["right-click", ID, rest @ ..], _) if is_plain(rest) => ("click", vec!["right".to_owned()]),
        (["hover", ID, rest @ ..], _) if is_plain(rest) => ("hover", none()),
        (["clear" | "empty", ID], None) => ("fill", vec![String::new()]),
        (
            [
                "type" | "enter" | "write" | "input" | "put" | "fill",
                TEXT,
                "in" | "into" | "to",
                ID,
                rest @ ..,
            ],
            Some(text),
        ) if is_plain(rest) => ("fill", vec![text]),
        (
            ["fill", ID, "with", TEXT] | ["fill", "in", ID, "with", TEXT] | ["set", ID, "to", TEXT],
            Some(text),
        ) => ("fill", vec![text]),
        (
            [
                "select" | "choose" | "pick",
                TEXT,
                "in" | "from" | "of",
                ID,
                rest @ ..,
            ],
            Some(text),
        ) if is_plain(rest) => ("selectOptionFromDropdown", vec![text]),
        (
            [
                "upload" | "attach",
                TEXT,
                "to" | "in" | "into" | "on",
                ID,
                rest @ ..,
            ],
            Some(path),
        ) if is_plain(rest) => (Method::FOR_FILES, vec![path]),
        (["press" | "hit", key, "in" | "into", ID, rest @ ..], None) if is_plain(rest) && is_key(key) => {
            ("press", vec![(*key).to_owned()])
        }
        (["press" | "hit", TEXT, "in" | "into", ID, rest @ ..], Some(key))
            if is_plain(rest) && is_key(&key) =>
        {
            ("press", vec![key])
        }
        _ => return None,
    })
}

fn is_key(word: &str) -> bool {
    let word = word.to_lowercase();
    KEYS.contains(&word.as_str()) || (word.len() > 1 && word.contains('+'))
}

/// The action with its quoted texts, and a variable that stands alone, taken out. None when a quote is not closed.
fn without_texts(action: &str) -> Option<(String, Vec<String>)> {
    let mut rest = action;
    let mut out = String::new();
    let mut texts = Vec::new();
    while let Some((start, open)) = rest
        .char_indices()
        .find(|(_, sign)| matches!(sign, '"' | '“' | '„'))
    {
        let (before, at) = rest.split_at(start);
        let inner = at.get(open.len_utf8()..)?;
        let is_end = |sign: char| match open {
            '"' => sign == '"',
            _ => matches!(sign, '”' | '“' | '"'),
        };
        let (end, close) = inner.char_indices().find(|(_, sign)| is_end(*sign))?;
        out.push_str(before);
        out.push_str(&format!(" {TEXT} "));
        texts.push(inner.get(..end)?.to_owned());
        rest = inner.get(end + close.len_utf8()..)?;
    }
    out.push_str(rest);
    if !texts.is_empty() {
        return Some((out, texts));
    }
    let is_variable = |word: &&str| word.len() > 2 && word.starts_with('%') && word.ends_with('%');
    let variables: Vec<&str> = out.split_whitespace().filter(is_variable).collect();
    match variables[..] {
        [name] => {
            let name = name.to_owned();
            Some((out.replacen(&name, TEXT, 1), vec![name]))
        }
        _ => Some((out, texts)),
    }
}

/// The action with its ids in brackets taken out.
fn without_ids(action: &str) -> (String, Vec<ElementId>) {
    let mut rest = action;
    let mut out = String::new();
    let mut ids = Vec::new();
    while let Some(start) = rest.find('[') {
        let (before, at) = rest.split_at(start);
        out.push_str(before);
        let id = at
            .get(1..)
            .and_then(|inner| inner.split_once(']'))
            .and_then(|(id, after)| Some((id.parse::<ElementId>().ok()?, after)));
        match id {
            Some((id, after)) => {
                out.push_str(&format!(" {ID} "));
                ids.push(id);
                rest = after;
            }
            None => {
                out.push('[');
                rest = at.get(1..).unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    (out, ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(action: &str) -> Option<String> {
        let direct = read(action)?;
        let onto = direct
            .onto
            .map_or_else(String::new, |onto| format!(" onto {onto}"));
        Some(format!(
            "{} {} {:?}{onto}",
            direct.method, direct.id, direct.arguments
        ))
    }

    #[test]
    fn plain_actions_are_read() {
        let cases = [
            ("click [0-12]", "click 0-12 []"),
            ("Click on the [0-12] button \"Add to basket\".", "click 0-12 []"),
            ("press [0-3]", "click 0-3 []"),
            ("double-click [0-3]", "doubleClick 0-3 []"),
            ("right-click [1-3]", "click 1-3 [\"right\"]"),
            ("hover over [0-4]", "hover 0-4 []"),
            (
                "type \"Ada and [0-9]\" into [0-7]",
                "fill 0-7 [\"Ada and [0-9]\"]",
            ),
            ("type %password% into [0-7]", "fill 0-7 [\"%password%\"]"),
            ("type “Ada” in the [0-7] textbox: Name", "fill 0-7 [\"Ada\"]"),
            ("fill [0-7] with \"Ada\"", "fill 0-7 [\"Ada\"]"),
            ("set [0-7] to \"5\"", "fill 0-7 [\"5\"]"),
            ("clear [0-7]", "fill 0-7 [\"\"]"),
            (
                "select \"Red\" in [0-9]",
                "selectOptionFromDropdown 0-9 [\"Red\"]",
            ),
            (
                "upload \"/home/Ada/cv.pdf\" to the [0-7]",
                "setInputFiles 0-7 [\"/home/Ada/cv.pdf\"]",
            ),
            ("attach %file% to [0-7]", "setInputFiles 0-7 [\"%file%\"]"),
            ("press Enter in [0-7]", "press 0-7 [\"enter\"]"),
            ("press \"Control+A\" in [0-7]", "press 0-7 [\"Control+A\"]"),
            ("drag [0-3] onto [0-5]", "dragAndDrop 0-3 [] onto 0-5"),
        ];
        for (action, expected) in cases {
            assert_eq!(told(action).as_deref(), Some(expected), "{action}");
        }
    }

    #[test]
    fn what_may_mean_something_else_is_left_to_a_model() {
        for action in [
            "press go",
            "click the first link",
            "click [0-3] and [0-4]",
            "click [0-3] and wait",
            "click [0-3] twice",
            "click [0-3] with the control key held",
            "check [0-3]",
            "scroll [0-3]",
            "type Ada into [0-7]",
            "type \"Ada\" into [0-7] and press Enter",
            "type \"Ada\" and \"Eve\" into [0-7]",
            "type \"Ada into [0-7]",
            "don't click [0-3]",
            "press x in [0-7]",
            "click [a-b]",
            "click 0-3",
            "",
        ] {
            assert_eq!(told(action), None, "{action}");
        }
    }
}
