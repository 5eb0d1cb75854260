//! The errors of `genai` in our form. Pure.

use genai::webc;

use super::incoming;
use crate::error::{LlmError, RetryAdvice};
use crate::failure::{clean, inside, invalid_reply, of_connection, of_status};
use crate::preview::preview;
use crate::reply::GenerateReply;
use crate::route::Route;
use crate::usage::TokenCounts;

/// Reads what `genai` calls an error; some of it is an answer all the same.
pub(super) fn read(route: &Route, error: genai::Error) -> Result<GenerateReply, LlmError> {
    match error {
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            Err(of_web(route, webc_error))
        }
        genai::Error::HttpError {
            status,
            body,
            headers,
            ..
        } => Err(of_status(route, status.as_u16(), &body, &headers)),
        genai::Error::ChatResponseGeneration { response_body, .. } => {
            if let Some(error) = inside(route, &response_body) {
                return Err(error);
            }
            incoming::read_body(route, &response_body).ok_or_else(|| {
                let tokens = incoming::token_counts(route, &genai::chat::Usage::default(), &response_body);
                invalid_reply(route, "it lacks what an answer must have", &response_body, tokens)
            })
        }
        // Its text may hold the whole request, so it is not repeated.
        _ => Err(LlmError::Provider {
            model: route.name.to_string(),
            status: None,
            message: "the request could not be put into the provider's form".to_owned(),
            retry: RetryAdvice::Never,
        }),
    }
}

fn of_web(route: &Route, error: webc::Error) -> LlmError {
    let unreadable = |message: &str, body: &str| LlmError::InvalidReply {
        model: route.name.to_string(),
        message: message.to_owned(),
        preview: preview(&clean(route, body)),
        tokens: TokenCounts::default(),
    };
    match error {
        webc::Error::ResponseFailedStatus {
            status,
            body,
            headers,
        } => of_status(route, status.as_u16(), &body, &headers),
        webc::Error::ResponseFailedNotJson { content_type, body } => unreadable(
            &format!("it is of type \"{}\" and not JSON", preview(&content_type)),
            &body,
        ),
        webc::Error::ResponseFailedInvalidJson { body, .. } => unreadable("it is not valid JSON", &body),
        webc::Error::JsonValueExt(_) => unreadable("it lacks what an answer must have", ""),
        webc::Error::Reqwest(error) => of_connection(route, error),
    }
}
