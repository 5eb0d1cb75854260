//! An inbox.

use anyhow::Result;

use crate::player::{Player, literal};

/// Replies to, forwards, deletes or stars the email of a sender.
pub(crate) async fn inbox(player: &Player) -> Result<()> {
    let instruction = player.instruction();
    let [sender] = player.heard(r"email by (\S+) and")?;
    let thread = format!(
        "//div[@id='main']//div[@class='email-thread'][.//div[@class='email-sender'][.={}]]",
        literal(&sender)
    );
    if instruction.contains("trash icon") {
        return player.click(&format!("{thread}//span[@class='trash']")).await;
    }
    if instruction.contains("star icon") {
        return player.click(&format!("{thread}//span[@class='star']")).await;
    }
    player
        .click(&format!("{thread}//div[@class='email-subject']"))
        .await?;
    if let Ok([text]) = player.heard(r#"with the text "(.+)""#) {
        player.click("#email .email-reply").await?;
        player.fill("#reply-text", &text).await?;
        player.click("#send-reply").await
    } else {
        let [receiver] = player.heard(r"forward that email to (.+)[.]")?;
        player.click("#email .email-forward").await?;
        player.type_into(".forward-sender", &receiver).await?;
        player.click("#send-forward").await
    }
}
