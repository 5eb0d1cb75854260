//! How runs end: the judgement, data at the end, steps used up, errors, the signal.

use automator::{AbortSignal, AgentCallbacks, AgentConfig, AgentEvent, ErrorKind, FunctionTool};
use automator_testing::{Answer, Fault, Kind};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{call, experimental, is_closing, play_alone};

#[tokio::test]
async fn steps_that_are_used_up_end_with_the_judgement() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.script(|request| {
        if is_closing(request) {
            return Answer::tool("done", json!({ "reasoning": "ran out", "taskComplete": false }));
        }
        let reasoning = format!("thought {}", request.tool_results.len());
        Answer::tool("think", json!({ "reasoning": reasoning }))
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("loop for ever").max_steps(3).await.unwrap();
    let requests = rig.model.requests_of(Kind::Agent);
    assert_eq!(requests.iter().filter(|request| !is_closing(request)).count(), 3);
    assert_eq!(
        (result.success, result.completed, result.message.as_str()),
        (false, false, "ran out")
    );
    assert_eq!(result.actions.len(), 4);
    rig.close().await;
}

#[tokio::test]
async fn a_judgement_that_fails_is_no_success() {
    for judgement in [
        Answer::text("I would rather not"),
        Answer::tool("done", json!({ "reasoning": "fine" })),
        Answer::from(Fault::ServerError(400)),
    ] {
        let rig = Rig::start().await;
        rig.show("<p>x</p>").await;
        rig.model.script(move |request| match is_closing(request) {
            true => judgement.clone(),
            false => Answer::text("done"),
        });
        let agent = rig.automator.agent(AgentConfig::default());
        let result = agent.execute("go").await.unwrap();
        assert!(!result.success && !result.completed, "{result:?}");
        assert!(
            result.message.starts_with("Failed to execute task: "),
            "{result:?}"
        );
        assert!(result.usage.input_tokens > 0);
        rig.close().await;
    }
}

#[tokio::test]
async fn a_judgement_without_shape_is_asked_for_once_more() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.script(
        |request| match (is_closing(request), request.text.contains("cannot be used")) {
            (false, _) => Answer::text("words at the end"),
            (true, false) => Answer::tool("done", json!({ "reasoning": "fine" })),
            (true, true) => Answer::tool("done", json!({ "reasoning": "", "taskComplete": true })),
        },
    );
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("go").await.unwrap();
    assert!(result.success);
    assert_eq!(result.message, "words at the end");
    rig.close().await;
}

