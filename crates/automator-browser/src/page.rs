//! One page: navigation, what it shows, and the way to its frames.

use std::sync::Arc;
use std::time::Duration;

use automator_cdp::protocol::page::{CaptureScreenshot, capture_screenshot_format};
use automator_cdp::protocol::target::CloseTarget;
use automator_cdp::{Command, Session};
use serde_json::Value;

use crate::frame_table::FrameRecord;
use crate::navigation::{self, GotoOptions};
use crate::page_state::{Life, PageShared};
use crate::{Browser, BrowserError, Frame, Response};

/// How long a page may take to close.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);

/// After how long a page that has not closed is told again.
const CLOSE_AGAIN: Duration = Duration::from_millis(500);

/// A page; a cheap clone. Two are equal when they are the same page.
///
/// No method has a limit of its own unless it says so: drop the future, for example with
/// `tokio::time::timeout`, and the waiting ends.
#[derive(Clone)]
pub struct Page {
    browser: Browser,
    shared: Arc<PageShared>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Page({})", self.id())
    }
}

impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }
}

impl Eq for Page {}

/// The frames of a page that live in one process and are reached through one session.
#[derive(Debug, Clone)]
pub struct FrameGroup {
    /// The session; commands about the whole target (a snapshot of it, say) go here.
    pub session: Session,
    /// The frames, the topmost first.
    pub frames: Vec<Frame>,
}

impl Page {
    pub(crate) fn new(browser: Browser, shared: Arc<PageShared>) -> Self {
        Self { browser, shared }
    }

    /// The target id, which is also the id of the main frame. It stays for as long as the page is open.
    pub fn id(&self) -> &str {
        &self.shared.target_id
    }

    /// The browser.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// The DevTools session of the page itself. Frames in other processes have [their own](Frame::session).
    pub fn session(&self) -> &Session {
        &self.shared.session
    }

    /// The address of the main frame, fragment included, as the browser last told it.
    pub fn url(&self) -> String {
        let state = self.shared.state();
        state
            .frames
            .get(self.id())
            .map(|record| record.url.clone())
            .unwrap_or_default()
    }

    /// The title.
    ///
    /// # Errors
    /// As [`Frame::call_function`].
    pub async fn title(&self) -> Result<String, BrowserError> {
        let title = self.main_frame().call_library("title", &[]).await?;
        Ok(title.as_str().unwrap_or_default().to_owned())
    }

    /// The title as the browser last told it, which also a page that hangs has.
    pub fn last_title(&self) -> String {
        self.shared.state().title.clone()
    }

    /// The page that opened this one, if it is still open.
    pub fn opener(&self) -> Option<Page> {
        let opener = self.shared.opener.as_deref()?;
        let shared = self.browser.inner().page_of_target(opener)?;
        Some(Page::new(self.browser.clone(), shared))
    }

    /// Whether the page has been closed, by us or by itself.
    pub fn is_closed(&self) -> bool {
        self.shared.state().life == Life::Closed
    }

    /// The main frame.
    pub fn main_frame(&self) -> Frame {
        Frame::new(self.clone(), self.id().to_owned())
    }

    /// All frames, the main one first, the others in the order in which they came.
    pub fn frames(&self) -> Vec<Frame> {
        let state = self.shared.state();
        state
            .frames
            .all()
            .map(|record| Frame::new(self.clone(), record.id.clone()))
            .collect()
    }

    /// The frame with this id, if it is part of the page at present.
    pub fn frame(&self, id: &str) -> Option<Frame> {
        self.shared
            .state()
            .frames
            .get(id)
            .map(|record| Frame::new(self.clone(), record.id.clone()))
    }

    /// The frames by session: that of the page first, then one for every frame that lives in a process of its
    /// own, at any depth.
    pub fn frame_groups(&self) -> Vec<FrameGroup> {
        let state = self.shared.state();
        let mut groups: Vec<FrameGroup> = Vec::new();
        for record in state.frames.all() {
            let Some(session) = state.sessions.get(&record.session) else {
                continue;
            };
            let frame = Frame::new(self.clone(), record.id.clone());
            match groups.iter_mut().find(|group| group.session.id() == session.id()) {
                Some(group) => group.frames.push(frame),
                None => groups.push(FrameGroup {
                    session: session.clone(),
                    frames: vec![frame],
                }),
            }
        }
        for group in &mut groups {
            topmost_first(&mut group.frames, &state.frames);
        }
        groups
    }

    /// Goes to an address. Returns the main document's response; none when there is none, as for `about:blank`
    /// and for a step to a fragment of the same document.
    ///
    /// The limit counts from the first byte sent. A redirect by the page's own script is followed.
    ///
    /// # Errors
    /// [`BrowserError::InvalidUrl`]; [`BrowserError::Navigation`] for network errors (an HTTP error is a page
    /// like any other); [`BrowserError::NotAPage`] for downloads and empty answers;
    /// [`BrowserError::ProxyAuthentication`]; [`BrowserError::NavigationSuperseded`] when another navigation
    /// takes over; [`BrowserError::PageCrashed`] when the page crashes on the way;
    /// [`BrowserError::NavigationTimeout`].
    pub async fn goto(&self, url: &str, options: GotoOptions) -> Result<Option<Response>, BrowserError> {
        navigation::goto(self, url, options).await
    }

