//! Every fault of a provider ends in the right value or the right error, on every wire form.

use std::time::Duration;

use automator::{ErrorKind, ModelOptions, Secret};
use automator_testing::{Answer, Fault};
use serde_json::{Value, json};

use crate::rig::{Rig, model_on};

/// What comes of a fault that happens once, and of one that stays.
struct Case {
    fault: Fault,
    once: Outcome,
    always: Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Value,
    Error(ErrorKind),
}

fn cases() -> Vec<Case> {
    use ErrorKind::{LlmResponse, SchemaValidation};
    use Outcome::{Error, Value};
    let case = |fault, once, always| Case { fault, once, always };
    vec![
        case(Fault::Slow(Duration::from_millis(300)), Value, Value),
        case(Fault::Fenced, Value, Value),
        case(Fault::Prose, Value, Value),
        case(Fault::ReasoningTags, Value, Value),
        case(Fault::CutOff, Value, Error(LlmResponse)),
        case(
            Fault::RateLimited {
                retry_after: Some(Duration::from_secs(1)),
            },
            Value,
            Error(LlmResponse),
        ),
        case(Fault::ServerError(500), Value, Error(LlmResponse)),
        case(Fault::ServerError(401), Error(LlmResponse), Error(LlmResponse)),
        case(Fault::Refusal, Error(LlmResponse), Error(LlmResponse)),
        case(Fault::WrongIds, Value, Error(SchemaValidation)),
        case(Fault::Empty, Value, Error(LlmResponse)),
        case(Fault::ConnectionReset, Value, Error(LlmResponse)),
    ]
}

async fn extract(rig: &Rig, model: &ModelOptions) -> Result<Value, automator::Error> {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "link": { "type": "string", "format": "uri" } },
        "required": ["name", "link"],
        "additionalProperties": false,
    });
    rig.automator
        .extract("the link")
        .json_schema(schema)
        .model(model.clone())
        .timeout(Duration::from_secs(60))
        .await
}

#[tokio::test]
async fn every_fault_of_openai_responses_ends_right() {
    every_fault_ends_right("openai/gpt-4.1-mini", false).await;
}

#[tokio::test]
async fn every_fault_of_openai_chat_ends_right() {
    every_fault_ends_right("openai/gpt-4.1-mini", true).await;
}

#[tokio::test]
async fn every_fault_of_anthropic_ends_right() {
    every_fault_ends_right("anthropic/claude-haiku-4-5", false).await;
}

#[tokio::test]
async fn every_fault_of_google_ends_right() {
    every_fault_ends_right("google/gemini-2.5-flash", false).await;
}

async fn every_fault_ends_right(name: &str, chat: bool) {
    let rig = Rig::start().await;
    let at = rig.show("<a href='/there'>Over there</a>").await;
    let link = format!("{}/there", at.url.rsplit_once('/').unwrap().0);
    let expected = json!({ "name": "Over there", "link": link });
    let model = model_on(&rig.model, name, chat);
    for Case { fault, once, always } in cases() {
        for (stays, outcome) in [(false, once), (true, always)] {
            rig.model.script(|request| {
                Answer::value(json!({ "name": "Over there", "link": request.id_of("link: Over there") }))
            });
            rig.model.fault_always(stays.then(|| fault.clone()));
            if !stays {
                rig.model.fault_next(fault.clone());
            }
            let what = format!("{fault:?} stays={stays}");
            match (extract(&rig, &model).await, outcome) {
                (Ok(value), Outcome::Value) => assert_eq!(value, expected, "{what}"),
                (Err(error), Outcome::Error(kind)) => assert_eq!(error.kind(), kind, "{what}: {error}"),
                (got, wanted) => panic!("{what}: wanted {wanted:?}, got {got:?}"),
            }
        }
    }
    rig.close().await;
}

#[tokio::test]
async fn a_key_is_needed_only_when_a_model_is_asked() {
    let rig = Rig::with(|builder| {
        builder.model("openai/gpt-4.1-mini").with(|options| {
            options.environment = automator::EnvironmentSource::new(|_| None);
        })
    })
    .await;
    rig.show("<p>text without a model</p>").await;
    assert!(rig.text().await.contains("text without a model"));
    let error = rig.automator.extract("it").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingLlmConfiguration);
    assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
    let mut unknown = ModelOptions::new("nosuchprovider/model-1");
    unknown.api_key = Some(Secret::new("k"));
    let error = rig.automator.extract("it").model(unknown).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedModel);
    assert!(error.to_string().contains("nosuchprovider"), "{error}");
    let error = rig
        .automator
        .extract("it")
        .model("just-a-name")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidModelFormat);
    rig.close().await;
}

#[tokio::test]
async fn a_server_without_the_responses_interface_is_told_how_to_be_asked() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.fault_always(Some(Fault::ServerError(404)));
    let error = rig.automator.extract("it").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LlmResponse);
    assert!(
        error.hint_text().unwrap().contains("openaiEndpointFormat"),
        "{error}"
    );
    rig.close().await;
}
