//! Pictures: what is on them, and that the page is as before. They are read by the browser itself.

use std::time::Duration;

use automator_browser::{
    Animations, BrowserError, Caret, Clip, ImageFormat, Page, Scale, ScreenshotOptions, ViewportOptions,
};
use automator_testing::Site;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::{browser_at, eventually, frame_at};

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 128, 0, 255];
const WHITE: [u8; 4] = [255, 255, 255, 255];
const PINK: [u8; 4] = [255, 0, 255, 255];

/// A picture that has been read.
struct Picture {
    width: u64,
    height: u64,
    pixels: Vec<[u8; 4]>,
}

/// Reads a picture at some points.
async fn read(page: &Page, bytes: &[u8], points: &[(u32, u32)]) -> Picture {
    let source = "async ([data, points]) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return [image.width, image.height, points.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data])];
    }";
    let argument = json!([BASE64_STANDARD.encode(bytes), points]);
    let read = page.evaluate(source, Some(&argument)).await.unwrap();
    Picture {
        width: read[0].as_u64().unwrap(),
        height: read[1].as_u64().unwrap(),
        pixels: serde_json::from_value(read[2].clone()).unwrap(),
    }
}

/// Takes a picture and reads it.
async fn picture(page: &Page, options: &ScreenshotOptions, points: &[(u32, u32)]) -> Picture {
    let bytes = page.screenshot(options).await.unwrap();
    read(page, &bytes, points).await
}

fn plain() -> ScreenshotOptions {
    ScreenshotOptions::default()
}

async fn size_of_viewport(page: &Page) -> (u64, u64) {
    let size = page.evaluate("[innerWidth, innerHeight]", None).await.unwrap();
    (size[0].as_u64().unwrap(), size[1].as_u64().unwrap())
}

const LONG: &str = "<body style='margin:0'><div style='height:1000px;background:red'></div>
    <div style='height:1500px;background:green'></div>";

#[tokio::test]
async fn viewport_full_page_and_clip_show_what_they_say_also_when_scrolled() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(LONG).url).await;
    page.evaluate("scrollTo(0, 900)", None).await.unwrap();
    let (width, height) = size_of_viewport(&page).await;

    let viewport = picture(&page, &plain(), &[(5, 50), (5, 150)]).await;
    assert_eq!((viewport.width, viewport.height), (width, height));
    assert_eq!(viewport.pixels, [RED, GREEN]);

    let mut options = plain();
    options.full_page = true;
    let full = picture(&page, &options, &[(5, 50), (5, 2499)]).await;
    assert_eq!(full.height, 2500);
    assert_eq!(full.pixels, [RED, GREEN]);

    let mut options = plain();
    options.clip = Some(Clip {
        x: 10.0,
        y: 90.0,
        width: 60.0,
        height: 30.0,
    });
    let clip = picture(&page, &options, &[(5, 5), (5, 25)]).await;
    assert_eq!((clip.width, clip.height), (60, 30));
    assert_eq!(clip.pixels, [RED, GREEN]);
    assert_eq!(page.evaluate("scrollY", None).await.unwrap(), 900);
    assert_eq!(size_of_viewport(&page).await, (width, height));
    browser.close().await;
}

#[tokio::test]
async fn a_picture_is_written_to_a_file_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put("<h1>pic</h1>").url).await;
    let mut options = plain();
    options.path = Some(folder.path().join("a.png"));
    let bytes = page.screenshot(&options).await.unwrap();
    assert_eq!(std::fs::read(folder.path().join("a.png")).unwrap(), bytes);
    options.path = Some(folder.path().join("no/such/folder.png"));
    let error = page.screenshot(&options).await.unwrap_err();
    assert!(matches!(error, BrowserError::Write { .. }), "{error:?}");
    browser.close().await;
}

