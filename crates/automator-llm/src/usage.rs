//! What calls cost: tokens and time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Tokens of one call as the provider counted them.
///
/// All zero when the provider said nothing. `reasoning` is a part of `completion` and `cached_input` and
/// `cache_write` are parts of `prompt`, whatever the provider's own habit is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TokenCounts {
    /// Tokens sent.
    pub prompt: u64,
    /// Tokens written by the model, reasoning included.
    pub completion: u64,
    /// The part of `completion` that was reasoning.
    pub reasoning: u64,
    /// The part of `prompt` that the provider read from its cache.
    pub cached_input: u64,
    /// The part of `prompt` that the provider wrote to its cache.
    pub cache_write: u64,
}

impl TokenCounts {
    fn add(&mut self, other: TokenCounts) {
        self.prompt = self.prompt.saturating_add(other.prompt);
        self.completion = self.completion.saturating_add(other.completion);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
        self.cached_input = self.cached_input.saturating_add(other.cached_input);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
    }
}

/// Tokens and time of one or more calls, summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Summed tokens.
    pub tokens: TokenCounts,
    /// Wall time spent waiting for the provider; pauses between tries are not in it.
    pub inference_time: Duration,
    /// Calls that reached the provider, failed ones too.
    pub calls: u32,
}

impl Usage {
    /// Adds another sum to this one.
    pub fn add(&mut self, other: Usage) {
        self.tokens.add(other.tokens);
        self.inference_time = self.inference_time.saturating_add(other.inference_time);
        self.calls = self.calls.saturating_add(other.calls);
    }
}

/// A sum that is kept up to date while calls run, so that nothing is lost when the caller's deadline
/// drops the call in the middle.
///
/// Clones share the sum. A call that is dropped while the provider has not answered counts with its time
/// and without tokens.
#[derive(Debug, Clone, Default)]
pub struct UsageMeter(Arc<Sum>);

#[derive(Debug, Default)]
struct Sum {
    total: Mutex<Usage>,
    whole: Option<UsageMeter>,
}

impl UsageMeter {
    /// A meter at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// A meter at zero that also counts into this one.
    #[must_use]
    pub fn part(&self) -> Self {
        Self(Arc::new(Sum {
            total: Mutex::default(),
            whole: Some(self.clone()),
        }))
    }

    /// The sum so far.
    pub fn total(&self) -> Usage {
        *self.0.total.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a finished sum.
    pub fn add(&self, usage: Usage) {
        self.0
            .total
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .add(usage);
        if let Some(whole) = &self.0.whole {
            whole.add(usage);
        }
    }

    /// Starts the clock of one call.
    pub(crate) fn start(&self) -> RunningCall<'_> {
        RunningCall {
            meter: self,
            started: Instant::now(),
            settled: false,
        }
    }
}

/// One call under way; recorded when it is settled or dropped.
pub(crate) struct RunningCall<'a> {
    meter: &'a UsageMeter,
    started: Instant,
    settled: bool,
}

impl RunningCall<'_> {
    /// The provider answered, well or badly.
    pub(crate) fn finish(mut self, tokens: TokenCounts) {
        self.record(tokens);
    }

    /// The provider was never reached.
    pub(crate) fn discard(mut self) {
        self.settled = true;
    }

    fn record(&mut self, tokens: TokenCounts) {
        if !std::mem::replace(&mut self.settled, true) {
            self.meter.add(Usage {
                tokens,
                inference_time: self.started.elapsed(),
                calls: 1,
            });
        }
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.record(TokenCounts::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_call_counts_with_its_time_and_discarded_call_does_not() {
        let meter = UsageMeter::new();
        drop(meter.start());
        meter.start().discard();
        meter.start().finish(TokenCounts {
            prompt: 3,
            completion: 2,
            ..TokenCounts::default()
        });
        let total = meter.total();
        assert_eq!(total.calls, 2);
        assert_eq!(total.tokens.prompt, 3);
    }

    #[test]
    fn parts_count_into_the_whole() {
        let whole = UsageMeter::new();
        let (one, other) = (whole.part(), whole.part());
        one.start().finish(TokenCounts::default());
        other.start().finish(TokenCounts::default());
        assert_eq!(
            (one.total().calls, other.total().calls, whole.total().calls),
            (1, 1, 2)
        );
    }

    #[test]
    fn sums_do_not_overflow() {
        let mut sum = Usage {
            tokens: TokenCounts {
                prompt: u64::MAX,
                ..TokenCounts::default()
            },
            ..Usage::default()
        };
        sum.add(sum);
        assert_eq!(sum.tokens.prompt, u64::MAX);
    }
}
