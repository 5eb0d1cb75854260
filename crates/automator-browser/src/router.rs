//! One task per connection takes every event and keeps the tables of pages, frames and requests.
//!
//! It never waits: what needs an answer goes to a task of its own. Events of one connection are handled in the
//! order in which the browser sent them, which is what makes the tables right.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_cdp::protocol::target::{
    AttachedToTargetEvent, DetachedFromTargetEvent, TargetInfoChangedEvent,
};
use automator_cdp::protocol::{browser, emulation, fetch, log, network, page, runtime, target};
use automator_cdp::{Call, CdpError, Event, EventType, Events, Session};

use crate::browser::Inner;
use crate::dialog::{AnsweredDialog, Dialog, DialogAnswer};
use crate::event::{EventKind, Happening};
use crate::file_chooser::ChooserOpened;
use crate::frame_table::SessionId;
use crate::page_setup::listen_to_worker;
use crate::page_state::{Attaching, Life, PageShared, PageState};
use crate::world::DocumentAt;
use crate::{console, dialog, dialogs_elsewhere, open_dialog};

mod departures;
mod requests;

/// How long a page that was there before us may be silent before we suppose that a dialog blocks it.
const DIALOG_SUSPICION: Duration = Duration::from_millis(700);

/// What the browser answers to commands that a process has not read before it went away.
const CRASHED: &str = "Target crashed";

/// How often a session is prepared again, at most.
const PREPARATIONS: u32 = 3;

/// Takes events until the connection ends.
pub(crate) async fn route(mut events: Events, inner: Arc<Inner>) {
    while let Some(event) = events.next().await {
        if let Err(error) = inner.handle(&event) {
            tracing::debug!(%error, method = event.method(), "skipped an event");
        }
        inner.note_handled(event.number());
    }
    inner.connection_ended();
}

/// Which targets a session attaches to by itself. Workers and the browser's own surfaces are none of ours.
pub(crate) fn auto_attach(kinds: &[&str]) -> target::SetAutoAttach {
    let entry = |kind: Option<&str>| target::FilterEntry {
        r#type: kind.map(str::to_owned),
        exclude: Some(kind.is_none()),
    };
    target::SetAutoAttach {
        auto_attach: true,
        // So that nothing runs in a new page or frame before we have prepared it.
        wait_for_debugger_on_start: true,
        flatten: Some(true),
        filter: Some(kinds.iter().copied().map(Some).chain([None]).map(entry).collect()),
    }
}

impl Inner {
    fn handle(self: &Arc<Self>, event: &Event) -> Result<(), CdpError> {
        match event.method() {
            AttachedToTargetEvent::METHOD => self.attached(event.session_id(), event.parse()?),
            DetachedFromTargetEvent::METHOD => self.detached(&event.parse()?),
            TargetInfoChangedEvent::METHOD => self.target_changed(event.parse()?),
            target::TargetCrashedEvent::METHOD => self.crashed(&event.parse()?),
            browser::DownloadWillBeginEvent::METHOD => self.download_began(event.parse()?),
            browser::DownloadProgressEvent::METHOD => self.downloads().progressed(event.parse()?),
            // On a page's session somebody else has asked for them.
            fetch::RequestPausedEvent::METHOD if event.session_id().is_none() => {
                self.interception().paused(self.root(), event.parse()?);
            }
            fetch::AuthRequiredEvent::METHOD => {
                if let (None, Some(proxy)) = (event.session_id(), self.proxy_login()) {
                    proxy.handle(self.interception(), self.root(), event.parse()?);
                }
            }
            _ => {
                let page = event
                    .session_id()
                    .and_then(|id| Some((self.page_of_session(id)?, SessionId::from(id))));
                if let Some((page, session)) = page {
                    self.page_event(&page, &session, event)?;
                }
            }
        }
        Ok(())
    }

