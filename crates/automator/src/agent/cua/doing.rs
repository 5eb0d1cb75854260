//! Mouse and keyboard for a model that uses computers. What needs a question is asked as everywhere.

use std::time::Duration;

use automator_browser::{DragOptions, Performed};
use automator_llm::{ComputerAction, ComputerButton, HeldKeys};
use serde_json::{Map, Value, json};

use super::Sight;
use crate::agent::tools::drag_and_drop::STEPS;
use crate::agent::tools::keys::FOLLOW;
use crate::agent::tools::navback::back;
use crate::agent::tools::{Outcome, Place, pointing};
use crate::page::{ClickOptions, HoverOptions, ScrollOptions};
use crate::{Error, Modifiers, MouseButton, Result};

/// What is said of something that has worked and brought nothing to be told.
pub(super) const DONE: &str = "done";

/// Most times that keys are pressed at once.
const MOST_TIMES: u32 = 100;

/// How far is scrolled at most at once, in pixels.
const FARTHEST: f64 = 20_000.0;

/// Combinations that a browser takes to its history, where the page alone does nothing with them.
const BACK: &str = "alt+arrowleft";
const FORWARD: &str = "alt+arrowright";

/// What an action is called, and its arguments; places in pixels of the picture.
pub(super) fn told(action: &ComputerAction) -> (&'static str, Value) {
    let place = |at: &(f64, f64)| json!([at.0, at.1]);
    let milliseconds = |time: &Duration| json!(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    let (name, held, members) = match action {
        ComputerAction::Click {
            at,
            button,
            count,
            held,
        } => (
            "click",
            *held,
            vec![
                ("coordinates", at.as_ref().map(place)),
                ("button", Some(button_of(*button).name().into())),
                ("count", (*count != 1).then(|| json!(count))),
            ],
        ),
        ComputerAction::Move { at, held } => ("move", *held, vec![("coordinates", Some(place(at)))]),
        ComputerAction::Drag { path, held } => {
            let places: Vec<Value> = path.iter().map(place).collect();
            ("dragAndDrop", *held, vec![("path", Some(places.into()))])
        }
        ComputerAction::Scroll { at, by, held } => (
            "scroll",
            *held,
            vec![("coordinates", at.as_ref().map(place)), ("by", Some(place(by)))],
        ),
        ComputerAction::Type { text } => alone("type", vec![("text", Some(text.as_str().into()))]),
        ComputerAction::Press { keys, times } => {
            let times = (*times != 1).then(|| json!(times));
            alone(
                "keys",
                vec![("value", Some(keys.join(" ").into())), ("repeat", times)],
            )
        }
        ComputerAction::Hold { keys, time } => alone(
            "holdKey",
            vec![
                ("value", Some(keys.as_str().into())),
                ("timeMs", Some(milliseconds(time))),
            ],
        ),
        ComputerAction::Wait { time } => alone("wait", vec![("timeMs", Some(milliseconds(time)))]),
        ComputerAction::Back => alone("navback", Vec::new()),
        ComputerAction::Forward => alone("navforward", Vec::new()),
        ComputerAction::Screenshot => alone("screenshot", Vec::new()),
        ComputerAction::CursorPosition => alone("cursorPosition", Vec::new()),
    };
    let mut arguments = Map::new();
    for (name, value) in members {
        arguments.extend(value.map(|value| (name.to_owned(), value)));
    }
    let held = names_of(held);
    if !held.is_empty() {
        arguments.insert("held".to_owned(), held.into());
    }
    (name, Value::Object(arguments))
}

type Told = (&'static str, HeldKeys, Vec<(&'static str, Option<Value>)>);

fn alone(name: &'static str, members: Vec<(&'static str, Option<Value>)>) -> Told {
    (name, HeldKeys::default(), members)
}

fn names_of(held: HeldKeys) -> Vec<&'static str> {
    let all = [
        (held.alt, "Alt"),
        (held.control, "Control"),
        (held.meta, "Meta"),
        (held.shift, "Shift"),
    ];
    all.into_iter()
        .filter(|(is_held, _)| *is_held)
        .map(|(_, name)| name)
        .collect()
}

