//! Shapes, letters and points in SVG.

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::json;

use crate::player::{Bounds, Player, Point, SUBMIT};

/// Something drawn in a grid, as people see it.
#[derive(Debug, Deserialize)]
struct Drawn {
    name: String,
    colour: String,
    text: String,
    is_large: bool,
}

impl Drawn {
    /// `small red circle`, `large letter`, `blue item`: each word must fit.
    fn is(&self, description: &str) -> bool {
        description.split_whitespace().all(|word| match word {
            "large" => self.is_large,
            "small" => !self.is_large,
            "item" => true,
            "rectangle" => self.name == "rect",
            "circle" => self.name == "circle",
            "triangle" => self.name == "polygon",
            "shape" => self.name != "text",
            "letter" => self.text.chars().all(char::is_alphabetic) && !self.text.is_empty(),
            "digit" => self.text.chars().all(char::is_numeric) && !self.text.is_empty(),
            word => self.colour == word || self.text == word,
        })
    }
}

async fn drawn(player: &Player) -> Result<Vec<Drawn>> {
    let function = "() => [...document.querySelectorAll('#area_svg > *')].map(shape => ({
        name: shape.tagName,
        colour: shape.getAttribute('fill'),
        text: shape.textContent,
        is_large: (parseFloat(shape.getAttribute('font-size')) || shape.getBBox().height) > 15,
    }))";
    player.look(function, json!(null)).await
}

/// One that fits the description.
pub(crate) async fn described(player: &Player) -> Result<()> {
    let [description] = player.heard("Click on a (.+)")?;
    let shapes = drawn(player).await?;
    let index = shapes.iter().position(|shape| shape.is(&description));
    let index = index.with_context(|| format!("no {description} in {shapes:?}"))?;
    player
        .click(&format!("#area_svg > :nth-child({})", index + 1))
        .await
}

/// How many fit the description.
pub(crate) async fn count(player: &Player) -> Result<()> {
    let [description] = player.heard("How many (.+)s are there")?;
    let shapes = drawn(player).await?;
    let count = shapes.iter().filter(|shape| shape.is(&description)).count();
    player
        .click(&format!("//div[@id='count-buttons']/button[.='{count}']"))
        .await
}

/// What the one shape is.
pub(crate) async fn identify(player: &Player) -> Result<()> {
    let shapes = drawn(player).await?;
    let shape = shapes.first().context("there is no shape")?;
    let kinds = [
        ("rectangle", "Rectangle"),
        ("circle", "Circle"),
        ("triangle", "Triangle"),
        ("letter", "Letter"),
        ("digit", "Number"),
    ];
    let kind = kinds.iter().find(|(kind, _)| shape.is(kind));
    let (_, button) = kind.with_context(|| format!("what is {shape:?}"))?;
    player
        .click(&format!("//div[@id='area-buttons']/button[.='{button}']"))
        .await
}

/// A point of a grid from -2 to 2, whose axes cross in the middle.
pub(crate) async fn coordinate(player: &Player) -> Result<()> {
    let [x, y] = player.heard(r"coordinate \((-?\d),(-?\d)\)")?;
    let points = player.boxes("#area svg circle").await?;
    let first = points.first().context("there are no points")?.middle();
    let last = points.last().context("there are no points")?.middle();
    let place = |from: f64, to: f64, value: f64| from + (to - from) * (value + 2.0) / 4.0;
    let x = place(first.0, last.0, x.parse()?);
    let y = place(first.1, last.1, -y.parse::<f64>()?);
    Ok(player.page().click(x, y).await?)
}

/// The middle between two points.
pub(crate) async fn midpoint(player: &Player) -> Result<()> {
    let points = middles(player, ".black-circle").await?;
    let [first, second] = points[..] else {
        return None.context("there are not two points");
    };
    let x = f64::midpoint(first.0, second.0);
    let y = f64::midpoint(first.1, second.1);
    player.page().click(x, y).await?;
    player.click(SUBMIT).await
}

/// The middle of a circle.
pub(crate) async fn centre(player: &Player) -> Result<()> {
    let (x, y) = player.bounds(".black-circle").await?.middle();
    player.page().click(x, y).await?;
    player.click(SUBMIT).await
}

/// A third point, so that there is a right angle at the blue one.
pub(crate) async fn right_angle(player: &Player) -> Result<()> {
    let black = player.bounds("#init-black").await?.middle();
    let blue = player.bounds("#init-blue").await?.middle();
    let away = (blue.0 - black.0, blue.1 - black.1);
    let field = player.bounds("#svg-grid").await?;
    let both = [(-away.1, away.0), (away.1, -away.0)];
    click_within(player, &field, blue, &both).await
}

/// A line that halves the angle at the blue point.
pub(crate) async fn bisect(player: &Player) -> Result<()> {
    let blue = player.bounds(".init-blue").await?.middle();
    let black = middles(player, ".init-black").await?;
    let mut direction = (0.0, 0.0);
    for point in &black {
        let (x, y) = unit((point.0 - blue.0, point.1 - blue.1));
        direction = (direction.0 + x, direction.1 + y);
    }
    let field = player.bounds("#svg-grid").await?;
    click_within(player, &field, blue, &[direction]).await
}

/// Clicks as far as can be from a point in one of some directions.
async fn click_within(player: &Player, field: &Bounds, from: Point, directions: &[Point]) -> Result<()> {
    let reach = |direction: &Point| {
        let (dx, dy) = unit(*direction);
        let inside = |distance: f64| {
            let (x, y) = (from.0 + dx * distance, from.1 + dy * distance);
            x > field.x + 5.0
                && x < field.x + field.width - 5.0
                && y > field.y + 5.0
                && y < field.y + field.height - 5.0
        };
        let distance = (1..150)
            .map(f64::from)
            .take_while(|distance| inside(*distance))
            .last();
        let distance = distance.unwrap_or_default();
        (distance, (from.0 + dx * distance, from.1 + dy * distance))
    };
    let reached = directions
        .iter()
        .map(reach)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let (_, (x, y)) = reached.context("there is no direction")?;
    player.page().click(x, y).await?;
    player.click(SUBMIT).await
}

fn unit((x, y): Point) -> Point {
    let length = x.hypot(y).max(f64::MIN_POSITIVE);
    (x / length, y / length)
}

async fn middles(player: &Player, selector: &str) -> Result<Vec<Point>> {
    let boxes = player.boxes(selector).await?;
    Ok(boxes.iter().map(Bounds::middle).collect())
}

/// Numbers in their order; they are covered once the first has been clicked.
pub(crate) async fn ascending(player: &Player) -> Result<()> {
    let numbers = player.texts("#area_svg text").await?;
    let places = middles(player, "#area_svg text").await?;
    let mut all: Vec<(u32, Point)> = Vec::new();
    for (number, place) in numbers.iter().zip(places) {
        all.push((number.parse()?, place));
    }
    all.sort_by_key(|(number, _)| *number);
    for (_, (x, y)) in all {
        player.page().click(x, y).await?;
    }
    Ok(())
}
