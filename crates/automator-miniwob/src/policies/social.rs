//! Posts with small buttons, in a list that scrolls.

use anyhow::Result;

use crate::player::{Player, literal, with_text};

/// A button of a user's post, perhaps in the post's menu.
pub(crate) async fn one_button(player: &Player) -> Result<()> {
    let [user, button] = player.heard(r#"the user (\S+), click on the "(.+)" button"#)?;
    let post = post_of(&user);
    let small = ["Reply", "Retweet", "Like"];
    if small.contains(&button.as_str()) {
        let class = button.to_lowercase();
        return player.click(&format!("{post}//span[@class='{class}']")).await;
    }
    player.click(&format!("{post}//span[@class='more']")).await?;
    player
        .click(&format!("{post}//li[starts-with(., {})]", literal(&button)))
        .await
}

fn post_of(user: &str) -> String {
    format!(
        "//div[@class='media'][.//span[@class='username'][.={}]]",
        literal(user)
    )
}

/// A button of some or all posts of a user.
pub(crate) async fn several_buttons(player: &Player) -> Result<()> {
    let [button, user] = player.heard(r#"the "(.+)" button on .+ by (\S+) and"#)?;
    let post = post_of(&user);
    let posts = player.locator(&post).count().await?;
    let wanted = match player.heard(r"on (\d+) post") {
        Ok([many]) => many.parse()?,
        Err(_) => posts,
    };
    let class = button.to_lowercase();
    for number in 1..=wanted {
        player
            .click(&format!("({post})[{number}]//span[@class='{class}']"))
            .await?;
    }
    player.click(&with_text("button", "Submit")).await
}