/// Does an action. `mouse` is where the mouse is, in CSS pixels.
///
/// # Errors
/// Those of mouse, keyboard and navigation; [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for
/// places outside the window.
pub(super) async fn act(
    place: &Place<'_>,
    sight: &Sight,
    action: &ComputerAction,
    mouse: &mut Option<(f64, f64)>,
) -> Result<Outcome> {
    let there = |at: &(f64, f64)| sight.place(place.run, *at);
    let point = |at: &Option<(f64, f64)>, mouse: &Option<(f64, f64)>| match (at, mouse) {
        (Some(at), _) => there(at),
        (None, Some(at)) => Ok(*at),
        (None, None) => Err(Error::invalid_argument(
            "coordinate is missing, and the mouse is nowhere yet",
        )),
    };
    match action {
        ComputerAction::Click {
            at,
            button,
            count,
            held,
        } => {
            let at = *mouse.insert(point(at, mouse)?);
            let mut options = ClickOptions::default();
            options.button = button_of(*button);
            options.click_count = *count;
            options.modifiers = modifiers(*held);
            click(place, at, &options).await
        }
        ComputerAction::Move { at, held } => {
            let at = *mouse.insert(there(at)?);
            let mut options = HoverOptions::default();
            options.modifiers = modifiers(*held);
            place.page.hover_with(at.0, at.1, &options).await?;
            Ok(Outcome::done(DONE))
        }
        ComputerAction::Drag { path, held } => {
            let path: Vec<(f64, f64)> = path.iter().map(there).collect::<Result<_>>()?;
            *mouse = path.last().copied();
            drag(place, &path, *held).await
        }
        ComputerAction::Scroll { at, by, held } => {
            let at = *mouse.insert(point(at, mouse)?);
            let by = (by.0 / sight.scale, by.1 / sight.scale);
            if by.0.abs().max(by.1.abs()) > FARTHEST {
                return Ok(Outcome::failed(format!(
                    "it can be scrolled by {:.0} pixels at once at most",
                    FARTHEST * sight.scale
                )));
            }
            let mut options = ScrollOptions::default();
            options.modifiers = modifiers(*held);
            place.page.scroll_with(at, by, &options).await?;
            Ok(Outcome::done(DONE))
        }
        ComputerAction::Type { text } => match pointing::type_there(place.run, place.page, text).await? {
            Some(why) => Ok(Outcome::failed(why)),
            None => Ok(followed(place).await),
        },
        ComputerAction::Press { keys, times } => press(place, keys, *times).await,
        ComputerAction::Hold { keys, time } => hold(place, keys, *time).await,
        ComputerAction::Wait { time } => {
            place.page.wait_for_timeout(*time).await?;
            Ok(Outcome::done(DONE))
        }
        ComputerAction::Back => back(place).await,
        ComputerAction::Forward => forward(place).await,
        ComputerAction::Screenshot => Ok(Outcome::done(DONE)),
        ComputerAction::CursorPosition => {
            let (x, y) = mouse.unwrap_or_default();
            let (x, y) = (x * sight.scale, y * sight.scale);
            Ok(Outcome::done(format!("X={x:.0},Y={y:.0}")))
        }
    }
}

async fn click(place: &Place<'_>, at: (f64, f64), options: &ClickOptions) -> Result<Outcome> {
    pointing::highlight(place, at).await;
    // Pages hear of every button.
    let clicked = pointing::click(place, at, options, "click").await;
    pointing::end_highlight(place).await;
    if let Some(why) = clicked? {
        return Ok(Outcome::failed(why));
    }
    Ok(followed(place).await)
}

async fn drag(place: &Place<'_>, path: &[(f64, f64)], held: HeldKeys) -> Result<Outcome> {
    let (Some(from), Some(to)) = (path.first(), path.last()) else {
        return Ok(Outcome::failed("the path has no places"));
    };
    if let Some(why) = pointing::refusal_of_drag(place, *from, *to).await {
        return Ok(Outcome::failed(why));
    }
    let mut options = DragOptions::default();
    options.steps = STEPS;
    options.modifiers = modifiers(held);
    pointing::highlight(place, *to).await;
    let dragged = place.page.browser_page().drag_along(path, &options).await;
    pointing::end_highlight(place).await;
    dragged?;
    Ok(followed(place).await)
}

async fn press(place: &Place<'_>, keys: &[String], times: u32) -> Result<Outcome> {
    if !(1..=MOST_TIMES).contains(&times) {
        return Ok(Outcome::failed(format!(
            "keys can be pressed from 1 to {MOST_TIMES} times at once, not {times}"
        )));
    }
    for _ in 0..times {
        for keys in keys {
            match keys.to_lowercase().as_str() {
                BACK => return back(place).await,
                FORWARD => return forward(place).await,
                _ => {}
            }
            if let Some(why) = pointing::press_there(place.run, place.page, keys, Duration::ZERO).await? {
                return Ok(Outcome::failed(why));
            }
        }
    }
    Ok(followed(place).await)
}

async fn hold(place: &Place<'_>, keys: &str, time: Duration) -> Result<Outcome> {
    if let Some(why) = pointing::press_there(place.run, place.page, keys, time).await? {
        return Ok(Outcome::failed(why));
    }
    Ok(followed(place).await)
}

async fn forward(place: &Place<'_>) -> Result<Outcome> {
    let before = place.page.url();
    let response = place.page.go_forward().await?;
    if response.is_none() && place.page.url() == before {
        return Ok(Outcome::failed("there is no page after this one"));
    }
    Ok(Outcome::done(DONE))
}

/// Where it leads is followed.
async fn followed(place: &Place<'_>) -> Outcome {
    let page = place.page.browser_page();
    page.follow(&Performed::default(), FOLLOW).await;
    Outcome::done(DONE)
}

fn button_of(button: ComputerButton) -> MouseButton {
    match button {
        ComputerButton::Left => MouseButton::Left,
        ComputerButton::Right => MouseButton::Right,
        ComputerButton::Middle => MouseButton::Middle,
    }
}

fn modifiers(held: HeldKeys) -> Modifiers {
    let mut modifiers = Modifiers::default();
    modifiers.alt = held.alt;
    modifiers.control = held.control;
    modifiers.meta = held.meta;
    modifiers.shift = held.shift;
    modifiers
}
