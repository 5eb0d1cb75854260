//! Which requests of a page are under way; pure.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use crate::frame_table::SessionId;

/// Connections that stay open by their nature, and say nothing about whether a page is ready.
const NEVER_COUNTED: [&str; 3] = ["EventSource", "Ping", "WebSocket"];

/// What brings a page forward; pictures, styles and reports do not.
const CONTENT: [&str; 4] = ["Document", "Fetch", "Script", "XHR"];

/// What the scripts of a document are, and what they ask for.
const FOR_SCRIPTS: [&str; 3] = ["Fetch", "Script", "XHR"];

/// For how long an open request counts as a sign that the page is about to change.
const HOPE: Duration = Duration::from_secs(2);

/// How many addresses of one document are remembered. One that makes more does not come to rest by itself.
const ADDRESSES: usize = 5_000;

/// The requests of all sessions of one page.
#[derive(Debug)]
pub(crate) struct NetworkActivity {
    open: HashMap<(SessionId, String), OpenRequest>,
    quiet_since: Instant,
    /// Until when requests that are no longer open counted, and those among them that brought content.
    restless_until: Instant,
    loading_until: Instant,
    /// Addresses that the present document has asked for, by their hash.
    asked: HashSet<u64>,
}

#[derive(Debug)]
struct OpenRequest {
    loader_id: String,
    /// Until when it counts, if it stays open.
    hope_ends: Instant,
    /// Whether it is for content, from an address that the document has not asked before.
    is_new: bool,
    /// Whether it is for a script, or by one.
    is_for_script: bool,
}

/// A request as it begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRequest<'a> {
    pub(crate) id: &'a str,
    pub(crate) loader: &'a str,
    pub(crate) kind: Option<&'a str>,
    pub(crate) url: &'a str,
}

impl NetworkActivity {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            open: HashMap::new(),
            quiet_since: now,
            restless_until: now,
            loading_until: now,
            asked: HashSet::new(),
        }
    }

    /// A request has begun, or been sent elsewhere by its answer.
    pub(crate) fn started(&mut self, session: &SessionId, request: NewRequest<'_>, now: Instant) {
        if request.kind.is_some_and(|kind| NEVER_COUNTED.contains(&kind)) {
            return;
        }
        let address = pattern_of(request.url);
        let is_first = self.asked.len() < ADDRESSES && self.asked.insert(address);
        let is_content = request.kind.is_some_and(|kind| CONTENT.contains(&kind));
        let key = (SessionId::clone(session), request.id.to_owned());
        self.open.entry(key).or_insert_with(|| OpenRequest {
            loader_id: request.loader.to_owned(),
            hope_ends: now + HOPE,
            is_new: is_first && is_content,
            is_for_script: request.kind.is_some_and(|kind| FOR_SCRIPTS.contains(&kind)),
        });
    }

    pub(crate) fn finished(&mut self, session: &SessionId, request: &str, now: Instant) {
        let key = (SessionId::clone(session), request.to_owned());
        let ended = self.open.remove(&key).or_else(|| self.take_document(request));
        if let Some(request) = ended {
            self.ended(&request, now);
        }
    }

    /// The request for a document, which is numbered as its loader. That of a frame of another site begins in the
    /// session of the page around it, and ends, under the same number, in the one that the frame has got with it.
    fn take_document(&mut self, id: &str) -> Option<OpenRequest> {
        let is_it = |(_, open): &(SessionId, String), request: &mut OpenRequest| {
            open == id && request.loader_id == id
        };
        self.open.extract_if(is_it).next().map(|(_, request)| request)
    }

    fn ended(&mut self, request: &OpenRequest, now: Instant) {
        let counted_until = request.hope_ends.min(now);
        self.restless_until = self.restless_until.max(counted_until);
        if request.is_new {
            self.loading_until = self.loading_until.max(counted_until);
        }
        if self.open.is_empty() {
            self.quiet_since = now;
        }
    }

    /// When the last request ceased, or will cease, to be a sign that the page is about to change. One that stays
    /// open for 2 s is none any more. More requests, or the end of those that are open, change it.
    pub(crate) fn restless_until(&self) -> Instant {
        let open = self.open.values().map(|request| request.hope_ends);
        open.fold(self.restless_until, Instant::max)
    }

    /// As [`restless_until`](Self::restless_until), but only of requests for content from addresses that the
    /// document had not asked before: a page that keeps asking the same is not loading.
    pub(crate) fn loading_until(&self) -> Instant {
        let new = self.open.values().filter(|request| request.is_new);
        new.map(|request| request.hope_ends)
            .fold(self.loading_until, Instant::max)
    }

    /// Whether a document waits for a script of its own, or one of them for data. A request that has been open for
    /// 2 s is waited for no more.
    pub(crate) fn has_scripts_waiting(&self, loader: &str, now: Instant) -> bool {
        self.open
            .values()
            .any(|request| request.is_for_script && request.loader_id == loader && now < request.hope_ends)
    }

    /// The kind of a request has turned out to be one that is never counted.
    pub(crate) fn has_kind(&mut self, session: &SessionId, request: &str, kind: &str, now: Instant) {
        if NEVER_COUNTED.contains(&kind) {
            self.finished(session, request, now);
        }
    }

    /// The main frame has a new document: nobody will tell how the requests of the old one end.
    pub(crate) fn document_changed(&mut self, loader: &str, now: Instant) {
        self.asked.clear();
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
        let gone: Vec<OpenRequest> = self
            .open
            .extract_if(|key, request| !keep(key, request))
            .map(|(_, request)| request)
            .collect();
        for request in gone {
            self.ended(&request, now);
        }
    }
}

