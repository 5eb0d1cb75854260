//! Pictures of a page.
//!
//! What is changed for a picture is undone after it, also when taking it fails or is given up.

use std::path::PathBuf;
use std::time::Duration;

use automator_cdp::protocol::dom::Rgba;
use automator_cdp::protocol::emulation::SetDefaultBackgroundColorOverride;
use automator_cdp::protocol::page::{
    BringToFront, CaptureScreenshot, GetLayoutMetrics, Viewport as ClipInDocument, capture_screenshot_format,
};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;

use crate::{Argument, BrowserError, Frame, Matches, Page, Selector};

/// How long a frame may take to be prepared before the picture is taken without that.
const FRAME_LIMIT: Duration = Duration::from_secs(2);

/// How long a frame in a process of its own may take to draw what was changed in it.
const DRAWING_LIMIT: Duration = Duration::from_millis(500);

/// How long a picture may take before it is asked for once more; twice as long the next time.
const REDRAW: Duration = Duration::from_millis(400);

/// How long undoing may take when nobody waits for it.
const UNDO_LIMIT: Duration = Duration::from_secs(10);

/// The longest side of a picture, in device pixels. The browser draws nothing beyond it: it repeats what it has.
const MAX_SIDE: f64 = 16_384.0;

/// How [`Page::screenshot`] takes a picture.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScreenshotOptions {
    /// The format of the file. Default: PNG.
    pub format: ImageFormat,
    /// How good a JPEG or WebP is, from 1 to 100; for PNG there is no such thing. Default: the browser's.
    pub quality: Option<u32>,
    /// The whole page and not only what the viewport shows. Default: no.
    pub full_page: bool,
    /// A part of the viewport. Default: all of it.
    pub clip: Option<Clip>,
    /// Selectors of what to cover with boxes, in frames and shadow roots, too. What matches nothing covers
    /// nothing. Default: none.
    pub mask: Vec<String>,
    /// The colour of those boxes, as CSS has it. Default: `#FF00FF`.
    pub mask_color: Option<String>,
    /// Leaves out the white that the browser puts behind pages, so that a PNG or WebP can be seen through. A JPEG
    /// cannot, and stays as it is. Default: no.
    pub omit_background: bool,
    /// A style sheet that holds in all frames and shadow roots while the picture is taken. Default: none.
    pub style: Option<String>,
    /// What becomes of the text cursor. Default: hidden.
    pub caret: Caret,
    /// What becomes of animations. Default: they go on.
    pub animations: Animations,
    /// How many pixels the picture has. Default: those of the device.
    pub scale: Scale,
    /// A file to write the picture to. Its folder must exist. Default: none.
    pub path: Option<PathBuf>,
    /// How long all of it may take; `None` is no limit. Default: 30 s.
    pub timeout: Option<Duration>,
}

impl Default for ScreenshotOptions {
    fn default() -> Self {
        Self {
            format: ImageFormat::default(),
            quality: None,
            full_page: false,
            clip: None,
            mask: Vec::new(),
            mask_color: None,
            omit_background: false,
            style: None,
            caret: Caret::default(),
            animations: Animations::default(),
            scale: Scale::default(),
            path: None,
            timeout: Some(Duration::from_secs(30)),
        }
    }
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageFormat {
    /// Without loss.
    #[default]
    Png,
    /// Small, with loss, and not transparent.
    Jpeg,
    /// Small, with loss.
    Webp,
}

/// A rectangle in CSS pixels of the viewport.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clip {
    /// The left edge.
    pub x: f64,
    /// The upper edge.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// What becomes of the text cursor in a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Caret {
    /// It is not shown, so that its blinking makes no difference.
    #[default]
    Hide,
    /// It is shown as it happens to be.
    Initial,
}

/// What becomes of animations in a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Animations {
    /// They go on.
    #[default]
    Allow,
    /// Those that end are shown at their end, endless ones at their beginning. Afterwards they go on from where
    /// they were. The page may hear of an end and a beginning meanwhile.
    Disabled,
}

