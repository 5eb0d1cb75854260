//! Writes a product's specification as CSV: `cargo run -p automator --example table_to_csv > lamp.csv`.
//!
//! Every cell has to stand on the page. A value that the model made up ends the program instead of going into the
//! file.

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]
#![expect(clippy::print_stderr, reason = "what goes on is told beside the output")]

mod bundled;

use std::error::Error;

use automator::{Automator, Env};

/// A row of the table.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Row {
    /// The first cell.
    property: String,
    /// The second cell, as it is written.
    value: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    eprintln!("Site:  {}\nModel: {}", place.address, place.who);
    let automator = Automator::builder(Env::Local).model(place.model).build()?;
    automator.init().await?;
    let outcome = run(&automator, &format!("{}product/arc-lamp", place.address)).await;
    automator.close().await?;
    print!("{}", outcome?);
    Ok(())
}

/// The specification on a page as CSV with a header line, its lines ended as RFC 4180 wants them.
pub(crate) async fn run(automator: &Automator, page: &str) -> Result<String, Box<dyn Error>> {
    automator.context()?.active_page()?.goto(page).await?;

    let found = automator
        .extract("all rows of the specification")
        .schema::<Vec<Row>>()
        .with_provenance()
        .await?;
    if let Some(pointer) = found.provenance.found_nowhere().next() {
        return Err(format!("the value at {pointer} does not stand on the page").into());
    }

    let mut csv = String::from("property,value\r\n");
    for row in &found.value {
        csv.push_str(&format!("{},{}\r\n", field(&row.property), field(&row.value)));
    }
    Ok(csv)
}

/// A field of CSV: between quotes when it holds what ends a field or a line.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
