//! The main job on the bundled shop: read a page as text, then extract a typed product list with provenance.
//!
//! `cargo xtask demo` runs it. With a provider's key in the environment it asks that provider's model, without one
//! the scripted model that ships with the repository.

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own may read its environment"
)]

use automator::{Automator, Env, ModelOptions, Secret};
use automator_testing::{ScriptedModel, Shop};

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

/// Models that the demo asks when their provider's key is set.
const MODELS: [&str; 3] = [
    "openai/gpt-4.1-mini",
    "anthropic/claude-haiku-4-5",
    "google/gemini-2.5-flash",
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Shop::start().await;
    let scripted = ScriptedModel::for_shop().await;
    let (model, who) = choose_model(&scripted);
    println!("Shop:  {}\nModel: {who}\n", shop.url);

    let automator = Automator::builder(Env::Local).model(model).build()?;
    automator.init().await?;
    let outcome = show(&automator, &shop.url).await;
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

fn choose_model(scripted: &ScriptedModel) -> (ModelOptions, String) {
    for name in MODELS {
        let provider = name.split('/').next().and_then(automator::Provider::lookup);
        let has_key = provider.is_some_and(|provider| {
            provider
                .key_variables()
                .iter()
                .any(|variable| std::env::var(variable).is_ok_and(|key| !key.is_empty()))
        });
        if has_key {
            return (ModelOptions::new(name), name.to_owned());
        }
    }
    let mut model = ModelOptions::new("openai/gpt-4.1-mini");
    model.api_key = Some(Secret::new("scripted"));
    model.base_url = Some(scripted.base_url());
    (model, "the scripted model of this repository (set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY for a real one)".to_owned())
}
