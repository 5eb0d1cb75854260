//! Extractions that need no model: the recipe of an earlier answer, followed on this page.
//!
//! A recipe that does not fit a page stays until another takes its place. A shop that is closed for the night, a
//! sign-in page at the same address or one of two layouts under trial would else wipe out what is known of the
//! other pages, and a file that people have committed. Keeping it costs the milliseconds of trying it; it cannot
//! give a wrong value, because every recipe judges itself.

use std::sync::Arc;

use automator_llm::ResponseSchema;
use automator_snapshot::Snapshot;
use serde_json::Value;

use super::ExtractRequest;
use crate::cache::{Cache, Question};
use crate::page::Page;
use crate::recipe::{self, Recipe};
use crate::session::Session;

/// Stands among the selectors of a question about a page without its frames; is none itself.
const WITHOUT_FRAMES: &str = "without frames";

/// What the session remembers of this question.
pub(super) struct Memory<'m> {
    session: &'m Session,
    cache: Cache<'m>,
    question: Question,
    instruction: &'m str,
    url: String,
}

impl<'m> Memory<'m> {
    /// None when the session remembers nothing, and for questions with a picture, whose answer may not stand in the
    /// text.
    pub(super) fn of(
        session: &'m Arc<Session>,
        request: &ExtractRequest,
        instruction: &'m str,
        page: &Page,
    ) -> Option<Self> {
        let options = &request.options;
        let cache = Cache::of(session).filter(|_| !options.screenshot)?;
        let url = page.url();
        // What is learnt from a page without its frames is not right for one with them.
        let frames = request.manner.without_frames.then(|| WITHOUT_FRAMES.to_owned());
        let selectors = options
            .selector
            .iter()
            .chain(&options.ignore_selectors)
            .chain(&frames);
        let question = Question::about_pattern("extract", instruction, &url, request.schema.clone());
        Some(Self {
            session,
            cache,
            question: question.within(selectors),
            instruction,
            url,
        })
    }

    pub(super) async fn recipe(&self) -> Option<Recipe> {
        self.cache.recipe(&self.question).await
    }

    /// Follows a recipe; none when it does not fit the page.
    pub(super) fn replay(
        &self,
        recipe: &Recipe,
        snapshot: &Snapshot,
        schema: &ResponseSchema,
    ) -> Option<Value> {
        match recipe.replay(snapshot, schema) {
            Ok(value) => {
                self.session.log.info("cache", "extracted from memory", &[]);
                Some(value)
            }
            Err(misfit) => {
                let details = [("why", misfit.to_string())];
                self.session.log.info(
                    "cache",
                    "the page is not built as it was; asking the model",
                    &details,
                );
                None
            }
        }
    }

    /// Keeps how the value was taken, if that can be told, in place of what was known before.
    pub(super) async fn learn(&self, snapshot: &Snapshot, schema: &Value, value: &Value) {
        if let Some(recipe) = recipe::learn(snapshot, schema, self.instruction, &self.url, value) {
            self.cache.keep_recipe(&self.question, recipe).await;
        } else {
            self.session
                .log
                .debug("cache", "how the value was taken cannot be told", &[]);
        }
    }
}