fn total() -> Value {
    json!({ "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] })
}

#[tokio::test]
async fn data_is_asked_for_at_the_end_and_checked() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>the total is 42</p>").await;
    rig.model.script(|request| {
        if !is_closing(request) {
            return Answer::text("it is 42");
        }
        assert_eq!(
            request.tools[0].parameters["properties"]["output"]["type"],
            "object"
        );
        assert!(request.text.contains("the total is 42"), "{}", request.text);
        let output = if request.text.contains("cannot be used") {
            json!({ "total": 42 })
        } else {
            json!({ "sum": "much" })
        };
        Answer::tool(
            "done",
            json!({ "reasoning": "", "taskComplete": true, "output": output }),
        )
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("sum").output_schema(total()).await.unwrap();
    assert_eq!(result.output, Some(json!({ "total": 42 })), "{result:?}");
    assert_eq!(rig.model.requests().len(), 3);
    rig.close().await;
}

#[tokio::test]
async fn data_that_does_not_fit_is_no_success() {
    let rig = Rig::with(experimental).await;
    rig.model.script(|request| match is_closing(request) {
        false => Answer::text("x"),
        true => Answer::tool(
            "done",
            json!({ "reasoning": "", "taskComplete": true, "output": { "a": 1 } }),
        ),
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("sum").output_schema(total()).await.unwrap();
    assert!(!result.success && result.output.is_none(), "{result:?}");
    assert!(result.message.contains("output"), "{result:?}");
    rig.close().await;
}

#[tokio::test]
async fn errors_of_the_model_are_a_result_without_success() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    let steps = std::sync::atomic::AtomicUsize::new(0);
    rig.model.script(
        move |_| match steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0 => Answer::tool("think", json!({ "reasoning": "hm" })),
            _ => Answer::from(Fault::ServerError(400)),
        },
    );
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("go").await.unwrap();
    assert!(!result.success, "{result:?}");
    assert!(
        result.message.starts_with("Failed to execute task: "),
        "{result:?}"
    );
    assert_eq!(result.actions.len(), 1, "what was done is told");
    assert_eq!(
        rig.automator.metrics().agent_prompt_tokens,
        result.usage.input_tokens
    );
    rig.close().await;
}

#[tokio::test]
async fn a_browser_that_is_lost_ends_the_run_without_success() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    rig.model.script(|_| Answer::from(Fault::Hang));
    let agent = rig.automator.agent(AgentConfig::default());
    let running = tokio::spawn(async move { agent.execute("wait").await });
    rig.model.wait_for_requests(1).await;
    drop(
        rig.automator
            .context()
            .unwrap()
            .send_cdp("Browser.close", &json!({}))
            .await,
    );
    let result = running.await.unwrap().unwrap();
    assert!(
        !result.success && result.message.starts_with("Failed to execute task: "),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_session_that_is_closed_ends_the_run_and_says_so() {
    for is_given in [false, true] {
        let rig = Rig::with(experimental).await;
        rig.show("<p>x</p>").await;
        // The pages go first, as they do when a browser ends.
        let automator = rig.automator.clone();
        let tool = FunctionTool::new("leave", "Leaves.", json!({ "type": "object" }), move |_| {
            let automator = automator.clone();
            async move {
                let pages = automator.context()?.pages();
                let closing = async { automator.close().await };
                let leaving = async {
                    for page in &pages {
                        drop(page.close().await);
                    }
                };
                tokio::join!(closing, leaving).0?;
                Ok("left".into())
            }
        });
        play_alone(&rig, vec![call("leave", json!({}))]);
        let config = AgentConfig {
            tools: vec![std::sync::Arc::new(tool)],
            ..AgentConfig::default()
        };
        let agent = rig.automator.agent(config);
        let mut task = agent.execute("leave");
        if is_given {
            task = task.page(&rig.page);
        }
        let result = task.await.unwrap();
        assert_eq!(result.message, "Failed to execute task: the session was closed");
        rig.close().await;
    }
}

#[tokio::test]
async fn without_a_key_nothing_can_be_asked() {
    let rig = Rig::with(|builder| {
        builder.model("openai/gpt-4.1-mini").with(|options| {
            options.environment = automator::EnvironmentSource::new(|_| None);
        })
    })
    .await;
    let error = rig
        .automator
        .agent(AgentConfig::default())
        .execute("go")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MissingLlmConfiguration);
    rig.close().await;
}

#[tokio::test]
async fn the_signal_ends_a_run_at_once() {
    let rig = Rig::with(experimental).await;
    rig.show("<p>x</p>").await;
    play_alone(
        &rig,
        vec![
            call("wait", json!({ "timeMs": 20_000 })),
            call("think", json!({ "reasoning": "x" })),
        ],
    );
    let signal = AbortSignal::new();
    let agent = rig.automator.agent(AgentConfig::default());
    let ending = signal.clone();
    // In the midst of the call: the next question would be another request.
    let callbacks = AgentCallbacks::new(move |event| {
        if matches!(event, AgentEvent::ToolCall { .. }) {
            ending.abort("enough");
        }
    });
    let task = agent.execute("wait").signal(&signal).callbacks(callbacks);
    let error = task.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AgentAbort);
    assert!(error.to_string().contains("enough"), "{error}");
    assert_eq!(rig.model.requests().len(), 1);
    assert_eq!(
        rig.automator.metrics().agent_prompt_tokens,
        100,
        "what was asked is counted"
    );
    rig.close().await;
}

#[tokio::test]
async fn a_page_of_another_session_is_refused() {
    let rig = Rig::start().await;
    let other = Rig::start().await;
    let agent = rig.automator.agent(AgentConfig::default());
    let error = agent.execute("go").page(&other.page).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    rig.close().await;
    other.close().await;
}
