//! How often something took how long.

use std::time::Duration;

/// Counts by upper bounds, which are given with each call.
#[derive(Debug, Clone, Default)]
pub(super) struct Histogram {
    /// How many are at most as long as the bound at the same place, and longer than the one before.
    counts: Vec<u64>,
    sum: f64,
    count: u64,
}

impl Histogram {
    pub(super) fn observe(&mut self, bounds: &[f64], duration: Duration) {
        let seconds = duration.as_secs_f64();
        self.counts.resize(bounds.len(), 0);
        let place = bounds.iter().position(|bound| seconds <= *bound);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        }
        self.sum += seconds;
        self.count += 1;
    }

    /// How many are at most as long as each of the bounds.
    pub(super) fn cumulated<'a>(&'a self, bounds: &'a [f64]) -> impl Iterator<Item = (f64, u64)> + 'a {
        let mut total = 0;
        bounds.iter().enumerate().map(move |(place, bound)| {
            total += self.counts.get(place).copied().unwrap_or_default();
            (*bound, total)
        })
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_belongs_to_its_bucket_and_all_buckets_add_up() {
        let bounds = [1.0, 2.0];
        let mut histogram = Histogram::default();
        assert_eq!(
            histogram.cumulated(&bounds).collect::<Vec<_>>(),
            [(1.0, 0), (2.0, 0)]
        );
        for milliseconds in [500, 1_000, 1_500, 3_000] {
            histogram.observe(&bounds, Duration::from_millis(milliseconds));
        }
        assert_eq!(
            histogram.cumulated(&bounds).collect::<Vec<_>>(),
            [(1.0, 2), (2.0, 3)]
        );
        assert_eq!((histogram.count(), histogram.sum()), (4, 6.0));
    }
}
