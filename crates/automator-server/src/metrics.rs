//! What a server has done and does, as figures for Prometheus.
//!
//! No label has values without bound: neither sessions nor keys nor addresses are told apart. What happens is counted
//! here; what is so at a moment (`Gauges`) is asked for when the figures are read.

mod histogram;
mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::platform::EndCause;
use histogram::Histogram;
use text::Text;

/// The content type of [`Metrics::render`].
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Bounds of the time that is waited for a place, in seconds.
const WAITING: &[f64] = &[0.01, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// Bounds of the time that an operation takes, in seconds.
const OPERATING: &[f64] = &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// The figures of a server. Clones are the same ones.
#[derive(Debug, Clone, Default)]
pub struct Metrics {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: Mutex<Counts>,
    /// Bytes of messages; apart from the others, as each message is counted.
    to_browser: AtomicU64,
    to_client: AtomicU64,
}

#[derive(Debug, Default)]
struct Counts {
    creations: BTreeMap<Creation, u64>,
    ends: BTreeMap<&'static str, u64>,
    waiting: Histogram,
    operations: BTreeMap<(OperationKind, OperationOutcome), Histogram>,
    tokens: BTreeMap<(OperationKind, &'static str), u64>,
    cache: BTreeMap<&'static str, u64>,
    refusals: BTreeMap<Refused, u64>,
    requests: BTreeMap<(String, u16), u64>,
}

/// What is so at the moment.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gauges {
    pub(crate) pending: u64,
    pub(crate) running: u64,
    pub(crate) places: usize,
    pub(crate) places_used: usize,
    pub(crate) waiting: usize,
    pub(crate) sockets: usize,
}

/// What became of a request for a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Creation {
    /// Its browser runs.
    Started,
    /// Its browser did not start, or whoever asked for it has gone.
    NotStarted,
    /// Too many wait already.
    QueueFull,
}

/// Why somebody was not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refused {
    /// The key is missing or not valid.
    Key,
    /// The token of a signed address is not valid.
    Token,
    /// The key is valid, and has made too many requests.
    Rate,
}

/// What is done in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// An act.
    Act,
    /// An agent's run.
    Agent,
    /// An extraction.
    Extract,
    /// A navigation.
    Navigate,
    /// An observation.
    Observe,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationOutcome {
    /// It gave its result.
    Done,
    /// It failed.
    Failed,
    /// Whoever asked for it has gone.
    Cancelled,
}

/// What a model has read and written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Read, with those from its cache.
    pub prompt: u64,
    /// Written.
    pub completion: u64,
    /// Written for its own thoughts.
    pub reasoning: u64,
    /// Read from its cache.
    pub cached: u64,
}

impl OperationKind {
    const ALL: [Self; 5] = [
        Self::Act,
        Self::Agent,
        Self::Extract,
        Self::Navigate,
        Self::Observe,
    ];

    /// As it is written in figures and in the audit log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Agent => "agent",
            Self::Extract => "extract",
            Self::Navigate => "navigate",
            Self::Observe => "observe",
        }
    }
}

impl OperationOutcome {
    const ALL: [Self; 3] = [Self::Done, Self::Failed, Self::Cancelled];

    /// As it is written in figures and in the audit log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Tokens {
    fn by_name(self) -> [(&'static str, u64); 4] {
        [
            ("prompt", self.prompt),
            ("completion", self.completion),
            ("reasoning", self.reasoning),
            ("cached", self.cached),
        ]
    }
}

impl Metrics {
    /// Figures that are all 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts an operation.
    pub fn operation(
        &self,
        kind: OperationKind,
        outcome: OperationOutcome,
        duration: Duration,
        tokens: Tokens,
    ) {
        let mut counts = self.counts();
        counts
            .operations
            .entry((kind, outcome))
            .or_default()
            .observe(OPERATING, duration);
        for (name, tokens) in tokens.by_name() {
            *counts.tokens.entry((kind, name)).or_default() += tokens;
        }
    }

    /// Counts a question to the cache: whether it knew the answer.
    pub fn cache(&self, hit: bool) {
        let name = if hit { "hit" } else { "miss" };
        *self.counts().cache.entry(name).or_default() += 1;
    }

    pub(crate) fn creation(&self, outcome: Creation) {
        *self.counts().creations.entry(outcome).or_default() += 1;
    }

    pub(crate) fn end(&self, cause: &EndCause) {
        *self.counts().ends.entry(cause.name()).or_default() += 1;
    }

    /// Counts how long was waited for a place.
    pub(crate) fn waited(&self, duration: Duration) {
        self.counts().waiting.observe(WAITING, duration);
    }

    pub(crate) fn refused(&self, why: Refused) {
        *self.counts().refusals.entry(why).or_default() += 1;
    }

    pub(crate) fn request(&self, route: &str, status: u16) {
        let mut counts = self.counts();
        *counts.requests.entry((route.to_owned(), status)).or_default() += 1;
    }