#[tokio::test]
async fn formats_and_quality_hold() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put("<h1>pic</h1><p style='color:red'>text").url).await;
    let mut options = plain();
    options.format = ImageFormat::Jpeg;
    options.quality = Some(95);
    let good = page.screenshot(&options).await.unwrap();
    options.quality = Some(5);
    let poor = page.screenshot(&options).await.unwrap();
    assert_eq!(good[..2], [0xff, 0xd8]);
    assert!(poor.len() < good.len());
    options.format = ImageFormat::Webp;
    let webp = page.screenshot(&options).await.unwrap();
    assert_eq!((&webp[..4], &webp[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
    browser.close().await;
}

#[tokio::test]
async fn contradictions_are_refused() {
    let (browser, page) = browser_at("about:blank").await;
    let clip = |x, width| {
        Some(Clip {
            x,
            y: 0.0,
            width,
            height: 5.0,
        })
    };
    let with = |change: &dyn Fn(&mut ScreenshotOptions)| {
        let mut options = plain();
        change(&mut options);
        options
    };
    let refused = [
        with(&|options| options.quality = Some(50)),
        with(&|options| {
            options.format = ImageFormat::Jpeg;
            options.quality = Some(101);
        }),
        with(&|options| {
            options.format = ImageFormat::Jpeg;
            options.quality = Some(0);
        }),
        with(&|options| {
            options.full_page = true;
            options.clip = clip(0.0, 5.0);
        }),
        with(&|options| options.clip = clip(0.0, 0.0)),
        with(&|options| options.clip = clip(100_000.0, 5.0)),
        with(&|options| options.clip = clip(-10.0, 5.0)),
        with(&|options| options.clip = clip(f64::NAN, 5.0)),
    ];
    for options in refused {
        let error = page.screenshot(&options).await.unwrap_err();
        assert!(
            matches!(error, BrowserError::InvalidArgument { .. }),
            "{options:?}: {error:?}"
        );
    }
    let error = page
        .screenshot(&with(&|options| options.mask = vec!["xpath=//[".to_owned()]))
        .await
        .unwrap_err();
    assert!(matches!(error, BrowserError::InvalidSelector { .. }), "{error:?}");
    browser.close().await;
}

#[tokio::test]
async fn masks_cover_elements_in_frames_and_roots_and_above_dialogs() {
    let site = Site::start().await;
    let inner = site.put_at(
        "/inner",
        "<body style='margin:0'><p class=secret style='margin:0;width:50px;height:50px;background:red'>",
    );
    let at = site.put(format!(
        "<body style='margin:0;background:white'>
         <iframe id=f style='position:absolute;left:0;top:100px;border:0' src='{}'></iframe>
         <x-a id=host style='position:absolute;left:0;top:300px'></x-a>
         <dialog id=d style='position:absolute;inset:400px auto auto 0;margin:0;border:0;padding:0'><b class=secret style='display:block;width:50px;height:50px;background:red'></b></dialog>
         <script>
            host.attachShadow({{ mode: 'closed' }}).innerHTML = '<i class=secret style=\"display:block;width:50px;height:50px;background:red\"></i>';
            d.showModal();
         </script><style>#d::backdrop {{ background: none }}</style>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, "/inner").await;
    let points = [(10, 110), (10, 310), (10, 410)];
    let mut options = plain();
    options.mask = vec![
        ".secret".to_owned(),
        "#f >> .secret".to_owned(),
        "#missing".to_owned(),
    ];
    assert_eq!(picture(&page, &options, &points).await.pixels, [PINK; 3]);
    options.mask_color = Some("green".to_owned());
    assert_eq!(picture(&page, &options, &points).await.pixels, [GREEN; 3]);
    let after = picture(&page, &plain(), &points).await;
    assert_eq!(after.pixels[2], RED);
    let left = page
        .evaluate("document.querySelectorAll('automator-mask').length", None)
        .await;
    assert_eq!(left.unwrap(), 0);
    browser.close().await;
}

#[tokio::test]
async fn masks_and_styles_are_drawn_by_busy_frames_before_the_picture_is_taken() {
    let site = Site::start().await;
    let inner = site.put_at(
        "/inner",
        "<body style='margin:0'><p class=secret style='margin:0;width:50px;height:50px;background:red'>
         <script>
            (function busy() {
                const until = performance.now() + 60;
                while (performance.now() < until) {}
                requestAnimationFrame(busy);
            })();
         </script>",
    );
    let frame = format!(
        "<body style='margin:0'><iframe style='border:0' src='{}'></iframe>",
        inner.cross_url
    );
    let (browser, page) = browser_at(&site.put(frame).url).await;
    frame_at(&page, "/inner").await;
    let points = [(10, 10)];
    let mut masked = plain();
    masked.mask = vec!["iframe >> .secret".to_owned()];
    assert_eq!(picture(&page, &masked, &points).await.pixels, [PINK]);
    let mut styled = plain();
    styled.style = Some(".secret { background: green !important }".to_owned());
    assert_eq!(picture(&page, &styled, &points).await.pixels, [GREEN]);
    browser.close().await;
}

#[tokio::test]
async fn a_style_holds_in_frames_and_roots_only_while_the_picture_is_taken() {
    let site = Site::start().await;
    let inner = site.put_at(
        "/inner",
        "<body style='margin:0'><p class=x style='margin:0;width:50px;height:50px;background:red'>",
    );
    let at = site.put(format!(
        "<body style='margin:0'><x-a id=host style='position:absolute;left:0;top:0'></x-a>
         <iframe style='position:absolute;left:0;top:100px;border:0' src='{}'></iframe><script>
            host.attachShadow({{ mode: 'open' }}).innerHTML = '<i class=x style=\"display:block;width:50px;height:50px;background:red\"></i>';
            const changes = [];
            new MutationObserver((list) => changes.push(...list)).observe(document, {{ subtree: true, childList: true, attributes: true }});
         </script>",
        inner.cross_url
    ));
    let (browser, page) = browser_at(&at.url).await;
    frame_at(&page, "/inner").await;
    page.evaluate("changes.length = 0", None).await.unwrap();
    let points = [(10, 10), (10, 110)];
    let mut options = plain();
    options.style = Some(".x { background: green !important }".to_owned());
    assert_eq!(picture(&page, &options, &points).await.pixels, [GREEN; 2]);
    assert_eq!(picture(&page, &plain(), &points).await.pixels, [RED; 2]);
    assert_eq!(page.evaluate("changes.length", None).await.unwrap(), 0);
    browser.close().await;
}

#[tokio::test]
async fn the_background_can_be_left_out_and_comes_back() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put("<p>text</p>").url).await;
    let mut options = plain();
    options.omit_background = true;
    assert_eq!(
        picture(&page, &options, &[(300, 300)]).await.pixels,
        [[0, 0, 0, 0]]
    );
    assert_eq!(picture(&page, &plain(), &[(300, 300)]).await.pixels, [WHITE]);
    browser.close().await;
}

#[tokio::test]
async fn animations_are_shown_at_their_end_or_beginning_and_go_on_after_it() {
    let site = Site::start().await;
    let at = site.put(
        "<style>
            @keyframes there { from { background: green } to { background: red } }
            div { position: absolute; left: 0; width: 50px; height: 50px }
            #finite { top: 0; background: white; animation: there 600s linear forwards }
            #endless { top: 100px; animation: there 600s linear infinite; animation-delay: -300s }
         </style><body style='margin:0'><div id=finite></div><div id=endless></div>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut options = plain();
    options.animations = Animations::Disabled;
    let shown = picture(&page, &options, &[(10, 10), (10, 110)]).await;
    assert_eq!(shown.pixels, [RED, GREEN]);
    let states = "document.getAnimations().map((a) => [a.playState, a.currentTime < 100_000])";
    eventually("the animations to run", async || {
        let states = page.evaluate(states, None).await.ok()?;
        (states == json!([["running", true], ["running", true]])).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn the_text_cursor_is_hidden_unless_it_is_wanted() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0'><input id=i style='position:absolute;left:0;top:0;border:0;padding:0;outline:0;width:200px;
         height:40px;font-size:40px;caret-color:red'><script>i.focus()</script>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let points: Vec<(u32, u32)> = (0..4).map(|x| (x, 20)).collect();
    let mut options = plain();
    let hidden = picture(&page, &options, &points).await;
    assert_eq!(hidden.pixels, [WHITE; 4]);
    options.caret = Caret::Initial;
    // It blinks, so it takes a look or two.
    eventually("the cursor", async || {
        let shown = picture(&page, &options, &points).await;
        shown.pixels.contains(&RED).then_some(())
    })
    .await;
    let color = page
        .evaluate("getComputedStyle(i).caretColor", None)
        .await
        .unwrap();
    assert_eq!(color, "rgb(255, 0, 0)");
    browser.close().await;
}

#[tokio::test]
async fn the_viewport_has_the_size_and_the_density_that_were_set() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put(LONG).url).await;
    let mut dense = ViewportOptions::default();
    dense.device_scale_factor = Some(2.0);
    page.set_viewport_size(400, 300, &dense).await.unwrap();
    let seen = page
        .evaluate("[innerWidth, innerHeight, devicePixelRatio]", None)
        .await;
    assert_eq!(seen.unwrap(), json!([400, 300, 2]));
    let shown = picture(&page, &plain(), &[]).await;
    assert_eq!((shown.width, shown.height), (800, 600));
    let mut options = plain();
    options.scale = Scale::Css;
    let shown = picture(&page, &options, &[]).await;
    assert_eq!((shown.width, shown.height), (400, 300));
    page.set_viewport_size(500, 350, &ViewportOptions::default())
        .await
        .unwrap();
    let seen = page
        .evaluate("[innerWidth, innerHeight, devicePixelRatio]", None)
        .await;
    assert_eq!(seen.unwrap(), json!([500, 350, 2]));
    for (width, height) in [(0, 10), (10, 0), (u32::MAX, 10)] {
        let error = page
            .set_viewport_size(width, height, &ViewportOptions::default())
            .await;
        assert!(matches!(error, Err(BrowserError::InvalidArgument { .. })));
    }
    browser.close().await;
}

#[tokio::test]
async fn a_page_that_is_too_long_is_shown_smaller_to_its_end() {
    let site = Site::start().await;
    let at = site.put(
        "<body style='margin:0'><div style='height:20000px;background:red'></div><div style='height:12768px;background:green'></div>",
    );
    let (browser, page) = browser_at(&at.url).await;
    let mut options = plain();
    options.full_page = true;
    let shown = picture(&page, &options, &[(5, 50), (5, 16_000)]).await;
    assert_eq!(shown.height, 16_384);
    assert_eq!(shown.pixels, [RED, GREEN]);
    browser.close().await;
}

#[tokio::test]
async fn a_picture_that_takes_too_long_is_given_up_and_everything_undone() {
    let site = Site::start().await;
    let at = site.put("<body><p id=p>text</p>");
    let (browser, page) = browser_at(&at.url).await;
    let mut options = plain();
    options.style = Some("p { color: rgb(1, 2, 3) }".to_owned());
    options.mask = vec!["p".to_owned()];
    options.timeout = Some(Duration::from_millis(700));
    // The page hangs from the moment in which it is changed for the picture.
    let hang = "new MutationObserver(() => { const end = Date.now() + 2500; while (Date.now() < end); }).observe(document, { subtree: true, childList: true }); 1";
    page.evaluate(hang, None).await.unwrap();
    let error = page.screenshot(&options).await.unwrap_err();
    assert!(
        matches!(
            error,
            BrowserError::Timeout {
                operation: "screenshot",
                ..
            }
        ),
        "{error:?}"
    );
    let expected: Value = json!(["rgb(0, 0, 0)", 0]);
    eventually("the changes to be undone", async || {
        let source = "[getComputedStyle(p).color, document.querySelectorAll('automator-mask').length]";
        (page.evaluate(source, None).await.ok()? == expected).then_some(())
    })
    .await;
    browser.close().await;
}

#[tokio::test]
async fn a_page_in_the_background_is_pictured_again_and_again() {
    let site = Site::start().await;
    let (browser, page) = browser_at(&site.put("<body style='background:teal'>").url).await;
    let front = browser.context().new_page("about:blank").await.unwrap();
    let mut options = ScreenshotOptions::default();
    options.timeout = Some(Duration::from_secs(10));
    for full_page in [false, false, false, true, true, false] {
        options.full_page = full_page;
        page.screenshot(&options).await.unwrap();
        page.viewport_png().await.unwrap();
    }
    front.screenshot(&options).await.unwrap();
    browser.close().await;
}
