//! The snapshot of a page: every target is asked once, all at the same time; the answers become one text.

use std::sync::Arc;
use std::time::{Duration, Instant};

use automator_cdp::protocol::dom::GetFrameOwner;
use automator_cdp::{RawReply, Session};
use automator_snapshot::capture::COMPUTED_STYLES;
use automator_snapshot::{
    CapturedTarget, DocumentFacts, Element, FrameOwner, LateElement, NodeRef, PathPiece, Reply, Scope,
    Snapshot, SnapshotError, XPath,
};
use futures_util::future::{join_all, try_join_all};
use serde_json::{Value, json};

use crate::frame_table::FrameRecord;
use crate::page::FrameGroup;
use crate::resolve::{read_node_ids, resolve_node};
use crate::{Argument, BrowserError, ElementRef, Frame, Matches, Page, Selector};

/// Replies beyond this many bytes are read on a thread for blocking work.
const BLOCKING_SIZE: usize = 1024 * 1024;

/// How often a page is asked again because a document changed while it answered.
const ATTEMPTS: usize = 3;

/// Elements with content laid out late that one snapshot waits for.
const LATE_ELEMENTS: usize = 2_000;

/// How deep content laid out late may be nested in itself.
const LATE_LEVELS: usize = 4;

/// How long a capture waits for frames whose documents are on their way. A frame that has been at it for longer
/// than this is not waited for, so one that never ends costs no more, however often the page is read.
const FRAME_PATIENCE: Duration = Duration::from_secs(2);

/// Which part of a page is read, and how long frames may take.
#[derive(Debug, Clone)]
pub struct SnapshotOptions {
    /// Only the first element that this leads to; the whole page when none.
    pub selector: Option<Selector>,
    /// All elements that these lead to are left out with what is below them.
    pub ignore: Vec<Selector>,
    /// Whether the content of child frames is left out.
    pub without_frames: bool,
    /// How long frames may take before they are told as unread: what a frame in a process of its own may take
    /// to answer, and twice of what is waited for documents on their way, 2 s at most. 5 s by default.
    pub frame_limit: Duration,
    /// Values that fields may show, and what is told instead.
    pub masked_values: Arc<[(String, String)]>,
    /// Whether a document that scrolls is told as a scrollable element.
    pub tells_scrolling: bool,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self {
            selector: None,
            ignore: Vec::new(),
            without_frames: false,
            frame_limit: Duration::from_secs(5),
            masked_values: Arc::default(),
            tells_scrolling: false,
        }
    }
}