    fn attached(self: &Arc<Self>, parent: Option<&str>, attached: AttachedToTargetEvent) {
        let session = self.connection().session(&attached.session_id);
        let session_id = SessionId::from(attached.session_id.as_str());
        let info = attached.target_info;
        let owner = parent.and_then(|parent| self.page_of_session(parent));
        match (info.r#type.as_str(), owner) {
            ("page", None) if parent.is_none() && is_page_address(&info.url) => {
                let page = PageShared::new(&info.target_id, session, session_id, info.opener_id);
                let page = Arc::new(page);
                page.state().describe(info.title, &info.url);
                self.add_page(&page);
                self.prepare(&page, &page.session, attached.waiting_for_debugger);
                if let Some(opener) = page
                    .opener
                    .as_deref()
                    .and_then(|opener| self.page_of_target(opener))
                {
                    self.tell(&opener, &Happening::PopUp(Arc::clone(&page)));
                }
            }
            ("iframe", Some(page)) => {
                page.update(|state| {
                    let parent_frame = info.parent_frame_id.as_deref();
                    state
                        .frames
                        .session_attached(&session_id, &info.target_id, parent_frame, Instant::now());
                    state.sessions.insert(Arc::clone(&session_id), session.clone());
                });
                self.add_session(&session_id, &page);
                self.prepare(&page, &session, attached.waiting_for_debugger);
            }
            ("worker", Some(page)) if wants_console(&page) => {
                self.add_session(&session_id, &page);
                listen_to_worker(&session);
                drop(session.send(&runtime::RunIfWaitingForDebugger {}));
            }
            (kind, _) => {
                tracing::debug!(kind, "leaving a target alone");
                drop(session.send(&runtime::RunIfWaitingForDebugger {}));
                let parent =
                    parent.map_or_else(|| self.root().clone(), |parent| self.connection().session(parent));
                let detach = target::DetachFromTarget {
                    session_id: Some(attached.session_id),
                    target_id: None,
                };
                drop(parent.send(&detach));
            }
        }
    }

    /// Sends everything that a new session needs, in one go, and lets the target run.
    fn prepare(self: &Arc<Self>, page: &Arc<PageShared>, session: &Session, is_waiting: bool) {
        let Some(session_id) = session.id().map(SessionId::from) else {
            return;
        };
        let is_page = session_id == page.session_id;
        let tree = begin(page, session, &session_id);
        if is_waiting && page.opener.is_some() && !self.wishes().scripts.is_empty() {
            // A new window is given scripts at once, besides when the place that they run in is made. When that is
            // made first, each runs once. It is made by running something.
            drop(session.send(&runtime::Evaluate {
                expression: "0".to_owned(),
                ..runtime::Evaluate::default()
            }));
        }
        drop(self.tell_session(page, session));
        if is_page {
            self.prepare_page(session);
        }
        if is_waiting {
            drop(session.send(&runtime::RunIfWaitingForDebugger {}));
        }
        // A pop-up whose first document is on its way is silent until that comes, and shows no dialog.
        let main_address = page.state().frames.main_record().map(|main| main.url.clone());
        let awaits_document = main_address.unwrap_or_default().is_empty();
        // A dialog that is open already may be one that another client thinks about.
        let are_ours = self.dialogs_elsewhere().is_none_or(|elsewhere| !elsewhere.are());
        let may_be_held_up = is_page && !is_waiting && !awaits_document && are_ours;
        let suspicion = may_be_held_up.then_some(DIALOG_SUSPICION);
        tokio::spawn(Arc::clone(self).finish_preparing(Arc::clone(page), session.clone(), tree, suspicion));
    }

    async fn finish_preparing(
        self: Arc<Self>,
        page: Arc<PageShared>,
        session: Session,
        mut tree: Call<page::GetFrameTreeReply>,
        suspicion: Option<Duration>,
    ) {
        let first = match suspicion {
            Some(limit) => tokio::time::timeout(limit, &mut tree).await.ok(),
            None => None,
        };
        let tree = match first {
            Some(tree) => tree,
            None => {
                if suspicion.is_some() {
                    dialog::close_unseen(&session).await;
                }
                tree.await
            }
        };
        if let Some(id) = session.id().map(SessionId::from) {
            let tree = self.prepare_again(&page, &session, &id, tree).await;
            apply(&page, &id, tree);
        }
        self.page_changed();
    }

    /// Sends everything once more to a session whose process went away before it had read it: the browser answers that
    /// the target has crashed, also when it has only put another process in its place, and tells such a session of no
    /// navigation ever after. What came after the question for the tree was not read either, so nothing is there twice.
    async fn prepare_again(
        &self,
        page: &Arc<PageShared>,
        session: &Session,
        session_id: &SessionId,
        mut tree: Result<page::GetFrameTreeReply, CdpError>,
    ) -> Result<page::GetFrameTreeReply, CdpError> {
        for _ in 0..PREPARATIONS {
            match &tree {
                Err(CdpError::Protocol { message, .. }) if message.contains(CRASHED) => {}
                _ => break,
            }
            tracing::debug!("the process of a target went away; preparing it again");
            page.state().told.remove(session_id);
            let asked = begin(page, session, session_id);
            drop(self.tell_session(page, session));
            if *session_id == page.session_id {
                self.prepare_page(session);
            }
            tree = asked.await;
        }
        tree
    }

