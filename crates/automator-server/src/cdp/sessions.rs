//! The sessions that a client has with targets of its browser, by what the browser tells it.
//!
//! A client may use those alone. It is not told of targets with pages of the browser's own, so it has no session with
//! one, whatever it attaches to.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;

use super::address::is_of_the_browser;

/// How all events of this domain begin. Answers begin with their id, and what a page says is never at the beginning.
const EVENT: &str = r#"{"method":"Target."#;

/// What the client has been told of.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: Mutex<HashSet<String>>,
}

#[derive(Deserialize)]
struct Told {
    method: String,
    params: Parameters,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameters {
    session_id: Option<String>,
    target_info: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    url: String,
}

impl Sessions {
    /// Whether the client may use a session.
    pub(crate) fn has(&self, session: &str) -> bool {
        self.known().contains(session)
    }

    /// Takes in what the browser says. Gives whether the client is to hear it.
    pub(crate) fn hear(&self, text: &str) -> bool {
        if !text.starts_with(EVENT) {
            return true;
        }
        let Ok(Told { method, params }) = serde_json::from_str(text) else {
            return false;
        };
        if params
            .target_info
            .is_some_and(|target| is_of_the_browser(&target.url))
        {
            return false;
        }
        match (method.as_str(), params.session_id) {
            ("Target.attachedToTarget", Some(session)) => _ = self.known().insert(session),
            ("Target.detachedFromTarget", Some(session)) => return self.known().remove(&session),
            _ => {}
        }
        true
    }

    fn known(&self) -> MutexGuard<'_, HashSet<String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attached(session: &str, url: &str) -> String {
        format!(
            r#"{{"method":"Target.attachedToTarget","params":{{"sessionId":"{session}","targetInfo":{{"targetId":"T","type":"page","title":"","url":"{url}","attached":true}},"waitingForDebugger":false}}}}"#
        )
    }

    fn detached(session: &str) -> String {
        format!(
            r#"{{"method":"Target.detachedFromTarget","params":{{"sessionId":"{session}"}},"sessionId":"A"}}"#
        )
    }

    #[test]
    fn a_session_is_there_from_its_beginning_to_its_end() {
        let sessions = Sessions::default();
        assert!(!sessions.has("A"));
        assert!(sessions.hear(&attached("A", "https://shop.example/")) && sessions.has("A"));
        assert!(sessions.hear(&detached("A")) && !sessions.has("A"));
        assert!(!sessions.hear(&detached("A")), "it is told once");
    }

    #[test]
    fn of_pages_of_the_browser_the_client_hears_nothing() {
        let sessions = Sessions::default();
        assert!(!sessions.hear(&attached("D", "devtools://devtools/bundled/inspector.html")));
        assert!(!sessions.has("D"));
        assert!(!sessions.hear(&detached("D")));
        let changed = r#"{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T","url":"chrome://newtab/"}}}"#;
        assert!(!sessions.hear(changed));
    }

    #[test]
    fn everything_else_goes_on() {
        let sessions = Sessions::default();
        for text in [
            r#"{"id":1,"result":{"sessionId":"A"}}"#,
            r#"{"method":"Target.targetDestroyed","params":{"targetId":"T"}}"#,
            r#"{"method":"Runtime.consoleAPICalled","params":{"args":["{\"method\":\"Target.attachedToTarget\""]}}"#,
        ] {
            assert!(sessions.hear(text), "{text}");
        }
        assert!(!sessions.has("A"), "an answer alone gives no session");
        assert!(!sessions.hear(r#"{"method":"Target.attachedToTarget","params":5}"#));
    }
}
