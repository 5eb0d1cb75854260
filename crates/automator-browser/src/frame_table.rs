//! Which frames a page has, and which session each belongs to; pure.
//!
//! The browser tells of one frame on several sessions: when a frame moves to another process, the new session
//! speaks of it before the old one says that it has left. So a frame has one owner at a time, the session that
//! claimed it last, and what other sessions say about its end is ignored.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use automator_cdp::protocol::page::{Frame as FrameInfo, FrameTree};

/// The id of a DevTools session.
pub(crate) type SessionId = Arc<str>;

/// A frame as it stands in the table.
#[derive(Debug, Clone)]
pub(crate) struct FrameRecord {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) session: SessionId,
    /// Changes with every document; empty until the browser has named one.
    pub(crate) loader_id: String,
    pub(crate) url: String,
    pub(crate) name: String,
    /// Counts the documents that the table has seen in this frame, so that an answer about an earlier one is
    /// not taken for the present one.
    pub(crate) document: u64,
    pub(crate) worlds: Worlds,
    /// When the frame began to load what it has not loaded completely.
    loading_since: Option<Instant>,
    /// The loader of the last document that has been read to its end.
    parsed_loader: String,
    /// The loader of a navigation that has begun and not brought its document yet.
    next_loader: Option<String>,
    /// Whether a navigation has begun that has neither brought its document nor been given up.
    pub(crate) is_leaving: bool,
    /// Whether its document has asked for a navigation that has not begun yet.
    sets_out: bool,
    /// Whether we have sent it to an address, and do not know yet that it has set out. Until then it may still tell of the
    /// document that it leaves.
    is_sent: bool,
    /// The number of its last departure among those of all frames; 0 when it has never set out.
    departure: u64,
    /// The loader that the frame came to its session for: there it begins with an empty document.
    awaited_loader: Option<String>,
}

impl FrameRecord {
    /// Since when the frame's content has been on its way; none when it is there, or nothing is on its way. What
    /// a document needs besides its own text, such as images, does not count, and neither does a document that
    /// will replace one that is there.
    pub(crate) fn coming_since(&self) -> Option<Instant> {
        self.loading_since.filter(|_| !self.is_parsed())
    }

    /// Whether it is on its way to a document.
    pub(crate) fn is_under_way(&self) -> bool {
        self.is_leaving || self.coming_since().is_some()
    }

    /// Whether it has asked for a navigation, or been sent somewhere, without having that document.
    pub(crate) fn goes_elsewhere(&self) -> bool {
        self.sets_out || self.is_leaving || self.is_sent
    }

    /// Whether it is empty, and on its way to an address that it was opened with.
    pub(crate) fn awaits_first_document(&self) -> bool {
        self.is_empty() && self.goes_elsewhere()
    }

    fn is_empty(&self) -> bool {
        matches!(self.url.as_str(), "" | "about:blank")
    }

    /// Whether it has set out since the table counted so many departures.
    pub(crate) fn has_set_out_since(&self, departures: u64) -> bool {
        self.departure > departures
    }

    fn is_parsed(&self) -> bool {
        let awaited = self.awaited_loader.as_ref();
        !self.loader_id.is_empty()
            && self.parsed_loader == self.loader_id
            && awaited.is_none_or(|awaited| *awaited == self.loader_id)
    }
}

/// What is known of the places where scripts run in a frame's document. Gone with the document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Worlds {
    /// Our own world, and the page library in it.
    pub(crate) isolated: Option<i64>,
    pub(crate) library: Option<String>,
    /// The global object of the page's world.
    pub(crate) global: Option<String>,
    /// The page's world; only looked up for frames that are not the root of their session.
    pub(crate) main: Option<i64>,
}

/// All frames of a page.
#[derive(Debug)]
pub(crate) struct FrameTable {
    main: String,
    /// In the order in which they came.
    order: Vec<String>,
    frames: HashMap<String, FrameRecord>,
    documents: u64,
    /// Counts how often a frame has set out for somewhere.
    departures: u64,
    /// Sessions whose frame tree is still to come, each with the frames that ended meanwhile: the tree may
    /// still name those.
    waiting: HashMap<SessionId, HashSet<String>>,
}

impl FrameTable {
    /// The table of a page whose main frame has this id and session.
    pub(crate) fn new(main: &str, session: &SessionId) -> Self {
        let mut table = Self {
            main: main.to_owned(),
            order: Vec::new(),
            frames: HashMap::new(),
            documents: 0,
            departures: 0,
            waiting: HashMap::new(),
        };
        table.claim(session, main, None);
        table
    }

    pub(crate) fn main(&self) -> &str {
        &self.main
    }

