//! Forgetting what is old enough.

use super::Platform;

impl Platform {
    /// Forgets the sessions that ended longer ago than they are kept.
    pub(super) async fn forget(&self) {
        match self.forget_old().await {
            Ok(0) => {}
            Ok(sessions) => tracing::info!(sessions, "sessions that ended long ago are forgotten"),
            Err(error) => tracing::warn!(%error, "sessions that ended long ago could not be forgotten"),
        }
    }

    async fn forget_old(&self) -> Result<u64, crate::store::StoreError> {
        let store = &self.inner.store;
        let kept = i64::try_from(self.inner.options.retention.as_millis()).unwrap_or(i64::MAX);
        store.forget_before(store.now().await?.saturating_sub(kept)).await
    }
}
