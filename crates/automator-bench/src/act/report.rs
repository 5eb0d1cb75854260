//! The figures of `bench act`: printed, held against their targets, and written to a file.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::json;

use super::{Moment, Sent, SmallPage, Task};
use crate::contender::Contender;
use crate::figures::{Limit, Target, median, milliseconds, shown};

/// The most that a page that never goes quiet may cost more than a quiet one, in milliseconds.
const UNREST_LIMIT: f64 = 2_500.0;

/// One operation of one contender on the form.
#[derive(Debug)]
pub(crate) struct Form {
    contender: Contender,
    task: Task,
    sent: Sent,
    pub(crate) times: Vec<Duration>,
}

/// One operation on a small page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unrest {
    pub(crate) contender: Contender,
    pub(crate) page: SmallPage,
    pub(crate) moment: Moment,
    pub(crate) took: Duration,
}

impl Form {
    pub(crate) fn new(contender: Contender, task: Task, sent: Sent) -> Self {
        Self {
            contender,
            task,
            sent,
            times: Vec::new(),
        }
    }

    pub(crate) fn of(forms: &mut [Form], contender: Contender, task: Task) -> Option<&mut Form> {
        forms
            .iter_mut()
            .find(|form| form.contender == contender && form.task == task)
    }

    fn median(&self) -> Option<f64> {
        median(self.times.iter().copied().map(milliseconds))
    }

    fn least(&self) -> Option<f64> {
        self.times.iter().copied().min().map(milliseconds)
    }
}

pub(crate) fn print_form(forms: &[Form]) {
    println!("\nA form of 200 inputs, a model that answers at once");
    println!(
        "  {:<18}{:<18}{:>10}{:>10}{:>8}{:>8}{:>10}",
        "", "", "median ms", "least ms", "ratio", "calls", "tokens"
    );
    for task in Task::ALL {
        for form in forms.iter().filter(|form| form.task == task) {
            let ratio = match form.contender {
                Contender::Ours => ratio(forms, task),
                Contender::Peer => None,
            };
            println!(
                "  {:<18}{:<18}{:>10}{:>10}{:>8}{:>8}{:>10}",
                task.name(),
                form.contender.name(),
                shown(form.median(), 1),
                shown(form.least(), 1),
                shown(ratio, 3),
                form.sent.calls,
                form.sent.tokens
            );
        }
    }
}

pub(crate) fn print_unrest(measured: &[Unrest]) {
    println!("\nact(instruction) on a small page, median ms");
    println!(
        "  {:<18}{:<18}{:>10}{:>10}{:>10}",
        "", "", "quiet", "restless", "more"
    );
    for (moment, name) in [(Moment::Loaded, "just loaded"), (Moment::Later, "4 s later")] {
        for contender in [Contender::Ours, Contender::Peer] {
            let quiet = median_of(measured, contender, SmallPage::Quiet, moment);
            let restless = median_of(measured, contender, SmallPage::Restless, moment);
            if quiet.is_none() {
                continue;
            }
            println!(
                "  {name:<18}{:<18}{:>10}{:>10}{:>10}",
                contender.name(),
                shown(quiet, 1),
                shown(restless, 1),
                shown(unrest(measured, contender, moment), 1)
            );
        }
    }
}

pub(crate) fn print_targets(forms: &[Form], measured: &[Unrest]) {
    println!("\nTargets");
    for task in Task::ALL {
        let name = format!("{}, ours / TypeScript peer", task.name());
        let target = Target::new(name, ratio(forms, task), Limit::AtMost(task.limit()), 3);
        println!("  {target}");
    }
    for (moment, name) in [
        (Moment::Loaded, "what unrest costs on a page just loaded, ms"),
        (Moment::Later, "what unrest costs 4 s later, ms"),
    ] {
        let more = unrest(measured, Contender::Ours, moment);
        println!("  {}", Target::new(name, more, Limit::AtMost(UNREST_LIMIT), 0));
    }
}

/// One line for each operation and contender on the form, with all times, and one for each on a small page.
pub(crate) fn write(folder: &Path, forms: &[Form], measured: &[Unrest]) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("act.jsonl");
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = BufWriter::new(file);
    for form in forms {
        let times: Vec<f64> = form.times.iter().copied().map(milliseconds).collect();
        let line = json!({
            "page": "form", "operation": form.task.name(), "contender": form.contender.name(),
            "calls": form.sent.calls, "tokens": form.sent.tokens, "ms": times,
        });
        writeln!(file, "{line}")?;
    }
    for one in measured {
        let page = match one.page {
            SmallPage::Quiet => "quiet",
            SmallPage::Restless => "restless",
        };
        let line = json!({
            "page": page, "operation": Task::ActInstruction.name(), "contender": one.contender.name(),
            "justLoaded": one.moment == Moment::Loaded, "ms": milliseconds(one.took),
        });
        writeln!(file, "{line}")?;
    }
    Ok(file.flush()?)
}

/// Our median over the peer's.
fn ratio(forms: &[Form], task: Task) -> Option<f64> {
    let of = |contender| {
        forms
            .iter()
            .find(|form| form.contender == contender && form.task == task)
            .and_then(Form::median)
    };
    Some(of(Contender::Ours)? / of(Contender::Peer)?)
}

fn median_of(measured: &[Unrest], contender: Contender, page: SmallPage, moment: Moment) -> Option<f64> {
    let wanted = measured
        .iter()
        .filter(|one| one.contender == contender && one.page == page && one.moment == moment);
    median(wanted.map(|one| milliseconds(one.took)))
}

/// How much longer the restless page takes, in milliseconds.
fn unrest(measured: &[Unrest], contender: Contender, moment: Moment) -> Option<f64> {
    let of = |page| median_of(measured, contender, page, moment);
    Some(of(SmallPage::Restless)? - of(SmallPage::Quiet)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(contender: Contender, times: &[u64]) -> Form {
        let mut form = Form::new(contender, Task::Observe, Sent::default());
        form.times = times.iter().copied().map(Duration::from_millis).collect();
        form
    }

    #[test]
    fn the_ratio_is_that_of_the_medians_and_needs_both() {
        let forms = [
            form(Contender::Ours, &[10, 30, 20]),
            form(Contender::Peer, &[90, 100, 1_000]),
        ];
        assert!((ratio(&forms, Task::Observe).unwrap() - 0.2).abs() < 1e-9);
        assert_eq!(ratio(&forms[..1], Task::Observe), None);
        assert_eq!(ratio(&forms, Task::Extract), None);
    }

    #[test]
    fn unrest_is_the_difference_at_the_same_moment() {
        let one = |page, moment, ms| Unrest {
            contender: Contender::Ours,
            page,
            moment,
            took: Duration::from_millis(ms),
        };
        let measured = [
            one(SmallPage::Quiet, Moment::Loaded, 300),
            one(SmallPage::Restless, Moment::Loaded, 2_000),
            one(SmallPage::Restless, Moment::Later, 9_000),
        ];
        let more = |moment| unrest(&measured, Contender::Ours, moment);
        assert!((more(Moment::Loaded).unwrap() - 1_700.0).abs() < 1e-6);
        assert_eq!(more(Moment::Later), None);
    }
}
