//! How messages travel: whole JSON texts in both directions, in order.

pub(crate) mod pipe;
pub(crate) mod websocket;

use std::future::Future;
use std::io;

use bytes::Bytes;

/// A connected channel to a browser, which comes apart into a reading and a writing half.
pub trait Transport {
    /// The half that the reading task owns.
    type Reader: MessageReader;
    /// The half that the writing task owns.
    type Writer: MessageWriter;

    /// Both halves.
    fn split(self) -> (Self::Reader, Self::Writer);
}

/// Receives messages.
pub trait MessageReader: Send + 'static {
    /// The next message, of any size; `None` when the other side has ended the connection.
    fn read(&mut self) -> impl Future<Output = io::Result<Option<Bytes>>> + Send;
}

/// Sends messages.
pub trait MessageWriter: Send + 'static {
    /// Sends these messages in their order and returns when the system has taken them. Leaves `messages` empty.
    fn write(&mut self, messages: &mut Vec<String>) -> impl Future<Output = io::Result<()>> + Send;

    /// Says good-bye, as far as the transport has a word for it.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}
