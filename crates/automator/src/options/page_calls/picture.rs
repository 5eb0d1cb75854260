//! Pictures of a page, and its size.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::read_by_form;
use crate::options::read;
use crate::page::{Animations, Caret, Clip, ImageFormat, Scale, ScreenshotOptions, ViewportSizeOptions};

/// The format of a picture.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FormatName {
    #[default]
    Png,
    Jpeg,
    Webp,
}

/// What becomes of the text cursor.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum CaretName {
    #[default]
    Hide,
    Initial,
}

/// What becomes of animations.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum AnimationsName {
    #[default]
    Allow,
    Disabled,
}

/// How many pixels a picture has.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScaleName {
    Css,
    #[default]
    Device,
}

/// A rectangle in CSS pixels of the viewport.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClipForm {
    /// The left edge.
    x: f64,
    /// The upper edge.
    y: f64,
    /// How wide it is.
    width: f64,
    /// How high it is.
    height: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[derive(Default)]
struct ScreenshotForm {
    /// The format of the file. Default: `png`.
    #[serde(rename = "type")]
    format: FormatName,
    /// How good a JPEG or WebP is, from 1 to 100. Default: the browser's.
    quality: Option<u32>,
    /// The whole page and not only what the viewport shows. Default: false.
    full_page: bool,
    /// A part of the viewport. Default: all of it.
    clip: Option<ClipForm>,
    /// Selectors of what to cover with boxes. Default: none.
    mask: Vec<String>,
    /// The colour of those boxes, as CSS has it. Default: `#FF00FF`.
    mask_color: Option<String>,
    /// Leaves out the white behind pages. Default: false.
    omit_background: bool,
    /// A style sheet that holds while the picture is taken. Default: none.
    style: Option<String>,
    /// What becomes of the text cursor. Default: `hide`.
    caret: CaretName,
    /// What becomes of animations. Default: `allow`.
    animations: AnimationsName,
    /// How many pixels the picture has: one for each CSS pixel, or those of the device. Default: `device`.
    scale: ScaleName,
    /// A file to write the picture to. Default: none.
    path: Option<PathBuf>,
    /// The limit of time; zero is none. Default: 30 s. In JSON: milliseconds.
    #[serde(deserialize_with = "read::optional_milliseconds")]
    #[schemars(schema_with = "read::optional_milliseconds_schema")]
    timeout: Option<Duration>,
}

impl From<ScreenshotForm> for ScreenshotOptions {
    fn from(form: ScreenshotForm) -> Self {
        let mut options = Self::default();
        options.format = match form.format {
            FormatName::Png => ImageFormat::Png,
            FormatName::Jpeg => ImageFormat::Jpeg,
            FormatName::Webp => ImageFormat::Webp,
        };
        options.quality = form.quality;
        options.full_page = form.full_page;
        options.clip = form.clip.map(|clip| Clip {
            x: clip.x,
            y: clip.y,
            width: clip.width,
            height: clip.height,
        });
        options.mask = form.mask;
        options.mask_color = form.mask_color;
        options.omit_background = form.omit_background;
        options.style = form.style;
        options.caret = match form.caret {
            CaretName::Hide => Caret::Hide,
            CaretName::Initial => Caret::Initial,
        };
        options.animations = match form.animations {
            AnimationsName::Allow => Animations::Allow,
            AnimationsName::Disabled => Animations::Disabled,
        };
        options.scale = match form.scale {
            ScaleName::Css => Scale::Css,
            ScaleName::Device => Scale::Device,
        };
        options.path = form.path;
        if let Some(timeout) = form.timeout {
            options.timeout = (!timeout.is_zero()).then_some(timeout);
        }
        options
    }
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct ViewportSizeForm {
    /// Device pixels per CSS pixel. Default: as it is at present.
    device_scale_factor: Option<f64>,
}

impl From<ViewportSizeForm> for ViewportSizeOptions {
    fn from(form: ViewportSizeForm) -> Self {
        let mut options = Self::default();
        options.device_scale_factor = form.device_scale_factor;
        options
    }
}

read_by_form!(
    ScreenshotOptions: ScreenshotForm,
    ViewportSizeOptions: ViewportSizeForm,
);
