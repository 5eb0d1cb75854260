//! Ending a run from outside.

use std::sync::Arc;

use tokio::sync::watch;

/// Ends runs of an agent; a cheap clone, and all clones are the same signal.
///
/// ```
/// use automator::AbortSignal;
///
/// let signal = AbortSignal::new();
/// let other = signal.clone();
/// other.abort("the user has left");
/// assert_eq!(signal.reason().as_deref(), Some("the user has left"));
/// ```
#[derive(Debug, Clone)]
pub struct AbortSignal(Arc<watch::Sender<Option<String>>>);

impl Default for AbortSignal {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}

impl AbortSignal {
    /// A signal that was not given yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal. What waits for a model or a page ends at once; an action that has begun in the page is not
    /// undone. Of several reasons the first counts.
    pub fn abort(&self, reason: impl Into<String>) {
        let reason = reason.into();
        self.0.send_if_modified(|given| {
            let is_first = given.is_none();
            given.get_or_insert(reason);
            is_first
        });
    }

    /// Why it was given; none when it was not.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Waits until it is given.
    pub async fn aborted(&self) -> String {
        let mut changes = self.0.subscribe();
        match changes.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or_default(),
            // The sender lives in `self`.
            Err(_) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_reaches_those_who_wait_and_those_who_come_later() {
        let signal = AbortSignal::new();
        assert_eq!(signal.reason(), None);
        let waiting = tokio::spawn({
            let signal = signal.clone();
            async move { signal.aborted().await }
        });
        signal.abort("first");
        signal.abort("second");
        assert_eq!(waiting.await.unwrap(), "first");
        assert_eq!(signal.aborted().await, "first");
    }
}
