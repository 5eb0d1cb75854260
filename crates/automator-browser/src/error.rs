//! Everything that can go wrong with a browser.

use std::path::PathBuf;
use std::time::Duration;

use automator_cdp::{CdpError, CloseReason};

/// Why something with the browser failed. The variant is the contract; the texts are for people.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BrowserError {
    /// No browser to start.
    #[error("no Chromium found (looked for {}); {hint}", tried.join(", "))]
    ExecutableNotFound {
        /// Names and paths that were tried.
        tried: Vec<String>,
        /// What to do.
        hint: String,
    },
    /// The browser did not come up.
    #[error("{} did not start: {problem}; {hint}{}", executable.display(), quoted(last_words))]
    Launch {
        /// What was started.
        executable: PathBuf,
        /// What happened.
        problem: String,
        /// What the browser wrote to standard error last, one line each.
        last_words: String,
        /// What to try.
        hint: String,
    },
    /// The profile folder could not be made.
    #[error("the profile folder {} cannot be used: {source}", path.display())]
    Profile {
        /// The folder, or the one that a temporary one was to be made in.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The browser to attach to could not be found through its HTTP address.
    #[error("no browser at {address}: {problem}")]
    Discovery {
        /// The address, without user, password and query.
        address: String,
        /// What happened.
        problem: String,
    },
    /// The browser to attach to did not answer in time.
    #[error("no answer from {address} within {}", in_words(*limit))]
    ConnectTimeout {
        /// The address, without user, password and query.
        address: String,
        /// How long it could take.
        limit: Duration,
    },
    /// The connection to the browser has ended; nothing will work any more.
    #[error("the connection to the browser is closed: {reason}")]
    ConnectionClosed {
        /// Why it ended.
        reason: CloseReason,
    },
    /// A DevTools command failed in a way that has no variant of its own.
    #[error(transparent)]
    Protocol(CdpError),
    /// The page has been closed.
    #[error("the page has been closed")]
    PageClosed,
    /// A dialog is answered that is not open any more.
    #[error("the dialog has been answered already, or has gone with its page")]
    DialogAnswered,
    /// The page's process has crashed.
    #[error("the page has crashed; navigate it to go on")]
    PageCrashed,
    /// The frame has gone, with its document or with its element.
    #[error("the frame has gone from the page")]
    FrameGone,
    /// A new page was not attached in time.
    #[error("the new page did not open within {limit:?}")]
    NewPageTimeout {
        /// How long it could take.
        limit: Duration,
    },
    /// The address is none.
    #[error("`{url}` is not a valid URL{}", hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default())]
    InvalidUrl {
        /// As it was given.
        url: String,
        /// What it may have been meant to be.
        hint: Option<String>,
    },
    /// The browser could not load the page.
    #[error("cannot load {url}: {error_text}")]
    Navigation {
        /// Where to.
        url: String,
        /// The browser's name for what happened, as `net::ERR_CONNECTION_REFUSED`.
        error_text: String,
    },
    /// Another navigation took over.
    #[error("the navigation to {url} was superseded by a later one")]
    NavigationSuperseded {
        /// Where the earlier one was going.
        url: String,
    },
    /// The address leads to a download, or to an empty answer, so the page stays where it is.
    #[error("{url} did not lead to a page: the browser {}", if *download { "downloads it" } else { "got no content (net::ERR_ABORTED)" })]
    NotAPage {
        /// Where to.
        url: String,
        /// Whether it is being downloaded.
        download: bool,
    },
    /// The proxy did not accept user name and password, or asks for some and has none.
    #[error("cannot load {url}: the proxy {} did not accept the user name and password", server.as_deref().unwrap_or("in use"))]
    ProxyAuthentication {
        /// Where to.
        url: String,
        /// The proxy as it was given.
        server: Option<String>,
    },
    /// The navigation did not get far enough in time.
    #[error("{url} did not reach `{wait_until}` within {limit:?}")]
    NavigationTimeout {
        /// Where to.
        url: String,
        /// What was waited for.
        wait_until: &'static str,
        /// The limit.
        limit: Duration,
    },
    /// The policy of domains does not let pages go there.
    #[error("the domain policy forbids {url}: {reason}")]
    ForbiddenAddress {
        /// Where to; of a redirect, the step that is forbidden.
        url: String,
        /// Which rule forbids it.
        reason: String,
    },
    /// An entry of the policy of domains is none.
    #[error("`{domain}` is not a domain: {problem}")]
    InvalidDomain {
        /// As it was given.
        domain: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A file with a script that is to run in every document cannot be read.
    #[error("cannot read the script {}: {source}", path.display())]
    ScriptFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A header cannot be sent.
    #[error("the header `{name}` cannot be sent: {problem}")]
    InvalidHeader {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A cookie contradicts itself.
    #[error("the cookie `{name}` cannot be set: {problem}")]
    CookieValidation {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The browser does not take a cookie.
    #[error("the browser refuses the cookie `{name}`: {problem}")]
    CookieSet {
        /// Its name.
        name: String,
        /// In the browser's words.
        problem: String,
    },
    /// A download did not end well.
    #[error("{url} was not downloaded: {problem}")]
    Download {
        /// Where it comes from.
        url: String,
        /// What happened.
        problem: &'static str,
    },
    /// The page does not get the files that it wants.
    #[error("the files cannot be given to the page: {problem}")]
    Files {
        /// Why not.
        problem: String,
    },
    /// The page cannot use the clipboard.
    #[error(
        "the clipboard cannot be used from {url}: only pages from https: addresses and from this machine can"
    )]
    Clipboard {
        /// The page's address.
        url: String,
    },
    /// JavaScript in the page threw.
    #[error("{message}")]
    Evaluation {
        /// What it threw, as the page puts it.
        message: String,
        /// The name of the error, as `TypeError`; none when what was thrown is no error.
        name: Option<String>,
        /// The stack, when there is one.
        stack: Option<String>,
        /// Where it was thrown, or where the source cannot be read.
        place: Option<crate::Place>,
    },
    /// Something did not end in time.
    #[error("the {operation} did not end within {limit:?}")]
    Timeout {
        /// What was being done.
        operation: &'static str,
        /// The limit.
        limit: Duration,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The body of a response is not there.
    #[error("no body of the response from {url}: {problem}")]
    ResponseBody {
        /// Where the response came from.
        url: String,
        /// What happened to it.
        problem: String,
    },
    /// The body of a response is not JSON.
    #[error("the response from {url} is not JSON: {source}")]
    ResponseParse {
        /// Where the response came from.
        url: String,
        /// Where reading stopped.
        source: serde_json::Error,
    },
    /// The browser's answer is not what it should be.
    #[error("cannot read {what} that the browser sent")]
    Unreadable {
        /// What it should have been.
        what: &'static str,
    },
    /// The page cannot be read as text.
    #[error("the page cannot be read: {source}")]
    Snapshot {
        /// Why not.
        source: automator_snapshot::SnapshotError,
    },
    /// The document that an element id belongs to is no longer shown.
    #[error("the page has changed since element {id} was read; read it again")]
    PageChanged {
        /// The id.
        id: String,
    },
    /// An argument or an option has a value that it cannot have.
    #[error("invalid `{argument}`: {problem}")]
    InvalidArgument {
        /// Its name.
        argument: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The name of a key, or a part of it, is none.
    #[error("no key is called `{part}`{}{}", if part == name { String::new() } else { format!(" in `{name}`") }, did_you_mean(nearest))]
    UnknownKey {
        /// As it was given.
        name: String,
        /// The part that is not known.
        part: String,
        /// Known names that are spelt much like it, the nearest first.
        nearest: Vec<String>,
    },
    /// The selector cannot be read, or does not apply.
    #[error("`{selector}` is not a valid selector: {problem}")]
    InvalidSelector {
        /// As it was given.
        selector: String,
        /// What is wrong with it.
        problem: String,
    },
    /// No element matches a CSS selector.
    #[error("no element matches `{selector}`")]
    ElementNotFound {
        /// As it was given.
        selector: String,
    },
    /// No element matches an XPath.
    #[error("no element is at the XPath `{selector}`")]
    XPathNotFound {
        /// As it was given.
        selector: String,
    },
    /// `>>` follows an element that is neither a frame nor the host of a shadow root.
    #[error(
        "`{segment}` in `{selector}` is a <{tag}>, neither a frame nor a shadow host, so `>>` leads nowhere"
    )]
    NotAFrame {
        /// As it was given.
        selector: String,
        /// The part before the `>>`.
        segment: String,
        /// What the part leads to.
        tag: String,
    },
    /// A frame element without a document that can be reached.
    #[error("the frame `{segment}` in `{selector}` has no document")]
    FrameWithoutDocument {
        /// As it was given.
        selector: String,
        /// The part that leads to the frame.
        segment: String,
    },
    /// A step into the shadow root of an element that has none.
    #[error("`{segment}` in `{selector}` has no shadow root")]
    NoShadowRoot {
        /// As it was given.
        selector: String,
        /// The part that leads to the element.
        segment: String,
    },
    /// An element is there, but people could not use it either.
    #[error("`{selector}` cannot be used: {obstacle} (waited {})", in_words(*waited))]
    NotActionable {
        /// What led to the element.
        selector: String,
        /// What is in the way.
        obstacle: Obstacle,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The action was done, and what it was meant for did not come about.
    #[error("{action} on `{selector}` had no effect: {found}")]
    NoEffect {
        /// What led to the element.
        selector: String,
        /// What was done, as `click`.
        action: &'static str,
        /// What was found instead.
        found: String,
        /// Whether something may have happened nevertheless. Then the action must not be repeated.
        may_have_happened: bool,
    },
    /// Something failed when the action had already begun, so it may have happened and must not be repeated.
    #[error("{action} on `{selector}` broke off: {source}")]
    Interrupted {
        /// What led to the element.
        selector: String,
        /// What was being done.
        action: &'static str,
        /// What failed.
        source: Box<BrowserError>,
    },
    /// Whoever looks at where input goes ([`InputWatch`](crate::InputWatch)) did not let it go out.
    #[error("{why}")]
    KeptBack {
        /// In the words of whoever looked.
        why: String,
        /// Whether the page has seen a part of it. Then it must not be repeated.
        has_begun: bool,
    },
    /// The element is of a kind that cannot do what is asked.
    #[error("Failed to {action} element ({reason}): `{selector}`")]
    Unsuitable {
        /// What led to the element.
        selector: String,
        /// What was asked, as `fill`.
        action: &'static str,
        /// Why not, as `unsupported-input-type:checkbox`.
        reason: String,
    },
    /// A list has no such option.
    #[error("`{selector}` has no option `{wanted}`; it has {}", list(offered))]
    OptionNotFound {
        /// What led to the list.
        selector: String,
        /// What was asked for.
        wanted: String,
        /// What there is, at most 50.
        offered: Vec<String>,
    },
    /// The element that was known by its node has gone, and nothing has come in its place.
    #[error("the element `{selector}` has gone from the page")]
    ElementGone {
        /// What the element was, or led to it.
        selector: String,
    },
    /// The page does not answer: its scripts keep it busy.
    #[error("the page did not answer within {} while `{selector}` was waited for", in_words(*waited))]
    NotAnswering {
        /// What led to the element.
        selector: String,
        /// How long.
        waited: Duration,
    },
    /// A file that was to be given to a page cannot be read.
    #[error("the file {} cannot be read: {source}", path.display())]
    UnreadableFile {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A file is too large to be handed to a browser on another machine.
    #[error("the file {name} has {size} bytes, and at most {limit} can be sent to a page")]
    FileTooLarge {
        /// Which one.
        name: String,
        /// How large it is, in bytes.
        size: u64,
        /// What is possible, in bytes.
        limit: u64,
    },
    /// What [`Page::wait_for_selector`](crate::Page::wait_for_selector) waited for did not come.
    #[error("waitForSelector: Timeout {}ms exceeded waiting for \"{selector}\" to be {state}", limit.as_millis())]
    SelectorTimeout {
        /// What led to the element.
        selector: String,
        /// `attached`, `detached`, `visible` or `hidden`.
        state: &'static str,
        /// How long it could take.
        limit: Duration,
    },
}

/// What keeps people from using an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Of what kind it is.
    pub kind: ObstacleKind,
    /// The element or option that it comes from, in a few words, as `div#veil.dark "Accept cookies"`.
    pub by: Option<String>,
}

/// Kinds of obstacles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ObstacleKind {
    /// It has no box, or is invisible.
    Hidden,
    /// It is disabled, by itself or by what it stands in.
    Disabled,
    /// It is inert, by itself or by what it stands in.
    Inert,
    /// It does not keep still.
    Moving,
    /// Something lies over it.
    Covered,
    /// Presses go through it (`pointer-events: none`), to nothing that it stands in.
    TakesNoPointer,
    /// It cannot be scrolled into view.
    OutOfView,
    /// Its text cannot be changed.
    ReadOnly,
    /// It does not take the focus.
    TakesNoFocus,
    /// It has nothing to scroll.
    NothingToScroll,
    /// The option is disabled.
    OptionDisabled,
    /// It went away again and again.
    Gone,
}

impl std::fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let by = self.by.as_deref();
        match (self.kind, by) {
            (ObstacleKind::Hidden, _) => formatter.write_str("it is not visible"),
            (ObstacleKind::Disabled, None) => formatter.write_str("it is disabled"),
            (ObstacleKind::Disabled, Some(by)) => write!(formatter, "it is disabled by {by}"),
            (ObstacleKind::Inert, None) => formatter.write_str("it is inert"),
            (ObstacleKind::Inert, Some(by)) => write!(formatter, "it is inert because {by} is"),
            (ObstacleKind::Moving, _) => formatter.write_str("it does not keep still"),
            (ObstacleKind::Covered, by) => {
                write!(formatter, "it is covered by {}", by.unwrap_or("something"))
            }
            (ObstacleKind::TakesNoPointer, _) => {
                formatter.write_str("it takes no presses (`pointer-events: none`)")
            }
            (ObstacleKind::OutOfView, _) => formatter.write_str("it cannot be brought into view"),
            (ObstacleKind::ReadOnly, _) => formatter.write_str("it is read-only"),
            (ObstacleKind::TakesNoFocus, _) => formatter.write_str("it does not take the focus"),
            (ObstacleKind::NothingToScroll, _) => formatter.write_str("there is nothing to scroll in it"),
            (ObstacleKind::OptionDisabled, by) => {
                write!(formatter, "its option `{}` is disabled", by.unwrap_or_default())
            }
            (ObstacleKind::Gone, _) => formatter.write_str("it is drawn anew all the time"),
        }
    }
}

