//! Dragging with the mouse: what the page does itself with the pointer, and what the browser does for it.
//!
//! Where an element can be dragged natively (`draggable`, links, images, selected text), the browser would hand
//! the drag to the system's window manager. It tells us instead, and we give the page the drag events that the
//! system would cause, with the data that the page attached.

use std::time::Duration;

use automator_cdp::protocol::input::{
    CancelDragging, DispatchDragEvent, DragData, DragInterceptedEvent, SetInterceptDrags,
    dispatch_drag_event_type,
};
use automator_cdp::{EventType as _, Events, Filter, Session};

use crate::input::deliver;
use crate::input::keys::Modifiers;
use crate::input::mouse::{Mouse, MouseButton, check_point};
use crate::{BrowserError, Frame, Page};

/// How long the browser may take to hand over a drag that has begun.
const HANDOVER: Duration = Duration::from_secs(2);

/// How far the mouse moves, across and down, before a native drag begins: more than by a trembling hand.
const PICK_UP: f64 = 6.0;

/// How often the place of a native drop is told once more before it, as by a mouse that rests.
const RESTING: u32 = 2;

/// How [`Page::drag_and_drop`] drags.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DragOptions {
    /// How many moves lead from the start to the end, evenly spread. Default: 1. Whatever their number, one more
    /// follows at the end itself: many pages take the first move as the sign that a drag begins, and follow the
    /// mouse only from the next one on.
    pub steps: u32,
    /// How long to wait after the press, after each move, and before the release. Default: not at all.
    pub delay: Duration,
    /// Which button. Only the left one drags natively. Default: left.
    pub button: MouseButton,
    /// Keys that are held meanwhile. Default: none.
    pub modifiers: Modifiers,
    /// Whether the XPaths of the elements at start and end are wanted. Default: no.
    pub return_xpath: bool,
}

impl Default for DragOptions {
    fn default() -> Self {
        Self {
            steps: 1,
            delay: Duration::ZERO,
            button: MouseButton::Left,
            modifiers: Modifiers::default(),
            return_xpath: false,
        }
    }
}

impl Page {
    /// Drags from one point of the viewport to another: move, press, move in steps, release. Native drag and drop
    /// takes place with all its events, from `dragstart` to `dragend`, and with its data.
    ///
    /// Returns the [XPaths](Self::xpath_at) of the elements at both points before the drag, when
    /// [`return_xpath`](DragOptions::return_xpath) is set; else empty texts.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] for coordinates that are no numbers and for no steps;
    /// [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn drag_and_drop(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        options: &DragOptions,
    ) -> Result<(String, String), BrowserError> {
        check_point(from.0, from.1)?;
        check_point(to.0, to.1)?;
        check_steps(options.steps)?;
        let _turn = self.input_turn().await?;
        let paths = (
            self.xpath_if(options.return_xpath, from.0, from.1).await?,
            self.xpath_if(options.return_xpath, to.0, to.1).await?,
        );
        let mut drag = Drag::begin(self, from, options).await?;
        drag.move_to(to).await?;
        drag.drop_here().await?;
        Ok(paths)
    }

    /// As [`drag_and_drop`](Self::drag_and_drop), by way of several points of the viewport: from the first to the last.
    ///
    /// # Errors
    /// As [`drag_and_drop`](Self::drag_and_drop), and [`BrowserError::InvalidArgument`] for fewer than two points.
    pub async fn drag_along(&self, path: &[(f64, f64)], options: &DragOptions) -> Result<(), BrowserError> {
        let [from, on_the_way @ .., to] = path else {
            return Err(BrowserError::InvalidArgument {
                argument: "path",
                problem: "it must have two points at least".to_owned(),
            });
        };
        for (x, y) in path {
            check_point(*x, *y)?;
        }
        check_steps(options.steps)?;
        let _turn = self.input_turn().await?;
        let mut drag = Drag::begin(self, *from, options).await?;
        for point in on_the_way.iter().chain([to]) {
            drag.move_to(*point).await?;
        }
        drag.drop_here().await
    }
}

fn check_steps(steps: u32) -> Result<(), BrowserError> {
    if steps > 0 {
        return Ok(());
    }
    Err(BrowserError::InvalidArgument {
        argument: "steps",
        problem: "it must be at least 1".to_owned(),
    })
}

/// A drag under way, in the coordinates of the page's viewport; for those who have the turn. Dropped before its
/// end, it is cancelled.
pub(crate) struct Drag<'a> {
    page: &'a Page,
    options: &'a DragOptions,
    held: Option<crate::input::mouse::Held<'a>>,
    at: (f64, f64),
    native: Native<'a>,
}

/// The browser's part in a drag.
struct Native<'a> {
    page: &'a Page,
    /// The sessions whose drags are intercepted.
    sessions: Vec<Session>,
    /// Where the drag would begin; none when it cannot be a native one.
    start: Option<Frame>,
    intercepted: Events,
    data: Option<DragData>,
}

