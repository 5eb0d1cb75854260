//! Closed shadow roots, which scripts cannot see.
//!
//! The DevTools protocol sees them. Whether there are any is cheap to ask: a search for `<` counts the elements
//! of all trees (4 ms on a middling page), and our own count leaves out what is behind closed doors. Only when
//! the counts differ, a bare snapshot (25 ms there, 0.3 s on a table of 5,000 rows) tells where they are.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use automator_cdp::protocol::dom::{DescribeNode, Disable, Enable, shadow_root_type};
use automator_cdp::{CdpError, RawReply, Session};
use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;

use crate::page::FrameGroup;
use crate::{BrowserError, Page};

/// How long the frames of one process may take. A table of 20,000 rows takes 3 s on a slow machine.
const GROUP_LIMIT: Duration = Duration::from_secs(5);

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

/// Finds all closed roots of a page. Frames that do not answer in time are taken to have none: they hold up
/// whatever is asked of them, but not the rest of the page.
pub(crate) async fn closed_roots(page: &Page) -> Result<ClosedRoots, BrowserError> {
    let groups = page.frame_groups();
    let searches = groups
        .iter()
        .map(|group| tokio::time::timeout(GROUP_LIMIT, in_group(page, group)));
    let mut all = ClosedRoots::default();
    for found in join_all(searches).await {
        match found {
            Ok(Ok(found)) => all.by_frame.extend(found.by_frame),
            Ok(Err(BrowserError::FrameGone | BrowserError::Protocol(_))) | Err(_) => {}
            Ok(Err(error)) => return Err(error),
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
        for count in join_all(counts).await {
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
    let described = hosts(&reply)?.into_iter().map(async |(frame_id, host)| {
        let roots = roots_below(&group.session, host).await;
        roots
            .into_iter()
            .map(move |root| (frame_id.clone(), root))
            .collect::<Vec<_>>()
    });
    let described = page.or_end(async { Ok(join_all(described).await) }).await?;
    let mut roots = ClosedRoots::default();
    for (frame_id, root) in described.into_iter().flatten() {
        roots.add(&frame_id, root);
    }
    Ok(roots)
}

/// The closed roots of a host and of everything inside them.
async fn roots_below(session: &Session, host: i64) -> Vec<i64> {
    let describe = |depth| DescribeNode {
        backend_node_id: Some(host),
        depth: Some(depth),
        pierce: Some(true),
        ..DescribeNode::default()
    };
    let reply = match session.send(&describe(-1)).await {
        // What nests very deep the browser tells only one level at a time.
        Err(CdpError::Protocol { .. }) => session.send(&describe(0)).await,
        reply => reply,
    };
    let mut roots = Vec::new();
    let Ok(reply) = reply else { return roots };
    let mut open = vec![&reply.node];
    while let Some(node) = open.pop() {
        if node.shadow_root_type.as_deref() == Some(shadow_root_type::CLOSED) {
            roots.push(node.backend_node_id);
        }
        // Not into frames: their documents have hosts of their own.
        open.extend(node.shadow_roots.iter().chain(&node.children));
    }
    roots
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
    parent_index: Vec<i64>,
    backend_node_id: Vec<i64>,
    /// Set for everything inside a shadow root; the roots themselves are not among the nodes.
    shadow_root_type: RareStrings,
}

#[derive(Deserialize, Default)]
struct RareStrings {
    #[serde(default)]
    index: Vec<usize>,
    #[serde(default)]
    value: Vec<usize>,
}

/// Frame and backend node id of the hosts whose closed root is not itself inside of one.
fn hosts(reply: &RawReply) -> Result<BTreeSet<(String, i64)>, BrowserError> {
    let snapshot: Snapshot = reply
        .parse()
        .map_err(|_| BrowserError::Unreadable { what: "the snapshot" })?;
    let mut hosts = BTreeSet::new();
    for document in &snapshot.documents {
        let Some(frame_id) = snapshot.strings.get(document.frame_id) else {
            continue;
        };
        let nodes = &document.nodes;
        let marks = nodes
            .shadow_root_type
            .index
            .iter()
            .zip(&nodes.shadow_root_type.value);
        let is_closed = |kind: usize| {
            snapshot
                .strings
                .get(kind)
                .is_some_and(|kind| kind == shadow_root_type::CLOSED)
        };
        let closed: BTreeSet<usize> = marks
            .filter(|(_, kind)| is_closed(**kind))
            .map(|(node, _)| *node)
            .collect();
        for node in &closed {
            let parent = nodes
                .parent_index
                .get(*node)
                .and_then(|parent| usize::try_from(*parent).ok());
            let host = parent.filter(|parent| !closed.contains(parent));
            if let Some(id) = host.and_then(|host| nodes.backend_node_id.get(host)) {
                hosts.insert((frame_id.clone(), *id));
            }
        }
    }
    Ok(hosts)
}
