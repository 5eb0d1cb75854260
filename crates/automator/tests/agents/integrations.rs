//! Servers of the Model Context Protocol as tools: a program, and one behind an address.

use std::path::Path;
use std::time::{Duration, Instant};

use automator::{AbortSignal, AgentConfig, AgentIntegration, ErrorKind};
use automator_testing::{Answer, Fault, Kind, Route};
use serde_json::{Value, json};

use crate::rig::Rig;
use crate::script::{call, experimental, play, play_alone, results};

/// A server as small as can be. It leaves its process id in a file.
const SERVER: &str = r#"
import json, os, sys
open(os.environ["NOTE"], "w").write(str(os.getpid()))
TOOLS = [{"name": name, "description": name, "inputSchema": {"type": "object"}} for name in ("weather", "wait", "break")]
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    answer = {"jsonrpc": "2.0", "id": message.get("id")}
    if method == "initialize":
        answer["result"] = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "test", "version": "1"}}
    elif method == "tools/list":
        answer["result"] = {"tools": TOOLS}
    elif method == "tools/call":
        said = params["name"] + " " + json.dumps(params.get("arguments"))
        answer["result"] = {"content": [{"type": "text", "text": said}], "isError": params["name"] == "break"}
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    if "id" in message:
        print(json.dumps(answer), flush=True)
"#;

fn program(note: &Path) -> AgentIntegration {
    AgentIntegration::Command {
        command: "python3".to_owned(),
        args: vec!["-c".to_owned(), SERVER.to_owned()],
        env: [("NOTE".to_owned(), note.to_string_lossy().into_owned())].into(),
    }
}

fn with(integration: AgentIntegration) -> AgentConfig {
    AgentConfig {
        integrations: vec![integration],
        ..AgentConfig::default()
    }
}

async fn until_ended(note: &Path) {
    let process = std::fs::read_to_string(note).unwrap();
    let process = format!("/proc/{process}");
    let ended = async {
        while Path::new(&process).exists() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(10), ended).await;
    assert!(waited.is_ok(), "the server still runs");
}

#[tokio::test]
async fn tools_of_a_program_are_called_and_it_ends_with_the_run() {
    let rig = Rig::with(experimental).await;
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("process");
    play_alone(
        &rig,
        vec![
            call("weather", json!({ "city": "Bonn" })),
            call("wait_2", json!({})),
            call("break", json!({})),
        ],
    );
    let agent = rig.automator.agent(with(program(&note)));
    let result = agent.execute("ask").await.unwrap();
    assert!(result.success, "{result:?}");
    let told = results(&rig);
    assert!(told[0].contains(r#"weather {"city": "Bonn"}"#), "{told:?}");
    assert!(told[1].contains("wait {}"), "the name was taken: {told:?}");
    assert!(
        told[2].contains("failed") && told[2].contains("break"),
        "{told:?}"
    );
    assert_eq!(result.actions[0].kind, "weather");
    until_ended(&note).await;
    rig.close().await;
}

#[tokio::test]
async fn a_run_that_is_dropped_ends_its_servers() {
    let rig = Rig::with(experimental).await;
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("process");
    rig.model.fault_always(Some(Fault::Hang));
    let agent = rig.automator.agent(with(program(&note)));
    let running = tokio::spawn(async move { agent.execute("ask").await });
    while rig.model.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.abort();
    until_ended(&note).await;
    rig.close().await;
}

#[tokio::test]
async fn a_server_behind_an_address_is_asked_too() {
    let rig = Rig::with(experimental).await;
    let at = rig.site.handler("/mcp", |hit| {
        let message: Value = serde_json::from_str(&hit.text()).unwrap_or_default();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({ "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {} }, "serverInfo": { "name": "test", "version": "1" } }),
            Some("tools/list") => {
                json!({ "tools": [{ "name": "time", "inputSchema": { "type": "object" } }] })
            }
            Some("tools/call") => json!({ "content": [{ "type": "text", "text": "noon" }] }),
            _ => return Route::status(202),
        };
        Route::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
    });
    play_alone(&rig, vec![call("time", json!({}))]);
    let agent = rig.automator.agent(with(at.url.as_str().into()));
    let result = agent.execute("ask").await.unwrap();
    assert!(result.success, "{result:?}");
    assert!(results(&rig)[0].contains("noon"), "{:?}", results(&rig));
    rig.close().await;
}

#[tokio::test]
async fn limit_and_signal_hold_while_a_server_is_connected_to() {
    let rig = Rig::with(experimental).await;
    play(&rig, vec![], |_| Answer::text("not asked"));
    let silent = || AgentIntegration::Command {
        command: "sleep".to_owned(),
        args: vec!["300".to_owned()],
        env: [].into(),
    };
    let agent = rig.automator.agent(with(silent()));
    let started = Instant::now();
    let task = agent.execute("ask").timeout(Duration::from_millis(500));
    let result = task.await.unwrap();
    assert_eq!(result.message, "Stopped: the run reached its timeout of 500 ms");
    assert!(!result.success && !result.completed, "{result:?}");

    let signal = AbortSignal::new();
    let told = signal.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        told.abort("enough");
    });
    let error = agent.execute("ask").signal(&signal).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AgentAbort);
    // Neither has waited for the limit of the connection itself.
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(rig.model.requests_of(Kind::Agent).is_empty());
    rig.close().await;
}

#[tokio::test]
async fn a_server_that_is_none_is_named_and_nothing_is_asked() {
    let rig = Rig::with(experimental).await;
    play(&rig, vec![], |_| Answer::text("not asked"));
    let missing = AgentIntegration::Command {
        command: "no-such-program".to_owned(),
        args: Vec::new(),
        env: [("SECRET".to_owned(), "tell no one".to_owned())].into(),
    };
    let error = rig
        .automator
        .agent(with(missing))
        .execute("ask")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::McpConnection);
    assert!(error.to_string().contains("no-such-program"), "{error}");
    assert!(!format!("{error:?}").contains("tell no one"));
    assert!(rig.model.requests_of(Kind::Agent).is_empty());
    let nobody = "http://127.0.0.1:9/mcp?key=secret";
    let error = rig
        .automator
        .agent(with(nobody.into()))
        .execute("ask")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::McpConnection);
    let told = error.to_string();
    assert!(told.contains("http://127.0.0.1:9/mcp"), "{told}");
    assert!(!told.contains("secret") && !told.contains("rmcp"), "{told}");
    rig.close().await;

    let plain = Rig::start().await;
    let error = plain
        .automator
        .agent(with("http://127.0.0.1:9/mcp".into()))
        .execute("ask")
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ExperimentalNotConfigured);
    plain.close().await;
}
