//! Calls that are run for somebody else: what they cost, and answers that are kept between them.
//!
//! A server that runs a call for a client wants to know what that one call cost, and may keep its answer for the next
//! call that asks the same of a page that says the same. Nothing of this is for programs that drive a browser of
//! their own: `cacheDir` is for those.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use automator_llm::{ResponseSchema, Urls, Usage, UsageMeter};
use automator_snapshot::{ElementId, Snapshot};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::cache::KnownAction;
use crate::replay::without_ids;

/// The version of what is kept; another one asks other questions.
const VERSION: u32 = 1;

/// Parameters of addresses that say where a visitor came from, not which page it is.
const TRACKING: [&str; 10] = [
    "fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "mc_cid", "mc_eid", "_ga", "ref_src",
];

/// What [`AnswerCache::get`] gives.
pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Option<Value>> + Send + 'a>>;

/// Answers of earlier calls. One is made for each call; what it is built on is shared.
pub trait AnswerCache: Send + Sync {
    /// The answer to a question, which is a hash of all that bears on it. When another call is just working on the same
    /// question this waits for it. None: this call has to work it out.
    fn get<'a>(&'a self, question: &'a str) -> AnswerFuture<'a>;

    /// Keeps an answer.
    fn keep(&self, question: &str, answer: Value);

    /// Drops an answer that fits the page no more. The call that it was given to works it out anew.
    fn forget(&self, question: &str);
}

/// What the server that runs a call hands in, and learns.
#[derive(Clone, Default)]
pub struct Service {
    /// Counts what the model calls of this call cost, besides the session's own metrics.
    pub meter: UsageMeter,
    /// Where answers are kept. Default: nowhere.
    pub answers: Option<Arc<dyn AnswerCache>>,
    /// What the steps of an action were, for the client's own memory.
    pub steps: Steps,
    /// What an agent's run cost by the kinds of its operations, for the client's own metrics.
    pub shares: Shares,
    /// When the call began, for its deadline: finding the browser and the page is a part of it. Default: when it comes
    /// here.
    pub begun: Option<Instant>,
}

/// What a run of an agent cost: its own model calls, and those of each kind of operation inside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageShares {
    /// The agent's own.
    pub agent: Usage,
    /// Those of `act` inside.
    pub act: Usage,
    /// Those of `extract` inside.
    pub extract: Usage,
    /// Those of `observe` inside.
    pub observe: Usage,
}

/// Learns what a run of an agent cost.
#[derive(Clone, Default)]
pub struct Shares(Arc<Mutex<Option<UsageShares>>>);

impl Shares {
    /// What is known; none for other operations.
    #[must_use]
    pub fn told(&self) -> Option<UsageShares> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn keep(&self, shares: UsageShares) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(shares);
    }
}

/// What was done in the steps of an action, and to what: only who was there can tell of an element that an earlier
/// step has opened.
#[derive(Clone, Default)]
pub struct Steps(Arc<Mutex<Option<Value>>>);

impl Steps {
    /// As a client is told; none when not every step has worked, and for other operations.
    #[must_use]
    pub fn told(&self) -> Option<Value> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn keep(&self, known: &[KnownAction]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(json!(known));
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Service")
            .field("has_answers", &self.answers.is_some())
            .finish_non_exhaustive()
    }
}

/// What a call asks, and of which page.
pub(crate) struct Asked<'a> {
    pub(crate) operation: &'static str,
    pub(crate) instruction: &'a str,
    pub(crate) url: &'a str,
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) selector: Option<&'a str>,
    pub(crate) ignore_selectors: &'a [String],
    pub(crate) schema: Option<&'a Value>,
    pub(crate) model: &'a str,
    pub(crate) system_prompt: Option<&'a str>,
    /// The names of variables; never their values.
    pub(crate) variables: Vec<&'a str>,
}

/// The answer to one question, as it is kept.
pub(crate) struct Answer {
    cache: Arc<dyn AnswerCache>,
    question: String,
}

impl Service {
    /// What is left of the call's limit of time.
    pub(crate) fn left_of(&self, limit: Duration) -> Duration {
        let gone = self.begun.map(|begun| begun.elapsed()).unwrap_or_default();
        limit.saturating_sub(gone)
    }

