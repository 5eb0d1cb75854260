//! Benchmarks: `cargo xtask bench read`, `cargo xtask bench agree`, `cargo xtask bench act`, `cargo xtask bench
//! agent` and `cargo xtask bench remote`; what the figures mean is written in `docs/BENCHMARKS.md`.
//!
//! It measures and compares, and changes nothing. It reaches no other computer, but for npm, which `act` and `agent`
//! have fetch the library that ours is measured beside, once. Start reading at [`read`], [`agree`], [`act`], [`agent`] and
//! [`remote`].
#![expect(clippy::print_stdout, reason = "this program talks to a person")]
#![expect(clippy::print_stderr, reason = "and it says how far it has come")]

mod act;
mod agent;
mod agree;
mod contender;
mod corpus;
mod difference;
mod figures;
mod floors;
mod footprint;
mod oracle;
mod ours;
mod own_browser;
mod peer;
mod processor;
mod read;
mod record;
mod remote;
mod score;
mod stage;
mod tables;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(
    name = "cargo xtask bench",
    about = "Benchmarks of reading pages, acting on them, and serving browsers"
)]
struct CommandLine {
    /// The browser; one that is found, when none is given
    #[arg(long, env = "CHROME_PATH", global = true)]
    browser: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Our page text beside the ways to ask the browser for a page: time, memory, tokens, recall
    Read(Selection),
    /// Our roles, names and ids beside the browser's own accessibility tree
    Agree(Selection),
    /// Our operations beside the TypeScript peer's, with a model that answers at once
    Act(act::Selection),
    /// A run of our agent beside the TypeScript peer's: tokens, time, and doing it again from memory
    Agent(agent::Selection),
    /// The server beside a browser of one's own: the way through it, sessions, memory, its cache, and clients from afar
    Remote(remote::Selection),
    /// Records the browser's replies that the tests of `automator-snapshot` read; names of pages limit it
    Record {
        /// The folder with `pages/` and `fixtures/`
        #[arg(long, default_value_os_t = workspace().join("crates/automator-snapshot/tests"))]
        folder: PathBuf,
        pages: Vec<String>,
    },
    /// The memory of a process that only reads; `read` starts it
    #[command(name = footprint::COMMAND, hide = true)]
    Footprint { urls: Vec<String> },
    /// A server; `remote` starts it
    #[command(name = remote::COMMAND, hide = true)]
    Serve(remote::Place),
}

/// Which pages are read, and where the results go.
#[derive(Args)]
struct Selection {
    /// The folder of the reading corpus
    #[arg(long, default_value_os_t = beside_workspace())]
    corpus: PathBuf,
    /// The folder for results
    #[arg(long, default_value_os_t = workspace().join("target/bench"))]
    out: PathBuf,
    /// Every eighth page only, and no table of 20,000 rows
    #[arg(long)]
    quick: bool,
}

impl Selection {
    /// The corpus, or none with a word on why.
    fn corpus(&self) -> Result<Option<corpus::Corpus>> {
        let step = if self.quick { 8 } else { 1 };
        let corpus = corpus::Corpus::open(&self.corpus, step)?;
        if corpus.is_none() {
            println!(
                "Skipped: the reading corpus is not at {} (give its folder with --corpus).",
                self.corpus.display()
            );
        }
        Ok(corpus)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let CommandLine { browser, command } = CommandLine::parse();
    match command {
        Command::Read(selection) => read::run(browser, &selection).await,
        Command::Agree(selection) => agree::run(browser, &selection).await,
        Command::Act(selection) => act::run(browser, &selection).await,
        Command::Agent(selection) => agent::run(browser, &selection).await,
        Command::Remote(selection) => remote::run(browser, &selection).await,
        Command::Serve(place) => {
            let (server, listening) = remote::start(browser, &place).await?;
            println!("{}", serde_json::to_string(&listening)?);
            remote::serve(server).await
        }
        Command::Record { folder, pages } => record::run(browser, &folder, &pages).await,
        Command::Footprint { urls } => {
            let footprint = footprint::measure(browser, &urls).await?;
            println!("{}", serde_json::to_string(&footprint)?);
            Ok(())
        }
    }
}

/// The folder of the workspace.
fn workspace() -> PathBuf {
    let mut folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    folder.pop();
    folder.pop();
    folder
}

/// `shared/corpus` beside the workspace.
fn beside_workspace() -> PathBuf {
    let mut folder = workspace();
    folder.pop();
    folder.join("shared/corpus")
}