    /// What a page looks like to its scripts.
    fn prepare_page(&self, session: &Session) {
        let settings = self.settings();
        if let Some(metrics) = settings.metrics() {
            drop(session.send(&metrics));
        }
        if settings.has_touch {
            let touch = emulation::SetTouchEmulationEnabled {
                enabled: true,
                max_touch_points: Some(1),
            };
            drop(session.send(&touch));
        }
        if let Some(locale) = &settings.locale {
            drop(session.send(&emulation::SetLocaleOverride {
                locale: Some(locale.clone()),
            }));
        }
        // Pages that are not in front behave as if they were: no throttled timers, no lost focus.
        drop(session.send(&emulation::SetFocusEmulationEnabled { enabled: true }));
    }

    fn detached(&self, detached: &DetachedFromTargetEvent) {
        let session = SessionId::from(detached.session_id.as_str());
        let Some(page) = self.remove_session(&session) else {
            return;
        };
        if page.session_id == session {
            // Off the list first: who has waited for its end must not find it there.
            self.remove_page(&page);
            page.update(|state| {
                state.life = Life::Closed;
                state.listeners.end();
            });
            self.tell_news(&page, &Happening::Closed);
        } else {
            page.update(|state| {
                state.frames.session_detached(&session);
                state.sessions.remove(&session);
                state.told.remove(&session);
                state.main_contexts.retain(|(owner, _), _| *owner != session);
                state.network.session_detached(&session, Instant::now());
            });
        }
    }

    fn target_changed(&self, changed: TargetInfoChangedEvent) {
        let info = changed.target_info;
        if let Some(page) = self.page_of_target(&info.target_id) {
            page.state().describe(info.title, &info.url);
        }
    }

    fn crashed(&self, crashed: &target::TargetCrashedEvent) {
        if let Some(page) = self.page_of_target(&crashed.target_id) {
            page.update(PageState::crashed);
            return;
        }
        // A frame in a process of its own: its document is gone, the page lives on.
        for page in self.pages() {
            page.update(|state| {
                let session = state
                    .frames
                    .get(&crashed.target_id)
                    .map(|record| Arc::clone(&record.session));
                if let Some(session) = session.filter(|session| *session != page.session_id) {
                    state.frames.session_detached(&session);
                    state.network.session_detached(&session, Instant::now());
                }
            });
        }
    }

    fn page_event(
        self: &Arc<Self>,
        shared: &Arc<PageShared>,
        session: &SessionId,
        event: &Event,
    ) -> Result<(), CdpError> {
        match event.method() {
            page::FrameAttachedEvent::METHOD => {
                let attached: page::FrameAttachedEvent = event.parse()?;
                shared.update(|state| {
                    state
                        .frames
                        .attached(session, &attached.frame_id, &attached.parent_frame_id);
                });
            }
            page::FrameNavigatedEvent::METHOD => self.navigated(shared, session, &event.parse()?),
            page::FrameDetachedEvent::METHOD => {
                let detached: page::FrameDetachedEvent = event.parse()?;
                let is_swap = detached.reason == page::frame_detached_event_reason::SWAP;
                shared.update(|state| state.frames.detached(session, &detached.frame_id, is_swap));
            }
            page::NavigatedWithinDocumentEvent::METHOD => {
                let event: page::NavigatedWithinDocumentEvent = event.parse()?;
                shared.update(|state| {
                    state
                        .frames
                        .navigated_within_document(session, &event.frame_id, &event.url);
                    state.moves += u64::from(event.frame_id == shared.target_id);
                });
            }
            method if departures::EVENTS.contains(&method) => departures::note(shared, session, event)?,
            page::LifecycleEventEvent::METHOD => lifecycle(shared, &event.parse()?),
            page::JavascriptDialogOpeningEvent::METHOD => {
                let session = self.connection().session(session);
                let opening: page::JavascriptDialogOpeningEvent = event.parse()?;
                self.dialog_opened(shared, session, opening.into());
            }
            page::JavascriptDialogClosedEvent::METHOD => shared.update(|state| state.closed_dialogs += 1),
            page::WindowOpenEvent::METHOD => self.announce_pop_up(shared),
            page::FileChooserOpenedEvent::METHOD => {
                let session = self.connection().session(session);
                if let Some(opened) = ChooserOpened::new(session, event.parse()?) {
                    self.tell(shared, &Happening::FileChooser(opened));
                }
            }
            method if method.starts_with("Runtime.") || method.starts_with("Log.") => {
                if wants_console(shared) {
                    self.console_event(shared, session, event)?;
                }
            }
            _ => requests::network_event(shared, session, event)?,
        }
        Ok(())
    }

