//! Reads a price with a browser of a platform, and goes on with the same browser in a second session.
//!
//! ```text
//! automator serve                          # in another terminal; it prints the key
//! export REMOTE_API_KEY=amk_…
//! cargo run -p automator --example remote
//! ```

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]

pub(crate) mod bundled;

use std::error::Error;

use automator::{Automator, Builder, Env};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    let price = run(
        || Automator::builder(Env::Remote).model(place.model.clone()),
        &place.address,
    )
    .await?;
    println!("{price}");
    Ok(())
}

/// Opens a product in one session, and reads its price in another one with the same browser.
pub(crate) async fn run(session: impl Fn() -> Builder, site: &str) -> Result<String, Box<dyn Error>> {
    // The browser runs where the server is, and so do the questions to the model. It outlives this session.
    let first = session().keep_alive(true).build()?;
    first.init().await?;
    let page = first.context()?.active_page()?;
    let opened = page.goto(&format!("{site}item/501")).await;
    let id = first.remote_session_id();
    if let Some(address) = first.remote_session_url() {
        println!("watch it at {address}");
    }
    first.close().await?;
    opened?;

    // Another program, on another machine, could do this. `keep_alive(false)` ends the session with the close.
    let second = session()
        .keep_alive(false)
        .with(|options| options.remote_session_id = id)
        .build()?;
    second.init().await?;
    let price = second.extract("the current price of the product").await;
    second.close().await?;
    Ok(price?.extraction)
}
