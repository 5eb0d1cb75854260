//! What is told to those who look on: the operations of a session, as they are done.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::{Platform, PlatformError};
use crate::store::Timestamp;

/// How many operations are told to somebody who comes later.
const EARLIER: usize = 100;

/// How many operations a viewer may be behind before the oldest are left out.
const BEHIND: usize = 64;

/// Of how many targets the order is kept.
const TARGETS: usize = 1000;

/// How many may look at one session at the same time.
const VIEWERS: usize = 16;

/// An operation that was done in a session, as it is told to those who look on. Whoever announces it has masked what is
/// secret in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperationNews {
    /// When it was done.
    pub time: Timestamp,
    /// What was done: `act`, `extract`, `observe`, `navigate`, …
    pub method: String,
    /// The instruction, or the address.
    pub instruction: String,
    /// What it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// How many tokens it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Whether it was done.
    pub ok: bool,
}

/// Those who look at a session, and what they are told.
#[derive(Debug)]
pub(super) struct Audience {
    teller: broadcast::Sender<OperationNews>,
    earlier: Mutex<VecDeque<OperationNews>>,
    /// The latest targets of the browser in the order in which they came, the oldest first.
    targets: Mutex<VecDeque<String>>,
    places: Arc<Semaphore>,
}

impl Default for Audience {
    fn default() -> Self {
        Self {
            teller: broadcast::Sender::new(BEHIND),
            earlier: Mutex::default(),
            targets: Mutex::default(),
            places: Arc::new(Semaphore::new(VIEWERS)),
        }
    }
}

/// A place among those who look at a session, for as long as it is held.
#[derive(Debug)]
pub(crate) struct Seat {
    /// The latest operations before, the oldest first.
    pub(crate) earlier: Vec<OperationNews>,
    /// The targets of the browser in the order in which they came, as far as it is known. The browser itself tells them
    /// in none.
    pub(crate) targets: Vec<String>,
    /// The operations that come.
    pub(crate) news: broadcast::Receiver<OperationNews>,
    _place: OwnedSemaphorePermit,
}

impl Audience {
    fn tell(&self, news: OperationNews) {
        // Under the lock, so that nobody who comes now hears it twice or not at all.
        let mut earlier = self.earlier();
        if earlier.len() == EARLIER {
            earlier.pop_front();
        }
        earlier.push_back(news.clone());
        // Mostly nobody looks.
        let _ = self.teller.send(news);
    }

    /// A seat, if one is free.
    pub(super) fn sit_down(&self) -> Option<Seat> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let earlier = self.earlier();
        Some(Seat {
            news: self.teller.subscribe(),
            earlier: earlier.iter().cloned().collect(),
            targets: self.targets().iter().cloned().collect(),
            _place: place,
        })
    }

    fn note_target(&self, id: String) {
        let mut targets = self.targets();
        if targets.len() == TARGETS {
            targets.pop_front();
        }
        targets.push_back(id);
    }

    fn targets(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn earlier(&self) -> MutexGuard<'_, VecDeque<OperationNews>> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Platform {
    /// Tells those who look at a session what was done in it. For a session that does not run here it is nothing.
    pub fn announce(&self, session: &str, news: OperationNews) {
        if let Some(running) = self.inner.running().get(session) {
            running.audience.tell(news);
        }
    }

    /// Notes that the browser of a session has a new target.
    pub(super) fn note_target(&self, session: &str, id: String) {
        if let Some(running) = self.inner.running().get(session) {
            running.audience.note_target(id);
        }
    }

    /// Notes that somebody uses a session, so that it does not end for want of use.
    ///
    /// # Errors
    /// [`PlatformError::NotFound`], [`PlatformError::Ended`], [`PlatformError::Store`].
    pub(crate) async fn note_use(&self, session: &str) -> Result<(), PlatformError> {
        self.change(session, |session, now| session.last_used_at = now)
            .await
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(time: Timestamp) -> OperationNews {
        OperationNews {
            time,
            method: "act".to_owned(),
            instruction: "press the button".to_owned(),
            selector: None,
            tokens: Some(120),
            ok: true,
        }
    }

    #[test]
    fn who_comes_late_hears_the_latest_operations_and_those_that_come() {
        let audience = Audience::default();
        for time in 0..150 {
            audience.tell(news(time));
        }
        let mut seat = audience.sit_down().expect("a seat");
        let times: Vec<Timestamp> = seat.earlier.iter().map(|news| news.time).collect();
        assert_eq!(times, (50..150).collect::<Vec<_>>());
        assert!(seat.news.try_recv().is_err(), "nothing is told twice");
        assert!(seat.targets.is_empty());
        audience.tell(news(150));
        assert_eq!(seat.news.try_recv().map(|news| news.time), Ok(150));
    }

    #[test]
    fn the_order_of_the_latest_targets_is_kept() {
        let audience = Audience::default();
        for number in 0..=TARGETS {
            audience.note_target(number.to_string());
        }
        let targets = audience.sit_down().expect("a seat").targets;
        assert_eq!(targets.len(), TARGETS);
        assert_eq!(targets.first().map(String::as_str), Some("1"));
        assert_eq!(targets.last(), Some(&TARGETS.to_string()));
    }

    #[test]
    fn seats_are_bounded_and_free_again_when_their_holders_go() {
        let audience = Audience::default();
        let seats: Vec<Seat> = (0..VIEWERS).filter_map(|_| audience.sit_down()).collect();
        assert_eq!(seats.len(), VIEWERS);
        assert!(audience.sit_down().is_none());
        drop(seats);
        assert!(audience.sit_down().is_some());
    }

    #[test]
    fn members_that_are_not_there_are_not_written() {
        let written = serde_json::to_value(news(5)).expect("JSON");
        let expected = serde_json::json!({
            "time": 5, "method": "act", "instruction": "press the button", "tokens": 120, "ok": true,
        });
        assert_eq!(written, expected);
    }
}
