//! How often something may happen, by who does it; pure but for its memory.
//!
//! For each one there is a time at which its bucket is full again, and nothing else. Memory is bounded: full buckets are
//! forgotten, and when there are too many others, whoever comes new shares one bucket.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::options::Rate;

/// How many are told apart.
const TOLD_APART: usize = 10_000;

/// Rates by who something is done by.
#[derive(Debug)]
pub(crate) struct Rates<K> {
    rate: Rate,
    told_apart: usize,
    buckets: Mutex<Buckets<K>>,
}

#[derive(Debug)]
struct Buckets<K> {
    /// When the bucket of each is full again.
    full_at: HashMap<K, Instant>,
    /// The same for all that are not told apart.
    of_others: Option<Instant>,
}

/// It happens too often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooOften {
    /// After how long it may happen again.
    pub(crate) retry_after: Duration,
}

impl<K: Hash + Eq> Rates<K> {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            told_apart: TOLD_APART,
            buckets: Mutex::new(Buckets {
                full_at: HashMap::new(),
                of_others: None,
            }),
        }
    }

    /// Takes one from a bucket.
    pub(crate) fn take(&self, who: K, now: Instant) -> Result<(), TooOften> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if !buckets.full_at.contains_key(&who) && buckets.full_at.len() >= self.told_apart {
            buckets.full_at.retain(|_, full_at| *full_at > now);
        }
        let has_place = buckets.full_at.len() < self.told_apart;
        let full_at = match buckets.full_at.get_mut(&who) {
            Some(full_at) => full_at,
            None if has_place => buckets.full_at.entry(who).or_insert(now),
            None => buckets.of_others.get_or_insert(now),
        };
        *full_at = self.rate.after_one(*full_at, now)?;
        Ok(())
    }
}

impl Rate {
    /// When a bucket is full again after one more was taken from it.
    fn after_one(self, full_at: Instant, now: Instant) -> Result<Instant, TooOften> {
        let empty = self.interval.saturating_mul(self.burst);
        let missing = full_at.saturating_duration_since(now) + self.interval;
        if missing > empty {
            return Err(TooOften {
                retry_after: missing - empty,
            });
        }
        Ok(now + missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate {
        burst: 2,
        interval: Duration::from_secs(1),
    };

    #[test]
    fn a_burst_goes_through_and_then_one_in_each_interval() {
        let rates = Rates::new(RATE);
        let start = Instant::now();
        let take = |milliseconds| rates.take("ann", start + Duration::from_millis(milliseconds));
        let too_often = |milliseconds| {
            Err(TooOften {
                retry_after: Duration::from_millis(milliseconds),
            })
        };
        assert_eq!((take(0), take(0)), (Ok(()), Ok(())));
        assert_eq!((take(0), take(400)), (too_often(1_000), too_often(600)));
        assert_eq!((take(1_000), take(1_000)), (Ok(()), too_often(1_000)));
        assert_eq!((take(9_000), take(9_000)), (Ok(()), Ok(())));
        assert_eq!(
            rates.take("bob", start),
            Ok(()),
            "others have a bucket of their own"
        );
    }

    #[test]
    fn no_more_are_told_apart_than_there_is_memory_for() {
        let mut rates = Rates::new(RATE);
        rates.told_apart = 3;
        let start = Instant::now();
        let taken: Vec<_> = (0..6).map(|who| rates.take(who, start).is_ok()).collect();
        assert_eq!(
            taken,
            [true, true, true, true, true, false],
            "three share a bucket"
        );
        let later = start + Duration::from_secs(10);
        assert_eq!(rates.take(9, later), Ok(()));
        let known = rates.buckets.lock().expect("the buckets").full_at.len();
        assert_eq!(known, 1, "full ones are forgotten");
    }
}
