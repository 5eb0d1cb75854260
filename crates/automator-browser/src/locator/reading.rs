//! What a locator reads.

use serde_json::{Value, json};

use super::{BoundingBox, Locator, Purpose, SendClickOptions, Target};
use crate::resolve::is_missing;
use crate::{BrowserError, ElementRef, Frame, Matches};

impl Locator {
    /// How many elements match; one or none for a locator of one match. It does not wait; where a part before a
    /// `>>` matches several frames, all of them are counted.
    ///
    /// # Errors
    /// As [`Page::resolve`](crate::Page::resolve).
    pub async fn count(&self) -> Result<usize, BrowserError> {
        let Target::Selector(selector) = self.target()? else {
            return Ok(usize::from(self.read_now("element", None).await?.is_some()));
        };
        match self.frame().resolve_from(selector, Matches::All, None).await {
            Ok(elements) => Ok(match self.index {
                None => elements.len(),
                Some(index) => usize::from(index < elements.len()),
            }),
            Err(BrowserError::ElementNotFound { .. } | BrowserError::XPathNotFound { .. }) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// Whether people see it: it has a box, and neither `display`, `visibility` nor `opacity` hide it. It does not
    /// wait; what is not there is not visible.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn is_visible(&self) -> Result<bool, BrowserError> {
        Ok(self.read_now("isVisible", None).await? == Some(Value::Bool(true)))
    }

    /// Whether it can be used: it is not disabled, and nothing it stands in is disabled or inert.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn is_enabled(&self) -> Result<bool, BrowserError> {
        Ok(self.read("isEnabled", None).await? == true)
    }

    /// Whether a checkbox, a radio button, a switch or the like is on.
    ///
    /// # Errors
    /// [`BrowserError::Unsuitable`] for other elements; else see [`Locator`].
    pub async fn is_checked(&self) -> Result<bool, BrowserError> {
        Ok(self.checked(None, &mut Self::limits(None)).await?.is_on)
    }

    /// What is in a field, or in the only field of a wrapper or label.
    ///
    /// # Errors
    /// [`BrowserError::Unsuitable`] for other elements; else see [`Locator`].
    pub async fn input_value(&self) -> Result<String, BrowserError> {
        self.read_text("inputValue").await
    }

    /// All its text, also what people do not see.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn text_content(&self) -> Result<String, BrowserError> {
        self.read_text("textContent").await
    }

    /// Its text as it is laid out.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn inner_text(&self) -> Result<String, BrowserError> {
        self.read_text("innerText").await
    }

    /// The markup inside of it.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn inner_html(&self) -> Result<String, BrowserError> {
        self.read_text("innerHtml").await
    }

    /// One of its attributes; none when it has none of this name.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn get_attribute(&self, name: &str) -> Result<Option<String>, BrowserError> {
        let value = self.read("attribute", Some(name)).await?;
        Ok(value.as_str().map(str::to_owned))
    }

    /// Its box in the page's viewport; none when it has no box.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn bounding_box(&self) -> Result<Option<BoundingBox>, BrowserError> {
        let mut limits = Self::limits(None);
        let options = json!({ "what": "box" });
        let reached = self.reach("read", "read", options, &mut limits).await?;
        let number = |name: &str| reached.outcome.value.get(name).and_then(Value::as_f64);
        let (Some(x), Some(y), Some(width), Some(height)) =
            (number("x"), number("y"), number("width"), number("height"))
        else {
            return Ok(None);
        };
        let from = self.lift_quietly(&reached.frame, (x, y)).await?;
        let to = self.lift_quietly(&reached.frame, (x + width, y + height)).await?;
        Ok(Some(BoundingBox {
            x: from.0,
            y: from.1,
            width: to.0 - from.0,
            height: to.1 - from.1,
        }))
    }

    /// The middle of its box in the page's viewport, x and y in CSS pixels.
    ///
    /// # Errors
    /// [`BrowserError::NotActionable`] when it has no box; else see [`Locator`].
    pub async fn centroid(&self) -> Result<(f64, f64), BrowserError> {
        match self.bounding_box().await? {
            Some(area) => Ok((area.x + area.width / 2.0, area.y + area.height / 2.0)),
            None => Err(self.hidden()),
        }
    }

    /// Names the node for as long as it lives, for commands that take a `backendNodeId`.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn backend_node_id(&self) -> Result<i64, BrowserError> {
        Ok(self.element().await?.backend_node_id)
    }

    /// The element as it is now, for commands about its node.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn element(&self) -> Result<ElementRef, BrowserError> {
        let options = json!({ "what": "keep" });
        let reached = self
            .reach("read", "read", options, &mut Self::limits(None))
            .await?;
        self.named(&reached.frame, "kept").await
    }

    /// The option of a custom list that was found last.
    pub(crate) async fn listed_option(&self, frame: &Frame) -> Result<Self, BrowserError> {
        Ok(Self::of_element(self.named(frame, "listedNode").await?, None))
    }

    /// The element that a function of the page library gives, as the only entry of a list.
    async fn named(&self, frame: &Frame, function: &str) -> Result<ElementRef, BrowserError> {
        let entries = frame.call_for_elements(function).await?;
        entries.into_iter().next().ok_or_else(|| self.missing())
    }

    /// What pressing it, or with `by_enter` the Enter key in it, is for, as far as its markup tells.
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn purpose(&self, by_enter: bool) -> Result<Purpose, BrowserError> {
        let value = self.read("purpose", by_enter.then_some("Enter")).await?;
        Ok(serde_json::from_value(value).unwrap_or_default())
    }

    /// Sends a click event that is made by script: nobody looks whether people could click there, and the page
    /// can tell (`isTrusted` is false).
    ///
    /// # Errors
    /// See [`Locator`].
    pub async fn send_click_event(&self, options: &SendClickOptions) -> Result<(), BrowserError> {
        let options = serde_json::to_value(options).unwrap_or_default();
        self.reach("sendClick", "click", options, &mut Self::limits(None))
            .await?;
        Ok(())
    }

    async fn read_text(&self, what: &str) -> Result<String, BrowserError> {
        let value = self.read(what, None).await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    async fn read(&self, what: &str, name: Option<&str>) -> Result<Value, BrowserError> {
        let options = json!({ "what": what, "name": name });
        let reached = self
            .reach("read", "read", options, &mut Self::limits(None))
            .await?;
        Ok(reached.outcome.value)
    }

    /// Reads without waiting; none when the element is not there.
    async fn read_now(&self, what: &str, name: Option<&str>) -> Result<Option<Value>, BrowserError> {
        let options = json!({ "what": what, "name": name });
        let mut limits = Self::limits(Some(std::time::Duration::ZERO));
        match self.reach("read", "read", options, &mut limits).await {
            Ok(reached) => Ok(Some(reached.outcome.value)),
            Err(BrowserError::ElementGone { .. } | BrowserError::PageChanged { .. }) => Ok(None),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
