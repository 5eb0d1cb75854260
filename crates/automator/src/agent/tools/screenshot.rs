//! `screenshot`: what the window shows.

use automator_browser::{ImageFormat, Scale, ScreenshotOptions};
use automator_llm::{Image, Tool};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::scroll::Layout;
use super::{Outcome, Place, spec as tool};
use crate::page::Page;
use crate::{Error, ErrorKind, Result};

/// How good the pictures are, of 100: letters can be read, and it is a fifth of a PNG.
const QUALITY: u32 = 70;

pub(super) fn spec() -> Tool {
    tool("screenshot", "Shows a picture of the window.", json!({}), &[])
}

pub(super) async fn run(place: &Place<'_>) -> Result<Outcome> {
    if !place.run.client.accepts_images() {
        return Ok(Outcome::failed("this model takes no pictures; use ariaTree"));
    }
    let mut outcome = Outcome::done("done");
    outcome.picture = Some(picture(place.page).await?);
    Ok(outcome)
}

/// The longest side of a picture in pixels. Providers make larger ones smaller themselves, and models then count other
/// pixels than were sent.
const LONGEST_SIDE: f64 = 1_400.0;

/// The most pixels of a picture, for the same reason.
const MOST_PIXELS: f64 = 1_150_000.0;

/// How many pixels a picture of the window has for each CSS pixel: one, whatever the device has, or less for a window
/// that is too large.
pub(in crate::agent) fn scale_of(layout: Layout) -> f64 {
    let by_side = LONGEST_SIDE / layout.width.max(layout.height).max(1.0);
    let by_area = (MOST_PIXELS / (layout.width * layout.height).max(1.0)).sqrt();
    by_side.min(by_area).min(1.0)
}

/// A picture of the window, in the scale of [`scale_of`].
pub(in crate::agent) async fn picture(page: &Page) -> Result<Image> {
    let layout = Layout::of(page).await?;
    let scale = scale_of(layout);
    let bytes = if scale < 1.0 {
        smaller(page, layout, scale).await?
    } else {
        let mut options = ScreenshotOptions::default();
        options.format = ImageFormat::Jpeg;
        options.quality = Some(QUALITY);
        options.scale = Scale::Css;
        page.screenshot_with(&options).await?
    };
    Ok(Image {
        format: automator_llm::ImageFormat::Jpeg,
        bytes: bytes.into(),
    })
}

/// The window, drawn smaller by the browser.
async fn smaller(page: &Page, layout: Layout, scale: f64) -> Result<Vec<u8>> {
    let parameters = json!({
        "format": "jpeg", "quality": QUALITY,
        "clip": {
            "x": layout.left, "y": layout.top, "width": layout.width, "height": layout.height,
            "scale": scale / layout.density,
        },
    });
    let told = page.send_cdp("Page.captureScreenshot", &parameters).await?;
    let data = told.get("data").and_then(Value::as_str).unwrap_or_default();
    STANDARD.decode(data).map_err(|error| {
        Error::new(
            ErrorKind::Protocol,
            format!("the picture cannot be read: {error}"),
        )
    })
}
