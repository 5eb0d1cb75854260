//! What the user is waiting for, as one line that goes away: on a terminal only.

use std::io::{self, IsTerminal, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::logging::LogOptions;
use crate::output::clean;

/// To the start of the line, and nothing is left on it.
const CLEAR_LINE: &[u8] = b"\r\x1b[2K";

const TURN: Duration = Duration::from_millis(100);

/// A cheap clone.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    /// None where nobody would see it, or where log lines tell the same.
    bar: Option<ProgressBar>,
    is_quiet: bool,
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
            is_quiet: options.quiet,
        }
    }

    /// Whether nothing but errors is to be told.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Clears the line until the next step, for a question.
    pub(crate) fn pause(&self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.set_draw_target(ProgressDrawTarget::hidden());
            let _ = io::stderr().lock().write_all(CLEAR_LINE);
        }
    }

    /// Says what comes next.
    pub(crate) fn step(&self, text: &str) {
        if let Some(bar) = &self.bar {
            if bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
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