    /// The record of the main frame, which is there as long as its page.
    pub(crate) fn main_record(&self) -> Option<&FrameRecord> {
        self.frames.get(&self.main)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&FrameRecord> {
        self.frames.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut FrameRecord> {
        self.frames.get_mut(id)
    }

    /// All frames, the main one first, the others in the order in which they came.
    pub(crate) fn all(&self) -> impl Iterator<Item = &FrameRecord> {
        self.order.iter().filter_map(|id| self.frames.get(id))
    }

    /// A session has been attached for this frame, whose parent is a frame of another session.
    pub(crate) fn session_attached(
        &mut self,
        session: &SessionId,
        frame: &str,
        parent: Option<&str>,
        now: Instant,
    ) {
        let record = self.claim(session, frame, parent);
        record.loading_since = Some(record.coming_since().unwrap_or(now));
        record.awaited_loader = record.next_loader.take();
    }

    /// The frame tree of the session is being asked for.
    pub(crate) fn expect_tree(&mut self, session: &SessionId) {
        self.waiting.insert(Arc::clone(session), HashSet::new());
    }

    /// The frame tree that was asked for has come. What events have said meanwhile counts more.
    ///
    /// The document of the page itself counts as on its way from `now` on, until the browser says that it has been
    /// read: it says so at once of one that was read before.
    pub(crate) fn apply_tree(&mut self, session: &SessionId, tree: &FrameTree, now: Instant) {
        let ended = self.waiting.remove(session).unwrap_or_default();
        let mut open = vec![tree];
        while let Some(tree) = open.pop() {
            let info = &tree.frame;
            if ended.contains(&info.id) {
                continue;
            }
            let known = self.frames.get(&info.id);
            if known.is_some_and(|known| known.session != *session && !known.loader_id.is_empty()) {
                continue;
            }
            if known.is_none_or(|known| known.loader_id.is_empty()) {
                let is_main = info.id == self.main;
                let record = self.claim(session, &info.id, info.parent_id.as_deref());
                fill(record, info);
                if is_main && !record.is_empty() {
                    record.loading_since.get_or_insert(now);
                }
            }
            open.extend(tree.child_frames.iter().rev());
        }
    }

    /// A frame element has been inserted.
    pub(crate) fn attached(&mut self, session: &SessionId, frame: &str, parent: &str) {
        self.claim(session, frame, Some(parent));
    }

    /// A frame's document has asked for a navigation. The browser begins it, unless it is one within the document,
    /// somebody stops it, or it may not be.
    pub(crate) fn set_out(&mut self, session: &SessionId, frame: &str) {
        let departure = self.departures + 1;
        if let Some(record) = self.of_session(session, frame) {
            record.sets_out = true;
            record.departure = departure;
            self.departures = departure;
        }
    }

    /// What a frame's document has asked for has begun, or comes to nothing.
    pub(crate) fn set_out_no_more(&mut self, session: &SessionId, frame: &str) {
        if let Some(record) = self.of_session(session, frame) {
            record.sets_out = false;
        }
    }

    /// We send a frame to an address.
    pub(crate) fn send(&mut self, session: &SessionId, frame: &str) {
        self.set_out(session, frame);
        if let Some(record) = self.of_session(session, frame) {
            record.is_sent = true;
        }
    }

    /// All that the browser has told of a frame's setting out is known, or it comes to nothing.
    pub(crate) fn sent(&mut self, session: &SessionId, frame: &str) {
        self.set_out_no_more(session, frame);
        if let Some(record) = self.of_session(session, frame) {
            record.is_sent = false;
        }
    }

    /// A frame has been sent to another document.
    pub(crate) fn started_navigating(&mut self, session: &SessionId, frame: &str, loader_id: &str) {
        let departure = self.departures + 1;
        if let Some(record) = self.of_session(session, frame) {
            record.next_loader = Some(loader_id.to_owned());
            record.is_leaving = true;
            record.sets_out = false;
            record.departure = departure;
            self.departures = departure;
        }
    }

    /// How often frames have set out so far.
    pub(crate) fn departures(&self) -> u64 {
        self.departures
    }

    /// Whether a frame that has set out since then has asked for a navigation that has not begun.
    pub(crate) fn any_sets_out_since(&self, departures: u64) -> bool {
        self.frames
            .values()
            .any(|record| record.has_set_out_since(departures) && record.sets_out)
    }

    /// Whether a frame that has set out since then is on its way to a document.
    pub(crate) fn any_is_under_way_since(&self, departures: u64) -> bool {
        self.frames
            .values()
            .any(|record| record.has_set_out_since(departures) && record.is_under_way())
    }

    /// A frame begins to load something.
    pub(crate) fn started_loading(&mut self, session: &SessionId, frame: &str, now: Instant) {
        if let Some(record) = self
            .of_session(session, frame)
            .filter(|record| !record.is_parsed())
        {
            record.loading_since.get_or_insert(now);
        }
    }

    /// A frame has all that it was loading, or has given up.
    pub(crate) fn stopped_loading(&mut self, session: &SessionId, frame: &str) {
        if let Some(record) = self.of_session(session, frame) {
            record.loading_since = None;
            record.is_leaving = false;
            record.sets_out = false;
        }
    }

    /// A document has been read to its end. The frame may still be without that document: its frame tree is on
    /// the way.
    pub(crate) fn parsed(&mut self, frame: &str, loader_id: &str) {
        if let Some(record) = self.frames.get_mut(frame) {
            loader_id.clone_into(&mut record.parsed_loader);
        }
    }

    /// A frame has a new document; the frames in its old one are gone.
    pub(crate) fn navigated(&mut self, session: &SessionId, info: &FrameInfo, now: Instant) {
        self.remove_children(&info.id);
        self.documents += 1;
        let document = self.documents;
        let record = self.claim(session, &info.id, info.parent_id.as_deref());
        record.document = document;
        record.worlds = Worlds::default();
        record.loading_since = Some(record.coming_since().unwrap_or(now));
        record.next_loader = None;
        record.is_leaving = false;
        record.sets_out = false;
        record.awaited_loader = None;
        fill(record, info);
    }

    /// The address has changed without a new document.
    pub(crate) fn navigated_within_document(&mut self, session: &SessionId, frame: &str, url: &str) {
        if let Some(record) = self.of_session(session, frame) {
            url.clone_into(&mut record.url);
            record.sets_out = false;
        }
    }

    /// The session says that the frame has left. It may have moved to another session, which then owns it.
    pub(crate) fn detached(&mut self, session: &SessionId, frame: &str, is_swap: bool) {
        let owner = self.frames.get(frame).map(|record| Arc::clone(&record.session));
        if is_swap && owner.as_ref() != Some(session) {
            return;
        }
        self.remove(frame);
    }

    /// The session has ended, and with it the frames that it still owns.
    pub(crate) fn session_detached(&mut self, session: &SessionId) {
        self.waiting.remove(session);
        let owned: Vec<String> = self
            .all()
            .filter(|record| record.session == *session)
            .map(|record| record.id.clone())
            .collect();
        for frame in owned {
            self.remove(&frame);
        }
    }

    fn of_session(&mut self, session: &SessionId, frame: &str) -> Option<&mut FrameRecord> {
        let record = self.frames.get_mut(frame);
        record.filter(|record| record.session == *session)
    }

    /// Makes the session the owner of the frame.
    fn claim(&mut self, session: &SessionId, frame: &str, parent: Option<&str>) -> &mut FrameRecord {
        for ended in self.waiting.values_mut() {
            ended.remove(frame);
        }
        if !self.frames.contains_key(frame) {
            self.order.push(frame.to_owned());
            self.documents += 1;
        }
        let document = self.documents;
        // Nothing that the browser says may close a circle.
        let parent = parent.filter(|parent| frame != self.main && !self.is_within(parent, frame));
        let record = self
            .frames
            .entry(frame.to_owned())
            .or_insert_with(|| FrameRecord {
                id: frame.to_owned(),
                parent: None,
                session: Arc::clone(session),
                loader_id: String::new(),
                url: String::new(),
                name: String::new(),
                document,
                worlds: Worlds::default(),
                loading_since: None,
                is_leaving: false,
                sets_out: false,
                is_sent: false,
                departure: 0,
                parsed_loader: String::new(),
                next_loader: None,
                awaited_loader: None,
            });
        if let Some(parent) = parent {
            record.parent = Some(parent.to_owned());
        }
        if record.session != *session {
            record.session = Arc::clone(session);
            record.sets_out = false;
            record.loader_id.clear();
            record.worlds = Worlds::default();
        }
        record
    }

    /// Whether `inner` is `outer` or somewhere below it.
    fn is_within(&self, inner: &str, outer: &str) -> bool {
        let mut current = Some(inner);
        while let Some(frame) = current {
            if frame == outer {
                return true;
            }
            current = self.frames.get(frame).and_then(|record| record.parent.as_deref());
        }
        false
    }

    fn remove_children(&mut self, frame: &str) {
        let children: Vec<String> = self
            .all()
            .filter(|record| record.parent.as_deref() == Some(frame))
            .map(|record| record.id.clone())
            .collect();
        for child in children {
            self.remove(&child);
        }
    }

    /// Removes a frame with all below it. The main frame stays: it goes only with its page.
    fn remove(&mut self, frame: &str) {
        let mut open = vec![frame.to_owned()];
        while let Some(frame) = open.pop() {
            let children = self
                .frames
                .values()
                .filter(|record| record.parent.as_ref() == Some(&frame));
            open.extend(children.map(|record| record.id.clone()));
            for ended in self.waiting.values_mut() {
                ended.insert(frame.clone());
            }
            if frame != self.main && self.frames.remove(&frame).is_some() {
                self.order.retain(|id| *id != frame);
            }
        }
    }
}

fn fill(record: &mut FrameRecord, info: &FrameInfo) {
    info.loader_id.clone_into(&mut record.loader_id);
    record.url = format!("{}{}", info.url, info.url_fragment.as_deref().unwrap_or_default());
    record.name = info.name.clone().unwrap_or_default();
}

#[cfg(test)]
mod tests;
