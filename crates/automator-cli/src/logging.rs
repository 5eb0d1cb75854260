//! What the library tells about its work, on standard error.

use std::io::{self, IsTerminal, Write};

use automator::{Environment as _, EnvironmentSource};
use clap::{ArgAction, Args};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{self, FmtContext, FormatEvent, FormatFields, MakeWriter};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::progress::Progress;
use crate::serve::LogFormat;

/// The library's crates all begin so.
const OURS: &str = "automator";

/// Where a session says what it does. Its errors are those that the command itself reports in the end.
const SESSION: &str = "automator::log";

/// Where a server says who did what.
const AUDIT: &str = "audit";

#[derive(Debug, Args)]
pub(crate) struct LogOptions {
    /// Tell what is done; twice: also how
    #[arg(short, long, global = true, action = ArgAction::Count, help_heading = "Messages")]
    pub(crate) verbose: u8,
    /// Tell nothing but errors
    #[arg(
        short,
        long,
        global = true,
        conflicts_with = "verbose",
        help_heading = "Messages"
    )]
    pub(crate) quiet: bool,
}

/// Sends log lines to standard error from now on.
pub(crate) fn start(options: &LogOptions, format: LogFormat, progress: &Progress) {
    let filter = match (options.quiet, options.verbose) {
        (true, _) => return,
        (false, 0) => Targets::new()
            .with_target(OURS, LevelFilter::WARN)
            .with_target(SESSION, LevelFilter::OFF),
        (false, 1) => told(LevelFilter::INFO),
        (false, 2) => told(LevelFilter::DEBUG),
        (false, _) => told(LevelFilter::TRACE),
    };
    if format == LogFormat::Json {
        let lines = fmt::layer().json().flatten_event(true);
        let lines = lines.with_writer(StandardError(progress.clone()));
        let _ = tracing_subscriber::registry()
            .with(lines.with_filter(filter))
            .try_init();
        return;
    }
    let lines = fmt::layer()
        .with_writer(StandardError(progress.clone()))
        .with_ansi(io::stderr().is_terminal() && is_colour_wanted());
    let lines = if options.verbose > 0 {
        let lines = lines.with_target(options.verbose > 1);
        lines.with_timer(fmt::time::uptime()).with_filter(filter).boxed()
    } else {
        lines.event_format(Plain).with_filter(filter).boxed()
    };
    // Nobody else in this process sets a subscriber; if one is there, its lines are as good.
    let _ = tracing_subscriber::registry().with(lines).try_init();
}

/// What is told up to a level.
fn told(level: LevelFilter) -> Targets {
    Targets::new().with_target(OURS, level).with_target(AUDIT, level)
}

/// The convention of <https://no-color.org>.
fn is_colour_wanted() -> bool {
    EnvironmentSource::default().variable("NO_COLOR").is_none()
}

/// `warning: …`, as the command's own errors are written.
struct Plain;

impl<S, N> FormatEvent<S, N> for Plain
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        let word = match *event.metadata().level() {
            Level::ERROR => "error",
            _ => "warning",
        };
        write!(writer, "{word}: ")?;
        context.field_format().format_fields(writer.by_ref(), event)?;
        writeln!(writer)
    }
}

/// Standard error, with the progress line out of the way while a log line is written.
struct StandardError(Progress);

impl<'w> MakeWriter<'w> for StandardError {
    type Writer = &'w StandardError;

    fn make_writer(&'w self) -> Self::Writer {
        self
    }
}

impl Write for &StandardError {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.suspend(|| io::stderr().lock().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