    /// Answers a dialog by the listener for all pages; else by those who listen to it on the page, who may take
    /// their time; else by the policy, unless another client does it.
    fn dialog_opened(self: &Arc<Self>, shared: &Arc<PageShared>, session: Session, dialog: Dialog) {
        let decided = self.dialog_listener().and_then(|listener| listener(&dialog));
        let is_awaited = shared.state().listeners.want(&[EventKind::DialogOpened]);
        if decided.is_none() && is_awaited {
            let opened = open_dialog::await_answer(self, shared, session, dialog);
            shared.state().listeners.tell(&Happening::DialogOpened(opened));
            return;
        }
        let elsewhere = self.dialogs_elsewhere().filter(|elsewhere| elsewhere.are());
        if let (None, Some(elsewhere)) = (&decided, elsewhere) {
            dialogs_elsewhere::leave(self, shared, session, dialog, elsewhere.clone());
            return;
        }
        let answer = decided.unwrap_or_else(|| dialog::policy(&dialog));
        drop(dialog::send(&session, &dialog, &answer));
        self.dialog_answered(shared, dialog, answer);
    }

    /// Keeps and tells what became of a dialog.
    pub(crate) fn dialog_answered(&self, shared: &PageShared, dialog: Dialog, answer: DialogAnswer) {
        let answered = AnsweredDialog {
            dialog,
            answer,
            page_id: shared.target_id.clone(),
        };
        self.add_dialog(answered.clone());
        self.tell(shared, &Happening::Dialog(answered));
    }

    fn console_event(&self, shared: &PageShared, id: &SessionId, event: &Event) -> Result<(), CdpError> {
        let session = self.connection().session(id);
        let happening = match event.method() {
            runtime::ConsoleApiCalledEvent::METHOD => Happening::Console(console::message(&session, event)?),
            runtime::ExceptionThrownEvent::METHOD => {
                Happening::Error(console::uncaught(&session, event.parse()?))
            }
            log::EntryAddedEvent::METHOD => match console::entry(event.parse()?) {
                Some(message) => Happening::Console(message),
                None => return Ok(()),
            },
            _ => return context_event(shared, id, event),
        };
        self.tell(shared, &happening);
        Ok(())
    }

    fn download_began(&self, event: browser::DownloadWillBeginEvent) {
        let has_frame = |page: &Arc<PageShared>| page.state().frames.get(&event.frame_id).is_some();
        let page = self.pages().into_iter().find(has_frame);
        let page_id = page.as_ref().map(|page| page.target_id.clone());
        let download = self.downloads().began(event, page_id, self.root());
        if let Some(page) = page {
            self.tell(&page, &Happening::Download(download));
        }
    }

