//! Selecting, copying, scrolling and styling text.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use automator::Action;
use serde_json::json;

use crate::player::{Bounds, Player, Point, ordinal, with_text};

/// All of a text area into a field, by the clipboard.
pub(crate) async fn copy(player: &Player) -> Result<()> {
    copy_from(player, "#to-copy").await
}

/// One of three text areas into a field.
pub(crate) async fn copy_one_of_three(player: &Player) -> Result<()> {
    let [position] = player.heard(r"from the (\w+) text area")?;
    copy_from(player, &format!("#text-{}", ordinal(&position)?)).await
}

async fn copy_from(player: &Player, source: &str) -> Result<()> {
    player.press(source, "Control+A").await?;
    player.press(source, "Control+C").await?;
    player.press("#answer-input", "Control+V").await?;
    player.submit().await
}

/// Letters that are skewed.
pub(crate) async fn skewed(player: &Player) -> Result<()> {
    let letters = player.texts("#captcha span").await?.concat();
    player.type_into("#tt", &letters).await?;
    player.submit().await
}

/// A paragraph, with the mouse.
pub(crate) async fn highlight(player: &Player) -> Result<()> {
    select(player, "#randomText", None).await?;
    player.submit().await
}

/// One of three paragraphs.
pub(crate) async fn highlight_one_of_three(player: &Player) -> Result<()> {
    let [position] = player.heard(r"in the (\w+) paragraph")?;
    let paragraph = format!("#randomText p:nth-of-type({})", ordinal(&position)?);
    select(player, &paragraph, None).await?;
    player.submit().await
}

/// Drags over a text, all of an element's or a part.
async fn select(player: &Player, selector: &str, part: Option<&str>) -> Result<()> {
    // Where its first and its last letter stand.
    let function = "([css, part]) => {
        const walker = document.createTreeWalker(document.querySelector(css), NodeFilter.SHOW_TEXT);
        const node = walker.nextNode();
        const text = part ?? node.data.trim();
        const start = node.data.split(/(?<= )/).reduce(([at, found], word) =>
            [at + word.length, found ?? (part === null || word.trim() === text ? at : null)], [0, null])[1];
        const letter = at => {
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const { x, y, width, height } = range.getBoundingClientRect();
            return { x, y, width, height };
        };
        return [letter(start), letter(start + text.length - 1)];
    }";
    let [first, last]: [Bounds; 2] = player.look(function, json!([selector, part])).await?;
    let from: Point = (first.x + 0.5, first.middle().1);
    let to: Point = (last.x + last.width - 0.2, last.middle().1);
    player.drag(from, to).await
}

/// A text area, by its corner.
pub(crate) async fn resize(player: &Player) -> Result<()> {
    let [side, direction] = player.heard(r"the (width|height) is (larger|smaller)")?;
    let corner = player.bounds("#area .ui-resizable-se").await?.middle();
    let by = if direction == "larger" { 15.0 } else { -15.0 };
    let to = if side == "width" {
        (corner.0 + by, corner.1)
    } else {
        (corner.0, corner.1 + by)
    };
    player.drag(corner, to).await?;
    player.click("#submit").await
}

/// The last word of a text that has to be scrolled through.
pub(crate) async fn last_word(player: &Player) -> Result<()> {
    player
        .act(Action::new("#text-area", "scrollTo").argument("100%"))
        .await?;
    let text = player.locator("#text-area").input_value().await?;
    let word = text.split_whitespace().last().context("there is no text")?;
    player.fill("#answer-input", word).await?;
    player.submit().await
}

/// To an end of a text area, with the wheel.
pub(crate) async fn scroll_to_an_end(player: &Player) -> Result<()> {
    let [end] = player.heard(r"to the (top|bottom)")?;
    let at = player.bounds("#text-area").await?.middle();
    let by = if end == "top" { -3000.0 } else { 3000.0 };
    player.page().scroll(at, (0.0, by)).await?;
    player.submit().await
}

/// A style for a word, or for everything, in an editor.
pub(crate) async fn style(player: &Player) -> Result<()> {
    let instruction = player.instruction();
    match player.heard(r"the text (\S+) the (?:style|color)") {
        Ok([word]) => select(player, ".ql-editor p", Some(&word)).await?,
        Err(_) => player.press(".ql-editor", "Control+A").await?,
    }
    // The editor looks a tenth of a second later what is selected.
    tokio::time::sleep(Duration::from_millis(150)).await;
    if let Ok([colour]) = player.heard(r"color (\w+)") {
        let code = match colour.as_str() {
            "red" => "#e60000",
            "orange" => "#ff9900",
            "yellow" => "#ffff00",
            "green" => "#008a00",
            "blue" => "#0066cc",
            _ => "#9933ff",
        };
        player.click(".ql-color .ql-picker-label").await?;
        player
            .click(&format!(".ql-picker-item[data-value='{code}']"))
            .await?;
    } else {
        let style = ["bold", "italic", "underline"]
            .into_iter()
            .find(|style| instruction.contains(&format!("style {style}")));
        let style = style.context("no style is named")?;
        player.click(&format!("button.ql-{style}")).await?;
    }
    player.submit().await
}

/// A word of a text by its position.
pub(crate) async fn word_at(player: &Player) -> Result<()> {
    let [position] = player.heard(r"the (\w+) word")?;
    let text = player.text("#area p").await?;
    let word = text.split_whitespace().nth(ordinal(&position)? - 1);
    let word = word.context("the text is shorter")?;
    player
        .fill("#answer-input", word.trim_matches([',', '.']))
        .await?;
    player.submit().await
}

/// A calendar: an event is drawn over its hours, then named.
pub(crate) async fn calendar(player: &Player) -> Result<()> {
    let pattern = r#"Create a ([\d.]+) (hour|min)s? event named "(.+)", between (\d+)(AM|PM)"#;
    let [length, unit, name, start, half] = player.heard(pattern)?;
    let hours: f64 = length.parse::<f64>()? / if unit == "hour" { 1.0 } else { 60.0 };
    let start = start.parse::<u32>()? % 12 + if half == "PM" { 12 } else { 0 };
    // The first run of half hours that no event covers or touches.
    let slots = player.boxes(".half-hour").await?;
    let events = player.boxes(".event").await?;
    let is_free = |slot: usize| {
        slots.get(slot).is_some_and(|slot| {
            events
                .iter()
                .all(|event| event.y + event.height < slot.y + 1.0 || event.y > slot.y + slot.height - 1.0)
        })
    };
    let first = usize::try_from(start)? * 2;
    let many = if hours < 0.75 {
        1
    } else if hours < 1.25 {
        2
    } else {
        3
    };
    let slot = (first..first + 8 - many).find(|slot| (*slot..slot + many).all(is_free));
    let slot = slot.context("nothing is free")?;
    player.locator(&format!("#hh-{slot}")).scroll_into_view().await?;
    let from = player.bounds(&format!("#hh-{slot}")).await?;
    let to = player.bounds(&format!("#hh-{}", slot + many - 1)).await?;
    ensure!(to.y >= from.y, "the slots are in another order");
    let x = from.x + from.width * 0.7;
    player.drag((x, from.middle().1), (x, to.middle().1)).await?;
    player.fill("#event-name", &name).await?;
    player.click(&with_text("button", "Create")).await
}
