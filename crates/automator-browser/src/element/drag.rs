//! Dragging one element to another.

use serde_json::{Value, json};

use crate::element::press::{Aimed, Press};
use crate::input::drag::{Drag, DragOptions};
use crate::locator::{ElementDragOptions, Locator, Performed};
use crate::{BrowserError, Frame};

impl Locator {
    /// Drags the element to another one of the same page: presses, moves there in steps, and releases. Pages that
    /// follow the pointer and native drag and drop both see it as a person's. When both are not in view at once,
    /// the page is scrolled with the button down.
    ///
    /// # Errors
    /// As [`click`](Self::click), for either of the two; [`BrowserError::NoEffect`] when the page takes no native drop
    /// there.
    pub async fn drag_to(
        &self,
        target: &Locator,
        options: &ElementDragOptions,
    ) -> Result<Performed, BrowserError> {
        if self.page() != target.page() {
            return Err(BrowserError::InvalidArgument {
                argument: "target",
                problem: "it is in another page".to_owned(),
            });
        }
        let mut limits = Self::limits(options.timeout);
        let _turn = self.turn(&limits).await?;
        // Both must be there, and in view together if they can be.
        drop(target.where_it_is(options).await?);
        let press = Press {
            presses: 1,
            is_tap: false,
        };
        let Aimed::Point(aim) = self.aim(options.from, Some(press), &mut limits).await? else {
            return Err(self.hidden());
        };
        let drag_options = DragOptions {
            steps: options.steps.max(1),
            delay: options.delay,
            ..DragOptions::default()
        };
        let begun = Drag::begin(self.page(), aim.at, &drag_options).await;
        let mut drag = begun.map_err(|error| self.broken_off("drag", error))?;
        self.must_hold(&aim).await?;
        let dragging = async {
            // The page may have to be scrolled now, which would leave behind what is not picked up yet.
            drag.pick_up().await?;
            let (to, frame) = target.where_it_is(options).await?;
            drag.move_to(to).await?;
            if !drag.is_native() {
                drag.drop_here().await?;
                return Ok(true);
            }
            frame.call_library("watchDrop", &[]).await?;
            drag.drop_here().await?;
            let dropped = frame.ask_afterwards("dropped", &[]).await;
            Ok(!matches!(dropped, Ok(Some(Value::Bool(false)))))
        };
        let is_taken = dragging.await.map_err(|error| self.broken_off("drag", error))?;
        if !is_taken {
            return Err(BrowserError::NoEffect {
                selector: self.to_string(),
                action: "drag",
                found: format!("the page lets nothing be dropped on `{target}`"),
                may_have_happened: true,
            });
        }
        Ok(Performed {
            attempts: 1,
            ..Performed::default()
        })
    }

    /// Its point in the page's viewport, whatever lies over it, as the dragged element may; and its frame.
    async fn where_it_is(&self, options: &ElementDragOptions) -> Result<((f64, f64), Frame), BrowserError> {
        let position = options.to.map(|at| json!({ "x": at.x, "y": at.y }));
        let mut limits = Self::limits(options.timeout);
        let reached = self
            .reach("place", "drag", json!({ "position": position }), &mut limits)
            .await?;
        let at = self.bring_into_view(&reached).await?;
        Ok((at, reached.frame))
    }
}