/// How many pixels a picture has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// One for each CSS pixel.
    Css,
    /// One for each pixel of the device.
    #[default]
    Device,
}

/// Options that are written as one of a few names.
macro_rules! named {
    ($type:ident, $argument:literal, $($name:literal => $variant:ident),+) => {
        impl std::str::FromStr for $type {
            type Err = BrowserError;

            fn from_str(name: &str) -> Result<Self, BrowserError> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(BrowserError::InvalidArgument {
                        argument: $argument,
                        problem: format!("`{name}` is none of {}", [$($name),+].join(", ")),
                    }),
                }
            }
        }
    };
}

named!(ImageFormat, "type", "png" => Png, "jpeg" => Jpeg, "webp" => Webp);
named!(Caret, "caret", "hide" => Hide, "initial" => Initial);
named!(Animations, "animations", "allow" => Allow, "disabled" => Disabled);
named!(Scale, "scale", "css" => Css, "device" => Device);

impl ScreenshotOptions {
    /// Refuses options that contradict each other.
    fn check(&self) -> Result<(), BrowserError> {
        let refuse = |argument, problem: String| Err(BrowserError::InvalidArgument { argument, problem });
        match self.quality {
            Some(_) if self.format == ImageFormat::Png => {
                return refuse("quality", "a PNG has none; ask for a JPEG".to_owned());
            }
            Some(quality) if !(1..=100).contains(&quality) => {
                return refuse("quality", format!("{quality} is not between 1 and 100"));
            }
            _ => {}
        }
        let Some(clip) = self.clip else { return Ok(()) };
        if self.full_page {
            return refuse(
                "clip",
                "it is a part of the viewport, so it excludes the full page".to_owned(),
            );
        }
        let sides = [clip.x, clip.y, clip.width, clip.height];
        if !sides.into_iter().all(f64::is_finite) {
            return refuse("clip", "its sides must be numbers of pixels".to_owned());
        }
        if clip.width <= 0.0 || clip.height <= 0.0 {
            return refuse("clip", "it is empty".to_owned());
        }
        Ok(())
    }

    fn prepares_frames(&self) -> bool {
        self.style.is_some() || self.caret == Caret::Hide || self.animations == Animations::Disabled
    }
}

impl Page {
    /// A picture of what the viewport shows, or of the whole page, as the bytes of a file.
    ///
    /// No side of a picture can be longer than 16,384 pixels, because the browser draws no further. A page that is
    /// longer is shown smaller, with all of it in the picture.
    ///
    /// # Errors
    /// [`BrowserError::InvalidArgument`] for options that contradict each other or make no sense, as a clip
    /// outside the viewport; [`BrowserError::InvalidSelector`] for a mask; [`BrowserError::Write`];
    /// [`BrowserError::Timeout`]; [`BrowserError::PageClosed`], [`BrowserError::PageCrashed`].
    pub async fn screenshot(&self, options: &ScreenshotOptions) -> Result<Vec<u8>, BrowserError> {
        options.check()?;
        let masks: Vec<Selector> = options
            .mask
            .iter()
            .map(|mask| Selector::parse(mask))
            .collect::<Result<_, _>>()?;
        let taking = self.take_and_write(options, &masks);
        match options.timeout {
            Some(limit) => tokio::time::timeout(limit, taking)
                .await
                .unwrap_or(Err(BrowserError::Timeout {
                    operation: "screenshot",
                    limit,
                })),
            None => taking.await,
        }
    }

    async fn take_and_write(
        &self,
        options: &ScreenshotOptions,
        masks: &[Selector],
    ) -> Result<Vec<u8>, BrowserError> {
        // Two at once would undo each other's changes.
        let camera = async { Ok(self.shared().camera().lock().await) };
        let camera = self.or_end(camera).await?;
        let prepared = Prepared::new(self, options, masks).await?;
        let outcome = self.take(options).await;
        prepared.undo().await;
        drop(camera);
        let bytes = outcome?;
        if let Some(path) = &options.path {
            tokio::fs::write(path, &bytes)
                .await
                .map_err(|source| BrowserError::Write {
                    path: path.clone(),
                    source,
                })?;
        }
        Ok(bytes)
    }

