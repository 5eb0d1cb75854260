//! `screenshot`: what the window shows.

use automator_browser::{ImageFormat, Scale, ScreenshotOptions};
use automator_llm::{Image, Tool};
use serde_json::json;

use super::{Outcome, Place, spec as tool};
use crate::Result;
use crate::page::Page;

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

/// A picture of the window with one pixel for each CSS pixel, whatever the device has, so that places in it are places
/// in the window.
pub(super) async fn picture(page: &Page) -> Result<Image> {
    let mut options = ScreenshotOptions::default();
    options.format = ImageFormat::Jpeg;
    options.quality = Some(QUALITY);
    options.scale = Scale::Css;
    let bytes = page.screenshot_with(&options).await?;
    Ok(Image {
        format: automator_llm::ImageFormat::Jpeg,
        bytes: bytes.into(),
    })
}
