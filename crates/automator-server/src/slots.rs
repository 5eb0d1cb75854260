//! The places for browsers, and the queue in front of them.
//!
//! Owners take turns: an owner with many waiting requests does not keep others from theirs. Among the requests of one
//! owner the oldest comes first. Whoever gives up waiting leaves the queue.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::oneshot;

/// How many browsers run, and how many requests wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotLimits {
    /// How many browsers run at once.
    pub slots: usize,
    /// How many of them may be of one owner.
    pub per_owner: usize,
    /// How many requests wait at most.
    pub waiting: usize,
}

/// The places for browsers. Clones share them.
#[derive(Debug, Clone)]
pub struct Slots {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    limits: SlotLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    used_by: HashMap<String, usize>,
    /// The owners with waiting requests, in the order of their turns.
    queues: VecDeque<(String, VecDeque<Waiter>)>,
    waiting: usize,
    requests: u64,
}

#[derive(Debug)]
struct Waiter {
    request: u64,
    tell: oneshot::Sender<Slot>,
}

/// No request may wait any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("all places are taken, and {waiting} requests wait already")]
pub struct QueueFull {
    /// How many wait.
    pub waiting: usize,
}

/// A place for a browser; it is free again when this is dropped.
#[derive(Debug)]
pub struct Slot {
    owner: String,
    inner: Arc<Inner>,
}

/// The wait for a place. Whoever drops it, waits no more.
#[derive(Debug)]
pub struct Waiting {
    request: u64,
    told: oneshot::Receiver<Slot>,
    inner: Arc<Inner>,
}

impl Slots {
    /// Places, all of them free.
    #[must_use]
    pub fn new(limits: SlotLimits) -> Self {
        Self {
            inner: Arc::new(Inner {
                limits,
                state: Mutex::default(),
            }),
        }
    }

    /// Asks for a place. It is there at once when one is free and it is this owner's turn.
    ///
    /// # Errors
    /// [`QueueFull`].
    pub fn ask(&self, owner: &str) -> Result<Waiting, QueueFull> {
        let (tell, told) = oneshot::channel();
        let mut state = self.inner.lock();
        let is_free = state.used < self.inner.limits.slots && self.inner.may_run(&state, owner);
        if !is_free && state.waiting >= self.inner.limits.waiting {
            return Err(QueueFull {
                waiting: state.waiting,
            });
        }
        let request = state.requests;
        state.requests += 1;
        state.enqueue(owner, Waiter { request, tell });
        drop(state);
        self.inner.serve();
        Ok(Waiting {
            request,
            told,
            inner: Arc::clone(&self.inner),
        })
    }

    /// Takes a place for a browser that runs already, whether one is free or not.
    #[must_use]
    pub fn occupy(&self, owner: &str) -> Slot {
        self.inner.lock().take(owner);
        Slot {
            owner: owner.to_owned(),
            inner: Arc::clone(&self.inner),
        }
    }

    /// How many places are taken.
    #[must_use]
    pub fn used(&self) -> usize {
        self.inner.lock().used
    }

    /// How many requests wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.inner.lock().waiting
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn may_run(&self, state: &State, owner: &str) -> bool {
        state.used_by.get(owner).copied().unwrap_or_default() < self.limits.per_owner
    }

    /// Hands free places to those whose turn it is.
    fn serve(self: &Arc<Self>) {
        loop {
            let mut state = self.lock();
            if state.used >= self.limits.slots {
                return;
            }
            let turn = state
                .queues
                .iter()
                .position(|(owner, _)| self.may_run(&state, owner));
            let Some((owner, waiter)) = turn.and_then(|turn| state.next_of(turn)) else {
                return;
            };
            state.take(&owner);
            drop(state);
            let slot = Slot {
                owner,
                inner: Arc::clone(self),
            };
            // The place of one who has just given up comes back when it is dropped here, and so to the next one.
            drop(waiter.tell.send(slot));
        }
    }
}

impl State {
    fn enqueue(&mut self, owner: &str, waiter: Waiter) {
        self.waiting += 1;
        match self.queues.iter_mut().find(|(name, _)| name == owner) {
            Some((_, queue)) => queue.push_back(waiter),
            None => self
                .queues
                .push_back((owner.to_owned(), VecDeque::from([waiter]))),
        }
    }

    /// Takes the oldest request of the owner at this turn, who goes to the end of the row.
    fn next_of(&mut self, turn: usize) -> Option<(String, Waiter)> {
        let (owner, mut queue) = self.queues.remove(turn)?;
        let waiter = queue.pop_front()?;
        self.waiting -= 1;
        if !queue.is_empty() {
            self.queues.push_back((owner.clone(), queue));
        }
        Some((owner, waiter))
    }

