//! The server's cache: answers of operations, kept for the next call that asks the same of the same page.
//!
//! Each API key has answers of its own. An answer that does not fit its page any more is dropped and worked out anew;
//! of calls that ask the same at the same time one works it out, and the others wait for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use automator::{AnswerCache, AnswerFuture};
use moka::sync::Cache;
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;

use crate::options::CacheOptions;

/// Whether an answer was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheStatus {
    /// It was.
    Hit,
    /// It was worked out now.
    Miss,
}

impl CacheStatus {
    /// As it is told to clients.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hit => "HIT",
            Self::Miss => "MISS",
        }
    }
}

/// The longest that an answer holds.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The answers of all keys.
#[derive(Debug)]
pub(super) struct Answers {
    kept: Cache<String, Arc<str>>,
    /// Who works on a question holds its lock.
    working: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl Answers {
    pub(super) fn new(options: CacheOptions) -> Self {
        let kept = Cache::builder()
            .max_capacity(options.bytes)
            .weigher(|question: &String, answer: &Arc<str>| {
                u32::try_from(question.len() + answer.len()).unwrap_or(u32::MAX)
            })
            .time_to_live(options.time_to_live.min(LONGEST))
            .build();
        Self {
            kept,
            working: Mutex::default(),
        }
    }

    /// The lock of a question.
    fn lock(&self, question: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = working.get(question).and_then(Weak::upgrade) {
            return lock;
        }
        // Those that nobody holds any more are in the way of nobody, but are not to pile up.
        working.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        working.insert(question.to_owned(), Arc::downgrade(&lock));
        lock
    }

    fn get(&self, question: &str) -> Option<Value> {
        let text = self.kept.get(question)?;
        // What cannot be read is as if it were not there.
        serde_json::from_str(&text).ok()
    }
}

/// The answers as one call sees them.
pub(super) struct CallAnswers {
    answers: Arc<Answers>,
    owner: String,
    was_given: AtomicBool,
    /// Held from the question that was not answered to the end of the call.
    works: Mutex<Option<OwnedMutexGuard<()>>>,
}

impl CallAnswers {
    pub(super) fn new(answers: &Arc<Answers>, owner: &str) -> Self {
        Self {
            answers: Arc::clone(answers),
            owner: owner.to_owned(),
            was_given: AtomicBool::new(false),
            works: Mutex::default(),
        }
    }

    /// Whether the call was answered from what was kept. `model_calls`: how often a model was asked all the same.
    pub(super) fn status(&self, model_calls: u32) -> CacheStatus {
        if self.was_given.load(Ordering::Relaxed) && model_calls == 0 {
            CacheStatus::Hit
        } else {
            CacheStatus::Miss
        }
    }

    fn of_owner(&self, question: &str) -> String {
        format!("{} {question}", self.owner)
    }
}

impl AnswerCache for CallAnswers {
    fn get<'a>(&'a self, question: &'a str) -> AnswerFuture<'a> {
        Box::pin(async move {
            let question = self.of_owner(question);
            let mut kept = self.answers.get(&question);
            if kept.is_none() {
                let turn = self.answers.lock(&question).lock_owned().await;
                kept = self.answers.get(&question);
                if kept.is_none() {
                    *self.works.lock().unwrap_or_else(PoisonError::into_inner) = Some(turn);
                }
            }
            self.was_given.store(kept.is_some(), Ordering::Relaxed);
            kept
        })
    }

    fn keep(&self, question: &str, answer: Value) {
        let text = answer.to_string();
        self.answers.kept.insert(self.of_owner(question), text.into());
    }

    fn forget(&self, question: &str) {
        self.was_given.store(false, Ordering::Relaxed);
        self.answers.kept.invalidate(&self.of_owner(question));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(answers: &Arc<Answers>, owner: &str) -> CallAnswers {
        CallAnswers::new(answers, owner)
    }

    #[tokio::test]
    async fn answers_belong_to_their_owner() {
        let answers = Arc::new(Answers::new(CacheOptions::default()));
        let first = call(&answers, "ann");
        assert_eq!(first.get("q").await, None);
        first.keep("q", json!([1]));
        assert_eq!(first.status(1), CacheStatus::Miss);
        drop(first);
        let again = call(&answers, "ann");
        assert_eq!(again.get("q").await, Some(json!([1])));
        assert_eq!(again.status(0), CacheStatus::Hit);
        assert_eq!(
            again.status(1),
            CacheStatus::Miss,
            "a model was asked all the same"
        );
        again.forget("q");
        assert_eq!(again.status(0), CacheStatus::Miss);
        for owner in ["ann", "bea"] {
            assert_eq!(call(&answers, owner).get("q").await, None, "{owner}");
        }
    }

    #[tokio::test]
    async fn one_call_works_and_the_others_wait_for_it() {
        let answers = Arc::new(Answers::new(CacheOptions::default()));
        let first = call(&answers, "ann");
        assert_eq!(first.get("q").await, None);
        let waiting = tokio::spawn({
            let other = call(&answers, "ann");
            async move { other.get("q").await }
        });
        assert_eq!(call(&answers, "bea").get("q").await, None, "others do not wait");
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        first.keep("q", json!(7));
        drop(first);
        assert_eq!(waiting.await.expect("an answer"), Some(json!(7)));
    }

    #[tokio::test]
    async fn who_gives_up_leaves_the_work_to_the_next() {
        let answers = Arc::new(Answers::new(CacheOptions::default()));
        let first = call(&answers, "ann");
        assert_eq!(first.get("q").await, None);
        drop(first);
        assert_eq!(call(&answers, "ann").get("q").await, None);
    }

    #[tokio::test]
    async fn answers_hold_for_their_time_and_only_as_many_as_there_is_room_for() {
        let short = CacheOptions {
            time_to_live: Duration::ZERO,
            ..CacheOptions::default()
        };
        for options in [
            short,
            CacheOptions {
                bytes: 0,
                ..CacheOptions::default()
            },
        ] {
            let answers = Arc::new(Answers::new(options));
            call(&answers, "ann").keep("q", json!(1));
            answers.kept.run_pending_tasks();
            assert_eq!(call(&answers, "ann").get("q").await, None, "{options:?}");
        }
    }
}
