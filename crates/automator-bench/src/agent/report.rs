//! The figures of `bench agent`: printed, held against their limits, and written to a file.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::model::{Calls, Sent};
use super::{Run, Runner};
use crate::figures::{Limit, Target, median, milliseconds, shown};

/// The most tokens that ours may send, as a share of the peer's.
const TOKENS_LIMIT: f64 = 0.4;

/// The most that doing it again may take, as a share of the peer's time.
const AGAIN_LIMIT: f64 = 0.5;

/// All runs of one runner that count.
#[derive(Debug)]
pub(super) struct Figures {
    runner: Runner,
    first: Vec<Duration>,
    sent: Vec<Sent>,
    again: Vec<Run>,
}

impl Figures {
    pub(super) fn new(runner: Runner) -> Self {
        Self {
            runner,
            first: Vec::new(),
            sent: Vec::new(),
            again: Vec::new(),
        }
    }

    /// A first run, and the one after it.
    pub(super) fn add(&mut self, first: &Run, again: Run) {
        self.first.push(first.took);
        self.sent.push(first.sent);
        self.again.push(again);
    }

    fn tokens(&self) -> Option<f64> {
        self.median_of(Sent::tokens)
    }

    fn median_of(&self, figure: impl Fn(&Sent) -> usize) -> Option<f64> {
        median(self.sent.iter().map(|sent| figure(sent) as f64))
    }

    fn first_ms(&self) -> Option<f64> {
        median(self.first.iter().copied().map(milliseconds))
    }

    /// None when not every run has done all of it again.
    fn again_ms(&self) -> Option<f64> {
        let is_whole = self.again.iter().all(|run| run.flaw.is_none());
        median(self.again.iter().map(|run| milliseconds(run.took))).filter(|_| is_whole)
    }

    /// The most model calls that a run from memory has made.
    fn again_calls(&self) -> Option<usize> {
        self.again.iter().map(|run| run.sent.calls()).max()
    }
}

pub(super) fn print(measured: &[Figures]) {
    println!("\nWhat is sent in a run of twelve calls of tools, calls and tokens (o200k)");
    println!(
        "  {:<18}{:>8}{:>10}{:>8}{:>10}{:>10}{:>8}",
        "", "agent's", "tokens", "inside", "tokens", "all", "ratio"
    );
    for figures in measured {
        let count = |of: fn(&Sent) -> usize| shown(figures.median_of(of), 0);
        println!(
            "  {:<18}{:>8}{:>10}{:>8}{:>10}{:>10}{:>8}",
            figures.runner.name(),
            count(|sent| sent.deciding.count),
            count(|sent| sent.deciding.tokens),
            count(|sent| sent.inside.count),
            count(|sent| sent.inside.tokens),
            shown(figures.tokens(), 0),
            shown(to_peer(measured, figures, Figures::tokens), 3),
        );
    }
    println!("\nMedian ms, and model calls of the run from memory");
    println!(
        "  {:<18}{:>12}{:>8}{:>14}{:>8}{:>8}",
        "", "first run", "ratio", "from memory", "ratio", "calls"
    );
    for figures in measured {
        println!(
            "  {:<18}{:>12}{:>8}{:>14}{:>8}{:>8}",
            figures.runner.name(),
            shown(figures.first_ms(), 0),
            shown(to_peer(measured, figures, Figures::first_ms), 3),
            shown(figures.again_ms(), 0),
            shown(to_peer(measured, figures, Figures::again_ms), 3),
            figures
                .again_calls()
                .map_or("-".to_owned(), |calls| calls.to_string()),
        );
    }
    for figures in measured {
        if let Some(flaw) = figures.again.iter().find_map(|run| run.flaw.as_ref()) {
            println!("\n{} did not do all of it again: {flaw}", figures.runner.name());
        }
    }
    println!("\nTargets");
    for target in targets(measured) {
        println!("  {target}");
    }
}

/// Whether no figure is beyond its limit. One that could not be measured is none.
pub(super) fn passes(measured: &[Figures]) -> bool {
    targets(measured)
        .iter()
        .all(|target| target.passes() != Some(false))
}

