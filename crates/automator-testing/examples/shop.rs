//! Serves the lamp shop until the process is ended: `cargo run -p automator-testing --example shop`.
#![expect(clippy::print_stdout, reason = "the address is for the person who started it")]

use automator_testing::Shop;

#[tokio::main]
async fn main() {
    let shop = Shop::start().await;
    println!("The lamp shop is open at {}", shop.url);
    std::future::pending::<()>().await;
}
