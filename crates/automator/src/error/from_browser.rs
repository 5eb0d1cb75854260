//! What the browser crate failed with, as the public error.

use automator_browser::{BrowserError, ObstacleKind};

use crate::time_text::time_text;
use crate::{Error, ErrorKind};

impl From<BrowserError> for Error {
    fn from(error: BrowserError) -> Self {
        use BrowserError as B;
        let kind = match &error {
            B::ExecutableNotFound { .. } | B::Launch { .. } | B::Profile { .. } | B::Discovery { .. } => {
                ErrorKind::Init
            }
            B::ConnectionClosed { .. } => ErrorKind::CdpConnectionClosed,
            B::Protocol(_) | B::Unreadable { .. } => ErrorKind::Protocol,
            B::PageClosed => ErrorKind::Closed,
            B::PageCrashed | B::FrameGone | B::Snapshot { .. } => ErrorKind::DomProcess,
            B::NewPageTimeout { .. } | B::NavigationTimeout { .. } => ErrorKind::Timeout,
            B::InvalidUrl { .. } | B::InvalidSelector { .. } => ErrorKind::InvalidArgument,
            B::Navigation { .. }
            | B::NavigationSuperseded { .. }
            | B::NotAPage { .. }
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
            B::NoEffect { action: "click", .. } | B::Interrupted { action: "click", .. } => ErrorKind::Click,
            B::NoEffect { .. } | B::Interrupted { .. } | B::OptionNotFound { .. } => ErrorKind::Locator,
            B::InvalidArgument { .. }
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
        };
        let selector = match &error {
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
            | B::NoShadowRoot { selector, .. } => Some(selector.clone()),
            _ => None,
        };
        let made = Error::new(kind, message_of(&error));
        let made = match selector {
            Some(selector) => made.with("selector", selector),
            None => made,
        };
        made.caused_by(error)
    }
}

/// The browser's own words, with times as people read them.
fn message_of(error: &BrowserError) -> String {
    match error {
        BrowserError::NewPageTimeout { limit } => {
            format!("the new page did not open within {}", time_text(*limit))
        }
        BrowserError::NavigationTimeout {
            url,
            wait_until,
            limit,
        } => format!("{url} did not reach `{wait_until}` within {}", time_text(*limit)),
        other => other.to_string(),
    }
}
