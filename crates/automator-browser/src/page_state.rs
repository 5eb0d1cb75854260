//! What is known of one page. Filled by the router from events, read by everybody else under a short lock.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use automator_cdp::Session;
use automator_snapshot::IdTable;
use tokio::sync::watch;

use crate::event::Listeners;
use crate::frame_table::{FrameRecord, FrameTable, SessionId};
use crate::network::NetworkActivity;
use crate::page_setup::{Told, Wishes};
use crate::response::{Arrival, ResponseHead};

/// How many main documents are remembered: enough for any chain of redirects by script.
const DOCUMENTS: usize = 16;

/// A page, shared by its handles and the router.
#[derive(Debug)]
pub(crate) struct PageShared {
    pub(crate) target_id: String,
    /// The session of the page itself; frames in other processes have their own.
    pub(crate) session: Session,
    pub(crate) session_id: SessionId,
    pub(crate) opener: Option<String>,
    state: Mutex<PageState>,
    /// Ids given to elements in snapshots of the page so far.
    ids: Mutex<IdTable>,
    /// Held by the one operation that may send input at present; the others wait in the order of their coming.
    input_queue: tokio::sync::Mutex<()>,
    /// Held while a picture is taken, for which the page may have been changed.
    camera: tokio::sync::Mutex<()>,
    /// Counts the changes that somebody may wait for.
    changes: watch::Sender<u64>,
}

/// The part of a page that changes.
#[derive(Debug)]
pub(crate) struct PageState {
    pub(crate) life: Life,
    pub(crate) attaching: Attaching,
    pub(crate) frames: FrameTable,
    /// Sessions by id, that of the page included.
    pub(crate) sessions: HashMap<SessionId, Session>,
    pub(crate) title: String,
    pub(crate) network: NetworkActivity,
    documents: VecDeque<MainDocument>,
    /// The loader of the navigation that began last, whoever asked for it.
    pub(crate) started_loader: String,
    /// The loader of the navigation that the last crash put an end to; what is still told of it comes late.
    pub(crate) crashed_loader: Option<String>,
    /// Counts the changes of the main frame's address or document.
    pub(crate) moves: u64,
    /// Counts the dialogs that have been closed, by whomever.
    pub(crate) closed_dialogs: u64,
    /// What `set_viewport_size` was told last.
    pub(crate) device_scale_factor: Option<f64>,
    /// Counts our own navigations.
    pub(crate) navigations: u64,
    /// How often frames had set out for somewhere when our last turn to send input began.
    pub(crate) departures_before_input: u64,
    /// When input of ours last went to the page.
    pub(crate) last_input: Option<Instant>,
    /// Until when a page that this one has said to open counts as opened by our input, however late it comes.
    pub(crate) opens_by_input_until: Option<Instant>,
    /// What the user wants of this page alone, and what each of its sessions has been told of all wishes.
    pub(crate) wishes: Wishes,
    pub(crate) told: HashMap<SessionId, Told>,
    pub(crate) listeners: Listeners,
    /// The contexts that the page's own scripts run in, by session and frame; known while the console is listened to.
    pub(crate) main_contexts: HashMap<(SessionId, String), i64>,
}

/// Whether the page can be worked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    Open,
    Crashed,
    Closed,
}

/// How far attaching to the page has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attaching {
    Pending,
    Done,
}

/// How far a document of the main frame has come.
#[derive(Debug, Default)]
pub(crate) struct MainDocument {
    pub(crate) loader_id: String,
    pub(crate) is_committed: bool,
    pub(crate) is_parsed: bool,
    pub(crate) is_loaded: bool,
    pub(crate) response: Option<Arc<ResponseHead>>,
    pub(crate) arrival: Arc<watch::Sender<Arrival>>,
    /// The address that could not be loaded, when this is the browser's page that says so.
    pub(crate) failed_url: Option<String>,
}

impl MainDocument {
    /// The browser's name for what kept the document from being loaded.
    pub(crate) fn failure(&self) -> Option<String> {
        self.failed_url.as_ref()?;
        let end = self.arrival.borrow().end.clone();
        Some(
            end.and_then(Result::err)
                .unwrap_or_else(|| "net::ERR_FAILED".to_owned()),
        )
    }
}

impl PageShared {
    pub(crate) fn new(
        target_id: &str,
        session: Session,
        session_id: SessionId,
        opener: Option<String>,
    ) -> Self {
        let frames = FrameTable::new(target_id, &session_id);
        Self {
            target_id: target_id.to_owned(),
            opener,
            state: Mutex::new(PageState::new(
                frames,
                HashMap::from([(Arc::clone(&session_id), session.clone())]),
            )),
            ids: Mutex::default(),
            input_queue: tokio::sync::Mutex::default(),
            camera: tokio::sync::Mutex::default(),
            session,
            session_id,
            changes: watch::Sender::new(0),
        }
    }

