//! Which requests of a page are under way; pure.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::frame_table::SessionId;

/// Connections that stay open by their nature, and say nothing about whether a page is ready.
const NEVER_COUNTED: [&str; 3] = ["EventSource", "Ping", "WebSocket"];

/// The requests of all sessions of one page.
#[derive(Debug)]
pub(crate) struct NetworkActivity {
    open: HashMap<(SessionId, String), OpenRequest>,
    quiet_since: Instant,
}

#[derive(Debug)]
struct OpenRequest {
    loader_id: String,
}

impl NetworkActivity {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            open: HashMap::new(),
            quiet_since: now,
        }
    }

    pub(crate) fn started(&mut self, session: &SessionId, request: &str, loader: &str, kind: Option<&str>) {
        if kind.is_none_or(|kind| !NEVER_COUNTED.contains(&kind)) {
            let key = (SessionId::clone(session), request.to_owned());
            self.open.insert(
                key,
                OpenRequest {
                    loader_id: loader.to_owned(),
                },
            );
        }
    }

    pub(crate) fn finished(&mut self, session: &SessionId, request: &str, now: Instant) {
        let key = (SessionId::clone(session), request.to_owned());
        if self.open.remove(&key).is_some() && self.open.is_empty() {
            self.quiet_since = now;
        }
    }

    /// The kind of a request has turned out to be one that is never counted.
    pub(crate) fn has_kind(&mut self, session: &SessionId, request: &str, kind: &str, now: Instant) {
        if NEVER_COUNTED.contains(&kind) {
            self.finished(session, request, now);
        }
    }

    /// The main frame has a new document: nobody will tell how the requests of the old one end.
    pub(crate) fn document_changed(&mut self, loader: &str, now: Instant) {
        self.retain(now, |_, request| request.loader_id == loader);
    }

    /// A session has ended with its requests.
    pub(crate) fn session_detached(&mut self, session: &SessionId, now: Instant) {
        self.retain(now, |(owner, _), _| owner != session);
    }

    /// For how long no request has been open; `None` while one is.
    pub(crate) fn quiet_for(&self, now: Instant) -> Option<Duration> {
        self.open
            .is_empty()
            .then(|| now.saturating_duration_since(self.quiet_since))
    }

    fn retain(&mut self, now: Instant, keep: impl Fn(&(SessionId, String), &OpenRequest) -> bool) {
        let before = self.open.len();
        self.open.retain(|key, request| keep(key, request));
        if before > 0 && self.open.is_empty() {
            self.quiet_since = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn quiet_time_counts_from_the_end_of_the_last_request() {
        let (start, session) = (Instant::now(), SessionId::from("s"));
        let mut activity = NetworkActivity::new(start);
        assert_eq!(activity.quiet_for(at(start, 50)), Some(Duration::from_millis(50)));
        activity.started(&session, "1", "L", Some("Document"));
        activity.started(&session, "2", "L", None);
        activity.finished(&session, "1", at(start, 100));
        assert_eq!(activity.quiet_for(at(start, 200)), None);
        activity.finished(&session, "2", at(start, 300));
        activity.finished(&session, "unknown", at(start, 350));
        assert_eq!(
            activity.quiet_for(at(start, 400)),
            Some(Duration::from_millis(100))
        );
    }

    #[test]
    fn streams_are_not_counted_also_when_they_turn_out_late() {
        let (start, session) = (Instant::now(), SessionId::from("s"));
        let mut activity = NetworkActivity::new(start);
        activity.started(&session, "1", "L", Some("EventSource"));
        activity.started(&session, "2", "L", None);
        activity.has_kind(&session, "2", "EventSource", start);
        assert!(activity.quiet_for(start).is_some());
    }

    #[test]
    fn requests_end_with_their_document_and_their_session() {
        let (start, page, frame) = (Instant::now(), SessionId::from("p"), SessionId::from("f"));
        let mut activity = NetworkActivity::new(start);
        activity.started(&page, "1", "old", None);
        activity.started(&page, "2", "new", None);
        activity.started(&frame, "3", "new", None);
        activity.document_changed("new", start);
        activity.finished(&page, "2", start);
        assert!(activity.quiet_for(start).is_none());
        activity.session_detached(&frame, start);
        assert!(activity.quiet_for(start).is_some());
    }
}