impl BrowserError {
    /// Whether the action may have had its effect although it failed. Whoever gets such an error must not simply
    /// repeat the action.
    ///
    /// ```
    /// # use automator_browser::BrowserError;
    /// assert!(!BrowserError::PageClosed.may_have_happened());
    /// ```
    pub fn may_have_happened(&self) -> bool {
        match self {
            Self::NoEffect {
                may_have_happened, ..
            } => *may_have_happened,
            Self::Interrupted { .. } => true,
            Self::KeptBack { has_begun, .. } => *has_begun,
            _ => false,
        }
    }

    /// Whether the connection was closed on this side, as closing a session does, and not lost.
    ///
    /// ```
    /// # use automator_browser::BrowserError;
    /// assert!(!BrowserError::PageClosed.is_own_end());
    /// ```
    pub fn is_own_end(&self) -> bool {
        matches!(
            self,
            Self::ConnectionClosed {
                reason: CloseReason::Requested
            }
        )
    }
}

impl From<CdpError> for BrowserError {
    fn from(error: CdpError) -> Self {
        match error {
            CdpError::Closed { reason } => Self::ConnectionClosed { reason },
            other => Self::Protocol(other),
        }
    }
}

fn did_you_mean(nearest: &[String]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(", "))
    }
}

fn quoted(last_words: &str) -> String {
    if last_words.is_empty() {
        String::new()
    } else {
        format!("\nIts last words:\n{last_words}")
    }
}

fn list(offered: &[String]) -> String {
    if offered.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = offered.iter().map(|option| format!("`{option}`")).collect();
    quoted.join(", ")
}

/// A time for people.
fn in_words(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} s", time.as_secs_f64())
    }
}