impl<'a> Drag<'a> {
    /// Moves to the start and presses.
    pub(crate) async fn begin(
        page: &'a Page,
        from: (f64, f64),
        options: &'a DragOptions,
    ) -> Result<Drag<'a>, BrowserError> {
        let mouse = Mouse {
            page,
            session: page.session(),
            modifiers: options.modifiers,
        };
        mouse.move_to(from.0, from.1, None).await?;
        let native = Native::watch(page, from, options).await?;
        let held = mouse.press(from.0, from.1, options.button, 1).await?;
        pause(options.delay).await;
        Ok(Drag {
            page,
            options,
            held: Some(held),
            at: from,
            native,
        })
    }

    /// Moves to a point in the steps that were asked for, and once more at the point itself.
    pub(crate) async fn move_to(&mut self, to: (f64, f64)) -> Result<(), BrowserError> {
        let from = self.at;
        for step in 1..=self.options.steps {
            let part = f64::from(step) / f64::from(self.options.steps);
            let between = |from: f64, to: f64| {
                if step == self.options.steps {
                    to
                } else {
                    from + (to - from) * part
                }
            };
            self.step((between(from.0, to.0), between(from.1, to.1))).await?;
        }
        self.step(to).await
    }

    /// Whether the browser has taken the drag over: it goes on with drag events, from `dragstart` to `drop`.
    pub(crate) fn is_native(&self) -> bool {
        self.native.data.is_some()
    }

    /// Moves a little from the start, so that what is dragged goes along with whatever comes next.
    pub(crate) async fn pick_up(&mut self) -> Result<(), BrowserError> {
        let (x, y) = self.at;
        self.step((x + PICK_UP, y + PICK_UP)).await
    }

    /// Releases where the mouse is.
    pub(crate) async fn drop_here(mut self) -> Result<(), BrowserError> {
        let Some(held) = self.held.take() else {
            return Ok(());
        };
        if let Some(data) = self.native.data.take() {
            // A list that makes room has something else under the mouse now, which has only been entered so far.
            for _ in 0..RESTING {
                self.drag_event(dispatch_drag_event_type::DRAG_OVER, data.clone())
                    .await?;
            }
            self.drag_event(dispatch_drag_event_type::DROP, data).await?;
            // The press ended when the browser took over the drag.
            held.forget();
            return Ok(());
        }
        held.release(self.at.0, self.at.1).await
    }

    async fn step(&mut self, to: (f64, f64)) -> Result<(), BrowserError> {
        self.at = to;
        if let Some(data) = self.native.data.clone() {
            self.drag_event(dispatch_drag_event_type::DRAG_OVER, data).await?;
        } else {
            if let Some(held) = &mut self.held {
                held.move_to(to.0, to.1).await?;
            }
            if self.native.has_begun().await?
                && let Some(data) = self.native.data.clone()
            {
                self.drag_event(dispatch_drag_event_type::DRAG_ENTER, data.clone())
                    .await?;
                self.drag_event(dispatch_drag_event_type::DRAG_OVER, data).await?;
            }
        }
        pause(self.options.delay).await;
        Ok(())
    }

    async fn drag_event(&self, kind: &str, data: DragData) -> Result<(), BrowserError> {
        let event = DispatchDragEvent {
            r#type: kind.to_owned(),
            x: self.at.0,
            y: self.at.1,
            data,
            modifiers: Some(self.options.modifiers.bits()),
        };
        deliver(self.page, self.page.session(), &event).await
    }
}

impl<'a> Native<'a> {
    async fn watch(
        page: &'a Page,
        from: (f64, f64),
        options: &DragOptions,
    ) -> Result<Native<'a>, BrowserError> {
        let start = if options.button == MouseButton::Left {
            page.spots(from.0, from.1).await?.pop().map(|spot| spot.frame)
        } else {
            None
        };
        let mut sessions = vec![page.session().clone()];
        if let Some(inner) = start.as_ref().and_then(|frame| frame.session().ok())
            && inner.id() != page.session().id()
        {
            sessions.push(inner);
        }
        let filter = Filter::all().methods([DragInterceptedEvent::METHOD]);
        let native = Self {
            page,
            intercepted: page.session().connection().subscribe(filter),
            start,
            sessions,
            data: None,
        };
        if let Some(start) = &native.start {
            for session in &native.sessions {
                deliver(page, session, &SetInterceptDrags { enabled: true }).await?;
            }
            start.call_library("watchDrag", &[]).await?;
        }
        Ok(native)
    }

    /// Whether the browser has just taken the drag over; its data are there then.
    async fn has_begun(&mut self) -> Result<bool, BrowserError> {
        let Some(start) = &self.start else {
            return Ok(false);
        };
        let began = match start.call_library("dragBegan", &[]).await {
            Ok(began) => began == true,
            // The drag goes on without the frame that it began in.
            Err(BrowserError::FrameGone) => false,
            Err(error) => return Err(error),
        };
        if !began {
            return Ok(false);
        }
        let ours: Vec<Option<String>> = self
            .sessions
            .iter()
            .map(|session| session.id().map(str::to_owned))
            .collect();
        let handing = async {
            while let Some(event) = self.intercepted.next().await {
                let is_ours = ours.iter().any(|id| id.as_deref() == event.session_id());
                if let (true, Ok(event)) = (is_ours, event.parse::<DragInterceptedEvent>()) {
                    return Some(event.data);
                }
            }
            None
        };
        let handed = self
            .page
            .or_end(async { Ok(tokio::time::timeout(HANDOVER, handing).await.ok().flatten()) })
            .await?;
        self.data = handed;
        Ok(self.data.is_some())
    }
}

impl Drop for Native<'_> {
    fn drop(&mut self) {
        let session = self.page.session();
        if self.data.is_some() {
            drop(session.send(&CancelDragging {}));
        }
        let Some(start) = self.start.take() else { return };
        for session in &self.sessions {
            drop(session.send(&SetInterceptDrags { enabled: false }));
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = start.call_library("endDragWatch", &[]).await;
            });
        }
    }
}

async fn pause(delay: Duration) {
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}