    /// The ids given so far. Held while a snapshot is read, which waits for nothing.
    pub(crate) fn ids(&self) -> MutexGuard<'_, IdTable> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn camera(&self) -> &tokio::sync::Mutex<()> {
        &self.camera
    }

    pub(crate) fn input_queue(&self) -> &tokio::sync::Mutex<()> {
        &self.input_queue
    }

    /// Reads or changes the state. Nothing may wait inside, and nobody is told.
    pub(crate) fn state(&self) -> MutexGuard<'_, PageState> {
        // No code panics while it holds the lock; if one ever did, the state would still be whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes everybody who waits for a change.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut PageState) -> T) -> T {
        let result = change(&mut self.state());
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        result
    }

    /// Notes something about a frame's document, unless the frame has another one by now.
    pub(crate) fn remember(&self, frame_id: &str, document: u64, note: impl FnOnce(&mut FrameRecord)) {
        let mut state = self.state();
        if let Some(record) = state
            .frames
            .get_mut(frame_id)
            .filter(|record| record.document == document)
        {
            note(record);
        }
    }

    /// Waits until the main frame is not like this any more; ends also when the page closes or crashes.
    pub(crate) async fn main_is_no_longer(&self, is_still: impl Fn(&FrameRecord) -> bool) {
        self.frames_are_no_longer(|frames| frames.main_record().is_some_and(&is_still))
            .await;
    }

    /// Waits until the frames are not like this any more; ends also when the page closes or crashes.
    pub(crate) async fn frames_are_no_longer(&self, are_still: impl Fn(&FrameTable) -> bool) {
        self.wait_for(|state| (state.life != Life::Open || !are_still(&state.frames)).then_some(()))
            .await;
    }

    /// Waits until `look` finds something; it is asked again after every change.
    pub(crate) async fn wait_for<T>(&self, mut look: impl FnMut(&PageState) -> Option<T>) -> T {
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            if let Some(found) = look(&self.state()) {
                return found;
            }
            if changes.changed().await.is_err() {
                // The sender lives in `self`, so this cannot happen; never wake up then.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl PageState {
    fn new(frames: FrameTable, sessions: HashMap<SessionId, Session>) -> Self {
        Self {
            life: Life::Open,
            attaching: Attaching::Pending,
            frames,
            sessions,
            title: String::new(),
            network: NetworkActivity::new(Instant::now()),
            documents: VecDeque::new(),
            started_loader: String::new(),
            crashed_loader: None,
            moves: 0,
            closed_dialogs: 0,
            device_scale_factor: None,
            navigations: 0,
            departures_before_input: 0,
            last_input: None,
            opens_by_input_until: None,
            wishes: Wishes::default(),
            told: HashMap::new(),
            listeners: Listeners::default(),
            main_contexts: HashMap::new(),
        }
    }

    /// The page's process has crashed, and what was being loaded has gone with it.
    pub(crate) fn crashed(&mut self) {
        self.life = Life::Crashed;
        self.crashed_loader = Some(self.started_loader.clone());
    }

    /// A document has come to the main frame. The browser may tell of one only after the crash that it led to.
    pub(crate) fn main_committed(&mut self, loader_id: &str) {
        if self.crashed_loader.as_deref() != Some(loader_id) {
            self.life = Life::Open;
        }
        self.moves += 1;
        self.end_other_documents(loader_id);
        self.document(loader_id).is_committed = true;
    }

    /// The document with this loader, remembered from now on.
    pub(crate) fn document(&mut self, loader_id: &str) -> &mut MainDocument {
        let known = self
            .documents
            .iter()
            .position(|document| document.loader_id == loader_id);
        let index = known.unwrap_or_else(|| {
            if self.documents.len() == DOCUMENTS {
                self.documents.pop_front();
            }
            self.documents.push_back(MainDocument {
                loader_id: loader_id.to_owned(),
                ..MainDocument::default()
            });
            self.documents.len() - 1
        });
        &mut self.documents[index]
    }

    pub(crate) fn known_document(&self, loader_id: &str) -> Option<&MainDocument> {
        self.documents
            .iter()
            .find(|document| document.loader_id == loader_id)
    }

    /// The document that the main frame has now, if anything is known of it.
    pub(crate) fn current_document(&self) -> Option<&MainDocument> {
        self.known_document(self.main_loader())
    }

    /// The main frame has this document now: nobody will tell how earlier ones end.
    fn end_other_documents(&self, loader_id: &str) {
        let others = self.documents.iter();
        for document in others.filter(|document| document.loader_id != loader_id && document.is_committed) {
            document.arrival.send_if_modified(|arrival| {
                let is_open = arrival.end.is_none();
                if is_open {
                    arrival.end = Some(Err("the page has gone elsewhere".to_owned()));
                }
                is_open
            });
        }
    }

    /// Takes what the browser says about the page as a whole. The frame itself knows its address better, unless
    /// it has not said anything yet, as when the page hangs.
    pub(crate) fn describe(&mut self, title: String, url: &str) {
        self.title = title;
        let main = self.frames.main().to_owned();
        if let Some(record) = self
            .frames
            .get_mut(&main)
            .filter(|record| record.loader_id.is_empty())
        {
            url.clone_into(&mut record.url);
        }
    }

    /// Whether the main frame is on its way to another document.
    pub(crate) fn is_leaving(&self) -> bool {
        self.frames.main_record().is_some_and(|record| record.is_leaving)
    }

    /// The loader of the main frame's present document; empty when the browser has not named it.
    pub(crate) fn main_loader(&self) -> &str {
        self.frames
            .main_record()
            .map_or("", |record| record.loader_id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_told_after_the_crash_that_it_led_to_does_not_bring_the_page_back() {
        let frames = FrameTable::new("main", &SessionId::from("page"));
        let mut state = PageState::new(frames, HashMap::new());
        state.started_loader = "fatal".to_owned();
        state.crashed();
        state.main_committed("fatal");
        assert_eq!(state.life, Life::Crashed);
        state.started_loader = "next".to_owned();
        state.main_committed("next");
        assert_eq!(state.life, Life::Open);
    }
}
