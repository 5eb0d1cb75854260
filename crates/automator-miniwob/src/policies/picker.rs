//! Pickers of dates, numbers and colours.

use anyhow::{Context as _, Result, bail};

use crate::player::{Player, items, ordinal};

/// The colours that the pages name.
const COLOURS: [(&str, &str); 19] = [
    ("black", "000000"),
    ("white", "ffffff"),
    ("aqua", "00ffff"),
    ("blue", "0000ff"),
    ("gray", "808080"),
    ("green", "008000"),
    ("lime", "00ff00"),
    ("maroon", "800000"),
    ("navy", "000080"),
    ("olive", "808000"),
    ("purple", "800080"),
    ("red", "ff0000"),
    ("silver", "c0c0c0"),
    ("teal", "008080"),
    ("yellow", "ffff00"),
    ("pink", "ffc0cb"),
    ("magenta", "ff00ff"),
    ("gold", "ffd700"),
    ("orange", "ffa500"),
];

/// A day in a calendar that opens at December 2016.
pub(crate) async fn date(player: &Player) -> Result<()> {
    let [month, day, year] = player.heard(r"Select (\d+)/(\d+)/(\d+)")?;
    player.click("#datepicker").await?;
    let wanted: u32 = month.parse()?;
    for _ in 0..24 {
        let shown = player.text(".ui-datepicker-title").await?;
        let shown = shown.replace('\u{a0}', " ");
        let (name, shown_year) = shown.split_once(' ').context("a month and a year")?;
        let shown_month = month_number(name)?;
        if shown_month == wanted && shown_year == year {
            let day: u32 = day.parse()?;
            return pick_day(player, day).await;
        }
        player.click(".ui-datepicker-prev").await?;
    }
    bail!("{month}/{year} does not come");
}

async fn pick_day(player: &Player, day: u32) -> Result<()> {
    player
        .click(&format!("//table[@class='ui-datepicker-calendar']//a[.='{day}']"))
        .await?;
    player.submit().await
}

fn month_number(name: &str) -> Result<u32> {
    let names = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let number = (1..).zip(names).find(|(_, other)| *other == name);
    Ok(number.with_context(|| format!("{name:?} is no month"))?.0)
}

/// A slider, with the keys.
pub(crate) async fn slider(player: &Player) -> Result<()> {
    let [number] = player.heard(r"Select (-?\d+) with the slider")?;
    slide_with_keys(player, "#slider", "#val", number.parse()?).await?;
    player.submit().await
}

/// Presses an arrow until the value is there.
async fn slide_with_keys(player: &Player, slider: &str, value: &str, wanted: i32) -> Result<()> {
    let shown: i32 = player.text(value).await?.parse()?;
    let key = if wanted > shown { "ArrowRight" } else { "ArrowLeft" };
    let handle = format!("{slider} .ui-slider-handle");
    for _ in 0..shown.abs_diff(wanted) {
        player.press(&handle, key).await?;
    }
    Ok(())
}

/// Three sliders, with the mouse, and with the keys where the mouse was not exact.
pub(crate) async fn three_sliders(player: &Player) -> Result<()> {
    let [numbers] = player.heard(r"combination \[(.+)\]")?;
    for (number, wanted) in (1..).zip(items(&numbers)) {
        let slider = format!("#slider-{number}");
        let wanted: i32 = wanted.parse()?;
        let track = player.bounds(&slider).await?;
        let handle = player.bounds(&format!("{slider} .ui-slider-handle")).await?;
        let x = track.x + track.width * f64::from(wanted) / 20.0;
        player.drag(handle.middle(), (x, handle.middle().1)).await?;
        slide_with_keys(player, &slider, &format!("#val-{number}"), wanted).await?;
    }
    player.submit().await
}

/// A slider, a checkbox and a button.
pub(crate) async fn slider_and_checkbox(player: &Player) -> Result<()> {
    let [number, position] = player.heard(r"Select (-?\d+) with the slider, click the (\w+) checkbox")?;
    slide_with_keys(player, "#slider", "#val", number.parse()?).await?;
    player
        .click(&format!("#checkbox-{}", ordinal(&position)?))
        .await?;
    player.submit().await
}

/// The arrows at a number.
pub(crate) async fn spinner(player: &Player) -> Result<()> {
    let [number] = player.heard(r"Select (-?\d+) with the spinner")?;
    let number: i32 = number.parse()?;
    let arrow = if number > 0 {
        ".ui-spinner-up"
    } else {
        ".ui-spinner-down"
    };
    for _ in 0..number.unsigned_abs() {
        player.click(arrow).await?;
    }
    player.submit().await
}

/// A colour by its name.
pub(crate) async fn named_colour(player: &Player) -> Result<()> {
    let [name] = player.heard(r"Select (\w+) with the color picker")?;
    let known = COLOURS.iter().find(|(other, _)| *other == name);
    let (_, code) = known.with_context(|| format!("{name:?} is no colour"))?;
    player.fill("#col", code).await?;
    player.submit().await
}

/// A colour that is shown.
pub(crate) async fn shown_colour(player: &Player) -> Result<()> {
    let colours = player.colours("#query .cc").await?;
    let [red, green, blue] = colours.first().context("no colour is shown")?;
    player
        .fill("#col", &format!("{red:02x}{green:02x}{blue:02x}"))
        .await?;
    player.submit().await
}
