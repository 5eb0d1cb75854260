//! A run as a stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{Stream, StreamExt};
use tokio::sync::mpsc::UnboundedReceiver;

use super::event::AgentEvent;
use super::result::AgentResult;
use crate::extract::RequestFuture;
use crate::{Error, Result};

/// A run of an agent as what happens in it. It goes on while it is read; dropping it ends the run.
///
/// ```no_run
/// # async fn example(automator: automator::Automator) -> automator::Result<()> {
/// use automator::{AgentConfig, AgentEvent};
///
/// let mut stream = automator.agent(AgentConfig::default()).execute("find the opening hours").stream();
/// while let Some(event) = stream.next().await {
///     if let AgentEvent::TextDelta { text, .. } = event {
///         println!("{text}");
///     }
/// }
/// let result = stream.result().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "the run goes on only while it is read"]
pub struct AgentStream {
    /// None when it is over.
    running: Option<RequestFuture<AgentResult>>,
    events: UnboundedReceiver<AgentEvent>,
    result: Option<Result<AgentResult>>,
}

impl AgentStream {
    pub(super) fn new(running: RequestFuture<AgentResult>, events: UnboundedReceiver<AgentEvent>) -> Self {
        Self {
            running: Some(running),
            events,
            result: None,
        }
    }

    /// What happens next; none when the run is over.
    pub async fn next(&mut self) -> Option<AgentEvent> {
        StreamExt::next(self).await
    }

    /// Only what the model says, piece by piece.
    pub fn into_text(self) -> impl Stream<Item = String> + Send {
        self.filter_map(|event| {
            let text = match event {
                AgentEvent::TextDelta { text, .. } => Some(text),
                _ => None,
            };
            std::future::ready(text)
        })
    }

    /// What came of the run, once it is over; what happens until then is passed over.
    ///
    /// # Errors
    /// As awaiting the run.
    pub async fn result(mut self) -> Result<AgentResult> {
        while self.next().await.is_some() {}
        self.result
            .take()
            .unwrap_or_else(|| Err(Error::invalid_argument("the result was taken already")))
    }
}

impl Stream for AgentStream {
    type Item = AgentEvent;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<AgentEvent>> {
        let this = &mut *self;
        loop {
            if let Poll::Ready(Some(event)) = this.events.poll_recv(context) {
                return Poll::Ready(Some(event));
            }
            let Some(running) = &mut this.running else {
                return Poll::Ready(None);
            };
            match running.as_mut().poll(context) {
                Poll::Ready(result) => {
                    this.running = None;
                    this.result = Some(result);
                }
                // It may have told something meanwhile.
                Poll::Pending => {
                    return match this.events.poll_recv(context) {
                        Poll::Ready(Some(event)) => Poll::Ready(Some(event)),
                        _ => Poll::Pending,
                    };
                }
            }
        }
    }
}

impl fmt::Debug for AgentStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AgentStream")
            .field("is_over", &self.running.is_none())
            .finish_non_exhaustive()
    }
}
