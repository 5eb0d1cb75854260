//! `bench act`: what our operations cost beside the model's own time, and beside the TypeScript peer's.
//!
//! Both run the same tasks on the same pages with a model that answers at once, in turns.

pub(crate) mod model;
pub(crate) mod pages;
mod report;
mod task;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use automator::Action;
use automator_testing::{ScriptedModel, Site};
use clap::Args;
use serde_json::{Value, json};

use crate::contender::{Contender, Done, Session, in_turn};
use crate::ours::Ours;
use crate::own_browser::OwnBrowser;
use crate::peer::{self, Peer};
use crate::score::Scorer;
use crate::workspace;
use model::Sent;
use report::{Form, Unrest};
use task::{Task, action};

/// The wait before each operation on the form. In real use the model and the program take longer than that between
/// two operations.
const REST: Duration = Duration::from_millis(500);

/// The wait before the second operation on a small page, by when even a restless one is known to the libraries.
const LONG_REST: Duration = Duration::from_secs(4);

/// How operations are measured.
#[derive(Args)]
pub(crate) struct Selection {
    /// How often each operation is measured; one more time before that is not counted
    #[arg(long, default_value_t = 15)]
    rounds: usize,
    /// How often the quiet and the restless page are loaded
    #[arg(long, default_value_t = 5)]
    loads: usize,
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

/// A contender with a browser and a model of its own.
struct Seat {
    contender: Contender,
    session: Session,
    browser: OwnBrowser,
    model: ScriptedModel,
}

/// The small pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SmallPage {
    Quiet,
    Restless,
}

/// When an operation on a small page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// At once after the load event.
    Loaded,
    /// [`LONG_REST`] later.
    Later,
}

/// Measures, prints the figures and writes `act.jsonl`.
pub(crate) async fn run(browser: Option<PathBuf>, selection: &Selection) -> Result<()> {
    let executable = browser.context("name the browser with --browser or CHROME_PATH")?;
    let site = Site::start().await;
    pages::serve(&site);
    let mut seats = vec![Seat::take(Contender::Ours, &executable, &selection.peer).await?];
    if selection.alone {
        println!("The TypeScript peer is left out.");
    } else {
        let peer = match peer::install(&selection.peer).await {
            Ok(()) => Seat::take(Contender::Peer, &executable, &selection.peer).await,
            Err(error) => Err(error),
        };
        match peer {
            Ok(seat) => seats.push(seat),
            Err(error) => println!("Only ours is measured, for want of the TypeScript peer: {error:#}"),
        }
    }
    let measured = measure(&mut seats, &site, selection).await;
    for seat in seats {
        seat.leave().await?;
    }
    measured
}

async fn measure(seats: &mut [Seat], site: &Site, selection: &Selection) -> Result<()> {
    let form = measure_form(seats, site, selection.rounds).await?;
    report::print_form(&form);
    let unrest = measure_unrest(seats, site, selection.loads).await?;
    report::print_unrest(&unrest);
    report::print_targets(&form, &unrest);
    report::write(&selection.out, &form, &unrest)
}

/// Every operation on the form of many inputs.
async fn measure_form(seats: &mut [Seat], site: &Site, rounds: usize) -> Result<Vec<Form>> {
    let scorer = Scorer::new()?;
    for seat in seats.iter_mut() {
        seat.goto(&site.url(pages::FORM)).await?;
    }
    let mut measured = Vec::new();
    for round in 0..=rounds {
        for task in Task::ALL {
            for position in in_turn(seats.len(), round) {
                let seat = &mut seats[position];
                let asked_before = seat.model.requests().len();
                tokio::time::sleep(REST).await;
                let done = seat.run(task).await?;
                // The first round makes the processes warm, and tells what is sent: the same in each round.
                if round == 0 {
                    let requests = seat.model.requests();
                    let sent = model::sent(requests.get(asked_before..).unwrap_or_default(), &scorer);
                    measured.push(Form::new(seat.contender, task, sent));
                } else if let Some(form) = Form::of(&mut measured, seat.contender, task) {
                    form.times.push(done.took);
                }
            }
        }
    }
    let presses = Task::ALL.iter().filter(|task| task.presses()).count() * (rounds + 1);
    for seat in seats.iter_mut() {
        seat.expect_presses(presses).await?;
    }
    Ok(measured)
}