    async fn take(&self, options: &ScreenshotOptions) -> Result<Vec<u8>, BrowserError> {
        let clip = self.clip_in_document(options).await?;
        let format = match options.format {
            ImageFormat::Png => capture_screenshot_format::PNG,
            ImageFormat::Jpeg => capture_screenshot_format::JPEG,
            ImageFormat::Webp => capture_screenshot_format::WEBP,
        };
        let capture = CaptureScreenshot {
            format: Some(format.to_owned()),
            quality: options.quality.map(i64::from),
            capture_beyond_viewport: Some(options.full_page),
            clip,
            ..CaptureScreenshot::default()
        };
        self.capture_image(&capture).await
    }

    /// Has the browser draw the page.
    ///
    /// A page in the background that has not changed since its last picture draws nothing new, and the browser
    /// waits for what does not come. A second request makes it draw, which answers the first one as well. Where the
    /// picture is not just that of the viewport, two at once would set each other's size of the page back: there the
    /// page comes to the front instead.
    pub(crate) async fn capture_image(&self, capture: &CaptureScreenshot) -> Result<Vec<u8>, BrowserError> {
        let is_repeatable = capture.clip.is_none() && capture.capture_beyond_viewport != Some(true);
        let mut patience = REDRAW;
        let mut requests = FuturesUnordered::from_iter([self.send(capture)]);
        let data = loop {
            match tokio::time::timeout(patience, requests.next()).await {
                Ok(Some(answer)) => break answer?.data,
                _ if is_repeatable => requests.push(self.send(capture)),
                _ => {
                    self.send(&BringToFront {}).await?;
                }
            }
            patience *= 2;
        };
        BASE64_STANDARD
            .decode(&data)
            .map_err(|_| BrowserError::Unreadable {
                what: "the screenshot",
            })
    }

    /// What is wanted of the page, counted from the corner of the document; none when it is just the viewport.
    async fn clip_in_document(
        &self,
        options: &ScreenshotOptions,
    ) -> Result<Option<ClipInDocument>, BrowserError> {
        if options.clip.is_none() && !options.full_page && options.scale == Scale::Device {
            return Ok(None);
        }
        let (metrics, window) = tokio::join!(self.send(&GetLayoutMetrics {}), self.window());
        let (metrics, (width, height, ratio)) = (metrics?, window?);
        let seen = metrics.css_visual_viewport;
        let viewport = Clip {
            x: 0.0,
            y: 0.0,
            width,
            height,
        };
        let area = if options.full_page {
            let content = metrics.css_content_size;
            Clip {
                x: 0.0,
                y: 0.0,
                width: content.width,
                height: content.height,
            }
        } else {
            let clip = options.clip.unwrap_or(viewport);
            let inside = clip
                .within(viewport)
                .ok_or_else(|| BrowserError::InvalidArgument {
                    argument: "clip",
                    problem: format!(
                        "it is outside the viewport of {} × {} pixels",
                        viewport.width, viewport.height
                    ),
                })?;
            Clip {
                x: inside.x + seen.page_x,
                y: inside.y + seen.page_y,
                ..inside
            }
        };
        let wanted = match options.scale {
            Scale::Css => 1.0 / ratio,
            Scale::Device => 1.0,
        };
        Ok(Some(area.to_protocol(wanted, ratio)))
    }

    /// Width and height of the viewport with its scroll bars, and the device pixels per CSS pixel.
    async fn window(&self) -> Result<(f64, f64, f64), BrowserError> {
        let source = "function() { return [innerWidth, innerHeight, devicePixelRatio] }";
        let window = self.main_frame().call_function(source, &[]).await?;
        let number = |position: usize| {
            window
                .get(position)
                .and_then(Value::as_f64)
                .filter(|number| *number > 0.0)
        };
        match (number(0), number(1), number(2)) {
            (Some(width), Some(height), Some(ratio)) => Ok((width, height, ratio)),
            _ => Err(BrowserError::Unreadable {
                what: "the size of the viewport",
            }),
        }
    }
}

