//! What the sessions of pages are told on the user's behalf: scripts, headers, what is listened to.
//!
//! The user may say these things at any time, and sessions come at any time, with pages and with frames that move to
//! other processes. So it is noted for every session what it has been told, and one function brings it up to date.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::page::{AddScriptToEvaluateOnNewDocument, SetInterceptFileChooserDialog};
use automator_cdp::protocol::{log, network, runtime};
use automator_cdp::{Command, RawCall, Session};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::browser::Inner;
use crate::event::EventKind;
use crate::page_state::{PageShared, PageState};
use crate::router::auto_attach;

/// How long a session is waited for to confirm what it was told. A page that hangs takes it in when it goes on.
const CONFIRMATION: Duration = Duration::from_secs(2);

/// What the user has said about all pages, or about one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wishes {
    /// Sources of scripts that run before those of the page, in their order.
    pub(crate) scripts: Vec<String>,
    pub(crate) headers: BTreeMap<String, String>,
}

/// What one session has been told.
#[derive(Debug, Default)]
pub(crate) struct Told {
    context_scripts: usize,
    page_scripts: usize,
    headers: BTreeMap<String, String>,
    console: bool,
    file_choosers: bool,
}

impl Inner {
    /// Tells all sessions of these pages what they do not know yet, and waits until they have confirmed it.
    pub(crate) async fn bring_up_to_date(&self, pages: &[Arc<PageShared>]) {
        let calls: Vec<RawCall> = pages.iter().flat_map(|page| self.tell_page(page)).collect();
        let _ = tokio::time::timeout(CONFIRMATION, join_all(calls)).await;
    }

    /// Tells all sessions of a page what they do not know yet.
    pub(crate) fn tell_page(&self, page: &PageShared) -> Vec<RawCall> {
        let wishes = self.wishes();
        let mut state = page.state();
        let sessions: Vec<Session> = state.sessions.values().cloned().collect();
        sessions
            .iter()
            .flat_map(|session| tell(&wishes, &mut state, session))
            .collect()
    }

    /// Tells one session of a page what it does not know yet.
    pub(crate) fn tell_session(&self, page: &PageShared, session: &Session) -> Vec<RawCall> {
        let wishes = self.wishes();
        tell(&wishes, &mut page.state(), session)
    }
}

/// Everything is sent while the page is locked, so that two who do this at once send nothing twice.
fn tell(context: &Wishes, state: &mut PageState, session: &Session) -> Vec<RawCall> {
    let Some(id) = session.id() else { return Vec::new() };
    let console = state.listeners.want(&[EventKind::Console, EventKind::Error]);
    let file_choosers = state.listeners.want(&[EventKind::FileChooser]);
    let mut headers = context.headers.clone();
    headers.extend(state.wishes.headers.clone());
    let told = state.told.entry(id.into()).or_default();
    let mut calls = Vec::new();
    let new_scripts = context.scripts.iter().skip(told.context_scripts);
    for source in new_scripts.chain(state.wishes.scripts.iter().skip(told.page_scripts)) {
        calls.push(send(
            session,
            &AddScriptToEvaluateOnNewDocument {
                source: source.clone(),
                ..AddScriptToEvaluateOnNewDocument::default()
            },
        ));
    }
    told.context_scripts = context.scripts.len();
    told.page_scripts = state.wishes.scripts.len();
    if told.headers != headers {
        calls.push(send(
            session,
            &network::SetExtraHttpHeaders {
                headers: json!(headers),
            },
        ));
        told.headers = headers;
    }
    if told.console != console {
        listen_to_console(session, console, &mut calls);
        told.console = console;
        if !console {
            state.main_contexts.retain(|(owner, _), _| **owner != *id);
        }
    }
    if told.file_choosers != file_choosers {
        calls.push(send(
            session,
            &SetInterceptFileChooserDialog {
                enabled: file_choosers,
                ..SetInterceptFileChooserDialog::default()
            },
        ));
        told.file_choosers = file_choosers;
    }
    calls
}

fn listen_to_console(session: &Session, listen: bool, calls: &mut Vec<RawCall>) {
    calls.push(send(
        session,
        &auto_attach(if listen {
            &["iframe", "worker"]
        } else {
            &["iframe"]
        }),
    ));
    if listen {
        // Who begins to listen wants to hear what comes, not what has been.
        calls.push(session.send_raw("Runtime.discardConsoleEntries", json!({})));
        calls.push(session.send_raw("Log.clear", json!({})));
        calls.push(send(session, &runtime::Enable {}));
        calls.push(send(session, &log::Enable {}));
    } else {
        calls.push(send(session, &runtime::Disable {}));
        calls.push(send(session, &log::Disable {}));
    }
}

fn send<C: Command>(session: &Session, command: &C) -> RawCall {
    session.send_raw(C::METHOD, command)
}

/// What a worker is told when the console of its page is listened to.
pub(crate) fn listen_to_worker(session: &Session) {
    drop(session.send_raw(runtime::Enable::METHOD, Value::Object(serde_json::Map::new())));
}
