//! Browsers that are lent to tests instead of being started by them.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::time::Duration;

/// Where browsers are lent; `cargo xtask test` starts the lender and sets it.
const VARIABLE: &str = "AUTOMATOR_TEST_BROWSERS";

/// What a lender may take to start a browser on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The DevTools address of a browser that is as good as new and that nobody else has until this process ends.
/// `None` when nobody lends browsers, as in a test that is run alone: start one then.
///
/// # Panics
/// When there should be a lender and it does not answer.
///
/// ```
/// // Without a lender.
/// assert_eq!(automator_testing::lent_browser(), None);
/// ```
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the rule is for the library; how a run of tests is made is told to them by the environment"
)]
pub fn lent_browser() -> Option<String> {
    let lender = std::env::var(VARIABLE).ok()?;
    let stream = TcpStream::connect(&lender)
        .unwrap_or_else(|error| panic!("{VARIABLE} is {lender:?}, where nobody lends browsers: {error}"));
    let mut address = String::new();
    stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| BufReader::new(&stream).read_line(&mut address))
        .unwrap_or_else(|error| panic!("the lender of browsers at {lender} does not answer: {error}"));
    // The open connection is what holds the browser. It ends with the process, which is one test for the runner.
    std::mem::forget(stream);
    let address = address.trim();
    (!address.is_empty()).then(|| address.to_owned())
}
