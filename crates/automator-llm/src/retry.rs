//! Trying again after failures that pass.
//!
//! The only place of this crate that waits.

use std::future::Future;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};

use crate::error::{LlmError, RetryAdvice};

/// When and how often a failed request is sent again.
///
/// Tried again: connections that fail or break, HTTP 408, 409, 425, 429 and 5xx without 501, errors of the same meaning inside an
/// answer. Not tried again: everything else, and a 429 that says the account has no credit left.
///
/// The pause doubles from [`first_pause`](Self::first_pause) to [`longest_pause`](Self::longest_pause), with up
/// to the same again added at random. A `retry-after` of the provider (seconds, milliseconds or a date) is
/// kept when it asks for more; when it asks for more than [`longest_retry_after`](Self::longest_retry_after)
/// the failure is reported at once.
///
/// There is no limit of time here: whoever drops the call ends it, pauses included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests in all. Default 4.
    pub attempts: u32,
    /// Pause before the second request. Default 500 ms.
    pub first_pause: Duration,
    /// Longest pause of our own choice, before the random part. Default 8 s.
    pub longest_pause: Duration,
    /// Longest pause that a provider may ask for. Default 60 s.
    pub longest_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(8),
            longest_retry_after: Duration::from_secs(60),
        }
    }
}

/// Whether what an HTTP status tells may be over the next time.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429) || (500..600).contains(&status) && status != 501
}

impl RetryPolicy {
    /// One request and no more.
    pub const NONE: Self = Self {
        attempts: 1,
        first_pause: Duration::ZERO,
        longest_pause: Duration::ZERO,
        longest_retry_after: Duration::ZERO,
    };

    /// Runs a request until it succeeds or another try is of no use.
    pub(crate) async fn run<T, F, Call>(&self, call: Call) -> Result<T, LlmError>
    where
        F: Future<Output = Result<T, LlmError>>,
        Call: FnMut() -> F,
    {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(self.first_pause)
            .with_max_delay(self.longest_pause)
            .with_factor(2.0)
            .with_jitter()
            .with_max_times(usize::try_from(self.attempts.saturating_sub(1)).unwrap_or(usize::MAX));
        call.retry(pauses)
            .when(|error| self.is_worth_another_try(error))
            .adjust(|error, pause| match error.retry_advice() {
                RetryAdvice::After(asked) => pause.map(|own| own.max(asked)),
                RetryAdvice::Never | RetryAdvice::Backoff => pause,
            })
            .notify(|error, pause| {
                tracing::warn!(target: "automator_llm", %error, ?pause, "model call failed, trying again");
            })
            .await
    }

    fn is_worth_another_try(&self, error: &LlmError) -> bool {
        match error.retry_advice() {
            RetryAdvice::Never => false,
            RetryAdvice::Backoff => true,
            RetryAdvice::After(asked) => asked <= self.longest_retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn policy(attempts: u32) -> RetryPolicy {
        RetryPolicy {
            attempts,
            ..RetryPolicy::default()
        }
    }

    fn failure(retry: RetryAdvice) -> LlmError {
        LlmError::Provider {
            model: "a/b".into(),
            status: Some(503),
            message: "busy".into(),
            retry,
        }
    }

    /// Requests made and time passed on a clock that jumps.
    async fn run(policy: RetryPolicy, advice: RetryAdvice, succeed_at: u32) -> (u32, Duration, bool) {
        let calls = AtomicU32::new(0);
        let started = tokio::time::Instant::now();
        let result = policy
            .run(|| async {
                if calls.fetch_add(1, Ordering::Relaxed) + 1 == succeed_at {
                    Ok(())
                } else {
                    Err(failure(advice))
                }
            })
            .await;
        (calls.load(Ordering::Relaxed), started.elapsed(), result.is_ok())
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_bounded() {
        let (calls, elapsed, ok) = run(policy(4), RetryAdvice::Backoff, 99).await;
        assert_eq!((calls, ok), (4, false));
        assert!(
            (Duration::from_millis(3_500)..Duration::from_millis(7_500)).contains(&elapsed),
            "{elapsed:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn success_ends_the_series() {
        let (calls, _, ok) = run(policy(4), RetryAdvice::Backoff, 3).await;
        assert_eq!((calls, ok), (3, true));
    }

    #[tokio::test(start_paused = true)]
    async fn lasting_failures_are_not_tried_again() {
        assert_eq!(run(policy(4), RetryAdvice::Never, 99).await.0, 1);
        assert_eq!(run(RetryPolicy::NONE, RetryAdvice::Backoff, 99).await.0, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_providers_pause_is_kept() {
        let (calls, elapsed, ok) = run(policy(2), RetryAdvice::After(Duration::from_secs(20)), 2).await;
        assert_eq!((calls, ok), (2, true));
        assert!(
            elapsed >= Duration::from_secs(20) && elapsed < Duration::from_secs(21),
            "{elapsed:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_beyond_the_limit_is_reported_at_once() {
        let (calls, elapsed, _) = run(policy(4), RetryAdvice::After(Duration::from_secs(61)), 99).await;
        assert_eq!((calls, elapsed), (1, Duration::ZERO));
    }
}
