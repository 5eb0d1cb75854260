//! The main job on the bundled shop: read a page as text, then extract a typed product list with provenance.
//!
//! `cargo xtask demo` runs it. With a provider's key in the environment it asks that provider's model, without one
//! the scripted model that ships with the repository.

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]

mod bundled;

use automator::{Automator, Env};

/// A product of the shop.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Product {
    name: String,
    /// In euro.
    price: f64,
    #[schemars(url)]
    link: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = bundled::Bundled::start().await;
    println!("Shop:  {}\nModel: {}\n", place.address, place.who);

    let automator = Automator::builder(Env::Local).model(place.model).build()?;
    automator.init().await?;
    let outcome = show(&automator, &place.address).await;
    automator.close().await?;
    outcome
}

async fn show(automator: &Automator, address: &str) -> Result<(), Box<dyn std::error::Error>> {
    automator.context()?.active_page()?.goto(address).await?;

    let text = automator.page_text().await?.page_text;
    println!("The page as text, {} lines:\n", text.lines().count());
    println!("{}\n  …\n", text.lines().take(24).collect::<Vec<_>>().join("\n"));

    let found = automator
        .extract("all products with name, price and link")
        .schema::<Vec<Product>>()
        .selector("main")
        .with_provenance()
        .await?;
    println!("{} products:\n", found.value.len());
    for (number, product) in found.value.iter().enumerate() {
        println!(
            "  {:<28} € {:>7.2}  {}",
            product.name, product.price, product.link
        );
        let places = found
            .provenance
            .get(&format!("/{number}/price"))
            .unwrap_or_default();
        if let Some(place) = places.first() {
            println!("  {:<28} price stands at {}", "", place.xpath);
        }
    }
    let nowhere = found.provenance.found_nowhere().count();
    println!("\nValues that stand nowhere on the page: {nowhere}");
    println!("Tokens sent: {}", automator.metrics().extract_prompt_tokens);
    Ok(())
}