fn targets(measured: &[Figures]) -> Vec<Target> {
    let ours = measured.iter().filter(|figures| figures.runner != Runner::Peer);
    ours.flat_map(|figures| {
        let name = figures.runner.name();
        [
            Target::new(
                format!("tokens, {name} / TypeScript peer"),
                to_peer(measured, figures, Figures::tokens),
                Limit::AtMost(TOKENS_LIMIT),
                3,
            ),
            Target::new(
                format!("from memory, {name} / TypeScript peer"),
                to_peer(measured, figures, Figures::again_ms),
                Limit::AtMost(AGAIN_LIMIT),
                3,
            ),
            Target::new(
                format!("from memory, {name}: share of whole runs"),
                whole(&figures.again),
                Limit::AtLeast(1.0),
                2,
            ),
            Target::new(
                format!("from memory, {name}: model calls"),
                figures.again_calls().map(|calls| calls as f64),
                Limit::AtMost(0.0),
                0,
            ),
        ]
    })
    .collect()
}

/// One of our figures over the peer's.
fn to_peer(measured: &[Figures], figures: &Figures, figure: impl Fn(&Figures) -> Option<f64>) -> Option<f64> {
    let peer = measured
        .iter()
        .find(|figures| figures.runner == Runner::Peer)
        .filter(|_| figures.runner != Runner::Peer)?;
    Some(figure(figures)? / figure(peer)?)
}

fn whole(runs: &[Run]) -> Option<f64> {
    let whole = runs.iter().filter(|run| run.flaw.is_none()).count();
    (!runs.is_empty()).then(|| whole as f64 / runs.len() as f64)
}

/// Every single run.
pub(super) fn write(folder: &Path, measured: &[Figures]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("agent.json");
    let calls = |calls: Calls| json!({ "calls": calls.count, "tokens": calls.tokens });
    let all: Vec<Value> = measured
        .iter()
        .map(|figures| {
            let first = figures.first.iter().zip(&figures.sent).map(|(took, sent)| {
                json!({
                    "ms": milliseconds(*took),
                    "agent": calls(sent.deciding),
                    "inside": calls(sent.inside),
                })
            });
            let again = figures.again.iter().map(
                |run| json!({ "ms": milliseconds(run.took), "calls": run.sent.calls(), "flaw": run.flaw }),
            );
            json!({
                "contender": figures.runner.name(),
                "first": first.collect::<Vec<_>>(),
                "fromMemory": again.collect::<Vec<_>>(),
            })
        })
        .collect();
    std::fs::write(&path, serde_json::to_string_pretty(&all)? + "\n")
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("\nEvery run is in {}.", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(runner: Runner, tokens: usize, again_ms: u64, flaw: Option<&str>) -> Figures {
        let run = |ms, tokens| Run {
            took: Duration::from_millis(ms),
            sent: Sent {
                deciding: Calls {
                    count: usize::from(tokens > 0),
                    tokens,
                },
                inside: Calls::default(),
            },
            flaw: flaw.map(str::to_owned),
        };
        let mut figures = Figures::new(runner);
        figures.add(&run(1_000, tokens), run(again_ms, 0));
        figures
    }

    #[test]
    fn figures_on_their_limits_pass_and_beyond_them_fail() {
        let beside = |ours: Figures| passes(&[ours, figures(Runner::Peer, 1_000, 100, None)]);
        assert!(beside(figures(Runner::Ours, 400, 50, None)));
        assert!(!beside(figures(Runner::Ours, 401, 50, None)));
        assert!(!beside(figures(Runner::Ours, 400, 51, None)));
        assert!(!beside(figures(Runner::Ours, 400, 50, Some("no order"))));
    }

    #[test]
    fn a_peer_that_does_not_do_it_again_is_no_measure() {
        let measured = [
            figures(Runner::Ours, 400, 500, None),
            figures(Runner::Peer, 1_000, 10, Some("no order")),
        ];
        assert_eq!(to_peer(&measured, &measured[0], Figures::again_ms), None);
        assert!(passes(&measured));
    }
}
