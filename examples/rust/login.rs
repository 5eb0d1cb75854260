//! Signs in with a password that the model never sees.
//!
//! ```text
//! cargo run -p automator --example login
//! SHOP_PASSWORD=… cargo run -p automator --example login -- https://shop.example openai/gpt-4.1-mini
//! ```

#![expect(clippy::print_stdout, reason = "the output is what the example is for")]
#![expect(
    clippy::disallowed_methods,
    reason = "a program of its own may read its environment"
)]

pub(crate) mod bundled;

use std::error::Error;
use std::time::Duration;

use automator::{Automator, Env, SelectorWaitOptions, Variable};
use automator_testing::{SHOP_EMAIL, SHOP_PASSWORD};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = bundled::Bundled::start().await;
    println!("Site:  {}\nModel: {}\n", place.address, place.who);
    let email = std::env::var("SHOP_EMAIL").unwrap_or_else(|_| SHOP_EMAIL.to_owned());
    let password = std::env::var("SHOP_PASSWORD").unwrap_or_else(|_| SHOP_PASSWORD.to_owned());

    let automator = Automator::builder(Env::Local).model(place.model).build()?;
    automator.init().await?;
    let outcome = run(&automator, &place.address, &email, &password).await;
    automator.close().await?;
    outcome.map(drop)
}

/// Signs in and gives what the account says.
pub(crate) async fn run(
    automator: &Automator,
    site: &str,
    email: &str,
    password: &str,
) -> Result<String, Box<dyn Error>> {
    let page = automator.context()?.active_page()?;
    page.goto(&format!("{site}login")).await?;

    // The model is told the names `email` and `password` and what they are for. The values take the place of
    // `%email%` and `%password%` when they are typed; results, logs, history and caches keep the names.
    let secret = Variable::new(password).described("the password of the shop's account");
    let steps = [
        automator
            .act("type %email% into the email field")
            .variable("email", email),
        automator
            .act("type %password% into the password field")
            .variable("password", secret),
        automator.act("press the sign in button"),
    ];
    for step in steps {
        let done = step.await?;
        if !done.success {
            return Err(format!("{}: {}", done.action_description, done.message).into());
        }
        println!("done: {}", done.action_description);
    }

    // A pressed button is no open account: wait for the words that only the account has.
    let mut waiting = SelectorWaitOptions::default();
    waiting.timeout = Duration::from_secs(10);
    let signed_in = page.locator("text=You are signed in as");
    if let Err(error) = signed_in.wait_for(&waiting).await {
        let problem = page.locator("[role=alert]");
        if problem.count().await? == 0 {
            return Err(error.into());
        }
        return Err(problem.inner_text().await?.into());
    }
    let account = signed_in.inner_text().await?;
    println!("\n{account} ({})", page.url());
    Ok(account)
}
