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
