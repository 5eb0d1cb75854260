//! What pressing an element comes to. Pure: fixed rules on names, roles, forms and addresses.

use automator_browser::Purpose;
use url::Url;

use super::AgentConfirmKind as Kind;
use super::words;
use crate::action::Method;

/// Names longer than this are texts, in which every word stands by chance.
const LONGEST_NAME: usize = 60;

/// Words that a name may have besides the ones that count.
const MOST_WORDS: usize = 7;

/// What is done to the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) enum Deed {
    /// It is clicked or touched.
    Press,
    /// The Enter key is pressed in it.
    Enter,
    /// The space bar is pressed in it.
    Space,
    /// It is given files.
    Files,
    /// Something is dropped on it.
    Drop,
}

impl Deed {
    /// What an action does; none for one that only writes, points or scrolls.
    pub(in crate::agent) fn of_action(method: Method, arguments: &[String]) -> Option<Self> {
        match method {
            Method::Click | Method::DoubleClick | Method::Tap => {
                let is_main = arguments
                    .first()
                    .is_none_or(|button| matches!(button.as_str(), "" | "left"));
                is_main.then_some(Self::Press)
            }
            Method::Press => Self::of_keys(arguments.first()?),
            // A line break that is typed is the Enter key.
            Method::Type => arguments.first()?.contains(['\n', '\r']).then_some(Self::Enter),
            Method::SetInputFiles => (!arguments.is_empty()).then_some(Self::Files),
            Method::DragAndDrop => Some(Self::Drop),
            _ => None,
        }
    }

    /// What a key or a combination does where the focus is.
    pub(in crate::agent) fn of_keys(keys: &str) -> Option<Self> {
        let last = keys.trim().rsplit('+').find(|part| !part.is_empty());
        match last.map(|key| key.trim().to_lowercase()).as_deref() {
            Some("enter" | "return" | "numpadenter") => Some(Self::Enter),
            Some("space") => Some(Self::Space),
            // A blank is the space bar as well.
            Some("") if keys.contains(' ') => Some(Self::Space),
            _ => None,
        }
    }
}

/// What it comes to; none for what needs no question.
pub(super) fn classify(purpose: &Purpose, deed: Deed) -> Option<Kind> {
    match deed {
        Deed::Files => Some(Kind::Upload),
        Deed::Drop => by_name(&purpose.own_name).filter(|kind| matches!(kind, Kind::Delete | Kind::Upload)),
        Deed::Space if purpose.is_editor || is_text_field(purpose) => None,
        Deed::Press | Deed::Space => by_press(purpose),
        Deed::Enter => by_enter(purpose),
    }
}

fn by_press(purpose: &Purpose) -> Option<Kind> {
    if purpose.takes_files {
        return Some(Kind::Upload);
    }
    let is_pressed = matches!(purpose.tag.as_str(), "a" | "button" | "summary")
        || matches!(purpose.kind.as_str(), "submit" | "button" | "image" | "reset")
        || matches!(purpose.role.as_str(), "button" | "link" | "menuitem" | "tab")
        // Anything can have a listener.
        || matches!(purpose.tag.as_str(), "div" | "span" | "li" | "td" | "p" | "svg" | "img" | "i");
    if !is_pressed {
        return None;
    }
    if purpose.downloads || is_saved(&purpose.href) {
        return Some(Kind::Download);
    }
    if purpose.submits {
        return by_form(purpose);
    }
    let named = by_name(&purpose.name);
    if purpose.href.is_empty() {
        return named;
    }
    // A link usually leads to where it is done, and does it only when its address says so, or nothing else does.
    match (named, by_address(&purpose.href)) {
        (Some(Kind::Send), None) => None,
        (named, by_address) => named.or(by_address),
    }
}

fn by_enter(purpose: &Purpose) -> Option<Kind> {
    if purpose.is_editor {
        // Chats send with the Enter key.
        let place = purpose.own_name.to_lowercase();
        let is_message = [
            "message",
            "comment",
            "reply",
            "chat",
            "post",
            "nachricht",
            "mensaje",
            "messaggio",
            "消息",
            "メッセージ",
        ]
        .iter()
        .any(|word| place.contains(word));
        return is_message.then_some(Kind::Send);
    }
    if purpose.submits {
        return by_form(purpose);
    }
    // With the focus on a button or a link it is a press.
    if is_text_field(purpose) {
        return None;
    }
    by_press(purpose)
}

