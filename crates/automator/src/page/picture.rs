//! Pictures of a page, and its size.

use std::time::Duration;

pub use automator_browser::{
    Animations, Caret, Clip, ImageFormat, Scale, ScreenshotOptions, ViewportOptions as ViewportSizeOptions,
};

use super::{Page, limited, limited_by};
use crate::Result;

impl Page {
    /// A PNG of what the viewport shows.
    ///
    /// # Errors
    /// As [`screenshot_with`](Self::screenshot_with).
    pub async fn screenshot(&self) -> Result<Vec<u8>> {
        self.screenshot_with(&ScreenshotOptions::default()).await
    }

    /// A picture of the page, of a part of it, or of all of it, as the bytes of a file. What is changed for the
    /// picture is undone after it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for options that contradict each other
    /// (a clip of the full page, quality of a PNG), a clip outside the page, selectors that cannot be read, and a
    /// path that cannot be written; [`ErrorKind::Timeout`](crate::ErrorKind::Timeout);
    /// [`ErrorKind::Closed`](crate::ErrorKind::Closed),
    /// [`ErrorKind::CdpConnectionClosed`](crate::ErrorKind::CdpConnectionClosed).
    pub async fn screenshot_with(&self, options: &ScreenshotOptions) -> Result<Vec<u8>> {
        let taking = self.browser_page.screenshot(options);
        // None is no limit, which only the longest time is.
        let limit = options.timeout.unwrap_or(Duration::MAX);
        limited_by(&self.session, Some(limit), "screenshot", taking).await
    }

    /// Gives the viewport a size in CSS pixels.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for sides of no or too many pixels;
    /// else as [`title`](Self::title).
    pub async fn set_viewport_size(&self, width: u32, height: u32) -> Result<()> {
        let options = ViewportSizeOptions::default();
        self.set_viewport_size_with(width, height, &options).await
    }

    /// As [`set_viewport_size`](Self::set_viewport_size), with a number of device pixels for each of them.
    ///
    /// # Errors
    /// As [`set_viewport_size`](Self::set_viewport_size).
    pub async fn set_viewport_size_with(
        &self,
        width: u32,
        height: u32,
        options: &ViewportSizeOptions,
    ) -> Result<()> {
        let sizing = self.browser_page.set_viewport_size(width, height, options);
        limited(&self.session, "set_viewport_size", sizing).await
    }
}