    /// Evaluates an expression in the main frame, where the page's own scripts run. See
    /// [`Frame::evaluate_in_page`].
    ///
    /// # Errors
    /// As [`Frame::evaluate_in_page`].
    pub async fn evaluate_in_page(&self, expression: &str) -> Result<Value, BrowserError> {
        self.main_frame().evaluate_in_page(expression).await
    }

    /// Sends any DevTools command to the page and gives the answer as it is. `params` is an object, or null for
    /// none.
    ///
    /// # Errors
    /// [`BrowserError::Protocol`] with the browser's own words when it refuses;
    /// [`BrowserError::InvalidArgument`] for other parameters; [`BrowserError::PageClosed`],
    /// [`BrowserError::PageCrashed`].
    pub async fn send_cdp(&self, method: &str, params: &Value) -> Result<Value, BrowserError> {
        self.or_end(send_cdp(self.session(), method, params)).await
    }

    /// A PNG of what the viewport shows.
    ///
    /// # Errors
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`] or a protocol error.
    pub async fn viewport_png(&self) -> Result<Vec<u8>, BrowserError> {
        let capture = CaptureScreenshot {
            format: Some(capture_screenshot_format::PNG.to_owned()),
            optimize_for_speed: Some(true),
            ..CaptureScreenshot::default()
        };
        self.capture_image(&capture).await
    }

    /// Closes the page and waits until it is gone, at most 5 s.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn close(&self) -> Result<(), BrowserError> {
        let close = CloseTarget {
            target_id: self.id().to_owned(),
        };
        let closing = async {
            while !self.is_closed() {
                match self
                    .browser
                    .session()
                    .send(&close)
                    .await
                    .map_err(BrowserError::from)
                {
                    // The browser refuses to close what is no longer there.
                    Ok(_) | Err(BrowserError::Protocol(_)) => {}
                    Err(error) => return Err(error),
                }
                // A page that gets a new document at that moment sometimes forgets that it should close.
                let closed = self
                    .shared
                    .wait_for(|state| (state.life == Life::Closed).then_some(()));
                let _ = tokio::time::timeout(CLOSE_AGAIN, closed).await;
            }
            Ok(())
        };
        tokio::time::timeout(CLOSE_LIMIT, closing).await.unwrap_or(Ok(()))
    }

    /// Remembers that input of ours goes to the page, so that a tab which it opens becomes active.
    pub fn note_input(&self) {
        self.shared.state().last_input = Some(std::time::Instant::now());
    }

    pub(crate) fn shared(&self) -> &Arc<PageShared> {
        &self.shared
    }

    /// Sends a command to the page; ends also when the page closes or crashes.
    pub(crate) async fn send<C: Command>(&self, command: &C) -> Result<C::Reply, BrowserError> {
        let call = self.shared.session.send(command);
        self.or_end(async { Ok(call.await?) }).await
    }

    /// Does some work that ends also when the page closes or crashes: the browser answers nothing then.
    pub(crate) async fn or_end<T>(
        &self,
        work: impl Future<Output = Result<T, BrowserError>>,
    ) -> Result<T, BrowserError> {
        let end = self.shared.wait_for(|state| match state.life {
            Life::Open => None,
            Life::Crashed => Some(BrowserError::PageCrashed),
            Life::Closed => Some(BrowserError::PageClosed),
        });
        let outcome = tokio::select! {
            biased;
            outcome = work => outcome,
            error = end => Err(error),
        };
        match outcome {
            Err(
                BrowserError::Protocol(automator_cdp::CdpError::SessionDetached { .. })
                | BrowserError::PageClosed,
            ) if !self.browser.is_connected() => Err(BrowserError::ConnectionClosed {
                reason: self.browser.closed().await,
            }),
            Err(BrowserError::Protocol(automator_cdp::CdpError::SessionDetached { .. }))
                if self.is_closed() =>
            {
                Err(BrowserError::PageClosed)
            }
            outcome => outcome,
        }
    }
}

/// Sends any command on a session.
pub(crate) async fn send_cdp(session: &Session, method: &str, params: &Value) -> Result<Value, BrowserError> {
    let none = Value::Object(serde_json::Map::new());
    let params = match params {
        Value::Null => &none,
        Value::Object(_) => params,
        _ => {
            return Err(BrowserError::InvalidArgument {
                argument: "params",
                problem: "the parameters of a command are an object".to_owned(),
            });
        }
    };
    let reply = session.send_raw(method, params).await?;
    reply.parse().map_err(|_| BrowserError::Unreadable {
        what: "the answer to a command",
    })
}

/// Sorts by depth and keeps the order otherwise.
fn topmost_first(frames: &mut [Frame], table: &crate::frame_table::FrameTable) {
    let depth = |frame: &Frame| {
        let mut current: Option<&FrameRecord> = table.get(frame.id());
        let mut depth = 0_usize;
        // The table cannot hold a cycle, but a wrong message must not make this endless.
        while let Some(record) = current.filter(|_| depth < 1_000) {
            depth += 1;
            current = record.parent.as_deref().and_then(|parent| table.get(parent));
        }
        depth
    };
    frames.sort_by_cached_key(depth);
}
