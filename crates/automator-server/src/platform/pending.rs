//! Sessions that wait for a place: who ends one takes it out of the queue.

use std::collections::HashMap;

use tokio::sync::oneshot;

use super::Platform;

/// By their ids, what is dropped when they are ended.
pub(super) type PendingSessions = HashMap<String, oneshot::Sender<()>>;

/// A session that waits. It is none any more when this is dropped.
#[derive(Debug)]
pub(super) struct Pending {
    platform: Platform,
    id: String,
    ended: oneshot::Receiver<()>,
}

impl Pending {
    /// Waits until it is ended by somebody else.
    pub(super) async fn ended(&mut self) {
        // Nothing is ever sent: the other half goes.
        let _ = (&mut self.ended).await;
    }
}

impl Platform {
    pub(super) fn begin_pending(&self, id: &str) -> Pending {
        let (tell, ended) = oneshot::channel();
        self.inner.pending().insert(id.to_owned(), tell);
        Pending {
            platform: self.clone(),
            id: id.to_owned(),
            ended,
        }
    }

    /// Takes a session out of the queue, if it is in it.
    pub(super) fn end_pending(&self, id: &str) {
        self.inner.pending().remove(id);
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.platform.end_pending(&self.id);
    }
}
