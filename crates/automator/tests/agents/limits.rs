//! Limits of a run: time, tokens, money, circles; what is experimental.

use std::time::{Duration, Instant};

use automator::{
    AbortSignal, AgentCallbacks, AgentConfig, AgentExecuteOptions, AgentMode, ErrorKind, ModelOptions,
};
use automator_testing::{Answer, Kind, Request, Usage};
use serde_json::{Value, json};

use crate::rig::{Rig, model_options};
use crate::script::{call, is_closing, play_alone};

#[tokio::test]
async fn the_limit_of_time_ends_the_run_and_is_named() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    play_alone(&rig, vec![call("wait", json!({ "timeMs": 30_000 }))]);
    let agent = rig.automator.agent(AgentConfig::default());
    let started = Instant::now();
    let result = agent
        .execute("wait")
        .timeout(Duration::from_millis(1500))
        .await
        .unwrap();
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(!result.success && !result.completed);
    assert_eq!(result.message, "Stopped: the run reached its timeout of 1.5 s");
    assert_eq!(result.usage.input_tokens, 100);
    // What was done last may have been done.
    let last = result.actions.last().unwrap();
    assert_eq!(
        (last.kind.as_str(), &last.details["success"]),
        ("wait", &json!(false))
    );
    let told = last.details["message"].as_str().unwrap();
    assert!(told.contains("under way when the run ended"), "{told}");
    assert!(serde_json::to_string(&result.messages).unwrap().contains(told));
    rig.close().await;
}

/// A model that thinks on and on, 100 tokens in and 20 out each time.
fn thinking(rig: &Rig) {
    rig.model.set_usage(Usage::default());
    rig.model.script(|request| {
        let reasoning = format!("thought {}", request.tool_results.len());
        Answer::tool("think", json!({ "reasoning": reasoning }))
    });
}

#[tokio::test]
async fn the_limit_of_tokens_ends_the_run_and_is_named() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    thinking(&rig);
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("think").max_tokens(300).await.unwrap();
    assert!(!result.success);
    assert_eq!(
        result.message,
        "Stopped: the run reached its limit of 300 tokens: it has taken 360"
    );
    assert_eq!(
        rig.model.requests().len(),
        3,
        "and the judgement is not asked for"
    );
    rig.close().await;
}

fn priced(rig: &Rig, price: Value) -> ModelOptions {
    let mut model = model_options(&rig.model);
    model.price = Some(price);
    model
}

#[tokio::test]
async fn the_limit_of_cost_ends_the_run_and_is_named() {
    let rig = Rig::start().await;
    rig.show("<p>x</p>").await;
    thinking(&rig);
    // Each call costs 95 × 1 + 5 × 0 + 20 × 10 = 295 millionths.
    let price = json!({ "input": 1, "cachedInput": 0, "output": 10 });
    let config = AgentConfig {
        model: Some(priced(&rig, price)),
        ..AgentConfig::default()
    };
    let agent = rig.automator.agent(config);
    let result = agent.execute("think").max_cost(0.0005).await.unwrap();
    assert_eq!(
        result.message,
        "Stopped: the run reached its limit of cost, 0.0005: it has cost 0.000590"
    );
    assert_eq!(rig.model.requests().len(), 2);
    rig.close().await;
}

#[tokio::test]
async fn a_limit_is_looked_at_before_each_call_of_a_turn() {
    let rig = Rig::start().await;
    rig.show("<p>It costs 49 euros</p>").await;
    rig.model.set_usage(Usage::default());
    rig.model.script(|request| match request.kind {
        Kind::Agent => {
            let extract = || json!({ "instruction": "the price" });
            (0..5).fold(Answer::text(""), |answer, _| {
                answer.and_tool("extract", extract())
            })
        }
        _ => Answer::value(json!({ "extraction": "49 euros" })),
    });
    let agent = rig.automator.agent(AgentConfig::default());
    // Each question takes 120 tokens.
    let result = agent.execute("read it five times").max_tokens(300).await.unwrap();
    assert!(result.message.contains("limit of 300 tokens"), "{result:?}");
    assert_eq!(result.actions.len(), 2, "{:?}", result.actions);
    assert_eq!(rig.model.requests().len(), 3);
    let told = serde_json::to_string(&result.messages).unwrap();
    assert_eq!(
        told.matches("not done: the run reached its limit").count(),
        3,
        "{told}"
    );
    rig.close().await;
}

#[tokio::test]
async fn a_limit_of_cost_without_a_price_is_refused() {
    let rig = Rig::start().await;
    let agent = rig.automator.agent(AgentConfig::default());
    let error = agent.execute("think").max_cost(1.0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn a_run_that_goes_in_circles_is_told_once_and_later_stopped() {
    let rig = Rig::start().await;
    rig.show("<button>Go</button>").await;
    rig.model.script(|request| {
        let id = request.id_of("button: Go");
        Answer::tool("act", json!({ "action": format!("click [{id}]") }))
    });
    let agent = rig.automator.agent(AgentConfig::default());
    let result = agent.execute("press").await.unwrap();
    assert!(!result.success);
    assert!(result.message.contains("went in circles"), "{result:?}");
    let requests = rig.model.requests_of(Kind::Agent);
    let told = |request: &Request| {
        request
            .text
            .matches("came to the same. Do something else")
            .count()
    };
    assert_eq!(requests.iter().map(told).max(), Some(1), "once");
    let heard = requests.iter().filter(|request| told(request) == 1).count();
    assert!(heard >= 2, "it has been told well before: {heard}");
    assert!(!requests.iter().any(is_closing));
    assert!(requests.len() <= 5, "{}", requests.len());
    rig.close().await;
}

#[tokio::test]
async fn what_is_experimental_needs_the_option() {
    let rig = Rig::start().await;
    let agent = rig.automator.agent(AgentConfig::default());
    let signal = AbortSignal::new();
    let runs = [
        agent.execute("go").signal(&signal),
        agent.execute("go").callbacks(AgentCallbacks::new(|_| ())),
        agent.execute("go").messages(Vec::new()),
        agent.execute("go").exclude_tool("act"),
        agent.execute("go").output_schema(json!({ "type": "number" })),
    ];
    for run in runs {
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ExperimentalNotConfigured);
        assert!(error.to_string().contains("experimental: true"), "{error}");
    }
    let streamed = agent.execute("go").stream().result().await.unwrap_err();
    assert_eq!(streamed.kind(), ErrorKind::ExperimentalNotConfigured);
    assert!(rig.model.requests().is_empty());
    rig.close().await;
}

#[tokio::test]
async fn options_that_cannot_be_used_are_refused_by_name() {
    for (options, part) in [
        (
            json!({ "instruction": "go", "maxStep": 3 }),
            "did you mean \"maxSteps\"?",
        ),
        (json!({ "maxSteps": 3 }), "options.instruction is missing"),
        (
            json!({ "instruction": "go", "maxSteps": "three" }),
            "options.maxSteps must be",
        ),
        (
            json!({ "instruction": "go", "toolTimeout": -5 }),
            "options.toolTimeout must be",
        ),
    ] {
        let error = automator::from_json::<AgentExecuteOptions>("options", &options).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    let config = json!({ "mode": "dom", "executionModel": "openai/gpt-4.1-nano", "systemPrompt": "x", "stream": true });
    let config: AgentConfig = automator::from_json("config", &config).unwrap();
    assert_eq!((config.mode, config.stream), (Some(AgentMode::Dom), true));
    assert!(automator::from_json::<AgentConfig>("config", &json!({ "mode": "fast" })).is_err());
}