/// An address without its query, and with anything in it that counts or names one thing of many left out.
fn pattern_of(url: &str) -> u64 {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let mut hasher = DefaultHasher::new();
    for segment in path.split('/') {
        if segment.contains(|character: char| character.is_ascii_digit()) {
            '*'.hash(&mut hasher);
        } else {
            segment.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    fn request<'a>(id: &'a str, loader: &'a str, kind: Option<&'a str>) -> NewRequest<'a> {
        let url = "http://a.test/";
        NewRequest {
            id,
            loader,
            kind,
            url,
        }
    }

    #[test]
    fn quiet_time_counts_from_the_end_of_the_last_request() {
        let (start, session) = (Instant::now(), SessionId::from("s"));
        let mut activity = NetworkActivity::new(start);
        assert_eq!(activity.quiet_for(at(start, 50)), Some(Duration::from_millis(50)));
        activity.started(&session, request("1", "L", Some("Document")), start);
        activity.started(&session, request("2", "L", None), start);
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
        activity.started(&session, request("1", "L", Some("EventSource")), start);
        activity.started(&session, request("2", "L", None), start);
        activity.has_kind(&session, "2", "EventSource", start);
        assert!(activity.quiet_for(start).is_some());
    }

    #[test]
    fn requests_end_with_their_document_and_their_session() {
        let (start, page, frame) = (Instant::now(), SessionId::from("p"), SessionId::from("f"));
        let mut activity = NetworkActivity::new(start);
        activity.started(&page, request("1", "old", None), start);
        activity.started(&page, request("2", "new", None), start);
        activity.started(&frame, request("3", "new", None), start);
        activity.document_changed("new", start);
        activity.finished(&page, "2", start);
        assert!(activity.quiet_for(start).is_none());
        activity.session_detached(&frame, start);
        assert!(activity.quiet_for(start).is_some());
    }

    #[test]
    fn document_of_a_frame_ends_in_the_session_that_it_brings() {
        let (start, page, frame) = (Instant::now(), SessionId::from("p"), SessionId::from("f"));
        let mut activity = NetworkActivity::new(start);
        activity.started(&page, request("D", "D", Some("Document")), start);
        activity.started(&page, request("1", "L", Some("Image")), start);
        // Only documents have numbers that are no other's in any session.
        activity.finished(&frame, "1", at(start, 50));
        activity.finished(&frame, "D", at(start, 100));
        assert_eq!(activity.open.len(), 1);
        activity.finished(&page, "1", at(start, 200));
        assert_eq!(activity.restless_until(), at(start, 200));
    }

    #[test]
    fn request_that_stays_open_counts_for_two_seconds_only() {
        let (start, session) = (Instant::now(), SessionId::from("s"));
        let mut activity = NetworkActivity::new(start);
        activity.started(&session, request("1", "L", Some("Fetch")), at(start, 100));
        assert_eq!(activity.restless_until(), at(start, 2_100));
        activity.started(&session, request("2", "L", Some("Fetch")), at(start, 200));
        activity.finished(&session, "2", at(start, 300));
        assert_eq!(activity.restless_until(), at(start, 2_100));
        activity.finished(&session, "1", at(start, 500));
        assert_eq!(activity.restless_until(), at(start, 500));
        activity.started(&session, request("3", "L", Some("Fetch")), at(start, 600));
        activity.finished(&session, "3", at(start, 60_000));
        assert_eq!(activity.restless_until(), at(start, 2_600));
    }

    #[test]
    fn scripts_of_a_document_wait_for_code_and_data_alone() {
        let (start, session) = (Instant::now(), SessionId::from("s"));
        let mut activity = NetworkActivity::new(start);
        for (id, kind) in [
            ("1", "Image"),
            ("2", "Stylesheet"),
            ("3", "Document"),
            ("4", "Other"),
        ] {
            activity.started(&session, request(id, "L", Some(kind)), start);
        }
        assert!(!activity.has_scripts_waiting("L", start));
        for (id, kind) in [("5", "Script"), ("6", "Fetch"), ("7", "XHR")] {
            activity.started(&session, request(id, "L", Some(kind)), start);
            assert!(activity.has_scripts_waiting("L", start), "{kind}");
            assert!(!activity.has_scripts_waiting("of a frame", start), "{kind}");
            assert!(!activity.has_scripts_waiting("L", at(start, 2_000)), "{kind}");
            activity.finished(&session, id, start);
            assert!(!activity.has_scripts_waiting("L", start), "{kind}");
        }
    }

    #[test]
    fn only_content_from_addresses_not_asked_before_is_loading() {
        let start = Instant::now();
        let session = SessionId::from("s");
        let mut activity = NetworkActivity::new(start);
        let ask = |activity: &mut NetworkActivity, id: &str, kind: &str, url: &str, now: Instant| {
            let kind = Some(kind);
            let loader = "L";
            activity.started(
                &session,
                NewRequest {
                    id,
                    loader,
                    kind,
                    url,
                },
                now,
            );
            activity.finished(&session, id, now);
        };
        ask(
            &mut activity,
            "1",
            "Fetch",
            "http://a.test/poll/1?x=1",
            at(start, 100),
        );
        assert_eq!(activity.loading_until(), at(start, 100));
        ask(
            &mut activity,
            "2",
            "Fetch",
            "http://a.test/poll/2?x=2",
            at(start, 200),
        );
        ask(&mut activity, "3", "Image", "http://a.test/logo", at(start, 300));
        assert_eq!(activity.loading_until(), at(start, 100));
        ask(&mut activity, "4", "XHR", "http://a.test/list", at(start, 400));
        assert_eq!(activity.loading_until(), at(start, 400));
        activity.document_changed("L", at(start, 500));
        ask(
            &mut activity,
            "5",
            "Fetch",
            "http://a.test/poll/3",
            at(start, 600),
        );
        assert_eq!(activity.loading_until(), at(start, 600));
    }
}
