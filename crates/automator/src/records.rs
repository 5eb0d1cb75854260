//! What a session remembers of itself: metrics and history.

mod inference_file;

use std::sync::{Mutex, MutexGuard, PoisonError};

use automator_llm::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use inference_file::{Exchange, write_exchange};

/// Tokens and time of the AI operations of a session.
///
/// Each group has five counters: tokens sent, tokens written by the model (reasoning included), the reasoning
/// among them, the tokens sent that the provider had cached, and the milliseconds spent waiting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names are the documentation: group and counter")]
pub struct AutomatorMetrics {
    pub act_prompt_tokens: u64,
    pub act_completion_tokens: u64,
    pub act_reasoning_tokens: u64,
    pub act_cached_input_tokens: u64,
    pub act_inference_time_ms: u64,
    pub extract_prompt_tokens: u64,
    pub extract_completion_tokens: u64,
    pub extract_reasoning_tokens: u64,
    pub extract_cached_input_tokens: u64,
    pub extract_inference_time_ms: u64,
    pub observe_prompt_tokens: u64,
    pub observe_completion_tokens: u64,
    pub observe_reasoning_tokens: u64,
    pub observe_cached_input_tokens: u64,
    pub observe_inference_time_ms: u64,
    pub agent_prompt_tokens: u64,
    pub agent_completion_tokens: u64,
    pub agent_reasoning_tokens: u64,
    pub agent_cached_input_tokens: u64,
    pub agent_inference_time_ms: u64,
    pub total_prompt_tokens: u64,
    pub total_completion_tokens: u64,
    pub total_reasoning_tokens: u64,
    pub total_cached_input_tokens: u64,
    pub total_inference_time_ms: u64,
}

/// The groups of counters that operations of ours add to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationGroup {
    Act,
    Extract,
    Observe,
    Agent,
}

/// What was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HistoryMethod {
    /// `act()`
    Act,
    /// `extract()`
    Extract,
    /// `observe()`
    Observe,
    /// A navigation by a method of ours.
    Navigate,
}

/// One operation of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// What was called.
    pub method: HistoryMethod,
    /// With what; never holds a secret.
    pub parameters: Value,
    /// What came of it; null when nothing did.
    pub result: Value,
    /// When it ended: ISO 8601, UTC, milliseconds.
    pub timestamp: String,
}

/// The records of a session.
#[derive(Debug, Default)]
pub(crate) struct Records {
    without_history: bool,
    metrics: Mutex<AutomatorMetrics>,
    /// Each entry as JSON text: a tenth of the memory of the values, which thousands of operations add up to.
    history: Mutex<Vec<Box<str>>>,
}

impl Records {
    pub(crate) fn new(keeps_history: bool) -> Self {
        Self {
            without_history: !keeps_history,
            ..Self::default()
        }
    }

    pub(crate) fn metrics(&self) -> AutomatorMetrics {
        *locked(&self.metrics)
    }

    pub(crate) fn history(&self) -> Vec<HistoryEntry> {
        let texts = locked(&self.history).clone();
        let entries = texts.iter().map(|text| serde_json::from_str(text));
        // They were written by `add_history`, so none is lost here.
        entries.filter_map(Result::ok).collect()
    }

    pub(crate) fn clear_history(&self) {
        locked(&self.history).clear();
    }

    pub(crate) fn add_history(&self, method: HistoryMethod, parameters: Value, result: Value) {
        if self.without_history {
            return;
        }
        let entry = HistoryEntry {
            method,
            parameters,
            result,
            timestamp: timestamp(),
        };
        match serde_json::to_string(&entry) {
            Ok(text) => locked(&self.history).push(text.into_boxed_str()),
            Err(error) => tracing::error!(%error, "an operation cannot be written down"),
        }
    }

    /// Adds what the model calls of one operation cost, to its group and to the total.
    pub(crate) fn count(&self, group: OperationGroup, usage: Usage) {
        let mut metrics = locked(&self.metrics);
        let tokens = usage.tokens;
        let time = u64::try_from(usage.inference_time.as_millis()).unwrap_or(u64::MAX);
        let amounts = [
            tokens.prompt,
            tokens.completion,
            tokens.reasoning,
            tokens.cached_input,
            time,
        ];
        add(metrics.group(group), amounts);
        add(metrics.total(), amounts);
    }
}

impl AutomatorMetrics {
    fn group(&mut self, group: OperationGroup) -> [&mut u64; 5] {
        match group {
            OperationGroup::Act => [
                &mut self.act_prompt_tokens,
                &mut self.act_completion_tokens,
                &mut self.act_reasoning_tokens,
                &mut self.act_cached_input_tokens,
                &mut self.act_inference_time_ms,
            ],
            OperationGroup::Extract => [
                &mut self.extract_prompt_tokens,
                &mut self.extract_completion_tokens,
                &mut self.extract_reasoning_tokens,
                &mut self.extract_cached_input_tokens,
                &mut self.extract_inference_time_ms,
            ],
            OperationGroup::Observe => [
                &mut self.observe_prompt_tokens,
                &mut self.observe_completion_tokens,
                &mut self.observe_reasoning_tokens,
                &mut self.observe_cached_input_tokens,
                &mut self.observe_inference_time_ms,
            ],
            OperationGroup::Agent => [
                &mut self.agent_prompt_tokens,
                &mut self.agent_completion_tokens,
                &mut self.agent_reasoning_tokens,
                &mut self.agent_cached_input_tokens,
                &mut self.agent_inference_time_ms,
            ],
        }
    }

    fn total(&mut self) -> [&mut u64; 5] {
        [
            &mut self.total_prompt_tokens,
            &mut self.total_completion_tokens,
            &mut self.total_reasoning_tokens,
            &mut self.total_cached_input_tokens,
            &mut self.total_inference_time_ms,
        ]
    }
}

fn add(counters: [&mut u64; 5], amounts: [u64; 5]) {
    for (counter, amount) in counters.into_iter().zip(amounts) {
        *counter = counter.saturating_add(amount);
    }
}

/// Now, in ISO 8601, UTC, with milliseconds.
pub(crate) fn timestamp() -> String {
    jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
        .to_string()
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_iso_8601_with_milliseconds() {
        let now = timestamp();
        assert_eq!(now.len(), "2026-11-28T01:02:03.456Z".len(), "{now}");
        assert!(now.ends_with('Z') && now.as_bytes()[10] == b'T' && now.as_bytes()[19] == b'.');
    }

    #[test]
    fn totals_are_the_sums_of_the_groups() {
        let records = Records::default();
        let mut usage = Usage::default();
        usage.tokens.prompt = 100;
        usage.tokens.cached_input = 5;
        records.count(OperationGroup::Extract, usage);
        records.count(OperationGroup::Extract, usage);
        let metrics = records.metrics();
        assert_eq!(
            (metrics.extract_prompt_tokens, metrics.total_prompt_tokens),
            (200, 200)
        );
        assert_eq!(
            (metrics.extract_cached_input_tokens, metrics.act_prompt_tokens),
            (10, 0)
        );
    }
}