    /// The answer to a question. `mask` takes values of variables out of what the page says.
    pub(crate) fn answer(&self, asked: &Asked<'_>, mask: &dyn Fn(&str) -> String) -> Option<Answer> {
        let cache = Arc::clone(self.answers.as_ref()?);
        Some(Answer {
            cache,
            question: asked.question(mask),
        })
    }
}

impl Asked<'_> {
    fn question(&self, mask: &dyn Fn(&str) -> String) -> String {
        let mut variables = self.variables.clone();
        variables.sort_unstable();
        let instruction: Vec<&str> = self.instruction.split_whitespace().collect();
        let page: Vec<String> = self.snapshot.text().lines().map(without_ids).collect();
        let question = json!({
            "version": VERSION,
            "operation": self.operation,
            "instruction": instruction.join(" "),
            "url": mask(&page_address(self.url)),
            "page": digest(&mask(&page.join("\n"))),
            // Addresses are not in the text, and extractions give them.
            "addresses": digest(&json!(self.snapshot.urls().values().collect::<Vec<_>>()).to_string()),
            "selector": self.selector,
            "ignoreSelectors": self.ignore_selectors,
            "schema": self.schema,
            "model": self.model,
            "systemPrompt": self.system_prompt,
            "variables": variables,
        });
        // Members of objects are sorted, so equal questions are written alike.
        digest(&question.to_string())
    }
}

impl Answer {
    /// Actions that were kept.
    pub(crate) async fn actions(&self) -> Vec<KnownAction> {
        let Some(kept) = self.cache.get(&self.question).await else {
            return Vec::new();
        };
        serde_json::from_value(kept).unwrap_or_else(|_| {
            self.forget();
            Vec::new()
        })
    }

    /// Keeps actions; none are no answer.
    pub(crate) fn keep_actions(&self, actions: &[KnownAction]) {
        if !actions.is_empty() {
            self.cache.keep(&self.question, json!(actions));
        }
    }

    /// A value that was kept and still fits the schema.
    pub(crate) async fn value(&self, schema: &ResponseSchema, snapshot: &Snapshot) -> Option<Value> {
        let kept = self.cache.get(&self.question).await?;
        let address = |id: &str| snapshot.urls().get(&id.parse::<ElementId>().ok()?).cloned();
        let urls = Urls {
            by_id: &address,
            is_known: &|url| snapshot.holds_address(url),
        };
        let value = schema.restore(schema.as_answer(kept), &urls).ok();
        if value.is_none() {
            self.forget();
        }
        value
    }

    /// Whether a text was kept.
    pub(crate) async fn is_kept(&self) -> bool {
        self.cache.get(&self.question).await.is_some()
    }

    pub(crate) fn keep(&self, value: Value) {
        self.cache.keep(&self.question, value);
    }

    pub(crate) fn forget(&self) {
        self.cache.forget(&self.question);
    }
}

/// An address without its fragment and without what only follows visitors around.
fn page_address(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    parsed.set_fragment(None);
    let is_tracking = |name: &str| name.starts_with("utm_") || TRACKING.contains(&name);
    let mut pairs: Vec<(String, String)> = parsed
        .query_pairs()
        .into_owned()
        .filter(|(name, _)| !is_tracking(name))
        .collect();
    pairs.sort();
    parsed.set_query(None);
    if !pairs.is_empty() {
        parsed.query_pairs_mut().extend_pairs(pairs);
    }
    parsed.into()
}

fn digest(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_page_are_one() {
        let page = page_address("https://a.example/x?b=2&a=1");
        for same in [
            "https://a.example/x?a=1&b=2#top",
            "https://a.example/x?utm_source=mail&a=1&b=2&gclid=7",
        ] {
            assert_eq!(page_address(same), page);
        }
        for other in [
            "https://a.example/x?a=1",
            "https://a.example/X?a=1&b=2",
            "about:blank",
        ] {
            assert_ne!(page_address(other), page);
        }
        assert_eq!(page_address("https://a.example/?utm_id=1"), "https://a.example/");
    }
}
