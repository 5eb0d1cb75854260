//! Log lines: to the user's logger up to the verbosity, and to `tracing`.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;

use crate::options::{AutomatorOptions, Verbosity};

/// A detail of a log line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Auxiliary {
    /// The detail as text.
    pub value: String,
    /// What the text is: `string`, `integer`, `float`, `boolean`, `object` or `html`.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// The part of the library that speaks: `init`, `page`, `extraction`, `llm`.
    pub category: &'static str,
    /// What it says.
    pub message: String,
    /// From which verbosity on it is said.
    pub level: Verbosity,
    /// When: ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    /// Details by name.
    pub auxiliary: BTreeMap<&'static str, Auxiliary>,
}

/// The user's own receiver of log lines. One that panics harms nothing but itself.
#[derive(Clone)]
pub struct Logger(Arc<dyn Fn(&LogLine) + Send + Sync>);

impl Logger {
    /// A receiver.
    pub fn new(receive: impl Fn(&LogLine) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receive))
    }
}

impl fmt::Debug for Logger {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Logger")
    }
}

/// Where a session's lines go.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) verbose: Verbosity,
    pub(crate) logger: Option<Logger>,
    pub(crate) has_backend: bool,
}

impl Log {
    /// As a session with these options logs.
    pub(crate) fn of(options: &AutomatorOptions) -> Self {
        Self {
            verbose: options.verbose,
            logger: options.logger.clone(),
            has_backend: !options.disable_log_backend,
        }
    }

    /// Something went wrong.
    pub(crate) fn error(
        &self,
        category: &'static str,
        message: impl Into<String>,
        details: &[(&'static str, String)],
    ) {
        self.line(Verbosity::Minimal, category, message.into(), details);
    }

    /// Something that the user should know although nothing went wrong.
    pub(crate) fn notice(&self, category: &'static str, message: &str) {
        if self.has_backend {
            tracing::warn!(target: "automator::notice", "{message}");
        }
        self.hand_over(Verbosity::Standard, category, message.to_owned(), &[]);
    }

    /// Something was done.
    pub(crate) fn info(
        &self,
        category: &'static str,
        message: impl Into<String>,
        details: &[(&'static str, String)],
    ) {
        self.line(Verbosity::Standard, category, message.into(), details);
    }

    /// How it was done.
    pub(crate) fn debug(
        &self,
        category: &'static str,
        message: impl Into<String>,
        details: &[(&'static str, String)],
    ) {
        self.line(Verbosity::Detailed, category, message.into(), details);
    }

    fn line(
        &self,
        level: Verbosity,
        category: &'static str,
        message: String,
        details: &[(&'static str, String)],
    ) {
        if self.has_backend {
            let details: Vec<String> = details
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let details = details.join(" ");
            match level {
                Verbosity::Minimal => tracing::error!(category, details, "{message}"),
                Verbosity::Standard => tracing::info!(category, details, "{message}"),
                Verbosity::Detailed => tracing::debug!(category, details, "{message}"),
            }
        }
        self.hand_over(level, category, message, details);
    }

    /// Gives a line to the user's own logger.
    fn hand_over(
        &self,
        level: Verbosity,
        category: &'static str,
        message: String,
        details: &[(&'static str, String)],
    ) {
        let Some(logger) = self.logger.as_ref().filter(|_| level <= self.verbose) else {
            return;
        };
        let auxiliary = details.iter().map(|(name, value)| {
            let kind = match () {
                () if value.parse::<i64>().is_ok() => "integer",
                () if value.parse::<f64>().is_ok() => "float",
                () if matches!(value.as_str(), "true" | "false") => "boolean",
                () => "string",
            };
            (
                *name,
                Auxiliary {
                    value: value.clone(),
                    kind,
                },
            )
        });
        let line = LogLine {
            category,
            message,
            level,
            timestamp: crate::records::timestamp(),
            auxiliary: auxiliary.collect(),
        };
        if catch_unwind(AssertUnwindSafe(|| (logger.0)(&line))).is_err() {
            tracing::warn!("the logger panicked");
        }
    }
}
