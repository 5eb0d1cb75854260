//! Chromium and this crate against local pages. Every test has a browser and a server for itself.

mod acting;
mod attaching;
mod capturing;
mod choosing;
mod contexts;
mod crashing;
mod ending;
mod evaluating;
mod filling;
mod framing;
mod happenings;
mod launching;
mod locating;
mod mousing;
mod navigating;
mod outcomes;
mod picturing;
mod resolving;
mod settling;
mod travelling;
mod typing;

use std::path::Path;
use std::time::{Duration, Instant};

use automator_browser::{Browser, Frame, GotoOptions, HoverOptions, LaunchOptions, Page, WaitUntil};

/// What a slow machine may take for something that is quick.
const PATIENCE: Duration = Duration::from_secs(20);

/// A browser with the defaults: one that is lent, where there are some.
async fn browser() -> Browser {
    let mut options = LaunchOptions::default();
    options.cdp_url = automator_testing::lent_browser();
    Browser::start(&options).await.unwrap()
}

/// A browser with the defaults that is started for this test, which is about beginnings or ends.
async fn own_browser() -> Browser {
    Browser::start(&LaunchOptions::default()).await.unwrap()
}

/// The first page of a browser.
fn first_page(browser: &Browser) -> Page {
    browser.context().active_page().unwrap()
}

/// A browser whose first page is at this address, with all it needs loaded.
async fn browser_at(url: &str) -> (Browser, Page) {
    let browser = browser().await;
    let page = first_page(&browser);
    page.goto(url, load()).await.unwrap();
    (browser, page)
}

fn load() -> GotoOptions {
    until(WaitUntil::Load, PATIENCE)
}

fn until(wait_until: WaitUntil, timeout: Duration) -> GotoOptions {
    let mut options = GotoOptions::default();
    options.wait_until = wait_until;
    options.timeout = Some(timeout);
    options
}

/// Waits until `look` finds something.
async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Waits until the mouse reaches a frame: the browser knows where one of another process lies only after both have
/// been drawn.
async fn reachable(page: &Page, frame: &Frame, (x, y): (f64, f64)) {
    let watch = "addEventListener('mousemove', () => { window.isReachable = true }, { once: true })";
    frame.evaluate_in_page(watch).await.unwrap();
    eventually("the mouse to reach the frame", async || {
        page.hover(x, y, &HoverOptions::default()).await.unwrap();
        let reached = frame
            .evaluate_in_page("window.isReachable === true")
            .await
            .unwrap();
        (reached == true).then_some(())
    })
    .await;
}

/// The frame whose document has this path, once it is there and has been read.
async fn frame_at(page: &Page, path: &str) -> Frame {
    eventually(path, async || {
        let frame = page
            .frames()
            .into_iter()
            .find(|frame| frame.url().ends_with(path))?;
        let state = frame
            .call_function("function() { return document.readyState }", &[])
            .await
            .ok()?;
        (state == "complete").then_some(frame)
    })
    .await
}

/// Living processes that have this text on their command line.
fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&command).contains(text) && id != std::process::id() {
            found.push(id);
        }
    }
    found
}

/// Waits until no process works with this profile.
async fn all_gone(profile: &Path) {
    let text = profile.to_string_lossy().into_owned();
    eventually("the browser's processes to end", async || {
        processes_with(&text).is_empty().then_some(())
    })
    .await;
}
