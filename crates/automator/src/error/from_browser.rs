//! What the browser crate failed with, as the public error.

use automator_browser::{BrowserError, ObstacleKind};

use crate::time_text::time_text;
use crate::{Error, ErrorKind};

impl From<BrowserError> for Error {
    fn from(error: BrowserError) -> Self {
        let mut made = Error::new(kind_of(&error), message_of(&error));
        if let BrowserError::Evaluation { name, stack, .. } = &error {
            for (member, text) in [("name", name), ("stack", stack)] {
                if let Some(text) = text {
                    made = made.with(member, text.clone());
                }
            }
        }
        if let Some(selector) = selector_of(&error) {
            made = made.with("selector", selector);
        }
        made.caused_by(error)
    }
}

fn kind_of(error: &BrowserError) -> ErrorKind {
    use BrowserError as B;
    match error {
        B::ExecutableNotFound { .. } | B::Launch { .. } | B::Profile { .. } | B::Discovery { .. } => {
            ErrorKind::Init
        }
        _ if error.is_own_end() => ErrorKind::Closed,
        B::ConnectionClosed { .. } => ErrorKind::CdpConnectionClosed,
        B::Protocol(_) | B::Unreadable { .. } => ErrorKind::Protocol,
        B::PageClosed | B::DialogAnswered => ErrorKind::Closed,
        B::ConnectTimeout { .. } => ErrorKind::ConnectionTimeout,
        B::PageCrashed | B::FrameGone => ErrorKind::DomProcess,
        B::Snapshot { .. } => ErrorKind::Snapshot,
        B::NewPageTimeout { .. } | B::NavigationTimeout { .. } | B::Timeout { .. } => ErrorKind::Timeout,
        B::ResponseBody { .. } => ErrorKind::ResponseBody,
        B::ResponseParse { .. } => ErrorKind::ResponseParse,
        B::CookieValidation { .. } => ErrorKind::CookieValidation,
        B::CookieSet { .. } => ErrorKind::CookieSet,
        B::Download { .. } => ErrorKind::Download,
        B::Clipboard { .. } => ErrorKind::UnsupportedBrowserFeature,
        B::InvalidUrl { .. } | B::InvalidSelector { .. } => ErrorKind::InvalidArgument,
        B::Navigation { .. }
        | B::NavigationSuperseded { .. }
        | B::NotAPage { .. }
        | B::ForbiddenAddress { .. }
        | B::ProxyAuthentication { .. } => ErrorKind::Navigation,
        B::Evaluation { .. } => ErrorKind::Eval,
        B::PageChanged { .. } | B::ElementNotFound { .. } | B::ElementGone { .. } => {
            ErrorKind::ElementNotFound
        }
        B::NotActionable { obstacle, .. } => match obstacle.kind {
            ObstacleKind::Hidden => ErrorKind::ElementNotVisible,
            ObstacleKind::Covered => ErrorKind::Click,
            _ => ErrorKind::Locator,
        },
        // What broke it off was the end of the browser or page, which nothing can be done about.
        B::Interrupted { source, .. }
            if matches!(
                **source,
                B::ConnectionClosed { .. } | B::PageClosed | B::PageCrashed
            ) =>
        {
            kind_of(source)
        }
        B::NoEffect { action: "click", .. } | B::Interrupted { action: "click", .. } => ErrorKind::Click,
        B::NoEffect { .. } | B::Interrupted { .. } | B::KeptBack { .. } | B::OptionNotFound { .. } => {
            ErrorKind::Locator
        }
        B::InvalidArgument { .. }
        | B::InvalidDomain { .. }
        | B::InvalidHeader { .. }
        | B::ScriptFile { .. }
        | B::Files { .. }
        | B::Write { .. }
        | B::UnknownKey { .. }
        | B::Unsuitable { .. }
        | B::UnreadableFile { .. }
        | B::FileTooLarge { .. } => ErrorKind::InvalidArgument,
        B::NotAnswering { .. } => ErrorKind::Timeout,
        B::SelectorTimeout { .. } => ErrorKind::Eval,
        B::XPathNotFound { .. } => ErrorKind::XPathResolution,
        B::NotAFrame { .. } => ErrorKind::Iframe,
        B::FrameWithoutDocument { .. } => ErrorKind::ContentFrameNotFound,
        B::NoShadowRoot { .. } => ErrorKind::ShadowRootMissing,
        _ => ErrorKind::Protocol,
    }
}

/// What led to the element that it is about.
fn selector_of(error: &BrowserError) -> Option<&str> {
    use BrowserError as B;
    match error {
        B::InvalidSelector { selector, .. }
        | B::NotActionable { selector, .. }
        | B::NoEffect { selector, .. }
        | B::Interrupted { selector, .. }
        | B::Unsuitable { selector, .. }
        | B::OptionNotFound { selector, .. }
        | B::ElementGone { selector }
        | B::NotAnswering { selector, .. }
        | B::SelectorTimeout { selector, .. }
        | B::ElementNotFound { selector }
        | B::XPathNotFound { selector }
        | B::NotAFrame { selector, .. }
        | B::FrameWithoutDocument { selector, .. }
        | B::NoShadowRoot { selector, .. } => Some(selector),
        _ => None,
    }
}

/// The browser's own words, with times as people read them.
fn message_of(error: &BrowserError) -> String {
    match error {
        _ if error.is_own_end() => "the session was closed".to_owned(),
        BrowserError::NewPageTimeout { limit } => {
            format!("the new page did not open within {}", time_text(*limit))
        }
        BrowserError::NavigationTimeout {
            url,
            wait_until,
            limit,
        } => format!("{url} did not reach `{wait_until}` within {}", time_text(*limit)),
        BrowserError::Timeout { operation, limit } => {
            format!("the {operation} did not end within {}", time_text(*limit))
        }
        other => other.to_string(),
    }
}
