//! Menus that open when they are hovered over or clicked, and what opens with a delay.

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::player::{Player, literal};

/// An item of a menu, through the items above it.
pub(crate) async fn path(player: &Player) -> Result<()> {
    let [path] = player.heard("Select (.+)")?;
    let mut names = path.split('>').peekable();
    while let Some(name) = names.next() {
        let item = format!("//ul[@id='menu']//div[.={}]", literal(name.trim()));
        if names.peek().is_some() {
            player.hover(&item).await?;
        } else {
            player.click(&item).await?;
        }
    }
    Ok(())
}

/// An item by its name or its icon, perhaps in the menu's one inner menu.
pub(crate) async fn icon(player: &Player) -> Result<()> {
    player.click("#open-menu").await?;
    let item = if let Ok([name]) = player.heard(r#"labeled "(.+)""#) {
        format!("//ul[@id='menu']//li/div[.={}]", literal(&name))
    } else {
        let class = player.locator("#query .ui-icon").get_attribute("class").await?;
        let class = class.context("the icon has no class")?;
        format!("//ul[@id='menu']//li/div[span[@class={}]]", literal(&class))
    };
    if !player.sees(&item).await? {
        player.hover("//ul[@id='menu']/li/div[.='Playback']").await?;
    }
    player.click(&item).await
}

/// A list under a field, of what begins with the letters that were typed.
pub(crate) async fn autocomplete(player: &Player) -> Result<()> {
    let [start, end] = player.heard(r#"starts with "(.+?)"(?: and ends with "(.+?)")?"#)?;
    player.type_into("#tags", &start).await?;
    player
        .locator(".ui-autocomplete li")
        .wait_for(&automator::SelectorWaitOptions::default())
        .await?;
    let offered = player.texts(".ui-autocomplete li").await?;
    let index = offered
        .iter()
        .position(|item| item.starts_with(&start) && item.ends_with(&end))
        .with_context(|| format!("none of {offered:?} fits"))?;
    player
        .click(&format!(".ui-autocomplete li:nth-of-type({})", index + 1))
        .await?;
    player.submit().await
}

/// A file or folder in a tree whose folders are closed.
pub(crate) async fn tree(player: &Player) -> Result<()> {
    let [name] = player.heard(r#"named "(.+)""#)?;
    // Where it is: the folders around it, by their numbers among all items.
    let function = "name => {
        const items = [...document.querySelectorAll('#tree li')];
        const wanted = items.find(item => item.querySelector(':scope > span').textContent === name);
        return items.filter(item => item.contains(wanted)).map(item => items.indexOf(item) + 1);
    }";
    let path: Vec<usize> = player.look(function, json!(name)).await?;
    for number in path {
        let item = format!("(//ul[@id='tree']//li)[{number}]/span");
        player.click(&item).await?;
    }
    Ok(())
}
