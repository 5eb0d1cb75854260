//! The size of what a page shows.

use std::time::Duration;

use automator_cdp::protocol::emulation::SetDeviceMetricsOverride;

use crate::{BrowserError, Page};

/// How long a page may take to notice its new size.
const NOTICE_LIMIT: Duration = Duration::from_secs(2);

/// The largest side that the browser takes.
const MAX_SIDE: u32 = 10_000_000;

/// How [`Page::set_viewport_size`] sets the size.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ViewportOptions {
    /// Device pixels per CSS pixel. Default: as it is at present.
    pub device_scale_factor: Option<f64>,
}

impl Page {
    /// Gives the viewport a size in CSS pixels: `innerWidth` and `innerHeight` of the main frame are that when
    /// this returns.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] for sides of no or too many pixels (10,000,000) and factors that are not
    /// above zero; [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn set_viewport_size(
        &self,
        width: u32,
        height: u32,
        options: &ViewportOptions,
    ) -> Result<(), BrowserError> {
        for (argument, side) in [("width", width), ("height", height)] {
            if side == 0 || side > MAX_SIDE {
                return Err(BrowserError::InvalidArgument {
                    argument,
                    problem: format!("{side} is not between 1 and {MAX_SIDE}"),
                });
            }
        }
        if let Some(factor) = options.device_scale_factor
            && !(factor.is_finite() && factor > 0.0)
        {
            return Err(BrowserError::InvalidArgument {
                argument: "device_scale_factor",
                problem: format!("{factor} is not above zero"),
            });
        }
        let metrics = {
            let mut state = self.shared().state();
            let launched_with = self.browser().inner().settings().device_scale_factor;
            let factor = options
                .device_scale_factor
                .or(state.device_scale_factor)
                .or(launched_with);
            state.device_scale_factor = factor;
            SetDeviceMetricsOverride {
                width: i64::from(width),
                height: i64::from(height),
                // Zero means the real value.
                device_scale_factor: factor.unwrap_or(0.0),
                mobile: false,
                ..SetDeviceMetricsOverride::default()
            }
        };
        self.send(&metrics).await?;
        let frame = self.main_frame();
        let sides = [width.into(), height.into()].map(|side: serde_json::Value| side.into());
        let noticing = frame.call_library("hasSize", &sides);
        match tokio::time::timeout(NOTICE_LIMIT, noticing).await {
            Ok(outcome) => outcome.map(|_| ()),
            // A page that is busy will see it later.
            Err(_) => Ok(()),
        }
    }
}
