//! One turn of a conversation with tools: what the model says or calls next.

use crate::ask::call;
use crate::client::LlmClient;
use crate::error::LlmError;
use crate::preview::preview;
use crate::reply::{FinishReason, GenerateReply};
use crate::request::{GenerateRequest, ToolChoice};
use crate::retry::RetryPolicy;
use crate::usage::UsageMeter;

/// The status with which a provider refuses a request for what stands in it.
const BAD_REQUEST: u16 = 400;

/// Asks a model for the next turn of a conversation: words, calls of tools, or both.
///
/// An empty answer is asked for once more. A provider that does not let a tool be forced together with what else
/// is set (as thinking at Anthropic) is asked again without force. There is no limit of time here: dropping the
/// future ends the call.
///
/// # Errors
///
/// [`LlmError::Refused`]; [`LlmError::CutOff`] for words that the output limit cut off;
/// [`LlmError::UnusableReply`] for a second empty answer; what the client reports.
///
/// ```
/// # use automator_llm::{GenerateFuture, GenerateReply, LlmClient};
/// # struct Fixed;
/// # impl LlmClient for Fixed {
/// #     fn generate<'a>(&'a self, _: &'a GenerateRequest) -> GenerateFuture<'a> {
/// #         Box::pin(async { Ok(GenerateReply::from_text("Done.")) })
/// #     }
/// #     fn model_name(&self) -> &str { "test/fixed" }
/// # }
/// use automator_llm::{GenerateRequest, Message, Part, RetryPolicy, UsageMeter, take_turn};
///
/// # async fn example(client: &dyn LlmClient) -> Result<(), automator_llm::LlmError> {
/// let request = GenerateRequest::new(vec![Message::user(vec![Part::text("Press the button.")])]);
/// let reply = take_turn(client, &request, RetryPolicy::default(), &UsageMeter::new()).await?;
/// assert!(reply.tool_calls.is_empty());
/// # Ok(())
/// # }
/// # fn main() {
/// #     let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// #     runtime.block_on(example(&Fixed)).unwrap();
/// # }
/// ```
pub async fn take_turn(
    client: &dyn LlmClient,
    request: &GenerateRequest,
    retry: RetryPolicy,
    meter: &UsageMeter,
) -> Result<GenerateReply, LlmError> {
    let mut has_asked_again = false;
    let mut unforced = None;
    loop {
        let asked = unforced.as_ref().unwrap_or(request);
        let reply = match retry.run(|| call(client, asked, meter)).await {
            Ok(reply) => reply,
            Err(error) => {
                let is_forced = matches!(asked.tool_choice, ToolChoice::Tool(_) | ToolChoice::Required);
                if is_forced && error_status(&error) == Some(BAD_REQUEST) {
                    unforced = Some(GenerateRequest {
                        tool_choice: ToolChoice::Auto,
                        ..asked.clone()
                    });
                    continue;
                }
                return Err(error);
            }
        };
        let model = || client.model_name().to_owned();
        if let FinishReason::Refused(message) = &reply.finish {
            return Err(LlmError::Refused {
                model: model(),
                message: preview(message),
            });
        }
        let is_empty = reply.text.trim().is_empty() && reply.tool_calls.is_empty();
        if reply.finish == FinishReason::Length && reply.tool_calls.is_empty() {
            return Err(crate::ask::cut_off(client, asked, &reply));
        }
        if !is_empty {
            return Ok(reply);
        }
        if has_asked_again {
            return Err(crate::ask::unusable(client, &reply, "it is empty"));
        }
        has_asked_again = true;
    }
}

fn error_status(error: &LlmError) -> Option<u16> {
    match error {
        LlmError::Provider { status, .. } => *status,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::client::GenerateFuture;
    use crate::error::RetryAdvice;

    /// Answers from a list, and keeps what was asked.
    struct Listed {
        replies: Mutex<Vec<Result<GenerateReply, LlmError>>>,
        asked: Mutex<Vec<ToolChoice>>,
    }

    impl Listed {
        fn new(replies: Vec<Result<GenerateReply, LlmError>>) -> Self {
            Self {
                replies: Mutex::new(replies),
                asked: Mutex::default(),
            }
        }
    }

    impl LlmClient for Listed {
        fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
            self.asked.lock().unwrap().push(request.tool_choice.clone());
            let reply = self.replies.lock().unwrap().remove(0);
            Box::pin(async move { reply })
        }

        fn model_name(&self) -> &'static str {
            "test/listed"
        }
    }

    async fn turn(client: &Listed, choice: ToolChoice) -> Result<GenerateReply, LlmError> {
        let request = GenerateRequest {
            tool_choice: choice,
            ..GenerateRequest::default()
        };
        take_turn(client, &request, RetryPolicy::NONE, &UsageMeter::new()).await
    }

    #[tokio::test]
    async fn an_empty_answer_is_asked_for_once_more() {
        let client = Listed::new(vec![
            Ok(GenerateReply::default()),
            Ok(GenerateReply::from_text("go")),
        ]);
        assert_eq!(turn(&client, ToolChoice::Auto).await.unwrap().text, "go");
        let client = Listed::new(vec![Ok(GenerateReply::default()), Ok(GenerateReply::default())]);
        assert!(matches!(
            turn(&client, ToolChoice::Auto).await,
            Err(LlmError::UnusableReply { .. })
        ));
    }

    #[tokio::test]
    async fn where_no_tool_can_be_forced_it_is_asked_without_force() {
        let refused = LlmError::Provider {
            model: "a/b".to_owned(),
            status: Some(400),
            message: "no".to_owned(),
            retry: RetryAdvice::Never,
        };
        let client = Listed::new(vec![Err(refused.clone()), Ok(GenerateReply::from_text("done"))]);
        let reply = turn(&client, ToolChoice::Tool("done".to_owned())).await.unwrap();
        assert_eq!(reply.text, "done");
        assert_eq!(
            *client.asked.lock().unwrap(),
            [ToolChoice::Tool("done".to_owned()), ToolChoice::Auto]
        );
        let client = Listed::new(vec![Err(refused)]);
        assert!(turn(&client, ToolChoice::Auto).await.is_err());
    }

    #[tokio::test]
    async fn words_that_were_cut_off_are_no_answer() {
        let mut reply = GenerateReply::from_text("I was about to");
        reply.finish = FinishReason::Length;
        let client = Listed::new(vec![Ok(reply)]);
        assert!(matches!(
            turn(&client, ToolChoice::Auto).await,
            Err(LlmError::CutOff { .. })
        ));
    }
}
