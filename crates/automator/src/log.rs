//! Log lines: to the user's logger up to the verbosity, and to `tracing`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::options::{AutomatorOptions, Verbosity};

/// A detail of a log line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Auxiliary {
    /// The detail as text.
    pub value: String,
    /// What the text is: `string`, `integer`, `float`, `boolean`, `object` or `html`.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogLine {
    /// The part of the library that speaks: `init`, `page`, `extraction`, `llm`.
    pub category: Cow<'static, str>,
    /// What it says.
    pub message: String,
    /// From which verbosity on it is said.
    pub level: Verbosity,
    /// When: ISO 8601, UTC, milliseconds.
    pub timestamp: String,
    /// Details by name.
    pub auxiliary: BTreeMap<Cow<'static, str>, Auxiliary>,
}

/// A line as another program tells it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ToldLine {
    pub(crate) category: String,
    pub(crate) message: String,
    level: Verbosity,
    timestamp: Option<String>,
    auxiliary: BTreeMap<String, ToldAuxiliary>,
}

#[derive(Debug, Deserialize)]
struct ToldAuxiliary {
    value: String,
    #[serde(rename = "type")]
    kind: String,
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

    /// Hands on a line of another program that works for this session, as if it were of this one.
    pub(crate) fn relay(&self, told: ToldLine) {
        let line = LogLine {
            category: told.category.into(),
            message: told.message,
            level: told.level,
            timestamp: told.timestamp.unwrap_or_else(crate::records::timestamp),
            auxiliary: told
                .auxiliary
                .into_iter()
                .map(|(name, ToldAuxiliary { value, kind })| {
                    let kind = kind.into();
                    (name.into(), Auxiliary { value, kind })
                })
                .collect(),
        };
        if self.has_backend {
            let details: Vec<String> = line
                .auxiliary
                .iter()
                .map(|(name, auxiliary)| format!("{name}={}", auxiliary.value))
                .collect();
            trace(line.level, &line.category, &details.join(" "), &line.message);
        }
        self.receive(&line);
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
            trace(level, category, &details.join(" "), &message);
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
        if self.logger.is_none() || level > self.verbose {
            return;
        }
        let auxiliary = details.iter().map(|(name, value)| {
            let kind = match () {
                () if value.parse::<i64>().is_ok() => "integer",
                () if value.parse::<f64>().is_ok() => "float",
                () if matches!(value.as_str(), "true" | "false") => "boolean",
                () => "string",
            };
            (
                Cow::Borrowed(*name),
                Auxiliary {
                    value: value.clone(),
                    kind: kind.into(),
                },
            )
        });
        let line = LogLine {
            category: category.into(),
            message,
            level,
            timestamp: crate::records::timestamp(),
            auxiliary: auxiliary.collect(),
        };
        self.receive(&line);
    }

    fn receive(&self, line: &LogLine) {
        let Some(logger) = self.logger.as_ref().filter(|_| line.level <= self.verbose) else {
            return;
        };
        if catch_unwind(AssertUnwindSafe(|| (logger.0)(line))).is_err() {
            tracing::warn!("the logger panicked");
        }
    }
}

fn trace(level: Verbosity, category: &str, details: &str, message: &str) {
    match level {
        Verbosity::Minimal => tracing::error!(category, details, "{message}"),
        Verbosity::Standard => tracing::info!(category, details, "{message}"),
        Verbosity::Detailed => tracing::debug!(category, details, "{message}"),
    }
}
