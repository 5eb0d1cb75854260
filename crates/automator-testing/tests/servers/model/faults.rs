//! Each fault, on each wire.

use std::time::{Duration, Instant};

use automator_testing::{Answer, Fault, ScriptedModel, Wire};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Said, WIRES, ask, extract_schema, post, read, with_tool};

const RIGHT: &str = r#"{"link":"0-1"}"#;

async fn model_with(fault: Fault) -> ScriptedModel {
    let model = ScriptedModel::start().await;
    model.script(|request| Answer::value(json!({ "link": request.id_of("link: Alpha") })));
    model.fault_always(Some(fault));
    model
}

/// What is said on each wire, plain and streamed, with a fault.
async fn said_with(fault: Fault) -> Vec<(Wire, Said)> {
    let model = model_with(fault).await;
    let mut all = Vec::new();
    for wire in WIRES {
        for stream in [false, true] {
            let reply = ask(&model, wire, stream).await.unwrap();
            all.push((wire, read(wire, &reply, stream)));
        }
    }
    all
}

#[tokio::test]
async fn cut_off_gives_half_and_the_wires_word_for_it() {
    for (wire, said) in said_with(Fault::CutOff).await {
        assert_eq!(said.text, RIGHT[..7], "{wire:?}");
        let word = match wire {
            Wire::Responses => "incomplete max_output_tokens",
            Wire::Chat => "length",
            Wire::Anthropic => "max_tokens",
            _ => "MAX_TOKENS",
        };
        assert_eq!(said.finish, word, "{wire:?}");
    }
}

#[tokio::test]
async fn refusals_have_each_wires_own_form() {
    for (wire, said) in said_with(Fault::Refusal).await {
        match wire {
            Wire::Responses | Wire::Chat => {
                assert!(!said.refusal.is_empty() && said.text.is_empty(), "{said:?}");
            }
            Wire::Anthropic => assert_eq!(said.finish, "refusal"),
            _ => assert_eq!((said.finish.as_str(), said.text.as_str()), ("SAFETY", "")),
        }
    }
}

#[tokio::test]
async fn dressed_up_answers_hold_the_right_one() {
    for (fault, start, end) in [
        (Fault::Fenced, "```json\n{", "}\n```"),
        (Fault::Prose, "This is", "else."),
        (Fault::ReasoningTags, "<think>", "}"),
    ] {
        for (wire, said) in said_with(fault.clone()).await {
            assert!(said.text.contains(RIGHT), "{wire:?} {said:?}");
            assert!(
                said.text.starts_with(start) && said.text.ends_with(end),
                "{wire:?} {said:?}"
            );
        }
    }
}

#[tokio::test]
async fn wrong_ids_have_the_right_form_but_stand_nowhere() {
    for (wire, said) in said_with(Fault::WrongIds).await {
        let value: Value = serde_json::from_str(&said.text).unwrap();
        let id = value["link"].as_str().unwrap();
        assert!(id.starts_with("0-9"), "{wire:?} {id}");
    }
}

#[tokio::test]
async fn empty_says_nothing_and_ends_normally() {
    for (wire, said) in said_with(Fault::Empty).await {
        assert_eq!((said.text.as_str(), said.refusal.as_str()), ("", ""), "{wire:?}");
        assert!(
            ["completed", "stop", "end_turn", "STOP"].contains(&said.finish.as_str()),
            "{said:?}"
        );
    }
}

#[tokio::test]
async fn a_forced_tool_that_misbehaves_speaks_in_text() {
    let model = model_with(Fault::Fenced).await;
    for wire in WIRES {
        let reply = post(
            &model,
            wire,
            &with_tool(wire, "answer", &extract_schema(), true),
            false,
        )
        .await
        .unwrap();
        let said = read(wire, &reply, false);
        assert_eq!(
            (said.tool, said.text),
            (None, format!("```json\n{RIGHT}\n```")),
            "{wire:?}"
        );
    }
}

#[tokio::test]
async fn rate_limits_say_when_to_come_back() {
    let model = model_with(Fault::RateLimited {
        retry_after: Some(Duration::from_millis(1500)),
    })
    .await;
    for wire in WIRES {
        let reply = ask(&model, wire, false).await.unwrap();
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (429, Some("2")),
            "{wire:?}"
        );
        assert!(reply.json()["error"]["message"].is_string(), "{wire:?}");
    }
    model.fault_always(Some(Fault::RateLimited { retry_after: None }));
    assert_eq!(
        ask(&model, Wire::Chat, false)
            .await
            .unwrap()
            .header("retry-after"),
        None
    );
}

