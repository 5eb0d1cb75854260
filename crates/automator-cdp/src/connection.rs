//! The connection: one task reads, one writes, and a small table says who waits for what.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::{mpsc, oneshot, watch};

use crate::event::{Event, Events, Filter};
use crate::message::{Envelope, ErrorMember, RawReply, decode};
use crate::session::Waiter;
use crate::transport::{MessageReader, MessageWriter, Transport};
use crate::{CdpError, CloseReason, DecodeError, EventType as _, Session, protocol};

/// Chrome's code for a command to a session that is no longer attached.
const SESSION_NOT_FOUND: i64 = -32001;

/// How many queued messages are handed to the transport at once.
const WRITE_BATCH: usize = 256;

/// How long a closed connection may go on to send what was queued before.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A connection to a browser; a cheap clone. The connection ends when the last clone, with every
/// [`Session`] made from it, is dropped.
#[derive(Clone)]
pub struct Connection {
    handle: Arc<Handle>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = if self.is_closed() { "closed" } else { "open" };
        write!(formatter, "Connection({state})")
    }
}

impl Connection {
    /// Starts the two tasks of a connection. Must be called within a tokio runtime.
    pub fn new(transport: impl Transport) -> Self {
        let (reader, writer) = transport.split();
        let (outgoing, queue) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            table: Mutex::new(Table {
                outgoing: Some(outgoing),
                ..Table::default()
            }),
            received_events: AtomicU64::new(0),
            closed: watch::Sender::new(None),
        });
        tokio::spawn(write_all(writer, queue, Arc::clone(&shared)));
        tokio::spawn(read_all(reader, Arc::clone(&shared)));
        Self {
            handle: Arc::new(Handle { shared }),
        }
    }

    /// The session of the browser itself.
    pub fn root(&self) -> Session {
        Session::new(self.clone(), None)
    }

    /// The session with this id, as `Target.attachToTarget` (with `flatten`) returned it.
    pub fn session(&self, id: &str) -> Session {
        Session::new(self.clone(), Some(Arc::from(id)))
    }

    /// Subscribes to events. It takes effect before this returns, so whatever the browser sends after a
    /// command that is sent later cannot be missed. On a closed connection the subscription has already ended.
    pub fn subscribe(&self, filter: Filter) -> Events {
        let (sender, receiver) = mpsc::unbounded_channel();
        let shared = self.shared();
        let mut table = shared.lock();
        table.last_number += 1;
        let number = table.last_number;
        if table.outgoing.is_some() {
            table.subscribers.push(Subscriber {
                number,
                filter,
                sender,
            });
        }
        Events {
            number,
            receiver,
            shared: Arc::downgrade(shared),
        }
    }

    /// How many events have come. Those that the browser sent before a reply have come when the reply is there, but
    /// a subscriber may still have to take them: see [`Event::number`].
    pub fn received_events(&self) -> u64 {
        self.shared().received_events.load(Ordering::Acquire)
    }

    /// Ends the connection: pending and later calls end with [`CdpError::Closed`], subscriptions end. It does
    /// not end the browser, but one that was started with a pipe exits when its pipe closes.
    pub fn close(&self) {
        self.shared().close(&CloseReason::Requested);
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.shared().closed.borrow().is_some()
    }

    /// Waits for the end of the connection. The future does not keep it open.
    pub fn closed(&self) -> impl Future<Output = CloseReason> + Send + 'static {
        let mut closed = self.shared().closed.subscribe();
        async move {
            match closed.wait_for(Option::is_some).await {
                Ok(reason) => reason.clone().unwrap_or(CloseReason::Requested),
                Err(_) => CloseReason::Requested,
            }
        }
    }

    /// How many messages could not be read and were skipped.
    pub fn malformed_messages(&self) -> u64 {
        self.shared().lock().malformed
    }

    /// How many commands wait for their reply.
    pub fn pending_calls(&self) -> usize {
        self.shared().lock().pending.len()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.handle.shared
    }
}

/// Held by every clone of the connection, not by its tasks: when the last one goes, the connection ends.
#[derive(Debug)]
struct Handle {
    shared: Arc<Shared>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close(&CloseReason::Requested);
    }
}

/// What the handles and the two tasks share.
#[derive(Debug)]
pub(crate) struct Shared {
    table: Mutex<Table>,
    received_events: AtomicU64,
    closed: watch::Sender<Option<CloseReason>>,
}

#[derive(Debug, Default)]
struct Table {
    /// `None` once the connection has ended.
    outgoing: Option<mpsc::UnboundedSender<String>>,
    pending: HashMap<u64, Pending>,
    subscribers: Vec<Subscriber>,
    /// Attached sessions with the session they were attached from: a session goes together with its parent.
    parents: HashMap<Arc<str>, Option<Arc<str>>>,
    last_id: u64,
    last_number: u64,
    malformed: u64,
}

#[derive(Debug)]
struct Pending {
    method: String,
    session_id: Option<Arc<str>>,
    sender: oneshot::Sender<Result<RawReply, CdpError>>,
}

