//! One question to a model: asked, logged, counted, and written down when that is wanted.

use std::path::Path;

use automator_llm::{
    Ask, GenerateRequest, LlmClient, Message, Part, ResponseSchema, RetryPolicy, Role, UsageMeter, Violation,
    ask_structured,
};
use serde_json::Value;

use crate::Result;
use crate::prompts;
use crate::records::{Exchange, write_exchange};
use crate::session::Session;
use crate::variables::{Variables, with_texts};

tokio::task_local! {
    /// The variables whose values questions must not hold, wherever on the page they stand.
    static HIDDEN: Variables;
}

/// Runs work in whose questions the values of variables are told by their names, also where the page shows them as
/// its own text.
pub(crate) async fn hiding<T>(variables: &Variables, work: impl Future<Output = T>) -> T {
    HIDDEN.scope(variables.clone(), work).await
}

/// A value as it is kept of such work: with names in the place of values. Any other stays as it is.
pub(crate) fn without_hidden(value: Value) -> Value {
    match HIDDEN.try_with(Variables::clone) {
        Ok(variables) => with_texts(value, &|text| variables.mask(text)),
        Err(_) => value,
    }
}

fn without_values(variables: &Variables, mut messages: Vec<Message>) -> Vec<Message> {
    let asked = messages.iter_mut().filter(|message| message.role == Role::User);
    for part in asked.flat_map(|message| &mut message.parts) {
        if let Part::Text(text) = part {
            *text = variables.mask(text).into();
        }
    }
    messages
}

/// Who asks, and for which operation.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'q> {
    pub(crate) session: &'q Session,
    pub(crate) client: &'q dyn LlmClient,
    /// The operation, as `extract`.
    pub(crate) operation: &'static str,
    pub(crate) meter: &'q UsageMeter,
}

impl Asking<'_> {
    /// Asks for an answer of a schema; `judge` decides whether it is right and makes of it what the caller wants.
    pub(crate) async fn ask<T>(
        &self,
        name: &'static str,
        schema: &ResponseSchema,
        messages: Vec<Message>,
        judge: &(dyn Fn(Value) -> Result<T, Vec<Violation>> + Send + Sync),
    ) -> Result<T> {
        let messages = match HIDDEN.try_with(Variables::clone) {
            Ok(variables) => without_values(&variables, messages),
            Err(_) => messages,
        };
        let prompt = prompts::text_of(&messages);
        let ask = Ask {
            request: GenerateRequest::new(messages),
            name,
            schema,
            judge,
            retry: RetryPolicy::default(),
            meter: self.meter.clone(),
        };
        let log = &self.session.log;
        log.debug(
            "llm",
            "asking the model",
            &[("model", self.client.model_name().to_owned())],
        );
        let answered = ask_structured(self.client, ask).await;
        let (reply, error, usage) = match &answered {
            Ok(answered) => (answered.raw.clone(), None, answered.usage),
            Err(failure) => (
                failure.raw.clone(),
                Some(failure.error.to_string()),
                failure.usage,
            ),
        };
        log.debug(
            "llm",
            "the model answered",
            &[
                ("promptTokens", usage.tokens.prompt.to_string()),
                ("completionTokens", usage.tokens.completion.to_string()),
            ],
        );
        if self.session.options.log_inference_to_file {
            let exchange = Exchange {
                operation: self.operation,
                timestamp: crate::records::timestamp(),
                model: self.client.model_name().to_owned(),
                prompt,
                schema: (**schema.to_send()).clone(),
                reply,
                error,
                usage,
            };
            self.write_down(exchange).await;
        }
        answered
            .map(|answered| answered.value)
            .map_err(|failure| failure.error.into())
    }

    async fn write_down(&self, exchange: Exchange) {
        let written = tokio::task::spawn_blocking(move || write_exchange(Path::new("."), &exchange)).await;
        if let Ok(Err(error)) = written {
            self.session
                .log
                .error("llm", format!("the exchange cannot be written: {error}"), &[]);
        }
    }
}
