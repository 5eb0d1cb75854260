use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::client::GenerateFuture;
use crate::error::RetryAdvice;
use crate::request::{ResponseFormat, Role};
use crate::schema::Urls;
use crate::usage::TokenCounts;

/// What a scripted call does.
enum Step {
    Reply(GenerateReply),
    Fail(LlmError),
    Hang,
}

/// A client that follows a script and remembers what it was asked.
struct Scripted {
    steps: Mutex<VecDeque<Step>>,
    requests: Mutex<Vec<GenerateRequest>>,
    most: Option<u32>,
}

impl Scripted {
    fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: Mutex::new(steps.into_iter().collect()),
            requests: Mutex::default(),
            most: None,
        }
    }

    fn requests(&self) -> Vec<GenerateRequest> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl LlmClient for Scripted {
    fn generate<'a>(&'a self, request: &'a GenerateRequest) -> GenerateFuture<'a> {
        self.requests.lock().unwrap().push(request.clone());
        let step = self
            .steps
            .lock()
            .unwrap()
            .pop_front()
            .expect("the script has run out");
        Box::pin(async move {
            match step {
                Step::Reply(reply) => Ok(reply),
                Step::Fail(error) => Err(error),
                Step::Hang => std::future::pending().await,
            }
        })
    }

    fn model_name(&self) -> &str {
        "test/scripted"
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.most
    }
}

fn says(text: &str) -> Step {
    finishes(text, FinishReason::Stop)
}

fn finishes(text: &str, finish: FinishReason) -> Step {
    Step::Reply(GenerateReply {
        text: text.to_owned(),
        finish,
        tokens: TokenCounts {
            prompt: 100,
            completion: 20,
            reasoning: 3,
            cached_input: 5,
            cache_write: 0,
        },
        ..GenerateReply::default()
    })
}

fn text() -> ResponseSchema {
    ResponseSchema::new(&json!({
        "type": "object", "properties": {"extraction": {"type": "string"}}, "required": ["extraction"],
        "additionalProperties": false
    }))
    .unwrap()
}

fn busy() -> Step {
    Step::Fail(LlmError::Provider {
        model: "test/scripted".into(),
        status: Some(503),
        message: "busy".into(),
        retry: RetryAdvice::Backoff,
    })
}

fn price() -> ResponseSchema {
    ResponseSchema::new(&json!({
        "type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"],
        "additionalProperties": false
    }))
    .unwrap()
}

async fn ask(client: &Scripted, schema: &ResponseSchema) -> Result<Answered<Value>, AskFailure> {
    ask_with(client, schema, UsageMeter::new()).await
}

async fn ask_with(
    client: &Scripted,
    schema: &ResponseSchema,
    meter: UsageMeter,
) -> Result<Answered<Value>, AskFailure> {
    ask_structured(
        client,
        Ask {
            request: GenerateRequest::new(vec![
                Message::system("You read pages."),
                Message::user(vec![
                    Part::text("the page"),
                    Part::CachePoint,
                    Part::text("the price"),
                ]),
            ]),
            name: "extraction",
            schema,
            judge: &|value| schema.restore(value, &Urls::NONE),
            retry: RetryPolicy {
                first_pause: Duration::from_millis(1),
                ..RetryPolicy::default()
            },
            meter,
        },
    )
    .await
}

#[tokio::test]
async fn good_answer_takes_one_call() {
    let client = Scripted::new([says("{\"price\": 12.5}")]);
    let answered = ask(&client, &price()).await.unwrap();
    assert_eq!(answered.value, json!({"price": 12.5}));
    assert_eq!((answered.attempts, answered.usage.calls), (1, 1));
    assert_eq!(answered.usage.tokens.prompt, 100);
    assert_eq!(answered.usage.tokens.completion, 20, "reasoning is in it already");
    assert_eq!(answered.raw, "{\"price\": 12.5}");
    let requests = client.requests();
    let ResponseFormat::Json { name, schema } = &requests[0].response_format else {
        panic!()
    };
    assert_eq!(
        (name.as_str(), &schema["required"]),
        ("extraction", &json!(["price"]))
    );
    assert_eq!(requests[0].temperature, None);
}

#[tokio::test]
async fn wrong_answer_is_corrected_once_with_its_problems() {
    let client = Scripted::new([says("{\"price\": \"a lot\"}"), says("{\"price\": 3}")]);
    let answered = ask(&client, &price()).await.unwrap();
    assert_eq!(answered.value, json!({"price": 3}));
    assert_eq!((answered.attempts, answered.usage.calls), (2, 2));
    assert_eq!(answered.usage.tokens.prompt, 200);
    let requests = client.requests();
    assert_eq!(
        requests[1].messages[..2],
        requests[0].messages[..],
        "the beginning stays"
    );
    let [bad, problems] = &requests[1].messages[2..] else {
        panic!()
    };
    assert_eq!(
        (bad.role, &bad.parts[0]),
        (Role::Assistant, &Part::text("{\"price\": \"a lot\"}"))
    );
    let Part::Text(text) = &problems.parts[0] else {
        panic!()
    };
    assert!(
        text.contains("- /price: \"a lot\" is not of type \"number\""),
        "{text}"
    );
    assert!(!text.contains('{') && !text.ends_with('\n'), "{text}");
}