    fn navigated(
        self: &Arc<Self>,
        shared: &Arc<PageShared>,
        session: &SessionId,
        navigated: &page::FrameNavigatedEvent,
    ) {
        let frame = &navigated.frame;
        shared.update(|state| {
            state.frames.navigated(session, frame, Instant::now());
            if frame.id == shared.target_id {
                state.main_committed(&frame.loader_id);
                let document = state.document(&frame.loader_id);
                document.failed_url = frame.unreachable_url.clone().filter(|url| !url.is_empty());
                if navigated.r#type == page::navigation_type::BACK_FORWARD_CACHE_RESTORE {
                    // It comes back as it was, and says so no second time.
                    document.is_parsed = true;
                    document.is_loaded = true;
                    state.frames.parsed(&frame.id, &frame.loader_id);
                }
                state.network.document_changed(&frame.loader_id, Instant::now());
            }
        });
        self.warm_up(shared, session, &frame.id);
        if navigated.r#type == page::navigation_type::BACK_FORWARD_CACHE_RESTORE {
            // The frames of a document that comes back come back without being announced.
            let connected = self.connection().session(session);
            shared.state().frames.expect_tree(session);
            let tree = connected.send(&page::GetFrameTree {});
            let (shared, session) = (Arc::clone(shared), Arc::clone(session));
            tokio::spawn(async move {
                let tree = tree.await;
                apply(&shared, &session, tree);
            });
        }
    }

    fn warm_up(&self, shared: &Arc<PageShared>, session: &SessionId, frame_id: &str) {
        let Some(document) = shared.state().frames.get(frame_id).map(|record| record.document) else {
            return;
        };
        let at = DocumentAt {
            shared: Arc::clone(shared),
            session: self.connection().session(session),
            frame_id: frame_id.to_owned(),
            document,
        };
        at.warm_up();
    }
}

fn wants_console(page: &PageShared) -> bool {
    page.state()
        .listeners
        .want(&[EventKind::Console, EventKind::Error])
}

/// While the console is listened to, the browser tells of every place where scripts run.
fn context_event(shared: &PageShared, session: &SessionId, event: &Event) -> Result<(), CdpError> {
    match event.method() {
        runtime::ExecutionContextCreatedEvent::METHOD => {
            let created: runtime::ExecutionContextCreatedEvent = event.parse()?;
            let data = created.context.aux_data.unwrap_or_default();
            let is_main = data.get("isDefault").and_then(serde_json::Value::as_bool) == Some(true);
            if let (true, Some(frame)) = (is_main, data.get("frameId").and_then(serde_json::Value::as_str)) {
                let key = (Arc::clone(session), frame.to_owned());
                shared.update(|state| state.main_contexts.insert(key, created.context.id));
            }
        }
        runtime::ExecutionContextDestroyedEvent::METHOD => {
            let destroyed: runtime::ExecutionContextDestroyedEvent = event.parse()?;
            let gone = destroyed.execution_context_id;
            let mut state = shared.state();
            state
                .main_contexts
                .retain(|(owner, _), id| owner != session || *id != gone);
        }
        runtime::ExecutionContextsClearedEvent::METHOD => {
            shared
                .state()
                .main_contexts
                .retain(|(owner, _), _| owner != session);
        }
        _ => {}
    }
    Ok(())
}

/// Targets of the type `page` that are part of the browser's own window.
fn is_page_address(url: &str) -> bool {
    !url.starts_with("devtools://") && !url.contains(".top-chrome/")
}

/// Has a session tell of its frames, their navigations and requests. Gives the question for the frames that are there.
fn begin(page: &PageShared, session: &Session, session_id: &SessionId) -> Call<page::GetFrameTreeReply> {
    drop(session.send(&page::Enable::default()));
    page.state().frames.expect_tree(session_id);
    let tree = session.send(&page::GetFrameTree {});
    drop(session.send(&page::SetLifecycleEventsEnabled { enabled: true }));
    drop(session.send(&network::Enable::default()));
    drop(session.send(&auto_attach(&["iframe"])));
    tree
}

fn apply(shared: &PageShared, session: &SessionId, tree: Result<page::GetFrameTreeReply, CdpError>) {
    match tree {
        Ok(reply) => shared.update(|state| {
            state
                .frames
                .apply_tree(session, &reply.frame_tree, Instant::now());
            if *session == shared.session_id {
                state.attaching = Attaching::Done;
                let loader = state.main_loader().to_owned();
                state.document(&loader).is_committed = true;
            }
        }),
        Err(error) => tracing::debug!(%error, "no frame tree"),
    }
}

fn lifecycle(shared: &PageShared, event: &page::LifecycleEventEvent) {
    if event.loader_id.is_empty() {
        return;
    }
    shared.update(|state| {
        if matches!(event.name.as_str(), "DOMContentLoaded" | "load") {
            state.frames.parsed(&event.frame_id, &event.loader_id);
        }
        if event.frame_id != shared.target_id {
            return;
        }
        let document = state.document(&event.loader_id);
        match event.name.as_str() {
            "commit" => document.is_committed = true,
            "DOMContentLoaded" => document.is_parsed = true,
            "load" => {
                document.is_parsed = true;
                document.is_loaded = true;
            }
            _ => {}
        }
    });
}
