//! Closed shadow roots, which scripts cannot see.
//!
//! The DevTools protocol sees them. Whether there are any is cheap to ask: a search for `<` counts the elements
//! of all trees (4 ms on a middling page), and our own count leaves out what is behind closed doors. Only when
//! the counts differ, a bare snapshot (25 ms there, 0.3 s on a table of 5,000 rows) tells where they are.

use std::collections::HashMap;

use automator_cdp::protocol::dom::{Disable, Enable};
use automator_cdp::{RawReply, Session};
use serde::Deserialize;
use serde_json::json;

use crate::page::FrameGroup;
use crate::{BrowserError, Page};

/// The closed shadow roots of a page's documents, as backend node ids by frame id.
#[derive(Debug, Clone, Default)]
pub struct ClosedRoots {
    by_frame: HashMap<String, Vec<i64>>,
}

impl ClosedRoots {
    /// Adds the root with this backend node id, in the document of this frame.
    pub fn add(&mut self, frame_id: &str, backend_node_id: i64) {
        self.by_frame
            .entry(frame_id.to_owned())
            .or_default()
            .push(backend_node_id);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_frame.is_empty()
    }

    pub(crate) fn of_frame(&self, frame_id: &str) -> &[i64] {
        self.by_frame.get(frame_id).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Finds all closed roots of a page. A frame that does not answer is left out by its process's own failure; one
/// that hangs holds this up, as it does whatever else is asked of it.
pub(crate) async fn closed_roots(page: &Page) -> Result<ClosedRoots, BrowserError> {
    let groups = page.frame_groups();
    let searches = groups.iter().map(|group| in_group(page, group));
    let mut all = ClosedRoots::default();
    for found in futures_util::future::join_all(searches).await {
        match found {
            Ok(found) => all.by_frame.extend(found.by_frame),
            Err(BrowserError::FrameGone | BrowserError::Protocol(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

async fn in_group(page: &Page, group: &FrameGroup) -> Result<ClosedRoots, BrowserError> {
    let counted = count_all(&group.session);
    let reachable = async {
        let counts = group
            .frames
            .iter()
            .map(|frame| frame.call_library("countElements", &[]));
        let mut sum = 0;
        for count in futures_util::future::join_all(counts).await {
            sum += count.ok()?.as_u64()?;
        }
        Some(sum)
    };
    let (counted, reachable) = page
        .or_end(async { Ok(tokio::join!(counted, reachable)) })
        .await?;
    if counted.is_some() && counted == reachable {
        return Ok(ClosedRoots::default());
    }
    let snapshot = group
        .session
        .send_raw("DOMSnapshot.captureSnapshot", json!({ "computedStyles": [] }));
    let reply = page.or_end(async { Ok(snapshot.await?) }).await?;
    read_snapshot(&reply)
}

/// How many elements the session's documents have, behind closed doors included. The search needs the DOM
/// agent, which is on for this moment only; all three commands go out together.
async fn count_all(session: &Session) -> Option<u64> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Found {
        result_count: u64,
    }
    drop(session.send(&Enable::default()));
    let search = session.send_raw(
        "DOM.performSearch",
        json!({ "query": "<", "includeUserAgentShadowDOM": false }),
    );
    drop(session.send(&Disable {}));
    Some(search.await.ok()?.parse::<Found>().ok()?.result_count)
}

/// The part of a snapshot that is needed.
#[derive(Deserialize)]
struct Snapshot {
    documents: Vec<Document>,
    strings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    frame_id: usize,
    nodes: Nodes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Nodes {
    backend_node_id: Vec<i64>,
    shadow_root_type: RareStrings,
}

#[derive(Deserialize, Default)]
struct RareStrings {
    #[serde(default)]
    index: Vec<usize>,
    #[serde(default)]
    value: Vec<usize>,
}

fn read_snapshot(reply: &RawReply) -> Result<ClosedRoots, BrowserError> {
    let snapshot: Snapshot = reply
        .parse()
        .map_err(|_| BrowserError::Unreadable { what: "the snapshot" })?;
    let mut roots = ClosedRoots::default();
    for document in &snapshot.documents {
        let Some(frame_id) = snapshot.strings.get(document.frame_id) else {
            continue;
        };
        let types = &document.nodes.shadow_root_type;
        for (node, kind) in types.index.iter().zip(&types.value) {
            let is_closed = snapshot.strings.get(*kind).is_some_and(|kind| kind == "closed");
            if let Some(id) = document.nodes.backend_node_id.get(*node).filter(|_| is_closed) {
                roots.add(frame_id, *id);
            }
        }
    }
    Ok(roots)
}
