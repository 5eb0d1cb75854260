//! Tasks of agents: run beside the browser, with the results and the metrics of a local run.

use std::time::{Duration, Instant};

use automator::{
    AgentCallbacks, AgentConfig, AgentMode, AgentResult, Automator, Builder, EnvironmentSource,
    ExtractOptions, ModelOptions,
};
use automator_testing::{Answer, Fault, Kind, Request, ScriptedModel};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::cases::PAGE;
use crate::client::browser_of;
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

/// A task that is under way when its session is closed, by the program or by somebody else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_close_under_a_task_is_told_as_on_this_machine() {
    let rig = Rig::start().await;
    let mut results = Vec::new();
    for builder in [local(), rig.remote()] {
        let model = scripted().await;
        let (automator, page) = open(builder.model(model_with_key(&model))).await;
        page.goto(&rig.site.put(PAGE).url).await.expect("a page");
        model.fault_always(Some(Fault::Hang));
        let running = tokio::spawn(
            automator
                .agent(AgentConfig::default())
                .execute("order it")
                .into_future(),
        );
        model.wait_for_requests(1).await;
        automator.close().await.expect("a close");
        let result = running.await.expect("no panic").expect("a result");
        results.push((result.success, result.completed, result.message));
    }
    let message = "Failed to execute task: the session was closed".to_owned();
    let expected = (false, false, message);
    assert_eq!(results, [expected.clone(), expected]);

    // Here nobody on this machine has closed it.
    let model = scripted().await;
    let (automator, page) = open(rig.remote().keep_alive(true).model(model_with_key(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.fault_always(Some(Fault::Hang));
    let running = tokio::spawn(
        automator
            .agent(AgentConfig::default())
            .execute("order it")
            .into_future(),
    );
    model.wait_for_requests(1).await;
    let id = automator.remote_session_id().expect("an id");
    let (other, _) = open(rig.remote().with(|options| {
        options.remote_session_id = Some(id);
        options.keep_alive = Some(false);
    }))
    .await;
    other.close().await.expect("a close");
    let result = running.await.expect("no panic").expect("a result");
    assert!(
        !result.success && result.message.starts_with("Failed to execute task: "),
        "{result:?}"
    );
    rig.server.stop().await;
}

fn model_with_key(model: &ScriptedModel) -> ModelOptions {
    let mut options = model_on(model);
    options.api_key = Some("sk-test".to_owned().into());
    options
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_keeps_its_deadline_when_the_browser_stands_still() {
    let rig = Rig::start().await;
    let model = scripted().await;
    let (automator, page) = open(rig.remote().model(model_on(&model))).await;
    page.goto(&rig.site.put(PAGE).url).await.expect("a page");
    model.script(script);
    let id = automator.remote_session_id().expect("an id");
    let process = browser_of(rig.folder(), &id);
    kill_process(process, Signal::STOP).expect("stopped");
    let begun = Instant::now();
    let result = automator
        .agent(AgentConfig::default())
        .execute("order it")
        .timeout(Duration::from_secs(2))
        .await
        .expect("a result");
    let taken = begun.elapsed();
    kill_process(process, Signal::CONT).expect("goes on");
    assert_eq!(result.message, "Stopped: the run reached its timeout of 2 s");
    assert!(taken < Duration::from_millis(3_500), "{taken:?}");
    rig.close(&automator).await;
}

/// The address of a server that hangs up on everybody.
fn hanging_up() -> String {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let mut request = [0; 1024];
            let _ = std::io::Read::read(&mut &connection, &mut request);
        }
    });
    format!("http://{address}/v1")
}

/// No model has answered, and none is said to have.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_cannot_be_reached_is_told_as_on_this_machine() {
    let rig = Rig::start().await;
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let port = closed.local_addr().expect("an address").port();
    drop(closed);
    let addresses = [
        format!("http://127.0.0.1:{port}/v1"),
        format!("https://127.0.0.1:{port}/v1"),
        "http://no-such-host.invalid/v1".to_owned(),
        "https://no-such-host.invalid/v1".to_owned(),
        hanging_up(),
    ];
    let mut told = Vec::new();
    for builder in [local(), rig.remote()] {
        let (automator, page) = open(builder).await;
        page.goto(&rig.site.put(PAGE).url).await.expect("a page");
        let failing = addresses.iter().map(async |address| {
            let mut model = ModelOptions::new("openai/gpt-4.1-mini");
            model.base_url = Some(address.clone());
            model.api_key = Some("sk-test".to_owned().into());
            let options = ExtractOptions {
                model: Some(model),
                ..ExtractOptions::default()
            };
            let asked = automator
                .extract(&format!("the name, from {address}"))
                .options(options);
            let error = asked.await.expect_err("nobody answers");
            (error.kind(), error.to_string())
        });
        told.push(futures_util::future::join_all(failing).await);
        automator.close().await.expect("a close");
    }
    assert_eq!(told[1], told[0]);
    assert!(
        told[0].iter().all(|(_, message)| !message.contains("HTTP")),
        "{told:?}"
    );
    rig.server.stop().await;
}
