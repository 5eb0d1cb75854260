//! Pages beyond a model's window: read in parts, at the same time, and put together again.

use std::sync::Arc;

use automator_llm::{LlmClient, ResponseSchema, estimate_tokens};
use automator_snapshot::Snapshot;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;

use super::{Question, merge};
use crate::Result;
use crate::prompts::{self, PartOf};

/// Parts that are read at the same time.
const SIDE_BY_SIDE: usize = 4;

/// Tokens kept free for the prompt's own words.
const WORDS: usize = 700;

/// Tokens that a picture may cost.
const PICTURE: usize = 1_500;

/// Tokens kept free for the answer, at the most.
const MOST_FOR_ANSWER: usize = 16_384;

/// The share of the window kept free for the answer, at the most: one of so many.
const ANSWER_SHARE: usize = 4;

/// The share of the rest that is used, since token counts are estimates.
const USED: f64 = 0.9;

/// Fewest tokens of page text in a part: a model with less room cannot read pages.
const LEAST: usize = 200;

/// The parts that a page has to be read in; none when it fits the model's window.
pub(super) fn plan(
    client: &dyn LlmClient,
    snapshot: &Snapshot,
    schema: &ResponseSchema,
    has_picture: bool,
) -> Option<Vec<String>> {
    let window = client.context_window()? as usize;
    let answer = client
        .max_output_tokens()
        .map_or(MOST_FOR_ANSWER, |most| most as usize);
    let answer = answer.min(MOST_FOR_ANSWER).min(window / ANSWER_SHARE);
    let picture = if has_picture { PICTURE } else { 0 };
    let fixed = WORDS + picture + answer + estimate_tokens(&schema.to_send().to_string());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a positive number"
    )]
    let room = ((window.saturating_sub(fixed) as f64 * USED) as usize).max(LEAST);
    let parts = snapshot.split(room, &estimate_tokens);
    (parts.len() > 1).then_some(parts)
}

/// The text of a page, or its parts, for questions that are asked of each by itself.
pub(crate) fn texts(client: &dyn LlmClient, snapshot: &Snapshot, schema: &ResponseSchema) -> Vec<String> {
    plan(client, snapshot, schema, false).unwrap_or_else(|| vec![snapshot.text().to_owned()])
}

/// Reads the parts and merges their answers; what they disagree on is settled by one more question.
pub(super) async fn read(
    question: &Question<'_>,
    texts: &[String],
    instruction: &str,
    png: Option<Arc<[u8]>>,
) -> Result<Value> {
    let system_prompt = question.asking.session.options.system_prompt.as_deref();
    let relaxed = ResponseSchema::new(&merge::relaxed(question.given_schema))?;
    let answers = stream::iter(0..texts.len())
        // By position: a closure over references is not general enough for the future to be `Send`.
        .map(|position| {
            let text = texts.get(position).map_or("", String::as_str);
            let part = Some(PartOf {
                part: position + 1,
                parts: texts.len(),
            });
            let messages = prompts::extract(system_prompt, text, part, instruction, png.clone());
            question.ask_for(messages, &relaxed)
        })
        .buffered(SIDE_BY_SIDE)
        .try_collect::<Vec<Value>>()
        .await?;
    let merged = merge::merge(&answers);
    let value = if merged.conflicts.is_empty() {
        merged.value
    } else {
        let (conflicts, schema) = merged.choices();
        let messages = prompts::settle(system_prompt, texts.len(), &conflicts, instruction);
        let choice = question.ask_for(messages, &ResponseSchema::new(&schema)?).await?;
        merged.settled(&choice)
    };
    question.check(value)
}
