//! What the user is waiting for, as one line that goes away: on a terminal only.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::logging::LogOptions;
use crate::output::clean;

const TURN: Duration = Duration::from_millis(100);

/// A cheap clone.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// None where nobody would see it, or where log lines tell the same.
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(crate) fn new(options: &LogOptions) -> Self {
        let is_shown = !options.quiet && options.verbose == 0 && io::stderr().is_terminal();
        Self {
            bar: is_shown.then(|| {
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>3} {wide_msg}") {
                    bar.set_style(style);
                }
                bar
            }),
        }
    }

    /// Says what comes next.
    pub(crate) fn step(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(clean(text).replace(['\n', '\t'], " "));
            bar.enable_steady_tick(TURN);
        }
    }

    /// Clears the line for good.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Clears the line while something else is written.
    pub(crate) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}
