//! Buys a lamp: fills the basket and the form, corrects what the shop does not take, and reads the confirmation.
//!
//! `cargo run -p automator --example checkout [-- ADDRESS [MODEL]]`

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]

mod bundled;

use std::error::Error;

use automator::{Automator, Env, SelectorWaitOptions};

/// Where the lamp goes: the words for a field, and what it shall hold. The postcode is written as in the
/// Netherlands, and this shop wants digits only.
const ADDRESS: [(&str, &str); 5] = [
    ("name", "Mira Jansen"),
    ("email", "mira@lamp-shop.test"),
    ("street and number", "Keizersgracht 12"),
    ("postcode", "1015 CW"),
    ("city", "Amsterdam"),
];

/// A line of the order.
#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct OrderLine {
    pub(crate) product: String,
    pub(crate) amount: u32,
    /// In euro.
    pub(crate) sum: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    let automator = Automator::builder(Env::Local).model(place.model).build()?;
    automator.init().await?;
    let outcome = run(&automator, &place.address).await;
    automator.close().await?;
    outcome.map(drop)
}

/// Orders one lamp, and gives the number of the order and its lines.
pub(crate) async fn run(
    automator: &Automator,
    site: &str,
) -> Result<(String, Vec<OrderLine>), Box<dyn Error>> {
    let page = automator.context()?.active_page()?;
    page.goto(&format!("{site}product/arc-lamp")).await?;
    for instruction in ["press Add to basket", "open the basket", "follow Go to checkout"] {
        act(automator, instruction, "").await?;
    }

    for (field, value) in ADDRESS {
        act(automator, &format!("type %value% into the {field} field"), value).await?;
    }
    act(automator, "choose Netherlands in the country list", "").await?;
    act(automator, "choose Express, next working day", "").await?;
    act(automator, "tick the box for the terms of sale", "").await?;
    act(automator, "press Place order", "").await?;

    // The shop says at each field what is wrong with it. Whether it did is a fact of the page, so no model is asked.
    let refused = page.locator("[aria-invalid=true]");
    if refused.count().await? > 0 {
        let field = refused.get_attribute("name").await?.unwrap_or_default();
        let problem = page.locator(".error").inner_text().await?;
        println!("refused: {field} ({problem})");
        let given = refused.input_value().await?;
        let digits: String = given.chars().filter(char::is_ascii_digit).collect();
        act(
            automator,
            &format!("type %value% into the {field} field"),
            &digits,
        )
        .await?;
        act(automator, "press Place order", "").await?;
    }

    page.wait_for_selector("#order-number", &SelectorWaitOptions::default())
        .await?;
    let number = page.locator("#order-number").inner_text().await?;
    let lines = automator
        .extract("the lines of the order with product, amount and sum")
        .schema::<Vec<OrderLine>>()
        .await?;
    println!("\nOrder {number}:");
    for line in &lines {
        println!("  {} × {}, € {:.2}", line.amount, line.product, line.sum);
    }
    Ok((number, lines))
}

/// Carries out one instruction, or fails with what was in the way.
async fn act(automator: &Automator, instruction: &str, value: &str) -> Result<(), Box<dyn Error>> {
    let request = automator.act(instruction);
    let done = match value {
        "" => request.await?,
        value => request.variable("value", value).await?,
    };
    if !done.success {
        return Err(format!("{instruction}: {}", done.message).into());
    }
    println!("done: {instruction}");
    Ok(())
}