    fn forget(&mut self, request: u64) {
        let mut forgotten = 0;
        self.queues.retain_mut(|(_, queue)| {
            let before = queue.len();
            queue.retain(|waiter| waiter.request != request);
            forgotten += before - queue.len();
            !queue.is_empty()
        });
        self.waiting -= forgotten;
    }

    fn take(&mut self, owner: &str) {
        self.used += 1;
        *self.used_by.entry(owner.to_owned()).or_default() += 1;
    }

    fn give_back(&mut self, owner: &str) {
        self.used -= 1;
        if let Some(used) = self.used_by.get_mut(owner) {
            *used -= 1;
            if *used == 0 {
                self.used_by.remove(owner);
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.inner.lock().give_back(&self.owner);
        self.inner.serve();
    }
}

impl Future for Waiting {
    type Output = Slot;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Slot> {
        match Pin::new(&mut self.told).poll(context) {
            Poll::Ready(Ok(slot)) => Poll::Ready(slot),
            // Nobody drops the other half before it has told.
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.inner.lock().forget(self.request);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt as _;

    use super::*;

    fn slots(slots: usize, per_owner: usize, waiting: usize) -> Slots {
        Slots::new(SlotLimits {
            slots,
            per_owner,
            waiting,
        })
    }

    #[test]
    fn what_is_free_is_there_at_once() {
        let slots = slots(2, 2, 0);
        let first = slots.ask("ann").expect("a place").now_or_never();
        let second = slots.ask("ann").expect("a place").now_or_never();
        assert!(first.is_some() && second.is_some());
        assert_eq!(slots.ask("ann").err(), Some(QueueFull { waiting: 0 }));
        drop(first);
        assert!(slots.ask("bob").expect("a place").now_or_never().is_some());
    }

    #[test]
    fn owners_take_turns_and_the_oldest_request_of_one_comes_first() {
        let slots = slots(1, 1, 10);
        let mut held = slots.ask("ann").expect("a place").now_or_never();
        let mut waiting: Vec<_> = ["ann 1", "ann 2", "ann 3", "bob 1", "bob 2"]
            .map(|name| (name, slots.ask(&name[..3]).expect("room")))
            .into();
        let mut served = Vec::new();
        while !waiting.is_empty() {
            assert!(held.take().is_some());
            let next = waiting.iter_mut().enumerate().find_map(|(at, (name, wait))| {
                let slot = wait.now_or_never()?;
                Some((at, *name, slot))
            });
            let (at, name, slot) = next.expect("the free place goes to somebody");
            served.push(name);
            held = Some(slot);
            drop(waiting.remove(at));
        }
        assert_eq!(served, ["ann 1", "bob 1", "ann 2", "bob 2", "ann 3"]);
    }

    #[test]
    fn an_owner_at_the_limit_does_not_hold_up_others() {
        let slots = slots(3, 1, 10);
        let held = slots.ask("ann").expect("a place").now_or_never();
        let mut again = slots.ask("ann").expect("room");
        assert!(held.is_some() && (&mut again).now_or_never().is_none());
        assert!(slots.ask("bob").expect("room").now_or_never().is_some());
        drop(held);
        assert!((&mut again).now_or_never().is_some());
    }

    #[test]
    fn who_gives_up_leaves_the_queue_and_no_place_is_lost() {
        let slots = slots(1, 1, 1);
        let held = slots.ask("ann").expect("a place").now_or_never();
        let gone = slots.ask("bob").expect("room");
        assert!(slots.ask("cleo").is_err());
        drop(gone);
        assert_eq!(slots.waiting(), 0);
        let served = slots.ask("cleo").expect("room");
        drop(held);
        assert_eq!((slots.used(), slots.waiting()), (1, 0));
        // Served, and given up before it was looked at.
        drop(served);
        assert_eq!(slots.used(), 0);
    }

    #[test]
    fn browsers_that_run_already_count_also_beyond_the_limit() {
        let slots = slots(1, 1, 1);
        let adopted = [slots.occupy("ann"), slots.occupy("ann")];
        assert_eq!(slots.used(), 2);
        let mut waiting = slots.ask("bob").expect("room");
        let [first, second] = adopted;
        drop(first);
        assert!((&mut waiting).now_or_never().is_none());
        drop(second);
        assert!((&mut waiting).now_or_never().is_some());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_hundred_requests_on_four_places_are_all_served() {
        let slots = slots(4, 3, 100);
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let slots = slots.clone();
                tokio::spawn(async move {
                    let owner = if number % 10 == 0 { "bob" } else { "ann" };
                    let slot = slots.ask(owner).expect("room").await;
                    assert!(slots.used() <= 4);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    drop(slot);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("served");
        }
        assert_eq!((slots.used(), slots.waiting()), (0, 0));
    }
}