#[derive(Debug)]
struct Subscriber {
    number: u64,
    filter: Filter,
    sender: mpsc::UnboundedSender<Event>,
}

impl Shared {
    /// Queues a command under the lock, so that the order of calls is the order on the wire.
    pub(crate) fn call(
        self: &Arc<Self>,
        method: &str,
        session_id: Option<Arc<str>>,
        params: &str,
    ) -> Result<Waiter, CdpError> {
        let (sender, receiver) = oneshot::channel();
        let mut table = self.lock();
        if table.outgoing.is_none() {
            drop(table);
            return Err(self.closed_error());
        }
        table.last_id += 1;
        let id = table.last_id;
        let message = command_text(id, method, session_id.as_deref(), params);
        table.pending.insert(
            id,
            Pending {
                method: method.to_owned(),
                session_id,
                sender,
            },
        );
        if let Some(outgoing) = &table.outgoing {
            // A send only fails when the writing task has gone, and then the table is about to be cleared.
            let _ = outgoing.send(message);
        }
        Ok(Waiter {
            id,
            receiver,
            shared: Arc::clone(self),
        })
    }

    /// Nobody waits for this reply any more.
    pub(crate) fn forget(&self, id: u64) {
        self.lock().pending.remove(&id);
    }

    pub(crate) fn unsubscribe(&self, number: u64) {
        self.lock()
            .subscribers
            .retain(|subscriber| subscriber.number != number);
    }

    pub(crate) fn closed_error(&self) -> CdpError {
        let reason = self.closed.borrow().clone().unwrap_or(CloseReason::Requested);
        CdpError::Closed { reason }
    }

    fn close(&self, reason: &CloseReason) {
        let first = self.closed.send_if_modified(|closed| {
            let first = closed.is_none();
            if first {
                *closed = Some(reason.clone());
            }
            first
        });
        if !first {
            return;
        }
        let mut table = self.lock();
        table.outgoing = None;
        table.parents.clear();
        let pending = std::mem::take(&mut table.pending);
        let subscribers = std::mem::take(&mut table.subscribers);
        drop(table);
        drop(subscribers);
        for call in pending.into_values() {
            let _ = call.sender.send(Err(CdpError::Closed {
                reason: reason.clone(),
            }));
        }
    }

    fn receive(&self, message: &Bytes) {
        match decode(message) {
            Ok(envelope) => self.route(message, &envelope),
            Err(error) => self.receive_malformed(message, error),
        }
    }

    /// Bytes that are not UTF-8 are mended once. What cannot be read at all is skipped, but the one who waits
    /// for it is told.
    fn receive_malformed(&self, message: &Bytes, error: DecodeError) {
        if let Some(text) = mended(message)
            && let Ok(envelope) = decode(&text)
        {
            return self.route(&text, &envelope);
        }
        tracing::debug!(%error, bytes = message.len(), "skipped a message of the browser");
        let mut table = self.lock();
        table.malformed += 1;
        let pending = error.id.and_then(|id| table.pending.remove(&id));
        drop(table);
        if let Some(pending) = pending {
            let outcome = CdpError::Malformed {
                method: pending.method,
                source: error.source,
            };
            let _ = pending.sender.send(Err(outcome));
        }
    }

    fn route(&self, message: &Bytes, envelope: &Envelope<'_>) {
        if let Some(id) = envelope.id {
            self.answer(id, message, envelope);
        } else if let Some(method) = &envelope.method {
            let session_id = envelope.session_id.as_deref().map(Arc::from);
            let params = RawReply::new(message, envelope.params);
            let number = self.received_events.fetch_add(1, Ordering::AcqRel) + 1;
            let method = method.clone().into_owned();
            self.publish(&Event::new(number, method, session_id, params));
        } else if let Some(error) = envelope.error {
            tracing::debug!(error = error.get(), "the browser complains about a message");
        } else {
            tracing::debug!(
                bytes = message.len(),
                "skipped a message that is neither reply nor event"
            );
            self.lock().malformed += 1;
        }
    }

    fn answer(&self, id: u64, message: &Bytes, envelope: &Envelope<'_>) {
        // A reply that nobody waits for any more is dropped quietly.
        let Some(pending) = self.lock().pending.remove(&id) else {
            return;
        };
        let outcome = match envelope.error {
            None => Ok(RawReply::new(message, envelope.result)),
            Some(raw) => Err(refusal(pending.method, &RawReply::new(message, Some(raw)))),
        };
        let _ = pending.sender.send(outcome);
    }

