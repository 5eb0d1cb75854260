//! What the tools have in common that point at places in pictures.

use std::time::Duration;

use automator_browser::BrowserError;
use serde_json::json;

use super::keys::FOLLOW;
use super::screenshot::{picture, scale_of};
use super::scroll::Layout;
use super::{Outcome, Place, Planned};
use crate::Result;
use crate::action::Action;
use crate::agent::plan::PlanStep;
use crate::agent::run::Run;
use crate::agent::view::Want;
use crate::page::{ClickOptions, KeyPressOptions, Page};
use crate::reading::{read, scope};
use crate::replay;

/// Half a side of the mark that shows where it is pointed, in CSS pixels.
const MARK: f64 = 10.0;

/// A place in the window, for a tool.
pub(super) async fn point(place: &Place<'_>, coordinates: &[f64]) -> Result<(f64, f64)> {
    let layout = Layout::of(place.page).await?;
    let window = (layout.width, layout.height);
    place.run.unit.place(coordinates, window, scale_of(layout))
}

/// Clicks a place; gives why not, when the user does not want it. What is there is looked at before each press and each
/// release.
///
/// # Errors
/// Those of the mouse.
pub(in crate::agent) async fn click(
    place: &Place<'_>,
    at: (f64, f64),
    options: &ClickOptions,
    verb: &str,
) -> Result<Option<String>> {
    let Some(confirming) = &place.run.confirming else {
        place.page.click_with(at.0, at.1, options).await?;
        return Ok(None);
    };
    let watch = confirming.watching(place.page, verb);
    let page = place.page.browser_page();
    stopped(page.click_watched(at.0, at.1, options, &watch).await)
}

/// Why input was kept back; none when it was not.
fn stopped<T>(done: std::result::Result<T, BrowserError>) -> Result<Option<String>> {
    match done {
        Ok(_) => Ok(None),
        Err(BrowserError::KeptBack { why, .. }) => Ok(Some(why)),
        Err(error) => Err(error.into()),
    }
}

/// Why something must not be dragged from one place to another; none when it may.
pub(in crate::agent) async fn refusal_of_drag(
    place: &Place<'_>,
    from: (f64, f64),
    to: (f64, f64),
) -> Option<String> {
    let confirming = place.run.confirming.as_ref()?;
    confirming.refusal_of_drag(place.page, from, to).await
}

/// The action at a place, for a plan: on the element that is there, as far as the page text tells it. To be asked
/// before it is done.
pub(super) async fn planned(
    place: &Place<'_>,
    at: (f64, f64),
    instruction: &str,
    method: &str,
    arguments: Vec<String>,
) -> Planned {
    if !place.run.remembers() {
        return Planned::Nothing;
    }
    let telling = async {
        let path = place.page.browser_page().xpath_at(at.0, at.1).await?;
        let snapshot = read(place.page, &scope(None, &[], Duration::ZERO)?).await?;
        let paths = place.page.xpaths(&snapshot).await?;
        let action = Action {
            selector: format!("xpath={path}"),
            description: instruction.to_owned(),
            method: Some(method.to_owned()),
            arguments,
        };
        let mask = |text: &str| place.run.mask(text);
        Ok::<_, crate::Error>(replay::known_at(&paths, &snapshot, &[action], &mask))
    };
    match telling.await {
        Ok(Some(actions)) => Planned::Steps(vec![PlanStep::Act {
            instruction: instruction.to_owned(),
            actions,
        }]),
        _ => Planned::Unknown,
    }
}

/// What is told after pointing: what has changed, and how it looks.
pub(super) async fn done(place: &Place<'_>, planned: Planned) -> Result<Outcome> {
    let page = place.page.browser_page();
    page.follow(&automator_browser::Performed::default(), FOLLOW)
        .await;
    let mut outcome = Outcome::done("done").looking(Want::Change);
    outcome.planned = planned;
    if place.run.client.accepts_images() {
        place.page.settle().await?;
        outcome.picture = Some(picture(place.page).await?);
    }
    Ok(outcome)
}

/// Shows people who watch where it is pointed. That it cannot be shown is no failure. Nothing is put into the page.
pub(in crate::agent) async fn highlight(place: &Place<'_>, (x, y): (f64, f64)) {
    if place.run.options.highlight_cursor != Some(true) {
        return;
    }
    let mark = json!({
        "x": (x - MARK).round().max(0.0), "y": (y - MARK).round().max(0.0), "width": 2.0 * MARK, "height": 2.0 * MARK,
        "color": { "r": 255, "g": 80, "b": 0, "a": 0.5 }, "outlineColor": { "r": 255, "g": 80, "b": 0 },
    });
    for (method, parameters) in [
        ("DOM.enable", json!({})),
        ("Overlay.enable", json!({})),
        ("Overlay.highlightRect", mark),
    ] {
        if place.page.send_cdp(method, &parameters).await.is_err() {
            return;
        }
    }
}

/// Takes the mark away again.
pub(in crate::agent) async fn end_highlight(place: &Place<'_>) {
    if place.run.options.highlight_cursor == Some(true) {
        for method in ["Overlay.hideHighlight", "Overlay.disable"] {
            drop(place.page.send_cdp(method, &json!({})).await);
        }
    }
}

/// Types where the focus is; gives why not, when the user does not want it. A line break that is typed is the Enter key
/// and a blank the space bar, wherever the page or a tab in the text has moved the focus by then: it is looked at before
/// each of them.
pub(in crate::agent) async fn type_there(run: &Run<'_>, page: &Page, text: &str) -> Result<Option<String>> {
    run.session.remember_typed(&run.variables);
    let text = run.variables.fill(text);
    let Some(confirming) = &run.confirming else {
        page.type_text(&text).await?;
        return Ok(None);
    };
    let watch = match confirming.watching_text(page, &text).await {
        Ok(watch) => watch,
        Err(why) => return Ok(Some(why)),
    };
    let page = page.browser_page();
    stopped(page.type_text_watched(&text, Duration::ZERO, &watch).await)
}

/// Presses a key or a combination where the focus is, and holds it for a while; gives why not, when the user does not
/// want it.
///
/// # Errors
/// Those of the keyboard.
pub(in crate::agent) async fn press_there(
    run: &Run<'_>,
    page: &Page,
    keys: &str,
    delay: Duration,
) -> Result<Option<String>> {
    let Some(confirming) = &run.confirming else {
        page.press_with(keys, &KeyPressOptions { delay }).await?;
        return Ok(None);
    };
    if let Some(why) = confirming.refusal_of_access_key(page, keys).await {
        return Ok(Some(why));
    }
    let watch = confirming.watching(page, keys);
    let page = page.browser_page();
    stopped(page.press_watched(keys, delay, &watch).await)
}
