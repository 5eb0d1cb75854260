//! Clicks on buttons, boxes, tabs and links.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::player::{Player, SUBMIT, items, literal, ordinal, with_text};

/// The only button.
pub(crate) async fn only_button(player: &Player) -> Result<()> {
    player.submit().await
}

/// Button ONE of two.
pub(crate) async fn button_one(player: &Player) -> Result<()> {
    player.click(&with_text("button", "ONE")).await
}

/// The button with a name.
pub(crate) async fn named_button(player: &Player) -> Result<()> {
    let [name] = player.heard(r#"the "(.+)" button"#)?;
    player.click(&with_text("button", &name)).await
}

/// Two buttons, which may overlap.
pub(crate) async fn sequence(player: &Player) -> Result<()> {
    player.click("#subbtn").await?;
    player.click("#subbtn2").await
}

/// Two buttons with a pause in between.
pub(crate) async fn delayed_sequence(player: &Player) -> Result<()> {
    let [seconds] = player.heard(r"wait (\d+) seconds")?;
    player.click("#subbtn").await?;
    tokio::time::sleep(Duration::from_secs(seconds.parse()?)).await;
    player.click("#subbtn2").await
}

/// A word that looks like a link.
pub(crate) async fn link(player: &Player) -> Result<()> {
    let [word] = player.heard(r#"the link "(.+)""#)?;
    player.click(&with_text("span", &word)).await
}

/// A radio button by its label.
pub(crate) async fn option(player: &Player) -> Result<()> {
    let [name] = player.heard(r"Select (.+) and click Submit")?;
    player
        .click(&format!("{}/input", with_text("label", &name)))
        .await?;
    player.submit().await
}

/// Checkboxes by their labels.
pub(crate) async fn checkboxes(player: &Player) -> Result<()> {
    let [names] = player.heard(r"Select (.+) and click Submit")?;
    for name in items(&names).into_iter().filter(|name| *name != "nothing") {
        let checkbox = format!("{}/input", with_text("label", name));
        player.locator(&checkbox).set_checked(true).await?;
    }
    player.submit().await
}

/// The cross of a dialog box.
pub(crate) async fn close_dialog(player: &Player) -> Result<()> {
    player.click(".ui-dialog-titlebar-close").await
}

/// A button of a dialog box, or its cross.
pub(crate) async fn dialog_button(player: &Player) -> Result<()> {
    let [name] = player.heard(r#"labeled "(.+)""#)?;
    if name == "x" {
        return close_dialog(player).await;
    }
    let button = format!("//div[@class='ui-dialog-buttonset']/button[.={}]", literal(&name));
    player.click(&button).await
}

/// A tab.
pub(crate) async fn tab(player: &Player) -> Result<()> {
    let [name] = player.heard(r"Click on (Tab #\d)")?;
    player.click(&with_text("a", &name)).await
}

/// A link on one of several tabs.
pub(crate) async fn link_on_a_tab(player: &Player) -> Result<()> {
    let [word] = player.heard(r#"the link "(.+)""#)?;
    let tabs = player.texts("#area ul a").await?.len();
    for tab in 1..=tabs {
        player.click(&format!("#area li:nth-of-type({tab}) a")).await?;
        let links = format!("//div[@id='tabs-{tab}']//span[.={}]", literal(&word));
        if player.locator(&links).count().await? > 0 {
            return player.click(&links).await;
        }
    }
    // In one task a link that is nowhere means that the last tab was wanted.
    Ok(())
}

/// A section that opens slowly, and the button below it.
pub(crate) async fn collapsible(player: &Player) -> Result<()> {
    player.click("#area h3").await?;
    player.submit().await
}

/// A link in one of several sections that are closed.
pub(crate) async fn link_in_a_section(player: &Player) -> Result<()> {
    let [word] = player.heard(r#"the link "(.+)""#)?;
    for section in 1..=3 {
        player.click(&format!("#area h3:nth-of-type({section})")).await?;
        let links = format!("//div[@id='area']/div[{section}]/span[.={}]", literal(&word));
        if player.locator(&links).count().await? > 0 {
            return player.click(&links).await;
        }
    }
    bail!("there is no link {word:?}");
}

/// Any field or button of a kind.
pub(crate) async fn widget(player: &Player) -> Result<()> {
    let [kind] = player.heard(r#"a "(\w+)" widget"#)?;
    let selector = match kind.as_str() {
        "radio" => "#area input[type=radio]",
        "checkbox" => "#area input[type=checkbox]",
        "text" => "#area input:not([type=radio], [type=checkbox])",
        "textarea" => "#area textarea",
        _ => "#area button",
    };
    player.click(selector).await
}

/// A field that takes the focus away again at once.
pub(crate) async fn focus(player: &Player) -> Result<()> {
    Ok(player.locator("#tt").focus().await?)
}

/// One of several such fields.
pub(crate) async fn focus_one_of_three(player: &Player) -> Result<()> {
    let [position] = player.heard(r"the (\w+) input textbox")?;
    player.click(&format!("#tt{}", ordinal(&position)?)).await
}

/// A box of a colour, which is named or shown.
pub(crate) async fn coloured_box(player: &Player) -> Result<()> {
    let [name] = player.heard(r"on the (.+) colored box")?;
    player
        .click(&format!("#area .color[style*='background-color: {name}']"))
        .await
}

/// All boxes in which one of red, green and blue is strongest.
pub(crate) async fn shades(player: &Player) -> Result<()> {
    let [name] = player.heard(r"all the shades of (\w+)")?;
    let names = ["red", "green", "blue"];
    let wanted = names
        .iter()
        .position(|other| *other == name)
        .context("another colour")?;
    for (index, colour) in player.colours("#area span").await?.iter().enumerate() {
        let strongest = (0..3).max_by_key(|part| colour[*part]);
        if strongest == Some(wanted) {
            player
                .click(&format!("#area span:nth-of-type({})", index + 1))
                .await?;
        }
    }
    player.click("#submit").await
}

/// Numbers, each to be called odd or even.
pub(crate) async fn odd_or_even(player: &Player) -> Result<()> {
    for (index, number) in player.texts(".display-number").await?.iter().enumerate() {
        let kind = if number.parse::<i32>()? % 2 == 0 {
            "even"
        } else {
            "odd"
        };
        player
            .click(&format!(".row:nth-of-type({}) .{kind}", index + 1))
            .await?;
    }
    player.click("#submit").await
}

/// A digit drawn with checkboxes, after the picture of it on the right.
pub(crate) async fn draw_with_checkboxes(player: &Player) -> Result<()> {
    // The picture is of 4 by 7 boxes as they are on the left, white or grey on black.
    let function = "async () => {
        const picture = [...document.querySelectorAll('aside img')].find(image => image.offsetHeight > 0);
        await picture.decode();
        const { naturalWidth: width, naturalHeight: height } = picture;
        const canvas = new OffscreenCanvas(width, height).getContext('2d');
        canvas.drawImage(picture, 0, 0);
        const { data } = canvas.getImageData(0, 0, width, height);
        const red = (x, y) => data[(Math.floor(y) * width + Math.floor(x)) * 4];
        const all = [...Array(width * height).keys()].map(i => [i % width, Math.floor(i / width)]);
        const boxes = all.filter(([x, y]) => red(x, y) > 80);
        const ends = values => [Math.min(...values), Math.max(...values) + 1];
        const [left, right] = ends(boxes.map(([x]) => x)), [top, bottom] = ends(boxes.map(([, y]) => y));
        const at = (from, to, index, many) => from + (to - from) * (index + 0.5) / many;
        const rows = [...Array(7).keys()], columns = [...Array(4).keys()];
        return rows.map(row => columns.map(column => red(at(left, right, column, 4), at(top, bottom, row, 7))));
    }";
    let light: Vec<Vec<f64>> = player.look(function, json!(null)).await?;
    let all = light.iter().flatten().copied();
    let (least, most) = all.fold((f64::MAX, f64::MIN), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    for (row, line) in light.iter().enumerate() {
        for (column, value) in line.iter().enumerate() {
            let checkbox = format!(
                "#checkboxes p:nth-of-type({}) input:nth-of-type({})",
                row + 1,
                column + 1
            );
            let is_light = *value > f64::midpoint(least, most);
            player.locator(&checkbox).set_checked(is_light).await?;
        }
    }
    player.click(SUBMIT).await
}
