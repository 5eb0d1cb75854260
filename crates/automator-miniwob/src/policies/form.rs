//! Forms: text, dates and times, lists, passwords.

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::player::{Player, items, literal, ordinal, with_text};

/// A text into the one field.
pub(crate) async fn text(player: &Player) -> Result<()> {
    let [text] = player.heard(r#"Enter "(.+)" into"#)?;
    player.fill("#tt", &text).await?;
    player.submit().await
}

/// A text in capitals, or without, typed key by key.
pub(crate) async fn text_in_case(player: &Player) -> Result<()> {
    let [text, case] = player.heard(r#"Type "(.+)" in all (upper|lower) case"#)?;
    let text = if case == "upper" {
        text.to_uppercase()
    } else {
        text.to_lowercase()
    };
    player.type_into("#tt", &text).await?;
    player.submit().await
}

/// A password into two fields.
pub(crate) async fn password_twice(player: &Player) -> Result<()> {
    let [password] = player.heard(r#"the password "(.+)" into"#)?;
    player.fill("#password", &password).await?;
    player.fill("#verify", &password).await?;
    player.submit().await
}

/// A native date field.
pub(crate) async fn date(player: &Player) -> Result<()> {
    let [month, day, year] = player.heard(r"Enter (\d+)/(\d+)/(\d+) as")?;
    player.fill("#tt", &format!("{year}-{month}-{day}")).await?;
    player.submit().await
}

/// A native time field.
pub(crate) async fn time(player: &Player) -> Result<()> {
    let [hour, minute, half] = player.heard(r"Enter (\d+):(\d+)\s*(AM|PM)")?;
    let hour = hour.parse::<u32>()? % 12 + if half == "PM" { 12 } else { 0 };
    player.fill("#tt", &format!("{hour:02}:{minute}")).await?;
    player.submit().await
}

/// User name and password.
pub(crate) async fn login(player: &Player) -> Result<()> {
    let [user, password] = player.heard(LOGIN)?;
    player.fill("#username", &user).await?;
    player.fill("#password", &password).await?;
    player.submit().await
}

const LOGIN: &str = r#"username "(.+)" and the password "(.+)" into"#;

/// User name and password, with a box that may come in between, shuts the fields and has to be sent away.
pub(crate) async fn login_interrupted(player: &Player) -> Result<()> {
    let [user, password] = player.heard(LOGIN)?;
    for (field, value) in [("#username", &user), ("#password", &password)] {
        let filled = player.fill(field, value).await;
        if player.sees("#popup").await? {
            player.click("#popup-cancel").await?;
            player.fill(field, value).await?;
        } else {
            filled?;
        }
    }
    player.submit().await
}

/// A radio button and a number.
pub(crate) async fn radio_and_number(player: &Player) -> Result<()> {
    let pattern = r#"Check the (\w+) radio button and enter the number "(-?\d+)" into the (\w+) textbox"#;
    let [radio, number, field] = player.heard(pattern)?;
    let radio = format!("#area input[type=radio]:nth-of-type({})", ordinal(&radio)?);
    player.locator(&radio).set_checked(true).await?;
    player
        .fill(&format!("#input-{}", ordinal(&field)?), &number)
        .await?;
    player.submit().await
}

/// A list that is made of other elements, and a button.
pub(crate) async fn custom_list(player: &Player) -> Result<()> {
    let [option, button] = player.heard(r#"Choose (.+) from the dropdown, .* labeled "(.+)""#)?;
    player.click(".selectric").await?;
    player
        .click(&format!(
            "//div[@class='selectric-scroll']//li[.={}]",
            literal(&option)
        ))
        .await?;
    player.click(&with_text("button", &button)).await
}

/// An option of a native list.
pub(crate) async fn list(player: &Player) -> Result<()> {
    let [option] = player.heard(r"Select (.+) from the list")?;
    player.select("#options", &[&option]).await?;
    player.click("#area button").await
}

/// One or two options of a native list that shows several.
pub(crate) async fn list_of_several(player: &Player) -> Result<()> {
    let [options] = player.heard(r"Select (.+) from the scroll list")?;
    player.select("#options", &items(&options)).await?;
    player.click("#area button").await
}

/// Three fields with captions, in any order and layout.
pub(crate) async fn movie_search(player: &Player) -> Result<()> {
    let [genre, director, year] = player.heard(r"Search for (.+) movies directed by (.+) from year (\d+)")?;
    // The captions, in the order of the fields; in one of the layouts they stand below.
    let function = "() => [...document.querySelectorAll('#area input')].map(field =>
        field.closest('tr, p, .row, .field, .ui-entry').textContent.trim())";
    let captions: Vec<String> = player.look(function, json!(null)).await?;
    for (index, caption) in captions.iter().enumerate() {
        let value = match caption.as_str() {
            caption if caption.contains("Genre") => &genre,
            caption if caption.contains("Director") => &director,
            _ => &year,
        };
        player
            .fill(&format!("(//div[@id='area']//input)[{}]", index + 1), value)
            .await?;
    }
    let names = ["Submit", "Search", "Go!"];
    for name in names {
        let button = format!(
            "//div[@id='area']//*[(self::button or self::div) and .={}]",
            literal(name)
        );
        if player.locator(&button).count().await? > 0 {
            return player.click(&button).await;
        }
    }
    None.context("there is no button")
}

/// Guesses a number by halving.
pub(crate) async fn guess(player: &Player) -> Result<()> {
    let (mut low, mut high) = (0, 9);
    while low <= high {
        let guess: i32 = i32::midpoint(low, high);
        player.fill("#tt", &guess.to_string()).await?;
        player.press("#tt", "Enter").await?;
        if player.sees("#higher").await? {
            low = guess + 1;
        } else if player.sees("#lower").await? {
            high = guess - 1;
        } else {
            break;
        }
    }
    Ok(())
}

/// A terminal without a field that people see: the keys go to what has the focus.
pub(crate) async fn terminal(player: &Player) -> Result<()> {
    let ending = player
        .heard(r"extension \.(\S+)")
        .map_or(String::new(), |[ending]| format!(".{ending}"));
    player.click("#terminal").await?;
    player.page().type_text("ls\n").await?;
    let output = player.texts("#terminal .output").await?;
    let files = output.last().context("ls says nothing")?;
    let file = files
        .split(' ')
        .find(|file| {
            if ending.is_empty() {
                !file.contains('.')
            } else {
                file.ends_with(&ending)
            }
        })
        .with_context(|| format!("none of {files:?} fits"))?;
    player.page().type_text(&format!("rm {file}")).await?;
    player.page().press("Enter").await?;
    Ok(())
}

/// A search, and a result that may be on a later page.
pub(crate) async fn search(player: &Player) -> Result<()> {
    let [text, position] = player.heard(r#"enter "(.+)" and press .* click the (\w+) search result"#)?;
    player.fill("#search-text", &text).await?;
    player.click("#search").await?;
    let position = ordinal(&position)? - 1;
    if position >= 3 {
        player
            .click(&format!("//ul[@id='pagination']//a[.='{}']", position / 3 + 1))
            .await?;
    }
    player
        .click(&format!(
            "#page-content > div:nth-of-type({}) a",
            position % 3 + 1
        ))
        .await
}

/// An agreement that has to be scrolled through before it can be signed.
pub(crate) async fn agreement(player: &Player) -> Result<()> {
    let Ok([name, button]) = player.heard(r#"the name "(.+)" then press "(.+)""#) else {
        return player.click("#cancel").await;
    };
    player.locator("#text-area").scroll_to(100.0).await?;
    player.fill("#name", &name).await?;
    player.click(&with_text("button", &button)).await
}