#[tokio::test]
async fn answer_that_stays_wrong_is_a_schema_error() {
    let client = Scripted::new([
        says("{\"price\": \"not a number\"}"),
        says("{\"price\": \"still not\"}"),
    ]);
    let failure = ask(&client, &price()).await.unwrap_err();
    let LlmError::SchemaValidation {
        model,
        violations,
        preview,
    } = &failure.error
    else {
        panic!("{failure}")
    };
    assert_eq!(
        (model.as_str(), violations[0].pointer.as_str()),
        ("test/scripted", "/price")
    );
    assert_eq!(preview, "{\"price\": \"still not\"}");
    assert_eq!(
        (failure.attempts, failure.usage.calls, failure.usage.tokens.prompt),
        (2, 2, 200)
    );
}

#[tokio::test]
async fn prose_is_asked_for_json_once_and_then_unusable() {
    let client = Scripted::new([says("I would rather chat"), says("{\"price\": 3}")]);
    assert_eq!(ask(&client, &price()).await.unwrap().value, json!({"price": 3}));
    let client = Scripted::new([says("I would rather chat"), says("I would rather chat")]);
    let failure = ask(&client, &price()).await.unwrap_err();
    let LlmError::UnusableReply { preview, .. } = &failure.error else {
        panic!("{failure}")
    };
    assert_eq!(preview, "I would rather chat");
    assert_eq!(client.requests().len(), 2);
}

#[tokio::test]
async fn empty_answer_is_asked_once_more_without_a_word() {
    let client = Scripted::new([says(" \n"), says("{\"price\": 3}")]);
    assert_eq!(ask(&client, &price()).await.unwrap().attempts, 2);
    let requests = client.requests();
    assert_eq!(requests[0], requests[1]);
    let client = Scripted::new([says(""), says("")]);
    let failure = ask(&client, &price()).await.unwrap_err();
    assert!(matches!(failure.error, LlmError::UnusableReply { .. }));
}

#[tokio::test]
async fn cut_off_answer_is_given_more_room_once() {
    let cut = || finishes("{\"price\": 1", FinishReason::Length);
    let client = Scripted::new([cut(), says("{\"price\": 12}")]);
    assert_eq!(ask(&client, &price()).await.unwrap().value, json!({"price": 12}));
    let requests = client.requests();
    assert_eq!(requests[1].max_output_tokens, Some(LEAST_ROOM));
    assert_eq!(requests[1].messages, requests[0].messages);
    let client = Scripted::new([cut(), cut()]);
    let failure = ask(&client, &price()).await.unwrap_err();
    let LlmError::CutOff { limit, .. } = failure.error else {
        panic!("{failure}")
    };
    assert_eq!((limit, client.requests().len()), (Some(LEAST_ROOM), 2));
}

#[tokio::test]
async fn cut_off_answer_of_a_model_that_can_write_no_more_is_reported_at_once() {
    let mut client = Scripted::new([finishes("{\"price\": 1", FinishReason::Length)]);
    client.most = Some(20);
    let failure = ask(&client, &price()).await.unwrap_err();
    assert!(matches!(failure.error, LlmError::CutOff { .. }));
    assert_eq!(client.requests().len(), 1);
}

#[tokio::test]
async fn complete_answer_at_the_limit_is_taken() {
    let client = Scripted::new([finishes("{\"price\": 1}", FinishReason::Length)]);
    assert_eq!(ask(&client, &price()).await.unwrap().attempts, 1);
}

#[tokio::test]
async fn refusal_is_reported_at_once_in_the_models_words() {
    let client = Scripted::new([finishes(
        "",
        FinishReason::Refused("I cannot help with that.".into()),
    )]);
    let failure = ask(&client, &price()).await.unwrap_err();
    let LlmError::Refused { message, .. } = failure.error else {
        panic!("{failure}")
    };
    assert_eq!(message, "I cannot help with that.");
    assert_eq!(client.requests().len(), 1);
}

#[tokio::test]
async fn each_further_round_happens_at_most_once() {
    let client = Scripted::new([
        says(""),
        finishes("{\"pr", FinishReason::Length),
        says("{\"price\": \"x\"}"),
        says("{\"price\": 1}"),
    ]);
    let answered = ask(&client, &price()).await.unwrap();
    assert_eq!((answered.attempts, answered.usage.calls), (4, 4));
    let client = Scripted::new([says(""), says("chat"), says("")]);
    let failure = ask(&client, &price()).await.unwrap_err();
    assert_eq!(failure.attempts, 3);
}

