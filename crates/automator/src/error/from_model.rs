//! What the model crate failed with, as the public error.

use automator_llm::LlmError;

use crate::{Error, ErrorKind};

impl From<LlmError> for Error {
    fn from(error: LlmError) -> Self {
        use LlmError as L;
        let kind = match &error {
            L::InvalidModelFormat { .. } => ErrorKind::InvalidModelFormat,
            L::InvalidModelOption { .. } | L::InvalidSchema { .. } => ErrorKind::InvalidArgument,
            L::UnsupportedModel { .. } => ErrorKind::UnsupportedModel,
            L::MissingKey { .. } => ErrorKind::MissingLlmConfiguration,
            L::SchemaValidation { .. } => ErrorKind::SchemaValidation,
            L::Auth { .. }
            | L::RateLimited { .. }
            | L::Provider { .. }
            | L::Client { .. }
            | L::Connection { .. }
            | L::InvalidReply { .. }
            | L::Refused { .. }
            | L::CutOff { .. }
            | L::UnusableReply { .. } => ErrorKind::LlmResponse,
        };
        let mut made = Error::new(kind, error.to_string());
        if let Some(model) = model_of(&error) {
            made = made.with("model", model);
        }
        if let L::Provider {
            status: Some(404),
            model,
            ..
        } = &error
            && model.starts_with("openai/")
        {
            made = made.hint(
                "a server that has chat completions alone is asked with openaiEndpointFormat: \"chat\", or under \
                 another provider's name",
            );
        }
        if let L::SchemaValidation { violations, .. } = &error
            && let Some(first) = violations.first()
        {
            made = made.with("pointer", first.pointer.clone());
        }
        if let L::InvalidSchema { pointer, .. } = &error {
            made = made.with("pointer", pointer.clone());
        }
        made.caused_by(error)
    }
}

fn model_of(error: &LlmError) -> Option<&str> {
    use LlmError as L;
    match error {
        L::InvalidModelFormat { given } => Some(given),
        L::InvalidModelOption { .. } | L::InvalidSchema { .. } => None,
        L::UnsupportedModel { model, .. }
        | L::MissingKey { model, .. }
        | L::Auth { model, .. }
        | L::RateLimited { model, .. }
        | L::Provider { model, .. }
        | L::Client { model, .. }
        | L::Connection { model, .. }
        | L::InvalidReply { model, .. }
        | L::Refused { model, .. }
        | L::CutOff { model, .. }
        | L::UnusableReply { model, .. }
        | L::SchemaValidation { model, .. } => Some(model),
    }
}