/// The same instruction on a page that is quiet and on one that never is.
async fn measure_unrest(seats: &mut [Seat], site: &Site, loads: usize) -> Result<Vec<Unrest>> {
    let mut measured = Vec::new();
    for round in 0..loads {
        for page in [SmallPage::Quiet, SmallPage::Restless] {
            for position in in_turn(seats.len(), round) {
                let seat = &mut seats[position];
                seat.goto(&site.url(page.path())).await?;
                for moment in [Moment::Loaded, Moment::Later] {
                    if moment == Moment::Later {
                        tokio::time::sleep(LONG_REST).await;
                    }
                    let took = seat.run(Task::ActInstruction).await?.took;
                    measured.push(Unrest {
                        contender: seat.contender,
                        page,
                        moment,
                        took,
                    });
                }
                seat.expect_presses(2).await?;
            }
        }
    }
    Ok(measured)
}

impl SmallPage {
    fn path(self) -> &'static str {
        match self {
            SmallPage::Quiet => pages::QUIET,
            SmallPage::Restless => pages::RESTLESS,
        }
    }
}

impl Seat {
    async fn take(contender: Contender, executable: &Path, peer: &Path) -> Result<Self> {
        let model = model::start().await;
        let browser = OwnBrowser::start(executable).await?;
        let session = match Session::open(contender, browser.address(), &model.base_url(), None, peer).await {
            Ok(session) => session,
            Err(error) => {
                browser.close().await?;
                return Err(error);
            }
        };
        Ok(Self {
            contender,
            session,
            browser,
            model,
        })
    }

    async fn goto(&mut self, url: &str) -> Result<()> {
        self.session.goto(url).await
    }

    /// Runs an operation; a wrong result is an error.
    async fn run(&mut self, task: Task) -> Result<Done> {
        let done = match &mut self.session {
            Session::Ours(ours) => run_ours(ours, task).await,
            Session::Peer(peer) => run_peer(peer, task).await,
        };
        let name = self.contender.name();
        let done = done.with_context(|| format!("{name}: {}", task.name()))?;
        task.judge(&done.value)
            .with_context(|| format!("{name}; the model: {:?}", self.model.failures()))?;
        Ok(done)
    }

    /// Asks the page itself whether every press has reached it, once.
    async fn expect_presses(&mut self, expected: usize) -> Result<()> {
        let presses = self.session.evaluate(pages::PRESSES).await?;
        let name = self.contender.name();
        ensure!(
            presses.as_f64() == Value::from(expected).as_f64(),
            "{name} pressed the button {presses} times in place of {expected}"
        );
        Ok(())
    }

    async fn leave(self) -> Result<()> {
        self.session.close().await?;
        self.browser.close().await
    }
}

async fn run_ours(ours: &Ours, task: Task) -> Result<Done> {
    let action: Action = serde_json::from_value(action()).context("the action of the task")?;
    let automator = ours.automator();
    let start = Instant::now();
    let instruction = task.instruction();
    let (took, value) = match task {
        Task::Observe => {
            let found = automator.observe(instruction).await?;
            (start.elapsed(), json!(found))
        }
        Task::ActInstruction => {
            let done = automator.act(instruction).await?;
            (start.elapsed(), json!(done))
        }
        Task::ActAction => {
            let done = automator.act(&action).await?;
            (start.elapsed(), json!(done))
        }
        Task::Extract => {
            let extracted = automator.extract(instruction).await?;
            (start.elapsed(), json!({ "extraction": extracted.extraction }))
        }
    };
    Ok(Done { took, value })
}

async fn run_peer(peer: &mut Peer, task: Task) -> Result<Done> {
    let instruction = Value::from(task.instruction());
    match task {
        Task::Observe => peer.call("observe", instruction).await,
        Task::ActInstruction => peer.call("act", instruction).await,
        Task::ActAction => peer.call("act", action()).await,
        Task::Extract => peer.call("extract", instruction).await,
    }
}
