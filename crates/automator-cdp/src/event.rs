//! Events: who hears what, without anybody waiting for a slow listener.

use std::sync::{Arc, Weak};

use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use crate::connection::Shared;
use crate::message::RawReply;
use crate::{CdpError, Session};

/// A generated event.
pub trait EventType: DeserializeOwned {
    /// Its full name, as `Page.frameNavigated`.
    const METHOD: &'static str;
}

/// Something that happened in the browser. Clones share the memory.
#[derive(Debug, Clone)]
pub struct Event {
    inner: Arc<EventInner>,
}

#[derive(Debug)]
struct EventInner {
    number: u64,
    method: String,
    session_id: Option<Arc<str>>,
    params: RawReply,
}

impl Event {
    pub(crate) fn new(number: u64, method: String, session_id: Option<Arc<str>>, params: RawReply) -> Self {
        Self {
            inner: Arc::new(EventInner {
                number,
                method,
                session_id,
                params,
            }),
        }
    }

    /// The how many-th of its connection it is, from 1.
    pub fn number(&self) -> u64 {
        self.inner.number
    }

    /// Its full name, as `Page.frameNavigated`.
    pub fn method(&self) -> &str {
        &self.inner.method
    }

    /// The session it came on; none for the browser itself.
    pub fn session_id(&self) -> Option<&str> {
        self.inner.session_id.as_deref()
    }

    /// The parameters as the browser wrote them.
    pub fn params(&self) -> &RawReply {
        &self.inner.params
    }

    /// Whether this is an event `T`.
    pub fn is<T: EventType>(&self) -> bool {
        self.inner.method == T::METHOD
    }

    /// Reads the parameters; half surrogates in strings become U+FFFD.
    ///
    /// # Errors
    /// [`CdpError::Malformed`] when they do not have the shape of `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, CdpError> {
        self.inner.params.parse_for(&self.inner.method)
    }
}

/// Which events a subscriber gets; the default is all of them, of all sessions.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    session: SessionFilter,
    methods: Option<Vec<String>>,
}

#[derive(Debug, Clone, Default)]
enum SessionFilter {
    #[default]
    All,
    One(Option<Arc<str>>),
}

impl Filter {
    /// Every event of every session.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only events of this session. That of [`Connection::root`](crate::Connection::root) stands for the
    /// events that carry no session.
    #[must_use]
    pub fn session(mut self, session: &Session) -> Self {
        self.session = SessionFilter::One(session.shared_id());
        self
    }

    /// Only events with these names.
    #[must_use]
    pub fn methods<I, S>(mut self, methods: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.methods = Some(methods.into_iter().map(Into::into).collect());
        self
    }

    pub(crate) fn accepts(&self, event: &Event) -> bool {
        let session = match &self.session {
            SessionFilter::All => true,
            SessionFilter::One(wanted) => wanted.as_deref() == event.session_id(),
        };
        let named = |methods: &Vec<String>| methods.iter().any(|method| method == event.method());
        session && self.methods.as_ref().is_none_or(named)
    }
}

/// A subscription. It has an unbounded queue of its own: events arrive complete and in order however slowly
/// they are taken, and nobody else waits meanwhile. Dropping it ends it.
#[derive(Debug)]
pub struct Events {
    pub(crate) number: u64,
    pub(crate) receiver: mpsc::UnboundedReceiver<Event>,
    pub(crate) shared: Weak<Shared>,
}

impl Events {
    /// The next event; `None` once the connection has ended and all that came before has been taken.
    /// Safe to cancel: a dropped call loses no event.
    pub async fn next(&mut self) -> Option<Event> {
        self.receiver.recv().await
    }

    /// The next event if it is already here.
    pub fn try_next(&mut self) -> Option<Event> {
        self.receiver.try_recv().ok()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.unsubscribe(self.number);
        }
    }
}
