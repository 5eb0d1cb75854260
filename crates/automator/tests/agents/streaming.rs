//! Runs as streams, and callbacks.

use std::sync::{Arc, Mutex};

use automator::{AbortSignal, AgentCallbacks, AgentConfig, AgentEvent, ErrorKind};
use automator_testing::Answer;
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{call, experimental, is_closing, play_alone};

/// Says something and thinks, then ends.
fn thinking_aloud(rig: &Rig) {
    rig.model.script(|request| {
        if is_closing(request) {
            return crate::script::done("all finished");
        }
        match request.tool_results.len() {
            0 => Answer::tool("think", json!({ "reasoning": "plan" })),
            _ => Answer::text("thinking aloud"),
        }
    });
}

fn kind(event: &AgentEvent) -> String {
    let told = serde_json::to_value(event).unwrap();
    told["type"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_can_be_read_as_it_happens() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>x</p>").await;
    thinking_aloud(&rig);
    let agent = rig.automator.agent(AgentConfig::default());
    let mut stream = agent.execute("go").stream();
    let mut kinds = Vec::new();
    while let Some(event) = stream.next().await {
        kinds.push(kind(&event));
    }
    let expected = [
        "start-step",
        "tool-call",
        "tool-result",
        "finish-step",
        "start-step",
        "text-delta",
        "finish-step",
        "finish",
    ];
    assert_eq!(kinds, expected);
    assert!(stream.result().await.unwrap().success);
    rig.close().await;
}

#[tokio::test]
async fn only_the_words_can_be_read() {
    let rig = Rig::with(experimental).await;
    thinking_aloud(&rig);
    let agent = rig.automator.agent(AgentConfig::default());
    let text: Vec<String> = agent.execute("go").stream().into_text().collect().await;
    assert_eq!(text.concat(), "thinking aloud");
    rig.close().await;
}

#[tokio::test]
async fn the_result_can_be_had_without_reading() {
    let rig = Rig::with(experimental).await;
    thinking_aloud(&rig);
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("go").stream().result().await.unwrap();
    assert_eq!(result.message, "all finished");
    rig.close().await;
}

#[tokio::test]
async fn a_stream_that_is_dropped_ends_the_run() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>x</p>").await;
    play_alone(&rig, vec![call("wait", json!({ "timeMs": 50 }))]);
    let agent = rig.automator.agent(AgentConfig::default());
    let mut stream = agent.execute("the task that is given up").stream();
    while let Some(event) = stream.next().await {
        if matches!(event, AgentEvent::ToolCall { .. }) {
            break;
        }
    }
    drop(stream);
    // It would have gone on by the time that another run with a longer wait is over.
    play_alone(&rig, vec![call("wait", json!({ "timeMs": 200 }))]);
    let result = agent.execute("another task").await.unwrap();
    assert!(result.success, "{}", result.message);
    let requests = rig.model.requests();
    let of_the_first = requests
        .iter()
        .filter(|request| request.raw.contains("that is given up"));
    assert_eq!(of_the_first.count(), 1);
    rig.close().await;
}

#[tokio::test]
async fn callbacks_hear_the_same_and_one_that_panics_harms_nothing() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>x</p>").await;
    thinking_aloud(&rig);
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let hearing = Arc::clone(&heard);
    let callbacks = AgentCallbacks::new(move |event| {
        hearing.lock().unwrap().push(serde_json::to_value(event).unwrap());
        assert!(
            !matches!(event, AgentEvent::ToolCall { .. }),
            "a callback that panics"
        );
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("go").callbacks(callbacks).await.unwrap();
    assert!(result.success);
    let heard = heard.lock().unwrap().clone();
    assert_eq!(heard.len(), 8);
    assert_eq!(heard[1]["toolName"], "think");
    assert_eq!(heard[2]["action"]["type"], "think");
    assert_eq!(heard[6]["usage"]["input_tokens"], 200);
    assert_eq!(heard[7]["result"]["success"], true);
    rig.close().await;
}

#[tokio::test]
async fn those_who_listen_hear_of_the_signal() {
    let rig = Rig::with(experimental).await;
    thinking_aloud(&rig);
    let signal = AbortSignal::new();
    signal.abort("enough");
    let agent = rig.automator.agent(AgentConfig::default());
    let mut stream = agent.execute("go").signal(&signal).stream();
    let first = stream.next().await.unwrap();
    assert_eq!(kind(&first), "abort");
    let error = stream.result().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AgentAbort);
    rig.close().await;
}
