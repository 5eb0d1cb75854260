//! What a run may cost: tokens, and money by the prices that the caller gives. Pure.

use automator_llm::{ModelOptions, TokenCounts, Usage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::options::from_json;
use crate::{Error, Result};

/// What prices are for.
const PRICED: f64 = 1_000_000.0;

/// The price of a model, for a million tokens each.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Price {
    input: f64,
    /// Default: as much as `input`.
    cached_input: Option<f64>,
    output: f64,
}

impl Price {
    /// The price of a model object, if it has one; `member` is what the model was given as.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for one that cannot be read.
    pub(crate) fn of(model: &ModelOptions, member: &str) -> Result<Option<Self>> {
        let Some(given) = model.price.as_ref().filter(|price| !price.is_null()) else {
            return Ok(None);
        };
        let what = format!("{member}.price");
        let price = Self::read(&what, given);
        let hint = "give { input, cachedInput, output }, each for a million tokens";
        price.map(Some).map_err(|error| error.hint(hint))
    }

    fn read(what: &str, given: &Value) -> Result<Self> {
        let price: Self = from_json(what, given)?;
        let parts = [
            ("input", price.input),
            ("cachedInput", price.cached_input.unwrap_or_default()),
            ("output", price.output),
        ];
        match parts.iter().find(|(_, part)| !part.is_finite() || *part < 0.0) {
            None => Ok(price),
            Some((name, part)) => Err(Error::invalid_argument(format!(
                "{what}.{name} must be a number of at least 0, not {part}"
            ))),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of tokens are far below what a float holds exactly"
    )]
    fn cost(&self, usage: Usage) -> f64 {
        let tokens = usage.tokens;
        let cached = tokens.cached_input.min(tokens.prompt);
        let sent = (tokens.prompt - cached) as f64 * self.input;
        let read_again = cached as f64 * self.cached_input.unwrap_or(self.input);
        let written = tokens.completion as f64 * self.output;
        (sent + read_again + written) / PRICED
    }
}

/// What a run may cost at most.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Budget {
    max_tokens: Option<u64>,
    max_cost: Option<MaxCost>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct MaxCost {
    most: f64,
    own: Price,
    inner: Price,
}

impl Budget {
    /// # Errors
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a limit of cost without prices.
    pub(super) fn new(
        max_tokens: Option<u64>,
        max_cost: Option<f64>,
        own: &ModelOptions,
        inner: &ModelOptions,
    ) -> Result<Self> {
        let prices = (Price::of(own, "model")?, Price::of(inner, "executionModel")?);
        let priced = |price: Option<Price>, model: &ModelOptions| {
            price.ok_or_else(|| {
                let message = format!("maxCost needs the price of {}", model.model_name);
                Error::invalid_argument(message)
                    .hint("give it in the model object: price: { input, cachedInput, output }, each for a million tokens")
            })
        };
        let max_cost = match max_cost {
            None => None,
            Some(most) => Some(MaxCost {
                most,
                own: priced(prices.0, own)?,
                inner: priced(prices.1, inner)?,
            }),
        };
        Ok(Self { max_tokens, max_cost })
    }

    /// What is to be told after the first call, which took `spent`: limits that cannot be kept, as the provider does
    /// not say how many tokens a call takes.
    pub(super) fn unkept(&self, spent: Usage) -> Option<&'static str> {
        let has_limit = self.max_tokens.is_some() || self.max_cost.is_some();
        let is_told = spent.tokens != TokenCounts::default();
        (has_limit && !is_told)
            .then_some("the model's calls come without their tokens, so maxTokens and maxCost cannot be kept")
    }

    /// Which limit was reached, in words; `own` is what the agent's calls cost, `inner` those of the operations in it.
    pub(super) fn reached(&self, own: Usage, inner: Usage) -> Option<String> {
        let tokens = |usage: Usage| usage.tokens.prompt.saturating_add(usage.tokens.completion);
        let taken = tokens(own).saturating_add(tokens(inner));
        if let Some(most) = self.max_tokens.filter(|most| taken >= *most) {
            return Some(format!(
                "the run reached its limit of {most} tokens: it has taken {taken}"
            ));
        }
        let limit = self.max_cost?;
        let cost = limit.own.cost(own) + limit.inner.cost(inner);
        (cost >= limit.most).then(|| {
            format!(
                "the run reached its limit of cost, {}: it has cost {cost:.6}",
                limit.most
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn priced(price: Value) -> ModelOptions {
        let mut model = ModelOptions::new("a/b");
        model.price = Some(price);
        model
    }

    fn usage(prompt: u64, cached: u64, completion: u64) -> Usage {
        let mut usage = Usage::default();
        usage.tokens.prompt = prompt;
        usage.tokens.cached_input = cached;
        usage.tokens.completion = completion;
        usage
    }

    #[test]
    fn tokens_of_both_kinds_of_calls_count() {
        let free = ModelOptions::new("a/b");
        let budget = Budget::new(Some(100), None, &free, &free).unwrap();
        assert_eq!(budget.reached(usage(40, 40, 9), usage(50, 0, 0)), None);
        let reached = budget.reached(usage(40, 0, 10), usage(50, 0, 0)).unwrap();
        assert!(reached.contains("limit of 100 tokens"), "{reached}");
        assert_eq!(budget.unkept(usage(40, 0, 0)), None);
        assert!(budget.unkept(Usage::default()).is_some());
        assert_eq!(Budget::default().unkept(Usage::default()), None);
    }

    #[test]
    fn what_was_cached_costs_its_own_price() {
        let cheap = priced(json!({ "input": 1, "cachedInput": 0.1, "output": 2 }));
        let dear = priced(json!({ "input": 10, "output": 20 }));
        let budget = Budget::new(None, Some(1.0), &cheap, &dear).unwrap();
        // 0.4 + 0.01 + 0.2 = 0.61 of the agent's own, 0.3 of the inner calls.
        let own = usage(500_000, 100_000, 100_000);
        assert_eq!(budget.reached(own, usage(30_000, 30_000, 0)), None);
        assert!(
            budget
                .reached(own, usage(30_000, 0, 5_000))
                .unwrap()
                .contains("limit of cost")
        );
    }

    #[test]
    fn a_limit_of_cost_needs_prices_that_can_be_read() {
        let free = ModelOptions::new("a/b");
        let fine = priced(json!({ "input": 1, "output": 2 }));
        for (own, inner) in [(&free, &fine), (&fine, &free)] {
            let error = Budget::new(None, Some(1.0), own, inner).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::InvalidArgument);
        }
        for (odd, told) in [
            (
                json!({ "input": -1, "output": 2 }),
                "model.price.input must be a number of at least 0, not -1",
            ),
            (
                json!({ "input": 1 }),
                "model.price.output is missing: it must be a number",
            ),
            (
                json!({ "input": "1", "output": 2 }),
                "model.price.input must be a number, not \"1\"",
            ),
            (
                json!({ "input": 1, "output": 2, "per": 1 }),
                "model.price has no member \"per\"",
            ),
            (json!(5), "model.price must be an object, not 5"),
        ] {
            let model = priced(odd.clone());
            for most in [Some(1.0), None] {
                let error = Budget::new(None, most, &model, &model).unwrap_err();
                assert_eq!(error.message(), told, "{odd}");
            }
            let error = Budget::new(None, None, &free, &model).unwrap_err();
            assert!(error.message().starts_with("executionModel.price"), "{error}");
        }
        assert_eq!(Budget::new(None, None, &free, &free).unwrap(), Budget::default());
    }
}
