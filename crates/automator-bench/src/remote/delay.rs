//! A way to the server that is long: what goes over it arrives later, in both directions.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The most that is read at once, and how many such pieces may be under way: more than a fast line holds.
const PIECE: usize = 64 << 10;
const PIECES: usize = 1_024;

/// Listens, and carries every connection to its target, each byte with a delay. Ends when it is dropped.
pub(super) struct DelayingProxy {
    address: SocketAddr,
    target: watch::Sender<Option<SocketAddr>>,
    accepting: JoinHandle<()>,
}

impl DelayingProxy {
    /// Listens. Connections wait until [`lead_to`](Self::lead_to) says where to.
    pub(super) async fn start(delay: Duration) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let target = watch::Sender::new(None);
        let told = target.subscribe();
        let accepting = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                tokio::spawn(carry(near, told.clone(), delay));
            }
        });
        Ok(Self {
            address,
            target,
            accepting,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Says where connections lead.
    pub(super) fn lead_to(&self, target: SocketAddr) {
        self.target.send_replace(Some(target));
    }
}

impl Drop for DelayingProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Carries one connection until both directions have ended. A broken one tells its ends itself.
async fn carry(near: TcpStream, mut told: watch::Receiver<Option<SocketAddr>>, delay: Duration) {
    let Some(target) = told
        .wait_for(Option::is_some)
        .await
        .ok()
        .and_then(|target| *target)
    else {
        return;
    };
    let Ok(far) = TcpStream::connect(target).await else {
        return;
    };
    // A delay of its own, and not of the system's, is what is wanted.
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    let (from_near, to_near) = near.into_split();
    let (from_far, to_far) = far.into_split();
    let _ = tokio::join!(later(from_near, to_far, delay), later(from_far, to_near, delay));
}

/// Hands on what comes, each piece when its delay is over; pieces do not wait for each other.
async fn later(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, delay: Duration) -> io::Result<()> {
    let (sender, mut pieces) = mpsc::channel::<(Instant, Vec<u8>)>(PIECES);
    let reading = async {
        let mut buffer = vec![0; PIECE];
        loop {
            let length = from.read(&mut buffer).await?;
            let piece = buffer.get(..length).unwrap_or_default().to_vec();
            if length == 0 || sender.send((Instant::now() + delay, piece)).await.is_err() {
                // Nothing more comes, which the other side learns when all before it has arrived.
                drop(sender);
                return io::Result::Ok(());
            }
        }
    };
    let writing = async {
        while let Some((due, piece)) = pieces.recv().await {
            tokio::time::sleep_until(due).await;
            to.write_all(&piece).await?;
        }
        to.shutdown().await
    };
    tokio::try_join!(reading, writing).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_message_and_its_answer_take_the_delay_twice_however_many_there_are() {
        const DELAY: Duration = Duration::from_millis(40);
        let echo = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let proxy = DelayingProxy::start(DELAY).await.unwrap();
        proxy.lead_to(echo.local_addr().unwrap());
        let echoing = tokio::spawn(async move {
            let (mut stream, _) = echo.accept().await.unwrap();
            let (mut from, mut to) = stream.split();
            tokio::io::copy(&mut from, &mut to).await.unwrap();
        });
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        let begun = Instant::now();
        let sent = vec![7; 1 << 20];
        let mut got = vec![0; sent.len()];
        let (mut from, mut to) = stream.split();
        let (written, read) = tokio::join!(to.write_all(&sent), from.read_exact(&mut got));
        written.unwrap();
        read.unwrap();
        let took = begun.elapsed();
        assert!(took >= 2 * DELAY, "{took:?}");
        assert!(took < 12 * DELAY, "16 pieces are under way together: {took:?}");
        assert_eq!(got, sent);
        to.shutdown().await.unwrap();
        echoing.await.unwrap();
    }
}
