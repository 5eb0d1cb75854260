//! Tasks of agents: run beside the browser, with the results and the metrics of a local run.

use automator::{AgentCallbacks, AgentConfig, AgentMode, AgentResult, Automator, Builder, EnvironmentSource};
use automator_testing::{Answer, Kind, Request, ScriptedModel};
use serde_json::{Value, json};

use crate::cases::PAGE;
use crate::rig::{Rig, local, model_on, open, scripted};

/// Reads the name, presses the button, and is done.
fn script(request: &Request) -> Answer {
    match (request.kind, request.tools.len(), request.tool_results.len()) {
        (Kind::Agent, 1, _) => Answer::tool("done", json!({ "reasoning": "Ordered.", "taskComplete": true })),
        (Kind::Agent, _, 0) => Answer::tool("extract", json!({ "instruction": "the name" })),
        (Kind::Agent, _, 1) => {
            let action = format!("click [{}]", request.id_of("button: Order"));
            Answer::tool("act", json!({ "action": action }))
        }
        (Kind::Agent, ..) => Answer::text("That is all."),
        _ => Answer::value(json!({ "extraction": "Arc lamp" })),
    }
}

/// What a run leaves behind, without what differs from run to run.
async fn run(builder: Builder, rig: &Rig) -> (Value, Value, String) {
    let model = scripted().await;
    model.script(script);
    let (automator, page) = open(builder.model(model_on(&model))).await;
    page.goto(&rig.site.put_at("/shop", PAGE).url)
        .await
        .expect("a page");
    let config = AgentConfig {
        mode: Some(AgentMode::Dom),
        ..AgentConfig::default()
    };
    let result = automator
        .agent(config)
        .execute("order it as %name%")
        .variable("name", "Ada Lovelace")
        .await
        .expect("a run");
    assert_eq!(model.failures(), Vec::<String>::new());
    let title = page.title().await.expect("a title");
    let left = (without_times(&result), metrics(&automator), title);
    automator.close().await.expect("a close");
    left
}

fn without_times(result: &AgentResult) -> Value {
    let mut result = json!(result);
    result["usage"]["inference_time_ms"] = Value::Null;
    for action in result["actions"].as_array_mut().into_iter().flatten() {
        action["timestamp"] = Value::Null;
    }
    result
}

fn metrics(automator: &Automator) -> Value {
    let mut metrics = json!(automator.metrics());
    if let Value::Object(counters) = &mut metrics {
        counters.retain(|name, _| !name.ends_with("InferenceTimeMs"));
    }
    metrics
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_beside_the_browser_is_that_of_a_local_run() {
    let rig = Rig::start().await;
    let here = run(
        local().with(|options| {
            options.environment =
                EnvironmentSource::new(|name| (name == "OPENAI_API_KEY").then(|| "sk-test".to_owned()));
        }),
        &rig,
    )
    .await;
    let beside = run(rig.remote(), &rig).await;
    assert_eq!(beside, here);
    let (result, metrics, title) = here;
    assert_eq!((&result["success"], title.as_str()), (&json!(true), "Pressed"));
    assert_eq!(metrics["extractPromptTokens"], 100, "{metrics}");
    assert_eq!(metrics["agentPromptTokens"], 400, "{metrics}");
    rig.server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_with_a_function_of_the_program_runs_in_the_program() {
    let rig = Rig::start().await;
    let model = ScriptedModel::start().await;
    model.script(script);
    let builder = rig.remote().with(|options| options.experimental = true);
    let (automator, page) = open(builder.model(model_on(&model))).await;
    page.goto(&rig.site.put_at("/shop", PAGE).url)
        .await
        .expect("a page");
    let steps = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = steps.clone();
    let result = automator
        .agent(AgentConfig::default())
        .execute("order it")
        .callbacks(AgentCallbacks::new(move |_| {
            counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }))
        .await
        .expect("a run");
    assert!(result.success, "{result:?}");
    assert!(steps.load(std::sync::atomic::Ordering::Relaxed) > 3);
    rig.close(&automator).await;
}