/// What sending a form comes to: by the name of its button, where it goes, and what is in it.
fn by_form(purpose: &Purpose) -> Option<Kind> {
    let is_harmless = is_search(purpose) || is_log_in(purpose);
    let named = by_name(&purpose.name);
    match named {
        // "Submit" and the like say nothing by themselves.
        Some(Kind::Send) if is_harmless => None,
        Some(Kind::Send) if pays(purpose) => Some(Kind::Purchase),
        Some(kind) => Some(kind),
        None if is_harmless => None,
        None if pays(purpose) => Some(Kind::Purchase),
        None => by_address(&purpose.action).or_else(|| {
            let is_written = purpose.fields.iter().any(|field| field.starts_with("textarea"));
            (purpose.method == "post" && is_written).then_some(Kind::Send)
        }),
    }
}

fn is_search(purpose: &Purpose) -> bool {
    let form = purpose.form_name.to_lowercase();
    form.contains("search")
        || (purpose.method == "get" && purpose.fields.iter().all(|field| !field.starts_with("textarea")))
        || purpose
            .fields
            .iter()
            .any(|field| field.split(' ').nth(1) == Some("search"))
}

/// One password and few other fields.
fn is_log_in(purpose: &Purpose) -> bool {
    let passwords = purpose
        .fields
        .iter()
        .filter(|field| field.split(' ').nth(1) == Some("password"))
        .count();
    passwords == 1 && purpose.fields.len() <= 8
}

fn pays(purpose: &Purpose) -> bool {
    purpose.fields.iter().any(|field| {
        let field = field.to_lowercase();
        [
            "cc-number",
            "cc-csc",
            "cardnumber",
            "card-number",
            "card_number",
            "cvv",
            "cvc",
            "iban",
        ]
        .iter()
        .any(|part| field.contains(part))
    })
}

fn is_text_field(purpose: &Purpose) -> bool {
    purpose.tag == "input"
        && !matches!(
            purpose.kind.as_str(),
            "submit" | "button" | "image" | "reset" | "checkbox" | "radio" | "file"
        )
}

/// By the words of a name, the gravest first.
fn by_name(name: &str) -> Option<Kind> {
    let name = name.to_lowercase();
    let plain: String = name
        .chars()
        .map(|character| {
            let stays = character.is_alphanumeric() || matches!(character, '\'' | '’');
            if stays { character } else { ' ' }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    if words.is_empty() || name.chars().count() > LONGEST_NAME || words.len() > MOST_WORDS {
        return None;
    }
    let plain = format!(" {} ", words.join(" "));
    let holds = |phrase: &&str| plain.contains(&format!(" {phrase} "));
    if words::HARMLESS.iter().any(&holds)
        // "Cancel order" is no mere cancelling.
        && !words::DELETE.iter().any(|phrase| phrase.contains(' ') && holds(phrase))
    {
        return None;
    }
    let tables = [
        (Kind::Purchase, words::PURCHASE, words::PURCHASE_PARTS),
        (Kind::Delete, words::DELETE, words::DELETE_PARTS),
        (Kind::Upload, words::UPLOAD, words::UPLOAD_PARTS),
        (Kind::Download, words::DOWNLOAD, words::DOWNLOAD_PARTS),
        (Kind::Send, words::SEND, words::SEND_PARTS),
    ];
    let found = tables
        .iter()
        .find(|(_, words, parts)| words.iter().any(&holds) || parts.iter().any(|part| name.contains(part)));
    found.map(|(kind, _, _)| *kind)
}

/// By the segments of an address.
fn by_address(address: &str) -> Option<Kind> {
    let url = Url::parse(address).ok()?;
    let segments: Vec<String> = url.path_segments()?.map(str::to_lowercase).collect();
    let holds = |names: &[&str]| segments.iter().any(|segment| names.contains(&segment.as_str()));
    match () {
        () if holds(words::PURCHASE_PATHS) => Some(Kind::Purchase),
        () if holds(words::DELETE_PATHS) => Some(Kind::Delete),
        () if holds(words::SEND_PATHS) => Some(Kind::Send),
        () => None,
    }
}

fn is_saved(href: &str) -> bool {
    let Ok(url) = Url::parse(href) else {
        return false;
    };
    let path = url.path().to_lowercase();
    path.rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .is_some_and(|(_, ending)| words::SAVED.contains(&ending))
}

#[cfg(test)]
mod tests;