    fn publish(&self, event: &Event) {
        let mut table = self.lock();
        let detached = table.follow(event);
        table.subscribers.retain(|subscriber| {
            !subscriber.filter.accepts(event) || subscriber.sender.send(event.clone()).is_ok()
        });
        drop(table);
        for pending in detached {
            let error = CdpError::SessionDetached {
                method: pending.method,
            };
            let _ = pending.sender.send(Err(error));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // No code panics while it holds the lock; if one ever did, the table would still be whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Keeps track of which sessions live, and gives back the calls that a detached one leaves behind.
    fn follow(&mut self, event: &Event) -> Vec<Pending> {
        match event.method() {
            protocol::target::AttachedToTargetEvent::METHOD => {
                if let Ok(Attachment { session_id }) = event.parse() {
                    self.parents
                        .insert(Arc::from(session_id), event.session_id().map(Arc::from));
                }
                Vec::new()
            }
            protocol::target::DetachedFromTargetEvent::METHOD => event.parse().map_or_else(
                |_| Vec::new(),
                |Attachment { session_id }| self.detach(&session_id),
            ),
            _ => Vec::new(),
        }
    }

    fn detach(&mut self, session_id: &str) -> Vec<Pending> {
        let mut gone = vec![Arc::<str>::from(session_id)];
        let mut next = 0;
        while let Some(current) = gone.get(next).cloned() {
            next += 1;
            self.parents.remove(&current);
            let children = self
                .parents
                .iter()
                .filter(|(_, parent)| parent.as_ref() == Some(&current));
            gone.extend(children.map(|(child, _)| Arc::clone(child)).collect::<Vec<_>>());
        }
        let orphaned =
            |_: &u64, call: &mut Pending| call.session_id.as_ref().is_some_and(|id| gone.contains(id));
        self.pending.extract_if(orphaned).map(|(_, call)| call).collect()
    }
}

/// The common part of `Target.attachedToTarget` and `Target.detachedFromTarget`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    session_id: String,
}

fn refusal(method: String, raw: &RawReply) -> CdpError {
    let member = match raw.parse::<ErrorMember>() {
        Ok(member) => member,
        Err(source) => return CdpError::Malformed { method, source },
    };
    if member.code == SESSION_NOT_FOUND {
        return CdpError::SessionDetached { method };
    }
    let data = member
        .data
        .map(|raw| serde_json::from_str(raw.get()).unwrap_or_else(|_| raw.get().to_owned()));
    CdpError::Protocol {
        method,
        code: member.code,
        message: member.message,
        data,
    }
}

/// The message with all that is not UTF-8 replaced; `None` when there is nothing to replace.
fn mended(message: &Bytes) -> Option<Bytes> {
    std::str::from_utf8(message)
        .is_err()
        .then(|| String::from_utf8_lossy(message).into_owned().into())
}

fn command_text(id: u64, method: &str, session_id: Option<&str>, params: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let session = session_id
        .map(|id| format!(",\"sessionId\":{}", quoted(id)))
        .unwrap_or_default();
    let params = if params == "null" { "{}" } else { params };
    format!(
        "{{\"id\":{id},\"method\":{}{session},\"params\":{params}}}",
        quoted(method)
    )
}

async fn read_all(mut reader: impl MessageReader, shared: Arc<Shared>) {
    // Also when the runtime drops this task: without a reader nobody would ever get an answer.
    let _guard = CloseOnDrop(Arc::clone(&shared));
    let mut closed = shared.closed.subscribe();
    let reason = loop {
        tokio::select! {
            biased;
            () = ended(&mut closed) => return,
            message = reader.read() => match message {
                Ok(Some(message)) => shared.receive(&message),
                Ok(None) => break CloseReason::EndOfStream,
                Err(error) => break CloseReason::of(error),
            },
        }
    };
    shared.close(&reason);
}

struct CloseOnDrop(Arc<Shared>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&CloseReason::Requested);
    }
}

async fn ended(closed: &mut watch::Receiver<Option<CloseReason>>) {
    // An error means that everything that could send a reason has gone.
    let _ = closed.wait_for(Option::is_some).await.map(drop);
}

/// Writes until the queue ends, which closing does. What was queued before is still sent, for a short while.
async fn write_all(
    mut writer: impl MessageWriter,
    mut queue: mpsc::UnboundedReceiver<String>,
    shared: Arc<Shared>,
) {
    let mut closed = shared.closed.subscribe();
    let last_words = async {
        ended(&mut closed).await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    let writing = async {
        let mut batch = Vec::new();
        loop {
            match write_batch(&mut writer, &mut queue, &mut batch).await {
                Ok(true) => {}
                Ok(false) => return writer.close().await,
                Err(error) => return shared.close(&CloseReason::of(error)),
            }
        }
    };
    tokio::select! {
        () = writing => {}
        () = last_words => {}
    }
}

/// Sends what is queued; `false` when the queue has ended.
async fn write_batch(
    writer: &mut impl MessageWriter,
    queue: &mut mpsc::UnboundedReceiver<String>,
    batch: &mut Vec<String>,
) -> std::io::Result<bool> {
    if queue.recv_many(batch, WRITE_BATCH).await == 0 {
        return Ok(false);
    }
    writer.write(batch).await?;
    Ok(true)
}

#[cfg(test)]
mod tests;
