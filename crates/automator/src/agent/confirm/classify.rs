//! What pressing an element comes to. Pure: fixed rules on names, roles, forms and addresses.

use automator_browser::Purpose;
use url::Url;

use super::AgentConfirmKind as Kind;
use super::{letters, naming, words};
use crate::action::Method;

/// What an element comes to, and by which of its names that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Judged {
    pub(super) kind: Kind,
    pub(super) name: String,
}

/// What is done to the element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::agent) enum Deed {
    /// It is clicked or touched.
    Press,
    /// The Enter key is pressed in it.
    Enter,
    /// The space bar is pressed in it.
    Space,
    /// The Delete key is pressed in it.
    Erase,
    /// It is given files.
    Files,
    /// It is dragged away.
    Drag,
    /// Something is dropped on it.
    Drop,
}

impl Deed {
    /// What an action does; none for one that only writes, points or scrolls.
    pub(in crate::agent) fn of_action(method: Method, arguments: &[String]) -> Option<Self> {
        match method {
            // Pages hear of the other buttons of the mouse, too.
            Method::Click | Method::DoubleClick | Method::Tap => Some(Self::Press),
            Method::Press => Self::of_keys(arguments.first()?),
            Method::Type => Self::of_text(arguments.first()?),
            Method::SetInputFiles => (!arguments.is_empty()).then_some(Self::Files),
            Method::DragAndDrop => Some(Self::Drop),
            _ => None,
        }
    }

    /// What typing a text does where the focus is: a line break is the Enter key, a blank the space bar.
    pub(in crate::agent) fn of_text(text: &str) -> Option<Self> {
        if text.contains(['\n', '\r']) {
            return Some(Self::Enter);
        }
        text.contains(' ').then_some(Self::Space)
    }

    /// What a key or a combination does where the focus is.
    pub(in crate::agent) fn of_keys(keys: &str) -> Option<Self> {
        if keys.contains(['\n', '\r']) {
            return Some(Self::Enter);
        }
        if !keys.is_empty() && keys.trim().is_empty() {
            return Some(Self::Space);
        }
        // One key with others held comes last, but nothing depends on that.
        let mut parts = keys.split('+').map(|part| part.trim().to_lowercase());
        parts.find_map(|part| match part.as_str() {
            "enter" | "return" | "numpadenter" => Some(Self::Enter),
            "space" | "spacebar" => Some(Self::Space),
            "delete" | "del" => Some(Self::Erase),
            _ => None,
        })
    }
}

/// What it comes to; none for what needs no question.
pub(super) fn classify(purpose: &Purpose, deed: Deed) -> Option<Judged> {
    let kind = kind_of(purpose, deed)?;
    let is_of_kind = |name: &&String| naming::kind_of(name, is_button(purpose)) == Some(kind);
    let told = purpose.names.iter().find(is_of_kind);
    let name = told.unwrap_or(if purpose.name.is_empty() {
        &purpose.tag
    } else {
        &purpose.name
    });
    Some(Judged {
        kind,
        name: name.clone(),
    })
}

fn kind_of(purpose: &Purpose, deed: Deed) -> Option<Kind> {
    match deed {
        Deed::Files => Some(Kind::Upload),
        // What is dragged is thrown away or moved by that; a slider may buy.
        Deed::Drag => named(purpose).filter(|kind| *kind == Kind::Purchase),
        Deed::Drop => {
            named(purpose).filter(|kind| matches!(kind, Kind::Purchase | Kind::Delete | Kind::Upload))
        }
        Deed::Space | Deed::Erase if is_written_in(purpose) => None,
        // Lists of mails and files take what is chosen away by it.
        Deed::Erase => (!matches!(purpose.tag.as_str(), "select" | "option")).then_some(Kind::Delete),
        Deed::Press | Deed::Space => by_press(purpose),
        Deed::Enter => by_enter(purpose),
    }
}