    pub(crate) fn sent_to_browser(&self, bytes: usize) {
        self.inner.to_browser.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn sent_to_client(&self, bytes: usize) {
        self.inner.to_client.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.inner.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All figures, in the text format 0.0.4 of Prometheus.
    pub(crate) fn render(&self, gauges: Gauges) -> String {
        let counts = self.counts();
        let mut text = Text::new();
        write_gauges(&mut text, gauges);
        write_sessions(&mut text, &counts);
        text.family(
            "automator_cdp_bytes_total",
            "counter",
            "Bytes of DevTools messages that were handed on.",
        );
        for (to, bytes) in [
            ("browser", &self.inner.to_browser),
            ("client", &self.inner.to_client),
        ] {
            let bytes = bytes.load(Ordering::Relaxed);
            text.sample("automator_cdp_bytes_total", &[("to", to)], bytes);
        }
        write_operations(&mut text, &counts);
        write_requests(&mut text, &counts);
        text.into_string()
    }
}

fn write_gauges(text: &mut Text, gauges: Gauges) {
    text.family("automator_build_info", "gauge", "The version of the server.");
    text.sample(
        "automator_build_info",
        &[("version", env!("CARGO_PKG_VERSION"))],
        1,
    );
    text.family("automator_sessions", "gauge", "Sessions that have not ended.");
    for (state, sessions) in [("pending", gauges.pending), ("running", gauges.running)] {
        text.sample("automator_sessions", &[("state", state)], sessions);
    }
    for (name, help, value) in [
        (
            "automator_slots",
            "How many browsers may run at once.",
            gauges.places,
        ),
        (
            "automator_slots_used",
            "How many of them run or are about to.",
            gauges.places_used,
        ),
        (
            "automator_queue_length",
            "Requests that wait for a browser.",
            gauges.waiting,
        ),
        (
            "automator_cdp_sockets",
            "Open DevTools connections of clients.",
            gauges.sockets,
        ),
    ] {
        text.family(name, "gauge", help);
        text.sample(name, &[], value);
    }
}

fn write_sessions(text: &mut Text, counts: &Counts) {
    let name = "automator_session_requests_total";
    text.family(
        name,
        "counter",
        "Requests for a new session, by what became of them.",
    );
    for (outcome, label) in [
        (Creation::Started, "started"),
        (Creation::NotStarted, "not_started"),
        (Creation::QueueFull, "queue_full"),
    ] {
        let count = counts.creations.get(&outcome).copied().unwrap_or_default();
        text.sample(name, &[("outcome", label)], count);
    }
    let name = "automator_sessions_ended_total";
    text.family(name, "counter", "Sessions that have ended, by why.");
    for cause in EndCause::NAMES {
        let count = counts.ends.get(cause).copied().unwrap_or_default();
        text.sample(name, &[("cause", cause)], count);
    }
    let name = "automator_queue_wait_seconds";
    text.family(name, "histogram", "How long was waited for a browser.");
    text.histogram(name, &[], WAITING, &counts.waiting);
}

fn write_operations(text: &mut Text, counts: &Counts) {
    let name = "automator_operation_duration_seconds";
    text.family(name, "histogram", "Operations, by how long they took.");
    for kind in OperationKind::ALL {
        for outcome in OperationOutcome::ALL {
            if let Some(durations) = counts.operations.get(&(kind, outcome)) {
                let labels = [("kind", kind.name()), ("outcome", outcome.name())];
                text.histogram(name, &labels, OPERATING, durations);
            }
        }
    }
    let name = "automator_operation_tokens_total";
    text.family(name, "counter", "Tokens that models have read and written.");
    for ((kind, tokens), count) in &counts.tokens {
        text.sample(name, &[("kind", kind.name()), ("tokens", tokens)], count);
    }
    let name = "automator_cache_requests_total";
    text.family(name, "counter", "Questions to the cache of answers.");
    for result in ["hit", "miss"] {
        let count = counts.cache.get(result).copied().unwrap_or_default();
        text.sample(name, &[("result", result)], count);
    }
}

fn write_requests(text: &mut Text, counts: &Counts) {
    let name = "automator_refusals_total";
    text.family(name, "counter", "Requests that were not let in.");
    for (why, label) in [
        (Refused::Key, "key"),
        (Refused::Token, "token"),
        (Refused::Rate, "rate"),
    ] {
        let count = counts.refusals.get(&why).copied().unwrap_or_default();
        text.sample(name, &[("why", label)], count);
    }
    let name = "automator_http_requests_total";
    text.family(name, "counter", "Requests, by route and status.");
    for ((route, status), count) in &counts.requests {
        text.sample(name, &[("route", route), ("status", &status.to_string())], count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_read_back() {
        let metrics = Metrics::new();
        let tokens = Tokens {
            prompt: 100,
            completion: 5,
            ..Tokens::default()
        };
        for seconds in [1, 2] {
            metrics.operation(
                OperationKind::Act,
                OperationOutcome::Done,
                Duration::from_secs(seconds),
                tokens,
            );
        }
        metrics.cache(true);
        metrics.request("/v1/sessions/{id}", 404);
        metrics.end(&EndCause::Released);
        metrics.sent_to_client(7);
        let gauges = Gauges {
            running: 3,
            ..Gauges::default()
        };
        let text = metrics.clone().render(gauges);
        for line in [
            "automator_sessions{state=\"running\"} 3",
            "automator_sessions_ended_total{cause=\"released\"} 1",
            "automator_sessions_ended_total{cause=\"time_over\"} 0",
            "automator_operation_duration_seconds_bucket{kind=\"act\",outcome=\"done\",le=\"1\"} 1",
            "automator_operation_duration_seconds_bucket{kind=\"act\",outcome=\"done\",le=\"+Inf\"} 2",
            "automator_operation_duration_seconds_sum{kind=\"act\",outcome=\"done\"} 3",
            "automator_operation_tokens_total{kind=\"act\",tokens=\"prompt\"} 200",
            "automator_cache_requests_total{result=\"hit\"} 1",
            "automator_cache_requests_total{result=\"miss\"} 0",
            "automator_http_requests_total{route=\"/v1/sessions/{id}\",status=\"404\"} 1",
            "automator_cdp_bytes_total{to=\"client\"} 7",
        ] {
            assert!(
                text.lines().any(|found| found == line),
                "{line} is not in\n{text}"
            );
        }
    }
}
