//! What moves, and what is told only where the mouse is.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::player::Player;

/// Keeps the mouse in a circle that moves.
pub(crate) async fn chase(player: &Player) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(11) {
        let circles = player.boxes("#circ").await?;
        let done = player.page().evaluate("WOB_DONE_GLOBAL").await?;
        if done == true {
            return Ok(());
        }
        let (x, y) = circles.first().context("there is no circle")?.middle();
        player.page().hover(x, y).await?;
    }
    bail!("the circle never rests");
}

/// Clicks on circles that cross the page, as long as some come.
pub(crate) async fn moving_circles(player: &Player) -> Result<()> {
    let field = player.bounds("#area_svg").await?;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(9700) {
        let inside = |middle: &(f64, f64)| {
            middle.0 > 5.0
                && middle.0 < field.x + field.width - 5.0
                && middle.1 > field.y + 5.0
                && middle.1 < field.y + field.height - 5.0
        };
        let circles = player.boxes("#area_svg .item").await?;
        let circle = circles.iter().map(crate::player::Bounds::middle).find(inside);
        match circle {
            Some((x, y)) => player.page().click(x, y).await?,
            None => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    Ok(())
}

/// A place that is told by how warm the page says it is.
pub(crate) async fn hot_and_cold(player: &Player) -> Result<()> {
    let field = player.bounds("#touch-area").await?;
    let rank = |text: &str| {
        ["ICE COLD", "COLD", "WARM", "HOT"]
            .iter()
            .position(|other| *other == text)
    };
    // A coarse grid first, then a finer one around the warmest point.
    let mut centre = field.middle();
    for (step, reach) in [(16.0, 80.0), (5.0, 45.0), (3.0, 12.0), (1.0, 5.0)] {
        let mut best = (0, Vec::new());
        let steps = |size: f64| {
            let many = (size / step).floor();
            std::iter::successors(Some(-many), move |at| (*at < many).then_some(at + 1.0))
                .map(move |at| at * step)
        };
        for dy in steps(reach) {
            for dx in steps(reach) {
                let (x, y) = (centre.0 + dx, centre.1 + dy);
                let is_inside = x > field.x + 1.0
                    && x < field.x + field.width - 1.0
                    && y > field.y + 1.0
                    && y < field.y + field.height - 1.0;
                if !is_inside {
                    continue;
                }
                player.page().hover(x, y).await?;
                let text = player.text("#display").await?;
                match rank(&text) {
                    Some(3) => return Ok(player.page().click(x, y).await?),
                    Some(warm) if warm > best.0 => best = (warm, vec![(x, y)]),
                    Some(warm) if warm == best.0 => best.1.push((x, y)),
                    _ => {}
                }
            }
        }
        let many = f64::from(u32::try_from(best.1.len())?.max(1));
        let sum = best
            .1
            .iter()
            .fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        centre = (sum.0 / many, sum.1 / many);
    }
    bail!("it is hot nowhere");
}