fn by_press(purpose: &Purpose) -> Option<Kind> {
    if purpose.takes_files {
        return Some(Kind::Upload);
    }
    // A place where nothing lies; the text of the whole page is no name.
    if matches!(purpose.tag.as_str(), "html" | "body") {
        return None;
    }
    // Anything else can have a listener.
    let is_only_set = is_text_field(purpose)
        || purpose.is_editor
        || matches!(purpose.tag.as_str(), "select" | "option")
        || (purpose.tag == "input" && matches!(purpose.kind.as_str(), "checkbox" | "radio"));
    if is_only_set {
        return None;
    }
    if purpose.downloads || is_saved(&purpose.href) {
        return Some(Kind::Download);
    }
    if purpose.submits {
        return by_form(purpose);
    }
    if purpose.method == "delete" {
        return Some(Kind::Delete);
    }
    let named = named(purpose);
    if !leads_on(purpose) {
        return named.or_else(|| by_address(&purpose.href));
    }
    // A link usually leads to where it is done, and does it only when its address says so, or nothing else does.
    match (named, by_address(&purpose.href)) {
        (Some(Kind::Send), None) | (None, Some(Kind::Send)) => None,
        (named, by_address) => named.or(by_address),
    }
}

fn by_enter(purpose: &Purpose) -> Option<Kind> {
    if purpose.is_editor {
        return sends_by_enter(purpose).then_some(Kind::Send);
    }
    if purpose.submits {
        return by_form(purpose);
    }
    // With the focus on a button or a link it is a press.
    if is_text_field(purpose) {
        return sends_by_enter(purpose).then_some(Kind::Send);
    }
    by_press(purpose)
}

/// Chats send with the Enter key.
fn sends_by_enter(purpose: &Purpose) -> bool {
    let place = purpose.own_name.to_lowercase();
    words::MESSAGES.iter().any(|word| place.contains(word))
}

/// Whether a link leads to another place, and is not there for what the page does when it is pressed.
fn leads_on(purpose: &Purpose) -> bool {
    let Ok(url) = Url::parse(&purpose.href) else {
        return false;
    };
    url.scheme() != "javascript" && url.fragment() != Some("") && purpose.role != "button"
}

/// What sending a form comes to: by the name of its button, where it goes, and what is in it.
fn by_form(purpose: &Purpose) -> Option<Kind> {
    let is_harmless = is_search(purpose) || is_log_in(purpose);
    let named = named(purpose).filter(|kind| *kind != Kind::Send);
    let deletes = (purpose.method == "delete").then_some(Kind::Delete);
    let grave = by_address(&purpose.action).filter(|kind| *kind != Kind::Send);
    let orders = orders(purpose).then_some(Kind::Purchase);
    let pays = pays(purpose).then_some(Kind::Purchase);
    if let Some(kind) = named.or(pays).or(deletes).or(grave).or(orders) {
        return Some(kind);
    }
    if says_what_is_sent(purpose) {
        return Some(Kind::Send);
    }
    // "Submit" and the like say nothing by themselves.
    if is_harmless {
        return None;
    }
    let is_written = purpose.fields.iter().any(|field| field.starts_with("textarea"));
    let sends = self::named(purpose).is_some()
        || by_address(&purpose.action).is_some()
        || (purpose.method == "post" && is_written);
    sends.then_some(Kind::Send)
}

/// What going to an address comes to.
pub(super) fn of_address(address: &str) -> Option<Kind> {
    by_address(address).or_else(|| is_saved(address).then_some(Kind::Download))
}

/// By all that an element is called, the gravest first.
fn named(purpose: &Purpose) -> Option<Kind> {
    let is_button = is_button(purpose);
    let names = std::iter::once(&purpose.name).chain(&purpose.names);
    naming::gravest(names.filter_map(|name| naming::kind_of(name, is_button)))
}

/// Whether it is there to be pressed, so that even a long name says what for.
fn is_button(purpose: &Purpose) -> bool {
    purpose.tag == "button"
        || purpose.role == "button"
        || (purpose.tag == "input"
            && matches!(purpose.kind.as_str(), "submit" | "button" | "image" | "reset"))
}

