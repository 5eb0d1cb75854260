//! `bench agent`: what a run of twelve calls costs beside the TypeScript peer, and doing it again from memory.
//!
//! All do the same task on the bundled shop with a model that answers at once, in turns, in each round with a new
//! browser and an empty memory; the run after the first has what that one has left there. A run counts only when the
//! shop has got the order and the page says its number.

mod model;
mod report;
mod script;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use automator::{AgentConfig, AgentMode};
use automator_testing::{Order, Shop};
use clap::Args;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::contender::{Contender, Done, Session, in_turn};
use crate::ours::Ours;
use crate::own_browser::OwnBrowser;
use crate::peer;
use crate::score::Scorer;
use crate::workspace;
use model::{RunModel, Sent, sent};
use report::Figures;
use script::{AMOUNT, CITY, COUNTRY, Manner, NAME, PRODUCT, TASK};

/// How many times a model may decide; it decides thirteen times.
const MOST_STEPS: u32 = 20;

const FORGET: &str = include_str!("agent/forget.js");
const ORDER_NUMBER: &str = include_str!("agent/order_number.js");

/// How often the page is asked for the number of the order, and the wait between: a run may be over before the
/// page of the order has come.
const LOOKS: usize = 60;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Most characters that are told of a failure.
const LONGEST_FAILURE: usize = 120;

/// How runs of agents are measured.
#[derive(Args)]
pub(crate) struct Selection {
    /// How often everyone runs, and runs again from memory
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Without the TypeScript peer
    #[arg(long)]
    alone: bool,
    /// The folder that the peer is installed in
    #[arg(long, default_value_os_t = workspace().join("target/bench/peer"))]
    peer: PathBuf,
    /// The folder for results
    #[arg(long, default_value_os_t = workspace().join("target/bench"))]
    out: PathBuf,
}

/// Who runs, and how its model names elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    /// By ids, as our prompt asks for.
    Ours,
    /// In words, as the peer's model does.
    OursInWords,
    Peer,
}

/// One run.
#[derive(Debug)]
struct Run {
    took: Duration,
    sent: Sent,
    /// Why the order was not placed as it was to be.
    flaw: Option<String>,
}

/// A runner with a shop, a model, a browser and a memory of its own, for one round.
struct Seat {
    runner: Runner,
    session: Session,
    browser: OwnBrowser,
    shop: Shop,
    model: RunModel,
    /// Goes with the seat.
    _memory: TempDir,
}

/// Measures, prints the figures and writes `agent.json`.
///
/// # Errors
/// Also when a figure is beyond its limit.
pub(crate) async fn run(browser: Option<PathBuf>, selection: &Selection) -> Result<()> {
    let executable = browser.context("name the browser with --browser or CHROME_PATH")?;
    let mut runners = vec![Runner::Ours, Runner::OursInWords];
    if selection.alone {
        println!("The TypeScript peer is left out.");
    } else {
        match peer::install(&selection.peer).await {
            Ok(()) => runners.push(Runner::Peer),
            Err(error) => println!("Only ours is measured, for want of the TypeScript peer: {error:#}"),
        }
    }
    let measured = measure(&runners, &executable, selection).await?;
    report::print(&measured);
    report::write(&selection.out, &measured)?;
    ensure!(report::passes(&measured), "a figure is beyond its limit");
    Ok(())
}

async fn measure(runners: &[Runner], executable: &Path, selection: &Selection) -> Result<Vec<Figures>> {
    let scorer = Scorer::new()?;
    let mut measured: Vec<Figures> = runners.iter().copied().map(Figures::new).collect();
    for round in 1..=selection.rounds {
        eprintln!("round {round} of {} …", selection.rounds);
        for position in in_turn(runners.len(), round) {
            let mut seat = Seat::take(runners[position], executable, &selection.peer).await?;
            let runs = seat.run_twice(&scorer).await;
            seat.leave().await?;
            match runs {
                Ok([first, again]) => measured[position].add(&first, again),
                Err(error) if runners[position] == Runner::Peer => {
                    println!("Round {round} of the TypeScript peer does not count: {error:#}");
                }
                Err(error) => return Err(error),
            }
        }
    }
    Ok(measured)
}

impl Runner {
    fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::OursInWords => "ours, in words",
            Self::Peer => Contender::Peer.name(),
        }
    }

    fn contender(self) -> Contender {
        match self {
            Self::Ours | Self::OursInWords => Contender::Ours,
            Self::Peer => Contender::Peer,
        }
    }

    fn manner(self) -> Manner {
        match self {
            Self::Ours => Manner::Ids,
            Self::OursInWords | Self::Peer => Manner::Words,
        }
    }
}

impl Seat {
    async fn take(runner: Runner, executable: &Path, peer: &Path) -> Result<Self> {
        let shop = Shop::start().await;
        let model = RunModel::start(runner.manner(), &shop.url).await;
        let memory = tempfile::Builder::new()
            .prefix("automator-bench-memory-")
            .tempdir()?;
        let browser = OwnBrowser::start(executable).await?;
        let (address, base_url) = (browser.address(), model.server.base_url());
        let opened = Session::open(runner.contender(), address, &base_url, Some(memory.path()), peer).await;
        let session = match opened {
            Ok(session) => session,
            Err(error) => {
                browser.close().await?;
                return Err(error);
            }
        };
        Ok(Self {
            runner,
            session,
            browser,
            shop,
            model,
            _memory: memory,
        })
    }