#[tokio::test]
async fn server_errors_have_each_wires_own_body() {
    for (status, anthropic, google) in [
        (500, "api_error", "INTERNAL"),
        (503, "api_error", "UNAVAILABLE"),
        (529, "overloaded_error", "INTERNAL"),
        (401, "authentication_error", "UNAUTHENTICATED"),
    ] {
        let model = model_with(Fault::ServerError(status)).await;
        for wire in WIRES {
            let reply = ask(&model, wire, true).await.unwrap();
            assert_eq!(reply.status, status, "{wire:?}");
            match wire {
                Wire::Anthropic => assert_eq!(reply.json()["error"]["type"], anthropic),
                Wire::Google => assert_eq!(reply.json()["error"]["status"], google),
                _ => assert!(reply.json()["error"]["type"].is_string()),
            }
        }
    }
}

#[tokio::test]
async fn a_malformed_body_is_whole_http_around_broken_json() {
    let model = model_with(Fault::MalformedBody).await;
    for wire in WIRES {
        let reply = ask(&model, wire, false).await.unwrap();
        assert_eq!(
            reply.header("content-length"),
            Some(reply.body.len().to_string().as_str()),
            "{wire:?}"
        );
        assert!(serde_json::from_str::<Value>(&reply.body).is_err(), "{wire:?}");
        let streamed = ask(&model, wire, true).await.unwrap().body;
        let last = streamed.trim_end().rsplit("data: ").next().unwrap().to_owned();
        assert!(
            serde_json::from_str::<Value>(&last).is_err(),
            "{wire:?} {streamed}"
        );
    }
}

#[tokio::test]
async fn a_cut_connection_ends_inside_the_body() {
    let model = model_with(Fault::ConnectionCut).await;
    for wire in WIRES {
        let reply = ask(&model, wire, false).await.unwrap();
        let announced: usize = reply.header("content-length").unwrap().parse().unwrap();
        assert!(reply.body.len() < announced, "{wire:?}");
    }
}

#[tokio::test]
async fn a_reset_connection_is_an_error_of_the_socket() {
    let model = model_with(Fault::ConnectionReset).await;
    let error = ask(&model, Wire::Chat, false).await.err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn slow_answers_are_right_in_the_end() {
    let wait = Duration::from_millis(80);
    let model = model_with(Fault::Slow(wait)).await;
    let start = Instant::now();
    let reply = ask(&model, Wire::Chat, false).await.unwrap();
    assert!(start.elapsed() >= wait);
    assert_eq!(read(Wire::Chat, &reply, false).text, RIGHT);
}

#[tokio::test]
async fn a_hanging_model_notices_that_the_client_gave_up() {
    let model = model_with(Fault::Hang).await;
    let asked = timeout(Duration::from_millis(100), ask(&model, Wire::Chat, false)).await;
    assert!(asked.is_err(), "no answer came");
    timeout(Duration::from_secs(10), model.wait_for_abandoned(1))
        .await
        .unwrap();
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn single_faults_come_first_and_then_the_right_answer() {
    let model = model_with(Fault::Empty).await;
    model.fault_always(None);
    model.fault_next(Fault::ServerError(500));
    model.fault_next(Fault::RateLimited { retry_after: None });
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(ask(&model, Wire::Chat, false).await.unwrap().status);
    }
    assert_eq!(statuses, [500, 429, 200]);
}

#[tokio::test]
async fn an_answer_brings_its_own_faults() {
    let model = ScriptedModel::start().await;
    model.answers([
        Answer::value(json!({ "link": "0-1" }))
            .with(Fault::Slow(Duration::from_millis(1)))
            .with(Fault::Fenced),
        Answer::from(Fault::ServerError(503)),
    ]);
    let first = ask(&model, Wire::Chat, false).await.unwrap();
    assert_eq!(
        read(Wire::Chat, &first, false).text,
        format!("```json\n{RIGHT}\n```")
    );
    assert_eq!(ask(&model, Wire::Chat, false).await.unwrap().status, 503);
}
