//! A session: the place that commands are sent to, the browser itself or one attached target.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::connection::Shared;
use crate::message::RawReply;
use crate::{CdpError, CloseReason, Connection, Events, Filter};

/// Replies beyond this many bytes are read on a thread for blocking work.
const BLOCKING_SIZE: usize = 1024 * 1024;

/// A generated command: the struct holds its parameters.
pub trait Command: Serialize {
    /// Its full name, as `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers.
    type Reply: DeserializeOwned + Send + 'static;
}

/// A session of a connection; a cheap clone.
#[derive(Clone)]
pub struct Session {
    connection: Connection,
    id: Option<Arc<str>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Session({})", self.id().unwrap_or("browser"))
    }
}

impl Session {
    pub(crate) fn new(connection: Connection, id: Option<Arc<str>>) -> Self {
        Self { connection, id }
    }

    /// The id the browser gave it; none for the browser itself.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(crate) fn shared_id(&self) -> Option<Arc<str>> {
        self.id.clone()
    }

    /// The connection it belongs to.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sends a command. **The message is queued by this call**, not by the first poll: calls made one after
    /// the other go out together and in that order, however their replies are awaited. Dropping the future
    /// means that nobody waits for the reply any more; the command is not taken back.
    ///
    /// # Errors
    /// The future ends with [`CdpError::Protocol`] when the browser refuses, [`CdpError::Closed`] or
    /// [`CdpError::SessionDetached`] when no answer will come, [`CdpError::Malformed`] when it cannot be read.
    pub fn send<C: Command>(&self, command: &C) -> Call<C::Reply> {
        Call {
            raw: self.send_raw(C::METHOD, command),
            parsing: None,
            reply: PhantomData,
        }
    }

    /// Sends any command and gives its reply unread. As with [`send`](Self::send), the message is queued by
    /// this call. Parameters must be written as a JSON object.
    ///
    /// # Errors
    /// As [`send`](Self::send); besides [`CdpError::Parameters`] when serde cannot write `params`.
    pub fn send_raw(&self, method: &str, params: impl Serialize) -> RawCall {
        let state = match serde_json::to_string(&params) {
            Ok(params) => self.connection.shared().call(method, self.id.clone(), &params),
            Err(source) => Err(CdpError::Parameters {
                method: method.to_owned(),
                source,
            }),
        };
        RawCall {
            waiter: Some(state),
            method: method.to_owned(),
        }
    }

    /// Events of this session with these names; see [`Connection::subscribe`].
    pub fn subscribe<I, S>(&self, methods: I) -> Events
    where
        I: IntoIterator<Item = S>,
        S: Into<String>,
    {
        self.connection
            .subscribe(Filter::all().session(self).methods(methods))
    }
}

/// A command under way; await it for the reply as the browser wrote it. See [`Session::send_raw`].
#[must_use = "the command has been sent; await this for its reply"]
#[derive(Debug)]
pub struct RawCall {
    waiter: Option<Result<Waiter, CdpError>>,
    method: String,
}

impl Future for RawCall {
    type Output = Result<RawReply, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.waiter.take() {
            Some(Ok(mut waiter)) => match Pin::new(&mut waiter.receiver).poll(context) {
                Poll::Pending => {
                    self.waiter = Some(Ok(waiter));
                    Poll::Pending
                }
                Poll::Ready(Ok(outcome)) => Poll::Ready(outcome),
                // The sender is only ever dropped when the connection ends.
                Poll::Ready(Err(_)) => Poll::Ready(Err(waiter.shared.closed_error())),
            },
            Some(Err(error)) => Poll::Ready(Err(error)),
            // Polled after it was ready: nothing more will come.
            None => Poll::Pending,
        }
    }
}

/// A command under way; await it for the typed reply. See [`Session::send`].
///
/// The reply is read on the task that awaits it, beyond 1 MB on a thread for blocking work: the connection's
/// own tasks never wait for it.
#[must_use = "the command has been sent; await this for its reply"]
#[derive(Debug)]
pub struct Call<T> {
    raw: RawCall,
    parsing: Option<JoinHandle<Result<T, CdpError>>>,
    reply: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + Send + 'static> Future for Call<T> {
    type Output = Result<T, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.parsing.is_none() {
            let reply = ready!(Pin::new(&mut self.raw).poll(context))?;
            let method = std::mem::take(&mut self.raw.method);
            match Handle::try_current() {
                Ok(runtime) if reply.bytes().len() > BLOCKING_SIZE => {
                    self.parsing = Some(runtime.spawn_blocking(move || reply.parse_for(&method)));
                }
                _ => return Poll::Ready(reply.parse_for(&method)),
            }
        }
        let Some(parsing) = &mut self.parsing else {
            return Poll::Pending;
        };
        match ready!(Pin::new(parsing).poll(context)) {
            Ok(outcome) => Poll::Ready(outcome),
            // The runtime is shutting down and takes no more blocking work.
            Err(_) => Poll::Ready(Err(CdpError::Closed {
                reason: CloseReason::Requested,
            })),
        }
    }
}

/// Waits for one reply. Dropping it takes the command off the list of pending ones.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) id: u64,
    pub(crate) receiver: oneshot::Receiver<Result<RawReply, CdpError>>,
    pub(crate) shared: Arc<Shared>,
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.shared.forget(self.id);
    }
}