impl Page {
    /// Reads the page, or a part of it, as text with ids. Frames in any process and shadow roots, open and
    /// closed, stand in it where they belong. Frames whose documents are just coming are waited for, at most 2 s.
    ///
    /// # Errors
    /// Those of [`resolve`](Page::resolve) for the selectors; [`BrowserError::Snapshot`] when the browser's
    /// answer cannot be read; [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn snapshot(&self, options: &SnapshotOptions) -> Result<Snapshot, BrowserError> {
        if !options.without_frames {
            self.frames_arrive(options.frame_limit / 2).await?;
        }
        let mut attempt = 1;
        loop {
            let snapshot = self.snapshot_once(options).await;
            match snapshot {
                // The element went, or its frame got another document, between two answers.
                Err(
                    BrowserError::Snapshot {
                        source: SnapshotError::ScopeGone,
                    }
                    | BrowserError::FrameGone,
                ) if attempt < ATTEMPTS => {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// Waits for the documents of child frames that are on their way, for a while.
    async fn frames_arrive(&self, limit: Duration) -> Result<(), BrowserError> {
        let now = Instant::now();
        let is_awaited = |frame: &FrameRecord| {
            let since = frame.coming_since().filter(|_| frame.parent.is_some());
            since.is_some_and(|since| now.saturating_duration_since(since) < FRAME_PATIENCE)
        };
        let arrived = self
            .shared()
            .wait_for(|state| (!state.frames.all().any(is_awaited)).then_some(()));
        let waiting = self.or_end(async {
            arrived.await;
            Ok(())
        });
        tokio::time::timeout(limit.min(FRAME_PATIENCE), waiting)
            .await
            .unwrap_or(Ok(()))
    }

    /// The child frames whose documents are on their way.
    fn coming_frames(&self) -> Vec<Frame> {
        let state = self.shared().state();
        let coming = state
            .frames
            .all()
            .filter(|frame| frame.parent.is_some() && frame.coming_since().is_some());
        coming
            .map(|frame| Frame::new(self.clone(), frame.id.clone()))
            .collect()
    }

    async fn snapshot_once(&self, options: &SnapshotOptions) -> Result<Snapshot, BrowserError> {
        let groups = self.frame_groups();
        let scoped = async {
            let within = match &options.selector {
                Some(selector) => self.resolve(selector, Matches::First, None).await?,
                None => Vec::new(),
            };
            let without = options
                .ignore
                .iter()
                .map(|selector| self.resolve(selector, Matches::All, None));
            Ok::<_, BrowserError>((within, try_join_all(without).await?.concat()))
        };
        let (captured, scoped) = tokio::join!(capture_all(self, &groups, options.frame_limit), scoped);
        let (captured, (within, without)) = (captured?, scoped?);
        let target_of = |element: &ElementRef| {
            let target = groups
                .iter()
                .position(|group| group.session.id() == element.session.id())?;
            Some(NodeRef {
                target,
                backend_node_id: element.backend_node_id,
            })
        };
        let scope = Scope {
            within: match within.first() {
                Some(element) => Some(target_of(element).ok_or(BrowserError::FrameGone)?),
                None => None,
            },
            without: without.iter().filter_map(target_of).collect(),
            without_frames: options.without_frames,
            masked: Arc::clone(&options.masked_values),
            tells_scrolling: options.tells_scrolling,
        };
        let mut snapshot = self.read(captured, scope.clone()).await?;
        let mut laid_out = 0;
        // What is laid out now may hold more that is kept for later.
        while laid_out < LATE_LEVELS && !snapshot.late_content().is_empty() {
            laid_out += 1;
            self.lay_out(snapshot.late_content()).await?;
            let captured = capture_all(self, &groups, options.frame_limit).await?;
            snapshot = self.read(captured, scope.clone()).await?;
        }
        Ok(snapshot)
    }

    async fn read(&self, captured: Vec<CapturedTarget>, scope: Scope) -> Result<Snapshot, BrowserError> {
        let shared = Arc::clone(self.shared());
        let size: usize = captured
            .iter()
            .filter_map(|target| target.reply.as_ref())
            .map(|reply| reply.as_str().len())
            .sum();
        let read = move || Snapshot::read(captured.into(), &mut shared.ids(), &scope);
        let snapshot = if size > BLOCKING_SIZE {
            tokio::task::spawn_blocking(read)
                .await
                .map_err(|_| BrowserError::Unreadable { what: "the page" })?
        } else {
            read()
        };
        snapshot.map_err(|source| BrowserError::Snapshot { source })
    }

    async fn lay_out(&self, late: &[LateElement]) -> Result<(), BrowserError> {
        let late = late.iter().take(LATE_ELEMENTS);
        let nodes: Vec<_> = late
            .map(|late| (late.frame_id.as_str(), late.backend_node_id))
            .collect();
        self.call_on_nodes("layOut", &nodes).await.map(|_| ())
    }

    /// The element behind an id of a snapshot of this page.
    ///
    /// # Errors
    /// [`BrowserError::PageChanged`] when its frame shows another document by now.
    pub fn element(&self, element: &Element) -> Result<ElementRef, BrowserError> {
        let frame = self
            .frame(&element.node.frame_id)
            .filter(|frame| frame.loader_id() == element.node.document_id);
        let frame = frame.ok_or(BrowserError::PageChanged {
            id: element.id.to_string(),
        })?;
        Ok(ElementRef {
            session: frame.session()?,
            backend_node_id: element.node.backend_node_id,
            loader_id: element.node.document_id.clone(),
            tag: element.tag.clone(),
            frame,
        })
    }

    /// Absolute XPaths of a snapshot of this page as text, those below slots asked of the page.
    ///
    /// One whose node has gone meanwhile has none.
    ///
    /// # Errors
    /// As [`Frame::call_function`].
    pub async fn xpaths_of(&self, paths: &[&XPath]) -> Result<Vec<Option<String>>, BrowserError> {
        let pieces = paths.iter().flat_map(|path| match path {
            XPath::BelowSlot(pieces) => pieces.as_slice(),
            XPath::Counted(_) => &[],
        });
        let asked: Vec<(&str, i64)> = pieces
            .filter_map(|piece| match piece {
                PathPiece::InPage {
                    frame_id,
                    backend_node_id,
                } => Some((frame_id.as_str(), *backend_node_id)),
                PathPiece::Counted(_) => None,
            })
            .collect();
        let mut answers = self.call_on_nodes("paths", &asked).await?.into_iter();
        let whole = |path: &&XPath| match path {
            XPath::Counted(path) => Some(path.clone()),
            XPath::BelowSlot(pieces) => {
                let pieces: Vec<Option<String>> = pieces
                    .iter()
                    .map(|piece| match piece {
                        PathPiece::Counted(path) => Some(path.clone()),
                        PathPiece::InPage { .. } => answers.next().flatten()?.as_str().map(str::to_owned),
                    })
                    .collect();
                pieces
                    .into_iter()
                    .collect::<Option<Vec<String>>>()
                    .map(|pieces| pieces.concat())
            }
        };
        Ok(paths.iter().map(whole).collect())
    }

    /// Calls a function of the page library once in each frame with all of the nodes in it, and gives for each
    /// node its entry of the answer; none for a node that has gone.
    pub(crate) async fn call_on_nodes(
        &self,
        name: &str,
        nodes: &[(&str, i64)],
    ) -> Result<Vec<Option<Value>>, BrowserError> {
        let mut answers = vec![None; nodes.len()];
        let mut frames: Vec<&str> = nodes.iter().map(|(frame_id, _)| *frame_id).collect();
        frames.sort_unstable();
        frames.dedup();
        for frame_id in frames {
            let Some(frame) = self.frame(frame_id) else {
                continue;
            };
            let positions = (0..nodes.len()).filter(|&position| nodes[position].0 == frame_id);
            let resolving = positions.map(|position| {
                let frame = &frame;
                async move { Ok::<_, BrowserError>((position, resolve_node(frame, nodes[position].1).await?)) }
            });
            let resolved = try_join_all(resolving).await?;
            let there: Vec<_> = resolved
                .into_iter()
                .filter_map(|(position, handle)| Some((position, handle?)))
                .collect();
            let arguments: Vec<Argument<'_>> =
                there.iter().map(|(_, handle)| Argument::from(handle)).collect();
            let found = frame.call_library(name, &arguments).await?;
            for (number, (position, _)) in there.iter().enumerate() {
                answers[*position] = found.get(number).cloned();
            }
        }
        Ok(answers)
    }
}

/// Asks every target at the same time. The page itself has no limit here: its caller's deadline ends it. A frame
/// whose document is still on its way counts as one that has not answered.
async fn capture_all(
    page: &Page,
    groups: &[FrameGroup],
    frame_limit: Duration,
) -> Result<Vec<CapturedTarget>, BrowserError> {
    let mut coming = page.coming_frames();
    let captures = groups.iter().enumerate().map(|(position, group)| async move {
        if position == 0 {
            return page
                .or_end(capture(group))
                .await
                .map(|(reply, facts)| CapturedTarget {
                    reply: Some(reply),
                    facts,
                    owner: None,
                });
        }
        let owner = async {
            let topmost = group.frames.first()?;
            owner_of(groups, topmost).await
        };
        let (owner, captured) = tokio::join!(
            tokio::time::timeout(frame_limit, owner),
            tokio::time::timeout(frame_limit, capture(group))
        );
        let (reply, facts) = match captured {
            Ok(Ok((reply, facts))) => (Some(reply), facts),
            Ok(Err(_)) | Err(_) => (None, Vec::new()),
        };
        let owner = owner.ok().flatten();
        Ok(CapturedTarget { reply, facts, owner })
    });
    let mut captured: Vec<CapturedTarget> = join_all(captures).await.into_iter().collect::<Result<_, _>>()?;
    let meanwhile = page.coming_frames();
    coming.extend(meanwhile);
    coming.sort_unstable_by(|one, other| one.id().cmp(other.id()));
    coming.dedup();
    let owners = coming
        .iter()
        .map(|frame| tokio::time::timeout(frame_limit, owner_of(groups, frame)));
    let owners = join_all(owners).await.into_iter().filter_map(|owner| owner.ok()?);
    captured.extend(owners.map(|owner| CapturedTarget {
        owner: Some(owner),
        ..CapturedTarget::default()
    }));
    Ok(captured)
}

async fn capture(group: &FrameGroup) -> Result<(Reply, Vec<DocumentFacts>), BrowserError> {
    let facts = join_all(group.frames.iter().map(facts_of));
    let parameters = json!({ "computedStyles": COMPUTED_STYLES });
    let reply = group.session.send_raw("DOMSnapshot.captureSnapshot", parameters);
    let (reply, facts) = tokio::join!(reply, facts);
    Ok((Reply::new(CaptureReply(reply?)), facts))
}

/// Keeps the message that the reply came in.
struct CaptureReply(RawReply);

impl AsRef<str> for CaptureReply {
    fn as_ref(&self) -> &str {
        self.0.get()
    }
}

/// What the capture lacks of one document. A document that will not run our script is read without.
async fn facts_of(frame: &Frame) -> DocumentFacts {
    let mut facts = DocumentFacts {
        frame_id: frame.id().to_owned(),
        document_id: frame.loader_id(),
        ..DocumentFacts::default()
    };
    if let Ok(found) = frame.call_for_node_ids("facts").await {
        let of = |position: usize| found.get(position).map(read_node_ids).unwrap_or_default();
        facts.focused = of(0).first().copied();
        facts.modal = of(1).first().copied();
        facts.indeterminate = of(2);
        facts.invalid = of(3);
        facts.concealed = of(4);
    }
    facts
}

/// The element that shows a frame.
async fn owner_of(groups: &[FrameGroup], frame: &Frame) -> Option<FrameOwner> {
    let session: Session = frame.parent()?.session().ok()?;
    let target = groups
        .iter()
        .position(|owner| owner.session.id() == session.id())?;
    let owner = session
        .send(&GetFrameOwner {
            frame_id: frame.id().to_owned(),
        })
        .await
        .ok()?;
    Some(FrameOwner {
        target,
        backend_node_id: owner.backend_node_id,
        frame_id: frame.id().to_owned(),
    })
}