/// Whether a name says that something is sent, and more than that a form is.
fn says_what_is_sent(purpose: &Purpose) -> bool {
    let is_button = is_button(purpose);
    let names = std::iter::once(&purpose.name).chain(&purpose.names);
    let mut sending = names.filter(|name| naming::kind_of(name, is_button) == Some(Kind::Send));
    sending.any(|name| !words::SENDS_A_FORM.contains(&letters::plain(name).trim()))
}

fn is_search(purpose: &Purpose) -> bool {
    is_named_search(purpose)
        || (purpose.method == "get" && purpose.fields.iter().all(|field| !field.starts_with("textarea")))
}

fn is_named_search(purpose: &Purpose) -> bool {
    let form = purpose.form_name.to_lowercase();
    form.split(|sign: char| !sign.is_alphanumeric())
        .any(|word| word.starts_with("search"))
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
        words::CARD_FIELDS.iter().any(|part| field.contains(part))
    })
}

/// Whether keys are written there.
pub(super) fn is_written_in(purpose: &Purpose) -> bool {
    purpose.is_editor || is_text_field(purpose)
}

fn is_text_field(purpose: &Purpose) -> bool {
    purpose.tag == "input"
        && !matches!(
            purpose.kind.as_str(),
            "submit" | "button" | "image" | "reset" | "checkbox" | "radio" | "file"
        )
}

/// Whether a form goes where orders are taken. A link there only shows them.
fn orders(purpose: &Purpose) -> bool {
    let Ok(url) = Url::parse(&purpose.action) else {
        return false;
    };
    let path = url.path().to_lowercase();
    let mut segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    let mut last = segments.next().unwrap_or_default();
    let is_end = purpose.method == "post" && words::ORDER_ENDS.contains(&last);
    if is_end {
        last = segments.next().unwrap_or_default();
    }
    let is_list = purpose.method == "post" && words::ORDER_LISTS.contains(&last);
    let is_order = is_list || words::ORDER_FORMS.contains(&last) || (is_end && last == "checkout");
    is_order && !is_named_search(purpose)
}

/// By the segments of an address, and by what its query says is to be done.
fn by_address(address: &str) -> Option<Kind> {
    let url = Url::parse(address).ok()?;
    let mut segments: Vec<String> = url.path_segments()?.map(str::to_lowercase).collect();
    for (name, value) in url.query_pairs() {
        let (name, value) = (name.to_lowercase(), value.to_lowercase());
        if words::DOING.contains(&name.as_str()) {
            segments.push(value);
        } else if is_number_or_yes(&value) && words::DELETE_PATHS.contains(&name.as_str()) {
            segments.push(name);
        }
    }
    let holds = |names: &[&str]| segments.iter().any(|segment| names.contains(&segment.as_str()));
    match () {
        () if holds(words::PURCHASE_PATHS) => Some(Kind::Purchase),
        () if segments.iter().any(|segment| deletes(segment)) => Some(Kind::Delete),
        () if holds(words::SEND_PATHS) => Some(Kind::Send),
        () => None,
    }
}

/// Whether a segment says that something is deleted: `delete`, `remove_item`, `delete-all-my-items`, `item_delete.php`.
/// One with other words is the title of something.
fn deletes(segment: &str) -> bool {
    let name = segment.split('.').next().unwrap_or(segment);
    let mut verbs = 0;
    let is_all_known = name
        .split(['-', '_'])
        .filter(|word| !word.is_empty())
        .all(|word| {
            let is_verb = words::DELETE_PATHS.contains(&word);
            verbs += usize::from(is_verb);
            is_verb || words::DELETED.contains(&word)
        });
    is_all_known && verbs == 1
}

fn is_number_or_yes(value: &str) -> bool {
    let is_number = !value.is_empty() && value.bytes().all(|digit| digit.is_ascii_digit());
    (is_number && value != "0") || matches!(value, "yes" | "true")
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
