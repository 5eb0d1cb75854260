//! Watches prices. The model is asked once; from then on the remembered extraction reads the product pages of the
//! shop without it. A page that is built differently, such as one with the old price beside a new one, is asked about.
//!
//! `cargo run -p automator --example price_watch [-- ADDRESS [MODEL]]`

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]

mod bundled;

use std::error::Error;
use std::time::Instant;

use automator::{Automator, Env};

/// What is watched.
#[derive(Debug, Clone, PartialEq, serde::Deserialize, schemars::JsonSchema)]
pub(crate) struct Offer {
    /// The name of the product.
    pub(crate) name: String,
    /// What it costs now, in euro.
    pub(crate) price: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    // Your own program names a folder that stays, and commits it: then not even its first run needs a model.
    let memory = tempfile::tempdir()?;
    let automator = Automator::builder(Env::Local)
        .model(place.model)
        .cache_dir(memory.path())
        .build()?;
    automator.init().await?;
    let outcome = watch(&automator, &place.address).await;
    automator.close().await?;
    outcome
}

async fn watch(automator: &Automator, site: &str) -> Result<(), Box<dyn Error>> {
    println!("First run, one product:");
    run(automator, site, &[501]).await?;
    println!("Second run, the same and another:");
    run(automator, site, &[501, 502]).await?;
    Ok(())
}

/// Reads the offers of some item numbers.
pub(crate) async fn run(
    automator: &Automator,
    site: &str,
    items: &[u32],
) -> Result<Vec<Offer>, Box<dyn Error>> {
    let page = automator.context()?.active_page()?;
    let mut offers = Vec::new();
    for item in items {
        page.goto(&format!("{site}item/{item}")).await?;
        let start = Instant::now();
        let offer = automator
            .extract("name and current price of the product")
            .schema::<Offer>()
            .selector("main")
            .await?;
        println!(
            "  {item}: {:<20} € {:>7.2}   {:>4} ms",
            offer.name,
            offer.price,
            start.elapsed().as_millis()
        );
        offers.push(offer);
    }
    let metrics = automator.metrics();
    println!(
        "  tokens so far: {} sent, {} received\n",
        metrics.extract_prompt_tokens, metrics.extract_completion_tokens
    );
    Ok(offers)
}
