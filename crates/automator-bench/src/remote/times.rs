//! Times of one thing that was measured several times; pure.

use std::time::Duration;

use crate::figures::median;

/// In milliseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Times(Vec<f64>);

impl Times {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1_000.0);
    }

    pub(super) fn all(&self) -> &[f64] {
        &self.0
    }

    pub(super) fn median(&self) -> Option<f64> {
        median(self.0.iter().copied())
    }

    /// The time that so many of 100 do not exceed; none of nothing.
    pub(super) fn percentile(&self, percent: usize) -> Option<f64> {
        let mut times = self.0.clone();
        times.sort_by(f64::total_cmp);
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_time_that_was_measured() {
        let mut times = Times::default();
        assert_eq!(times.percentile(95), None);
        for time in (1..=40).rev() {
            times.push(Duration::from_millis(time));
        }
        assert_eq!(times.percentile(95), Some(38.0));
        assert_eq!(times.percentile(100), Some(40.0));
        assert_eq!(times.median(), Some(21.0));
    }
}
