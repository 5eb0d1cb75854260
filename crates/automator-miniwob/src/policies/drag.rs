//! Dragging: an element onto another, and from point to point.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use automator::Action;
use serde_json::json;

use crate::player::{Bounds, Player, literal, ordinal};

/// A small box into a large one.
pub(crate) async fn box_into_box(player: &Player) -> Result<()> {
    player
        .act(Action::new("#draggableSmall", "dragAndDrop").argument("#draggableLarge"))
        .await?;
    player.submit().await
}

/// A shape in a direction.
pub(crate) async fn in_direction(player: &Player) -> Result<()> {
    let [direction] = player.heard(r"(left|right|up|down) then")?;
    let shapes = player.boxes("#area svg > *").await?;
    let from = shapes.first().context("there is no shape")?.middle();
    let to = match direction.as_str() {
        "left" => (from.0 - 15.0, from.1),
        "right" => (from.0 + 15.0, from.1),
        "up" => (from.0, from.1 - 15.0),
        _ => (from.0, from.1 + 15.0),
    };
    player.drag(from, to).await?;
    player.submit().await
}

/// An item of a list to another place.
pub(crate) async fn item(player: &Player) -> Result<()> {
    let [name, place] = player.heard(r"Drag (\S+) (.+)[.]")?;
    let names = player.texts("#sortable li").await?;
    let from = position(&names, &name)?;
    let last = names.len() - 1;
    let to = match place.as_str() {
        "to the top" => 0,
        "to the bottom" => last,
        "down by one position" => from + 1,
        "up by one position" => from - 1,
        other => {
            let word = other.split(' ').nth(2).context("another place")?;
            ordinal(word)? - 1
        }
    };
    move_item(player, from, to).await
}

fn position(names: &[String], name: &str) -> Result<usize> {
    let found = names.iter().position(|other| other == name);
    found.with_context(|| format!("there is no {name}"))
}

/// Drags an item of a sortable list past the middle of the one whose place it takes.
async fn move_item(player: &Player, from: usize, to: usize) -> Result<()> {
    let items = player.boxes("#sortable li").await?;
    let (Some(start), Some(end)) = (items.get(from), items.get(to)) else {
        bail!("there are only {} items", items.len());
    };
    let beyond = |from: f64, to: f64, size: f64| match to.partial_cmp(&from) {
        Some(std::cmp::Ordering::Greater) => to + size * 0.2,
        Some(std::cmp::Ordering::Less) => to - size * 0.2,
        _ => to,
    };
    let (from, to) = (start.middle(), end.middle());
    let to = (beyond(from.0, to.0, end.width), beyond(from.1, to.1, end.height));
    player.drag(from, to).await
}

/// An item of a grid of three by three to another place.
pub(crate) async fn item_of_grid(player: &Player) -> Result<()> {
    let [name, place] = player.heard(r"Drag (\S+) (.+)[.]")?;
    let names = player.texts("#sortable li").await?;
    let from = position(&names, &name)?;
    let to = match place.as_str() {
        "up by one" => from - 3,
        "down by one" => from + 3,
        "left by one" => from - 1,
        "right by one" => from + 1,
        place => {
            let row = if place.contains("top") {
                0
            } else if place.contains("bottom") {
                2
            } else {
                1
            };
            let column = if place.contains("left") {
                0
            } else if place.contains("right") {
                2
            } else {
                1
            };
            row * 3 + column
        }
    };
    move_item(player, from, to).await
}

/// Numbers into order.
pub(crate) async fn sort(player: &Player) -> Result<()> {
    let numbers = player.texts("#sortable li div").await?.len();
    for place in 0..numbers {
        let texts = player.texts("#sortable li div").await?;
        let values: Vec<i32> = texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
        let rest = values.iter().enumerate().skip(place);
        let (least, _) = rest
            .min_by_key(|(_, value)| **value)
            .context("there are no numbers")?;
        if least != place {
            move_item(player, least, place).await?;
        }
    }
    player.submit().await
}

/// What is drawn: its name in SVG, its colour, its box.
#[derive(serde::Deserialize)]
struct Drawn {
    name: String,
    colour: String,
    bounds: Bounds,
}

async fn drawn(player: &Player) -> Result<Vec<Drawn>> {
    let function = "() => [...document.querySelectorAll('#area_svg > *')].map(shape => {
        const { x, y, width, height } = shape.getBoundingClientRect();
        return { name: shape.tagName, colour: shape.getAttribute('fill'), bounds: { x, y, width, height } };
    })";
    player.look(function, json!(null)).await
}

fn svg_name(kind: &str) -> Result<&'static str> {
    Ok(match kind {
        "rectangles" => "rect",
        "circles" => "circle",
        "triangles" => "polygon",
        other => bail!("{other:?} is no kind of shape"),
    })
}

/// All shapes of a kind into a frame.
pub(crate) async fn shapes_into_frame(player: &Player) -> Result<()> {
    let [kind] = player.heard(r"Drag all (\w+) into")?;
    let kind = svg_name(&kind)?;
    let (frames, shapes): (Vec<_>, Vec<_>) = drawn(player)
        .await?
        .into_iter()
        .partition(|shape| shape.colour == "none");
    let frame = frames.first().context("there is no frame")?.bounds;
    for shape in shapes.iter().filter(|shape| shape.name == kind) {
        player.drag(shape.bounds.middle(), frame.middle()).await?;
    }
    player.submit().await
}

/// Shapes of a kind or colour into the left frame, all others into the right one.
pub(crate) async fn shapes_into_frames(player: &Player) -> Result<()> {
    let [which] = player.heard("Drag all (.+) into the left")?;
    let (frames, shapes): (Vec<_>, Vec<_>) = drawn(player)
        .await?
        .into_iter()
        .partition(|shape| shape.colour == "none");
    let [left, right] = frames.as_slice() else {
        bail!("there are {} frames", frames.len());
    };
    for shape in &shapes {
        let is_left = match which.strip_suffix(" shapes") {
            Some(colour) => shape.colour == colour,
            None => shape.name == svg_name(&which)?,
        };
        let frame = if is_left { left } else { right };
        player.drag(shape.bounds.middle(), frame.bounds.middle()).await?;
    }
    player.submit().await
}

/// A cube that goes on turning for a while when it was pulled, until the right side is in front.
pub(crate) async fn cube(player: &Player) -> Result<()> {
    let [side] = player.heard(r#"that "(\d)" is"#)?;
    let active = format!("//div[contains(@class, 'active')][.={}]", literal(&side));
    let (x, y) = player.bounds(".viewport").await?.middle();
    // Side 6 is in front at first and 1 behind it; the others are around.
    let to = if side == "1" { (x, y - 25.0) } else { (x + 25.0, y) };
    for _ in 0..40 {
        if player.locator(&active).count().await? > 0 {
            return player.submit().await;
        }
        player.drag((x, y), to).await?;
        wait_until_still(player).await?;
    }
    bail!("side {side} does not come");
}

async fn wait_until_still(player: &Player) -> Result<()> {
    let mut last = None;
    loop {
        let now = player.locator(".cube").get_attribute("style").await?;
        if last.as_ref() == Some(&now) {
            return Ok(());
        }
        last = Some(now);
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
}

/// A line through a point.
pub(crate) async fn line(player: &Player) -> Result<()> {
    let (x, y) = player.bounds("#circ").await?.middle();
    if player.instruction().contains("horizontal") {
        player.drag((x - 25.0, y), (x + 25.0, y)).await?;
    } else {
        player.drag((x, y - 25.0), (x, y + 25.0)).await?;
    }
    player.click("#controls button").await
}
