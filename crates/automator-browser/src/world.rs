//! Our own world in a document, where our scripts see the document but not the page's scripts, and the page
//! library in it.

use std::sync::Arc;

use automator_cdp::Session;
use automator_cdp::protocol::page::CreateIsolatedWorld;
use automator_cdp::protocol::runtime::Evaluate;

use crate::BrowserError;
use crate::library;
use crate::page_state::PageShared;
use crate::script::thrown;

/// The name of our world; also what DevTools shows.
const NAME: &str = "automator";

/// A frame's present document, and the session that reaches it.
#[derive(Debug, Clone)]
pub(crate) struct DocumentAt {
    pub(crate) shared: Arc<PageShared>,
    pub(crate) session: Session,
    pub(crate) frame_id: String,
    /// Its number in the frame table.
    pub(crate) document: u64,
}

impl DocumentAt {
    /// Makes our world, or gives the one that is there: the browser gives the same when it is asked twice, so two
    /// callers at once do no harm. The command goes out before the future is first polled.
    pub(crate) fn make_context(&self) -> impl Future<Output = Result<i64, BrowserError>> + Send + use<> {
        let creating = self.session.send(&CreateIsolatedWorld {
            frame_id: self.frame_id.clone(),
            world_name: Some(NAME.to_owned()),
            ..CreateIsolatedWorld::default()
        });
        let at = self.clone();
        async move {
            let context_id = creating.await?.execution_context_id;
            at.shared.remember(&at.frame_id, at.document, |record| {
                record.worlds.isolated = Some(context_id);
            });
            Ok(context_id)
        }
    }

    /// Installs the page library in our world and gives the id of its object.
    pub(crate) async fn install_library(&self, context_id: i64) -> Result<String, BrowserError> {
        let owner = format!("page library of {}", self.session.id().unwrap_or_default());
        let installing = self.session.send(&Evaluate {
            expression: library::source(&owner),
            context_id: Some(context_id),
            ..Evaluate::default()
        });
        let reply = installing.await?;
        if let Some(details) = reply.exception_details {
            return Err(thrown(details));
        }
        let object_id = reply.result.object_id.ok_or(BrowserError::Unreadable {
            what: "the page library",
        })?;
        self.shared.remember(&self.frame_id, self.document, |record| {
            record.worlds.library = Some(object_id.clone());
        });
        Ok(object_id)
    }

    /// Makes all of it ready before anybody asks: the first reading of a page would otherwise wait for two more
    /// answers, one after the other. What fails here is done again, and reported, by whoever needs it.
    pub(crate) fn warm_up(self) {
        let making = self.make_context();
        tokio::spawn(async move {
            if let Ok(context_id) = making.await {
                let _ = self.install_library(context_id).await;
            }
        });
    }
}