impl Clip {
    /// The part of it that lies within another rectangle, at whole pixels; none when there is none.
    fn within(self, other: Self) -> Option<Self> {
        let left = self.x.max(other.x).floor();
        let top = self.y.max(other.y).floor();
        let right = (self.x + self.width).min(other.x + other.width).ceil();
        let bottom = (self.y + self.height).min(other.y + other.height).ceil();
        (right > left && bottom > top).then_some(Self {
            x: left,
            y: top,
            width: right - left,
            height: bottom - top,
        })
    }

    /// Made smaller as far as the longest side demands.
    fn to_protocol(self, scale: f64, ratio: f64) -> ClipInDocument {
        let longest = self.width.max(self.height) * ratio * scale;
        ClipInDocument {
            x: self.x,
            y: self.y,
            width: self.width,
            height: self.height,
            scale: scale * (MAX_SIDE / longest).min(1.0),
        }
    }
}

/// What has been changed for a picture. Undone at the latest after this is dropped.
struct Prepared {
    page: Page,
    frames: Vec<Frame>,
    has_own_background: bool,
}

impl Prepared {
    async fn new(page: &Page, options: &ScreenshotOptions, masks: &[Selector]) -> Result<Self, BrowserError> {
        let mut prepared = Self {
            page: page.clone(),
            frames: Vec::new(),
            has_own_background: false,
        };
        if options.prepares_frames() {
            prepared.frames = page.frames();
            prepared.prepare_frames(options).await?;
        }
        let mut changed = match options.style {
            Some(_) => prepared.frames.clone(),
            None => Vec::new(),
        };
        if !masks.is_empty() {
            changed.extend(prepared.mask(options, masks).await?);
        }
        drawn(page, &changed).await;
        if options.omit_background && options.format != ImageFormat::Jpeg {
            prepared.has_own_background = true;
            let nothing = Rgba {
                a: Some(0.0),
                ..Rgba::default()
            };
            let see_through = SetDefaultBackgroundColorOverride { color: Some(nothing) };
            page.send(&see_through).await?;
        }
        Ok(prepared)
    }

