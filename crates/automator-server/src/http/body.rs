//! Bodies that have to come in at some pace.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep};

/// What comes in, buys this much more time.
const BYTES_A_SECOND: u64 = 16 << 10;

/// How long a body may take.
#[derive(Debug)]
pub(super) struct BodyLimit {
    patience: Duration,
    is_over: AtomicBool,
}

/// A body that has to come in at some pace: an upload may take long, but not rest.
pub(super) struct TimedBody {
    body: Body,
    limit: Arc<BodyLimit>,
    begun: Instant,
    received: u64,
    deadline: Pin<Box<Sleep>>,
}

impl BodyLimit {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            patience,
            is_over: AtomicBool::new(false),
        }
    }

    /// Whether the body was too slow.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

impl TimedBody {
    pub(super) fn new(body: Body, limit: Arc<BodyLimit>) -> Self {
        let begun = Instant::now();
        Self {
            deadline: Box::pin(tokio::time::sleep_until(begun + limit.patience)),
            body,
            limit,
            begun,
            received: 0,
        }
    }
}

impl hyper::body::Body for TimedBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match polled {
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                self.received += length as u64;
                let more = Duration::from_secs(self.received / BYTES_A_SECOND);
                let deadline = self.begun + self.limit.patience + more;
                self.deadline.as_mut().reset(deadline);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                std::task::ready!(self.deadline.as_mut().poll(context));
                self.limit.is_over.store(true, Ordering::Relaxed);
                Poll::Ready(Some(Err("the body came in too slowly".into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
