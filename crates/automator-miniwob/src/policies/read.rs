//! Reading something off the page, and writing or choosing what follows from it.

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::player::{Player, literal, parts, with_text};

/// A value of a table.
pub(crate) async fn table_value(player: &Player) -> Result<()> {
    let [key] = player.heard("the value of (.+) into")?;
    player.fill("#tt", &value_of(player, &key).await?).await?;
    player.submit().await
}

/// Two values of a table, by the captions of the fields.
pub(crate) async fn two_table_values(player: &Player) -> Result<()> {
    for number in 1..=2 {
        let key = player.text(&format!("#ll{number}")).await?;
        let value = value_of(player, key.trim_end_matches(':')).await?;
        player.fill(&format!("#tt{number}"), &value).await?;
    }
    player.submit().await
}

async fn value_of(player: &Player, key: &str) -> Result<String> {
    player
        .text(&format!("//div[@id='tab']//tr[td[1][.={}]]/td[2]", literal(key)))
        .await
}

/// A sum, a difference or a product.
pub(crate) async fn arithmetic(player: &Player) -> Result<()> {
    let problem = player.text("#math-problem").await?;
    let [left, sign, right] = parts(&problem, r"(\d+) ([-+x]) (\d+)")?;
    let (left, right): (i32, i32) = (left.parse()?, right.parse()?);
    let answer = match sign.as_str() {
        "+" => left + right,
        "-" => left - right,
        _ => left * right,
    };
    player.fill("#math-answer", &answer.to_string()).await?;
    player.submit().await
}

/// An equation with one unknown.
pub(crate) async fn algebra(player: &Player) -> Result<()> {
    let problem = player.text("#math-problem").await?;
    let [left, sign, right, result] = parts(&problem, r"(x|\d+) ([-+]) (x|\d+) = (\d+)")?;
    let result: i32 = result.parse()?;
    let answer = match (left.as_str(), sign.as_str()) {
        ("x", "+") => result - right.parse::<i32>()?,
        ("x", _) => result + right.parse::<i32>()?,
        (left, "+") => result - left.parse::<i32>()?,
        (left, _) => left.parse::<i32>()? - result,
    };
    player.type_into("#math-answer", &answer.to_string()).await?;
    player.submit().await
}

/// How many blocks there are.
pub(crate) async fn count_blocks(player: &Player) -> Result<()> {
    let blocks = player.locator(".addition-block").count().await?;
    player.fill("#math-answer", &blocks.to_string()).await?;
    player.submit().await
}

/// A number made by chance, as often as it takes.
pub(crate) async fn generate(player: &Player) -> Result<()> {
    for _ in 0..200 {
        player.click("#generate").await?;
        let number: i32 = player.text("#display-number").await?.parse()?;
        let fits = if let Ok([limit]) = player.heard(r"less than (\d+)") {
            number < limit.parse()?
        } else if let Ok([limit]) = player.heard(r"greater than (\d+)") {
            number > limit.parse()?
        } else if player.instruction().contains("odd") {
            number % 2 == 1
        } else {
            number % 2 == 0
        };
        if fits {
            return player.click("#submit").await;
        }
    }
    bail!("no number fits");
}

/// The greatest of three cards that lie face down until they are clicked.
pub(crate) async fn greatest_card(player: &Player) -> Result<()> {
    let mut best = None;
    for card in 1..=3 {
        let selector = format!("#cardholder .card:nth-of-type({card})");
        player.click(&selector).await?;
        let number: i32 = player.text(&format!("{selector} .card-value")).await?.parse()?;
        best = best.max(Some((number, selector)));
    }
    let (_, selector) = best.context("there are no cards")?;
    player.click(&selector).await?;
    player.click("#submit").await
}

/// The ticket that costs or takes least or most.
pub(crate) async fn ticket(player: &Player) -> Result<()> {
    let [wish] = player.heard("with the (.+)[.]")?;
    let measures: Vec<u32> = if wish.contains("cost") {
        let prices = player.texts(".buy-ticket").await?;
        prices
            .iter()
            .map(|price| to_number(price, r"\$(\d+)"))
            .collect::<Result<_>>()?
    } else {
        let durations = player.texts(".time-duration").await?;
        durations
            .iter()
            .map(|duration| to_minutes(duration))
            .collect::<Result<_>>()?
    };
    let tickets = measures.iter().enumerate();
    let is_most = wish.starts_with("most") || wish.starts_with("longest");
    let ticket = if is_most {
        tickets.max_by_key(|(_, measure)| **measure)
    } else {
        tickets.min_by_key(|(_, measure)| **measure)
    };
    let (index, _) = ticket.context("there are no tickets")?;
    player
        .click(&format!("#area .flight:nth-of-type({}) button", index + 1))
        .await
}

fn to_number(text: &str, pattern: &str) -> Result<u32> {
    let [digits] = parts(text, pattern)?;
    Ok(digits.parse()?)
}

fn to_minutes(text: &str) -> Result<u32> {
    Ok(to_number(text, r"(\d+)h")? * 60 + to_number(text, r"(\d+)m")?)
}

/// An entry of a contact book with one contact a page.
pub(crate) async fn contact(player: &Player) -> Result<()> {
    let [name, property] = player.heard(r"Find (.+) in the contact book and click on their (\w+)")?;
    for _ in 0..5 {
        if player.text("#contact .name").await? == name {
            return player.click(&format!("#contact a.{property}")).await;
        }
        player.click("//ul[@id='pagination']//a[.='>']").await?;
    }
    bail!("there is no {name}");
}

/// Dishes by name, or any number of a kind.
pub(crate) async fn order(player: &Player) -> Result<()> {
    if let Ok([kind, many]) = player
        .heard(r"Order (\d+) items that are (.+)")
        .map(|[many, kind]| [kind, many])
    {
        // One dish of the kind, that often; its picture says what it is.
        let add = format!(
            "(//div[@class='food-item'][.//img[@alt={}]])[1]//span[@class='add']",
            literal(&kind)
        );
        let add = add.replace("@class='food-item'", "contains(@class, 'food-item')");
        for _ in 0..many.parse::<u32>()? {
            player.click(&add).await?;
        }
    } else {
        let [names] = player.heard("each item: (.+)")?;
        for name in names.split(", ") {
            let item = format!(
                "//div[contains(@class, 'food-item')][.//div[normalize-space(.)={}]]",
                literal(name.trim())
            );
            player.click(&format!("{item}//span[@class='add']")).await?;
        }
    }
    player.click(&with_text("button", "Order!")).await
}

/// Lights that go on one after the other, and have to be pressed in that order.
pub(crate) async fn simon_says(player: &Player) -> Result<()> {
    // Watches until no light has been on for a second.
    let function = "() => new Promise(done => {
        const seen = [];
        let last = performance.now(), lit = null;
        const look = () => {
            const now = document.querySelector('#area button.push');
            if (now && now !== lit) seen.push(now.id);
            if (now) last = performance.now();
            lit = now;
            if (seen.length > 0 && performance.now() - last > 1000) done(seen);
            else requestAnimationFrame(look);
        };
        look();
    })";
    let order: Vec<String> = player.look(function, json!(null)).await?;
    for button in order {
        player.click(&format!("#{button}")).await?;
    }
    Ok(())
}
