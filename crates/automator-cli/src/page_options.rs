//! Which page is read, which part of it, and how long that may take.

use std::time::{Duration, Instant};

use automator::{GotoOptions, SnapshotOptions, WaitUntil};
use clap::{Args, ValueEnum};

use crate::browser_options::InvalidValue;

/// The limit of loading a page when the user sets none.
const LOAD_LIMIT: Duration = Duration::from_secs(15);

/// Which part of a page is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Page")]
pub(crate) struct ScopeOptions {
    /// Read only this part: a CSS selector, or an XPath; `>>` leads into a frame
    #[arg(long, value_name = "SELECTOR")]
    pub(crate) selector: Option<String>,
    /// Leave out all that this matches; can be given several times
    #[arg(long = "ignore-selector", value_name = "SELECTOR")]
    pub(crate) ignore_selectors: Vec<String>,
}

impl ScopeOptions {
    /// What the library is told.
    pub(crate) fn to_snapshot_options(&self) -> SnapshotOptions {
        SnapshotOptions {
            selector: self.selector.clone(),
            ignore_selectors: self.ignore_selectors.clone(),
            ..SnapshotOptions::default()
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Page")]
pub(crate) struct PageOptions {
    /// How far the page must have come before it is read [default: dom-content-loaded; `network-idle` suits pages that
    /// fill in later]
    #[arg(long, value_name = "STATE", value_enum)]
    wait_until: Option<Until>,
    /// The limit for loading the page and all that follows, once the browser runs; 0 is none [default: 15 to load, 30
    /// to read, 60 to act or observe, 120 to extract; none for an agent]
    #[arg(long, value_name = "SECONDS", value_parser = read_seconds, allow_negative_numbers = true)]
    timeout: Option<Duration>,
}

/// How far a page has come.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Until {
    /// The new document is there, its content may still be coming
    Commit,
    /// The document has been read to its end
    #[default]
    #[value(name = "dom-content-loaded", alias = "domcontentloaded")]
    DomContentLoaded,
    /// Images, styles and frames have been loaded, too
    Load,
    /// No request has been open for half a second
    #[value(name = "network-idle", alias = "networkidle")]
    NetworkIdle,
}

impl ScopeOptions {
    /// An empty result looks like a mistake of ours, so the user hears what is so.
    pub(crate) fn warn_if_empty(&self, text: &str) {
        if text.trim().is_empty() {
            match &self.selector {
                Some(selector) => tracing::warn!("what `{selector}` selects has no visible text"),
                None => tracing::warn!("the page has no visible text"),
            }
        }
    }
}

impl PageOptions {
    /// The time that the user gives, from now on.
    pub(crate) fn budget(&self) -> Budget {
        match self.timeout {
            None => Budget::Defaults,
            Some(Duration::ZERO) => Budget::Unlimited,
            Some(limit) => Instant::now()
                .checked_add(limit)
                .map_or(Budget::Unlimited, Budget::Until),
        }
    }

    /// Whether the user says how a page is loaded.
    pub(crate) fn has_wait_until(&self) -> bool {
        self.wait_until.is_some()
    }

    /// How the page is gone to.
    pub(crate) fn goto(&self, budget: Budget) -> GotoOptions {
        GotoOptions {
            wait_until: match self.wait_until.unwrap_or_default() {
                Until::Commit => WaitUntil::Commit,
                Until::DomContentLoaded => WaitUntil::DomContentLoaded,
                Until::Load => WaitUntil::Load,
                Until::NetworkIdle => WaitUntil::NetworkIdle,
            },
            timeout: budget.left().unwrap_or(LOAD_LIMIT),
        }
    }
}

/// How much time there is for all steps together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Budget {
    /// Each step has its own limit.
    Defaults,
    Unlimited,
    Until(Instant),
}

impl Budget {
    /// Whether there was a limit and it has been reached.
    pub(crate) fn is_used_up(self) -> bool {
        matches!(self, Self::Until(end) if end <= Instant::now())
    }

    /// The limit of the next step as the library takes it: zero is none. `None`: the step's own.
    pub(crate) fn left(self) -> Option<Duration> {
        match self {
            Self::Defaults => None,
            Self::Unlimited => Some(Duration::ZERO),
            // Never zero, which would be no limit at all.
            Self::Until(end) => Some(
                end.saturating_duration_since(Instant::now())
                    .max(Duration::from_millis(1)),
            ),
        }
    }
}

/// A number of seconds, with a fraction if need be.
pub(crate) fn read_seconds(text: &str) -> Result<Duration, InvalidValue> {
    let seconds = text
        .parse::<f64>()
        .map_err(|_| InvalidValue::new("a time is a number of seconds, as in 30 or 0.5"))?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| InvalidValue::new("a time is at least 0 seconds and not endless"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_of_seconds_that_is_not_negative() {
        assert_eq!(read_seconds("1.5").unwrap(), Duration::from_millis(1500));
        assert_eq!(read_seconds("0").unwrap(), Duration::ZERO);
        for text in ["", "5s", "-1", "nan", "inf", "1e300"] {
            assert!(read_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_budget_that_is_used_up_is_not_taken_for_none() {
        let past = Budget::Until(Instant::now());
        assert!(past.is_used_up() && !Budget::Unlimited.is_used_up());
        assert_eq!(past.left(), Some(Duration::from_millis(1)));
        assert_eq!(Budget::Unlimited.left(), Some(Duration::ZERO));
        assert_eq!(Budget::Defaults.left(), None);
    }
}