    /// Runs with an empty memory, and once more with what is in it then.
    async fn run_twice(&mut self, scorer: &Scorer) -> Result<[Run; 2]> {
        let first = self.run(scorer).await?;
        if let Some(flaw) = first.flaw {
            bail!("{}: {flaw}", self.runner.name());
        }
        let again = self.run(scorer).await?;
        Ok([first, again])
    }

    /// Runs from the first page of the shop, as someone who has never been there.
    async fn run(&mut self, scorer: &Scorer) -> Result<Run> {
        let name = self.runner.name();
        self.session.goto(&self.shop.url).await?;
        self.session.evaluate(FORGET).await?;
        self.session.goto(&self.shop.url).await?;
        self.model.begin();
        let orders_before = self.shop.orders().len();
        let asked_before = self.model.server.requests().len();
        let done = match &mut self.session {
            Session::Ours(ours) => run_ours(ours).await,
            Session::Peer(peer) => {
                let task = json!({ "instruction": TASK, "maxSteps": MOST_STEPS });
                peer.call("agent", task).await
            }
        };
        let done = done.with_context(|| format!("{name}; the model: {:?}", self.failures()))?;
        let requests = self.model.server.requests();
        Ok(Run {
            took: done.took,
            sent: sent(requests.get(asked_before..).unwrap_or_default(), scorer),
            flaw: self.flaw(orders_before, &done.value).await?,
        })
    }

    /// What is wrong with the order that a run was to place; none when it is right, and the page tells its number.
    async fn flaw(&mut self, orders_before: usize, result: &Value) -> Result<Option<String>> {
        let number = self.number_on_page().await;
        let orders = self.shop.orders();
        let placed = orders.get(orders_before..).unwrap_or_default();
        let is_right = |order: &Order| {
            let bought = order
                .lines
                .iter()
                .any(|(product, amount, _)| product == PRODUCT && *amount == AMOUNT);
            let address = [&order.name, &order.city, &order.country];
            bought
                && order.lines.len() == 1
                && address == [NAME, CITY, COUNTRY]
                && number == order.number.to_string()
        };
        let failures = self.failures();
        let is_success = result.get("success") == Some(&Value::Bool(true));
        if is_success && failures.is_empty() && matches!(placed, [order] if is_right(order)) {
            return Ok(None);
        }
        Ok(Some(format!(
            "it ended with {result}, the page says the order {number:?}, the shop has got {placed:?}, and the model could \
             not answer {failures:?}"
        )))
    }

    /// The number of the order that the page confirms; empty when it confirms none.
    async fn number_on_page(&mut self) -> String {
        for _ in 0..LOOKS {
            // A page that is just being left has no answer.
            if let Ok(Value::String(number)) = self.session.evaluate(ORDER_NUMBER).await {
                return number;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        String::new()
    }

    /// What the model could not answer, in short: it tells of whole pages.
    fn failures(&self) -> Vec<String> {
        let failures = self.model.server.failures();
        let beginning = |failure: &String| failure.chars().take(LONGEST_FAILURE).collect();
        failures.iter().map(beginning).collect()
    }

    async fn leave(self) -> Result<()> {
        self.session.close().await?;
        self.browser.close().await
    }
}

async fn run_ours(ours: &Ours) -> Result<Done> {
    let agent = ours.automator().agent(AgentConfig {
        mode: Some(AgentMode::Dom),
        ..AgentConfig::default()
    });
    let start = Instant::now();
    let result = agent.execute(TASK).max_steps(MOST_STEPS).await?;
    let took = start.elapsed();
    let tools: Vec<&str> = result.actions.iter().map(|action| action.kind.as_str()).collect();
    let value = json!({ "success": result.success, "message": result.message, "tools": tools });
    Ok(Done { took, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs Chromium: that of `CHROME_PATH`, or `chromium` on the search path.
    #[tokio::test]
    async fn the_calls_place_the_order_and_memory_places_it_again() {
        let executable = std::env::var_os("CHROME_PATH").unwrap_or_else(|| "chromium".into());
        let scorer = Scorer::new().unwrap();
        for runner in [Runner::Ours, Runner::OursInWords] {
            let mut seat = Seat::take(runner, Path::new(&executable), Path::new("none"))
                .await
                .unwrap();
            let [first, again] = seat.run_twice(&scorer).await.unwrap();
            let numbers: Vec<u32> = seat.shop.orders().iter().map(|order| order.number).collect();
            seat.leave().await.unwrap();
            assert_eq!(again.flaw, None);
            assert_eq!(numbers, [1001, 1002]);
            assert_eq!((first.sent.deciding.count, again.sent.calls()), (14, 0));
        }
    }
}
