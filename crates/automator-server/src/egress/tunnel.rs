//! Passing bytes on, both ways.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, copy, split};
use tokio::time::timeout;

/// How long one direction may go on when the other has ended. A browser that has gone looks like one that has nothing
/// more to say, so without an end each of its tunnels to a silent server would stay for ever.
const LINGER: Duration = Duration::from_secs(60);

/// A connection of any kind.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Passes bytes on until both directions have ended, one has failed, or one has ended for a minute. Each direction
/// holds one buffer of a few kilobytes: who writes faster than the other side reads has to wait.
pub(super) async fn relay(one: impl Stream, other: impl Stream) -> io::Result<()> {
    let (mut one_reader, mut one_writer) = split(one);
    let (mut other_reader, mut other_writer) = split(other);
    let there = async {
        copy(&mut one_reader, &mut other_writer).await?;
        other_writer.shutdown().await
    };
    let back = async {
        copy(&mut other_reader, &mut one_writer).await?;
        one_writer.shutdown().await
    };
    tokio::pin!(there, back);
    let rest = tokio::select! {
        result = &mut there => {
            result?;
            timeout(LINGER, back).await
        }
        result = &mut back => {
            result?;
            timeout(LINGER, there).await
        }
    };
    rest.unwrap_or(Ok(()))
}