    async fn prepare_frames(&self, options: &ScreenshotOptions) -> Result<(), BrowserError> {
        let arguments: [Argument<'_>; 3] = [
            options.style.as_deref().unwrap_or_default().into(),
            (options.caret == Caret::Hide).into(),
            (options.animations == Animations::Disabled).into(),
        ];
        let calls = self.frames.iter().map(|frame| {
            let call = frame.call_library("preparePicture", &arguments);
            tokio::time::timeout(FRAME_LIMIT, call)
        });
        for (frame, outcome) in self.frames.iter().zip(join_all(calls).await) {
            match outcome {
                // The main frame must; others may be about to go, or hang.
                Ok(Err(error)) if frame.parent().is_none() => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives the frames that have masks now.
    async fn mask(
        &mut self,
        options: &ScreenshotOptions,
        masks: &[Selector],
    ) -> Result<Vec<Frame>, BrowserError> {
        let resolving = masks
            .iter()
            .map(|mask| self.page.resolve(mask, Matches::All, None));
        let mut by_frame: Vec<(Frame, Vec<i64>)> = Vec::new();
        for elements in join_all(resolving).await {
            let elements = match elements {
                // A frame or shadow host on the way that is not there covers nothing either.
                Err(
                    BrowserError::NotAFrame { .. }
                    | BrowserError::FrameWithoutDocument { .. }
                    | BrowserError::NoShadowRoot { .. },
                ) => continue,
                elements => elements?,
            };
            for element in elements {
                match by_frame.iter_mut().find(|(frame, _)| *frame == element.frame) {
                    Some((_, nodes)) => nodes.push(element.backend_node_id),
                    None => by_frame.push((element.frame, vec![element.backend_node_id])),
                }
            }
        }
        let color = options.mask_color.as_deref().unwrap_or("#FF00FF");
        let mut masked = Vec::new();
        for (frame, nodes) in by_frame {
            if !self.frames.contains(&frame) {
                self.frames.push(frame.clone());
            }
            let resolving = nodes
                .iter()
                .map(|node| crate::resolve::resolve_node(&frame, *node));
            let handles: Vec<_> = join_all(resolving).await.into_iter().collect::<Result<_, _>>()?;
            let elements = handles.iter().flatten().map(Argument::from);
            let arguments: Vec<Argument<'_>> = std::iter::once(color.into()).chain(elements).collect();
            frame.call_library("maskPicture", &arguments).await?;
            masked.push(frame);
        }
        Ok(masked)
    }

    /// Undoes everything and waits for it.
    async fn undo(mut self) {
        let (page, frames, has_own_background) = self.take();
        undo(&page, &frames, has_own_background).await;
    }

    fn take(&mut self) -> (Page, Vec<Frame>, bool) {
        (
            self.page.clone(),
            std::mem::take(&mut self.frames),
            std::mem::take(&mut self.has_own_background),
        )
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let (page, frames, has_own_background) = self.take();
        if frames.is_empty() && !has_own_background {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let undoing = undo(&page, &frames, has_own_background);
                let _ = tokio::time::timeout(UNDO_LIMIT, undoing).await;
            });
        }
    }
}

/// Waits for frames in processes of their own, which draw when they like: a picture is of what they have drawn last.
/// One that is out of sight draws nothing.
async fn drawn(page: &Page, frames: &[Frame]) {
    let main = page.session().id();
    let apart = frames
        .iter()
        .filter(|frame| frame.session().is_ok_and(|session| session.id() != main));
    let drawing = apart.map(|frame| tokio::time::timeout(DRAWING_LIMIT, frame.call_library("drawn", &[])));
    join_all(drawing).await;
}

/// What cannot be undone has gone with its document.
async fn undo(page: &Page, frames: &[Frame], has_own_background: bool) {
    let background = async {
        if has_own_background {
            let _ = page.send(&SetDefaultBackgroundColorOverride::default()).await;
        }
    };
    let calls = frames.iter().map(|frame| {
        let call = frame.call_library("undoPicture", &[]);
        tokio::time::timeout(FRAME_LIMIT, call)
    });
    let (_, _): (Vec<Result<Result<Value, _>, _>>, ()) = tokio::join!(join_all(calls), background);
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEWPORT: Clip = Clip {
        x: 0.0,
        y: 0.0,
        width: 100.0,
        height: 50.0,
    };

    #[test]
    fn a_clip_is_cut_to_the_viewport_at_whole_pixels() {
        let clip = Clip {
            x: -10.0,
            y: 40.2,
            width: 20.5,
            height: 30.0,
        };
        let inside = clip.within(VIEWPORT).unwrap();
        assert_eq!(
            (inside.x, inside.y, inside.width, inside.height),
            (0.0, 40.0, 11.0, 10.0)
        );
        assert_eq!(Clip { x: 100.0, ..VIEWPORT }.within(VIEWPORT), None);
        assert_eq!(Clip { y: -50.0, ..VIEWPORT }.within(VIEWPORT), None);
    }

    #[test]
    fn a_page_that_is_too_long_is_made_smaller() {
        let long = Clip {
            height: 40_000.0,
            ..VIEWPORT
        };
        assert!((long.to_protocol(1.0, 2.0).scale * 80_000.0 - MAX_SIDE).abs() < 1.0);
        assert!((VIEWPORT.to_protocol(0.5, 2.0).scale - 0.5).abs() < f64::EPSILON);
    }

    #[test]
    fn names_of_options_are_read_and_others_refused() {
        assert_eq!("jpeg".parse::<ImageFormat>().unwrap(), ImageFormat::Jpeg);
        assert_eq!("initial".parse::<Caret>().unwrap(), Caret::Initial);
        assert_eq!("disabled".parse::<Animations>().unwrap(), Animations::Disabled);
        assert_eq!("css".parse::<Scale>().unwrap(), Scale::Css);
        let error = "gif".parse::<ImageFormat>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "invalid `type`: `gif` is none of png, jpeg, webp"
        );
    }
}