#[tokio::test]
async fn passing_failures_are_tried_again_and_counted() {
    let client = Scripted::new([busy(), busy(), says("{\"price\": 3}")]);
    let answered = ask(&client, &price()).await.unwrap();
    assert_eq!((answered.attempts, answered.usage.calls), (1, 3));
}

#[tokio::test]
async fn lasting_failure_is_passed_on_with_its_usage() {
    let auth = Step::Fail(LlmError::Auth {
        model: "test/scripted".into(),
        status: 401,
        message: "no".into(),
    });
    let client = Scripted::new([auth]);
    let failure = ask(&client, &price()).await.unwrap_err();
    assert!(matches!(failure.error, LlmError::Auth { .. }));
    assert_eq!((failure.usage.calls, failure.attempts), (1, 0));
}

#[tokio::test]
async fn failure_that_never_reached_the_provider_costs_nothing() {
    let missing = Step::Fail(LlmError::MissingKey {
        model: "test/scripted".into(),
        what: "API key".into(),
        variables: Vec::new(),
        option: "apiKey".into(),
    });
    let client = Scripted::new([missing]);
    let failure = ask(&client, &price()).await.unwrap_err();
    assert_eq!(failure.usage, Usage::default());
}

#[tokio::test(start_paused = true)]
async fn dropped_question_ends_and_stays_on_the_meter() {
    let meter = UsageMeter::new();
    let client = Scripted::new([says("{\"price\": \"x\"}"), Step::Hang]);
    let schema = price();
    let question = ask_with(&client, &schema, meter.clone());
    assert!(
        tokio::time::timeout(Duration::from_secs(5), question)
            .await
            .is_err()
    );
    let total = meter.total();
    assert_eq!((total.calls, total.tokens.prompt), (2, 100));
}

#[tokio::test]
async fn questions_that_share_a_meter_report_their_own_cost() {
    let meter = UsageMeter::new();
    let (one, other) = (
        Scripted::new([says("{\"price\": 1}")]),
        Scripted::new([busy(), says("{\"price\": 2}")]),
    );
    let schema = price();
    let (first, second) = tokio::join!(
        ask_with(&one, &schema, meter.clone()),
        ask_with(&other, &schema, meter.clone())
    );
    assert_eq!((first.unwrap().usage.calls, second.unwrap().usage.calls), (1, 2));
    assert_eq!(meter.total().calls, 3);
}

#[tokio::test]
async fn places_in_a_wrapped_answer_are_the_models_own_when_sent_back() {
    let schema = ResponseSchema::new(&json!({"type": "array", "items": {"type": "number"}})).unwrap();
    let client = Scripted::new([says("{\"value\": [1, \"x\"]}"), says("{\"value\": [1, \"x\"]}")]);
    let failure = ask(&client, &schema).await.unwrap_err();
    let LlmError::SchemaValidation { violations, .. } = failure.error else {
        panic!("{failure}")
    };
    assert_eq!(violations[0].pointer, "/1");
    let Part::Text(text) = &client.requests()[1].messages[3].parts[0].clone() else {
        panic!()
    };
    assert!(text.contains("- /value/1:"), "{text}");
}

#[tokio::test]
async fn future_of_a_question_may_move_between_threads() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let client = Scripted::new([says("{\"price\": 1}")]);
    let schema = price();
    is_send(ask(&client, &schema)).await.unwrap();
}

#[tokio::test]
async fn long_bad_reply_is_shortened_in_the_error_and_sent_back_in_part() {
    let long = "ä".repeat(50_000);
    let client = Scripted::new([says(&long), says(&long)]);
    let failure = ask(&client, &price()).await.unwrap_err();
    let LlmError::UnusableReply { preview, .. } = failure.error else {
        panic!()
    };
    assert!(preview.chars().count() <= crate::PREVIEW_CHARACTERS + 1);
    let Part::Text(sent_back) = &client.requests()[1].messages[2].parts[0].clone() else {
        panic!()
    };
    assert_eq!(sent_back.chars().count(), MOST_SENT_BACK);
}

#[tokio::test]
async fn plain_text_answers_a_question_for_one_text_without_a_second_call() {
    for reply in ["hi", "\"hi\""] {
        let client = Scripted::new([says(reply)]);
        let answered = ask(&client, &text()).await.unwrap();
        assert_eq!(
            (answered.value, answered.attempts),
            (json!({"extraction": "hi"}), 1)
        );
    }
    let client = Scripted::new([says("41")]);
    assert_eq!(
        ask(&client, &text()).await.unwrap().value,
        json!({"extraction": "41"})
    );
}

#[tokio::test]
async fn plain_text_that_was_cut_off_is_asked_for_again() {
    let client = Scripted::new([
        finishes("It is the la", FinishReason::Length),
        says("It is the lamp"),
    ]);
    let answered = ask(&client, &text()).await.unwrap();
    assert_eq!(
        (answered.value, answered.attempts),
        (json!({"extraction": "It is the lamp"}), 2)
    );
}
