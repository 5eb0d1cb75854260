//! The order in which pages were opened that were there before us.
//!
//! The browser lists its targets in no order and does not say when they were made. But it numbers the entries of all
//! histories in one row, so the page whose first entry has the lowest number is the oldest. A page that has replaced its
//! first entry, as going to the same address again does, or has more entries than the browser keeps, counts as younger
//! than it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::page::GetNavigationHistory;
use futures_util::future::join_all;

use crate::page_state::PageShared;

/// How long the browser may take to tell the histories: it answers itself, and not the pages.
const LIMIT: Duration = Duration::from_secs(1);

/// The number of the first entry in the history of each page that has answered, by target id.
pub(crate) async fn first_entries(pages: &[Arc<PageShared>]) -> HashMap<String, i64> {
    let asking = pages.iter().map(|page| async {
        let history = page.session.send(&GetNavigationHistory {});
        let history = tokio::time::timeout(LIMIT, history).await.ok()?.ok()?;
        Some((page.target_id.clone(), history.entries.first()?.id))
    });
    join_all(asking).await.into_iter().flatten().collect()
}
