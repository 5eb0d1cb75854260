//! `--remote-debugging-pipe`: messages between two byte streams, each ended by a NUL byte.

use std::ffi::CStr;
use std::io;

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use super::{MessageReader, MessageWriter, Transport};

/// How much room each read gets. A pipe hands out 64 kB at a time, but a socket pair may have more.
const READ_SIZE: usize = 1024 * 1024;

/// Messages up to this size are copied out of the read buffer, so that a small message that is kept for long
/// does not keep a whole buffer alive. Larger ones are handed on without a copy.
const COPY_LIMIT: usize = 64 * 1024;

/// A browser on the other end of two byte streams.
#[derive(Debug)]
pub struct PipeTransport<R, W> {
    reader: R,
    writer: W,
}

impl<R, W> PipeTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// `reader` is what the browser writes (its descriptor 4), `writer` what it reads (its descriptor 3).
    pub fn new(reader: R, writer: W) -> Self {
        Self { reader, writer }
    }
}

impl<R, W> Transport for PipeTransport<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Reader = PipeReader<R>;
    type Writer = PipeWriter<W>;

    fn split(self) -> (Self::Reader, Self::Writer) {
        let reader = PipeReader {
            stream: self.reader,
            buffer: BytesMut::new(),
            searched: 0,
            last_size: 0,
        };
        (
            reader,
            PipeWriter {
                stream: self.writer,
                buffer: Vec::new(),
            },
        )
    }
}

/// Cuts the incoming bytes at NUL.
#[derive(Debug)]
pub struct PipeReader<R> {
    stream: R,
    buffer: BytesMut,
    /// Bytes at the front of `buffer` that are known to hold no NUL.
    searched: usize,
    /// Size of the last large message: the next one is likely to be as large, so its room is reserved at once.
    last_size: usize,
}

impl<R: AsyncRead + Unpin + Send + 'static> MessageReader for PipeReader<R> {
    async fn read(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(message) = self.take_message() {
                return Ok(Some(message));
            }
            if self.buffer.is_empty() {
                // Back to the front of the room there is, where the memory is in use already.
                // Where there is none yet, what follows makes it.
                let _ = self.buffer.try_reclaim(READ_SIZE);
            }
            let spare = self.buffer.capacity() - self.buffer.len();
            if spare < READ_SIZE / 2 {
                let grow = if self.buffer.len() > READ_SIZE {
                    self.buffer.len().max(self.last_size)
                } else {
                    0
                };
                self.buffer.reserve(READ_SIZE.max(grow));
            }
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                if !self.buffer.is_empty() {
                    tracing::debug!(
                        bytes = self.buffer.len(),
                        "the browser ended in the middle of a message"
                    );
                }
                return Ok(None);
            }
        }
    }
}

impl<R> PipeReader<R> {
    fn take_message(&mut self) -> Option<Bytes> {
        // `CStr` has the only word-wise NUL search of the standard library.
        let unsearched = self.buffer.get(self.searched..)?;
        let Ok(text) = CStr::from_bytes_until_nul(unsearched) else {
            self.searched = self.buffer.len();
            return None;
        };
        let length = self.searched + text.count_bytes();
        self.searched = 0;
        let message = if length <= COPY_LIMIT {
            let copy = Bytes::copy_from_slice(self.buffer.get(..length)?);
            self.buffer.advance(length);
            copy
        } else {
            self.last_size = length;
            self.buffer.split_to(length).freeze()
        };
        self.buffer.advance(1);
        Some(message)
    }
}

/// Ends every message with NUL.
#[derive(Debug)]
pub struct PipeWriter<W> {
    stream: W,
    buffer: Vec<u8>,
}

impl<W: AsyncWrite + Unpin + Send + 'static> MessageWriter for PipeWriter<W> {
    async fn write(&mut self, messages: &mut Vec<String>) -> io::Result<()> {
        self.buffer.clear();
        for message in messages.drain(..) {
            self.buffer.extend_from_slice(message.as_bytes());
            self.buffer.push(0);
        }
        self.stream.write_all(&self.buffer).await?;
        self.buffer.shrink_to(COPY_LIMIT);
        self.stream.flush().await
    }

    async fn close(&mut self) {
        if let Err(error) = self.stream.shutdown().await {
            tracing::debug!(%error, "closing the browser's pipe");
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    #[tokio::test]
    async fn small_messages_all_come_through_the_same_memory() {
        let (mut browser, stream) = tokio::io::duplex(4096);
        let (mut reader, _writer) = PipeTransport::new(stream, tokio::io::sink()).split();
        let mut message = vec![b'x'; 1000];
        message.push(0);
        let mut place = None;
        for _ in 0..3 * READ_SIZE / message.len() {
            browser.write_all(&message).await.unwrap();
            assert_eq!(reader.read().await.unwrap().unwrap().len(), 1000);
            let now = reader.buffer.as_ptr();
            assert_eq!(*place.get_or_insert(now), now);
        }
    }
}
