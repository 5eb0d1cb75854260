//! Runs that go on with the messages of an earlier one.

use automator::{AgentConfig, ErrorKind};
use automator_testing::Kind;
use serde_json::json;

use crate::rig::Rig;
use crate::script::{call, experimental, play_alone};

#[tokio::test]
async fn a_later_run_knows_what_was_said_and_done_before() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>words of the first page</p>").await;
    play_alone(
        &rig,
        vec![call("think", json!({ "reasoning": "a thought of before" }))],
    );
    let agent = rig.automator.agent(AgentConfig::default());
    let first = agent.execute("the first task").await.unwrap();
    let told = serde_json::to_string(&first.messages).unwrap();
    assert!(!told.contains("words of the first page"), "{told}");
    let before = rig.model.requests().len();
    rig.show("<p>words of the second page</p>").await;
    play_alone(&rig, vec![call("think", json!({ "reasoning": "more" }))]);
    let second = agent
        .execute("the second task")
        .messages(first.messages)
        .await
        .unwrap();
    let requests = rig.model.requests_of(Kind::Agent);
    let request = &requests[before];
    for words in [
        "the first task",
        "a thought of before",
        "all finished",
        "the second task",
        "words of the second page",
    ] {
        assert!(
            request.raw.contains(words),
            "{words} is missing in {}",
            request.raw
        );
    }
    assert!(!request.raw.contains("words of the first page"));
    let roles: Vec<&str> = second
        .messages
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(
        roles,
        [
            "user",
            "assistant",
            "tool",
            "assistant",
            "user",
            "assistant",
            "tool",
            "assistant"
        ]
    );
    rig.close().await;
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let rig = Rig::with(experimental).await;
    let agent = rig.automator.agent(AgentConfig::default());
    let error = agent
        .execute("go")
        .messages(vec![json!({ "role": "robot" })])
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    rig.close().await;
}

#[tokio::test]
async fn system_texts_and_pictures_of_messages_are_sent() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>x</p>").await;
    play_alone(&rig, vec![]);
    let picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let messages = vec![
        json!({ "role": "system", "content": "speak in rhymes" }),
        json!({ "role": "user", "content": [{ "type": "image", "image": picture }] }),
        json!({ "role": "assistant", "content": [
            { "type": "tool-call", "toolCallId": "a", "toolName": "price", "input": {} }] }),
        json!({ "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "a", "toolName": "price",
              "output": { "type": "json", "value": { "euros": 49 } } }] }),
    ];
    let agent = rig.automator.agent(AgentConfig::default());
    agent.execute("go").messages(messages).await.unwrap();
    let request = &rig.model.requests_of(Kind::Agent)[0];
    for sent in ["speak in rhymes", picture, "euros"] {
        assert_eq!(request.raw.matches(sent).count(), 1, "{sent}: {}", request.raw);
    }
    assert!(!request.raw.contains("\\\"type\\\":\\\"json"), "{}", request.raw);
    let (system, task) = (request.raw.find("speak in rhymes"), request.raw.find("euros"));
    assert!(system < task, "the system text comes first");
    rig.close().await;
}
